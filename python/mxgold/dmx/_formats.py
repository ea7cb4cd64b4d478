"""dmx's formats of single numbers, and what all formats have. Source: spec S5.1, S5.2, S5.5."""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy

from .. import _systems
from .._arrays import is_torch
from .._library import Cast
from .._mode import setting
from ._parts import ROUNDING_MODE, apply, straight_through

if TYPE_CHECKING:
    from .._types import ArrayLike, FloatArray, TensorT

FormatT = TypeVar("FormatT", bound="Format")


class Format(abc.ABC):
    """A number format. cast() takes a tensor to it, from_shorthand() and repr() are inverse to each other.

    blocked: do its numbers share scales, in blocks along an axis? str() is the package's description. A class of one's
    own has cast(), and what else it is asked for: here these raise NotImplementedError.
    """

    blocked: bool = False
    _prefix = ""

    @classmethod
    def from_shorthand(cls: type[FormatT], sh: str, mode: str | None = None) -> FormatT:
        """The format of a shorthand such as "BFP[8|8]{64}(SN)"; a class's own takes its own prefix alone.

        strict: the canonical spelling and documented variants; ValueError with a position otherwise. compat: what the
        package takes and raises (ValueError, TypeError, KeyError, AssertionError). Source: spec S5.2.
        """
        from ._shorthand import from_text

        name = setting(mode)[0]
        text = sh
        if name == "compat" and sh[:len(cls._prefix)].upper() == cls._prefix:
            text = cls._prefix + sh[len(cls._prefix):]
        if not text.startswith(cls._prefix):
            if name == "compat":
                raise TypeError("'NoneType' object is not subscriptable")
            raise ValueError(f"position 0: '{cls._prefix}' is expected")
        made: Any = from_text(repr(Cast("dmx:" + text, *setting(mode))))
        found: FormatT = made
        return found

    @overload
    def cast(self, x: TensorT, block_dim: int | None = ..., random: Any = ..., mode: str | None = ...) -> TensorT: ...
    @overload
    def cast(self, x: ArrayLike, block_dim: int | None = ..., random: Any = ...,
             mode: str | None = ...) -> FloatArray: ...
    def cast(self, x: Any, block_dim: int | None = None, random: Any = None, mode: str | None = None) -> Any:
        """x in this format, as binary32 of x's shape.

        x: an array or tensor of float32, bfloat16 or float16. block_dim: the axis of blocked formats; others do not
        read it. random: the words of a stochastic rounding, uint32, in the order in which the package draws them; fresh
        ones by default (seed() makes them repeatable). TypeError without the block_dim of a blocked format, IndexError
        for an axis that is not there, ValueError for another number of words; compat: what the package raises.
        """
        return self._values(x, block_dim, random, mode)

    def _values(self, x: Any, block_dim: int | None, random: Any, mode: str | None) -> Any:
        raise NotImplementedError

    def _text(self) -> str:
        """What mxgold calls the format; repr() unless that loses something."""
        if not self._prefix:
            raise NotImplementedError
        return repr(self)

    def _fact(self, name: str, mode: str | None = None) -> Any:
        value = _systems.cast("dmx:" + self._text(), mode).properties()[name]
        if isinstance(value, Exception):
            raise value
        if value in ("None", "True", "False"):
            return {"None": None, "True": True, "False": False}[value]
        return float(value) if "." in value else 2.0 ** int(value[3:]) if value.startswith("2**") else int(value)

    @property
    def bit_precision(self) -> float | None:
        """Bits per element, the block's scale shared out (float; None for Same). compat MXFP: AttributeError."""
        bits: float | None = self._fact("bit_precision")
        return bits

    @property
    def bytes_per_elem(self) -> float | None:
        """Bytes per element, the block's scale shared out (float; None for Same)."""
        size: float | None = self._fact("bytes_per_elem")
        return size

    @property
    def bfp_id(self) -> int | None:
        """The identifier in BFPTypeEnum of a block format, KeyError where it has none; None for other formats."""
        identifier: int | None = self._fact("bfp_id") if self._prefix else None
        return identifier

    def _is_stochastic(self) -> bool:
        return False

    def _cast(self, x: Any, axis: int | None, random: Any, mode: str | None) -> Any:
        def values(tensor: Any) -> Any:
            return apply(self._text(), tensor, axis, random, mode, self._is_stochastic())["values"]

        return straight_through(values, x) if setting(mode)[0] == "strict" else values(x)

    def __str__(self) -> str:
        raise NotImplementedError


class Same(Format):
    """Passes its input through."""

    _prefix = "SAME"

    @classmethod
    def from_shorthand(cls: type[FormatT], sh: str, mode: str | None = None) -> FormatT:
        """The format. strict: of "SAME" alone, ValueError otherwise; compat: of any text."""
        return super().from_shorthand(sh, mode) if setting(mode)[0] == "strict" else cls()

    def _values(self, x: Any, block_dim: int | None, random: Any, mode: str | None) -> Any:
        return x.clone() if is_torch(x) else numpy.array(x)

    def __str__(self) -> str:
        return "Dummy numerical format: no casting"

    def __repr__(self) -> str:
        return "SAME"


class FixedPoint(Format):
    """Integers of `precision` bits (1..24) times 2^-fraction.

    clamp: limit to the representable range; symmetric: without the lowest code; rounding: "nearest", "stochastic",
    "up" (ceil) or "down" (floor). cast() takes float32 tensors in compat. AssertionError for another precision.
    Source: spec S5.5.
    """

    _prefix = "XP"

    def __init__(self, precision: int, fraction: int, clamp: bool = True, symmetric: bool = True,
                 rounding: str = "nearest") -> None:
        assert 1 <= precision <= 24, f"highest integer precision simulated by FP32 is 25, got {precision}"
        self.precision: int = precision
        self.fraction: int = fraction
        self.clamp: bool = clamp
        self.symmetric: bool = symmetric
        self.rounding: str = rounding

    def _values(self, x: Any, block_dim: int | None, random: Any, mode: str | None) -> Any:
        assert self.rounding in ROUNDING_MODE.values()
        if random is None and self._is_stochastic() and is_torch(x):
            # The package's own source: torch's generator, a word for each element.
            import torch

            random = (torch.rand(x.shape) * 2.0**24).numpy().astype(numpy.uint32)
        return self._cast(x, None, random, mode)

    def _is_stochastic(self) -> bool:
        return self.rounding == "stochastic"

    def __str__(self) -> str:
        return (f"Simulated fixed point format: precision bits = {self.precision}, fraction bits = {self.fraction}, "
                f"\ncasting behavior: symmetric = {self.symmetric}, clamp = {self.clamp}, rounding = {self.rounding}")

    def __repr__(self) -> str:
        fraction = "0" if self.fraction == 0 else f"{self.fraction:+d}"
        flags = ("C" if self.clamp else "_") + ("S" if self.symmetric else "_")
        return f"XP[{self.precision},{fraction}]({flags}{ROUNDING_MODE.inverse[self.rounding]})"


class FloatingPoint(Format):
    """Sign, `exponent` bits (1..8), `mantissa` stored bits (0..23), `bias`.

    flush_subnormal: results below the smallest normal value become zero; unsigned: no sign (strict: negative values
    become 0; compat: their absolute value); rounding: "nearest" or "stochastic", in strict also "up" and "down".
    bias=None stands for 2^(exponent-1) - 1; compat raises TypeError for it. AssertionError for other widths, and for a
    bias below -128 + 2^exponent (127 of 8 bits) or above 127. Source: spec S5.1, S5.5.
    """

    _prefix = "FP"

    def __init__(self, mantissa: int = 23, exponent: int = 8, bias: int | None = None, flush_subnormal: bool = True,
                 unsigned: bool = False, rounding: str = "nearest") -> None:
        assert 0 <= mantissa <= 23, f"number of mantisa bits simulatable by FP32 is between 0 and 23, got{mantissa}"
        assert 0 < exponent <= 8, f"number of exponent bits simulatable by FP32 is between 1 and 8, got {exponent}"
        if bias is None:
            if setting()[0] == "compat":
                raise TypeError("'<=' not supported between instances of 'int' and 'NoneType'")
            bias = 2 ** (exponent - 1) - 1
        least = least_bias(exponent)
        assert least <= bias <= 127, (f"exponent bias simulatable by FP32 for {exponent}-bit exponent is constrained "
                                      f"between {least} and 127, got {bias}")
        self.mantissa: int = mantissa
        self.exponent: int = exponent
        self.bias: int = bias
        self.flush_subnormal: bool = flush_subnormal
        self.unsigned: bool = unsigned
        self.rounding: str = rounding

    def _values(self, x: Any, block_dim: int | None, random: Any, mode: str | None) -> Any:
        return self._cast(x, None, random, mode)

    @property
    def largest_representable_power_of_two(self) -> float:
        """strict: of the format's values; compat: 2^(2^(exponent-1)), whatever they are."""
        power: float = self._fact("largest_representable_power_of_two")
        return power

    def _is_stochastic(self) -> bool:
        return self.rounding == "stochastic"

    def __str__(self) -> str:
        return (f"Simulated floating point format: mantissa bits = {self.mantissa}, exponent bits = {self.exponent}, "
                f"exponent bias = {self.bias}, unsigned = {self.unsigned}, \ncasting behavior: flush subnormal = "
                f"{self.flush_subnormal}, rounding = {self.rounding}")

    def __repr__(self) -> str:
        flags = ("F" if self.flush_subnormal else "_") + ROUNDING_MODE.inverse[self.rounding]
        return f"FP[{'0' if self.unsigned else '1'}|{self.exponent}|{self.mantissa},{self.bias}]({flags})"


def least_bias(exponent: int) -> int:
    """The least bias of a format of so many exponent bits."""
    return 127 if exponent == 8 else -128 + 2**exponent
