# SPDX-License-Identifier: Apache-2.0
"""Formats of one's own: fields to the text that names the format everywhere."""

from __future__ import annotations

import ctypes
import functools
from typing import TYPE_CHECKING, Any, Mapping

from . import _native
from ._library import LIBRARY, encoded

if TYPE_CHECKING:
    from typing import Literal

    Kind = Literal["float", "exp_only", "twos_compl_fixed", "sign_mag_fixed"]
    Zero = Literal["pos_and_neg", "pos_only", "none"]
    Inf = Literal["none", "ieee_top", "p3109_top"]
    Nan = Literal["none", "ieee_all", "outer_one_per_sign", "neg_zero_slot", "top_code"]
    Parity = Literal["code_lsb", "implicit_odd"]
    UnusedBits = Literal["must_be_zero", "ignored"]
    Extent = Literal["elements", "axis", "tensor"]

#: Fields that are called otherwise here than in docs/format-tables.md.
_NAMES = {"exp": "exp_bits", "man": "man_bits"}
_NUMBERS = ("bits", "storage_bits", "exp", "man", "bias", "frac_bits", "max_code", "canonical_nan_code", "block_size",
            "tile_lines", "rule_emax", "scale_limit")
_SWITCHES = ("signed", "has_subnormal")
_MOST_TEXT = 4096


def is_definition(name: str) -> bool:
    """Is a name made of fields? No other name has an '='."""
    return "=" in name


@functools.lru_cache(maxsize=1024)
def canonical(definition: str) -> str:
    """The canonical name of a format: a known one, or the fewest fields that say it. ValueError for what is no format,
    naming the field, its value, what is wrong and what to do."""
    name = ctypes.create_string_buffer(_MOST_TEXT)
    message = ctypes.create_string_buffer(_MOST_TEXT)
    _native.require(LIBRARY.mxgold_canonical_format(encoded(definition), name, len(name), message, len(message)), message)
    return name.value.decode()


def name_of(given: str | None, fields: Mapping[str, Any]) -> str:
    """The name of a constructor's format: the one that is given, or that of the fields that are not None."""
    told = {field: value for field, value in fields.items() if value is not None}
    if given is not None:
        if told:
            raise TypeError(f"{next(iter(told))}: goes with other fields, not with the name {str(given)!r}")
        return canonical(str(given)) if is_definition(str(given)) else str(given)
    if not told:
        raise TypeError("a format needs a name or fields: exp=4, man=3")
    return canonical(",".join(f"{_NAMES.get(field, field)}={_text(field, value)}" for field, value in told.items()))


def _text(field: str, value: Any) -> str:
    """The value of a field, as the library reads it."""
    if field in _SWITCHES:
        if not isinstance(value, bool):
            raise TypeError(f"{field} must be True or False, not {value!r}")
        return "true" if value else "false"
    if field in _NUMBERS:
        return str(_native.index(field, value))
    text = str(value)
    if any(character in text for character in "(),=") and not is_definition(text):
        raise ValueError(f"{field}: {text!r} is no name")
    return f"({text})" if is_definition(text) else text
