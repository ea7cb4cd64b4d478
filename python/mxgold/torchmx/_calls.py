"""Calls of the library on arrays and torch tensors, and names of number types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy

from .. import _dtypes
from .._arrays import from_words, is_torch, to_words
from .._mode import setting
from .._systems import cast
from . import env_variables

if TYPE_CHECKING:
    from .._types import Array

_TARGETS = ("bfloat16", "float32", "float16", "float64")


def mode_of(mode: str | None) -> str:
    """The mode in force: `mode`, or the one that was set."""
    return setting(mode)[0]


def path() -> str:
    """The path of quantization that the environment chose."""
    return "hw_exact" if env_variables.MX_EXACT_QUANTIZATION == "True" else "simulated"


def words_of(value: Any) -> tuple[Array, str]:
    """(words, type) as the library takes them; uint16 arrays are words of bfloat16."""
    if isinstance(value, numpy.ndarray) and value.dtype == numpy.uint16:
        return value if value.flags.c_contiguous else value.copy(), "bf16"
    return to_words(value)


def result_of(words: Array, kind: str, like: Any) -> Any:
    """A result as what `like` is; bfloat16 stays words where ml_dtypes is not installed."""
    if kind == "bf16" and not is_torch(like):
        return words.view(_dtypes.dtype_of("bf16", 2))
    return from_words(words, kind, like)


def apply(text: str, value: Any, mode: str | None, **operands: Any) -> dict[str, Any]:
    """Name -> array or tensor, as `value` is one, of a text without the system's name."""
    tensors = {"values": words_of(value)}
    tensors.update((name, words_of(operand)) for name, operand in operands.items())
    results = cast("torchmx:" + text, mode).apply(tensors)
    return {name: result_of(words, kind, value) for name, (words, kind) in results.items()}


def target_name(dtype: Any) -> str:
    """The name of a target type: torch.bfloat16, numpy.float32, "float16", ml_dtypes.bfloat16, ..."""
    name = str(dtype)
    if name.startswith("torch."):
        name = name[len("torch."):]
    elif not isinstance(dtype, str):
        name = numpy.dtype(dtype).name
    name = "bfloat16" if name == "uint16" else name
    if name not in _TARGETS:
        raise TypeError(f"target_dtype must be one of {', '.join(_TARGETS)}, not {name}")
    return name
