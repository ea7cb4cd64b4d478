"""Formats and the types that hold their codes: NumPy's, ml_dtypes', torch's.

A format that NumPy or an installed ml_dtypes has a type for is held in that type (float32, bfloat16, float8_e4m3fn,
...); any other in unsigned integers, a code a word in the low bits.
"""

from __future__ import annotations

import functools
import types
from typing import TYPE_CHECKING, Any

import numpy

if TYPE_CHECKING:
    from ._types import Array

_NATIVE: dict[str, type[numpy.generic]] = {"fp64": numpy.float64, "fp32": numpy.float32, "fp16": numpy.float16}
_ML_DTYPES = {"bf16": "bfloat16", "e4m3fn": "float8_e4m3fn", "e5m2": "float8_e5m2", "e4m3": "float8_e4m3",
              "e3m4": "float8_e3m4", "e4m3fnuz": "float8_e4m3fnuz", "e5m2fnuz": "float8_e5m2fnuz",
              "e4m3b11fnuz": "float8_e4m3b11fnuz", "e8m0": "float8_e8m0fnu", "e2m3fn": "float6_e2m3fn",
              "e3m2fn": "float6_e3m2fn", "e2m1fn": "float4_e2m1fn"}
_FORMATS = {numpy.dtype(dtype).name: name for name, dtype in _NATIVE.items()}
_FORMATS.update((dtype, name) for name, dtype in _ML_DTYPES.items())
_UNSIGNED: dict[int, numpy.dtype[Any]] = {1: numpy.dtype("u1"), 2: numpy.dtype("<u2"), 4: numpy.dtype("<u4"), 8: numpy.dtype("<u8")}


@functools.lru_cache(maxsize=1)
def _ml_dtypes() -> types.ModuleType | None:
    try:
        import ml_dtypes
    except ImportError:
        return None
    return ml_dtypes


@functools.lru_cache(maxsize=None)
def dtype_of(name: str, storage_bytes: int) -> numpy.dtype[Any]:
    """The type of arrays of codes of a format."""
    if name in _NATIVE:
        return numpy.dtype(_NATIVE[name])
    if name in _ML_DTYPES and _ml_dtypes() is not None:
        found = getattr(_ml_dtypes(), _ML_DTYPES[name], None)
        if found is not None:
            made: numpy.dtype[Any] = numpy.dtype(found)
            return made
    return _UNSIGNED[storage_bytes]


def unsigned_of(storage_bytes: int) -> numpy.dtype[Any]:
    """The unsigned integers of a width in bytes."""
    return _UNSIGNED[storage_bytes]


def elsewhere(name: str) -> str:
    """What NumPy, ml_dtypes and torch call a format: "float8_e4m3fn" for "e4m3fn"; "" where they have none."""
    return numpy.dtype(_NATIVE[name]).name if name in _NATIVE else _ML_DTYPES.get(name, "")


def name_of_type(value: Any) -> str:
    """What a type of NumPy, ml_dtypes, JAX or torch is called, for the format of that name; TypeError for anything else."""
    kind = type(value)
    if kind.__module__ == "torch" and kind.__name__ == "dtype":
        return str(value)
    held = getattr(value, "dtype", None)
    found: numpy.dtype[Any]
    if isinstance(value, numpy.dtype):
        found = value
    elif isinstance(value, type) and issubclass(value, numpy.generic):
        found = numpy.dtype(value)
    elif isinstance(value, type) and isinstance(held, numpy.dtype):
        found = held
    else:
        raise TypeError(f"format: a name, a format or a type of NumPy, ml_dtypes or torch, not {kind.__name__}")
    if found.kind in "iu":
        whole = f"{'u' if found.kind == 'u' else ''}fixed{8 * found.itemsize}.0"
        raise TypeError(f"format: {found.name} is a type of integers; name the format that is meant: '{found.name}' (MX, "
                        f"step 2^-{8 * found.itemsize - 2}) or '{whole}'")
    return found.name


def bits_of(array: Array) -> Array:
    """The codes of an array as unsigned integers, sharing its memory."""
    found = None if array.dtype.kind in "bOSU" else _UNSIGNED.get(array.dtype.itemsize)
    if found is None:
        raise TypeError(f"bits: an array of codes, not of {array.dtype.name}")
    words: Array = array.view(found)
    return words


@functools.lru_cache(maxsize=None)
def format_of(dtype: numpy.dtype[Any], source: str | None) -> str:
    """The name of the format of codes of a type; `source` where the type alone does not say it."""
    from ._formats import element_info

    found = _FORMATS.get(dtype.name)
    if source is None:
        if found is None:
            raise TypeError(f"an array of {dtype.name} is no array of a format's codes: of numbers, give "
                            f".astype(numpy.float32); of codes, name their format with source=")
        return found
    width = element_info(source).storage_bytes
    if dtype.itemsize != width or (dtype.kind not in "ui" and found != source):
        raise TypeError(f"codes of {source} are held in {dtype_of(source, width).name} or {_UNSIGNED[width].name}, "
                        f"not in {dtype.name}")
    return source
