"""Products of MXTensors: on the values, in the original type. spec S6.2.

torch's own functions (torch.mm, torch.nn.functional.linear, ...) take MXTensors of torch tensors. The functions here
take either kind. For NumPy arrays each result is a sum in float64 rounded once to the original type; the package's
sums depend on its matrix library, so the order of summation is not part of compat.
"""

import numpy

from .._arrays import is_torch
from .._convert import convert
from . import _calls
from .mx_tensor import MXTensor

_FORMATS = {"bfloat16": "bf16", "float16": "fp16", "float32": "fp32", "float64": "fp64"}


def wide(tensor):
    """The values as float64."""
    return tensor.to_dtype("float64")


def rounded(values, orig_dtype):
    """float64 values rounded to a type; bfloat16 as everywhere in this package."""
    values = numpy.ascontiguousarray(values, dtype=numpy.float64)
    return convert(values, _FORMATS[_calls.target_name(orig_dtype)], "overflow=none_inf_or_nan")


def _both(a, b):
    if not (isinstance(a, MXTensor) and isinstance(b, MXTensor)):
        raise AssertionError("both operands must be MXTensors")
    return is_torch(a)


def matmul(a, b):
    """a (..., n, k) times b (..., k, m)."""
    if _both(a, b):
        import torch

        return torch.matmul(a, b)
    return rounded(numpy.matmul(wide(a), wide(b)), a._orig_dtype)


def mm(a, b):
    """a (n, k) times b (k, m)."""
    return matmul(a, b)


def bmm(a, b):
    """The same for each of the first dimension's matrices."""
    return matmul(a, b)


def addmm(bias, a, b):
    """bias + a times b."""
    if _both(a, b):
        import torch

        return torch.addmm(bias, a, b)
    return rounded(numpy.matmul(wide(a), wide(b)) + numpy.asarray(bias, dtype=numpy.float64), a._orig_dtype)


def linear(x, weight, bias=None):
    """x (..., k) times the transpose of weight (m, k), plus bias (m)."""
    if _both(x, weight):
        import torch

        return torch.nn.functional.linear(x, weight, bias)
    result = numpy.matmul(wide(x), wide(weight).T)
    if bias is not None:
        result = result + numpy.asarray(bias, dtype=numpy.float64)
    return rounded(result, x._orig_dtype)
