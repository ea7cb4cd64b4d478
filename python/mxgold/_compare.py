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
from ._convert import convert
from ._homes import code_words as bits, codes_of
from ._formats import BlockFormat, element_format, format as named_format
from ._library import encoded
from ._quantized import Quantized

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
    """Which profiles explain a log: `i.profiles` by name, `print(i)` for people, `i.data` for programs."""

    @property
    def profiles(self) -> list[str]:
        """The profiles that explain every record."""
        return [member["profile"] for each in self.data["classes"] for member in each["members"]]

    @property
    def deviations(self) -> list[tuple[str, dict[str, str]]]:
        """Profiles that explain every record with policies changed: (profile, {policy: value})."""
        return [(member["profile"], {change["field"]: change["to"] for change in member.get("changes", [])})
                for each in self.data["deviations"] for member in each["members"]]

    def __bool__(self) -> bool:
        return bool(self.profiles or self.deviations)

    def __repr__(self) -> str:
        return f"<mxgold.Identification: {', '.join(self.profiles) or 'no profile'}>"

    def _repr_html_(self) -> str:
        rows = ["<tr><th>profile</th><th>verdict</th></tr>"]
        for each in self.data["profiles"]:
            verdict = f"explains {each['compared']} outputs" if each["explains"] else "not judged"
            if each.get("first"):
                verdict = (f"line {each['first']['line']}: expected {each['first']['expected']}, seen "
                           f"{each['first']['seen']}")
            rows.append(f"<tr><td>{html.escape(each['profile'])}</td><td>{html.escape(verdict)}</td></tr>")
        return f"<table>{''.join(rows)}</table>"


def _shown(words: Iterable[Any], width: int) -> list[str]:
    """Words of so many bits as logs have them, every digit there."""
    return [f"{int(word):0{-(-width // 4)}x}" for word in words]


def _log_of(inputs: Any, outputs: Any, format: FormatLike) -> str:
    words, source = codes_of(inputs)
    width = words.dtype.itemsize * 8
    shown = _shown(bits(words).ravel(), width)
    target = named_format(format)
    if not isinstance(target, BlockFormat):
        given = _shown(bits(outputs).ravel(), target.bits)
        if len(given) != len(shown):
            raise ValueError(f"{len(shown)} inputs and {len(given)} outputs")
        return f"{source} {target}\n" + "".join(f"{x} {y}\n" for x, y in zip(shown, given))
    if isinstance(outputs, Quantized):
        outputs = (outputs._scales, outputs._codes)
    scales, codes = (bits(each) for each in outputs)
    if target.block_size is None or target.tile_lines != 1 or codes.shape != words.shape or not words.size:
        raise ValueError("a log in blocks takes codes of the shape of the inputs, in blocks of one size along the "
                         "last axis")
    rows = bits(words).reshape(-1, words.shape[-1])
    size, each = target.block_size, -(-words.shape[-1] // target.block_size)
    if scales.size != each * len(rows):
        raise ValueError(f"{len(rows)} rows have {each * len(rows)} blocks of {size}; there are {scales.size} scales")
    level = ""
    if target.two_level:
        values = convert(words, "fp32", source=source)
        amax = numpy.max(abs(values[numpy.isfinite(values)]), initial=0)
        level = f"{int(bits(numpy.float32(amax))):08x} | "
    lines = []
    for number, scale in enumerate(scales.ravel()):
        row, at = divmod(number, each)
        part = slice(at * size, (at + 1) * size)
        answer = codes.reshape(rows.shape)[row, part]
        lines.append(f"{' '.join(_shown(rows[row, part], width))} | {level}{_shown([scale], target.scale_bits)[0]} | "
                     f"{' '.join(_shown(answer, target.element.bits))}\n")
    return f"{source} {target}{' tensor' if level else ''}\n" + "".join(lines)


def _read_log(path: str) -> str | Identification:
    """The text of a log in a file; of a vector file, which the program reads, what it says of it."""
    with open(path, "rb") as file:
        start = file.read()
    if not start.startswith((b"# mxgold-vectors", b"// mxgold-vectors", b"MXGOLDB1", b'{"mxgold-vectors"')):
        return start.decode(errors="replace")
    accepted = (_program.PASS, _program.MISMATCH)
    return Identification(_program.ask("identify", path, accepted=accepted),
                          _program.run(["identify", path], accepted=accepted)[1].rstrip("\n"))


def identify(inputs: ArrayLike | Tensor | str | os.PathLike[str],
             outputs: ArrayLike | Tensor | Quantized | tuple[Any, Any] | None = None,
             format: FormatLike | None = None) -> Identification:
    """Which profile, or which with a policy changed, explains what an implementation did.

    inputs: an array of source values whose type is the source format; or the path or the text of a log
        (docs/identify.md), then the other arguments are left out.
    outputs: the codes that the implementation gave: an array of as many; for a block format a Quantized or a pair
        (scales, codes), in blocks along the last axis.
    format: the destination, an element or block format.

    Returns an Identification, true where something explains every record. ValueError for a malformed log.

    >>> x = numpy.float32([0.75, 1.25, 1.75, 2.5])
    >>> "ggml" in mxgold.identify(x, numpy.uint8([1, 2, 3, 4]), "e2m1fn").profiles
    True
    """
    if outputs is None:
        if not isinstance(inputs, (str, os.PathLike)):
            raise TypeError("identify takes a log, or inputs, outputs and a format")
        log = inputs if isinstance(inputs, str) and "\n" in inputs else _read_log(os.fspath(inputs))
    else:
        if format is None and isinstance(outputs, Quantized):
            format = outputs.format
        if format is None:
            raise TypeError("identify takes a log, or inputs, outputs and a format")
        log = _log_of(inputs, outputs, format)
    if isinstance(log, Identification):
        return log
    data, text, _ = ask("identify", encoded(log))
    return Identification(data, text)


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
