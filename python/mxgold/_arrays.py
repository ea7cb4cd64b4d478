"""NumPy arrays and torch tensors as words of a type, and back. torch is never imported unless a tensor was given."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy

from ._torch import is_torch as is_torch, words_of_torch

if TYPE_CHECKING:
    from ._types import Array

_KINDS = {numpy.dtype(name): kind for name, kind in (
    ("float32", "fp32"), ("float16", "fp16"), ("float64", "fp64"), ("uint8", "uint8"), ("int8", "int8"),
    ("int32", "int32"), ("int64", "int64"))}


def _kind_of(dtype: numpy.dtype[Any]) -> str | None:
    kind = _KINDS.get(dtype)  # by its name a dtype is found ten times as slowly
    if kind is None and dtype.name == "bfloat16":
        return "bf16"
    return kind or _KINDS.get(dtype.newbyteorder("="))


def to_words(value: Any) -> tuple[Array, str]:
    """(words, type) of an array, a torch tensor or a number; words share memory where they can.

    Python numbers and lists become float32. bfloat16 comes as uint16.
    """
    if is_torch(value):
        array = words_of_torch(value)
        if value.dtype is sys.modules["torch"].bfloat16:
            return array, "bf16"
    else:
        array = numpy.asarray(value)
        if not hasattr(value, "dtype"):
            array = array.astype(numpy.float32)
    kind = _kind_of(array.dtype)
    if kind is None:
        known = ", ".join(["bfloat16", *(dtype.name for dtype in _KINDS)])
        raise TypeError(f"arrays of {array.dtype.name} are not supported; one of {known} is")
    if not array.flags.c_contiguous or array.dtype.byteorder == ">":
        array = numpy.array(array, dtype=array.dtype.newbyteorder("<"), order="C")
    return (array.view(numpy.uint16) if kind == "bf16" else array), kind


def random_words(random: Any) -> Array:
    """The words of a `random=` argument, in C order."""
    words = numpy.asarray(random)
    if words.dtype != numpy.uint32 and words.size:
        if words.dtype.kind not in "iu" or not 0 <= int(words.min()) <= int(words.max()) < 1 << 32:
            raise ValueError("random: a word is a whole number of 0 to 2^32 - 1")
    return numpy.ascontiguousarray(words, dtype=numpy.uint32).reshape(-1)


def from_words(words: Array, kind: str, like: Any) -> Any:
    """Words of a type as what `like` is: a torch tensor (on its device) or a NumPy array."""
    if is_torch(like):
        torch = sys.modules["torch"]
        if not words.flags.writeable:
            words = words.copy()
        if kind == "bf16":
            return torch.from_numpy(words.view(numpy.int16)).view(torch.bfloat16).to(like.device)
        return torch.from_numpy(words).to(like.device)
    if kind == "bf16":
        import ml_dtypes

        return words.view(ml_dtypes.bfloat16)
    return words
