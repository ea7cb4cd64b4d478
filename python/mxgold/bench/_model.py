"""A model of one configuration over mxgold_model.h."""

from __future__ import annotations

import builtins
import ctypes
import os
from typing import Any

from mxgold import _library, _native, _tools
from mxgold._library import LIBRARY, encoded

_OPERANDS = ("source", "random", "a_scale", "a", "b_scale", "b", "c")
_RESULTS = ("scale", "code", "flags")
_MESSAGE_BYTES = 1024


class _Field(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("words", ctypes.c_uint32), ("bits", ctypes.c_uint32),
                ("is_result", ctypes.c_uint32)]


class _Facts(ctypes.Structure):
    _fields_ = [("operation", ctypes.c_char_p), ("lanes", ctypes.c_uint32), ("varies", ctypes.c_uint32),
                ("fields", _Field * (len(_OPERANDS) + len(_RESULTS)))]


class _Record(ctypes.Structure):
    _fields_ = [("elements", ctypes.c_uint32), ("operands", ctypes.POINTER(ctypes.c_uint64) * len(_OPERANDS)),
                ("results", ctypes.POINTER(ctypes.c_uint64) * len(_RESULTS))]


def _load() -> ctypes.CDLL:
    """The library of MXGOLD_MODEL_LIBRARY, else that of the wheel mxgold-tools, else the system's."""
    _library.LIBRARY.mxgold_abi_version()  # which it needs, loaded first
    path = _tools.path("MXGOLD_MODEL_LIBRARY", "MODEL_LIBRARY") or "libmxgold_model.so.1"
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"{error}; {_tools.INSTALL}, or set MXGOLD_MODEL_LIBRARY to the path of that library") from None
    text, pointer = ctypes.c_char_p, ctypes.c_void_p
    message = [ctypes.c_char_p, ctypes.c_size_t]
    signatures = {
        "mxgold_model_abi_version": (ctypes.c_uint32, []),
        "mxgold_model_open": (ctypes.c_int, [text, ctypes.POINTER(pointer), *message]),
        "mxgold_model_open_word": (ctypes.c_int, [ctypes.c_uint32, text, ctypes.POINTER(pointer), *message]),
        "mxgold_model_vectors_problem": (ctypes.c_int, [text, *message]),
        "mxgold_model_close": (None, [pointer]),
        "mxgold_model_text": (text, [pointer]),
        "mxgold_model_word": (ctypes.c_int, [pointer, ctypes.POINTER(ctypes.c_uint32), *message]),
        "mxgold_model_describe": (ctypes.c_int, [pointer, ctypes.POINTER(_Facts)]),
        "mxgold_model_set_lanes": (ctypes.c_int, [pointer, ctypes.c_uint32]),
        "mxgold_model_answer": (ctypes.c_int, [pointer, ctypes.POINTER(_Record), ctypes.POINTER(ctypes.c_uint8),
                                               *message]),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    if library.mxgold_model_abi_version() != 1:
        raise ImportError(f"{path}: interface {library.mxgold_model_abi_version()}, this package wants 1")
    return library


_loaded: ctypes.CDLL | None = None


def _models() -> ctypes.CDLL:
    global _loaded
    if _loaded is None:
        _loaded = _load()
    return _loaded


def vectors_problem(path: str) -> str:
    """What is wrong with a vector file, as the program says it; "" where nothing is."""
    message = ctypes.create_string_buffer(_MESSAGE_BYTES)
    status = _models().mxgold_model_vectors_problem(os.fsencode(path), message, _MESSAGE_BYTES)
    return message.value.decode(errors="replace") or (LIBRARY.mxgold_status_text(status).decode() if status else "")


# A byte of what mxgold_model_answer() says is open.
_OPEN_BUT_FOR_ITS_CLASS = 2


class Answer:
    """Results by their names (lists of words), which words must not be compared (lists of bools), and which of these
    have to be some NaN, or some zero, all the same (op=mma)."""

    def __init__(self, results: dict[str, list[int]], is_open: dict[str, list[bool]],
                 is_alike: dict[str, list[bool]]) -> None:
        #: Words of each result.
        self.results: dict[str, list[int]] = results
        #: Which of them must not be compared.
        self.is_open: dict[str, list[bool]] = is_open
        #: Which of these have to be of the same class: some NaN, some zero.
        self.is_alike: dict[str, list[bool]] = is_alike

    def __repr__(self) -> str:
        return "Answer(" + ", ".join(f"{name}={[hex(word) for word in words]}"
                                     for name, words in self.results.items()) + ")"


class Model:
    """Answers records of one configuration, bit for bit.

    text: words NAME=VALUE, "format=mxfp4 source=bf16 profile=ocp-mx-1.0" (docs/model-line.md). ValueError with the word
    that means nothing.
    lanes: elements of a record, of dot products and casts; else those of a block.
    """

    def __init__(self, text: str, lanes: int | None = None) -> None:
        self._open("mxgold_model_open", encoded(text))
        if lanes is not None and _models().mxgold_model_set_lanes(self._handle, _native.whole("lanes", lanes, 32)) != 0:
            raise ValueError(f"{text}: records of {lanes} lanes do not fit")
        self._describe()

    @classmethod
    def of_word(cls, tuser: int, text: str = "") -> Model:
        """The model of a configuration word of the RTL; text: block_size, random_bits, stochastic."""
        self = cls.__new__(cls)
        self._open("mxgold_model_open_word", _native.whole("tuser", tuser, 32), encoded(text))
        self._describe()
        return self

    def _open(self, function: str, *arguments: Any) -> None:
        self._handle: ctypes.c_void_p | None = ctypes.c_void_p()
        message = ctypes.create_string_buffer(_MESSAGE_BYTES)
        library = _models()
        if getattr(library, function)(*arguments, ctypes.byref(self._handle), message, _MESSAGE_BYTES) != 0:
            self._handle = None
            raise ValueError(message.value.decode())

    def _describe(self) -> None:
        facts = _Facts()
        _models().mxgold_model_describe(self._handle, ctypes.byref(facts))
        #: The operation of the records: "block", "cvt", "mma", ...
        self.operation: str = facts.operation.decode()
        #: Elements of a record.
        self.lanes: int = facts.lanes
        fields: list[tuple[str, Any]] = [(field.name.decode(), field) for field in facts.fields if field.words]
        #: Words and bits of each operand that the records have.
        self.operands: dict[str, tuple[int, int]] = {name: (field.words, field.bits) for name, field in fields if not field.is_result}
        #: The same of each result.
        self.results: dict[str, tuple[int, int]] = {
            name: (field.words, field.bits) for name, field in fields if field.is_result}

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            _models().mxgold_model_close(self._handle)

    @property
    def text(self) -> str:
        """A line that opens the same model."""
        text: bytes = _models().mxgold_model_text(self._handle)
        return text.decode()

    @property
    def word(self) -> int:
        """The configuration word of the RTL. ValueError where it would lose a field."""
        word, message = ctypes.c_uint32(), ctypes.create_string_buffer(_MESSAGE_BYTES)
        if _models().mxgold_model_word(self._handle, ctypes.byref(word), message, _MESSAGE_BYTES) != 0:
            raise ValueError(message.value.decode())
        return word.value

    def answer(self, elements: int | None = None, **operands: Any) -> Answer:
        """The Answer to operands by their names: lists of codes, lane 0 first, or one code.

        elements: lanes that take part, where a record may be short. ValueError for operands that the formats cannot
        have, TypeError for names that the records do not have.
        """
        unknown = set(operands) - set(self.operands)
        if unknown:
            raise TypeError(f"{self.operation} has no operand {', '.join(sorted(unknown))}; it has "
                            f"{', '.join(self.operands)}")
        record, kept = _Record(), []
        record.elements = 0 if elements is None else _native.whole("elements", elements, 32)
        for name, words in operands.items():
            given = [_native.whole(name, word, 64)
                     for word in (words if hasattr(words, "__iter__") and not isinstance(words, str) else [words])]
            buffer = (ctypes.c_uint64 * self.operands[name][0])(*given)
            kept.append(buffer)
            record.operands[_OPERANDS.index(name)] = ctypes.cast(buffer, ctypes.POINTER(ctypes.c_uint64))
        buffers = {name: (ctypes.c_uint64 * words)() for name, (words, _) in self.results.items()}
        for name, buffer in buffers.items():
            record.results[_RESULTS.index(name)] = ctypes.cast(buffer, ctypes.POINTER(ctypes.c_uint64))
        is_open = (ctypes.c_uint8 * builtins.sum(words for words, _ in self.results.values()))()
        message = ctypes.create_string_buffer(_MESSAGE_BYTES)
        if _models().mxgold_model_answer(self._handle, ctypes.byref(record), is_open, message, _MESSAGE_BYTES) != 0:
            raise ValueError(message.value.decode())
        flags: dict[str, list[bool]] = {}
        alike: dict[str, list[bool]] = {}
        at = 0
        for name in _RESULTS:
            if name in buffers:
                own = is_open[at:at + len(buffers[name])]
                flags[name] = [byte != 0 for byte in own]
                alike[name] = [byte == _OPEN_BUT_FOR_ITS_CLASS for byte in own]
                at += len(buffers[name])
        return Answer({name: list(buffer) for name, buffer in buffers.items()}, flags, alike)
