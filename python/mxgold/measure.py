"""How far values moved when they were quantized: SQNR, ulp, saturated, flushed.

    q = mxgold.quantize(x, "mxfp4")
    mxgold.measure.sqnr(x, q), mxgold.measure.max_ulp(x, q)
    mxgold.measure.errors(x, q)                                       # all of them, a table in a notebook

x is what was quantized, y what became of it: a Quantized, or an array of codes (with `format` where its type does not
say it). Both are read as float64, in which the values of every format up to fp32 and of every block are exact. Elements
that are no finite numbers on either side are left out, and counted.
"""

from __future__ import annotations

import dataclasses
import functools
import html
from typing import TYPE_CHECKING, Any

import numpy

from ._convert import convert
from ._formats import ElementFormat, element_format
from ._homes import codes_of, taken
from ._quantized import Quantized, values_of

if TYPE_CHECKING:
    from ._types import Array, FormatLike

__all__ = ["Errors", "errors", "flushed", "max_ulp", "saturated", "sqnr"]


@dataclasses.dataclass(frozen=True)
class Errors:
    """Every measure of one array. `print(e)` for people, a table in a notebook."""

    #: Elements that were measured: finite on both sides.
    elements: int
    #: Elements that were not.
    left_out: int
    #: Signal to quantization noise ratio in dB: 10 log10 of the sum of x^2 over that of (x - y)^2. Infinite where nothing
    #: moved, NaN where x is all zero.
    sqnr: float
    #: The mean of (x - y)^2.
    mse: float
    #: The largest |x - y|.
    max_error: float
    #: The same in ulp: spacings of the format about x.
    max_ulp: float
    #: The mean of y - x.
    bias: float
    #: Elements that did not move.
    exact: int
    #: Elements that became the largest magnitude of the format, and lost magnitude.
    saturated: int
    #: Elements other than zero that became zero.
    flushed: int

    def __str__(self) -> str:
        return "\n".join(f"{name:<10} {_shown(value)}" for name, value in dataclasses.asdict(self).items())

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><th style='text-align:left'>{html.escape(name.replace('_', ' '))}</th>"
                       f"<td>{html.escape(_shown(value))}</td></tr>" for name, value in dataclasses.asdict(self).items())
        return f"<table>{rows}</table>"


def _shown(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.6g}"


@dataclasses.dataclass(frozen=True)
class _Pair:
    """What both sides are in float64, the finite elements alone, with the scale of each element."""

    x: Array
    y: Array
    scale: Array
    element: ElementFormat
    left_out: int


def _scales_of(q: Quantized) -> Array:
    """What the value 1 of each element is worth: the scale of its block, that of the whole tensor included."""
    element, double = q.format.element, element_format("fp64")
    one = convert(numpy.ones(1), element, overflow="sat_finite")
    worth = float(convert(one, double, source=element)[0])
    alike = numpy.empty_like(q._codes)
    alike[...] = one[0]
    found: Array = values_of(q._quantizer, alike, q._scales, q.axis, double) / worth
    return found


def _pair_of(x: Any, y: Any, format: FormatLike | None) -> _Pair:
    words, name = codes_of(x)
    source = convert(words, "fp64", source=name)
    if isinstance(y, Quantized):
        if format is not None:
            raise ValueError("format: goes with an array of codes, not with a Quantized, which says it itself")
        if y.hadamard is not None:
            raise ValueError("y: its values are under a Hadamard transform; give x transformed, and y made of that")
        values, element, scale = y.dequantize("fp64"), y.format.element, _scales_of(y)
        values = taken(values).words
    else:
        codes, found = codes_of(y, format)
        values, element = convert(codes, "fp64", source=found), element_format(found)
        scale = numpy.ones(values.shape)
    if source.shape != values.shape:
        raise ValueError(f"x has shape {source.shape}, y {values.shape}")
    finite = numpy.isfinite(source) & numpy.isfinite(values) & numpy.isfinite(scale)
    return _Pair(source[finite], values[finite], scale[finite], element, int(finite.size - numpy.count_nonzero(finite)))


@functools.lru_cache(maxsize=64)
def _magnitudes(element: ElementFormat) -> Array:
    """The magnitudes of a format's finite values, ascending, each once."""
    values = element.values()
    found: Array = numpy.unique(abs(values[numpy.isfinite(values)]))
    return found


def _spacing(element: ElementFormat, magnitudes: Array) -> Array:
    """The distance of the two values of a format that lie about each magnitude; beyond the largest, of the last two."""
    if element.bits <= 16:
        table = _magnitudes(element)
        at = numpy.clip(numpy.searchsorted(table, magnitudes, "right"), 1, len(table) - 1)
        between: Array = table[at] - table[at - 1]
        return between
    below = convert(magnitudes, element, overflow="sat_finite", rounding="toward_zero")
    codes = taken(below).words.view(f"u{below.dtype.itemsize}")
    codes = numpy.minimum(codes, element.max_code - 1)
    low, high = (convert(each, "fp64", source=element) for each in (codes, codes + 1))
    found: Array = abs(high - low)
    return found


def _ulps(pair: _Pair) -> Array:
    with numpy.errstate(divide="ignore", invalid="ignore"):
        magnitudes = numpy.where(pair.scale > 0, abs(pair.x) / pair.scale, 0)
        found = abs(pair.x - pair.y) / (_spacing(pair.element, numpy.minimum(magnitudes, 1e300)) * pair.scale)
    ulps: Array = numpy.where((pair.x == pair.y) | (pair.scale == 0), 0, found)
    return ulps


def _saturated(pair: _Pair) -> Array:
    found: Array = (abs(pair.y) == pair.element.max * pair.scale) & (abs(pair.x) > abs(pair.y))
    return found


def _sqnr(pair: _Pair) -> float:
    with numpy.errstate(divide="ignore", invalid="ignore"):
        return float(10 * numpy.log10(numpy.sum(pair.x ** 2) / numpy.sum((pair.x - pair.y) ** 2)))


def sqnr(x: Any, y: Any, format: FormatLike | None = None) -> float:
    """The signal to quantization noise ratio in dB: 10 log10(sum x^2 / sum (x - y)^2).

    x, y, format: as errors() takes them. Infinite where nothing moved; NaN where x is all zero, or empty.

    >>> x = numpy.linspace(-1, 1, 64)
    >>> mxgold.measure.sqnr(x, mxgold.quantize(x, "mxfp8_e4m3")) > mxgold.measure.sqnr(x, mxgold.quantize(x, "mxfp4"))
    True
    """
    return _sqnr(_pair_of(x, y, format))


def max_ulp(x: Any, y: Any, format: FormatLike | None = None) -> float:
    """The largest |x - y| in ulp: the distance of the two values of the format, times the block's scale, that x lies
    between; beyond the largest, of the last two. Under a scale of zero there is none. 0.5 at most where roundings are to the nearest and nothing saturates.

    x, y, format: as errors() takes them. 0 for an empty array.

    >>> mxgold.measure.max_ulp([1.0625, 1.03], mxgold.convert([1.0625, 1.03], "e4m3fn"), "e4m3fn")
    0.5
    """
    found = _ulps(_pair_of(x, y, format))
    return float(numpy.max(found, initial=0))


def saturated(x: Any, y: Any, format: FormatLike | None = None) -> int:
    """How many elements became the largest magnitude of the format, times the block's scale, and lost magnitude.

    x, y, format: as errors() takes them.

    >>> mxgold.measure.saturated([480.0, 448.0], mxgold.convert([480.0, 448.0], "e4m3fn"), "e4m3fn")
    1
    """
    return int(numpy.count_nonzero(_saturated(_pair_of(x, y, format))))


def flushed(x: Any, y: Any, format: FormatLike | None = None) -> int:
    """How many elements other than zero became zero.

    x, y, format: as errors() takes them.

    >>> mxgold.measure.flushed([1e-9, 0.0], mxgold.convert([1e-9, 0.0], "e4m3fn"), "e4m3fn")
    1
    """
    pair = _pair_of(x, y, format)
    return int(numpy.count_nonzero((pair.y == 0) & (pair.x != 0)))


def errors(x: Any, y: Any, format: FormatLike | None = None) -> Errors:
    """Every measure of this module.

    x: what was quantized; an array, a tensor or numbers.
    y: what became of it, of the same shape: a Quantized, or codes of single values.
    format: the format of y where its type does not say it.

    Returns an Errors. ValueError where the shapes differ, or y is under a Hadamard transform; TypeError for a type
    without format.

    >>> x = numpy.array([480.0, 1.0, 0.001])
    >>> e = mxgold.measure.errors(x, mxgold.quantize(x, "mxfp8_e4m3"))
    >>> e.saturated, e.flushed, e.max_error
    (1, 0, 32.0)
    """
    pair = _pair_of(x, y, format)
    moved, count = pair.y - pair.x, pair.x.size
    return Errors(elements=count, left_out=pair.left_out, sqnr=_sqnr(pair),
                  mse=float(numpy.sum(moved ** 2) / max(count, 1)), max_error=float(numpy.max(abs(moved), initial=0)),
                  max_ulp=float(numpy.max(_ulps(pair), initial=0)), bias=float(numpy.sum(moved) / max(count, 1)),
                  exact=int(numpy.count_nonzero(moved == 0)), saturated=int(numpy.count_nonzero(_saturated(pair))),
                  flushed=int(numpy.count_nonzero((pair.y == 0) & (pair.x != 0))))
