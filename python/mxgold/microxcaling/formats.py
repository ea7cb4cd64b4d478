"""Element formats and roundings of microxcaling, and the numbers that belong to them."""

from __future__ import annotations

from enum import Enum, IntEnum

__all__ = ["ElemFormat", "FP32_EXPONENT_BIAS", "FP32_MIN_NORMAL", "RoundingMode"]

#: The bias of binary32's exponent.
FP32_EXPONENT_BIAS: int = 127
#: The smallest normal number of binary32.
FP32_MIN_NORMAL: float = 2.0**-126


class RoundingMode(IntEnum):
    """nearest: half away from zero; floor: toward zero; even: half to even. Python also has "dither"."""

    nearest = 0
    floor = 1
    even = 2

    @staticmethod
    def string_enums() -> list[str]:
        """The names of the roundings."""
        return [mode.name for mode in RoundingMode]


class ElemFormat(Enum):
    """Element formats; fp4_e2m1, fp16 and bf16 are other names of fp4, float16 and bfloat16."""

    int8 = 1
    int4 = 2
    int2 = 3
    fp8_e5m2 = 4
    fp8_e4m3 = 5
    fp6_e3m2 = 6
    fp6_e2m3 = 7
    fp4 = 8
    fp4_e2m1 = 8
    float16 = 9
    fp16 = 9
    bfloat16 = 10
    bf16 = 10

    @staticmethod
    def from_str(s: str) -> ElemFormat:
        """The format of a name, whatever its case; an Exception for another name."""
        assert s is not None, "String elem_format == None"
        name = s.lower()
        if name not in ElemFormat.__members__:
            raise Exception("Undefined elem format", name)
        return ElemFormat[name]


def _get_min_norm(ebits: int) -> float:
    """The smallest normal number of a float with `ebits` exponent bits; 0 for integers (ebits 0)."""
    smallest: float = 2 ** (2 - 2 ** (ebits - 1)) if ebits else 0
    return smallest


def _get_max_norm(ebits: int, mbits: int) -> float:
    """The largest number of an IEEE-like float; `mbits` counts sign and hidden bit. AssertionError below 5 bits."""
    assert ebits >= 5, "invalid for floats that don't define NaN"
    return _largest(2 ** (ebits - 1) - 1, mbits)


def _largest(emax: int, mbits: int) -> float:
    largest: float = 2**emax * float(2 ** (mbits - 1) - 1) / 2 ** (mbits - 2)
    return largest


# (ebits, mbits, emax, max_norm); mbits counts sign and hidden bit, all bits of an integer.
_PARAMETERS = {
    ElemFormat.int8: (0, 8, 0, _largest(0, 8)),
    ElemFormat.int4: (0, 4, 0, _largest(0, 4)),
    ElemFormat.int2: (0, 2, 0, _largest(0, 2)),
    ElemFormat.fp8_e5m2: (5, 4, 15, _largest(15, 4)),
    ElemFormat.fp8_e4m3: (4, 5, 8, 448.0),
    ElemFormat.fp6_e3m2: (3, 4, 4, _largest(4, 4)),
    ElemFormat.fp6_e2m3: (2, 5, 2, _largest(2, 5)),
    ElemFormat.fp4: (2, 3, 2, _largest(2, 3)),
    ElemFormat.float16: (5, 12, 15, _largest(15, 12)),
    ElemFormat.bfloat16: (8, 9, 127, _largest(127, 9)),
}


def _get_format_params(fmt: str | ElemFormat) -> tuple[int, int, int, float, float]:
    """(ebits, mbits, emax, max_norm, min_norm) of a format or its name; an Exception for another one."""
    if isinstance(fmt, str):
        fmt = ElemFormat.from_str(fmt)
    if fmt not in _PARAMETERS:
        raise Exception(f"Unknown element format {fmt}")
    parameters = _PARAMETERS[fmt]
    return (*parameters, _get_min_norm(parameters[0]))
