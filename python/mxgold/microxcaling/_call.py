"""Calls of microxcaling's functions as texts of casts."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Callable

import numpy

from .. import _systems
from .._arrays import is_torch, random_words, to_words
from .._mode import setting
from .formats import ElemFormat, RoundingMode

if TYPE_CHECKING:
    from .._types import Array


def as_float(A: Any) -> Any:
    """Integers become floats of 32 bits, as dividing them does; lists and numbers arrays."""
    if is_torch(A):
        torch = sys.modules["torch"]
        return A if A.dtype.is_floating_point else A.to(torch.get_default_dtype())
    array = numpy.asarray(A)
    if not hasattr(A, "dtype") or array.dtype.kind in "iub":
        return array.astype(numpy.float32)
    return array


def path_of(A: Any, custom_cuda: bool, round: str) -> str:
    """Which program quantizes: custom_cuda knows no dither and, on a CPU tensor, runs the C++ functions."""
    if not custom_cuda or round not in RoundingMode.string_enums():
        return "python"
    return "cuda" if is_torch(A) and A.device.type == "cuda" else "cpp"


def check_round(round: str) -> None:
    if round not in ("dither", *RoundingMode.string_enums()):
        raise Exception(f"Unrecognized round method {round}")


def name_of(elem_format: str | ElemFormat) -> str:
    """The name of a format that came as a name or an ElemFormat."""
    if isinstance(elem_format, str):
        elem_format = ElemFormat.from_str(elem_format)
    return elem_format.name


def _drawn_words(A: Any, kind: str, count: int) -> Array:
    """As many 32-bit words as the system would draw, from torch's generator for tensors, else from NumPy's."""
    if kind == "fp64":  # two of an element, the upper one first
        bits = ((sys.modules["torch"].rand(count // 2, dtype=A.dtype) * 2.0**53).long().numpy() if is_torch(A)
                else numpy.random.randint(0, 1 << 53, size=count // 2, dtype=numpy.int64))
        return numpy.stack([bits >> 32, bits & 0xFFFFFFFF], axis=-1).astype(numpy.uint32).reshape(-1)
    if is_torch(A):
        words: Array = (sys.modules["torch"].rand(count) * 2.0**24).numpy().astype(numpy.uint32)
        return words
    return numpy.random.randint(0, 1 << 24, size=count, dtype=numpy.uint32)


def run(name: str, A: Any, mode: str | None = None, random: Any = None, **parameters: Any) -> Any:
    """name(parameters) applied to an array or tensor. random: the words of dither, by default drawn from torch's or
    NumPy's generator."""
    A = as_float(A)
    spelt = ",".join(f"{key}={value}" for key, value in parameters.items())
    text = f"microxcaling:{name}({spelt})"
    words = None if random is None else random_words(random)
    if parameters.get("round") == "dither" and random is None:
        tensor = to_words(A)
        words = _drawn_words(A, tensor[1], _systems.cast(text, mode).random_words({"values": tensor}))
    values = _systems.apply(text, A, random=words, mode=mode)["values"]
    return values if is_torch(A) or values.dtype.kind != "u" else values.view(A.dtype)


def sparse(A: Any, quantize: Callable[[Any], Any], mode: str | None) -> Any:
    """A sparse tensor by its values. The package computes them and then returns a name that it never set."""
    torch = sys.modules["torch"]
    if A.layout != torch.sparse_coo:
        raise NotImplementedError("Only COO layout sparse tensors are currently supported.")
    if setting(mode)[0] == "compat":
        raise UnboundLocalError("cannot access local variable 'output' where it is not associated with a value")
    A = A.coalesce()
    return torch.sparse_coo_tensor(A.indices(), quantize(A.values()), A.size(), dtype=A.dtype, device=A.device)
