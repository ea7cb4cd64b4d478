"""Where named systems part, and which of them made some bits."""

from __future__ import annotations

import functools
import html
import json
import os
from typing import TYPE_CHECKING, Any

import numpy

from . import _native, _program
from ._answers import Answer, ask, options_of, raw_answer
from ._formats import BlockFormat, element_format, format as named_format
from ._library import encoded
from ._logs import log_of
from ._quantized import Quantized

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._types import Array, ArrayLike, FormatLike, Tensor


class Difference(Answer):
    """Where two profiles part: `bool(d)` says whether they do, `d.surfaces` where, with the smallest inputs."""

    @property
    def surfaces(self) -> list[dict[str, Any]]:
        """One dict a surface (source and target): "agree", "basis" (how it is known), "differences"."""
        found: list[dict[str, Any]] = self.data["surfaces"]
        return found

    def __bool__(self) -> bool:
        return bool(self.data["differing_surfaces"] > 0)

    def __repr__(self) -> str:
        return (f"<mxgold.Difference of {self.data['a']} and {self.data['b']}: {self.data['differing_surfaces']} of "
                f"{self.data['common_surfaces']} surfaces differ>")

    def _repr_html_(self) -> str:
        rows = ["<tr><th>source</th><th>target</th><th>smallest input</th><th>because</th></tr>"]
        for surface in self.surfaces:
            for each in surface["differences"] or [None]:
                words = " ".join(map(str, each["input"])) if each else "agree: " + surface["basis"]
                causes = "; ".join(f"{cause['field']} {cause['a']} | {cause['b']}"
                                   for cause in each["causes"]) if each else ""
                rows.append(f"<tr><td>{surface['source']}</td><td>{surface['target']}</td>"
                            f"<td><code>{html.escape(words)}</code></td><td>{html.escape(causes)}</td></tr>")
        return f"<p>{html.escape(repr(self)[1:-1])}</p><table>{''.join(rows)}</table>"


@functools.lru_cache(maxsize=32)
def _compared(a: str, b: str, options: tuple[tuple[str, str], ...]) -> tuple[bytes, str]:
    """What is known of two profiles does not change, and costs a quarter of a second for a block format."""
    return raw_answer("diff", encoded(a), encoded(b), *options_of(options))[:2]


def diff(a: str, b: str, format: str | Sequence[str] | None = None, *,
         source: str | Sequence[str] | None = None) -> Difference:
    """Where two profiles part, with the smallest inputs, and how that is known.

    a, b: names of profiles, "torchao-0.18:rceil" (mxgold.profiles()).
    format: a format or list of formats to compare on, default all that both speak of.
    source: a source format or list of them, default all.

    Returns a Difference, true where they differ. ValueError for an unknown name.

    >>> bool(mxgold.diff("ocp-mx-1.0", "te", "e4m3fn", source="bf16"))
    False
    """
    options: list[tuple[str, str]] = []
    for option, value in (("format", format), ("source", source)):
        if value is not None:
            each: list[Any] = list(value) if isinstance(value, (list, tuple)) else [value]
            options.append((option, ";".join(str(named_format(name)) for name in each)))
    data, text = _compared(str(a), str(b), tuple(options))
    return Difference(json.loads(data), text)


class Identification(Answer):
    """Who made a log: `print(i)` is the answer in a few lines, `i.details` all that was found, `i.data` the same as data."""

    def __init__(self, data: dict[str, Any], text: str, notes: Sequence[str] = ()) -> None:
        answer, _, details = text.partition("\n\n")
        super().__init__(data, "\n".join([answer, *notes]))
        #: What `mxgold identify --verbose` prints after the answer.
        self.details: str = details
        #: How arrays were read that are not laid out as the inputs are: packed codes, swizzled scales.
        self.notes: list[str] = list(notes)

    @property
    def profiles(self) -> list[str]:
        """The profiles that explain every record."""
        return [member["profile"] for each in self.data["classes"] for member in each["members"]]

    @property
    def deviations(self) -> list[tuple[str, dict[str, str]]]:
        """Profiles that explain every record with policies changed: (profile, {policy: value})."""
        return [(member["profile"], {change["field"]: change["to"] for change in member.get("changes", [])})
                for each in self.data["deviations"] for member in each["members"]]

    @property
    def readings(self) -> list[tuple[str, str]]:
        """Profiles that explain every record if its words are read otherwise: (profile, reading)."""
        return [(member["profile"], reading["text"]) for reading in self.data.get("readings", [])
                for each in reading["classes"] for member in each["members"]]

    @property
    def structures(self) -> list[tuple[str, str]]:
        """Profiles on a device that does one thing more, which explain every record: (profile, what it does)."""
        return [(member["profile"], member["text"]) for each in self.data.get("structures", []) for member in each["members"]]

    @property
    def who(self) -> list[str]:
        """One name for each group that is left: profiles, else those with a change, another reading or a structure."""
        found: list[str] = self.data["who"]
        return found

    @property
    def silent(self) -> list[str]:
        """Profiles that leave open every output by which others are contradicted: no explanation."""
        found: list[str] = self.data["silent"]
        return found

    @property
    def records(self) -> int:
        """Records of the log."""
        return int(self.data["records"])

    @property
    def compared(self) -> int:
        """Records of which some profile specifies something."""
        return int(self.data["compared_records"])

    @property
    def telling(self) -> int:
        """Records that contradict at least one profile."""
        return int(self.data["telling_records"])

    @property
    def next_input(self) -> dict[str, Any] | None:
        """The input that would decide: "input", and "answers" with "codes" and "who" of each; None where none does."""
        return self.data.get("next")

    def __bool__(self) -> bool:
        return bool(self.profiles or self.deviations or self.readings or self.structures)

    def __repr__(self) -> str:
        return f"<mxgold.Identification: {', '.join(self.who) or 'no profile'}>"

    def _repr_html_(self) -> str:
        rows = ["<tr><th>profile</th><th>verdict</th></tr>"]
        for each in self.data["profiles"]:
            verdict = f"explains {each['compared']} outputs" if each["explains"] else "not judged"
            if each.get("first"):
                verdict = (f"line {each['first']['line']}: expected {each['first']['expected']}, seen "
                           f"{each['first']['seen']}")
            rows.append(f"<tr><td>{html.escape(each['profile'])}</td><td>{html.escape(verdict)}</td></tr>")
        return f"<table>{''.join(rows)}</table>"


def _read_log(path: str) -> str | Identification:
    """The text of a log in a file; of a vector file, which the program reads, what it says of it."""
    with open(path, "rb") as file:
        start = file.read()
    if not start.startswith((b"# mxgold-vectors", b"// mxgold-vectors", b"MXGOLDB1", b'{"mxgold-vectors"')):
        return start.decode(errors="replace")
    accepted = (_program.PASS, _program.MISMATCH)
    return Identification(_program.ask("identify", path, accepted=accepted),
                          _program.run(["identify", "--verbose", path], accepted=accepted)[1].rstrip("\n"))


def identify(inputs: ArrayLike | Tensor | str | os.PathLike[str],
             outputs: ArrayLike | Tensor | Quantized | tuple[Any, Any] | None = None,
             format: FormatLike | None = None) -> Identification:
    """Which profile, or which with a policy changed, explains what an implementation did.

    inputs: an array of source values whose type is the source format; or the path or the text of a log
        (docs/identify.md), then the other arguments are left out.
    outputs: what the implementation gave, an array of as many codes, or of values: a float type other than the format's.
        For a block format also a Quantized or a pair (scales, codes), in blocks along the last axis; codes without scales
        are compared alone. Codes of 4 bits may stand two a byte, and scales in tiles of 128 x 4 (`notes` says so); other
        orders of lanes, codes and scales are tried where nothing else explains the arrays (`readings`, `structures`).
    format: the destination, an element or block format.

    Returns an Identification, true where something explains every record. ValueError for a malformed log.

    >>> x = numpy.float32([0.75, 1.25, 1.75, 2.5])
    >>> "ggml" in mxgold.identify(x, numpy.uint8([1, 2, 3, 4]), "e2m1fn").profiles
    True
    """
    notes: list[str] = []
    if outputs is None:
        if not isinstance(inputs, (str, os.PathLike)):
            raise TypeError("identify takes a log, or inputs, outputs and a format")
        log = inputs if isinstance(inputs, str) and "\n" in inputs else _read_log(os.fspath(inputs))
    else:
        if format is None and isinstance(outputs, Quantized):
            format = outputs.format
        if format is None:
            raise TypeError("identify takes a log, or inputs, outputs and a format")
        log, notes = log_of(inputs, outputs, format)
    if isinstance(log, Identification):
        return log
    data, text, _ = ask("identify", encoded(log))
    return Identification(data, text, notes)


def telling_inputs(format: FormatLike, *, source: FormatLike = "fp32", count: int = 1000) -> Array:
    """Inputs that tell the profiles of an element format apart: run them through an implementation, then identify().

    Returns an array of codes of `source`, at most `count`.
    """
    target, origin = named_format(format), element_format(source)
    if isinstance(target, BlockFormat):
        raise ValueError(f"{target} is a format of blocks: use the program, mxgold identify --emit-stimulus {target}")
    data = ask("telling_inputs", encoded(str(origin)), encoded(str(target)), _native.index("count", count), 0)[0]
    words = numpy.array([int(each["input"][0], 16) for each in data["inputs"]], numpy.uint64)
    return words.astype(f"<u{origin.storage_bytes}").view(origin.dtype)
