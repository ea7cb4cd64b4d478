"""What the modules of the emulated systems share: a cast applied to arrays, by text."""

from __future__ import annotations

import functools
from typing import Any

from ._arrays import from_words, to_words
from ._library import Cast
from ._mode import setting


@functools.lru_cache(maxsize=512)
def _cast(text: str, name: str, platform: str) -> Cast:
    return Cast(text, name, platform)


def cast(text: str, mode: str | None = None) -> Cast:
    """The cast of a text ("qtorch:block_quantize(wl=8)") in the mode in force; the same object for the same text."""
    return _cast(text, *setting(mode))


def apply(text: str, value: Any, axis: int | None = None, random: Any = None, mode: str | None = None,
          only: str | None = None, **operands: Any) -> dict[str, Any]:
    """Casts `value` (array or torch tensor). Returns name -> array or tensor, as `value` is one;
    of one result where `only` names it."""
    tensors = {"values": to_words(value)}
    tensors.update((name, to_words(operand)) for name, operand in operands.items())
    results = cast(text, mode).apply(tensors, axis, random, only)
    return {name: from_words(words, kind, value) for name, (words, kind) in results.items()}
