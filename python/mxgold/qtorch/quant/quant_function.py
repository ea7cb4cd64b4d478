"""qtorch.quant.quant_function: the functions of qtorch.quant, and those of the original's compiled modules.

quant_cpu and quant_cuda have the names of the compiled modules, block_quantize_sim_nearest and _stochastic among those of
quant_cuda, which no other name reaches. A device is not needed: both compute here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Iterable, Sequence, overload

from ... import _mode
from ..._arrays import random_words
from .. import _cast, _random
from .._function import QuantizeFunction
from ..number import FixedPoint, Number
from ._kernels import CudaKernels, Kernels

if TYPE_CHECKING:
    from ..._types import Array, ArrayOrScalar, ArrayOrTensor, FloatArray, TensorT

__all__ = ["block_quantize", "fixed_point_quantize", "float_quantize", "get_module", "quant_cpu", "quant_cuda",
           "quantizer"]

#: The functions of the compiled module for the CPU: compat gives the bits of mxgold.mode's platform.
quant_cpu: Kernels = Kernels()
#: The functions of the compiled module for CUDA devices: compat gives a device's bits, wherever a tensor is.
quant_cuda: CudaKernels = CudaKernels()

_NOT_A_TENSOR = "x is not a single precision Floating Point Tensor"


def _check(x: Any, rounding: str, message: str, more: Sequence[str] = ()) -> None:
    if not _cast.is_array(x):
        raise AssertionError(_NOT_A_TENSOR)
    if rounding not in ("stochastic", "nearest", *more):
        raise AssertionError(message)


def _words(random: Any, rounding: str, draw: Callable[[Any], Array], x: Any) -> Array | None:
    if rounding != "stochastic":
        return None
    return draw(x) if random is None else random_words(random)


@overload
def fixed_point_quantize(x: TensorT, wl: int, fl: int, clamp: bool = ..., symmetric: bool = ..., rounding: str = ..., *,
                         mode: str | None = ..., random: Any = ...) -> TensorT: ...
@overload
def fixed_point_quantize(x: ArrayOrScalar, wl: int, fl: int, clamp: bool = ..., symmetric: bool = ...,
                         rounding: str = ..., *, mode: str | None = ..., random: Any = ...) -> FloatArray: ...
def fixed_point_quantize(x: Any, wl: int, fl: int, clamp: bool = True, symmetric: bool = False,
                         rounding: str = "stochastic", *, mode: str | None = None, random: Any = None) -> Any:
    """Quantises to multiples of 2^-fl in a word of wl bits.

    wl: word length in bits, the sign included (strict: >= 1). fl: fractional bits, of either sign. clamp: values
    outside [-2^(wl-fl-1), 2^(wl-fl-1) - 2^-fl] become its ends. symmetric: the smallest number is dropped.
    rounding: also "doc_literal" in strict mode: the original's printed formula, ties toward -infinity.
    Random words: r = (word mod 2^24) * 2^-24; the value is floor(x * 2^fl + r) * 2^-fl.
    Raises ValueError for wl = -1 unless fl = -1, RuntimeError for a dtype that it does not take.
    """
    setting = _mode.setting(mode)
    _check(x, rounding, "", ("doc_literal",) if setting[0] == "strict" else ())
    if wl == -1 and fl != -1:
        raise ValueError(f"fixed point  wl {wl}, fl {fl}")
    text = (f"fixed_point_quantize(wl={_cast.integer(wl, 'wl')},fl={_cast.integer(fl, 'fl')},"
            f"clamp={_cast.boolean(clamp, 'clamp')},symmetric={_cast.boolean(symmetric, 'symmetric')},"
            f"rounding={rounding})")
    return _cast.run(text, x, setting, _words(random, rounding, _random.uniforms, x))["values"]


@overload
def block_quantize(x: TensorT, wl: int, dim: int = ..., rounding: str = ..., *, mode: str | None = ...,
                   random: Any = ...) -> TensorT: ...
@overload
def block_quantize(x: ArrayOrScalar, wl: int, dim: int = ..., rounding: str = ..., *, mode: str | None = ...,
                   random: Any = ...) -> FloatArray: ...
def block_quantize(x: Any, wl: int, dim: int = -1, rounding: str = "stochastic", *, mode: str | None = None,
                   random: Any = None) -> Any:
    """Quantises to integers of wl bits (the sign included) with a shared exponent, that of the largest magnitude.

    dim: -1 for one exponent in the whole tensor; k for one exponent for each index of axis k; -2 and below count axes
    from the end. The codes lie in +-(2^(wl-1) - 1), the quantum is 2^(2-wl) times the power of two of the maximum.
    Random words: the low 23 - wl bits carry into the code, toward +infinity.
    Raises IndexError for an axis that is not there, RuntimeError or IndexError for an empty tensor, RuntimeError for a
    dtype that it does not take.
    """
    _check(x, rounding, f"invalid rounding mode, {rounding}")
    text = f"block_quantize(wl={_cast.integer(wl, 'wl')},dim={_cast.integer(dim, 'dim')},rounding={rounding})"
    return _cast.run(text, x, _mode.setting(mode), _words(random, rounding, _random.integers, x))["values"]


@overload
def float_quantize(x: TensorT, exp: int, man: int, rounding: str = ..., *, mode: str | None = ...,
                   random: Any = ...) -> TensorT: ...
@overload
def float_quantize(x: ArrayOrScalar, exp: int, man: int, rounding: str = ..., *, mode: str | None = ...,
                   random: Any = ...) -> FloatArray: ...
def float_quantize(x: Any, exp: int, man: int, rounding: str = "stochastic", *, mode: str | None = None,
                   random: Any = None) -> Any:
    """Quantises to floats of `exp` exponent bits and `man` stored significand bits, subnormals included.

    Strict: exp >= 1, man 0..23; (4, 3), (5, 2), (5, 10), (8, 7) are the OCP and IEEE formats, in others every code is
    finite and values beyond saturate. Compat: every format saturates, at (2 - 2^-man) * 2^(2^(exp-1)).
    Random words: the low 23 - man bits carry into the magnitude.
    Raises RuntimeError for a dtype that it does not take.
    """
    _check(x, rounding, f"invalid rounding mode, {rounding}")
    text = f"float_quantize(exp={_cast.integer(exp, 'exp')},man={_cast.integer(man, 'man')},rounding={rounding})"
    return _cast.run(text, x, _mode.setting(mode), _words(random, rounding, _random.integers, x))["values"]


def quantizer(forward_number: Number | None = None, backward_number: Number | None = None,
              forward_rounding: str = "stochastic", backward_rounding: str = "stochastic",
              clamping_grad_zero: bool = False, backward_hooks: Iterable[Callable[[Any], Any]] = [], *,
              mode: str | None = None) -> QuantizeFunction:
    """A function that quantises values to forward_number and gradients to backward_number.

    forward_number, backward_number: a FixedPoint, FloatingPoint, BlockFloatingPoint, or None for the identity.
    clamping_grad_zero: gradients of values that were clamped become 0; needs a FixedPoint with clamp, or None.
    backward_hooks: functions that are applied to gradients, in order, before they are quantised.
    Strict: hooks and mask always act. Compat: without clamping_grad_zero the hooks are not called, and without a
    backward_number neither hooks nor mask act.
    The function takes torch tensors, differentiably, or NumPy arrays; its forward(x) and backward(gradient, mask) are
    the two halves.
    """
    for rounding in (forward_rounding, backward_rounding):
        if rounding not in ("stochastic", "nearest"):
            raise AssertionError("invalid rounding type {:s}".format(rounding))
    for number in (forward_number, backward_number):
        if number is not None and not isinstance(number, Number):
            raise AssertionError
    if clamping_grad_zero:
        if type(forward_number) is not FixedPoint and forward_number is not None:
            raise ValueError("zeroing clamping gradient only support fixed point.")
        if forward_number is not None and not forward_number.clamp:
            raise AssertionError("must use clamping if zeroing out clamped gradient")
    return QuantizeFunction(forward_number, backward_number, forward_rounding, backward_rounding,
                            bool(clamping_grad_zero), backward_hooks, mode)


def get_module(x: ArrayOrTensor) -> Kernels:
    """The compiled functions for what x is: quant_cuda for a tensor of a CUDA device, else quant_cpu."""
    return quant_cuda if getattr(x, "is_cuda", False) else quant_cpu
