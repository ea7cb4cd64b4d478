"""Why a value got its code, and which codes are one choice of several."""

from __future__ import annotations

import ctypes
import html
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

import numpy

from . import _native
from ._answers import Answer, ask, options_of, texts_of
from ._convert import binary32, plan
from ._dtypes import bits_of as bits
from ._homes import codes_of, taken
from ._formats import BlockFormat, block_format, element_format, format as named_format
from ._library import LIBRARY, encoded
from ._policies import key_of, policy as make_policy
from ._plans import at_level_of, axis_of, plan_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from ._types import Array, ArrayLike, FormatLike, PolicyLike, Tensor

    #: Which elements and which scales are open, and the masks.
    Found = tuple[NDArray[numpy.bool_], Optional[NDArray[numpy.bool_]], int]


class Explanation(Answer):
    """What decided each code, step by step: `print(e)` for people, `e.data` for programs, a table in a notebook."""

    def _repr_html_(self) -> str:
        return _comparison_html(self.data) if "comparisons" in self.data else _steps_html(self.data)


def _number(value: Any) -> str:
    return html.escape(value["short"]) if value else ""


def _cells(values: Iterable[str], tag: str = "td") -> str:
    return "<tr>" + "".join(f"<{tag} style='text-align:left'>{value}</{tag}>" for value in values) + "</tr>"


def _steps_html(data: dict[str, Any]) -> str:
    block = data.get("block")
    text = ""
    if block:
        scale = block["scale"]
        arithmetic = html.escape(scale.get("arithmetic", ""))
        text = (f"<p>scale <code>{scale['code']}</code> = {_number(scale.get('value'))}; rule "
                f"{html.escape(scale.get('rule', ''))}{': ' if arithmetic else ''}{arithmetic}</p>")
    rows = [_cells(["input", "bits", "between", "decision", "code", "value", "flags"], "th")]
    for each in block["elements"] if block else data["values"]:
        near = each.get("neighbours")
        between = f"{_number(near['lower'])} .. {_number(near['upper'])}" if near else ""
        rows.append(_cells([html.escape(each["input"]["text"]), f"<code>{each['input']['bits']}</code>", between,
                            html.escape(each.get("decision", "")), f"<code>{each.get('code', '')}</code>",
                            _number(each.get("element")), ", ".join(each.get("flags", [])) or "none"]))
    title = html.escape(f"{data['source']} to {data['format']}, profile {data['profile']}")
    return f"<p>{title}</p>{text}<table>{''.join(rows)}</table>"


def _comparison_html(data: dict[str, Any]) -> str:
    tables = []
    for comparison in data["comparisons"]:
        rows = [_cells(["profile", "scale", "codes", "values", "parts at"], "th")]
        for each in comparison["profiles"]:
            rows.append(_cells([html.escape(each["profile"]), f"<code>{_scale(each)}</code>",
                                f"<code>{' '.join(each['codes'])}</code>", html.escape(" ".join(each["values"])),
                                html.escape(each["parts_at"] or each["open"])]))
        inputs = html.escape(" ".join(each["text"] for each in comparison["inputs"]))
        tables.append(f"<p>{inputs}</p><table>{''.join(rows)}</table>")
    return "".join(tables)


def _scale(row: dict[str, Any]) -> str:
    scale = row.get("scale", "")
    return str(scale.get("code", "") if isinstance(scale, dict) else scale)


def _texts(values: Any, source: str | None) -> tuple[list[str], str]:
    """Inputs as the library takes them: exact bits of arrays, text as it is."""
    if isinstance(values, str):
        return [values], source or "fp32"
    if isinstance(values, (list, tuple)) and any(isinstance(value, str) for value in values):
        return [str(value) for value in values], source or "fp32"
    if isinstance(values, (int, float)):
        values = [values]
    words, name = codes_of(numpy.asarray(values) if isinstance(values, (list, tuple)) and source else values, source)
    width = -(-element_format(name).bits // 4)
    return [f"0x{int(code):0{width}X}" for code in bits(words).ravel()], name


def _exact(word: int) -> str:
    """A binary32 pattern of 0 or more as text of the same value."""
    exponent, fraction = word >> 23, word & 0x7FFFFF
    return f"0x{fraction | (0x800000 if exponent else 0):x}p{max(exponent, 1) - 150}"


def explain(values: ArrayLike | Tensor | str | Sequence[str], format: FormatLike, policy: PolicyLike = "", *,
            profiles: str | Sequence[str] | None = None, source: FormatLike | None = None,
            random: int | Sequence[int] | None = None, tensor_scale: float | None = None) -> Explanation:
    """Says step by step why values get their codes: neighbours, midpoint, the policy that decided.

    values: an array or numbers, or texts ("1.0625", "0x1.8p-3", "nan", "0x3F880000"); with a block format they are one
        block.
    format: an element or block format, or its name.
    policy: choices where the format leaves one (mxgold.policy).
    profiles: names of profiles to lay side by side ("all": every one that speaks of the format); each row names the
        policy at which it parts from the first.
    source: the format of the values, "fp32" unless their type says another.
    random: R of the stochastic roundings, one number or one for each value.
    tensor_scale: two-level formats: the scale of the whole tensor, by default found in the block.

    Returns an Explanation. ValueError where a name or a value is none.

    >>> mxgold.explain(1.0625, "e4m3fn").data["values"][0]["decision"]
    'ties_to_even: at the midpoint, the lower neighbour is even: magnitude stays'
    """
    texts, name = _texts(values, None if source is None else str(named_format(source)))
    chosen = make_policy(policy)
    if profiles is not None and "profile" in chosen:
        raise ValueError("profiles= and a policy with a profile exclude each other")
    options = list(chosen.options)
    if profiles is not None:
        options.append(("profiles", profiles if isinstance(profiles, str) else ",".join(map(str, profiles))))
    if random is not None:
        options.append(("random", ",".join(map(str, numpy.atleast_1d(random).tolist()))))
    if tensor_scale is not None:
        options.append(("tensor_scale", _exact(binary32("tensor_scale", tensor_scale))))
    data, text, _ = ask("explain", encoded(name), encoded(str(named_format(format))), *options_of(options),
                        *texts_of(texts))
    return Explanation(data, text)


class OpenAnswers(NamedTuple):
    """Which answers a profile leaves open; true where any is."""

    #: For each element, is its code one choice of several? An array of bool of the shape of x.
    elements: NDArray[numpy.bool_]
    #: The same for each scale; None for a format of single values.
    scales: NDArray[numpy.bool_] | None
    #: Why, as a frozenset of the masks of docs/spec/formats.md F23.1: "nan", "inf_block", ...
    reasons: frozenset[str]

    def __bool__(self) -> bool:
        return bool(self.reasons)


def _open_elements(words: Array, format: FormatLike, policy: PolicyLike, source: str | None) -> Found:
    made = plan(words.dtype, element_format(format), key_of(policy, {}), source)[0]
    elements, masks = numpy.empty(words.shape, numpy.bool_), ctypes.c_uint32()
    _native.require(LIBRARY.mxgold_open_values(made.pointer, _native.address(words), words.nbytes,
                                               _native.address(elements), elements.size, ctypes.byref(masks)))
    return elements, None, masks.value


def _open_blocks(words: Array, format: FormatLike, policy: PolicyLike, source: str | None, axis: int,
                 tensor_scale: float | None, tensor_amax: float | None, key: tuple[int, int]) -> Found:
    planned = plan_of(words.dtype, block_format(format), key_of(policy, {}), source)
    axis, block = axis_of(axis, words.shape), planned.format
    quantizer, _ = at_level_of(planned, words, tensor_scale, tensor_amax)
    elements, masks = numpy.empty(words.shape, numpy.bool_), ctypes.c_uint32()
    scales = numpy.empty(block.scale_shape(words.shape, axis), numpy.bool_)
    _native.require(LIBRARY.mxgold_open_blocks(
        quantizer.pointer, _native.shape_of(words.shape), words.ndim, axis, _native.address(words), words.nbytes, *key,
        _native.address(elements), elements.size, _native.address(scales), scales.size, ctypes.byref(masks)))
    return elements, scales, masks.value


def open_answers(x: ArrayLike | Tensor, format: FormatLike, policy: PolicyLike, *, axis: int | None = None,
                 source: FormatLike | None = None, seed: int = 0,
                 tensor_index: int = 0, tensor_scale: float | None = None,
                 tensor_amax: float | None = None) -> OpenAnswers:
    """Which codes of convert() or quantize() the profile in a policy leaves open: its source is silent there, or no
    policy expresses it, so the code is one choice of several and tells nothing about an implementation.

    x, format, policy, source, seed, tensor_index: as for convert(), or for a format of blocks, with axis (by default
        the last), tensor_scale and tensor_amax, for quantize(). Without a profile nothing is open.

    Returns (elements, scales, reasons): two arrays of bool and the names of the masks; scales is None for a format of
    single values. Blocks are quantized again by the reference, at its pace.

    >>> mxgold.open_answers([numpy.nan, 1.0], "e4m3fn", "ocp-mx-1.0").elements
    array([False, False])
    """
    words, told, _ = taken(x, source)
    key = _native.random_key(seed, tensor_index)
    if isinstance(named_format(format), BlockFormat):
        elements, scales, masks = _open_blocks(words, format, policy, told, -1 if axis is None else axis, tensor_scale,
                                               tensor_amax, key)
    else:
        for name, value in (("axis", axis), ("tensor_scale", tensor_scale), ("tensor_amax", tensor_amax)):
            if value is not None:
                raise ValueError(f"{name}: goes with formats of blocks, not {format}")
        elements, scales, masks = _open_elements(words, format, policy, told)
    reasons = frozenset(name for bit, name in enumerate(_native.names("masks")) if masks >> bit & 1)
    return OpenAnswers(elements, scales, reasons)
