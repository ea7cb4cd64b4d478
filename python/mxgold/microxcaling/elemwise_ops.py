"""Element-wise quantization. Arrays (NumPy, ml_dtypes) and torch tensors of fp32, bf16, fp16 and fp64; results have
the type, shape and device of what was given and no gradient.

`mode`: "strict" or "compat" for this call. `random`: the words of dither, uint32, one for each element in C order, of
fp64 two, the upper first; without it they are drawn from torch's generator for tensors, else from NumPy's. ValueError
for another number of them, and for words where the rounding draws none.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Mapping

from .._arrays import is_torch
from .._mode import setting
from ._call import check_round, name_of, path_of, run, sparse
from .formats import ElemFormat, _get_max_norm

if TYPE_CHECKING:
    from .._types import ArrayOrTensorT

__all__ = ["quantize_elemwise_op"]


def _quantize_elemwise_core(A: ArrayOrTensorT, bits: int, exp_bits: int, max_norm: float, round: str = "nearest",
                            saturate_normals: bool = False, allow_denorm: bool = True, custom_cuda: bool = False, *,
                            mode: str | None = None, random: Any = None) -> ArrayOrTensorT:
    """Rounds every element to a grid.

    bits: sign, hidden bit and stored significand bits. exp_bits: 0 makes integers worth 2^-(bits - 2).
    max_norm: the largest number; beyond it +-Inf, or +-max_norm with saturate_normals and for integers.
    round: nearest (half away from zero), floor (toward zero), even, dither. allow_denorm: False flushes numbers below
    2^(2 - 2^(exp_bits - 1)) to zero. custom_cuda: the arithmetic of the C++ functions. An Exception for another round.
    """
    check_round(round)
    largest = "inf" if math.isinf(max_norm) else float(max_norm).hex()
    found: ArrayOrTensorT = _element(A, mode, random, bits=bits, exp_bits=exp_bits, max_norm=largest, round=round,
                                     saturate_normals=bool(saturate_normals), allow_denorm=bool(allow_denorm),
                                     path=path_of(A, custom_cuda, round))
    return found


def _element(A: Any, mode: str | None, random: Any, **parameters: Any) -> Any:
    """quantize_elemwise of a tensor, also of a sparse one."""
    def quantize(values: Any) -> Any:
        return run("quantize_elemwise", values, mode, random, **parameters)

    return sparse(A, quantize, mode) if is_torch(A) and A.is_sparse else quantize(A)


def _quantize_elemwise(A: ArrayOrTensorT, elem_format: str | ElemFormat | None, round: str = "nearest",
                       custom_cuda: bool = False, saturate_normals: bool = False, allow_denorm: bool = True, *,
                       mode: str | None = None, random: Any = None) -> ArrayOrTensorT:
    """Rounds every element to an element format, by name or ElemFormat; None leaves A as it is. An Exception for
    another name or round."""
    if elem_format is None:
        return A
    name = name_of(elem_format)
    check_round(round)
    found: ArrayOrTensorT = _element(A, mode, random, elem_format=name, round=round,
                                     saturate_normals=bool(saturate_normals), allow_denorm=bool(allow_denorm),
                                     path=path_of(A, custom_cuda, round))
    return found


def _quantize_bfloat(A: ArrayOrTensorT, bfloat: int, round: str = "nearest", custom_cuda: bool = False,
                     allow_denorm: bool = True, *, mode: str | None = None, random: Any = None) -> ArrayOrTensorT:
    """A float of `bfloat` bits, 8 of them exponent; 0 and 32 leave A as it is."""
    if bfloat == 0 or bfloat == 32:
        return A
    return _quantize_elemwise_core(A, bits=bfloat - 7, exp_bits=8, max_norm=_get_max_norm(8, bfloat - 7), round=round,
                                   allow_denorm=allow_denorm, custom_cuda=custom_cuda, mode=mode, random=random)


def _quantize_fp(A: ArrayOrTensorT, exp_bits: int | None = None, mantissa_bits: int | None = None,
                 round: str = "nearest", custom_cuda: bool = False, allow_denorm: bool = True, *,
                 mode: str | None = None, random: Any = None) -> ArrayOrTensorT:
    """An IEEE-like float of at least 5 exponent bits (AssertionError); `mantissa_bits` are stored. None leaves A as it
    is."""
    if exp_bits is None or mantissa_bits is None:
        return A
    return _quantize_elemwise_core(A, bits=mantissa_bits + 2, exp_bits=exp_bits,
                                   max_norm=_get_max_norm(exp_bits, mantissa_bits + 2), round=round,
                                   allow_denorm=allow_denorm, custom_cuda=custom_cuda, mode=mode, random=random)


def quantize_elemwise_op(A: ArrayOrTensorT, mx_specs: Mapping[str, Any] | None, round: str | None = None, *,
                         mode: str | None = None, random: Any = None) -> ArrayOrTensorT:
    """The bfloat or fp format of a specification; `round` defaults to the specification's. None leaves A as it is.

    A: an array or tensor of fp32, bf16, fp16 or fp64, of any shape, which the result has, too.

    ValueError for both formats at once, bfloat of 9 bits or fewer, fp of 6 or fewer. With mxgold.mode("compat",
    "cuda"), bfloat 16 and "even" give a bfloat16 tensor, as the package does where torch has CUDA.
    """
    if mx_specs is None:
        return A
    if round is None:
        round = mx_specs["round"]
    bfloat, fp = mx_specs["bfloat"], mx_specs["fp"]
    if bfloat <= 0 and fp <= 0:
        return A
    if isinstance(A, (int, float)) and setting(mode)[0] == "compat":
        raise AttributeError(f"'{type(A).__name__}' object has no attribute 'is_sparse'")
    check_round(round)
    custom_cuda, subnormals = mx_specs["custom_cuda"], mx_specs["bfloat_subnorms"]
    found: ArrayOrTensorT = run("quantize_elemwise_op", A, mode, random, bfloat=max(bfloat, 0), fp=max(fp, 0),
                                round=round, bfloat_subnorms=bool(subnormals), path=path_of(A, custom_cuda, round))
    return found
