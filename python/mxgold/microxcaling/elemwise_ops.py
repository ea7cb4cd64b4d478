"""Element-wise quantization. Arrays (NumPy, ml_dtypes) and torch tensors of fp32, bf16, fp16 and fp64; results have
the type, shape and device of what was given and no gradient. `mode`: "strict" or "compat" for this call."""

import math

from .._arrays import is_torch
from .._mode import setting
from ._call import check_round, name_of, path_of, run, sparse
from .formats import _get_max_norm


def _quantize_elemwise_core(A, bits, exp_bits, max_norm, round="nearest", saturate_normals=False, allow_denorm=True,
                            custom_cuda=False, *, mode=None):
    """Rounds every element to a grid.

    bits: sign, hidden bit and stored significand bits. exp_bits: 0 makes integers worth 2^-(bits - 2).
    max_norm: the largest number; beyond it +-Inf, or +-max_norm with saturate_normals and for integers.
    round: nearest (half away from zero), floor (toward zero), even, dither. allow_denorm: False flushes numbers below
    2^(2 - 2^(exp_bits - 1)) to zero. custom_cuda: the arithmetic of the C++ functions.
    """
    check_round(round)
    if is_torch(A) and A.is_sparse:
        return sparse(A, lambda values: _quantize_elemwise_core(values, bits, exp_bits, max_norm, round,
                                                                saturate_normals, allow_denorm, custom_cuda,
                                                                mode=mode), mode)
    largest = "inf" if math.isinf(max_norm) else float(max_norm).hex()
    return run("quantize_elemwise", A, mode, bits=bits, exp_bits=exp_bits, max_norm=largest, round=round,
               saturate_normals=bool(saturate_normals), allow_denorm=bool(allow_denorm),
               path=path_of(A, custom_cuda, round))


def _quantize_elemwise(A, elem_format, round="nearest", custom_cuda=False, saturate_normals=False, allow_denorm=True,
                       *, mode=None):
    """Rounds every element to an element format, by name or ElemFormat; None leaves A as it is."""
    if elem_format is None:
        return A
    name = name_of(elem_format)
    check_round(round)
    if is_torch(A) and A.is_sparse:
        return sparse(A, lambda values: _quantize_elemwise(values, elem_format, round, custom_cuda, saturate_normals,
                                                           allow_denorm, mode=mode), mode)
    return run("quantize_elemwise", A, mode, elem_format=name, round=round, saturate_normals=bool(saturate_normals),
               allow_denorm=bool(allow_denorm), path=path_of(A, custom_cuda, round))


def _quantize_bfloat(A, bfloat, round="nearest", custom_cuda=False, allow_denorm=True, *, mode=None):
    """A float of `bfloat` bits, 8 of them exponent; 0 and 32 leave A as it is."""
    if bfloat == 0 or bfloat == 32:
        return A
    return _quantize_elemwise_core(A, bits=bfloat - 7, exp_bits=8, max_norm=_get_max_norm(8, bfloat - 7), round=round,
                                   allow_denorm=allow_denorm, custom_cuda=custom_cuda, mode=mode)


def _quantize_fp(A, exp_bits=None, mantissa_bits=None, round="nearest", custom_cuda=False, allow_denorm=True, *,
                 mode=None):
    """An IEEE-like float of at least 5 exponent bits; `mantissa_bits` are stored. None leaves A as it is."""
    if exp_bits is None or mantissa_bits is None:
        return A
    return _quantize_elemwise_core(A, bits=mantissa_bits + 2, exp_bits=exp_bits,
                                   max_norm=_get_max_norm(exp_bits, mantissa_bits + 2), round=round,
                                   allow_denorm=allow_denorm, custom_cuda=custom_cuda, mode=mode)


def quantize_elemwise_op(A, mx_specs, round=None, *, mode=None):
    """The bfloat or fp format of a specification; `round` defaults to the specification's. None leaves A as it is.

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
    return run("quantize_elemwise_op", A, mode, bfloat=max(bfloat, 0), fp=max(fp, 0), round=round,
               bfloat_subnorms=bool(subnormals), path=path_of(A, custom_cuda, round))
