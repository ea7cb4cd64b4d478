"""What quantize() returns."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any, ClassVar

import numpy

from . import _native
from ._convert import convert, flag_names
from ._dtypes import bits_of
from ._formats import BlockFormat, ElementFormat, block_format, element_format
from ._hadamard import transformed
from ._homes import NUMPY, Home
from ._layouts import Layouts
from ._library import LIBRARY, encoded
from ._plans import BlockPlan, Level, plan_from
from ._policies import Policy

if TYPE_CHECKING:
    from ._types import Array, FormatLike

_ONE_LEVEL = numpy.float32(1)


class Quantized(Layouts):
    """An array in blocks: codes that share scales.

    `numpy.asarray(q)` is q.dequantize(): what the codes mean, as float32. Arrays are torch tensors where quantize() was
    given one, else NumPy arrays.
    """

    __slots__ = ("_axis", "_codes", "_flags", "_hadamard", "_home", "_level", "_plan", "_quantizer", "_scales")

    def __init__(self, codes: Array, scales: Array, plan: BlockPlan, axis: int, flags: int,
                 quantizer: _native.Quantizer, level: Level, hadamard: tuple[int, str] | None = None,
                 home: Home = NUMPY) -> None:
        """Made by quantize() and the functions that read one. codes, scales: NumPy arrays; flags: a word; quantizer: the
        plan's at the level of the tensor."""
        self._codes = codes
        self._scales = scales
        self._plan = plan
        self._axis = axis
        self._flags = flags
        self._quantizer = quantizer
        self._level = level
        self._hadamard = hadamard
        self._home = home

    @property
    def codes(self) -> Any:
        """Element codes, of the array's shape."""
        return self._home.give(self._codes, self.format.element.name)

    @property
    def scales(self) -> Any:
        """Scale codes; where the axis has n elements there are ceil(n / block_size) of them."""
        return self._home.give(self._scales, self.format.scale)

    @property
    def format(self) -> BlockFormat:
        """The format of the blocks."""
        return self._plan.format

    @property
    def policy(self) -> Policy:
        """The policy that chose the codes."""
        return self._plan.policy

    @property
    def axis(self) -> int:
        """The axis that blocks lie along, counted from 0."""
        return self._axis

    @property
    def tensor_scale(self) -> numpy.float32:
        """The scale of the whole tensor; 1 where the format has one level."""
        return scale_of(self._level)

    @property
    def flags(self) -> frozenset[str]:
        """What happened on the way: "inexact", "scale_clamped", "has_nan", ..."""
        return flag_names(self._flags)

    @property
    def hadamard(self) -> tuple[int, str] | None:
        """The Hadamard transform that the values are under, (mask, "first" or "last"); None: none."""
        return self._hadamard

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return self._codes.shape

    @property
    def code_bits(self) -> Any:
        """The element codes as unsigned integers, sharing memory."""
        return self._home.give_bits(self._codes)

    @property
    def scale_bits(self) -> Any:
        """The scale codes as unsigned integers, sharing memory."""
        return self._home.give_bits(self._scales)

    def dequantize(self, output: FormatLike = "fp32", *, undo_hadamard: bool = False) -> Any:
        """The values: an array of codes of `output`, float32 by default. They are under the Hadamard transform that
        quantize() was given, unless it is undone: in binary32, rounded once more to `output`."""
        destination = element_format(output)
        values = self._plain(destination) if not undo_hadamard else self._untransformed(destination)
        return self._home.give(values, destination.name)

    def _plain(self, destination: ElementFormat) -> Array:
        return values_of(self._quantizer, self._codes, self._scales, self._axis, destination)

    def _untransformed(self, destination: ElementFormat) -> Array:
        if self._hadamard is None:
            raise ValueError("undo_hadamard: the values are under no transform")
        mask, signs = self._hadamard
        back = transformed(self._plain(element_format("fp32")), "fp32", mask, "last" if signs == "first" else "first",
                           self._axis)
        if destination.name == "fp32":
            return back
        if dict(self.policy.options).get("dequant_overflow", "inf") != "inf":
            raise ValueError(f"undo_hadamard to {destination}: dequant_overflow=inf only")
        return convert(back, destination, "overflow=none_inf_or_nan")

    def __eq__(self, other: object) -> bool:
        """Are all bits of both the same, and what they mean?"""
        if not isinstance(other, Quantized):
            return NotImplemented
        return (self._facts() == other._facts() and numpy.array_equal(bits_of(self._codes), bits_of(other._codes))
                and numpy.array_equal(bits_of(self._scales), bits_of(other._scales)))

    __hash__: ClassVar[None]  # type: ignore[assignment]

    def _facts(self) -> tuple[Any, ...]:
        return (self.format, self.policy, self._axis, self._level, self._flags, self._hadamard, self._plan.source)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        values = self._plain(element_format("fp32"))
        return values if dtype is None else values.astype(dtype)

    def __dlpack__(self, **options: Any) -> Any:
        """The values, as numpy.asarray() gives them."""
        return self.__array__().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0

    def __reduce__(self) -> tuple[Any, ...]:
        return restored, (self._codes, self._scales, str(self.format), self._plan.source, str(self.policy), self._axis,
                           self._level, self._flags, self._hadamard)

    def __repr__(self) -> str:
        chosen = f", policy={str(self.policy)!r}" if self.policy else ""
        level = f", tensor_scale={self.tensor_scale!r}" if self.format.two_level else ""
        return (f"<mxgold.Quantized {self.format} of shape {self.shape}, {self._scales.size} scales along axis "
                f"{self._axis}{level}{chosen}>")

    def _repr_html_(self) -> str:
        facts = [("format", self.format), ("shape", self.shape), ("axis", self._axis),
                 ("policy", self.policy or "default"), ("scales", self._scales.shape),
                 ("tensor scale", self.tensor_scale if self.format.two_level else "none"),
                 ("flags", ", ".join(sorted(self.flags)) or "none")]
        rows = "".join(f"<tr><th style='text-align:left'>{name}</th><td>{html.escape(str(value))}</td></tr>"
                       for name, value in facts)
        digits = max(1, -(-self.format.element.bits // 4))
        shown = " ".join(f"{int(code):0{digits}X}" for code in bits_of(self._codes).ravel()[:32])
        more = " ..." if self._codes.size > 32 else ""
        return f"<table>{rows}<tr><th>codes</th><td><code>{shown}{more}</code></td></tr></table>"


def scale_of(level: Level) -> numpy.float32:
    """The scale of a tensor's level."""
    return _ONE_LEVEL if level is None else numpy.float32(numpy.array(level[1], numpy.uint32).view(numpy.float32))


def restored(codes: Array, scales: Array, format: str, source: str, policy: str | Policy, axis: int, level: Level,
             flags: int, transform: tuple[int, str] | None = None, home: Home = NUMPY) -> Quantized:
    """What was pickled, or stood in a file."""
    plan = plan_from(source, block_format(format), policy)
    quantizer = plan.quantizer if level is None else plan.quantizer.at_level(*level)
    return Quantized(codes, scales, plan, axis, flags, quantizer, level, transform, home)


def moved(q: Quantized, axis: int) -> Quantized:
    """A Quantized with the axis of its blocks at another place."""
    def move(array: Array) -> Array:
        return numpy.ascontiguousarray(numpy.moveaxis(array, q.axis, axis))

    # One scale for the whole tensor lies along no axis.
    scales = q._scales if q.format.extent == "tensor" else move(q._scales)
    return Quantized(move(q._codes), scales, q._plan, axis, q._flags, q._quantizer, q._level, q._hadamard, q._home)


def values_of(quantizer: _native.Quantizer, codes: Array, scales: Array, axis: int, destination: ElementFormat) -> Array:
    """The values of codes and scales, as codes of a format."""
    values = numpy.empty(codes.shape, destination.dtype)
    _native.require(LIBRARY.mxgold_dequantize_tensor(
        quantizer.pointer, _native.shape_of(codes.shape), codes.ndim, axis, _native.address(codes), codes.nbytes,
        _native.address(scales), scales.nbytes, encoded(destination.name), _native.address(values), values.nbytes))
    return values
