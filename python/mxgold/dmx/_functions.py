"""dmx's functions of tensors (dmx.compressor.quant). Source: spec S5.4."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from .._mode import setting
from ._parts import ROUNDING_MODE, apply

if TYPE_CHECKING:
    from .._types import ArrayOrScalar, FloatArray, TensorT


def _function(text: str, x: Any, rounding: str, random: Any, mode: str | None) -> Any:
    assert hasattr(x, "dtype"), "x is not a single precision Floating Point Tensor"
    return apply(text, x, None, random, mode, stochastic=rounding == "stochastic")["values"]


@overload
def fixed_point_quantize(x: TensorT, wl: int, fl: int, clamp: bool = ..., symmetric: bool = ..., rounding: str = ...,
                         random: Any = ..., mode: str | None = ...) -> TensorT: ...
@overload
def fixed_point_quantize(x: ArrayOrScalar, wl: int, fl: int, clamp: bool = ..., symmetric: bool = ...,
                         rounding: str = ..., random: Any = ..., mode: str | None = ...) -> FloatArray: ...
def fixed_point_quantize(x: Any, wl: int, fl: int, clamp: bool = True, symmetric: bool = False,
                         rounding: str = "stochastic", random: Any = None, mode: str | None = None) -> Any:
    """x as fixed-point numbers of wl bits, fl of them behind the point. Source: spec S5.4, S4.3.

    x: float32, of any shape, which the result has, too. clamp: limit to the representable range; symmetric: without the
    lowest code. rounding: "nearest", "stochastic", "up" or "down" (AssertionError for others). random: the words of
    "stochastic", by default fresh ones. ValueError for wl = -1.
    """
    assert rounding in ROUNDING_MODE.values()
    text = f"fixed_point_quantize(wl={wl}, fl={fl}, clamp={bool(clamp)}, symmetric={bool(symmetric)}, " \
           f"rounding={rounding})"
    return _function(text, x, rounding, random, mode)


@overload
def block_quantize(x: TensorT, wl: int, dim: int = ..., symmetric: bool = ..., rounding: str = ..., random: Any = ...,
                   mode: str | None = ...) -> TensorT: ...
@overload
def block_quantize(x: ArrayOrScalar, wl: int, dim: int = ..., symmetric: bool = ..., rounding: str = ...,
                   random: Any = ..., mode: str | None = ...) -> FloatArray: ...
def block_quantize(x: Any, wl: int, dim: int = -1, symmetric: bool = True, rounding: str = "stochastic",
                   random: Any = None, mode: str | None = None) -> Any:
    """x in blocks of wl-bit codes: dim -1 one exponent for the tensor, else one for each index of the axis dim.

    x, rounding, random: as for fixed_point_quantize(). IndexError for an axis that is not there. symmetric=False is the
    kernel's rule, which BlockFloatingPoint used up to version 0.1.10. Source: spec S5.4.
    """
    assert rounding in ROUNDING_MODE.values(), f"invalid rounding mode, {rounding}"
    text = f"block_quantize(wl={wl}, dim={dim}, symmetric={bool(symmetric)}, rounding={rounding})"
    return _function(text, x, rounding, random, mode)


@overload
def float_quantize(x: TensorT, exp: int, man: int, bias: int | None = ..., flush_subnormal: bool = ...,
                   rounding: str = ..., random: Any = ..., mode: str | None = ...) -> TensorT: ...
@overload
def float_quantize(x: ArrayOrScalar, exp: int, man: int, bias: int | None = ..., flush_subnormal: bool = ...,
                   rounding: str = ..., random: Any = ..., mode: str | None = ...) -> FloatArray: ...
def float_quantize(x: Any, exp: int, man: int, bias: int | None = None, flush_subnormal: bool = True,
                   rounding: str = "stochastic", random: Any = None, mode: str | None = None) -> Any:
    """x as floating-point numbers of exp exponent and man stored mantissa bits. Source: spec S5.4.

    x, random: as for fixed_point_quantize(). bias: 2^(exp-1) - 1 by default. rounding: "nearest" or "stochastic", in
    strict also "up" and "down" (AssertionError for others).
    """
    allowed = ("stochastic", "nearest") if setting(mode)[0] == "compat" else tuple(ROUNDING_MODE.values())
    assert rounding in allowed, f"invalid rounding mode, {rounding}"
    text = f"float_quantize(exp={exp}, man={man}, bias={bias}, flush_subnormal={bool(flush_subnormal)}, " \
           f"rounding={rounding})"
    return _function(text, x, rounding, random, mode)
