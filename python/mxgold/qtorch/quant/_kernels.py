"""The functions of the original's compiled modules, quant_cpu and quant_cuda, by their names. spec S4.1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ... import _mode
from ..._arrays import random_words
from .. import _cast, _random

if TYPE_CHECKING:
    from ..._types import ArrayOrTensorT


class Kernels:
    """The functions of the compiled module for the CPU. All take positions, as the original's bindings do.

    a: a float32 array or tensor, of any shape. wl, fl, man_bits, exp_bits, dim: as for the functions of qtorch.quant.
    Results are new, of the shape and kind of a, values in float32. random, by name alone: the words, uint32, one for
    each element. The mode in force says whose answers they are. Raises what the functions of qtorch.quant raise.
    """

    def _setting(self) -> tuple[str, str]:
        name, platform = _mode.setting()
        return name, "x86" if platform == "cuda" else platform

    def _run(self, function: str, a: Any, rounding: str, random: Any, draw: Any) -> dict[str, Any]:
        words = None
        if rounding == "stochastic":
            words = draw(a) if random is None else random_words(random)
        return _cast.run(f"{function},rounding={rounding})", a, self._setting(), words)

    def _values(self, function: str, a: ArrayOrTensorT, rounding: str, random: Any, draw: Any) -> ArrayOrTensorT:
        found: ArrayOrTensorT = self._run(function, a, rounding, random, draw)["values"]
        return found

    def _fixed(self, a: ArrayOrTensorT, wl: int, fl: int, clamp: bool, symmetric: bool, rounding: str,
               random: Any = None) -> ArrayOrTensorT:
        text = (f"fixed_point_quantize(wl={_cast.integer(wl, 'wl')},fl={_cast.integer(fl, 'fl')},"
                f"clamp={_cast.boolean(clamp, 'clamp')},symmetric={_cast.boolean(symmetric, 'symmetric')}")
        return self._values(text, a, rounding, random, _random.uniforms)

    def _mask(self, a: ArrayOrTensorT, wl: int, fl: int, symmetric: bool, rounding: str,
              random: Any = None) -> tuple[ArrayOrTensorT, Any]:
        text = (f"fixed_point_quantize_mask(wl={_cast.integer(wl, 'wl')},fl={_cast.integer(fl, 'fl')},"
                f"symmetric={_cast.boolean(symmetric, 'symmetric')}")
        found = self._run(text, a, rounding, random, _random.uniforms)
        return found["values"], found["mask"]

    def _block(self, a: ArrayOrTensorT, wl: int, dim: int, rounding: str, random: Any = None) -> ArrayOrTensorT:
        text = f"block_quantize(wl={_cast.integer(wl, 'wl')},dim={_cast.integer(dim, 'dim')}"
        return self._values(text, a, rounding, random, _random.integers)

    def _float(self, a: ArrayOrTensorT, man_bits: int, exp_bits: int, rounding: str,
               random: Any = None) -> ArrayOrTensorT:
        text = f"float_quantize(exp={_cast.integer(exp_bits, 'exp')},man={_cast.integer(man_bits, 'man')}"
        return self._values(text, a, rounding, random, _random.integers)

    def fixed_point_quantize_nearest(self, a: ArrayOrTensorT, wl: int, fl: int, clamp: bool, symmetric: bool,
                                     /) -> ArrayOrTensorT:
        """fixed_point_quantize() to nearest."""
        return self._fixed(a, wl, fl, clamp, symmetric, "nearest")

    def fixed_point_quantize_stochastic(self, a: ArrayOrTensorT, wl: int, fl: int, clamp: bool, symmetric: bool, /, *,
                                        random: Any = None) -> ArrayOrTensorT:
        """fixed_point_quantize(), stochastic."""
        return self._fixed(a, wl, fl, clamp, symmetric, "stochastic", random)

    def fixed_point_quantize_nearest_mask(self, a: ArrayOrTensorT, wl: int, fl: int, symmetric: bool,
                                          /) -> tuple[ArrayOrTensorT, Any]:
        """(values, mask): clamped values, and 1 (uint8) where they were clamped."""
        return self._mask(a, wl, fl, symmetric, "nearest")

    def fixed_point_quantize_stochastic_mask(self, a: ArrayOrTensorT, wl: int, fl: int, symmetric: bool, /, *,
                                             random: Any = None) -> tuple[ArrayOrTensorT, Any]:
        """(values, mask): clamped values, and 1 (uint8) where they were clamped."""
        return self._mask(a, wl, fl, symmetric, "stochastic", random)

    def block_quantize_nearest(self, a: ArrayOrTensorT, wl: int, dim: int, /) -> ArrayOrTensorT:
        """block_quantize() to nearest."""
        return self._block(a, wl, dim, "nearest")

    def block_quantize_stochastic(self, a: ArrayOrTensorT, wl: int, dim: int, /, *,
                                  random: Any = None) -> ArrayOrTensorT:
        """block_quantize(), stochastic."""
        return self._block(a, wl, dim, "stochastic", random)

    def float_quantize_nearest(self, a: ArrayOrTensorT, man_bits: int, exp_bits: int, /) -> ArrayOrTensorT:
        """float_quantize() to nearest; the bits of the significand come first."""
        return self._float(a, man_bits, exp_bits, "nearest")

    def float_quantize_stochastic(self, a: ArrayOrTensorT, man_bits: int, exp_bits: int, /, *,
                                  random: Any = None) -> ArrayOrTensorT:
        """float_quantize(), stochastic; the bits of the significand come first."""
        return self._float(a, man_bits, exp_bits, "stochastic", random)


class CudaKernels(Kernels):
    """The functions of the compiled module for CUDA devices, computed here. Compat: the bits of a device."""

    def _setting(self) -> tuple[str, str]:
        return _mode.setting()[0], "cuda"

    def _simulated(self, a: ArrayOrTensorT, wl: int, rounding: str, random: Any = None) -> ArrayOrTensorT:
        draw = _random.integers if self._setting()[0] == "strict" else _random.uniforms
        return self._values(f"block_quantize_sim(wl={_cast.integer(wl, 'wl')}", a, rounding, random, draw)

    def block_quantize_sim_nearest(self, a: ArrayOrTensorT, wl: int, /) -> ArrayOrTensorT:
        """Multiples of 2^(e + 2 - wl), e the exponent of the largest magnitude of the whole tensor, to nearest.

        Compat: the device's kernel, which does not clip. Strict: block_quantize() of the whole tensor. Source: spec
        S4.4.
        """
        return self._simulated(a, wl, "nearest")

    def block_quantize_sim_stochastic(self, a: ArrayOrTensorT, wl: int, /, *, random: Any = None) -> ArrayOrTensorT:
        """block_quantize_sim_nearest(), stochastic. Random words: compat as fixed_point_quantize(), strict as
        block_quantize()."""
        return self._simulated(a, wl, "stochastic", random)
