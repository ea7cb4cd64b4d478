"""Operations whose results are rounded to the bfloat or fp format of a specification. Not differentiable.

Operands are arrays or tensors that broadcast to each other, or numbers; the result has their shape and type.
mx_specs: a specification, None for no rounding; round: goes before its "round". Raises what quantize_elemwise_op
raises.
"""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence

import numpy

from .._arrays import is_torch
from .._mode import setting
from .elemwise_ops import quantize_elemwise_op

if TYPE_CHECKING:
    from .._types import ArrayOrTensor, ArrayOrTensorT

__all__ = ["LN_2_EXACT", "LOG2_E_BF16", "vec_add", "vec_div", "vec_exp", "vec_exp2", "vec_mul", "vec_quantize",
           "vec_recip", "vec_reduce_mean", "vec_reduce_sum", "vec_sqrt", "vec_sub", "vec_tanh"]

#: The natural logarithm of 2.
LN_2_EXACT: float = 0.69314718056
#: The binary logarithm of e in bfloat16.
LOG2_E_BF16: float = 1.4453125

_Specs = Optional[Mapping[str, Any]]


def _any(x: Any) -> Any:
    """x, of which types say nothing."""
    return x


def _function(name: str, x: Any) -> Any:
    return getattr(sys.modules["torch"] if is_torch(x) else numpy, name)(x)


def vec_quantize(input: ArrayOrTensorT, mx_specs: _Specs = None, round: str | None = None) -> ArrayOrTensorT:
    """input, rounded."""
    return quantize_elemwise_op(input, mx_specs=mx_specs, round=round)


def vec_add(a: ArrayOrTensor | float, b: ArrayOrTensor | float, mx_specs: _Specs = None,
            round: str | None = None) -> Any:
    """a + b, rounded."""
    return vec_quantize(_any(a) + b, mx_specs, round)


def vec_sub(a: ArrayOrTensor | float, b: ArrayOrTensor | float, mx_specs: _Specs = None,
            round: str | None = None) -> Any:
    """a - b, rounded."""
    return vec_quantize(_any(a) - b, mx_specs, round)


def vec_mul(a: ArrayOrTensor | float, b: ArrayOrTensor | float, mx_specs: _Specs = None,
            round: str | None = None) -> Any:
    """a * b, rounded."""
    return vec_quantize(_any(a) * b, mx_specs, round)


def vec_div(a: ArrayOrTensor | float, b: ArrayOrTensor | float, mx_specs: _Specs = None,
            round: str | None = None) -> Any:
    """a / b; with vec_use_recip the product of a and the rounded reciprocal (compat: AttributeError where b is a number
    and there is a format to round to)."""
    if mx_specs and mx_specs["vec_use_recip"]:
        is_number = not hasattr(b, "dtype")
        if is_number and setting()[0] == "compat" and (mx_specs["bfloat"] not in (0, 32) or mx_specs["fp"]):
            raise AttributeError("'float' object has no attribute 'is_sparse'")
        reciprocal = vec_recip(b, mx_specs, round)
        return vec_mul(a, float(reciprocal) if is_number else reciprocal, mx_specs, round)
    return vec_quantize(_any(a) / b, mx_specs, round)


def vec_exp(input: ArrayOrTensorT, mx_specs: _Specs = None, round: str | None = None) -> ArrayOrTensorT:
    """e^x; with vec_use_exp2 2^(x * 1.4453125), the product rounded."""
    if mx_specs and mx_specs["vec_use_exp2"]:
        powers: ArrayOrTensorT = vec_exp2(vec_quantize(LOG2_E_BF16 * _any(input), mx_specs, round), mx_specs, round)
        return powers
    found: ArrayOrTensorT = vec_quantize(_function("exp", input), mx_specs, round)
    return found


def vec_exp2(input: ArrayOrTensorT, mx_specs: _Specs = None, round: str | None = None) -> ArrayOrTensorT:
    """2^x, rounded."""
    found: ArrayOrTensorT = vec_quantize(_function("exp2", input), mx_specs, round)
    return found


def vec_recip(input: ArrayOrTensor | float, mx_specs: _Specs = None, round: str | None = None) -> Any:
    """1 / x, rounded."""
    return vec_quantize(1.0 / _any(input), mx_specs, round)


def vec_sqrt(input: ArrayOrTensorT, mx_specs: _Specs = None, round: str | None = None) -> ArrayOrTensorT:
    """The square root, rounded."""
    found: ArrayOrTensorT = vec_quantize(_function("sqrt", input), mx_specs, round)
    return found


def vec_tanh(input: ArrayOrTensorT, mx_specs: _Specs = None, round: str | None = None) -> ArrayOrTensorT:
    """The hyperbolic tangent, rounded."""
    found: ArrayOrTensorT = vec_quantize(_function("tanh", input), mx_specs, round)
    return found


def vec_reduce_sum(input: ArrayOrTensor, dim: int | Sequence[int], keepdim: bool = False, mx_specs: _Specs = None,
                   round: str | None = None) -> Any:
    """The sum over one or several axes, rounded once."""
    x: Any = input
    if is_torch(x):
        return vec_quantize(x.sum(dim, keepdim=keepdim), mx_specs, round)
    axes = tuple(dim) if isinstance(dim, (list, tuple)) else dim
    return vec_quantize(x.sum(axis=axes, keepdims=keepdim), mx_specs, round)


def vec_reduce_mean(input: ArrayOrTensor, dim: int | Sequence[int], keepdim: bool = False, mx_specs: _Specs = None,
                    round: str | None = None) -> Any:
    """The rounded sum over one or several axes, divided by their sizes and rounded again."""
    axes: Any = dim if type(dim) is list else [dim]
    sizes = [_any(input).shape[axis] for axis in axes]
    total = vec_reduce_sum(input, dim, keepdim, mx_specs, round)
    return vec_div(total, math.prod(sizes), mx_specs, round)
