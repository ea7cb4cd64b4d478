"""Helpers on patterns and single steps of quantization. spec S6.2, S6.3.

Arrays are torch tensors or NumPy arrays, bfloat16 as in mxgold.torchmx; results are what the first argument is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

import numpy

from .._arrays import from_words, is_torch
from . import _calls, dtypes
from .utils import pack_uint4, unpack_uint4

if TYPE_CHECKING:
    from .._types import Array, ArrayOrTensor, ArrayOrTensorT, DTypeLike

__all__ = ["dequantize_to_dtype", "get_e8m0_shared_exponent", "get_fp_scale", "leading_one_position", "n_ones",
           "quantize_mx_with_e8m0_shared_exponent_hw_exact", "quantize_mx_with_e8m0_shared_exponent_simulated",
           "round_to_even", "unpack_bfloat16", "unpack_fp32", "unpack_fp64"]


def _fields(x: Any, kind: str, message: str) -> tuple[Array, Array, Array]:
    words, found = _calls.words_of(x)
    if found != kind:
        raise AssertionError(message)
    words = words.view(f"u{words.dtype.itemsize}").astype(numpy.int64)
    exponent_bits, bits = {"bf16": (8, 7), "fp32": (8, 23), "fp64": (11, 52)}[kind]
    return words >> (exponent_bits + bits) & 1, words >> bits & n_ones(exponent_bits), words & n_ones(bits)


def _as(array: Array, dtype: Any, like: Any) -> Any:
    return from_words(array.astype(dtype), numpy.dtype(dtype).name, like)


def unpack_bfloat16(x: ArrayOrTensor, dtype: Any = None) -> tuple[Any, Any, Any]:
    """(sign, exponent field, mantissa) of bfloat16 values as uint8, or as `dtype`."""
    parts = [_as(part, numpy.uint8, x) for part in _fields(x, "bf16", "x must be of dtype torch.bfloat16")]
    if dtype is not None:
        parts = [part.to(dtype) if is_torch(part) else part.astype(dtype) for part in parts]
    return parts[0], parts[1], parts[2]


def unpack_fp32(x: ArrayOrTensor) -> tuple[Any, Any, Any]:
    """(sign uint8, exponent field uint8, mantissa int32) of float32 values, of x's shape; AssertionError for others."""
    sign, exponent, mantissa = _fields(x, "fp32", "x must be float32")
    return _as(sign, numpy.uint8, x), _as(exponent, numpy.uint8, x), _as(mantissa, numpy.int32, x)


def unpack_fp64(x: ArrayOrTensor) -> tuple[Any, Any, Any]:
    """(sign uint8, exponent field int16, mantissa int64) of float64 values, of x's shape; AssertionError for others."""
    sign, exponent, mantissa = _fields(x, "fp64", "x must be float64")
    return _as(sign, numpy.uint8, x), _as(exponent, numpy.int16, x), _as(mantissa, numpy.int64, x)


def n_ones(n: int) -> int:
    """A number of `n` ones: 2^n - 1."""
    return (1 << n) - 1


def round_to_even(mantissa: Any, mantissa_shift: Any) -> Any:
    """mantissa / 2^mantissa_shift, ties to even, for arrays of integers; shifts of one or more, one for all or one
    for each."""
    kept = mantissa >> mantissa_shift
    half = (mantissa >> (mantissa_shift - 1)) & 1
    below = mantissa & ((1 << (mantissa_shift - 1)) - 1)
    up = (half != 0) & ((below != 0) | (kept % 2 == 1))
    return kept + up


def leading_one_position(mantissa: Any, mantissa_size: int = 7) -> Any:
    """The position of the leading one among the low `mantissa_size` bits of each integer, -1 where there is none."""
    found = mantissa * 0 - 1
    for i in range(mantissa_size):
        is_set = (mantissa >> i) & 1
        found = found * (1 - is_set) + i * is_set
    return found


def get_e8m0_shared_exponent(data_hp: ArrayOrTensorT, elem_dtype: dtypes.DType, *,
                             mode: str | None = None) -> ArrayOrTensorT:
    """The scale bytes (uint8) of bfloat16 or float32 blocks, each along the last dimension.

    data_hp: (..., block). Returns (...). AssertionError for other types, of values and of elements.
    """
    words, kind = _calls.words_of(data_hp)
    if kind not in ("bf16", "fp32"):
        raise AssertionError(f"{getattr(data_hp, 'dtype', kind)} is not supported yet")
    if elem_dtype not in dtypes.SUPPORTED_ELEM_DTYPES:
        raise AssertionError(f"Unsupported dtype {elem_dtype}. Supported: {dtypes.SUPPORTED_ELEM_DTYPES}")
    exponent = (words.view(numpy.uint16) >> 7 if kind == "bf16" else words.view(numpy.uint32) >> 23) & 255
    largest = exponent.max(axis=-1).astype(numpy.int64)
    offset = 0 if elem_dtype == dtypes.int8 and _calls.mode_of(mode) == "strict" else elem_dtype.max_pow2
    scale = numpy.where(largest == 255, 255, numpy.clip(largest - offset, 0, 254))
    found: ArrayOrTensorT = _as(numpy.asarray(scale), numpy.uint8, data_hp)
    return found


def get_fp_scale(shared_exp_e8m0: ArrayOrTensorT) -> ArrayOrTensorT:
    """2^(byte - 127) as float32, NaN for 255; of the shape of the bytes."""
    scale, _ = _calls.words_of(shared_exp_e8m0)
    power = numpy.ldexp(numpy.float32(1), scale.astype(numpy.int32) - 127).astype(numpy.float32)
    power = numpy.where(scale == 255, numpy.float32("nan"), power).astype(numpy.float32)
    found: ArrayOrTensorT = from_words(power, "fp32", shared_exp_e8m0)
    return found


def _quantize(data_hp: Any, elem_dtype: dtypes.DType, shared_exponent: ArrayOrTensor, orig_shape: Sequence[int] | None,
              path: str, mode: str | None) -> Any:
    scale, kind = _calls.words_of(shared_exponent)
    if kind != "uint8":
        raise AssertionError("`shared_exponent` must be of dtype torch.uint8")
    if elem_dtype not in dtypes.SUPPORTED_ELEM_DTYPES:
        raise AssertionError(f"unsupported, dtype: {elem_dtype}")
    scale = numpy.broadcast_to(scale, tuple(data_hp.shape[:-1]) + (scale.shape[-1],))
    text = f"quantize_elements(elem_dtype={elem_dtype}, path={path})"
    codes = _calls.apply(text, data_hp, mode, scale=scale)["data"]
    if orig_shape is not None:
        codes = codes.reshape(tuple(orig_shape))
    return pack_uint4(codes, mode=mode) if elem_dtype == dtypes.float4_e2m1 else codes


def quantize_mx_with_e8m0_shared_exponent_simulated(
        data_hp: ArrayOrTensorT, elem_dtype: dtypes.DType, shared_exponent: ArrayOrTensor,
        orig_shape: Sequence[int] | None = None, *, mode: str | None = None) -> ArrayOrTensorT:
    """The codes of bfloat16 or float32 rows under given scale bytes (one for each row), by the simulated path, in
    `orig_shape`; float4_e2m1 packed."""
    codes: ArrayOrTensorT = _quantize(data_hp, elem_dtype, shared_exponent, orig_shape, "simulated", mode)
    return codes


def quantize_mx_with_e8m0_shared_exponent_hw_exact(
        data_hp: ArrayOrTensorT, elem_dtype: dtypes.DType, shared_exponent: ArrayOrTensor,
        orig_shape: Sequence[int] | None = None, *, mode: str | None = None) -> ArrayOrTensorT:
    """The same by the hardware-exact path: bfloat16 rows and floating element types only."""
    if elem_dtype not in dtypes.SUPPORTED_FP_ELEM_DTYPES:
        raise AssertionError(f"Unsupported dtype {elem_dtype}. Supported: {dtypes.SUPPORTED_FP_ELEM_DTYPES}")
    codes: ArrayOrTensorT = _quantize(data_hp, elem_dtype, shared_exponent, orig_shape, "hw_exact", mode)
    return codes


def dequantize_to_dtype(data_lp: ArrayOrTensorT, elem_dtype: dtypes.DType, target_dtype: DTypeLike,
                        packing_dim: int = -1, is_packed_fp4: bool = True, *,
                        mode: str | None = None) -> ArrayOrTensorT:
    """The values of codes of a floating element type, without scales, in `target_dtype`.

    data_lp: uint8; float4_e2m1 packed along `packing_dim` unless `is_packed_fp4` is False.
    """
    from .mx_tensor import dequantize_mx

    if elem_dtype not in dtypes.SUPPORTED_FP_ELEM_DTYPES:
        raise AssertionError(f"Unsupported dtype {elem_dtype}. Supported: {dtypes.SUPPORTED_FP_ELEM_DTYPES}")
    codes, kind = _calls.words_of(data_lp)
    if kind != "uint8":
        raise AssertionError("Input tensor must be of dtype torch.uint8")
    packs = elem_dtype == dtypes.float4_e2m1
    if packs and is_packed_fp4:
        codes = unpack_uint4(codes, packing_dim)
    if not packs:
        scale = numpy.full(codes.shape[:-1] + (1,), 127, dtype=numpy.uint8)
        values = dequantize_mx(codes, scale, elem_dtype.name, codes.shape[-1], _calls.target_name(target_dtype), -1,
                               mode=mode)
    else:
        every = numpy.array([2 * i << 4 | (2 * i + 1) for i in range(8)], dtype=numpy.uint8)
        table = dequantize_mx(every, numpy.array([127], dtype=numpy.uint8), elem_dtype.name, 16,
                              _calls.target_name(target_dtype), 0, mode=mode)
        values = table[codes & 15]
    names = {"bfloat16": "bf16", "float32": "fp32", "float16": "fp16", "float64": "fp64"}
    words = values.view(numpy.uint16) if values.dtype.itemsize == 2 and is_torch(data_lp) else values
    if is_torch(data_lp) and values.dtype == numpy.float16:
        words = values
    found: ArrayOrTensorT = _calls.result_of(words, names[_calls.target_name(target_dtype)], data_lp)
    return found
