"""Encodings as JSON text. What is read is untrusted: every fault is a ValueError."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy

if TYPE_CHECKING:
    from .._types import Array

_BITS = {"exponent_bits": 8, "mantissa_bits": 23}
_FLAGS = ("finite", "unsigned_zero")
_KEYS = ("mapping", *_BITS, *_FLAGS, "scale", "block_size")
_MOST_DIMENSIONS = 8
_LARGEST = float(numpy.finfo(numpy.float32).max)


def write(type_facts: tuple[int, int, bool, bool], scale: Array, block_size: tuple[int, ...] | None) -> str:
    """The text of an encoding. type_facts: (exponent_bits, mantissa_bits, finite, unsigned_zero); scale: an array."""
    facts = dict(zip((*_BITS, *_FLAGS), type_facts))
    return json.dumps({"mapping": "float", **facts, "scale": scale.astype(numpy.float64).tolist(),
                       "block_size": block_size})


def read(text: str | bytes) -> tuple[tuple[int, int, bool, bool], Array, tuple[int, ...] | None]:
    """((exponent_bits, mantissa_bits, finite, unsigned_zero), scale, block_size) of write()'s text.

    scale: a float32 array. block_size: a tuple or None. ValueError, and nothing else, for any other text.
    """
    try:
        facts = json.loads(text, object_pairs_hook=_object)
    except RecursionError:
        raise ValueError("an encoding is a flat object; this one is nested too deeply") from None
    if not isinstance(facts, dict):
        raise ValueError("an encoding is an object")
    for key in _KEYS:
        if key not in facts:
            raise ValueError(f"{key} is missing")
    if facts["mapping"] != "float":
        raise ValueError('mapping is not "float"')
    for key, most in _BITS.items():
        if type(facts[key]) is not int or not 0 <= facts[key] <= most:
            raise ValueError(f"{key} is no integer of 0 to {most}")
    for key in _FLAGS:
        if type(facts[key]) is not bool:
            raise ValueError(f"{key} is neither true nor false")
    _shape_of(facts["scale"], _MOST_DIMENSIONS)
    exponent_bits, mantissa_bits, finite, unsigned_zero = (facts[key] for key in (*_BITS, *_FLAGS))
    return ((exponent_bits, mantissa_bits, finite, unsigned_zero), numpy.asarray(facts["scale"], dtype=numpy.float32),
            _block_size(facts["block_size"]))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs) or not made.keys() <= set(_KEYS):
        raise ValueError(f"the keys of an encoding are {', '.join(_KEYS)}, each once")
    return made


def _shape_of(value: Any, depth: int) -> tuple[int, ...]:
    """The shape of nested lists of numbers that binary32 holds, or rounds to finite ones."""
    if type(value) is list:
        shapes = {_shape_of(each, depth - 1) for each in value} if depth > 0 else set()
        if len(shapes) != 1:
            raise ValueError(f"scale is no array of 1 to {_MOST_DIMENSIONS} dimensions with an element")
        return len(value), *shapes.pop()
    if type(value) not in (int, float) or _LARGEST < abs(value) != float("inf"):
        raise ValueError("scale holds something that is no number of float32")
    return ()


def _block_size(sizes: Any) -> tuple[int, ...] | None:
    if sizes is None:
        return None
    if type(sizes) is not list or not all(type(size) is int and (size == -1 or 0 < size < 1 << 63) for size in sizes):
        raise ValueError("block_size is neither null nor a list of sizes, -1 or positive")
    return tuple(sizes) or None
