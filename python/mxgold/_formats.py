"""Formats as objects."""

from __future__ import annotations

import ctypes
import functools
import html
from typing import Any

import numpy

from . import _native
from ._dtypes import dtype_of, unsigned_of
from ._library import LIBRARY, encoded


@functools.lru_cache(maxsize=None)
def element_info(name):
    """Width and largest code of an element format; ValueError where there is none of that name."""
    info = _native.FormatInfo()
    if LIBRARY.mxgold_format(encoded(name), ctypes.byref(info)) != 0:
        if name in _native.names("named_only"):
            _refuse_named_only(name)
        raise _native.unknown("format", name, _native.names("formats") + _native.names("blocks"))
    return info


def _refuse_named_only(name):
    try:
        _native.quantizer("fp32", name, ())
    except ValueError as error:
        raise ValueError(f"{error}; mxgold.formats('blocks') are those that are defined") from None


class ElementFormat:
    """A format of single values: what each code means.

    `str(f)` is the name that `mxgold.format` takes. `f.values()` is the value of every code.

    >>> f = mxgold.format("e4m3fn")
    >>> f.bits, f.max
    (8, 448.0)
    """

    def __init__(self, name: str) -> None:
        info = element_info(name)
        self.name: str = name
        #: Significant bits of a code.
        self.bits: int = info.bits
        #: Bytes of a stored code: 1, 2, 4 or 8.
        self.storage_bytes: int = info.storage_bytes
        #: Magnitude code of the largest finite value.
        self.max_code: int = info.max_code

    @functools.cached_property
    def dtype(self) -> numpy.dtype:
        """The NumPy type of arrays of codes: the format's own where NumPy or ml_dtypes has it, else unsigned."""
        return dtype_of(self.name, self.storage_bytes)

    @property
    def max(self) -> float:
        """The largest finite value, as a float."""
        return float(self._decode(numpy.array([self.max_code], unsigned_of(self.storage_bytes)))[0])

    def values(self) -> numpy.ndarray:
        """The value of every code, a float64 array of 2**bits elements; formats of up to 16 bits."""
        if self.bits > 16:
            raise ValueError(f"{self.name} has {self.bits} bits: too many codes to list; convert() decodes yours")
        return self._decode(numpy.arange(1 << self.bits).astype(unsigned_of(self.storage_bytes)))

    def _decode(self, codes):
        from ._convert import convert

        return convert(codes, "fp64", source=self.name)

    @property
    def facts(self) -> dict:
        """Every derived fact as a dict: exponent and significand bits, bias, smallest values, special codes, ..."""
        from ._answers import facts

        return facts("formats", self.name)

    def __str__(self) -> str:
        return self.name

    def __repr__(self):
        return f"mxgold.format({self.name!r})"

    def __eq__(self, other):
        return type(other) is type(self) and other.name == self.name

    def __hash__(self):
        return hash(self.name)

    def __reduce__(self):
        return format, (self.name,)

    def _repr_html_(self) -> str:
        return _fact_table(self.name, self.facts)


class BlockFormat:
    """A format of blocks: elements that share a scale.

    >>> f = mxgold.format("nvfp4")
    >>> f.element.name, f.scale, f.block_size, f.two_level
    ('e2m1fn', 'ue4m3', 16, True)
    """

    def __init__(self, name: str, info=None) -> None:
        if info is None:
            info = _native.quantizer("fp32", name, ()).info()
        self.name: str = name
        self._scale_shapes = functools.lru_cache(maxsize=256)(self._scale_shape)
        #: The element format.
        self.element: ElementFormat = ElementFormat(info.element.decode())
        #: The name of the scale's format.
        self.scale: str = info.scale.decode()
        #: How far a block reaches: "elements" (block_size of them), "axis" or "tensor".
        self.extent: str = info.extent.decode()
        #: Elements of a whole block along the axis; None where a block reaches further.
        self.block_size: int | None = info.block_size if self.extent == "elements" else None
        #: Lines of a two-dimensional tile, along the dimension before the axis; 1 otherwise.
        self.tile_lines: int = info.tile_lines
        #: Significant bits of a block's scale code, bits of sublevels included.
        self.scale_bits: int = info.scale_bits
        #: Bytes of a stored scale code.
        self.scale_bytes: int = info.scale_bytes
        #: Does a binary32 scale of the whole tensor stand above the blocks' scales?
        self.two_level: bool = info.tensor_scale != b"none"

    @functools.cached_property
    def scale_dtype(self) -> numpy.dtype:
        """The NumPy type of arrays of scale codes."""
        has_format = self.scale in _native.names("formats") and element_info(self.scale).bits == self.scale_bits
        return dtype_of(self.scale, self.scale_bytes) if has_format else unsigned_of(self.scale_bytes)

    def scale_shape(self, shape: tuple[int, ...], axis: int = -1) -> tuple[int, ...]:
        """The shape of the scales of an array of `shape` in blocks along `axis`."""
        return self._scale_shapes(tuple(shape), _native.index("axis", axis))

    def _scale_shape(self, shape, axis):
        shape = list(shape) or [1]
        if self.extent == "tensor":
            return (1,)
        if not -len(shape) <= axis < len(shape):
            raise ValueError(f"axis {axis} is out of range for {len(shape)} dimensions")
        axis %= len(shape)
        if self.extent == "axis":
            shape[axis] = min(shape[axis], 1)
        else:
            shape[axis] = -(-shape[axis] // self.block_size)
        if self.tile_lines > 1 and axis > 0:
            shape[axis - 1] = -(-shape[axis - 1] // self.tile_lines)
        return tuple(shape)

    @property
    def facts(self) -> dict:
        """Every derived fact as a dict: rule, bits per element, the facts of element and scale, ..."""
        from ._answers import facts

        return facts("blocks", self.name)

    def __str__(self) -> str:
        return self.name

    def __repr__(self):
        return f"mxgold.format({self.name!r})"

    def __eq__(self, other):
        return type(other) is type(self) and (other.name, other.block_size) == (self.name, self.block_size)

    def __hash__(self):
        return hash(self.name)

    def __reduce__(self):
        return _resized, (self.name, self.block_size)

    def _repr_html_(self) -> str:
        return _fact_table(self.name, self.facts)


def _fact_table(title, facts):
    def cell(value):
        if isinstance(value, dict):
            return "; ".join(f"{k} {cell(v)}" for k, v in value.items() if not isinstance(v, (dict, list)))
        if isinstance(value, list):
            return ", ".join(cell(each) for each in value)
        return html.escape(str(value))

    rows = "".join(f"<tr><th style='text-align:left'>{html.escape(key)}</th><td>{cell(value)}</td></tr>"
                   for key, value in facts.items())
    return f"<table><caption>{html.escape(title)}</caption>{rows}</table>"


def _resized(name, block_size):
    """A block format of another block size than its own."""
    options = () if block_size is None else (("block_size", str(block_size)),)
    return BlockFormat(name, _native.quantizer("fp32", name, options).info())


@functools.lru_cache(maxsize=None)
def _named(name):
    if name in _native.names("blocks"):
        return BlockFormat(name)
    return ElementFormat(name)


def format(name: str | ElementFormat | BlockFormat) -> Any:
    """The format of a name: an ElementFormat ("e4m3fn") or a BlockFormat ("mxfp8_e4m3").

    Names are those of `mxgold.formats()`, or of a family: "e5m10", "int12", "fixed16.8", "binary8p4se". A format
    prints as its name and may be given wherever a name may. ValueError for an unknown name.

    >>> mxgold.format("mxfp8_e4m3").block_size
    32
    """
    return name if isinstance(name, (ElementFormat, BlockFormat)) else _named(str(name))


def element_format(name: str | ElementFormat) -> ElementFormat:
    """The same, of single values only."""
    found = format(name)
    if not isinstance(found, ElementFormat):
        raise ValueError(f"{found} is a format of blocks; its elements are {found.element}")
    return found


def block_format(name: str | BlockFormat) -> BlockFormat:
    """The same, of blocks only."""
    found = format(name)
    if not isinstance(found, BlockFormat):
        raise ValueError(f"{found} is a format of single values; convert() takes it, "
                         "and mxgold.formats('blocks') are formats of blocks")
    return found


def formats(kind: str = "all") -> list[str]:
    """The names of the formats: kind "elements" (families have more), "blocks" or "all"."""
    lists = {"elements": ["formats"], "blocks": ["blocks"], "all": ["formats", "blocks"]}
    if kind not in lists:
        raise ValueError(f"kind {kind!r} is none of {', '.join(lists)}")
    return [name for listed in lists[kind] for name in _native.names(listed)]
