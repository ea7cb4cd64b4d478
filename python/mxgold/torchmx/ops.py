"""Products of MXTensors: on the values, in the original type. spec S6.2.

torch's own functions (torch.mm, torch.nn.functional.linear, ...) take MXTensors of torch tensors. The functions here
take either kind. For NumPy arrays each result is a sum in float64 rounded once to the original type; the package's
sums depend on its matrix library, so the order of summation is not part of compat.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy

from .._arrays import is_torch
from .._convert import convert
from . import _calls
from .mx_tensor import MXTensor

if TYPE_CHECKING:
    from .._types import Array
    from .mx_tensor import AnyMXTensor

__all__ = ["addmm", "bmm", "linear", "matmul", "mm"]

_FORMATS = {"bfloat16": "bf16", "float16": "fp16", "float32": "fp32", "float64": "fp64"}


def _wide(tensor: Any) -> Any:
    """The values as float64."""
    return tensor.to_dtype("float64")


def _rounded(values: Any, orig_dtype: Any) -> Array:
    """float64 values rounded to a type; bfloat16 as everywhere in this package."""
    wide: Array = numpy.ascontiguousarray(values, dtype=numpy.float64)
    return convert(wide, _FORMATS[_calls.target_name(orig_dtype)], "overflow=none_inf_or_nan")


def _torch_of(a: Any, b: Any) -> Any:
    """torch, where both are its tensors; None where they are of NumPy arrays."""
    if not (isinstance(a, MXTensor) and isinstance(b, MXTensor)):
        raise AssertionError("both operands must be MXTensors")
    return sys.modules["torch"] if is_torch(a) else None


def matmul(a: AnyMXTensor, b: AnyMXTensor) -> Any:
    """a (..., n, k) times b (..., k, m): (..., n, m), an array or tensor of a's original type.

    AssertionError unless both are MXTensors.
    """
    torch = _torch_of(a, b)
    if torch is not None:
        return torch.matmul(a, b)
    return _rounded(numpy.matmul(_wide(a), _wide(b)), a._orig_dtype)


def mm(a: AnyMXTensor, b: AnyMXTensor) -> Any:
    """a (n, k) times b (k, m), as matmul()."""
    return matmul(a, b)


def bmm(a: AnyMXTensor, b: AnyMXTensor) -> Any:
    """a (i, n, k) times b (i, k, m), matrix by matrix, as matmul()."""
    return matmul(a, b)


def addmm(bias: Any, a: AnyMXTensor, b: AnyMXTensor) -> Any:
    """bias + a (n, k) times b (k, m), rounded once; bias, an array or tensor, broadcasts to (n, m)."""
    torch = _torch_of(a, b)
    if torch is not None:
        return torch.addmm(bias, a, b)
    return _rounded(numpy.matmul(_wide(a), _wide(b)) + numpy.asarray(bias, dtype=numpy.float64), a._orig_dtype)


def linear(x: AnyMXTensor, weight: AnyMXTensor, bias: Any = None) -> Any:
    """x (..., k) times the transpose of weight (m, k), plus bias (m), an array or tensor, rounded once."""
    torch = _torch_of(x, weight)
    if torch is not None:
        return torch.nn.functional.linear(x, weight, bias)
    result = numpy.matmul(_wide(x), _wide(weight).T)
    if bias is not None:
        result = result + numpy.asarray(bias, dtype=numpy.float64)
    return _rounded(result, x._orig_dtype)
