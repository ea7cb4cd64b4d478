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

import contextlib
import hashlib
import os
import re
import secrets
import stat
import struct
from typing import TYPE_CHECKING, Any

import numpy

from . import _program
from ._formats import format as named_format
from ._policies import policy as make_policy

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from ._types import Array, FormatLike, PolicyLike

_MAGIC = b"MXGOLDB1"
_HEAD = struct.Struct("<8sIIQIIQQ16x")
_FIELD = re.compile(r"(\w+)(?:\[(\d+)\])?:(\d+)")


class Vectors:
    """A vector file in memory.

    header: the header lines in their order, name -> text; "config" is a list of texts where there are several
    configurations. records: a structured array, a field for each of header["fields"], operands first, then results.
    """

    def __init__(self, header: dict[str, Any], records: Array) -> None:
        #: The header lines, name -> text.
        self.header: dict[str, Any] = header
        #: A structured array.
        self.records: Array = records

    def __repr__(self) -> str:
        return f"<mxgold.Vectors: {len(self.records)} of {self.header['op']}, {self.header['fields']}>"


def _fields(text: str) -> list[Any]:
    fields: list[Any] = []
    for name, lanes, digits in _FIELD.findall(text):
        word = f"<u{int(digits) // 2}"
        fields.append((name, word, (int(lanes),)) if lanes else (name, word))
    return fields


def _layout(header: dict[str, Any]) -> tuple[numpy.dtype[Any], numpy.dtype[Any]]:
    operands, _, results = header["fields"].partition(" | ")
    return numpy.dtype(_fields(operands)), numpy.dtype(_fields(operands) + _fields(results))


def _parse_header(lines: list[str]) -> dict[str, Any]:
    header: dict[str, Any] = {}
    for line in lines:
        key, _, value = line[2:].partition(" ")
        if key == "config":
            header.setdefault("config", []).append(value)
        else:
            header[key] = value
    return header


def _header_text(header: dict[str, Any]) -> bytes:
    lines: list[str] = []
    for key, value in header.items():
        lines += [f"# {key} {each}" for each in value] if key == "config" else [f"# {key} {value}"]
    for line in lines:
        if len(line.splitlines()) != 1:
            raise ValueError(f"header: {line!r} is not one line; leave out what ends it")
    for name in header:
        if not name or " " in name:
            raise ValueError(f"header: {name!r} is empty or holds a blank; give names of one word")
    return ("\n".join(lines) + "\n").encode("ascii")


def _digests(records: Array, operand_bytes: int) -> tuple[bytes, bytes]:
    rows = numpy.ascontiguousarray(records).view(numpy.uint8).reshape(len(records), -1)
    return (hashlib.sha256(numpy.ascontiguousarray(rows[:, :operand_bytes]).data).digest(),
            hashlib.sha256(rows.data).digest())


def _read_bin(path: str) -> tuple[dict[str, Any], Array]:
    with open(path, "rb") as file:
        _, _, text_bytes, count, _, _, first, _ = _HEAD.unpack(file.read(_HEAD.size))
        header = _parse_header(file.read(text_bytes).decode("ascii").splitlines())
    layout = _layout(header)[1]
    return header, numpy.memmap(path, layout, "c", first, (count,)) if count else numpy.empty(0, layout)


def _read_tv(path: str) -> tuple[dict[str, Any], Array]:
    with open(path, newline="", encoding="ascii") as file:
        lines = file.read().split("\n")
    at = next(i for i, line in enumerate(lines) if line.startswith("# count ")) + 1
    header = _parse_header(lines[:at])
    layout = _layout(header)[1]
    body = lines[at:at + int(header["count"])]
    raw = bytearray(b"".join(bytes.fromhex(word)[::-1] for line in body for word in line.split(" ")))
    return header, numpy.frombuffer(raw, layout)


def read(path: str | os.PathLike[str]) -> Vectors:
    """The Vectors of a .bin or .tv file; ValueError, in the program's words, for whatever the program refuses: a word of
    the header, a count, an operand that is not its suite's, a digest.

    The records of a .bin are mapped, not copied; changing them does not change the file, and they stay as they are when
    the file is written anew by write() or the program, which replace it as a whole.
    """
    from .bench import _model

    path = os.fspath(path)
    reader = {".bin": _read_bin, ".tv": _read_tv}.get(os.path.splitext(path)[1])
    if reader is None:
        raise ValueError(f"{path}: a file to read here ends in .bin or .tv")
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise ValueError(f"{path}: is no regular file; read a copy of it")
    with open(path, "rb") as file:
        is_bin = file.read(len(_MAGIC)) == _MAGIC
    if is_bin != (reader is _read_bin):
        raise ValueError(f"{path}: holds another kind of file than its name says")
    if problem := _model.vectors_problem(path):
        raise ValueError(problem)
    return Vectors(*reader(path))


@contextlib.contextmanager
def _replacing(path: str) -> Iterator[BinaryIO]:
    """A file to write that takes the name, as a whole, at the end; where that is a pipe or a device, it itself."""
    target = os.path.realpath(path)
    mode = os.stat(target).st_mode if os.path.exists(target) else None
    if mode is not None and not stat.S_ISREG(mode):
        with open(target, "wb") as file:
            yield file
        return
    beside = f"{target}.{secrets.token_hex(8)}.part"
    try:
        with open(beside, "xb") as file:
            yield file
            file.flush()
            if mode is not None:
                os.fchmod(file.fileno(), stat.S_IMODE(mode))
            os.fsync(file.fileno())
        os.replace(beside, target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(beside)
        raise


def _line(record: Any, layout: numpy.dtype[Any]) -> bytes:
    words: list[str] = []
    for name in layout.names or ():
        digits = 2 * layout[name].base.itemsize
        words += [f"{int(word):0{digits}x}" for word in numpy.atleast_1d(record[name])]
    return (" ".join(words) + "\n").encode()


def write(path: str | os.PathLike[str], header: dict[str, Any], records: Array) -> None:
    """Writes a .bin or .tv file, complete with counts and digests. It takes its name as a whole, so that it may be the
    file that the records were read from.

    header: as read() gives it. records: a structured array with the header's fields. ValueError where they do not fit.
    """
    path = os.fspath(path)
    if not path.endswith((".bin", ".tv")):
        raise ValueError(f"{path}: a file to write here ends in .bin or .tv")
    operands, layout = _layout(header)
    records = numpy.ascontiguousarray(records)
    if records.dtype != layout:
        raise ValueError(f"the records do not have the fields {header['fields']}")
    digests = _digests(records, operands.itemsize)
    text = _header_text({**header, "count": str(len(records))})
    with _replacing(path) as file:
        if path.endswith(".bin"):
            first = (_HEAD.size + len(text) + 63) // 64 * 64
            head = _HEAD.pack(_MAGIC, 2, len(text), len(records), operands.itemsize, layout.itemsize, first,
                              first + records.nbytes)
            file.write((head + text).ljust(first, b"\0"))
            file.write(records.tobytes())
            file.write(b"MXGOLDE1" + struct.pack("<Q", len(records)) + digests[0] + digests[1])
        else:
            file.write(text)
            file.writelines(_line(record, layout) for record in records)
            file.write(f"# end {len(records)}\n# operands {digests[0].hex()}\n# records {digests[1].hex()}\n".encode())


def generate(path: str | os.PathLike[str], format: FormatLike, policy: PolicyLike = "", *, source: FormatLike = "fp32",
             suite: str = "smoke", count: int | None = None, seed: int = 0) -> None:
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


def check(path: str | os.PathLike[str], *, profile: str | None = None) -> dict[str, Any]:
    """Judges the results in a file as a device's answers, bit by bit.

    Returns a dict: "verdict" ("PASS" or "FAIL"), "mismatches", "words_compared", ... ValueError where the file is not
    whole, its operands are not those of its suite, or nothing was compared. profile: judge by that system's policies.
    """
    chosen = [] if profile is None else ["--profile", str(profile)]
    found: dict[str, Any] = _program.ask("check", *chosen, os.fspath(path), accepted=(_program.PASS, _program.MISMATCH))
    return found
