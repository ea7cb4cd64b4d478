"""Arrays in blocks: quantize and dequantize."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy

from . import _native
from ._formats import BlockFormat, block_format, element_format
from ._hadamard import transformed
from ._homes import codes_of, taken
from ._library import LIBRARY
from ._plans import BlockPlan, Level, at_level_of, axis_of, leveled, plan_from, plan_of
from ._policies import Policy, key_of
from ._quantized import Quantized, values_of
from ._quick import CALLS
from ._torch import is_on_cuda

if TYPE_CHECKING:
    from ._homes import Home
    from ._types import Array, ArrayLike, FormatLike, PolicyLike, Settings, Tensor, Unpack

_quick = None if CALLS is None else CALLS.quantize


def quantize(x: ArrayLike | Tensor, format: FormatLike, policy: PolicyLike = "", *, axis: int = -1,
             source: FormatLike | None = None, seed: int = 0, tensor_index: int = 0,
             tensor_scale: float | None = None, tensor_amax: float | None = None, backend: str = "auto",
             hadamard: int | str | None = None, hadamard_signs: str = "first", **settings: Unpack[Settings]) -> Quantized:
    """Quantizes an array in blocks along an axis, on all cores and without the GIL.

    x: array of any shape; float64, float32, float16, ml_dtypes types, a torch tensor, an array of JAX, or numbers
        (float32).
    format: a block format or its name ("mxfp8_e4m3", "nvfp4"; mxgold.formats("blocks")).
    policy, settings: choices where the format leaves one, "rule=rceil,rounding=stochastic_a" or "profile=torchao-0.18"
        (mxgold.policy), or as keywords: rule="rceil", profile="te"; block_size=16 changes the block. What a profile
        leaves open is not marked in the result: open_answers() says which codes are one choice of several.
    axis: the dimension that blocks lie along; the last block may be short. A C-ordered array is not copied.
    source: the format of x where its type does not say it (codes in integers).
    seed, tensor_index: choose the random words of stochastic roundings, with the element's index in C order; 0 to
        2^64 - 1 and 0 to 2^32 - 1.
    tensor_scale, tensor_amax: two-level formats (nvfp4): the scale of the whole tensor, or its largest magnitude, a
        finite number of 0 or more, rounded to binary32; by default found from x.
    backend: who computes, here and when the result is dequantized, never which bits: "auto" (the processor's vectors
        where they are proven), "reference", or, with a ValueError where it cannot, "cpu" (the vectors), "cuda" (a CUDA
        device) or "cuda-host" (the arithmetic of that path here).
    hadamard, hadamard_signs: transform groups of 16 along the axis first, as mxgold.hadamard() does; "drawn" takes the
        mask of the seed. tensor_scale and tensor_amax are then those of the transformed values.

    Returns a Quantized: codes of the shape of x, scales, format, flags; its arrays are tensors where x is one.
    ValueError for an unknown name, a number or an axis out of range, or a policy that the format does not take; TypeError
    for a type without format.

    >>> q = mxgold.quantize(numpy.float32([480, 1]), "mxfp8_e4m3")
    >>> q.code_bits, q.scale_bits
    (array([126,  56], dtype=uint8), array([127], dtype=uint8))
    """
    if settings:
        policy = key_of(policy, settings)
    is_plain = (source is None and tensor_scale is None and tensor_amax is None and hadamard is None
                and backend == "auto" and hadamard_signs == "first")
    if is_plain and _quick is not None:
        found = _quick(x, format, policy, axis, seed, tensor_index)
        if found is not NotImplemented:
            return _of_quick(found)
    key = _native.random_key(seed, tensor_index)
    if is_plain and is_on_cuda(x):
        on_device = _by_device(x, format, key_of(policy, {}), axis, key)
        if on_device is not None:
            return on_device
    words, name, home = taken(x, source)
    transform = None
    if hadamard is not None:
        transform = (_mask_of(hadamard, key[0]), hadamard_signs)
        words, name = transformed(words, name, *transform, axis), None
    elif hadamard_signs != "first":
        raise ValueError("hadamard_signs: goes with hadamard")
    plan = plan_of(words.dtype, block_format(format), key_of(policy, {}), name, backend)
    axis = axis_of(axis, words.shape)
    quantizer, level = at_level_of(plan, words, tensor_scale, tensor_amax)
    codes = numpy.empty(words.shape, plan.format.element.dtype)
    scales = numpy.empty(plan.format.scale_shape(words.shape, axis), plan.format.scale_dtype)
    flags = ctypes.c_uint32()
    _native.require(LIBRARY.mxgold_quantize_tensor(
        quantizer.pointer, _native.shape_of(words.shape), words.ndim, axis, _native.address(words), words.nbytes, *key,
        _native.address(codes), codes.nbytes, _native.address(scales), scales.nbytes,
        ctypes.byref(flags)))
    if is_plain and words is x:
        _remember(words.dtype, format, policy, plan)
    return Quantized(codes, scales, plan, axis, flags.value, quantizer, level, transform, home)


def _by_device(x: Any, format: FormatLike, policy: str | Policy, axis: int, key: tuple[int, int]) -> Quantized | None:
    """A tensor of a CUDA device in blocks, without a copy; None where the device has no path for it."""
    import torch

    from . import _cuda

    return _cuda.quantize_there(x, block_format(format), policy, axis, key, _cuda.Run(torch, x.device))


def _mask_of(given: int | str, seed: int) -> int:
    """The mask that is given, or the one that a seed draws."""
    if isinstance(given, str) and given == "drawn":
        return int(LIBRARY.mxgold_hadamard_mask(seed))
    return _native.whole("hadamard", given, 16)


def _remember(dtype: numpy.dtype[Any], format: FormatLike, policy: PolicyLike, plan: BlockPlan) -> None:
    """Tells the short way of a plan, where it can go it."""
    block = plan.format
    if CALLS is None or block.extent == "tensor" or block.tile_lines != 1 or not isinstance(policy, (str, Policy)):
        return
    element = block.element
    CALLS.remember(True, (dtype, format, policy),
                   (plan.quantizer.pointer.value, dtype.itemsize, element.dtype, element.storage_bytes,
                    block.scale_dtype, block.scale_bytes, block.block_size or 0, int(block.two_level), plan))


def _of_quick(found: tuple[Any, ...]) -> Quantized:
    """What the short way gives."""
    held, codes, scales, axis, flags, handle, amax, scale = found
    plan = held[8]
    if not handle:
        return Quantized(codes, scales, plan, axis, flags, plan.quantizer, None)
    return Quantized(codes, scales, plan, axis, flags, _native.Quantizer(ctypes.c_void_p(handle)), (amax, scale))


def dequantize(codes: Any, scales: Any = None, format: FormatLike | None = None, policy: PolicyLike = "", *,
               axis: int | None = None, tensor_scale: float | None = None, output: FormatLike = "fp32",
               backend: str = "auto", **settings: Any) -> Any:
    """The values of codes and scales: of a Quantized, or of arrays and the format they are in.

    codes: a Quantized, which says the rest itself (only `output` may be given beside it), or an array of element codes
        of any shape.
    scales: scale codes, of the shape that quantize() gives them (format.scale_shape(codes.shape, axis)).
    format, policy, settings, axis, backend: as for quantize(); the axis by default the last.
    tensor_scale: two-level formats (nvfp4), which must have it: the scale of the whole tensor, a Quantized's
        tensor_scale. Under rule nvfp4_ct it is compressed-tensors' global scale, by which is divided.
    output: the format of the result, float32 by default.

    Returns an array of the shape of codes, a tensor where they are one. ValueError where sizes do not fit, a code has bits above its format's, or
    something is given that a Quantized says itself.

    >>> mxgold.dequantize(numpy.uint8([126, 56]), numpy.uint8([127]), "mxfp8_e4m3")
    array([448.,   1.], dtype=float32)
    """
    if isinstance(codes, Quantized):
        for name, value in (("scales", scales), ("format", format), ("policy", policy or None), ("axis", axis),
                            ("tensor_scale", tensor_scale), ("backend", None if backend == "auto" else backend),
                            *settings.items()):
            if value is not None:
                raise ValueError(f"{name}: goes with an array of codes, not with a Quantized, which says it itself; the "
                                 "format of the result is output=")
        return codes.dequantize(output)
    if scales is None or format is None:
        raise TypeError("dequantize takes a Quantized, or codes, scales and a format")
    home = taken(codes, holds_codes=True).home
    destination = element_format(output)
    made = _blocks_of(codes, scales, block_format(format), key_of(policy, settings), -1 if axis is None else axis,
                      tensor_scale, backend)
    return home.give(values_of(made.quantizer, made.codes, made.scales, made.axis, destination), destination.name)


class _Blocks(NamedTuple):
    """Codes and scales that a user gives, checked."""

    codes: Array
    scales: Array
    plan: BlockPlan
    axis: int
    #: The plan's at the level.
    quantizer: _native.Quantizer
    level: Level


def of_arrays(codes: Array, scales: Array, block: BlockFormat, policy: Policy, axis: int, tensor_scale: float | None,
              backend: str, source: str, transform: tuple[int, str] | None, home: Home) -> Quantized:
    """A Quantized of arrays that a user gives."""
    made = _blocks_of(codes, scales, block, policy, axis, tensor_scale, backend, source)
    return Quantized(made.codes, made.scales, made.plan, made.axis, 0, made.quantizer, made.level, transform, home)


def _blocks_of(codes: Any, scales: Any, format: BlockFormat, policy: str | Policy, axis: int,
               tensor_scale: float | None, backend: str, source: str = "fp32") -> _Blocks:
    plan = plan_from(source, format, policy, backend)
    block = plan.format
    if block.two_level and tensor_scale is None:
        raise ValueError(f"tensor_scale: {block} has a scale of the whole tensor; give the Quantized's tensor_scale, or 1 "
                         "where there is none")
    quantizer, level = leveled(plan.quantizer, block, None, tensor_scale, None)
    codes = codes_of(codes, block.element.name)[0]
    scales = numpy.ascontiguousarray(taken(scales, holds_codes=True).words)
    if scales.dtype != block.scale_dtype and scales.dtype.kind not in "ui":
        raise TypeError(f"scales: codes of {block.scale} are held in {block.scale_dtype.name} or unsigned integers, not in "
                        f"{scales.dtype.name}")
    axis = axis_of(axis, codes.shape)
    wanted = block.scale_shape(codes.shape, axis)
    if scales.shape != wanted or scales.dtype.itemsize != block.scale_bytes:
        raise ValueError(f"codes of shape {codes.shape} along axis {axis} have scales of shape {wanted}, "
                         f"{block.scale_bytes} bytes each; these have {scales.shape}, {scales.dtype.itemsize} bytes")
    return _Blocks(codes, scales, plan, axis, quantizer, level)
