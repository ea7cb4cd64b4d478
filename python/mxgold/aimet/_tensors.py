"""What quantizers and encodings do with NumPy arrays and torch tensors alike."""

from __future__ import annotations

import ctypes
import sys
from typing import TYPE_CHECKING, Any

import numpy

from .._arrays import is_torch as is_torch
from .._systems import apply

if TYPE_CHECKING:
    from .._types import Array
    from ._encoding import FloatEncoding


def torch_if_imported() -> Any:
    """torch, or None where nobody has imported it."""
    return sys.modules.get("torch")


def dtype_name(value: Any) -> str:
    """The name of a dtype of torch or NumPy, or of an array: "bfloat16"."""
    value = getattr(value, "dtype", value)
    if isinstance(value, str):
        return value.rpartition(".")[2]
    text = str(value)
    return text.rpartition(".")[2] if text.startswith("torch.") else numpy.dtype(value).name


def native(array: Any) -> Any:
    """An array as what the process works with: a torch tensor once torch has been imported."""
    torch = torch_if_imported()
    if torch is None or is_torch(array):
        return array
    return torch.from_numpy(numpy.array(array, order="C"))


def as_numpy(value: Any) -> Array:
    """An array of a tensor's values; bfloat16, which NumPy does not have, comes as float32."""
    if not is_torch(value):
        return numpy.asarray(value)
    tensor = value.detach().cpu()
    array: Array = (tensor.float() if dtype_name(tensor) == "bfloat16" else tensor).numpy()
    return array


def as_tensor(value: Any) -> Any:
    """Numbers and lists as arrays of float32; arrays and tensors as they are."""
    return value if hasattr(value, "dtype") else numpy.asarray(value, dtype=numpy.float32)


def is_floating(value: Any) -> bool:
    return dtype_name(value) in ("float32", "bfloat16", "float16", "float64")


def elements(value: Any) -> int:
    return int(numpy.prod(tuple(value.shape), dtype=numpy.int64))


def same_kind(tensor: Any, like: Any) -> Any:
    """A tensor as what `like` is, so that both can be given to a cast."""
    if is_torch(like) and not is_torch(tensor):
        return native(tensor)
    return as_numpy(tensor) if is_torch(tensor) and not is_torch(like) else tensor


def detached_copy(tensor: Any) -> Any:
    """The same values in memory of their own, without gradient."""
    return tensor.detach().clone() if is_torch(tensor) else numpy.array(tensor)


_memcmp = ctypes.CDLL(None).memcmp
_memcmp.restype, _memcmp.argtypes = ctypes.c_int, [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]


def have_equal_bits(tensor: Any, other: Any) -> bool:
    """Are two torch tensors of one type, shape and device, and is every bit the same?"""
    if tensor.dtype != other.dtype or tensor.shape != other.shape or tensor.device != other.device:
        return False
    one, two = (each.detach().cpu().contiguous() for each in (tensor, other))
    return bool(_memcmp(one.data_ptr(), two.data_ptr(), one.numel() * one.element_size()) == 0)


def overwrite(buffer: Any, values: Any) -> None:
    """Puts values into a buffer, in its place and type; both are torch tensors or both are arrays."""
    if is_torch(buffer):
        with torch_if_imported().no_grad():
            buffer.copy_(values)
    else:
        buffer[...] = values


def quantize_dequantize(text: str, value: Any, scale: Any, mode: str) -> Any:
    """The cast of a text under a scale; torch tensors that want one get its gradient."""
    if not (is_torch(value) and value.requires_grad and torch_if_imported().is_grad_enabled()):
        return apply(text, value, mode=mode, only="values", scale=scale)["values"]
    from ._autograd import FakeCast

    return FakeCast.apply(value, text, scale, mode)


def dequantized(output: Any, encoding: FloatEncoding) -> Any:
    """A torch tensor that knows the encoding it came from."""
    from .tensor import DequantizedTensor

    return DequantizedTensor(output, encoding=encoding)
