"""How arrays are quantized: the quantizer of a configuration, and the level of its tensor."""

from __future__ import annotations

import ctypes
import functools
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

import numpy

from . import _native
from ._convert import binary32
from ._dtypes import format_of
from ._formats import BlockFormat
from ._library import LIBRARY
from ._policies import Policy, policy as make_policy

if TYPE_CHECKING:
    from ._types import Array

_ONE = 0x3F800000

#: The binary32 patterns of a tensor's largest magnitude and its scale; None where the format has one level.
Level = Optional["tuple[int, int]"]


class BlockPlan(NamedTuple):
    """How arrays of one type are quantized; before the level of a tensor is known."""

    quantizer: _native.Quantizer
    format: BlockFormat
    policy: Policy
    #: The name of the source's format.
    source: str


@functools.lru_cache(maxsize=1024)
def plan_from(source: str, block: BlockFormat, policy: str | Policy, backend: str = "auto") -> BlockPlan:
    """The plan of codes of a format."""
    chosen = make_policy(policy)
    quantizer = _native.quantizer(source, block.name, _native.computed_by(backend, chosen.options))
    return BlockPlan(quantizer, BlockFormat(block.name, quantizer.info()) if chosen else block, chosen, source)


@functools.lru_cache(maxsize=1024)
def plan_of(dtype: numpy.dtype[Any], block: BlockFormat, policy: str | Policy, source: str | None,
            backend: str = "auto") -> BlockPlan:
    """The plan of arrays of a type."""
    return plan_from(format_of(dtype, source), block, policy, backend)


def axis_of(axis: int, shape: tuple[int, ...]) -> int:
    """An axis counted from 0; ValueError where there is none."""
    axis, dimensions = _native.index("axis", axis), max(len(shape), 1)
    if not -dimensions <= axis < dimensions:
        raise ValueError(f"axis {axis} is out of range for {dimensions} dimensions")
    return axis % dimensions


def _level_of(quantizer: _native.Quantizer, words: Array) -> _native.Level:
    level = _native.Level(0, _ONE)
    try:
        _native.require(LIBRARY.mxgold_find_tensor_level(quantizer.pointer, _native.address(words), words.nbytes,
                                                         ctypes.byref(level)))
    except ValueError:  # the library has no words for it
        raise ValueError("the profile does not model the level of a tensor that holds an infinity or a NaN; "
                         "give tensor_amax or tensor_scale") from None
    return level


def leveled(quantizer: _native.Quantizer, format: BlockFormat, words: Array | None, tensor_scale: float | None,
            tensor_amax: float | None) -> tuple[_native.Quantizer, Level]:
    """The quantizer at the level of its tensor, found or given; and the level."""
    given = [(name, value) for name, value in (("tensor_scale", tensor_scale), ("tensor_amax", tensor_amax))
             if value is not None]
    if not format.two_level:
        for name, _ in given:
            raise ValueError(f"{name}: {format} has no scale of the whole tensor; nvfp4 is a format that has one")
        return quantizer, None
    if len(given) > 1:
        raise ValueError("tensor_scale and tensor_amax exclude each other")
    if tensor_scale is not None:
        level = _native.Level(0, binary32("tensor_scale", tensor_scale))
    else:
        if tensor_amax is not None:
            words = numpy.array([binary32("tensor_amax", tensor_amax)], numpy.uint32)
        assert words is not None
        level = _level_of(quantizer, words)
    found = (level.amax, level.scale)
    try:
        return quantizer.at_level(*found), found
    except ValueError:  # the library has no words for it
        scale, amax = (float(word) for word in numpy.array([level.scale, level.amax], numpy.uint32).view(numpy.float32))
        raise ValueError(f"tensor scale {scale} from maximum {amax}: the rule of {format} takes none that is 0") from None


def at_level_of(plan: BlockPlan, words: Array, tensor_scale: float | None,
                tensor_amax: float | None) -> tuple[_native.Quantizer, Level]:
    """The plan's quantizer at the level of an array, or at the one that is given; and the level."""
    if tensor_amax is not None and plan.source != "fp32":
        raise ValueError("tensor_amax goes with float32 arrays; give tensor_scale, or the array as float32")
    takes = (tensor_scale is None or not plan.format.two_level
             or LIBRARY.mxgold_takes_tensor_scale(plan.quantizer.pointer))
    if not takes:
        raise ValueError("tensor_scale: the rule does not take one, it begins with the maximum; give tensor_amax")
    return leveled(plan.quantizer, plan.format, words, tensor_scale, tensor_amax)
