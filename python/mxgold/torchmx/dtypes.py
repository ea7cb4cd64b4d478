"""The number types: element types, their scales, and the wider ones. spec S6.1."""

from __future__ import annotations

import dataclasses
from typing import Any

__all__ = ["DType", "E8M0_EXPONENT_NAN_VAL", "STR_TO_SUPPORTED_ELEM_DTYPE", "SUPPORTED_ELEM_DTYPES",
           "SUPPORTED_FP_ELEM_DTYPES", "bfloat16", "e8m0", "float22_e8m13", "float32", "float4_e2m1", "float64",
           "float6_e2m3", "float6_e3m2", "float8_e4m3", "int8"]


@dataclasses.dataclass(frozen=True, repr=False)
class DType:
    """A number type; prints its name.

    max: the largest value. max_pow2: exponent of the largest binade. exponent_bias, exponent_bits, mantissa_bits: of
    the stored fields. torch_dtype: torch's own type, None where it has none; its name until torch is in use here.
    """

    name: str
    max: float
    max_pow2: int
    exponent_bias: int
    exponent_bits: int
    mantissa_bits: int
    has_nan: bool
    has_inf: bool
    torch_dtype: Any = None

    def __repr__(self) -> str:
        return self.name


float8_e4m3: DType = DType("float8_e4m3", 448.0, 8, 7, 4, 3, True, False, "float8_e4m3fn")
float6_e3m2: DType = DType("float6_e3m2", 28.0, 4, 3, 3, 2, False, False)
float6_e2m3: DType = DType("float6_e2m3", 7.5, 2, 1, 2, 3, False, False)
float4_e2m1: DType = DType("float4_e2m1", 6.0, 2, 1, 2, 1, False, False)
int8: DType = DType("int8", 127.0, 6, 0, 0, 7, False, False, "int8")
float64: DType = DType("float64", float.fromhex("0x1.fffffffffffffp1023"), 1023, 1023, 11, 52, True, True, "float64")
float32: DType = DType("float32", float.fromhex("0x1.fffffep127"), 127, 127, 8, 23, True, True, "float32")
bfloat16: DType = DType("bfloat16", float.fromhex("0x1.fep127"), 127, 127, 8, 7, True, True, "bfloat16")
float22_e8m13: DType = DType("float22_e8m13", 2.0 ** 127 * (2 - 2.0 ** -13), 127, 127, 8, 13, True, True)
e8m0: DType = DType("e8m0", 2 ** 127, 127, 127, 8, 0, True, False)

SUPPORTED_FP_ELEM_DTYPES: tuple[DType, ...] = (float8_e4m3, float6_e3m2, float6_e2m3, float4_e2m1)
SUPPORTED_ELEM_DTYPES: tuple[DType, ...] = (*SUPPORTED_FP_ELEM_DTYPES, int8)
STR_TO_SUPPORTED_ELEM_DTYPE: dict[str, DType] = {dtype.name: dtype for dtype in SUPPORTED_ELEM_DTYPES}

#: The scale byte of NaN.
E8M0_EXPONENT_NAN_VAL: int = 255
