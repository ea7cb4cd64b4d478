"""The number types: element types, their scales, and the wider ones. spec S6.1."""


class DType:
    """A number type; prints its name.

    name: str. max: largest value. max_pow2: exponent of the largest binade. exponent_bias, exponent_bits,
    mantissa_bits: of the stored fields. has_nan, has_inf: bool. torch_dtype: torch's own type, None if it has none.
    Objects are constant.
    """

    def __init__(self, name, max, max_pow2, exponent_bias, exponent_bits, mantissa_bits, has_nan, has_inf,
                 torch_dtype=None):
        self.__dict__.update(name=name, max=max, max_pow2=max_pow2, exponent_bias=exponent_bias,
                             exponent_bits=exponent_bits, mantissa_bits=mantissa_bits, has_nan=has_nan,
                             has_inf=has_inf, _torch_dtype=torch_dtype)

    @property
    def torch_dtype(self):
        if isinstance(self._torch_dtype, str):
            import torch

            return getattr(torch, self._torch_dtype)
        return self._torch_dtype

    def _key(self):
        return (self.name, self.max, self.max_pow2, self.exponent_bias, self.exponent_bits, self.mantissa_bits,
                self.has_nan, self.has_inf)

    def __eq__(self, other):
        return self._key() == other._key() if isinstance(other, DType) else NotImplemented

    def __hash__(self):
        return hash(self._key())

    def __setattr__(self, name, value):
        raise AttributeError(f"cannot assign to field {name!r}")

    def __delattr__(self, name):
        raise AttributeError(f"cannot delete field {name!r}")

    def __repr__(self):
        return self.name


float8_e4m3 = DType("float8_e4m3", 448.0, 8, 7, 4, 3, True, False, "float8_e4m3fn")
float6_e3m2 = DType("float6_e3m2", 28.0, 4, 3, 3, 2, False, False)
float6_e2m3 = DType("float6_e2m3", 7.5, 2, 1, 2, 3, False, False)
float4_e2m1 = DType("float4_e2m1", 6.0, 2, 1, 2, 1, False, False)
int8 = DType("int8", 127.0, 6, 0, 0, 7, False, False, "int8")
float64 = DType("float64", float.fromhex("0x1.fffffffffffffp1023"), 1023, 1023, 11, 52, True, True, "float64")
float32 = DType("float32", float.fromhex("0x1.fffffep127"), 127, 127, 8, 23, True, True, "float32")
bfloat16 = DType("bfloat16", float.fromhex("0x1.fep127"), 127, 127, 8, 7, True, True, "bfloat16")
float22_e8m13 = DType("float22_e8m13", 2.0 ** 127 * (2 - 2.0 ** -13), 127, 127, 8, 13, True, True)
e8m0 = DType("e8m0", 2 ** 127, 127, 127, 8, 0, True, False)

SUPPORTED_FP_ELEM_DTYPES = (float8_e4m3, float6_e3m2, float6_e2m3, float4_e2m1)
SUPPORTED_ELEM_DTYPES = (*SUPPORTED_FP_ELEM_DTYPES, int8)
STR_TO_SUPPORTED_ELEM_DTYPE = {dtype.name: dtype for dtype in SUPPORTED_ELEM_DTYPES}

E8M0_EXPONENT_NAN_VAL = 255
