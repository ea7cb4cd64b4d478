# SPDX-License-Identifier: Apache-2.0
"""Files of tensors that are not safetensors: NumPy reads its own, the program mxgold the others, as values."""

from __future__ import annotations

import os
import tempfile
import zipfile
from typing import TYPE_CHECKING

import numpy

from . import _program

if TYPE_CHECKING:
    from ._types import Array

#: How files start that the program reads, beside zip archives.
_OF_PROGRAM = (b"GGUF",)
_SUFFIXES = (".onnx", ".pb", ".index.json")


def foreign_kind(path: str | os.PathLike[str]) -> str:
    """"numpy" or "program" for files of other kinds; "" for safetensors and what is none at all."""
    if os.path.isdir(path):
        return "program"
    with open(path, "rb") as file:
        start = file.read(8)
    if start.startswith(b"\x93NUMPY"):
        return "numpy"
    if start.startswith(b"PK\3\4"):
        return "numpy" if _is_npz(path) else "program"
    is_known = start.startswith(_OF_PROGRAM) or os.fspath(path).endswith(_SUFFIXES)
    return "program" if is_known else ""


def _is_npz(path: str | os.PathLike[str]) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except zipfile.BadZipFile:
        return False  # the program says what is wrong with it
    return bool(names) and all(name.endswith(".npy") for name in names)


def numpy_tensors(path: str | os.PathLike[str]) -> dict[str, Array]:
    """The arrays of a .npz file, or `data` of a .npy file. ValueError for objects and damage."""
    try:
        found = numpy.load(path, allow_pickle=False)
        if isinstance(found, numpy.ndarray):
            return {"data": found}
        with found:
            return {name: found[name] for name in found.files}
    except (OSError, EOFError, ValueError, zipfile.BadZipFile) as error:
        raise ValueError(f"{os.fspath(path)}: {error}") from None


def values_file(path: str | os.PathLike[str], folder: str) -> str:
    """A safetensors file of the values, as `mxgold dequantize` writes it into a folder."""
    out = os.path.join(folder, "values.safetensors")
    _program.run(["dequantize", os.fspath(path), "-o", out])
    return out


def scratch() -> tempfile.TemporaryDirectory[str]:
    """A folder for values_file()."""
    return tempfile.TemporaryDirectory(prefix="mxgold-")
