# SPDX-License-Identifier: Apache-2.0
"""Values as people read them, and the values of a format's codes as a table."""

from __future__ import annotations

import math
from typing import Any

from markdown import code, table

_LONGEST = 9


def readable(facts: dict[str, str]) -> str:
    """0.015625, or 1.25 * 2^-12 where the decimal is long."""
    decimal = facts["decimal"]
    if len(decimal) <= _LONGEST:
        return decimal
    value = float.fromhex(facts["hex"])
    if not math.isfinite(value) or value == 0:
        return decimal
    half, exponent = math.frexp(abs(value))
    sign, significand, power = "-" if value < 0 else "", half * 2, f"2^{exponent - 1}"
    if significand == 1:
        return sign + power
    missing = math.frexp(2 - significand)
    if len(repr(significand)) > _LONGEST and missing[0] == 0.5:  # all bits are ones
        return f"{sign}(2 - 2^{missing[1] - 1}) * {power}"
    return f"{sign}{significand:.10g} * {power}"


def ranges(pairs: list[list[str]]) -> str:
    return ", ".join(code(first if first == last else f"{first} to {last}") for first, last in pairs)


def is_mirrored(codes: list[dict[str, Any]]) -> bool:
    """Is the upper half the lower one with a minus, so that it need not be shown?"""
    half = len(codes) // 2
    return all(high["decimal"] in (f"-{low['decimal']}", low["decimal"] if low["class"] == "nan" else "")
               for low, high in zip(codes[:half], codes[half:]))


def code_table(codes: list[dict[str, Any]]) -> str:
    """Codes by their hexadecimal digits: a row for the high one, a column for the low one."""
    if len(codes) <= 16:
        return table(("code", *(code(each["code"]) for each in codes)), [("value", *map(readable, codes))])
    columns = tuple("0123456789ABCDEF")
    rows = []
    for start in range(0, len(codes), 16):
        row = codes[start:start + 16]
        rows.append((code(row[0]["code"][:-1] + "_"), *map(readable, row)))
    return table(("code", *(code("_" + column) for column in columns)), rows)


def shown_codes(codes: list[dict[str, Any]]) -> str:
    """The table with the sentence that goes with it."""
    if is_mirrored(codes):
        half = codes[:len(codes) // 2]
        sign = codes[len(half)]["code"]
        return f"Code {code(sign)} and above are the same values with a minus.\n\n{code_table(half)}"
    return code_table(codes)
