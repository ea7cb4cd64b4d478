"""Hadamard transforms of groups of 16."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy

from . import _native
from ._dtypes import format_of
from ._homes import taken
from ._library import LIBRARY, encoded
from ._plans import axis_of

if TYPE_CHECKING:
    from ._types import Array, FormatLike


def hadamard(x: Any, mask: int, *, signs: str = "first", axis: int = -1, source: FormatLike | None = None) -> Any:
    """Hadamard transforms of groups of 16 along an axis, in float32 and one defined order of additions (spec F25).

    x: array of float32, float16, bfloat16 (or codes with `source`); the axis has a multiple of 16 elements.
    mask: 16 bits; bit i set changes the sign of element i of each group.
    signs: "first", H D x / 4, or "last", D H x / 4; with the same mask each undoes the other but for roundings.

    Returns float32 of the shape of x, a tensor where x is one, else a NumPy array. ValueError for another type, length or
    order.

    >>> mxgold.hadamard(numpy.eye(1, 16, dtype=numpy.float32), 0)[0, :4]
    array([0.25, 0.25, 0.25, 0.25], dtype=float32)
    """
    words, name, home = taken(x, source)
    return home.give(transformed(words, name, _native.whole("mask", mask, 16), signs, axis), "fp32")


def transformed(words: Array, source: str | None, mask: int, signs: str, axis: int) -> Array:
    """The same of words; a mask of 16 bits."""
    name = format_of(words.dtype, source)
    axis = axis_of(axis, words.shape)
    if signs not in ("first", "last"):
        raise ValueError(f"signs {signs!r}: first or last")
    if name not in ("fp32", "bf16", "fp16"):
        raise ValueError(f"a Hadamard transform takes fp32, bf16 and fp16, not {name}")
    length = words.shape[axis] if words.shape else 1
    if length % 16 != 0:
        raise ValueError(f"a Hadamard transform takes groups of 16, and axis {axis} has {length} elements")
    values = numpy.empty(words.shape, numpy.float32)
    _native.require(LIBRARY.mxgold_hadamard_tensor(
        encoded(name), _native.shape_of(words.shape), len(words.shape), axis, mask, int(signs == "last"),
        _native.address(words), words.nbytes, _native.address(values), values.nbytes))
    return values
