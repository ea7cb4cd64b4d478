"""The shared library and what its C interface returns, as Python objects."""

from __future__ import annotations

import builtins
import ctypes
import os
import sys
from typing import TYPE_CHECKING, Any

import numpy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ._types import Array

    #: name -> (words, type)
    Tensors = Mapping[str, tuple[Array, str]]

_ABI_VERSION = 1
_MESSAGE_BYTES = 1024


class Error(Exception):
    """A request that the library refused where no built-in exception says it better."""


class _Tensor(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("type", ctypes.c_char_p), ("shape", ctypes.POINTER(ctypes.c_uint64)),
                ("rank", ctypes.c_size_t), ("data", ctypes.c_void_p), ("bytes", ctypes.c_uint64)]


class _Fact(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("text", ctypes.c_char_p), ("problem", ctypes.c_char_p)]


def _path() -> str:
    """The library of MXGOLD_LIBRARY, else the one installed with this package, else the name of the system's."""
    named = os.environ.get("MXGOLD_LIBRARY")
    if named:
        return named
    name = f"libmxgold.so.{_ABI_VERSION}"
    # An editable install has Python sources in one folder of the package and the library in another.
    for folder in package_folders():
        path = os.path.join(folder, name)
        if os.path.exists(path):
            return path
    return name


def package_folders() -> list[str]:
    """The folders of the package mxgold."""
    return list(sys.modules[__name__.rpartition(".")[0]].__path__)


def _load() -> ctypes.CDLL:
    path = _path()
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"mxgold: the library {path} cannot be loaded: {error}; pip install mxgold, or set MXGOLD_LIBRARY"
                          " to the path of a library that you built") from None
    version = library.mxgold_abi_version()
    if version != _ABI_VERSION:
        raise ImportError(f"mxgold: the library has C interface {version}, this package wants {_ABI_VERSION}")
    size, pointer, text = ctypes.c_size_t, ctypes.c_void_p, ctypes.c_char_p
    message = [ctypes.c_char_p, size]
    tensors = [ctypes.POINTER(_Tensor), size, ctypes.POINTER(ctypes.c_int64)]
    signatures = {
        "mxgold_version": (text, []),
        "mxgold_status_text": (text, [ctypes.c_int]),
        "mxgold_system": (text, [size]),
        "mxgold_name": (text, [text, size]),
        "mxgold_name_here": (text, [text, size]),
        "mxgold_cast_create": (ctypes.c_int, [text, text, text, ctypes.POINTER(pointer), *message]),
        "mxgold_cast_destroy": (None, [pointer]),
        "mxgold_cast_text": (text, [pointer]),
        "mxgold_cast_property": (_Fact, [pointer, size]),
        "mxgold_cast_random_words": (ctypes.c_int, [pointer, *tensors, ctypes.POINTER(ctypes.c_uint64), *message]),
        "mxgold_cast_apply": (ctypes.c_int, [pointer, *tensors, pointer, ctypes.c_uint64, ctypes.POINTER(pointer),
                                             *message]),
        "mxgold_results_destroy": (None, [pointer]),
        "mxgold_result": (_Tensor, [pointer, size]),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


LIBRARY = _load()


def encoded(text: str) -> bytes:
    """A text as the library takes it, which ends at a NUL: ValueError for one that holds any."""
    if "\0" in text:
        raise ValueError(f"{text!r}: holds a NUL character; leave it out")
    return text.encode()


def check(status: int, message: ctypes.Array[ctypes.c_char] | None = None) -> None:
    """Raises what a status other than OK means. A message "ValueError: ..." names a built-in exception."""
    if status == 0:
        return
    text = message.value.decode() if message is not None else ""
    kind, colon, rest = text.partition(": ")
    exception = getattr(builtins, kind, None) if colon else None
    if isinstance(exception, type) and issubclass(exception, Exception):
        raise exception(rest)
    if status == 7:
        raise MemoryError(text)
    reason = LIBRARY.mxgold_status_text(status).decode()
    raise Error(f"{reason}: {text}" if text else reason)


def systems() -> list[str]:
    """The names of the emulated systems."""
    names: list[str] = []
    while True:
        name = LIBRARY.mxgold_system(len(names))
        if name is None:
            return names
        names.append(name.decode())


class _Results:
    """Owns the memory of results until the last array that looks into it is gone."""

    def __init__(self, handle: ctypes.c_void_p) -> None:
        self.handle = handle

    def __del__(self) -> None:
        LIBRARY.mxgold_results_destroy(self.handle)


class Cast:
    """A cast of an emulated system: `Cast("dmx:MXFP8[E4M3]{32}", mode="compat")`.

    mode: "strict" (default; what the system's documentation says) or "compat" (the bits of the named version).
    platform: "x86" (default), "aarch64" or "cuda"; read by compat.
    """

    def __init__(self, text: str, mode: str | None = None, platform: str | None = None) -> None:
        self._handle: ctypes.c_void_p | None = None
        handle = ctypes.c_void_p()
        message = ctypes.create_string_buffer(_MESSAGE_BYTES)
        check(LIBRARY.mxgold_cast_create(encoded(text), _encoded(mode), _encoded(platform), ctypes.byref(handle), message,
                                         _MESSAGE_BYTES), message)
        self._handle = handle

    def __del__(self) -> None:
        if self._handle is not None:
            LIBRARY.mxgold_cast_destroy(self._handle)

    def __repr__(self) -> str:
        text: bytes = LIBRARY.mxgold_cast_text(self._handle)
        return text.decode()

    def properties(self) -> dict[str, Any]:
        """What the system tells of the format: name -> text, or the exception that it raises."""
        found: dict[str, Any] = {}
        index = 0
        while True:
            fact = LIBRARY.mxgold_cast_property(self._handle, index)
            if fact.name is None:
                return found
            if fact.problem:
                kind, _, rest = fact.problem.decode().partition(": ")
                found[fact.name.decode()] = getattr(builtins, kind, Error)(rest)
            else:
                found[fact.name.decode()] = fact.text.decode()
            index += 1

    def random_words(self, tensors: Tensors, axis: int | None = None) -> int:
        """How many 32-bit random words apply() reads for these tensors; 0 where the cast is deterministic."""
        words = ctypes.c_uint64()
        message = ctypes.create_string_buffer(_MESSAGE_BYTES)
        check(LIBRARY.mxgold_cast_random_words(self._handle, _structures(tensors), len(tensors), _axis(axis),
                                               ctypes.byref(words), message, _MESSAGE_BYTES), message)
        return words.value

    def apply(self, tensors: Tensors, axis: int | None = None, random: Array | None = None,
              only: str | None = None) -> dict[str, tuple[Array, str]]:
        """Casts tensors["values"], the first; the others are operands by name ("scale", "gradient").

        tensors: name -> (words, type), words a C-ordered NumPy array of any dtype of the type's width, type one of
        fp32, bf16, fp16, fp64, uint8, int8, int32, int64. random: a uint32 array.
        Returns name -> (words, type) without a copy; the words of bf16 come as uint16. only: a single result's name.
        """
        handle = ctypes.c_void_p()
        message = ctypes.create_string_buffer(_MESSAGE_BYTES)
        words, count = None, 0
        if random is not None:
            words, count = random.ctypes.data_as(ctypes.c_void_p), random.size
        check(LIBRARY.mxgold_cast_apply(self._handle, _structures(tensors), len(tensors), _axis(axis), words, count,
                                        ctypes.byref(handle), message, _MESSAGE_BYTES), message)
        results = _Results(handle)
        found: dict[str, tuple[Array, str]] = {}
        index = 0
        while True:
            tensor = LIBRARY.mxgold_result(handle, index)
            index += 1
            if tensor.name is None:
                return found
            name = tensor.name.decode()
            if only in (None, name):
                found[name] = (_view(tensor, results), tensor.type.decode())
                if only:
                    return found


_DTYPES = {kind: numpy.dtype(name) for kind, name in (
    (b"fp32", "<f4"), (b"bf16", "<u2"), (b"fp16", "<f2"), (b"fp64", "<f8"), (b"uint8", "u1"), (b"int8", "i1"),
    (b"int32", "<i4"), (b"int64", "<i8"))}


def _encoded(text: str | None) -> bytes | None:
    return None if text is None else encoded(text)


def _axis(axis: int | None) -> Any:
    return None if axis is None else ctypes.byref(ctypes.c_int64(axis))


def _structures(tensors: Tensors) -> ctypes.Array[_Tensor]:
    structures = (_Tensor * len(tensors))()
    for structure, (name, (words, kind)) in zip(structures, tensors.items()):
        structure.name = encoded(name)
        structure.type = encoded(kind)
        structure.shape = (ctypes.c_uint64 * words.ndim)(*words.shape)
        structure.rank = words.ndim
        structure.data = words.ctypes.data
        structure.bytes = words.nbytes
    return structures


def _view(tensor: _Tensor, results: _Results) -> Array:
    shape = tensor.shape[:tensor.rank] if tensor.rank else ()
    dtype = _DTYPES[tensor.type]
    if tensor.bytes == 0:
        return numpy.empty(shape, dtype)
    buffer = (ctypes.c_ubyte * tensor.bytes).from_address(tensor.data)
    buffer.results = results  # the array's base keeps the memory
    return numpy.frombuffer(buffer, dtype).reshape(shape)
