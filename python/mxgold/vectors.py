"""Vector files: golden inputs and outputs, made, read, changed, written and judged (docs/vector-format.md).

>>> mxgold.vectors.generate("goldens.bin", "mxfp4", suite="smoke")
>>> file = mxgold.vectors.read("goldens.bin")
>>> file.records["source"].shape[1], file.header["format"]
(32, 'mxfp4')
>>> mxgold.vectors.write("answers.bin", file.header, file.records)
>>> mxgold.vectors.check("answers.bin")["verdict"]
'PASS'
"""

from __future__ import annotations

import hashlib
import os
import re
import struct
from typing import TYPE_CHECKING, Any

import numpy

from . import _program
from ._formats import format as named_format
from ._policies import policy as make_policy

if TYPE_CHECKING:
    from ._formats import BlockFormat, ElementFormat
    from ._types import PolicyLike

_HEAD = struct.Struct("<8sIIQIIQQ16x")
_FIELD = re.compile(r"(\w+)(?:\[(\d+)\])?:(\d+)")


class Vectors:
    """A vector file in memory.

    header: the header lines in their order, name -> text; "config" is a list of texts where there are several
    configurations. records: a structured array, a field for each of header["fields"], operands first, then results.
    """

    def __init__(self, header: dict[str, Any], records: numpy.ndarray) -> None:
        self.header = header
        self.records = records

    def __repr__(self):
        return f"<mxgold.Vectors: {len(self.records)} of {self.header['op']}, {self.header['fields']}>"


def _fields(text):
    fields = []
    for name, lanes, digits in _FIELD.findall(text):
        word = f"<u{int(digits) // 2}"
        fields.append((name, word, (int(lanes),)) if lanes else (name, word))
    return fields


def _layout(header):
    operands, _, results = header["fields"].partition(" | ")
    return numpy.dtype(_fields(operands)), numpy.dtype(_fields(operands) + _fields(results))


def _parse_header(lines):
    header = {}
    for line in lines:
        key, _, value = line[2:].partition(" ")
        if key == "config":
            header.setdefault("config", []).append(value)
        else:
            header[key] = value
    if header.get("mxgold-vectors") != "2" or not _FIELD.search(header.get("fields", "")):
        raise ValueError("not a vector file of schema 2, or one without fields")
    return header


def _header_text(header):
    lines = []
    for key, value in header.items():
        lines += [f"# {key} {each}" for each in value] if key == "config" else [f"# {key} {value}"]
    return "\n".join(lines) + "\n"


def _digests(records, operand_bytes):
    rows = numpy.ascontiguousarray(records).view(numpy.uint8).reshape(len(records), -1)
    return (hashlib.sha256(numpy.ascontiguousarray(rows[:, :operand_bytes])).digest(),
            hashlib.sha256(rows).digest())


def _read_bin(path):
    with open(path, "rb") as file:
        head = file.read(_HEAD.size)
        if len(head) < _HEAD.size or head[:8] != b"MXGOLDB1":
            raise ValueError(f"{path}: not a .bin vector file")
        _, _, text_bytes, count, operand_bytes, record_bytes, first, trailer = _HEAD.unpack(head)
        header = _parse_header(file.read(text_bytes).decode("ascii").splitlines())
        file.seek(trailer)
        end = file.read(80)
    operands, layout = _layout(header)
    if (layout.itemsize, operands.itemsize) != (record_bytes, operand_bytes) or trailer != first + count * record_bytes:
        raise ValueError(f"{path}: the header does not fit the records")
    if len(end) != 80 or end[:8] != b"MXGOLDE1" or struct.unpack("<Q", end[8:16])[0] != count:
        raise ValueError(f"{path}: truncated")
    records = numpy.memmap(path, layout, "c", first, (count,)) if count else numpy.empty(0, layout)
    return header, records, (end[16:48], end[48:80])


def _read_tv(path):
    with open(path, newline="", encoding="ascii") as file:
        lines = file.read().split("\n")
    at = next((i for i, line in enumerate(lines) if line.startswith("# count ")), None)
    if at is None or lines[-1] != "" or len(lines) < at + 5:
        raise ValueError(f"{path}: truncated")
    header = _parse_header(lines[:at + 1])
    trailer = dict(line[2:].split(" ", 1) for line in lines[-4:-1])
    body = lines[at + 1:-4]
    if not len(body) == int(header["count"]) == int(trailer["end"]):
        raise ValueError(f"{path}: {len(body)} records where {header['count']} are declared")
    layout = _layout(header)[1]
    parts = [(layout[name].shape or (1,), layout[name].base.itemsize) for name in layout.names]
    digits = [2 * size for (lanes,), size in parts for _ in range(lanes)]
    raw = bytearray()
    for line in body:
        words = line.split(" ")
        if [len(word) for word in words] != digits:
            raise ValueError(f"{path}: a record does not have the fields {header['fields']}")
        raw += b"".join(bytes.fromhex(word)[::-1] for word in words)
    records = numpy.frombuffer(raw, layout)
    return header, records, tuple(bytes.fromhex(trailer[name]) for name in ("operands", "records"))


def read(path: str | os.PathLike) -> Vectors:
    """The Vectors of a .bin or .tv file; ValueError where counts or digests are not right.

    The records of a .bin are mapped, not copied; changing them does not change the file.
    """
    path = os.fspath(path)
    readers = {".bin": _read_bin, ".tv": _read_tv}
    reader = readers.get(os.path.splitext(path)[1])
    if reader is None:
        raise ValueError(f"{path}: a file to read here ends in .bin or .tv")
    header, records, digests = reader(path)
    if _digests(records, _layout(header)[0].itemsize) != digests:
        raise ValueError(f"{path}: the digests of the trailer are not those of the records")
    return Vectors(header, records)


def write(path: str | os.PathLike, header: dict[str, Any], records: numpy.ndarray) -> None:
    """Writes a .bin or .tv file, complete with counts and digests.

    header: as read() gives it. records: a structured array with the header's fields.
    """
    path = os.fspath(path)
    operands, layout = _layout(header)
    records = numpy.ascontiguousarray(records)
    if records.dtype != layout:
        raise ValueError(f"the records do not have the fields {header['fields']}")
    header = {**header, "count": str(len(records))}
    digests = _digests(records, operands.itemsize)
    text = _header_text(header)
    if path.endswith(".bin"):
        first = (_HEAD.size + len(text) + 63) // 64 * 64
        trailer = first + records.nbytes
        head = _HEAD.pack(b"MXGOLDB1", 2, len(text), len(records), operands.itemsize, layout.itemsize, first, trailer)
        with open(path, "wb") as file:
            file.write((head + text.encode("ascii")).ljust(first, b"\0"))
            file.write(records.tobytes())
            file.write(b"MXGOLDE1" + struct.pack("<Q", len(records)) + digests[0] + digests[1])
    elif path.endswith(".tv"):
        with open(path, "w", newline="", encoding="ascii") as file:
            file.write(text)
            for record in records:
                words = []
                for name in layout.names:
                    digits = 2 * layout[name].base.itemsize
                    words += [f"{int(word):0{digits}x}" for word in numpy.atleast_1d(record[name])]
                file.write(" ".join(words) + "\n")
            file.write(f"# end {len(records)}\n# operands {digests[0].hex()}\n# records {digests[1].hex()}\n")
    else:
        raise ValueError(f"{path}: a file to write here ends in .bin or .tv")


def generate(path: str | os.PathLike, format: str | ElementFormat | BlockFormat, policy: PolicyLike = "", *,
             source: str | ElementFormat = "fp32", suite: str = "smoke", count: int | None = None, seed: int = 0) -> None:
    """Makes a file of golden vectors: a device's inputs with the answers that the reference gives.

    path: ends in .bin, .tv or .mem; a manifest PATH.json is written beside it. format: an element or block format.
    policy: mxgold.policy. suite: "smoke", "dir", "rnd" or "policy"; count: vectors of "rnd" and "policy" (10000),
    others have their own number; seed: of what is drawn.
    """
    target = named_format(format)
    operation = "block" if hasattr(target, "element") else "cvt"
    drawn = [] if count is None else ["--count", count]
    _program.run(["gen", "--op", operation, "--format", target, "--source", named_format(source), "--suite", suite,
                  *drawn, "--seed", seed, *_program.policy_arguments(make_policy(policy)), "-o",
                  os.fspath(path)])


def check(path: str | os.PathLike, *, profile: str | None = None) -> dict[str, Any]:
    """Judges the results in a file as a device's answers, bit by bit.

    Returns a dict: "verdict" ("PASS" or "FAIL"), "mismatches", "words_compared", ... ValueError where the file is not
    whole, its operands are not those of its suite, or nothing was compared. profile: judge by that system's policies.
    """
    chosen = [] if profile is None else ["--profile", str(profile)]
    return _program.ask("check", *chosen, os.fspath(path), accepted=(_program.PASS, _program.MISMATCH))
