# SPDX-License-Identifier: Apache-2.0
"""Files of the safetensors format: 8 bytes that say how long the header is, the header in JSON, then the tensors.

What is read is checked whole before a tensor is taken; what is written appears whole or not at all.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Iterable, NamedTuple, NoReturn

import numpy

if TYPE_CHECKING:
    from ._types import Array

#: The types of the format and how many bits an element has.
BITS = {"BOOL": 8, "F4": 4, "F6_E2M3": 6, "F6_E3M2": 6, "U8": 8, "I8": 8, "F8_E5M2": 8, "F8_E4M3": 8, "F8_E8M0": 8,
        "F8_E4M3FNUZ": 8, "F8_E5M2FNUZ": 8, "I16": 16, "U16": 16, "F16": 16, "BF16": 16, "I32": 32, "U32": 32, "F32": 32,
        "C64": 64, "F64": 64, "I64": 64, "U64": 64}
#: The types that hold codes, and of which format.
FORMATS = {"F64": "fp64", "F32": "fp32", "F16": "fp16", "BF16": "bf16", "F8_E4M3": "e4m3fn", "F8_E5M2": "e5m2",
           "F8_E8M0": "e8m0", "F8_E4M3FNUZ": "e4m3fnuz", "F8_E5M2FNUZ": "e5m2fnuz", "F6_E2M3": "e2m3fn",
           "F6_E3M2": "e3m2fn", "F4": "e2m1fn"}
#: The type of codes of a format.
TYPES = {name: kind for kind, name in FORMATS.items()}
#: The others, and NumPy's type of each.
NUMBERS = {"BOOL": numpy.dtype(bool), "U8": numpy.dtype("u1"), "I8": numpy.dtype("i1"), "U16": numpy.dtype("<u2"),
           "I16": numpy.dtype("<i2"), "U32": numpy.dtype("<u4"), "I32": numpy.dtype("<i4"), "U64": numpy.dtype("<u8"),
           "I64": numpy.dtype("<i8"), "C64": numpy.dtype("<c8")}

_MOST_HEADER = 100_000_000  # the format's own limit
#: How files of other kinds start, and what reads them.
_OTHERS = {b"\x89HDF": "an HDF5 file; the package h5py reads it",
           b"vers": "a pointer of Git LFS in place of the file; fetch it with git lfs pull",
           b"<!DO": "a web page, perhaps in place of a download that failed; fetch it again"}
_MOST_BITS = (1 << 63) - 1


class Stored(NamedTuple):
    """A tensor of a file: what its header says."""

    kind: str
    shape: tuple[int, ...]
    begin: int
    end: int

    def elements(self) -> int:
        """Its elements."""
        return count_of(self.shape)


def count_of(shape: Iterable[int]) -> int:
    """The elements of a shape."""
    count = 1
    for length in shape:
        count *= length
    return count


class Reader:
    """A file that is read. ValueError, naming file, tensor and field, for one that is none of the format."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._file: BinaryIO = open(path, "rb")
        try:
            self.metadata, self.tensors = self._header()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def refuse(self, problem: str) -> NoReturn:
        """A ValueError that names the file."""
        raise ValueError(f"{self.path}: {problem}") from None

    def words(self, name: str) -> Array:
        """The words of a tensor: unsigned bytes in one row where its type has less than 8 bits, else of its shape in
        NumPy's type or unsigned integers."""
        stored = self.tensors[name]
        bits = BITS[stored.kind]
        dtype = NUMBERS.get(stored.kind, numpy.dtype(f"<u{max(bits, 8) // 8}"))
        array = numpy.empty(stored.shape if bits >= 8 else (stored.end - stored.begin,), dtype)
        self._file.seek(self._start + stored.begin)
        if self._file.readinto(array.reshape(-1).view(numpy.uint8)) != array.nbytes:  # type: ignore[attr-defined]
            self.refuse(f"tensor {name!r}: the file ends within it; it changed while it was read")
        return array

    def _header(self) -> tuple[dict[str, str], dict[str, Stored]]:
        size = os.fstat(self._file.fileno()).st_size
        if size < 8:
            self.refuse(f"byte 0: header length: {size} bytes in the file, 8 needed; it is truncated")
        start = self._file.read(8)
        if start[:4] in _OTHERS:
            self.refuse(f"byte 0: {_OTHERS[start[:4]]}")
        length = int.from_bytes(start, "little")
        if length > _MOST_HEADER:
            self.refuse(f"byte 0: header length: {length} is over {_MOST_HEADER}; not a .safetensors file, or damaged")
        if length > size - 8:
            self.refuse(f"byte 0: header length: {length} bytes announced, {size - 8} left in the file; it is truncated, "
                        "copy it again")
        self._start, data = 8 + length, size - 8 - length
        root = self._json(self._file.read(length))
        metadata = self._metadata(root.pop("__metadata__", {}))
        tensors = {name: self._tensor(name, entry, data) for name, entry in root.items()}
        self._require_tiling(tensors, data)
        return metadata, tensors

    def _json(self, text: bytes) -> dict[str, Any]:
        def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
            found = dict(pairs)
            if len(found) < len(pairs):
                names = [name for name, _ in pairs]
                twice = next(name for name in names if names.count(name) > 1)
                self.refuse(f"header: {twice!r} is there twice; no reader agrees which one counts")
            return found

        if not text.startswith(b"{"):
            self.refuse("byte 8: header: does not start with '{'")
        try:
            root = json.loads(text.decode(), object_pairs_hook=once)
        except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
            self.refuse(f"header: not JSON: {error}")
        assert isinstance(root, dict)
        return root

    def _metadata(self, entry: Any) -> dict[str, str]:
        if not isinstance(entry, dict):
            self.refuse("header: '__metadata__' is not an object")
        for key, value in entry.items():
            if not isinstance(value, str):
                self.refuse(f"header: '__metadata__', field {key!r}: not a text")
        return entry

    def _tensor(self, name: str, entry: Any, data: int) -> Stored:
        where = f"header: tensor {name!r}"
        if not isinstance(entry, dict):
            self.refuse(f"{where}: not an object")
        kind = entry.get("dtype")
        if not isinstance(kind, str):
            self.refuse(f"{where}, field 'dtype': missing or not a text")
        if kind not in BITS:
            self.refuse(f"{where}, field 'dtype', value {kind!r}: not a type of the format; the types are {', '.join(BITS)}")
        shape, offsets = (self._numbers(where, entry, field) for field in ("shape", "data_offsets"))
        if len(offsets) != 2:
            self.refuse(f"{where}, field 'data_offsets': {len(offsets)} numbers, 2 needed")
        begin, end = offsets
        if begin > end:
            self.refuse(f"{where}, field 'data_offsets': the end {end} lies before the begin {begin}")
        if end > data:
            self.refuse(f"{where}, field 'data_offsets': {end} lies outside the {data} data bytes; the file is truncated or "
                        "damaged")
        nonzero = count_of(max(length, 1) for length in shape)
        if nonzero * BITS[kind] > _MOST_BITS:
            self.refuse(f"{where}, field 'shape': the size in bits does not fit 63 bits")
        bits = count_of(shape) * BITS[kind]
        if bits % 8:
            self.refuse(f"{where}, field 'shape': {count_of(shape)} elements of {BITS[kind]} bits do not end on a byte")
        if bits // 8 != end - begin:
            self.refuse(f"{where}, field 'data_offsets': {end - begin} bytes, shape {list(shape)} of {kind} needs {bits // 8}")
        return Stored(kind, shape, begin, end)

    def _numbers(self, where: str, entry: dict[str, Any], field: str) -> tuple[int, ...]:
        numbers = entry.get(field)
        if not isinstance(numbers, list):
            self.refuse(f"{where}, field {field!r}: missing or not a list")
        for i, number in enumerate(numbers):
            if type(number) is not int or not 0 <= number < 1 << 64:
                self.refuse(f"{where}, field '{field}[{i}]': {number!r} is not a whole number of 0 to 2^64 - 1")
        return tuple(numbers)

    def _require_tiling(self, tensors: dict[str, Stored], data: int) -> None:
        expected = 0
        for name, stored in sorted(tensors.items(), key=lambda item: (item[1].begin, item[1].end)):
            if stored.begin != expected:
                before = "another tensor reaches to" if stored.begin < expected else "the tensors before it end at"
                self.refuse(f"header: tensor {name!r}, field 'data_offsets': begins at {stored.begin}, but {before} {expected}")
            expected = stored.end
        if expected != data:
            self.refuse(f"data: {data - expected} bytes follow the last tensor; the header does not describe them")


class Piece(NamedTuple):
    """A tensor that is written: its words, or the bytes that they share."""

    kind: str
    shape: tuple[int, ...]
    words: Array


def write(path: str | os.PathLike[str], pieces: dict[str, Piece], metadata: dict[str, str]) -> None:
    """Writes a file whole, or leaves what was there. Wide types come first, then names in order, so that all is aligned."""
    header: dict[str, Any] = {"__metadata__": metadata} if metadata else {}
    order = sorted(pieces, key=lambda name: (-BITS[pieces[name].kind], name))
    end = 0
    for name in order:
        begin, end = end, end + pieces[name].words.nbytes
        header[name] = {"dtype": pieces[name].kind, "shape": list(pieces[name].shape), "data_offsets": [begin, end]}
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    if len(text) > _MOST_HEADER:
        raise ValueError(f"{os.fspath(path)}: a header of {len(text)} bytes; the format takes {_MOST_HEADER}")
    target = Path(os.path.realpath(path))
    scratch = target.with_name(f".{target.name}.{secrets.token_hex(6)}")
    try:
        with open(os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), "wb") as file:
            file.write(len(text).to_bytes(8, "little") + text)
            for name in order:
                file.write(pieces[name].words.reshape(-1).view(numpy.uint8).data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(scratch, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(scratch)
        raise
