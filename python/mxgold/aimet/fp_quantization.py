"""The names of aimet_torch.fp_quantization. Source: spec S8.5."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, overload

import numpy

from .._mode import setting
from .._systems import apply
from ._finfo import FLOAT4_E2M1FN, FloatInfo
from ._tensors import as_numpy, as_tensor, is_torch, native, same_kind, torch_if_imported

if TYPE_CHECKING:
    from .._types import Array, ArrayLike, Tensor, TensorT

__all__ = ["fake_cast_to_ieee_float", "quantize_to_fp8"]


@overload
def fake_cast_to_ieee_float(x_float: TensorT, maxval: ArrayLike | Tensor, exponent_bits: int, mantissa_bits: int,
                            finite: bool = ..., *, mode: str | None = ...) -> TensorT: ...
@overload
def fake_cast_to_ieee_float(x_float: ArrayLike, maxval: ArrayLike | Tensor, exponent_bits: int, mantissa_bits: int,
                            finite: bool = ..., *, mode: str | None = ...) -> Array: ...
def fake_cast_to_ieee_float(x_float: Any, maxval: Any, exponent_bits: int, mantissa_bits: int, finite: bool = True, *,
                            mode: str | None = None) -> Any:
    """Rounds values to a grid of exponent and mantissa bits whose largest value is maxval.

    x_float: an array or tensor of float32, bfloat16 or float16. maxval: the largest value: the type's own, which is 6
    for two exponent bits and one mantissa bit (OCP's E2M1) and otherwise (2 - 2**-mantissa_bits) *
    2**(2**(exponent_bits - 1) - 1), or another one (a number or an array), which scales the whole grid.
    finite: whether infinities become the largest value (compat; strict saturates them always).

    compat: the package's formula, whose grid has one subnormal binade more than IEEE 754's; other maxima scale it by
    torch's logarithms and powers, so they need torch (NotImplementedError). strict: IEEE 754's grid (for E2M1 OCP's),
    scaled by maxval / max, rounded once to float32; RuntimeError for a maxval of 0.
    """
    value = as_tensor(x_float)
    limit = as_numpy(maxval)
    own = FloatInfo(int(exponent_bits), int(mantissa_bits), False, False)
    info = own._replace(finite=bool(finite))
    if FLOAT4_E2M1FN[:2] == own[:2] and numpy.all(limit == 6):
        return apply(info.text("fake_cast_to_ieee_float", maxval=6), value, mode=mode)["values"]
    if numpy.all(limit == own.max):
        return apply(info.text("fake_cast_to_ieee_float"), value, mode=mode)["values"]
    if setting(mode)[0] == "compat":
        return _by_torch(value, maxval, own, finite)
    limit = numpy.asarray(limit, dtype=numpy.float32)
    return apply(info.text("fake_cast_to_ieee_float"), value, mode=mode, maxval=same_kind(limit, value))["values"]


def _by_torch(value: Any, maxval: Any, info: FloatInfo, finite: bool) -> Any:
    """The formula of spec S8.5 for a maximum that makes B no integer."""
    torch = torch_if_imported()
    if torch is None:
        raise NotImplementedError(f"maxval of E{info.exponent_bits}M{info.mantissa_bits} must be {info.max} where "
                                  "torch has not been imported")
    x, bits = native(value), info.mantissa_bits
    limit = maxval if torch.is_tensor(maxval) else torch.tensor(maxval, dtype=torch.float64).to(x.device)
    bias = 2**info.exponent_bits - torch.log2(limit) + math.log2(2 - 2**-bits) - 1
    clamped = x.clamp(-limit, limit)
    level = torch.floor(torch.log2(clamped.abs()) + bias).clamp(min=1.0)
    step = 2.0 ** (level - bits - bias)
    result = torch.round(clamped / step) * step
    if not finite:
        result = torch.where(x.isinf(), x, result)
    return same_kind(result.to(x.dtype), value)


@overload
def quantize_to_fp8(x_float: TensorT, maxval: Array | Tensor, mantissa_bits: int | Array | Tensor,
                    per_channel_axis: int = ..., *, mode: str | None = ...) -> TensorT: ...
@overload
def quantize_to_fp8(x_float: Array, maxval: Array | Tensor, mantissa_bits: int | Array | Tensor,
                    per_channel_axis: int = ..., *, mode: str | None = ...) -> Array: ...
def quantize_to_fp8(x_float: Any, maxval: Any, mantissa_bits: Any, per_channel_axis: int = 0, *,
                    mode: str | None = None) -> Any:
    """fake_cast_to_ieee_float() to 8 bits: a sign, 7 - mantissa_bits exponent bits, mantissa_bits.

    x_float: as there. maxval: the largest value, or one of each channel along per_channel_axis. mantissa_bits: 0 to 6,
    a number or an array or tensor of one element. Raises what fake_cast_to_ieee_float() raises.
    """
    bits, limit = int(as_numpy(mantissa_bits).reshape(())), as_tensor(maxval)
    if len(limit.shape) == 1 and limit.shape[0] != 1 and len(x_float.shape) != 1:
        sizes = [1] * len(x_float.shape)
        sizes[per_channel_axis] = -1
        limit = limit.reshape(sizes)
    return fake_cast_to_ieee_float(x_float, limit, 7 - bits, bits, mode=mode)
