"""Differentiable operations on torch tensors whose operands, results and gradients are rounded to the bfloat or fp
format of a specification; without one they are torch's own.

Operands are tensors of any shape; in2, which in1 broadcasts with, may be a number. Raises what quantize_elemwise_op
raises.
"""

from __future__ import annotations

import math
from typing import Any, Callable

import torch

from ._autograd import _Binary, _ReduceSum, _Split, _Unary
from ._vector import Specs
from .specs import apply_mx_specs, mx_assert_test

__all__ = ["simd_add", "simd_div", "simd_exp", "simd_log", "simd_mul", "simd_norm", "simd_reduce_mean",
           "simd_reduce_sum", "simd_split", "simd_sqrt", "simd_square", "simd_sub"]


def _binary(kind: str, plain: Callable[[Any, Any], torch.Tensor], in1: torch.Tensor, in2: Any,
            mx_specs: Specs) -> torch.Tensor:
    mx_assert_test(mx_specs)
    if mx_specs is None:
        return plain(in1, in2)
    found: torch.Tensor = _Binary.apply(in1, in2, kind, apply_mx_specs(mx_specs))
    return found


def _unary(kind: str, plain: Callable[[torch.Tensor], torch.Tensor], in1: torch.Tensor,
           mx_specs: Specs) -> torch.Tensor:
    mx_assert_test(mx_specs)
    if mx_specs is None:
        return plain(in1)
    found: torch.Tensor = _Unary.apply(in1, kind, apply_mx_specs(mx_specs))
    return found


def simd_add(in1: torch.Tensor, in2: torch.Tensor | float, mx_specs: Specs = None) -> torch.Tensor:
    """in1 + in2, a tensor and a tensor or number."""
    return _binary("add", lambda a, b: a + b, in1, in2, mx_specs)


def simd_sub(in1: torch.Tensor, in2: torch.Tensor | float, mx_specs: Specs = None) -> torch.Tensor:
    """in1 - in2, a tensor and a tensor or number."""
    return _binary("sub", lambda a, b: a - b, in1, in2, mx_specs)


def simd_mul(in1: torch.Tensor, in2: torch.Tensor | float, mx_specs: Specs = None) -> torch.Tensor:
    """in1 * in2, a tensor and a tensor or number."""
    return _binary("mul", lambda a, b: a * b, in1, in2, mx_specs)


def simd_div(in1: torch.Tensor, in2: torch.Tensor | float, mx_specs: Specs = None) -> torch.Tensor:
    """in1 / in2, a tensor and a tensor or number."""
    return _binary("div", lambda a, b: a / b, in1, in2, mx_specs)


def simd_split(in1: torch.Tensor, mx_specs: Specs = None) -> tuple[torch.Tensor, torch.Tensor]:
    """Two tensors like in1, whose gradients are added."""
    mx_assert_test(mx_specs)
    if mx_specs is None:
        return in1, in1
    first, second = _Split.apply(in1, apply_mx_specs(mx_specs))
    return first, second


def simd_square(in1: torch.Tensor, mx_specs: Specs = None) -> torch.Tensor:
    """in1 times itself."""
    return _unary("square", torch.square, in1, mx_specs)


def simd_sqrt(in1: torch.Tensor, mx_specs: Specs = None) -> torch.Tensor:
    """The square root."""
    return _unary("sqrt", torch.sqrt, in1, mx_specs)


def simd_exp(in1: torch.Tensor, mx_specs: Specs = None) -> torch.Tensor:
    """e^x."""
    return _unary("exp", torch.exp, in1, mx_specs)


def simd_log(in1: torch.Tensor, mx_specs: Specs = None) -> torch.Tensor:
    """The natural logarithm."""
    return _unary("log", torch.log, in1, mx_specs)


def simd_reduce_sum(in1: torch.Tensor, dim: int | list[int] | None = None, keepdim: bool = False,
                    mx_specs: Specs = None) -> torch.Tensor:
    """The sum over axes; all of them by default."""
    mx_assert_test(mx_specs)
    dim = list(range(in1.ndim)) if dim is None else dim
    if mx_specs is None:
        return torch.sum(in1, dim, keepdim=keepdim)
    total: torch.Tensor = _ReduceSum.apply(in1, dim, keepdim, apply_mx_specs(mx_specs))
    return total


def simd_reduce_mean(in1: torch.Tensor, dim: int | list[int] | None = None, keepdim: bool = False,
                     mx_specs: Specs = None) -> torch.Tensor:
    """The mean over axes: the sum times the reciprocal of their sizes."""
    mx_assert_test(mx_specs)
    dim = list(range(in1.ndim)) if dim is None else dim
    if mx_specs is None:
        return torch.mean(in1, dim, keepdim=keepdim)
    specs = apply_mx_specs(mx_specs)
    axes: Any = dim if type(dim) is list else [dim]
    count = math.prod(in1.shape[axis] for axis in axes)
    mean: torch.Tensor = _Binary.apply(_ReduceSum.apply(in1, dim, keepdim, specs), 1 / count, "mul", specs)
    return mean


def simd_norm(in1: torch.Tensor, keepdim: bool = False, mx_specs: Specs = None) -> torch.Tensor:
    """The root of the sum of squares of all elements."""
    mx_assert_test(mx_specs)
    if mx_specs is None:
        plain: torch.Tensor = torch.linalg.norm(in1, keepdim=keepdim)
        return plain
    specs = apply_mx_specs(mx_specs)
    total = _ReduceSum.apply(_Unary.apply(in1, "square", specs), list(range(in1.ndim)), keepdim, specs)
    norm: torch.Tensor = _Unary.apply(total, "sqrt", specs)
    return norm
