"""Operations whose results are rounded to the bfloat or fp format of a specification. Not differentiable."""

import math
import sys

import numpy

from .._arrays import is_torch
from .._mode import setting
from .elemwise_ops import quantize_elemwise_op

LN_2_EXACT = 0.69314718056
LOG2_E_BF16 = 1.4453125


def _function(name, x):
    return getattr(sys.modules["torch"] if is_torch(x) else numpy, name)(x)


def vec_quantize(input, mx_specs=None, round=None):
    return quantize_elemwise_op(input, mx_specs=mx_specs, round=round)


def vec_add(a, b, mx_specs=None, round=None):
    return vec_quantize(a + b, mx_specs, round)


def vec_sub(a, b, mx_specs=None, round=None):
    return vec_quantize(a - b, mx_specs, round)


def vec_mul(a, b, mx_specs=None, round=None):
    return vec_quantize(a * b, mx_specs, round)


def vec_div(a, b, mx_specs=None, round=None):
    """a / b; with vec_use_recip the product of a and the rounded reciprocal (compat: AttributeError where b is a number
    and there is a format to round to)."""
    if mx_specs and mx_specs["vec_use_recip"]:
        is_number = not hasattr(b, "dtype")
        if is_number and setting()[0] == "compat" and (mx_specs["bfloat"] not in (0, 32) or mx_specs["fp"]):
            raise AttributeError("'float' object has no attribute 'is_sparse'")
        reciprocal = vec_recip(b, mx_specs, round)
        return vec_mul(a, float(reciprocal) if is_number else reciprocal, mx_specs, round)
    return vec_quantize(a / b, mx_specs, round)


def vec_exp(input, mx_specs=None, round=None):
    """e^x; with vec_use_exp2 2^(x * 1.4453125), the product rounded."""
    if mx_specs and mx_specs["vec_use_exp2"]:
        return vec_exp2(vec_quantize(LOG2_E_BF16 * input, mx_specs, round), mx_specs, round)
    return vec_quantize(_function("exp", input), mx_specs, round)


def vec_exp2(input, mx_specs=None, round=None):
    return vec_quantize(_function("exp2", input), mx_specs, round)


def vec_recip(input, mx_specs=None, round=None):
    return vec_quantize(1.0 / input, mx_specs, round)


def vec_sqrt(input, mx_specs=None, round=None):
    return vec_quantize(_function("sqrt", input), mx_specs, round)


def vec_tanh(input, mx_specs=None, round=None):
    return vec_quantize(_function("tanh", input), mx_specs, round)


def vec_reduce_sum(input, dim, keepdim=False, mx_specs=None, round=None):
    """The sum over one or several axes, rounded once."""
    if is_torch(input):
        return vec_quantize(input.sum(dim, keepdim=keepdim), mx_specs, round)
    axes = tuple(dim) if isinstance(dim, (list, tuple)) else dim
    return vec_quantize(input.sum(axis=axes, keepdims=keepdim), mx_specs, round)


def vec_reduce_mean(input, dim, keepdim=False, mx_specs=None, round=None):
    """The rounded sum over one or several axes, divided by their sizes and rounded again."""
    sizes = [input.shape[axis] for axis in (dim if type(dim) is list else [dim])]
    total = vec_reduce_sum(input, dim, keepdim, mx_specs, round)
    return vec_div(total, math.prod(sizes), mx_specs, round)
