"""Where stochastic roundings take their words from.

The original has two sources. Floats and blocks draw 31-bit integers from a generator (mt19937) of the process that
nothing seeds; here manual_seed() does. Fixed point draws uniform numbers k * 2^-24 from torch's generator, so that
torch.manual_seed() repeats them; their words are k. NumPy arrays draw both from the generator of this module.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy

if TYPE_CHECKING:
    from .._types import Array

_GENERATOR = numpy.random.RandomState()


def manual_seed(seed: int) -> None:
    """Seeds the generator of floats and blocks, and of fixed point for NumPy arrays: mt19937 as std::mt19937(seed).

    seed: 0 .. 2^32 - 1.
    """
    _GENERATOR.seed(seed)


def outputs(count: int) -> Array:
    """The next 32-bit outputs of the generator."""
    return _GENERATOR.randint(0, 1 << 32, size=count, dtype=numpy.uint32)


def integers(value: Any) -> Array:
    """One 31-bit word an element, in C order."""
    return outputs(_size(value)) >> numpy.uint32(1)


def uniforms(value: Any) -> Array:
    """One word an element, in C order: r = (word mod 2^24) * 2^-24."""
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(value, torch.Tensor):
        return outputs(_size(value))
    # torch.rand() gives the low 24 bits of the generator's outputs, random_() the low 31.
    words: Array = torch.empty(value.numel(), dtype=torch.int32).random_().numpy().view(numpy.uint32)
    return words


def _size(value: Any) -> int:
    return int(value.numel()) if hasattr(value, "numel") else int(numpy.asarray(value).size)
