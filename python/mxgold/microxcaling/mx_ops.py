"""Block quantization. Arrays (NumPy, ml_dtypes) and torch tensors of fp32, bf16, fp16 and fp64; results have the type,
shape and device of what was given and no gradient.

`mode`: "strict" or "compat" for this call. `random`: the words of dither, uint32, one for each element of the blocks
with their padding, in memory order, and of fp64 two, the upper first; without it they are drawn from torch's generator
for tensors, else from NumPy's. ValueError for another number of them, and for words where the rounding draws none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Sequence

from ._call import check_round, name_of, path_of, run
from .formats import ElemFormat
from .specs import mx_assert_test

if TYPE_CHECKING:
    from .._types import ArrayOrTensorT

__all__ = ["quantize_mx_op"]


def _quantize_mx(A: ArrayOrTensorT, scale_bits: int, elem_format: str | ElemFormat | None,
                 shared_exp_method: str = "max", axes: int | Sequence[int] | None = None, block_size: int = 0,
                 round: str = "nearest", flush_fp32_subnorms: bool = False, custom_cuda: bool = False, *,
                 mode: str | None = None, random: Any = None) -> ArrayOrTensorT:
    """Blocks of elements with a shared power of two.

    scale_bits: of the shared exponent with its sign, 1 to 64. elem_format: a name or ElemFormat; None leaves A as it
    is. shared_exp_method: "max", or "none" for an exponent of each element. axes: an int or several; several make
    tiles. block_size: elements of a block along each axis, 0 the whole axis. round: nearest, floor, even, dither.
    flush_fp32_subnorms: blocks below 2^-126 become zero. custom_cuda: the arithmetic of the C++ functions.
    """
    if elem_format is None:
        return A
    assert scale_bits > 0
    if axes is None:
        raise TypeError("'NoneType' object is not iterable")
    axes = [axes] if isinstance(axes, int) else list(axes)
    name = name_of(elem_format)
    path = path_of(A, custom_cuda, round)
    if path != "cuda":
        check_round(round)
    if shared_exp_method not in ("max", "none"):
        assert path == "python"
        raise Exception(f"Unrecognized shared exponent selection method {shared_exp_method}")
    if block_size < 0:
        raise UnboundLocalError("cannot access local variable 'padded_shape' where it is not associated with a value")
    spelt = "(" + ",".join(str(int(axis)) for axis in axes) + ")"
    found: ArrayOrTensorT = run("quantize_mx", A, mode, random, scale_bits=scale_bits, elem_format=name,
                                shared_exp_method=shared_exp_method, axes=spelt, block_size=int(block_size),
                                round=round, flush_fp32_subnorms=bool(flush_fp32_subnorms), path=path)
    return found


def quantize_mx_op(A: ArrayOrTensorT, mx_specs: Mapping[str, Any], elem_format: str | ElemFormat | None = None,
                   block_size: int | None = None, axes: int | Sequence[int] | None = None, round: str = "nearest",
                   expand_and_reshape: bool = False, *, mode: str | None = None, random: Any = None) -> ArrayOrTensorT:
    """_quantize_mx with the scale, the block size unless it is given, the method, the flush and custom_cuda of a
    specification; not its rounding. scale_bits 0 counts as 8. expand_and_reshape has no effect.

    A: an array or tensor of fp32, bf16, fp16 or fp64, of any shape, which the result has, too. elem_format: a name or
    ElemFormat; None leaves A as it is. axes: an int or several. Raises what _quantize_mx raises: TypeError without
    axes, an Exception for an unknown name.
    """
    mx_assert_test(mx_specs)
    if elem_format is None:
        return A
    if type(elem_format) is str:
        elem_format = ElemFormat.from_str(elem_format)
    if block_size is None:
        block_size = mx_specs["block_size"]
    return _quantize_mx(A, mx_specs["scale_bits"] or 8, elem_format, block_size=block_size, axes=axes, round=round,
                        shared_exp_method=mx_specs["shared_exp_method"],
                        flush_fp32_subnorms=mx_specs["mx_flush_fp32_subnorms"], custom_cuda=mx_specs["custom_cuda"],
                        mode=mode, random=random)
