"""Element types: exponent bits, mantissa bits and two flags. Source: spec S8.2."""

from __future__ import annotations

from typing import Any, NamedTuple

from ._tensors import dtype_name

_BY_NAME = {"float16": (5, 10, False, False), "bfloat16": (8, 7, False, False), "float8_e4m3fn": (4, 3, True, False),
            "float8_e4m3fnuz": (4, 3, True, True), "float8_e5m2": (5, 2, False, False),
            "float8_e5m2fnuz": (5, 2, True, True)}
_NAMES = {facts: name for name, facts in _BY_NAME.items()}
_MAXIMA = {"float16": 65504.0, "bfloat16": 3.3895313892515355e38, "float8_e4m3fn": 448.0, "float8_e4m3fnuz": 240.0,
           "float8_e5m2": 57344.0, "float8_e5m2fnuz": 57344.0}
_ONNX = {"float16": "float16", "bfloat16": "bfloat16", "float8_e4m3fn": "float8e4m3fn",
         "float8_e4m3fnuz": "float8e4m3fnuz", "float8_e5m2": "float8e5m2", "float8_e5m2fnuz": "float8e5m2fnuz",
         "float4_e2m1fn": "float4e2m1"}


class FloatInfo(NamedTuple):
    """An element type; `finite`: it has no infinities, `unsigned_zero`: it has no negative zero."""

    exponent_bits: int
    mantissa_bits: int
    finite: bool
    unsigned_zero: bool

    @classmethod
    def of_dtype(cls, dtype: Any) -> FloatInfo:
        """The type of a torch, ml_dtypes or NumPy dtype, or of its name."""
        name = dtype_name(dtype)
        if name not in _BY_NAME:
            raise ValueError(f"Expected dtype to be one of {', '.join(_BY_NAME)}; got {dtype}")
        return cls(*_BY_NAME[name])

    @property
    def dtype(self) -> str | None:
        """The name of torch's dtype of these facts, or None."""
        return _NAMES.get(self)

    @property
    def bitwidth(self) -> int:
        """1 + exponent bits + mantissa bits."""
        return 1 + self.exponent_bits + self.mantissa_bits

    @property
    def name(self) -> str:
        """What the package calls the type."""
        flags = ("fn" if self.finite else "") + ("uz" if self.unsigned_zero else "")
        return self.dtype or f"float{self.bitwidth}_e{self.exponent_bits}m{self.mantissa_bits}{flags}"

    @property
    def onnx_name(self) -> str | None:
        """The name of ONNX's type, or None."""
        return _ONNX.get(self.name)

    @property
    def max(self) -> float:
        """The largest value; an int where there are no mantissa bits, as in the package."""
        if self.dtype:
            return _MAXIMA[self.dtype]
        if self == FLOAT4_E2M1FN:
            return 6.0
        if self.finite or self.unsigned_zero:
            raise RuntimeError(f"the largest value of {self.name} is unknown")
        top = 2**self.exponent_bits - 1
        largest: float = (2 - 2**-self.mantissa_bits) * 2 ** (top - top // 2 - 1)
        return largest

    def text(self, function: str, **more: Any) -> str:
        """The text of a cast of this type."""
        parts = [f"exponent_bits={self.exponent_bits}", f"mantissa_bits={self.mantissa_bits}", f"finite={self.finite}",
                 f"unsigned_zero={self.unsigned_zero}"]
        parts += [f"{key}={value}" for key, value in more.items() if value]
        return f"aimet:{function}({','.join(parts)})".replace(" ", "")


FLOAT4_E2M1FN = FloatInfo(2, 1, True, False)
FLOAT8_E4M3FN = FloatInfo(4, 3, True, False)
HALVES = (FloatInfo(5, 10, False, False), FloatInfo(8, 7, False, False))
