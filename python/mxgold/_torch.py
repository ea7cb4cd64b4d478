"""torch tensors as words, and words as tensors. torch is never imported unless a tensor was given."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy

from . import _native
from ._dtypes import dtype_of, elsewhere, unsigned_of
from ._library import LIBRARY

if TYPE_CHECKING:
    from ._types import Array

#: Types of torch that NumPy lacks, and the formats of their codes.
_FORMATS = {"bfloat16": "bf16", "float8_e4m3fn": "e4m3fn", "float8_e5m2": "e5m2", "float8_e4m3fnuz": "e4m3fnuz",
            "float8_e5m2fnuz": "e5m2fnuz", "float8_e8m0fnu": "e8m0"}
_PACKED = "float4_e2m1fn_x2"


def is_torch(value: Any) -> bool:
    """Is this a torch tensor? No, if nobody has imported torch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def is_on_cuda(value: Any) -> bool:
    """Is this a torch tensor on a CUDA device?"""
    return is_torch(value) and value.device.type == "cuda"


def _torch() -> Any:
    return sys.modules["torch"]


def _require_memory(value: Any) -> None:
    """ValueError for a tensor whose memory was given back (storage.resize_(0))."""
    if value.layout is not _torch().strided or not value.numel() or value.device.type == "meta":
        return
    reach = value.storage_offset() + sum((n - 1) * step for n, step in zip(value.shape, value.stride())) + 1
    there = value.untyped_storage().nbytes()
    if there < reach * value.element_size():
        raise ValueError(f"a tensor of shape {tuple(value.shape)} with a storage of {there} bytes: its memory was "
                         "given back; fill the tensor again first")


def _unpacked(words: Array) -> Array:
    """Codes of e2m1fn, two a byte with the first in the low bits, as one a byte."""
    codes = numpy.empty((*words.shape[:-1], 2 * words.shape[-1]), numpy.uint8)
    _native.require(LIBRARY.mxgold_unpack(b"nibble_low_first", b"e2m1fn", 0, _native.address(words), words.nbytes,
                                          _native.address(codes), codes.nbytes))
    return codes


def words_of_tensor(value: Any) -> tuple[Array, str | None]:
    """(words, their format where their type does not say it) of a tensor; on the CPU they share its memory.

    Two codes a byte (torch.float4_e2m1fn_x2) become one a byte: the last dimension doubles. ValueError for a tensor
    without memory, TypeError for a type that no format has.
    """
    torch = _torch()
    _require_memory(value)
    name = str(value.dtype)[len("torch."):]
    value = value.detach()
    if value.layout is not torch.strided:
        raise TypeError(f"a tensor of layout {value.layout}: give tensor.to_dense()")
    if name == _PACKED:
        return _unpacked(value.contiguous().view(torch.uint8).cpu().numpy()), "e2m1fn"
    value = value.cpu().resolve_neg().contiguous()
    if name in _FORMATS:
        words = value.view(torch.int16 if value.element_size() == 2 else torch.uint8).numpy()
        dtype = dtype_of(_FORMATS[name], words.itemsize)
        return words.view(dtype), _FORMATS[name] if dtype.kind == "u" else None
    try:
        return value.numpy(), None
    except TypeError:
        raise TypeError(f"a tensor of {value.dtype}: NumPy has no such type; give its codes as integers, as in "
                        "tensor.view(torch.uint8), and name their format with source=") from None


def words_of_torch(value: Any) -> Array:
    """The words of a tensor for the emulated systems, bfloat16 as uint16."""
    words, _ = words_of_tensor(value)
    return words.view(numpy.uint16) if value.dtype is _torch().bfloat16 else words


def torch_type(name: str) -> Any:
    """The type of tensors that hold a format's codes, one a word; None where torch has none."""
    return None if name == "e2m1fn" else getattr(_torch(), elsewhere(name), None)


def tensor_of(words: Array, name: str, device: Any = None) -> Any:
    """A tensor of a format's codes that shares their memory; on another device than the CPU a copy.

    Its type is the format's own where torch has it, else unsigned integers.
    """
    torch = _torch()
    unsigned = unsigned_of(words.dtype.itemsize)
    kind = torch_type(name) or getattr(torch, unsigned.name)
    if not words.flags.writeable:
        words = words.copy()
    tensor = torch.from_numpy(words.view(numpy.dtype(f"i{unsigned.itemsize}"))).view(kind)
    return tensor if device is None or device.type == "cpu" else tensor.to(device)
