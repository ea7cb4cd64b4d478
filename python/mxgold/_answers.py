"""Questions to the library, and what it answers: data, text and a verdict."""

from __future__ import annotations

import ctypes
import json
from typing import TYPE_CHECKING, Any

from ._library import LIBRARY, encoded
from ._native import require

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_MESSAGE_BYTES = 4096


class _Option(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("value", ctypes.c_char_p)]


def _declare() -> None:
    size, text, status, pointer = ctypes.c_size_t, ctypes.c_char_p, ctypes.c_int, ctypes.c_void_p
    u64, u32 = ctypes.c_uint64, ctypes.c_uint32
    shape = [ctypes.POINTER(u64), size, ctypes.c_int64]
    options = [ctypes.POINTER(_Option), size]
    answer = [ctypes.POINTER(ctypes.c_void_p), text, size]
    signatures: dict[str, tuple[Any, list[Any]]] = {
        "mxgold_answer_json": (text, [ctypes.c_void_p]),
        "mxgold_answer_text": (text, [ctypes.c_void_p]),
        "mxgold_answer_holds": (status, [ctypes.c_void_p]),
        "mxgold_answer_destroy": (None, [ctypes.c_void_p]),
        "mxgold_explain": (status, [text, text, *options, ctypes.POINTER(text), size, *answer]),
        "mxgold_facts": (status, [text, text, *answer]),
        "mxgold_configuration": (status, [text, *answer]),
        "mxgold_expanded": (status, [text, text, *options, *answer]),
        "mxgold_diff": (status, [text, text, *options, *answer]),
        "mxgold_identify": (status, [text, *answer]),
        "mxgold_telling_inputs": (status, [text, text, size, ctypes.c_int, *answer]),
        "mxgold_compare_values": (status, [pointer, pointer, u64, pointer, u64, u64, u32, size, pointer, u64, *answer]),
        "mxgold_compare_blocks": (status, [pointer, *shape, pointer, u64, pointer, u64, pointer, u64, u64, u32, size,
                                           pointer, u64, pointer, u64, *answer]),
        "mxgold_cover_values": (status, [pointer, pointer, u64, u64, u32, *answer]),
        "mxgold_cover_blocks": (status, [pointer, *shape, pointer, u64, u64, u32, *answer]),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(LIBRARY, name)
        function.restype, function.argtypes = result, arguments


_declare()


class Answer:
    """What the library answers: `print(answer)` for people, `answer.data` for programs."""

    def __init__(self, data: dict[str, Any], text: str) -> None:
        #: The answer as dicts and lists.
        self.data: dict[str, Any] = data
        self._text = text

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return str(self)


def options_of(pairs: Iterable[tuple[str, str]]) -> tuple[Any, int]:
    """(name, value) pairs as two arguments of the library."""
    listed = [_Option(encoded(name), encoded(value)) for name, value in pairs]
    return (_Option * len(listed))(*listed), len(listed)


def texts_of(texts: Sequence[str]) -> tuple[Any, int]:
    """Texts as two arguments of the library."""
    return (ctypes.c_char_p * len(texts))(*[encoded(text) for text in texts]), len(texts)


def raw_answer(question: str, *arguments: Any) -> tuple[bytes, str, bool]:
    """(JSON, text, verdict) of a function of the library; ValueError with what it said where it refused."""
    handle = ctypes.c_void_p()
    message = ctypes.create_string_buffer(_MESSAGE_BYTES)
    require(getattr(LIBRARY, f"mxgold_{question}")(*arguments, ctypes.byref(handle), message, _MESSAGE_BYTES), message)
    try:
        return (LIBRARY.mxgold_answer_json(handle), LIBRARY.mxgold_answer_text(handle).decode().rstrip("\n"),
                bool(LIBRARY.mxgold_answer_holds(handle)))
    finally:
        LIBRARY.mxgold_answer_destroy(handle)


def ask(question: str, *arguments: Any) -> tuple[dict[str, Any], str, bool]:
    """The same with the data as dicts and lists."""
    data, text, holds = raw_answer(question, *arguments)
    return json.loads(data), text, holds


def facts(listed: str, name: str) -> dict[str, Any]:
    """What follows from the descriptor of a name of a list: "formats", "blocks" or "profiles"."""
    return ask("facts", encoded(listed), encoded(name))[0]
