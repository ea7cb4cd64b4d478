"""Numbers of Python and the exact values of the library."""

from __future__ import annotations

import ctypes
import decimal
import fractions
import numbers
import struct
from typing import Any

from . import _native
from ._dtypes import bits_of
from ._homes import codes_of
from ._library import LIBRARY, encoded

#: Kinds of a Number.
ZERO, FINITE, INFINITE, NAN = range(4)
_MOST_EXPONENT = 1 << 24


class Number(ctypes.Structure):
    """significand * 2^exponent, of the magnitude; is_cut: the magnitude lies above, below the next significand."""

    _fields_ = [("significand", ctypes.c_uint64), ("exponent", ctypes.c_int32), ("kind", ctypes.c_uint8),
                ("is_negative", ctypes.c_uint8), ("is_signaling", ctypes.c_uint8), ("is_cut", ctypes.c_uint8)]


def number_of_code(format: str, code: int) -> Number:
    """The value of a code of a format; ValueError where it has bits above the format's."""
    number = Number()
    _native.require(LIBRARY.mxgold_values(encoded(format), ctypes.byref(ctypes.c_uint64(code)), 1,
                                          ctypes.byref(number)))
    return number


def fraction_of(number: Number) -> fractions.Fraction:
    """A number that is zero or finite."""
    if number.kind == ZERO:
        return fractions.Fraction(0)
    top = -number.significand if number.is_negative else number.significand
    exponent = number.exponent
    return fractions.Fraction(top << exponent) if exponent >= 0 else fractions.Fraction(top, 1 << -exponent)


def _special(kind: int, is_negative: bool, is_signaling: bool = False) -> Number:
    return Number(0, 0, kind, is_negative, is_signaling, False)


def number_of_fraction(value: fractions.Fraction) -> Number:
    """A rational number, cut to 64 bits where it has more."""
    if value == 0:
        return _special(ZERO, False)
    top, bottom = abs(value.numerator), value.denominator
    shift = 64 - (top.bit_length() - bottom.bit_length())
    quotient, rest = divmod(top << max(shift, 0), bottom << max(-shift, 0))
    if quotient >> 64:
        rest |= quotient & 1
        quotient, shift = quotient >> 1, shift - 1
    # Beyond this every format overflows, or has nothing between it and zero.
    exponent = max(-_MOST_EXPONENT, min(-shift, _MOST_EXPONENT))
    return Number(quotient, exponent, FINITE, value < 0, False, rest != 0)


def _number_of_decimal(value: decimal.Decimal) -> Number:
    if value.is_nan():
        return _special(NAN, value.is_signed(), value.is_snan())
    if value.is_infinite() or value.is_zero():
        return _special(INFINITE if value.is_infinite() else ZERO, value.is_signed())
    return number_of_fraction(fractions.Fraction(value))


def number_of(value: Any) -> Number:
    """The exact value of one number that a user gives; TypeError for what is none."""
    if isinstance(value, float):
        return number_of_code("fp64", *struct.unpack("<Q", struct.pack("<d", value)))
    if isinstance(value, numbers.Rational):
        return number_of_fraction(fractions.Fraction(int(value.numerator), int(value.denominator)))
    if isinstance(value, decimal.Decimal):
        return _number_of_decimal(value)
    if hasattr(value, "dtype"):
        words, name = codes_of(value)
        if words.size == 1:
            return number_of_code(name, int(bits_of(words).reshape(1)[0]))
    raise TypeError(f"a number is wanted, not {type(value).__name__}")


def rounded(number: Number, format: str, options: _native.Options, random: int | None) -> tuple[int, int]:
    """(code, flags) of a value that a conversion rounds once."""
    conversion = _native.conversion("fp32", format, options)
    code, flags = ctypes.c_uint64(), ctypes.c_uint32()
    word = None if random is None else ctypes.byref(ctypes.c_uint32(_native.whole("random", random, 32)))
    status = LIBRARY.mxgold_round(conversion.pointer, ctypes.byref(number), word, 1, ctypes.byref(code),
                                  ctypes.byref(flags))
    if status == _native.NULL_ARGUMENT:
        raise ValueError("a stochastic rounding reads a random word: give random=, 0 to 2^random_bits - 1")
    if status == _native.BAD_VALUE and number.is_cut:
        raise ValueError(f"{format} has more than 62 bits of precision: give a number of at most 64 bits")
    if status == _native.BAD_VALUE:
        raise ValueError("a number has no source format: leave src_ftz out, and give random= below 2^random_bits")
    _native.require(status)
    return code.value, flags.value
