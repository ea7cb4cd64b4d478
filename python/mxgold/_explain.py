"""Why a value got its code."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

import numpy

from . import _program
from ._dtypes import bits, codes_of
from ._formats import element_format, format as named_format
from ._policies import policy as make_policy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._formats import BlockFormat, ElementFormat
    from ._types import ArrayLike, PolicyLike


class Explanation:
    """What decided each code, step by step: `print(e)` for people, `e.data` for programs, a table in a notebook."""

    def __init__(self, data, arguments) -> None:
        #: The explanation as dicts and lists, the JSON of `mxgold explain`.
        self.data: dict = data
        self._arguments = arguments

    def __str__(self) -> str:
        return _program.run(self._arguments)[1].rstrip("\n")

    def __repr__(self):
        return str(self)

    def _repr_html_(self) -> str:
        return _comparison_html(self.data) if "comparisons" in self.data else _steps_html(self.data)


def _number(value):
    return html.escape(value["short"]) if value else ""


def _cells(values, tag="td"):
    return "<tr>" + "".join(f"<{tag} style='text-align:left'>{value}</{tag}>" for value in values) + "</tr>"


def _steps_html(data):
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


def _comparison_html(data):
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


def _scale(row):
    scale = row.get("scale", "")
    return scale.get("code", "") if isinstance(scale, dict) else scale


def _texts(values, source):
    """Inputs as the program takes them: exact bits of arrays, text as it is."""
    if isinstance(values, str):
        return [values], source or "fp32"
    if isinstance(values, (list, tuple)) and any(isinstance(value, str) for value in values):
        return [str(value) for value in values], source or "fp32"
    if isinstance(values, (int, float)):
        values = [values]
    words, name = codes_of(numpy.asarray(values) if isinstance(values, (list, tuple)) and source else values, source)
    width = -(-element_format(name).bits // 4)
    return [f"0x{int(code):0{width}X}" for code in bits(words).ravel()], name


def explain(values: ArrayLike | str | Sequence[str], format: str | ElementFormat | BlockFormat, policy: PolicyLike = "",
            *, profiles: str | Sequence[str] | None = None, source: str | ElementFormat | None = None,
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
    texts, source = _texts(values, None if source is None else str(source))
    chosen = make_policy(policy)
    if profiles is not None and "profile" in chosen:
        raise ValueError("profiles= and a policy with a profile exclude each other")
    arguments = ["explain", "--format", str(named_format(format)), "--source", source,
                 *_program.policy_arguments(chosen)]
    if profiles is not None:
        arguments.append("--profile=" + (profiles if isinstance(profiles, str) else ",".join(map(str, profiles))))
    if random is not None:
        arguments += ["--random", *numpy.atleast_1d(random).tolist()]
    if tensor_scale is not None:
        arguments += ["--tensor-scale", repr(float(tensor_scale))]
    arguments += ["--", *texts]
    return Explanation(_program.ask(*arguments), arguments)
