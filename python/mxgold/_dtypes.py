"""Formats and the NumPy types that hold their codes.

A format that NumPy or an installed ml_dtypes has a type for is held in that type (float32, bfloat16, float8_e4m3fn,
...); any other in unsigned integers, a code a word in the low bits.
"""

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


def bits(array):
    """The codes of an array as unsigned integers, sharing its memory.

    array: codes in any type, for example float8_e4m3fn or float32. Returns uint8, uint16, uint32 or uint64 of the
    same shape.

    >>> mxgold.bits(numpy.float32([1.0]))
    array([1065353216], dtype=uint32)
    """
    array = numpy.asarray(array)
    return array.view(_UNSIGNED[array.dtype.itemsize])


def codes_of(value, source=None):
    """(array, format name) of what a user gives: C-ordered words, without a copy where that can be.

    `source` names the format where the type alone does not (codes in integers). Python numbers and lists become
    float32. torch tensors on the CPU share their memory.
    """
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        value = value.detach().cpu().contiguous()
        if value.dtype is torch.bfloat16:
            return _checked(value.view(torch.int16).numpy().view(numpy.uint16), source or "bf16", "bfloat16")
        value = value.numpy()
    array = value if isinstance(value, numpy.ndarray) else numpy.asarray(value)
    if not hasattr(value, "dtype") and source is None:
        array = array.astype(numpy.float32)
    found = _FORMATS.get(array.dtype.name)
    if source is None and found is None:
        raise TypeError(f"an array of {array.dtype.name} is no array of a format's codes: convert it, or name the "
                        f"format of its codes with source=")
    return _checked(array, source or found, array.dtype.name)


def _checked(array, name, dtype):
    from ._formats import element_info

    width = element_info(name).storage_bytes
    if array.dtype.itemsize != width or (array.dtype.kind not in "ui" and _FORMATS.get(dtype) != name):
        raise TypeError(f"codes of {name} are held in {dtype_of(name, width).name} or {_UNSIGNED[width].name}, "
                        f"not in {dtype}")
    if not array.flags.c_contiguous or array.dtype.byteorder == ">":
        array = numpy.array(array, dtype=array.dtype.newbyteorder("<"), order="C")
    return array, name
