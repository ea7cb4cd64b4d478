"""dmx's formats of blocks. Source: spec S5.1, S5.5."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy

from .._arrays import is_torch
from .._mode import setting
from ._formats import FixedPoint, FloatingPoint, Format, least_bias
from ._parts import ROUNDING_MODE, apply

if TYPE_CHECKING:
    from .._types import ArrayLike, ArrayOrTensorT, Tensor


def _of_numerics() -> Any:
    """d-Matrix's own rule for the bias of a scaler, None where its package is not installed."""
    try:
        return importlib.import_module("numerics").determine_sbfp_scaler_exponent_bias_from_tensor_values
    except (ImportError, AttributeError):
        return None


_bias_of_numerics = _of_numerics()
#: Is d-Matrix's package `numerics` installed?
NUMERICS_UTILS_AVAILABLE: bool = _bias_of_numerics is not None


class _Blocked(Format):
    """A format of blocks along an axis."""

    blocked = True

    def _values(self, x: Any, block_dim: int | None, random: Any, mode: str | None) -> Any:
        if block_dim is None:
            raise TypeError("cast() missing 1 required positional argument: 'block_dim'")
        return self._cast(x, block_dim, random, mode)


class BlockFloatingPoint(_Blocked):
    """Blocks of `block_size` elements that share an 8-bit exponent, codes of `precision` bits (2..25).

    symmetric: codes of +-(2^(precision-1) - 1); otherwise -2^(precision-1) too. rounding: "nearest", "stochastic",
    "up" or "down". A short last block has an exponent of its own. block_dim: the axis of the documented spelling
    "BFP[8|8]{64,-1}(SN)" (strict), which cast() takes where it is given none; else None. AssertionError for another
    precision, or no elements. Source: spec S5.5.
    """

    _prefix = "BFP"

    def __init__(self, precision: int = 8, block_size: int = 64, symmetric: bool = True,
                 rounding: str = "nearest") -> None:
        assert 2 <= precision <= 25, f"highest integer precision simulated by FP32 is 25, got {precision}"
        assert block_size > 0, f"block size has to be positive, got {block_size}"
        self.precision: int = precision
        self.block_size: int = block_size
        self.symmetric: bool = symmetric
        self.rounding: str = rounding
        self.block_dim: int | None = None

    def _values(self, x: Any, block_dim: int | None, random: Any, mode: str | None) -> Any:
        axis = self.block_dim if block_dim is None else block_dim
        assert axis is None or self.rounding in ROUNDING_MODE.values(), f"invalid rounding mode, {self.rounding}"
        return super()._values(x, axis, random, mode)

    @staticmethod
    def make_mantissa_asymmetric(dmx_result: ArrayOrTensorT, fp32_inp: ArrayOrTensorT,
                                 n_mantissa_bits: int = 8) -> ArrayOrTensorT:
        """The code -2^(n-1) where it is nearer: dmx_result a symmetric cast of fp32_inp, both matrices of blocks,
        float32. n_mantissa_bits: n, the bits of a code."""
        text = f"make_mantissa_asymmetric(n_mantissa_bits={n_mantissa_bits})"
        values: ArrayOrTensorT = apply(text, dmx_result, fp32_inp=fp32_inp)["values"]
        return values

    def _is_stochastic(self) -> bool:
        return self.rounding == "stochastic"

    def _describe(self, name: str) -> str:
        return (f"Simulated {name} format: precision bits = {self.precision}, block size = {self.block_size}\n"
                f"casting behavior: symmetric = {self.symmetric}, rounding = {self.rounding}")

    def __str__(self) -> str:
        return self._describe("block floating point")

    def __repr__(self) -> str:
        flags = ("S" if self.symmetric else "_") + ROUNDING_MODE.inverse[self.rounding]
        return f"BFP[{self.precision}|8]{{{self.block_size}}}({flags})"


class MXINT(BlockFloatingPoint):
    """Block floating point, symmetric, nearest; precision 8 and blocks of 32 by default."""

    _prefix = "MXINT"

    def __init__(self, precision: int = 8, block_size: int = 32) -> None:
        super().__init__(precision=precision, block_size=block_size, symmetric=True, rounding="nearest")

    def __str__(self) -> str:
        return self._describe("MXINT")

    def __repr__(self) -> str:
        return f"MXINT{self.precision}{{{self.block_size}}}"


class ScaledBlockFloatingPoint(_Blocked):
    """Blocks of fixed-point codes times a scale in a floating-point format.

    block_format: FixedPoint of fraction 0, symmetric; scaler_format: FloatingPoint (AssertionError for others).
    man_scaling: the largest code, by which the largest magnitude of a block is divided for its scale. Source: spec
    S5.5.
    """

    _prefix = "SBFP"

    def __init__(self, block_format: FixedPoint, scaler_format: FloatingPoint, block_size: int = 64) -> None:
        assert isinstance(block_format, FixedPoint), "block format needs to be fixed point"
        assert isinstance(scaler_format, FloatingPoint), "scaler format needs to be floating point"
        assert block_format.fraction == 0, "block format needs to have zero fraction"
        assert block_format.symmetric, "block format needs to have symmetric range"
        assert block_size > 0, f"block size has to be positive, got {block_size}"
        self.block_format: FixedPoint = block_format
        self.scaler_format: FloatingPoint = scaler_format
        self.block_size: int = block_size
        self.man_scaling: int = 2 ** (block_format.precision - 1) - 1
        self.scaler_format_exponent_bias_determined: bool = False

    def determine_scaler_exponent_bias_from(self, x: ArrayLike | Tensor) -> None:
        """Sets scaler_format.bias by the values of x, an array or tensor of floats of any shape.

        strict: the largest bias under which the scale of x's largest finite magnitude does not saturate, so that small
        scales keep the most; the least one where none is enough. Where x has no such magnitude but 0 the bias stays.
        compat: what d-Matrix's own package `numerics` says where it is installed; else the bias stays.
        """
        if setting()[0] == "compat":
            if NUMERICS_UTILS_AVAILABLE:
                self.scaler_format.bias = _bias_of_numerics(x)
            return
        given: Any = x
        values = numpy.abs(numpy.asarray(given.detach().cpu().double() if is_torch(x) else given, numpy.float64))
        most = float(numpy.max(values, initial=0, where=numpy.isfinite(values)))
        if most == 0 or self.man_scaling == 0:
            return
        scaler = self.scaler_format
        enough = [bias for bias in range(least_bias(scaler.exponent), 128)
                  if most <= _largest(scaler, bias) * self.man_scaling]
        scaler.bias = enough[-1] if enough else least_bias(scaler.exponent)

    def _values(self, x: Any, block_dim: int | None, random: Any, mode: str | None) -> Any:
        if not self.scaler_format_exponent_bias_determined:
            if setting(mode)[0] == "compat" and NUMERICS_UTILS_AVAILABLE:
                self.scaler_format.bias = _bias_of_numerics(x)
            self.scaler_format_exponent_bias_determined = True
        return super()._values(x, block_dim, random, mode)

    def _is_stochastic(self) -> bool:
        return self.block_format._is_stochastic() or self.scaler_format._is_stochastic()

    def __str__(self) -> str:
        return (f"Simulated scaled block floating point format: block format = {self.block_format}, scaler format = "
                f"{self.scaler_format},\n block size = {self.block_size}")

    def __repr__(self) -> str:
        return f"SBFP<{self.block_format!r}><{self.scaler_format!r}>{{{self.block_size}}}"


def _largest(scaler: FloatingPoint, bias: int) -> float:
    """The largest finite number of a scaler's format under a bias, in strict (spec S2, ST3)."""
    exponent, mantissa = scaler.exponent, scaler.mantissa
    top, significand = 2**exponent - 1 - bias, 2 - 2.0**-mantissa
    if (exponent, mantissa, bias) == (4, 3, 7):  # E4M3, whose last code is NaN
        significand = 1.75
    elif (exponent, mantissa, bias) in ((5, 2, 15), (5, 10, 15), (8, 7, 127), (8, 23, 127)):  # with infinities
        top -= 1
    return float(significand * 2.0**top)


class MXFP(_Blocked):
    """Blocks of floating-point elements that share a scale, a power of two.

    element_format: a FloatingPoint (AssertionError for others). strict: the OCP MX rules (8-bit scales, OCP value sets
    where they are); compat: scales without limits, every code finite, elements permuted along block_dim 0 and -2.
    Source: spec S5.5, S2.
    """

    _prefix = "MXFP"

    def __init__(self, element_format: FloatingPoint, block_size: int = 32) -> None:
        assert isinstance(element_format, FloatingPoint), "block format needs to be floating point"
        assert block_size > 0, f"block size has to be positive, got {block_size}"
        self.element_format: FloatingPoint = element_format
        self.scaler_format: FloatingPoint = FloatingPoint(mantissa=0, exponent=8, bias=127, unsigned=True)
        self.block_size: int = block_size

    def _is_stochastic(self) -> bool:
        return self.element_format._is_stochastic()

    def _text(self) -> str:
        return f"MXFP<{self.element_format!r}>{{{self.block_size}}}"

    def __str__(self) -> str:
        return (f"Simulated MXFP format: element format = {self.element_format}, scaler format = "
                f"{self.scaler_format},\n block size = {self.block_size}")

    def __repr__(self) -> str:
        element = self.element_format
        return (f"MXFP{element.exponent + element.mantissa + 1}[E{element.exponent}M{element.mantissa}]"
                f"{{{self.block_size}}}")
