"""Rounding to a float of given bits. spec S6.5."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from . import _calls

if TYPE_CHECKING:
    from .._types import ArrayOrTensorT

__all__ = ["hp_to_floatx"]


def hp_to_floatx(hp_data: ArrayOrTensorT, exponent_bits: int, mantissa_bits: int, max_normal: float,
                 round_mode: str = "round_to_even", keep_subnormals: bool = True, *,
                 mode: str | None = None) -> ArrayOrTensorT:
    """`hp_data` rounded to a float of `exponent_bits` and `mantissa_bits`, saturated at +-`max_normal`.

    hp_data: float32 or float64 (AssertionError otherwise), any shape. exponent_bits: 0..16 (strict: 1..16).
    mantissa_bits: 0..63. round_mode: "round_to_even" or "truncate". keep_subnormals: False makes zeros of them.
    Returns an array or tensor of the type and shape of `hp_data`.

    compat keeps infinities, loses the sign of -0, and reads exponents by a logarithm in the tensor's type; strict
    saturates infinities, keeps signs, and flushes what rounds below the smallest normal value.
    """
    _, kind = _calls.words_of(hp_data)
    if kind not in ("fp32", "fp64"):
        raise AssertionError(f"Invalid data type: {getattr(hp_data, 'dtype', kind)}")
    if round_mode not in ("truncate", "round_to_even"):
        raise AssertionError(f"Invalid round mode: {round_mode}")
    largest, = struct.unpack("<Q", struct.pack("<d", max_normal))
    text = (f"hp_to_floatx(exponent_bits={exponent_bits}, mantissa_bits={mantissa_bits}, max_normal=0x{largest:016X}, "
            f"round_mode={round_mode}, keep_subnormals={bool(keep_subnormals)})")
    values: ArrayOrTensorT = _calls.apply(text, hp_data, mode)["values"]
    return values
