"""Formats and the NumPy types that hold their codes.

A format that NumPy or an installed ml_dtypes has a type for is held in that type (float32, bfloat16, float8_e4m3fn,
...); any other in unsigned integers, a code a word in the low bits.
"""

from __future__ import annotations

import functools
import sys

import numpy

_NATIVE = {"fp64": numpy.float64, "fp32": numpy.float32, "fp16": numpy.float16}
_ML_DTYPES = {"bf16": "bfloat16", "e4m3fn": "float8_e4m3fn", "e5m2": "float8_e5m2", "e4m3": "float8_e4m3",
              "e3m4": "float8_e3m4", "e4m3fnuz": "float8_e4m3fnuz", "e5m2fnuz": "float8_e5m2fnuz",
              "e4m3b11fnuz": "float8_e4m3b11fnuz", "e8m0": "float8_e8m0fnu", "e2m3fn": "float6_e2m3fn",
              "e3m2fn": "float6_e3m2fn", "e2m1fn": "float4_e2m1fn"}
_FORMATS = {numpy.dtype(dtype).name: name for name, dtype in _NATIVE.items()}
_FORMATS.update((dtype, name) for name, dtype in _ML_DTYPES.items())
_UNSIGNED = {1: numpy.dtype("u1"), 2: numpy.dtype("<u2"), 4: numpy.dtype("<u4"), 8: numpy.dtype("<u8")}


@functools.lru_cache(maxsize=1)
def _ml_dtypes():
    try:
        import ml_dtypes
    except ImportError:
        return None
    return ml_dtypes


@functools.lru_cache(maxsize=None)
def dtype_of(name, storage_bytes):
    """The type of arrays of codes of a format."""
    if name in _NATIVE:
        return numpy.dtype(_NATIVE[name])
    if name in _ML_DTYPES and _ml_dtypes() is not None:
        found = getattr(_ml_dtypes(), _ML_DTYPES[name], None)
        if found is not None:
            return numpy.dtype(found)
    return _UNSIGNED[storage_bytes]


def unsigned_of(storage_bytes):
    return _UNSIGNED[storage_bytes]


def bits(array) -> numpy.ndarray:
    """The codes of an array as unsigned integers, sharing its memory.

    array: codes in any type, for example float8_e4m3fn or float32. Returns uint8, uint16, uint32 or uint64 of the
    same shape.

    >>> mxgold.bits(numpy.float32([1.0]))
    array([1065353216], dtype=uint32)
    """
    array = numpy.asarray(array)
    return array.view(_UNSIGNED[array.dtype.itemsize])


def array_of(value, source=None):
    """What a user gives as a C-ordered, little-endian array, without a copy where that can be.

    Python numbers and lists become float32; torch tensors on the CPU share their memory, bfloat16 as uint16 where
    ml_dtypes is missing.
    """
    if type(value) is not numpy.ndarray:
        value = _array_of_other(value, source)
    if not value.flags.c_contiguous or value.dtype.byteorder == ">":
        value = numpy.array(value, dtype=value.dtype.newbyteorder("<"), order="C")
    return value


def is_torch(value):
    """Is this a torch tensor? No, if nobody has imported torch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def words_of_torch(value):
    """The words of a torch tensor as an array, bfloat16 as uint16; they share memory where they can.

    ValueError for a tensor whose memory was given back (storage.resize_(0)), TypeError for a type that NumPy lacks.
    """
    torch = sys.modules["torch"]
    if value.layout is torch.strided and value.numel() and value.device.type != "meta":
        reach = value.storage_offset() + sum((n - 1) * step for n, step in zip(value.shape, value.stride())) + 1
        there = value.untyped_storage().nbytes()
        if there < reach * value.element_size():
            raise ValueError(f"a tensor of shape {tuple(value.shape)} with a storage of {there} bytes: its memory was "
                             "given back; fill the tensor again first")
    value = value.detach().cpu().contiguous()
    if value.dtype is torch.bfloat16:
        return value.view(torch.int16).numpy().view(numpy.uint16)
    try:
        return value.numpy()
    except TypeError:
        raise TypeError(f"a tensor of {value.dtype}: NumPy has no such type; give its codes as integers, as in "
                        "tensor.view(torch.uint8), and name their format with source=") from None


def _array_of_other(value, source):
    if is_torch(value):
        words = words_of_torch(value)
        return words.view(dtype_of("bf16", 2)) if value.dtype is sys.modules["torch"].bfloat16 else words
    array = numpy.asarray(value)
    return array.astype(numpy.float32) if not hasattr(value, "dtype") and source is None else array


def require_out(out, shape, dtype, **inputs):
    """Refuses what cannot be written into: ValueError, or TypeError for what is no NumPy array.

    shape, dtype: of the result. inputs: the arrays by name that are read while out is written; of C-ordered arrays
    may_share_memory() is exact.
    """
    if not isinstance(out, numpy.ndarray):
        torch = "; of a torch tensor on the CPU give out=tensor.numpy()" if is_torch(out) else ""
        raise TypeError(f"out: is {type(out).__name__}; give a NumPy array{torch}")
    unsigned = _UNSIGNED[dtype.itemsize]
    if out.dtype not in (dtype, unsigned):
        names = dtype.name if dtype == unsigned else f"{dtype.name} or {unsigned.name}"
        raise ValueError(f"out: is an array of {out.dtype.str} ({out.dtype.name}); give one of {names} in the byte order "
                         f"of the machine")
    if out.shape != shape:
        raise ValueError(f"out: has shape {out.shape}; give an array of shape {shape}")
    if not out.flags.c_contiguous:
        raise ValueError("out: its elements do not lie side by side; give a C-ordered array")
    if not out.flags.writeable:
        raise ValueError("out: is read-only; give an array that can be written")
    for name, array in inputs.items():
        if numpy.may_share_memory(out, array):
            raise ValueError(f"out: shares memory with {name}; give an array of its own")


@functools.lru_cache(maxsize=None)
def format_of(dtype, source):
    """The name of the format of codes of a type; `source` where the type alone does not say it."""
    from ._formats import element_info

    found = _FORMATS.get(dtype.name)
    if source is None and found is None:
        raise TypeError(f"an array of {dtype.name} is no array of a format's codes: convert it, or name the format of "
                        f"its codes with source=")
    name = found if source is None else str(source)
    width = element_info(name).storage_bytes
    if dtype.itemsize != width or (dtype.kind not in "ui" and found != name):
        raise TypeError(f"codes of {name} are held in {dtype_of(name, width).name} or {_UNSIGNED[width].name}, "
                        f"not in {dtype.name}")
    return name


def codes_of(value, source=None):
    """(array, format name) of what a user gives."""
    array = array_of(value, source)
    return array, format_of(array.dtype, source)
