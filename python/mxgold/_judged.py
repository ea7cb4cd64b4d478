"""Arrays of an implementation beside the reference, and what a stimulus covers."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy

from . import _native
from ._answers import Answer, ask
from ._convert import plan
from ._dtypes import bits_of, unsigned_of
from ._formats import BlockFormat, element_format, format as named_format
from ._homes import taken
from ._plans import at_level_of, axis_of, plan_of
from ._policies import key_of
from ._quantized import Quantized

if TYPE_CHECKING:
    from ._policies import Policy
    from ._types import Array, ArrayLike, FormatLike, PolicyLike, Settings, Unpack

_AGREES, _DIFFERS, _OPEN, _DONT_CARE = range(4)


class Comparison(Answer):
    """What an implementation does otherwise: true where nothing differs and something was compared.

    `print(c)` says how many codes differ, the first of them with the step that decided, and the likely cause; `c.data`
    is for programs, and a notebook shows a table.
    """

    def __init__(self, data: dict[str, Any], text: str, holds: bool, marks: Array, scale_marks: Array | None) -> None:
        super().__init__(data, text)
        self._holds = holds
        self._marks, self._scale_marks = marks, scale_marks

    def __bool__(self) -> bool:
        return self._holds

    @property
    def differ(self) -> numpy.typing.NDArray[numpy.bool_]:
        """An array of bool of the shape of x: which codes differ, and are compared."""
        found: numpy.typing.NDArray[numpy.bool_] = self._marks == _DIFFERS
        return found

    @property
    def scales_differ(self) -> numpy.typing.NDArray[numpy.bool_] | None:
        """The same of the scales of blocks; None for single values."""
        return None if self._scale_marks is None else self._scale_marks == _DIFFERS

    @property
    def compared(self) -> numpy.typing.NDArray[numpy.bool_]:
        """Which codes are compared: not left open by the profile, and no code under a NaN scale."""
        return self._marks < _OPEN

    @property
    def differences(self) -> list[dict[str, Any]]:
        """The first that differ, as dicts: input, expected and seen, flags, decision, cause; of blocks their elements."""
        found: list[dict[str, Any]] = self.data["differences"]
        return found

    @property
    def causes(self) -> list[str]:
        """What would give what was seen, the likeliest first: "rounding ties_to_away for ties_to_even", "profile te"."""
        return [cause["text"] for cause in self.data["causes"]]

    def _repr_html_(self) -> str:
        head = "".join(f"<th style='text-align:left'>{name}</th>" for name in
                       ("where", "input", "expected", "seen", "decision", "as with"))
        rows = [f"<tr>{head}</tr>"]
        for difference in self.differences:
            for each in difference.get("elements", [difference]):
                where = f"block {difference['block']}, {each['index']}" if "block" in difference else str(each["index"])
                cells = (where, *(f"{each[part][name]} = {each[part]['value']}" for part, name in
                                  (("input", "bits"), ("expected", "code"), ("seen", "code"))),
                         each["decision"], difference["cause"])
                rows.append("<tr>" + "".join(f"<td style='text-align:left'>{html.escape(cell)}</td>" for cell in cells)
                            + "</tr>")
        return f"<p>{html.escape(str(self).splitlines()[0])}</p><table>{''.join(rows)}</table>"


class Coverage(Answer):
    """Which bins a stimulus hits (docs/spec/verification.md V10): true where none is missing that an input can hit."""

    def __init__(self, data: dict[str, Any], text: str, holds: bool) -> None:
        super().__init__(data, text)
        self._holds = holds

    def __bool__(self) -> bool:
        return self._holds

    @property
    def percent(self) -> float:
        """Hit bins of those that an input can hit, in percent, rounded down to hundredths."""
        return float(self.data["percent"])

    @property
    def holes(self) -> dict[str, list[str]]:
        """The bins that nothing hit, by coverpoint; those that no input can hit are none."""
        return {point["name"]: point["holes"] for point in self.data["points"] if point["holes"]}

    def hits(self, point: str) -> dict[str, int]:
        """How often each bin of a coverpoint was hit. KeyError for a name that `c.data["points"]` has not."""
        for each in self.data["points"]:
            if each["name"] == point:
                return {name: count for name, count, *_ in each["bins_hit"]}
        raise KeyError(point)

    def _repr_html_(self) -> str:
        rows = ["<tr><th>coverpoint</th><th>hit</th><th>of</th><th>not hit</th></tr>"]
        for each in self.data["points"]:
            holes = ", ".join(each["holes"][:8]) + (" ..." if len(each["holes"]) > 8 else "")
            rows.append(f"<tr><td title='{html.escape(each['meaning'])}'>{html.escape(each['name'])}</td>"
                        f"<td>{each['hit']}</td><td>{each['bins']}</td><td>{html.escape(holes)}</td></tr>")
        return f"<p>{html.escape(str(self).splitlines()[0])}: {self.percent} %</p><table>{''.join(rows)}</table>"


class _Blocks(NamedTuple):
    """How an array is quantized."""

    quantizer: _native.Quantizer
    format: BlockFormat
    axis: int


def _blocks_of(words: Array, format: BlockFormat, policy: str | Policy, source: str | None, axis: int | None,
               tensor_scale: float | None, tensor_amax: float | None) -> _Blocks:
    planned = plan_of(words.dtype, format, policy, source)
    quantizer, _ = at_level_of(planned, words, tensor_scale, tensor_amax)
    return _Blocks(quantizer, planned.format, axis_of(-1 if axis is None else axis, words.shape))


def _refuse_arguments_of_blocks(format: Any, **given: Any) -> None:
    for name, value in given.items():
        if value is not None:
            raise ValueError(f"{name}: goes with formats of blocks, not {format}")


def _codes(name: str, given: Any, shape: tuple[int, ...], storage_bytes: int) -> Array:
    """Codes of an implementation, as unsigned integers in C order; integers of another width keep their values."""
    words, kept = taken(given, holds_codes=True).words, unsigned_of(storage_bytes)
    if words.dtype.kind in "iu" and words.dtype.itemsize != kept.itemsize:
        most = int(numpy.iinfo(kept).max)
        if words.size and not 0 <= int(words.min()) <= int(words.max()) <= most:
            raise ValueError(f"{name}: integers of 0 to {most} are codes of this format")
        words = words.astype(kept)
    words = bits_of(words)
    if words.dtype != kept:
        raise TypeError(f"{name}: codes of this format are held in {kept.name}, not in {words.dtype.name}")
    if words.shape != shape:
        raise ValueError(f"{name}: has shape {words.shape}; give an array of shape {shape}")
    return words


def _compare_values(words: Array, seen: Any, format: Any, policy: str | Policy, source: str | None,
                    key: tuple[int, int], most: int) -> Comparison:
    destination = element_format(format)
    conversion = plan(words.dtype, destination, policy, source)[0]
    codes = _codes("codes", seen, words.shape, destination.storage_bytes)
    marks = numpy.empty(words.shape, numpy.uint8)
    answer = ask("compare_values", conversion.pointer, _native.address(words), words.nbytes, _native.address(codes),
                 codes.nbytes, *key, most, _native.address(marks), marks.size)
    return Comparison(*answer, marks, None)


def _compare_blocks(words: Array, seen: Any, blocks: _Blocks, key: tuple[int, int], most: int) -> Comparison:
    if isinstance(seen, Quantized):
        seen = (seen.scales, seen.codes)
    if not isinstance(seen, (tuple, list)) or len(seen) != 2:
        raise TypeError(f"codes: of {blocks.format} give a Quantized or a pair (scales, codes)")
    format, shape = blocks.format, blocks.format.scale_shape(words.shape, blocks.axis)
    scales = _codes("scales", seen[0], shape, format.scale_bytes)
    codes = _codes("codes", seen[1], words.shape, format.element.storage_bytes)
    marks, scale_marks = numpy.empty(words.shape, numpy.uint8), numpy.empty(shape, numpy.uint8)
    answer = ask("compare_blocks", blocks.quantizer.pointer, _native.shape_of(words.shape), words.ndim, blocks.axis,
                 _native.address(words), words.nbytes, _native.address(codes), codes.nbytes, _native.address(scales),
                 scales.nbytes, *key, most, _native.address(marks), marks.size, _native.address(scale_marks),
                 scale_marks.size)
    return Comparison(*answer, marks, scale_marks)


def compare(x: ArrayLike, codes: Any, format: FormatLike | BlockFormat, policy: PolicyLike = "", *,
            axis: int | None = None, source: FormatLike | None = None, seed: int = 0, tensor_index: int = 0,
            tensor_scale: float | None = None, tensor_amax: float | None = None, most: int = 10,
            **settings: Unpack[Settings]) -> Comparison:
    """What an implementation does otherwise than convert() or quantize(), and the policy that makes the difference.

    x: what went in, as for convert() and quantize().
    codes: what the implementation gave: codes of the shape of x, in the format's type or as integers; for a format of
        blocks a Quantized or a pair (scales, codes).
    format, policy, axis, source, seed, tensor_index, tensor_scale, tensor_amax, settings: what it should have done. What a
        profile leaves open is not compared, nor are codes under a NaN scale that mean nothing.
    most: differences that are shown, with input, expected and seen code, and the step that decided.

    Returns a Comparison, true where nothing differs. ValueError for names, numbers and shapes that do not fit, TypeError
    for codes of another type.

    >>> x = numpy.float32([1.0625, 3.3, 1000])
    >>> c = mxgold.compare(x, mxgold.convert(x, "e4m3fn", rounding="ties_to_away"), "e4m3fn")
    >>> bool(c), c.differ, c.causes[0]
    (False, array([ True, False, False]), 'rounding ties_to_away for ties_to_even')
    """
    words, name, _ = taken(x, source)
    key, chosen = _native.random_key(seed, tensor_index), key_of(policy, settings)
    most = _native.whole("most", most, 32)
    wanted = named_format(format)
    if isinstance(wanted, BlockFormat):
        blocks = _blocks_of(words, wanted, chosen, name, axis, tensor_scale, tensor_amax)
        return _compare_blocks(words, codes, blocks, key, most)
    _refuse_arguments_of_blocks(wanted, axis=axis, tensor_scale=tensor_scale, tensor_amax=tensor_amax)
    return _compare_values(words, codes, wanted, chosen, name, key, most)


def coverage(x: ArrayLike, format: FormatLike | BlockFormat, policy: PolicyLike = "", *, axis: int | None = None,
             source: FormatLike | None = None, seed: int = 0, tensor_index: int = 0, tensor_scale: float | None = None,
             tensor_amax: float | None = None, **settings: Unpack[Settings]) -> Coverage:
    """What an array covers as the stimulus of a conversion or a quantizer: bins of its inputs, of rounding, codes, scales
    and flags (docs/spec/verification.md V10), and those that it does not hit.

    x: the stimulus, of any shape.
    format, policy, axis, source, seed, tensor_index, tensor_scale, tensor_amax, settings: as for convert() or quantize().
        What a profile leaves open covers nothing.

    Returns a Coverage, true where no bin is missing that any input can hit. ValueError and TypeError as for convert() and
    quantize().

    >>> c = mxgold.coverage(mxgold.format("e5m2").values().astype(numpy.float32), "e4m3fn")
    >>> "subnormal" in c.holes.get("source", []), c.percent > 30
    (True, True)
    """
    words, name, _ = taken(x, source)
    key, chosen = _native.random_key(seed, tensor_index), key_of(policy, settings)
    wanted = named_format(format)
    if isinstance(wanted, BlockFormat):
        blocks = _blocks_of(words, wanted, chosen, name, axis, tensor_scale, tensor_amax)
        return Coverage(*ask("cover_blocks", blocks.quantizer.pointer, _native.shape_of(words.shape), words.ndim,
                             blocks.axis, _native.address(words), words.nbytes, *key))
    _refuse_arguments_of_blocks(wanted, axis=axis, tensor_scale=tensor_scale, tensor_amax=tensor_amax)
    conversion = plan(words.dtype, element_format(wanted), chosen, name)[0]
    return Coverage(*ask("cover_values", conversion.pointer, _native.address(words), words.nbytes, *key))
