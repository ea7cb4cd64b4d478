"""The number formats that quantizer() takes."""

from __future__ import annotations

__all__ = ["Number", "FixedPoint", "BlockFloatingPoint", "FloatingPoint"]


class Number:
    """The base class of the formats."""


class FixedPoint(Number):
    """Multiples of 2^-fl in [-2^(wl-fl-1), 2^(wl-fl-1) - 2^-fl].

    wl: word length in bits, the sign included; > 0. fl: fractional bits, > 0. clamp: values outside the range become
    its ends; without it only the precision is simulated. symmetric: the smallest number is dropped, so that the range
    is symmetric. Raises AssertionError for anything else.
    """

    def __init__(self, wl: int, fl: int, clamp: bool = True, symmetric: bool = False) -> None:
        if not wl > 0:
            raise AssertionError(f"invalid bits for word length: {wl}")
        if not fl > 0:
            raise AssertionError(f"invalid bits for fractional length: {fl}")
        if type(symmetric) is not bool:
            raise AssertionError(f"invalid type for symmetric: {type(symmetric)}")
        self.wl: int = wl
        self.fl: int = fl
        self.clamp: bool = clamp
        self.symmetric: bool = symmetric

    def __repr__(self) -> str:
        return f"FixedPoint (wl={self.wl:d}, fl={self.fl:d})"


class FloatingPoint(Number):
    """Floats of `exp` exponent bits (1..8) and `man` stored significand bits (1..23), subnormals included.

    Strict: (4, 3) is OCP E4M3, (5, 2) OCP E5M2, (5, 10) binary16, (8, 7) bfloat16; in other formats every code is
    finite. Compat: every code is finite, infinities and NaNs included, and zeros lose their sign.
    """

    def __init__(self, exp: int, man: int) -> None:
        if not 8 >= exp > 0:
            raise AssertionError(f"invalid bits for exponent:{exp}")
        if not 23 >= man > 0:
            raise AssertionError(f"invalid bits for mantissa:{man}")
        self.exp: int = exp
        self.man: int = man

    def __repr__(self) -> str:
        return f"FloatingPoint (exponent={self.exp:d}, mantissa={self.man:d})"


class BlockFloatingPoint(Number):
    """Words of `wl` bits with a shared exponent, that of the largest magnitude of the block.

    dim: -1 for one exponent in the whole tensor; k for one exponent for every index of axis k.
    """

    def __init__(self, wl: int, dim: int = -1) -> None:
        if not (wl > 0 and isinstance(wl, int)):
            raise AssertionError(f"invalid bits for word length:{wl}")
        if not (dim >= -1 and isinstance(dim, int)):
            raise AssertionError("invalid dimension")
        self.wl: int = wl
        self.dim: int = dim

    def __repr__(self) -> str:
        return f"BlockFloatingPoint (wl={self.wl:d}, dim={self.dim:d})"
