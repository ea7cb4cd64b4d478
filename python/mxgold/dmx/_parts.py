"""What formats, functions and casts of dmx share: names of roundings, random words, calls of the library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict

import numpy

from .. import _systems
from .._arrays import is_torch, random_words, to_words

if TYPE_CHECKING:
    from .._types import Array


class TwoWay(Dict[str, str]):
    """A dictionary whose values are keys of its `inverse`."""

    @property
    def inverse(self) -> dict[str, str]:
        """Values to keys."""
        return {value: key for key, value in self.items()}


#: Letters of shorthands and the roundings that they stand for; `inverse` has the way back.
ROUNDING_MODE: TwoWay = TwoWay(U="up", D="down", N="nearest", S="stochastic")

_GENERATOR = numpy.random.default_rng()


def seed(value: int | None) -> None:
    """Makes the words of stochastic formats without random= repeatable.

    value: what numpy.random.default_rng() takes; None draws another seed.
    """
    global _GENERATOR
    _GENERATOR = numpy.random.default_rng(value)


def _words(text: str, value: Any, axis: int | None, random: Any, mode: str | None, operands: dict[str, Any]) -> Array:
    """The random words of a cast: those given, or fresh ones, as many as it reads."""
    if random is not None:
        return random_words(random)
    tensors = {"values": to_words(value)}
    tensors.update((name, to_words(operand)) for name, operand in operands.items())
    count = _systems.cast("dmx:" + text, mode).random_words(tensors, axis)
    return _GENERATOR.integers(0, 1 << 31, size=count, dtype=numpy.uint32)


def apply(text: str, value: Any, axis: int | None = None, random: Any = None, mode: str | None = None,
          stochastic: bool = False, **operands: Any) -> dict[str, Any]:
    """The results of a cast by its text, random words drawn where it wants some."""
    words = _words(text, value, axis, random, mode, operands) if stochastic else None
    return _systems.apply("dmx:" + text, value, axis, words, mode, **operands)


def straight_through(function: Callable[[Any], Any], value: Any) -> Any:
    """function(value) with the gradient of the identity where a torch tensor asks for one."""
    if not (is_torch(value) and value.requires_grad):
        return function(value)
    from ._autograd import StraightThrough

    return StraightThrough.apply(value, function)
