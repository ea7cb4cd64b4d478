"""Arrays in blocks: quantize and dequantize."""

from __future__ import annotations

import ctypes
import functools
import html
from typing import TYPE_CHECKING

import numpy

from . import _native
from ._convert import binary32, convert, flag_names
from ._dtypes import array_of, bits, codes_of, format_of
from ._formats import BlockFormat, block_format, element_format
from ._library import LIBRARY, encoded
from ._policies import Policy, hashable, policy as make_policy

if TYPE_CHECKING:
    from ._formats import ElementFormat
    from ._types import ArrayLike, PolicyLike

_ONE = 0x3F800000
_ONE_LEVEL = numpy.float32(1)


class Quantized:
    """An array in blocks: codes that share scales.

    `numpy.asarray(q)` is q.dequantize(): what the codes mean, as float32.
    """

    def __init__(self, codes, scales, format, policy, axis, tensor_scale, flags, quantizer, source,
                 level, hadamard=None) -> None:
        #: Element codes, of the array's shape.
        self.codes: numpy.ndarray = codes
        #: Scale codes; where the axis has n elements there are ceil(n / block_size) of them.
        self.scales: numpy.ndarray = scales
        #: The BlockFormat.
        self.format: BlockFormat = format
        #: The Policy that chose the codes.
        self.policy: Policy = policy
        #: The axis that blocks lie along, counted from 0.
        self.axis: int = axis
        #: The scale of the whole tensor (numpy.float32); 1 where the format has one level.
        self.tensor_scale: numpy.float32 = tensor_scale
        #: What happened on the way, as a frozenset: "inexact", "scale_clamped", "has_nan", ...
        self.flags: frozenset[str] = flags
        #: The Hadamard transform that the values are under, (mask, "first" or "last"); None: none.
        self.hadamard: tuple[int, str] | None = hadamard
        self._quantizer = quantizer
        self._source, self._level = source, level

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return self.codes.shape

    @property
    def code_bits(self) -> numpy.ndarray:
        """The element codes as unsigned integers, sharing memory."""
        return bits(self.codes)

    @property
    def scale_bits(self) -> numpy.ndarray:
        """The scale codes as unsigned integers, sharing memory."""
        return bits(self.scales)

    def dequantize(self, output: str | ElementFormat = "fp32", *, undo_hadamard: bool = False) -> numpy.ndarray:
        """The values: an array of codes of `output`, float32 by default. They are under the Hadamard transform that
        quantize() was given, unless it is undone: in binary32, rounded once more to `output`."""
        if not undo_hadamard:
            return _dequantize(self._quantizer, self.codes, self.scales, self.axis, output)
        if self.hadamard is None:
            raise ValueError("undo_hadamard: the values are under no transform")
        mask, signs = self.hadamard
        values = _dequantize(self._quantizer, self.codes, self.scales, self.axis, "fp32")
        back = hadamard(values, mask, signs="last" if signs == "first" else "first", axis=self.axis)
        destination = element_format(output)
        if destination.name == "fp32":
            return back
        if dict(self.policy.options).get("dequant_overflow", "inf") != "inf":
            raise ValueError(f"undo_hadamard to {destination}: dequant_overflow=inf only")
        return convert(back, destination, "overflow=none_inf_or_nan")

    def __array__(self, dtype=None, copy=None) -> numpy.ndarray:
        values = self.dequantize()
        return values if dtype is None else values.astype(dtype)

    def __reduce__(self):
        return _restored, (self.codes, self.scales, str(self.format), self._source, str(self.policy), self.axis,
                           self._level, self.flags, self.hadamard)

    def __repr__(self):
        chosen = f", policy={str(self.policy)!r}" if self.policy else ""
        level = f", tensor_scale={self.tensor_scale!r}" if self.format.two_level else ""
        return (f"<mxgold.Quantized {self.format} of shape {self.shape}, {self.scales.size} scales along axis "
                f"{self.axis}{level}{chosen}>")

    def _repr_html_(self) -> str:
        facts = [("format", self.format), ("shape", self.shape), ("axis", self.axis),
                 ("policy", self.policy or "default"), ("scales", self.scales.shape),
                 ("tensor scale", self.tensor_scale if self.format.two_level else "none"),
                 ("flags", ", ".join(sorted(self.flags)) or "none")]
        rows = "".join(f"<tr><th style='text-align:left'>{name}</th><td>{html.escape(str(value))}</td></tr>"
                       for name, value in facts)
        digits = max(1, -(-self.format.element.bits // 4))
        shown = " ".join(f"{int(code):0{digits}X}" for code in self.code_bits.ravel()[:32])
        more = " ..." if self.codes.size > 32 else ""
        return f"<table>{rows}<tr><th>codes</th><td><code>{shown}{more}</code></td></tr></table>"


@functools.lru_cache(maxsize=1024)
def _plan(dtype, format, policy, source, backend="auto"):
    """(quantizer, its format, the policy, the source's name) for arrays of a type."""
    block = block_format(format)
    chosen = make_policy(policy)
    name = format_of(dtype, source)
    quantizer = _native.quantizer(name, block.name, _native.computed_by(backend, chosen.options))
    return quantizer, BlockFormat(block.name, quantizer.info()) if chosen else block, chosen, name


def _restored(codes, scales, format, source, policy, axis, level, flags, transform=None):
    """What was pickled."""
    chosen = make_policy(policy)
    quantizer = _native.quantizer(source, format, chosen.options)
    block = BlockFormat(format, quantizer.info())
    if level is not None:
        quantizer = quantizer.at_level(*level)
    return Quantized(codes, scales, block, chosen, axis, _scale_of(level), flags, quantizer, source, level,
                     transform)


def _scale_of(level):
    return _ONE_LEVEL if level is None else numpy.uint32(level[1]).view(numpy.float32)


def _axis_of(axis, shape):
    axis, dimensions = _native.index("axis", axis), max(len(shape), 1)
    if not -dimensions <= axis < dimensions:
        raise ValueError(f"axis {axis} is out of range for {dimensions} dimensions")
    return axis % dimensions


def _leveled(quantizer, format, words, tensor_scale, tensor_amax):
    """The quantizer at the level of its tensor, found or given; and the level, None where there is none."""
    given = [(name, value) for name, value in (("tensor_scale", tensor_scale), ("tensor_amax", tensor_amax))
             if value is not None]
    if not format.two_level:
        for name, _ in given:
            raise ValueError(f"{name}: {format} has no scale of the whole tensor; nvfp4 is a format that has one")
        return quantizer, None
    if len(given) > 1:
        raise ValueError("tensor_scale and tensor_amax exclude each other")
    level = _native.Level(0, _ONE)
    if tensor_scale is not None:
        level.scale = binary32("tensor_scale", tensor_scale)
    else:
        if tensor_amax is not None:
            words = numpy.uint32([binary32("tensor_amax", tensor_amax)])
        try:
            _native.require(LIBRARY.mxgold_find_tensor_level(quantizer.pointer, _native.address(words), words.nbytes,
                                                             ctypes.byref(level)))
        except ValueError:  # the library has no words for it
            raise ValueError("the profile does not model the level of a tensor that holds an infinity or a NaN; "
                             "give tensor_amax or tensor_scale") from None
    found = (level.amax, level.scale)
    try:
        return quantizer.at_level(*found), found
    except ValueError:  # the library has no words for it
        scale, amax = (float(word) for word in numpy.uint32([level.scale, level.amax]).view(numpy.float32))
        raise ValueError(f"tensor scale {scale} from maximum {amax}: the rule of {format} takes none that is 0") from None


def prepared(words, format, policy, source, axis, tensor_scale, tensor_amax, backend="auto"):
    """(quantizer at its level, its format, the policy, the source's name, the axis, the level) for an array."""
    quantizer, block, chosen, name = _plan(words.dtype, format, hashable(policy), source, backend)
    axis = _axis_of(axis, words.shape)
    if tensor_amax is not None and name != "fp32":
        raise ValueError("tensor_amax goes with float32 arrays; give tensor_scale, or the array as float32")
    takes = tensor_scale is None or not block.two_level or LIBRARY.mxgold_takes_tensor_scale(quantizer.pointer)
    if not takes:
        raise ValueError("tensor_scale: the rule does not take one, it begins with the maximum; give tensor_amax")
    quantizer, level = _leveled(quantizer, block, words, tensor_scale, tensor_amax)
    return quantizer, block, chosen, name, axis, level


def quantize(x: ArrayLike, format: str | BlockFormat, policy: PolicyLike = "", *, axis: int = -1,
             source: str | ElementFormat | None = None, seed: int = 0, tensor_index: int = 0,
             tensor_scale: float | None = None, tensor_amax: float | None = None,
             backend: str = "auto", hadamard: int | str | None = None, hadamard_signs: str = "first") -> Quantized:
    """Quantizes an array in blocks along an axis, on all cores and without the GIL.

    x: array of any shape; float64, float32, float16, ml_dtypes types, a CPU torch tensor, or numbers (float32).
    format: a block format or its name ("mxfp8_e4m3", "nvfp4"; mxgold.formats("blocks")).
    policy: choices where the format leaves one, "rule=rceil,rounding=stochastic_a" or "profile=torchao-0.18"
        (mxgold.policy); block_size=16 changes the block. What a profile leaves open is not marked in the result:
        open_answers() says which codes are one choice of several.
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

    Returns a Quantized: codes of the shape of x, scales, format, flags. ValueError for an unknown name, a number or an
    axis out of range, or a policy that the format does not take; TypeError for a type without format.

    >>> q = mxgold.quantize(numpy.float32([480, 1]), "mxfp8_e4m3")
    >>> q.code_bits, q.scale_bits
    (array([126,  56], dtype=uint8), array([127], dtype=uint8))
    """
    words = array_of(x, source)
    key = _native.random_key(seed, tensor_index)
    transform = None
    if hadamard is not None:
        mask = (LIBRARY.mxgold_hadamard_mask(key[0]) if isinstance(hadamard, str) and hadamard == "drawn"
                else _native.whole("hadamard", hadamard, 16))
        transform = (mask, hadamard_signs)
        words, source = _transformed(words, source, mask, hadamard_signs, axis), None
    elif hadamard_signs != "first":
        raise ValueError("hadamard_signs: goes with hadamard")
    shape = words.shape
    quantizer, block, chosen, name, axis, level = prepared(words, format, policy, source, axis, tensor_scale,
                                                           tensor_amax, backend)
    codes = numpy.empty(shape, block.element.dtype)
    scales = numpy.empty(block.scale_shape(shape, axis), block.scale_dtype)
    flags = ctypes.c_uint32()
    _native.require(LIBRARY.mxgold_quantize_tensor(
        quantizer.pointer, _native.shape_of(shape), len(shape), axis, _native.address(words), words.nbytes, *key,
        _native.address(codes), codes.nbytes, _native.address(scales), scales.nbytes,
        ctypes.byref(flags)))
    return Quantized(codes, scales, block, chosen, axis, _scale_of(level), flag_names(flags.value), quantizer, name,
                     level, transform)


def hadamard(x: ArrayLike, mask: int, *, signs: str = "first", axis: int = -1,
             source: str | ElementFormat | None = None) -> numpy.ndarray:
    """Hadamard transforms of groups of 16 along an axis, in float32 and one defined order of additions (spec F25).

    x: array of float32, float16, bfloat16 (or codes with `source`); the axis has a multiple of 16 elements.
    mask: 16 bits; bit i set changes the sign of element i of each group.
    signs: "first", H D x / 4, or "last", D H x / 4; with the same mask each undoes the other but for roundings.

    Returns a float32 array of the shape of x. ValueError for another type, length or order.

    >>> mxgold.hadamard(numpy.eye(1, 16, dtype=numpy.float32), 0)[0, :4]
    array([0.25, 0.25, 0.25, 0.25], dtype=float32)
    """
    return _transformed(array_of(x, source), source, _native.whole("mask", mask, 16), signs, axis)


def _transformed(words, source, mask, signs, axis):
    name = format_of(words.dtype, source)
    axis = _axis_of(axis, words.shape)
    if signs not in ("first", "last"):
        raise ValueError(f"signs {signs!r}: first or last")
    if name not in ("fp32", "bf16", "fp16"):
        raise ValueError(f"a Hadamard transform takes fp32, bf16 and fp16, not {name}")
    length = words.shape[axis] if words.shape else 1
    if length % 16 != 0:
        raise ValueError(f"a Hadamard transform takes groups of 16, and axis {axis} has {length} elements")
    values = numpy.empty(words.shape, numpy.float32)
    _native.require(LIBRARY.mxgold_hadamard_tensor(
        encoded(name), _native.shape_of(words.shape), len(words.shape), axis, mask, int(signs == "last"),
        _native.address(words), words.nbytes, _native.address(values), values.nbytes))
    return values


def _dequantize(quantizer, codes, scales, axis, output):
    destination = element_format(output)
    values = numpy.empty(codes.shape, destination.dtype)
    _native.require(LIBRARY.mxgold_dequantize_tensor(
        quantizer.pointer, _native.shape_of(codes.shape), codes.ndim, axis, _native.address(codes), codes.nbytes,
        _native.address(scales), scales.nbytes, encoded(destination.name), _native.address(values), values.nbytes))
    return values


def dequantize(codes: Quantized | ArrayLike, scales: ArrayLike | None = None, format: str | BlockFormat | None = None,
               policy: PolicyLike = "", *, axis: int | None = None, tensor_scale: float | None = None,
               output: str | ElementFormat = "fp32", backend: str = "auto") -> numpy.ndarray:
    """The values of codes and scales: of a Quantized, or of arrays and the format they are in.

    codes: a Quantized, which says the rest itself (only `output` may be given beside it), or an array of element codes
        of any shape.
    scales: scale codes, of the shape that quantize() gives them (format.scale_shape(codes.shape, axis)).
    format, policy, axis, backend: as for quantize(); the axis by default the last.
    tensor_scale: two-level formats (nvfp4), which must have it: the scale of the whole tensor, a Quantized's
        tensor_scale. Under rule nvfp4_ct it is compressed-tensors' global scale, by which is divided.
    output: the format of the result, float32 by default.

    Returns an array of the shape of codes. ValueError where sizes do not fit, a code has bits above its format's, or
    something is given that a Quantized says itself.

    >>> mxgold.dequantize(numpy.uint8([126, 56]), numpy.uint8([127]), "mxfp8_e4m3")
    array([448.,   1.], dtype=float32)
    """
    if isinstance(codes, Quantized):
        for name, value in (("scales", scales), ("format", format), ("policy", policy or None), ("axis", axis),
                            ("tensor_scale", tensor_scale), ("backend", None if backend == "auto" else backend)):
            if value is not None:
                raise ValueError(f"{name}: goes with an array of codes, not with a Quantized, which says it itself; the "
                                 "format of the result is output=")
        return codes.dequantize(output)
    if scales is None or format is None:
        raise TypeError("dequantize takes a Quantized, or codes, scales and a format")
    quantizer, codes, scales, axis = _blocks_of(codes, scales, format, policy, -1 if axis is None else axis,
                                                tensor_scale, backend)
    return _dequantize(quantizer, codes, scales, axis, output)


def _blocks_of(codes, scales, format, policy, axis, tensor_scale, backend):
    """Codes and scales that a user gives, checked: (quantizer, codes, scales, axis)."""
    block = block_format(format)
    chosen = make_policy(policy)
    quantizer = _native.quantizer("fp32", block.name, _native.computed_by(backend, chosen.options))
    if chosen:
        block = BlockFormat(block.name, quantizer.info())
    if block.two_level and tensor_scale is None:
        raise ValueError(f"tensor_scale: {block} has a scale of the whole tensor; give the Quantized's tensor_scale, or 1 "
                         "where there is none")
    quantizer, _ = _leveled(quantizer, block, None, tensor_scale, None)
    codes = codes_of(codes, block.element.name)[0]
    scales = numpy.ascontiguousarray(array_of(scales, block.scale))
    if scales.dtype != block.scale_dtype and scales.dtype.kind not in "ui":
        raise TypeError(f"scales: codes of {block.scale} are held in {block.scale_dtype.name} or unsigned integers, not in "
                        f"{scales.dtype.name}")
    axis = _axis_of(axis, codes.shape)
    wanted = block.scale_shape(codes.shape, axis)
    if scales.shape != wanted or scales.dtype.itemsize != block.scale_bytes:
        raise ValueError(f"codes of shape {codes.shape} along axis {axis} have scales of shape {wanted}, "
                         f"{block.scale_bytes} bytes each; these have {scales.shape}, {scales.dtype.itemsize} bytes")
    return quantizer, codes, scales, axis
