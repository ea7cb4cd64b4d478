"""Differentiable operations on torch tensors whose operands, results and gradients are rounded to the bfloat or fp
format of a specification; without one they are torch's own."""

import math

import torch

from ._autograd import _Binary, _ReduceSum, _Split, _Unary
from .specs import apply_mx_specs, mx_assert_test


def _binary(kind, plain, in1, in2, mx_specs):
    mx_assert_test(mx_specs)
    return plain(in1, in2) if mx_specs is None else _Binary.apply(in1, in2, kind, apply_mx_specs(mx_specs))


def _unary(kind, plain, in1, mx_specs):
    mx_assert_test(mx_specs)
    return plain(in1) if mx_specs is None else _Unary.apply(in1, kind, apply_mx_specs(mx_specs))


def simd_add(in1, in2, mx_specs=None):
    """in1 + in2, a tensor and a tensor or number."""
    return _binary("add", lambda a, b: a + b, in1, in2, mx_specs)


def simd_sub(in1, in2, mx_specs=None):
    """in1 - in2, a tensor and a tensor or number."""
    return _binary("sub", lambda a, b: a - b, in1, in2, mx_specs)


def simd_mul(in1, in2, mx_specs=None):
    """in1 * in2, a tensor and a tensor or number."""
    return _binary("mul", lambda a, b: a * b, in1, in2, mx_specs)


def simd_div(in1, in2, mx_specs=None):
    """in1 / in2, a tensor and a tensor or number."""
    return _binary("div", lambda a, b: a / b, in1, in2, mx_specs)


def simd_split(in1, mx_specs=None):
    """Two tensors like in1, whose gradients are added."""
    mx_assert_test(mx_specs)
    return (in1, in1) if mx_specs is None else _Split.apply(in1, apply_mx_specs(mx_specs))


def simd_square(in1, mx_specs=None):
    return _unary("square", torch.square, in1, mx_specs)


def simd_sqrt(in1, mx_specs=None):
    return _unary("sqrt", torch.sqrt, in1, mx_specs)


def simd_exp(in1, mx_specs=None):
    return _unary("exp", torch.exp, in1, mx_specs)


def simd_log(in1, mx_specs=None):
    """The natural logarithm."""
    return _unary("log", torch.log, in1, mx_specs)


def simd_reduce_sum(in1, dim=None, keepdim=False, mx_specs=None):
    """The sum over axes; all of them by default."""
    mx_assert_test(mx_specs)
    dim = list(range(in1.ndim)) if dim is None else dim
    if mx_specs is None:
        return torch.sum(in1, dim, keepdim=keepdim)
    return _ReduceSum.apply(in1, dim, keepdim, apply_mx_specs(mx_specs))


def simd_reduce_mean(in1, dim=None, keepdim=False, mx_specs=None):
    """The mean over axes: the sum times the reciprocal of their sizes."""
    mx_assert_test(mx_specs)
    dim = list(range(in1.ndim)) if dim is None else dim
    if mx_specs is None:
        return torch.mean(in1, dim, keepdim=keepdim)
    mx_specs = apply_mx_specs(mx_specs)
    count = math.prod(in1.shape[axis] for axis in (dim if type(dim) is list else [dim]))
    return _Binary.apply(_ReduceSum.apply(in1, dim, keepdim, mx_specs), 1 / count, "mul", mx_specs)


def simd_norm(in1, keepdim=False, mx_specs=None):
    """The root of the sum of squares of all elements."""
    mx_assert_test(mx_specs)
    if mx_specs is None:
        return torch.linalg.norm(in1, keepdim=keepdim)
    mx_specs = apply_mx_specs(mx_specs)
    total = _ReduceSum.apply(_Unary.apply(in1, "square", mx_specs), list(range(in1.ndim)), keepdim, mx_specs)
    return _Unary.apply(total, "sqrt", mx_specs)
