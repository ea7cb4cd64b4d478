"""The names of aimet_torch.fp_quantization. Source: spec S8.5."""

import numpy

from .._systems import apply
from ._finfo import FLOAT4_E2M1FN, FloatInfo
from ._tensors import as_numpy, as_tensor


def fake_cast_to_ieee_float(x_float, maxval, exponent_bits, mantissa_bits, finite=True, *, mode=None):
    """Rounds values to a grid of exponent and mantissa bits whose largest value is maxval.

    x_float: an array or tensor of float32, bfloat16 or float16. maxval: the largest value of the type, which is
    (2 - 2**-mantissa_bits) * 2**(2**(exponent_bits - 1) - 1), or 6 for two exponent bits and one mantissa bit.
    finite: whether infinities become the largest value (compat; strict saturates them always).

    compat: the package's formula, whose grid has one subnormal binade more than IEEE 754's. strict: IEEE 754's.
    Raises NotImplementedError for other maxima: the package scales its grid by a rounded logarithm then.
    """
    value = as_tensor(x_float)
    limit = as_numpy(maxval)
    info = FloatInfo(int(exponent_bits), int(mantissa_bits), bool(finite), False)
    own = FloatInfo(info.exponent_bits, info.mantissa_bits, False, False)
    more = {}
    if FLOAT4_E2M1FN[:2] == own[:2] and numpy.all(limit == 6):
        more["maxval"] = 6
    elif not numpy.all(limit == own.max):
        raise NotImplementedError(f"maxval of E{own.exponent_bits}M{own.mantissa_bits} must be {own.max}")
    return apply(info.text("fake_cast_to_ieee_float", **more), value, mode=mode)["values"]


__all__ = ["fake_cast_to_ieee_float"]
