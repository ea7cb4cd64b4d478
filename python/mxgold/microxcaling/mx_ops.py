"""Block quantization. Arrays (NumPy, ml_dtypes) and torch tensors of fp32, bf16, fp16 and fp64; results have the type,
shape and device of what was given and no gradient. `mode`: "strict" or "compat" for this call."""

from ._call import check_round, name_of, path_of, run
from .formats import ElemFormat
from .specs import mx_assert_test


def _quantize_mx(A, scale_bits, elem_format, shared_exp_method="max", axes=None, block_size=0, round="nearest",
                 flush_fp32_subnorms=False, custom_cuda=False, *, mode=None):
    """Blocks of elements with a shared power of two.

    scale_bits: of the shared exponent with its sign, 1 to 64. elem_format: a name or ElemFormat; None leaves A as it
    is. shared_exp_method: "max", or "none" for an exponent of each element. axes: an int or several; several make
    tiles. block_size: elements of a block along each axis, 0 the whole axis. round: nearest, floor, even, dither.
    flush_fp32_subnorms: blocks below 2^-126 become zero. custom_cuda: the arithmetic of the C++ functions.
    """
    if elem_format is None:
        return A
    assert scale_bits > 0
    axes = [axes] if type(axes) is int else list(axes)
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
    return run("quantize_mx", A, mode, scale_bits=scale_bits, elem_format=name, shared_exp_method=shared_exp_method,
               axes=spelt, block_size=int(block_size), round=round, flush_fp32_subnorms=bool(flush_fp32_subnorms),
               path=path)


def quantize_mx_op(A, mx_specs, elem_format=None, block_size=None, axes=None, round="nearest",
                   expand_and_reshape=False, *, mode=None):
    """_quantize_mx with the scale, the block size unless it is given, the method, the flush and custom_cuda of a
    specification; not its rounding. scale_bits 0 counts as 8. expand_and_reshape has no effect."""
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
                        mode=mode)
