"""The checks of arguments that the original's bindings make, and casts by text."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy

from .. import _systems
from .._arrays import from_words, is_torch, to_words
from . import _random
from .number import BlockFloatingPoint, FixedPoint, FloatingPoint

if TYPE_CHECKING:
    from .._types import Array
    from .number import Number

_TORCH_NAMES = {"bool": "Bool", "complex64": "ComplexFloat", "complex128": "ComplexDouble", "int16": "Short"}


def is_array(value: Any) -> bool:
    return is_torch(value) or isinstance(value, (numpy.ndarray, numpy.generic))


def integer(value: Any, name: str) -> int:
    """A 32-bit int, as the original's bindings take it."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an int, not {value!r}") from None
    if not -1 << 31 <= number < 1 << 31:
        raise TypeError(f"{name} must be an int of 32 bits, not {number}")
    return number


def boolean(value: Any, name: str) -> bool:
    if value is not None and not hasattr(type(value), "__bool__"):
        raise TypeError(f"{name} must be a bool, not {value!r}")
    return bool(value)


def run(text: str, value: Any, setting: tuple[str, str], random: Array | None = None) -> dict[str, Any]:
    """name -> result of a cast: arrays for an array, tensors for a tensor."""
    try:
        words = to_words(value)
    except TypeError:
        name = str(value.dtype).rsplit(".", 1)[-1]
        raise RuntimeError(f"expected scalar type Float but found {_TORCH_NAMES.get(name, name)}") from None
    results = _systems._cast("qtorch:" + text, *setting).apply({"values": words}, random=random)
    return {name: from_words(result, kind, value) for name, (result, kind) in results.items()}


def by_number(value: Any, number: Number, rounding: str, setting: tuple[str, str], random: Array | None = None,
              with_mask: bool = False) -> dict[str, Any]:
    """The results of quantising `value` to a number other than None; `with_mask` for FixedPoint."""
    stochastic = rounding == "stochastic"
    if type(number) is FixedPoint:
        head = "fixed_point_quantize_mask" if with_mask else "fixed_point_quantize"
        clamp = "" if with_mask else f"clamp={boolean(number.clamp, 'clamp')},"
        text = (f"{head}(wl={integer(number.wl, 'wl')},fl={integer(number.fl, 'fl')},{clamp}"
                f"symmetric={number.symmetric},rounding={rounding})")
        draw = _random.uniforms
    elif type(number) is FloatingPoint:
        text = f"float_quantize(exp={integer(number.exp, 'exp')},man={integer(number.man, 'man')},rounding={rounding})"
        draw = _random.integers
    elif type(number) is BlockFloatingPoint:
        text = f"block_quantize(wl={int(number.wl)},dim={int(number.dim)},rounding={rounding})"
        draw = _random.integers
    else:
        raise NameError(f"no quantisation is defined for {type(number).__name__}")
    if stochastic and random is None:
        random = draw(value)
    return run(text, value, setting, random if stochastic else None)
