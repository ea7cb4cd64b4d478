"""Pictures of formats, blocks and errors, over matplotlib (pip install matplotlib).

    mxgold.plot.number_line("e2m1fn", "e3m2fn")        which values formats have
    mxgold.plot.codes(q)                               how often each magnitude code was used
    mxgold.plot.block(x, q, 3)                         a block: its values, and what became of them
    mxgold.plot.scales("mxfp8_e4m3", ("ocp-mx-1.0", "te"))    the scale over the largest magnitude of a block
    mxgold.plot.errors(x, q)                           error over magnitude
    mxgold.plot.agreement(x, "mxfp8_e4m3")             how many codes systems have in common

Each draws into `axes=`, or into the current figure's, and returns the matplotlib Axes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy

from . import measure
from ._convert import convert
from ._dtypes import bits_of
from ._explain import open_answers
from ._formats import BlockFormat, element_format, format as named_format
from ._homes import codes_of, taken
from ._policies import profiles as all_profiles
from ._quantized import Quantized
from ._tensors import quantize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._types import Array, FormatLike, PolicyLike

__all__ = ["agreement", "block", "codes", "errors", "number_line", "scales"]


def _axes_of(axes: Any) -> Any:
    if axes is not None:
        return axes
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("mxgold.plot draws with matplotlib: pip install matplotlib") from None
    return pyplot.gca()


def _as_doubles(x: Any) -> Array:
    words, name = codes_of(x)
    found: Array = convert(words, "fp64", source=name)
    return found


def number_line(*formats: FormatLike, limit: float | None = None, axes: Any = None) -> Any:
    """A line for each format, a tick for each of its finite values.

    formats: formats of single values of at most 16 bits, or their names; of a format of blocks its elements.
    limit: the largest magnitude to show, by default the largest of all formats. axes: where to draw.

    Returns the Axes. ValueError for a wider format, or for none.
    """
    if not formats:
        raise ValueError("formats: give one at least")
    elements = []
    for each in formats:
        found = named_format(each)
        elements.append(found.element if isinstance(found, BlockFormat) else found)
    values = [numpy.unique(each.values()[numpy.isfinite(each.values())]) for each in elements]
    axes = _axes_of(axes)
    for row, shown in enumerate(values):
        axes.vlines(shown if limit is None else shown[abs(shown) <= limit], row - 0.3, row + 0.3, linewidth=1)
    axes.set_yticks(range(len(elements)), [str(each) for each in elements])
    axes.set_ylim(len(elements) - 0.5, -0.5)
    axes.set_xlabel("value")
    return axes


def codes(y: Any, format: FormatLike | None = None, axes: Any = None) -> Any:
    """How often each magnitude code was used.

    y: a Quantized, or codes of single values of at most 16 bits; format: theirs, where their type does not say it.
    axes: where to draw. Returns the Axes.
    """
    if isinstance(y, Quantized):
        words, name = y._codes, y.format.element.name
    else:
        words, name = codes_of(y, format)
    element = element_format(name)
    values = element.values()
    order = numpy.argsort(values, kind="stable")
    order = order[numpy.isfinite(values[order])]
    counts = numpy.bincount(bits_of(words).ravel(), minlength=1 << element.bits)[order]
    axes = _axes_of(axes)
    axes.bar(range(len(order)), counts, width=1.0)
    shown = numpy.linspace(0, len(order) - 1, min(len(order), 9)).astype(int)
    axes.set_xticks(shown, [f"{values[order[at]]:g}" for at in shown])
    axes.set_xlabel(f"value of the code of {element}")
    axes.set_ylabel("elements")
    return axes


def block(x: Any, q: Quantized, index: int = 0, axes: Any = None) -> Any:
    """One block: its values, and what became of them.

    x: what was quantized; q: the Quantized, in blocks along its last axis. index: which block, in C order of q.scales.
    axes: where to draw. Returns the Axes. ValueError for other blocks, another shape or a block that there is not.
    """
    size = q.format.block_size
    if size is None or q.format.tile_lines != 1 or q.axis != len(q.shape) - 1:
        raise ValueError("q: a block to show lies along the last axis")
    if not 0 <= index < q._scales.size:
        raise ValueError(f"index {index}: there are {q._scales.size} blocks")
    source, values = _as_doubles(x), taken(q.dequantize("fp64")).words
    if source.shape != values.shape:
        raise ValueError(f"x has shape {source.shape}, q {values.shape}")
    row, at = divmod(index, q._scales.shape[-1])
    part = slice(at * size, (at + 1) * size)
    before = source.reshape(-1, source.shape[-1])[row, part]
    after = values.reshape(before.shape if source.ndim == 0 else (-1, source.shape[-1]))[row, part]
    axes = _axes_of(axes)
    lanes = numpy.arange(len(before))
    axes.vlines(lanes, numpy.minimum(before, after), numpy.maximum(before, after), color="tab:red", linewidth=2,
                label="error")
    axes.plot(lanes, before, "o", markersize=5, label="x")
    axes.plot(lanes, after, "_", markersize=10, color="black", label=str(q.format))
    axes.set_xlabel(f"element of block {index}")
    axes.legend()
    return axes


def scales(format: FormatLike, policies: Sequence[PolicyLike] = ("",), exponents: tuple[float, float] = (-2.0, 4.0),
           axes: Any = None) -> Any:
    """The scale of a block over its largest magnitude: a step function for each policy.

    format: a format of blocks of one level. policies: names of profiles or policies to lay side by side. exponents: the
    largest magnitudes go from 2^first to 2^last. axes: where to draw. Returns the Axes.
    """
    found = named_format(format)
    if not isinstance(found, BlockFormat) or found.two_level or found.extent != "elements" or found.tile_lines != 1:
        raise ValueError(f"{found} has no blocks of one line and one level")
    largest = numpy.exp2(numpy.linspace(*exponents, 2049)).astype(numpy.float32)
    axes = _axes_of(axes)
    for policy in policies:
        q = quantize(largest[:, None], found, policy)
        values = convert(q._scales.ravel(), "fp64", source=found.scale)
        axes.step(largest, values, where="post", label=str(policy) or "default")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    axes.set_xlabel("largest magnitude of the block")
    axes.set_ylabel(f"scale of {found}")
    axes.legend()
    return axes


def errors(x: Any, y: Any, format: FormatLike | None = None, axes: Any = None) -> Any:
    """The error of each element in ulp over its magnitude.

    x, y, format: as mxgold.measure.errors() takes them. axes: where to draw. Returns the Axes.
    """
    pair = measure._pair_of(x, y, format)
    shown = pair.x != 0
    axes = _axes_of(axes)
    axes.plot(abs(pair.x[shown]), measure._ulps(pair)[shown], ".", markersize=2)
    axes.set_xscale("log", base=2)
    axes.set_xlabel("magnitude")
    axes.set_ylabel(f"error in ulp of {pair.element}")
    return axes


def agreement(x: Any, format: FormatLike, profiles: Sequence[str] | None = None, axes: Any = None) -> Any:
    """How many codes of x each two systems have in common, in percent: a matrix. What either leaves open is not compared.

    x: an array of values. format: a format of blocks or of single values. profiles: the systems, by default all that
        define the conversion. axes: where to draw.

    Returns the Axes. ValueError where a named profile does not define the conversion, or none does.
    """
    answers: dict[str, tuple[Array, Array]] = {}
    for name in all_profiles() if profiles is None else profiles:
        try:
            answers[name] = _answers_of(x, format, name)
        except ValueError:
            if profiles is not None:
                raise
    if not answers:
        raise ValueError(f"no profile defines a conversion to {named_format(format)} from this type")
    table = numpy.array([[_in_common(a, b) for b in answers.values()] for a in answers.values()])
    axes = _axes_of(axes)
    image = axes.imshow(table, vmin=0, vmax=100, cmap="RdYlGn")
    axes.figure.colorbar(image, ax=axes, label="codes in common, %")
    axes.set_xticks(range(len(answers)), answers, rotation=90)
    axes.set_yticks(range(len(answers)), answers)
    return axes


def _in_common(a: tuple[Array, Array], b: tuple[Array, Array]) -> float:
    """Percent of the codes that neither leaves open; NaN where there are none."""
    compared = ~(a[1] | b[1])
    count = int(numpy.count_nonzero(compared))
    return 100 * int(numpy.count_nonzero((a[0] == b[0]) & compared)) / count if count else numpy.nan


def _answers_of(x: Any, format: FormatLike, profile: str) -> tuple[Array, Array]:
    """Codes and scales of a system, and which of them it leaves open."""
    found = named_format(format)
    is_open = open_answers(x, found, profile)
    if isinstance(found, BlockFormat):
        q = quantize(x, found, profile=profile)
        parts = [q._codes, q._scales]
    else:
        parts = [taken(convert(x, found, profile=profile), holds_codes=True).words]
    opens = [is_open.elements] if is_open.scales is None else [is_open.elements, is_open.scales]
    return (numpy.concatenate([bits_of(each).ravel().astype("u8") for each in parts]),
            numpy.concatenate([each.ravel() for each in opens]))
