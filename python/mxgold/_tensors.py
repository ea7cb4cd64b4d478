"""Arrays in blocks: quantize and dequantize."""

from __future__ import annotations

import ctypes
import functools
import html
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy

from . import _native
from ._convert import binary32, convert, flag_names
from ._dtypes import bits_of, format_of
from ._formats import BlockFormat, ElementFormat, block_format, element_format
from ._homes import NUMPY, Home, array_of, codes_of, taken
from ._library import LIBRARY, encoded
from ._policies import Policy, key_of, policy as make_policy

if TYPE_CHECKING:
    from ._types import Array, ArrayLike, FormatLike, PolicyLike, Settings, Tensor, Unpack

_ONE = 0x3F800000
_ONE_LEVEL = numpy.float32(1)


class Quantized:
    """An array in blocks: codes that share scales.

    `numpy.asarray(q)` is q.dequantize(): what the codes mean, as float32. Arrays are torch tensors where quantize() was
    given one, else NumPy arrays.
    """

    __slots__ = ("_axis", "_codes", "_flags", "_format", "_hadamard", "_home", "_level", "_policy", "_quantizer",
                 "_scales", "_source")

    def __init__(self, codes: Array, scales: Array, format: BlockFormat, policy: Policy, axis: int,
                 flags: int, quantizer: _native.Quantizer, source: str, level: tuple[int, int] | None,
                 hadamard: tuple[int, str] | None = None, home: Home = NUMPY) -> None:
        """Made by quantize() and the functions that read one. codes, scales: NumPy arrays; flags: a word."""
        self._codes, self._scales = codes, scales
        self._format, self._policy, self._axis, self._flags = format, policy, axis, flags
        self._quantizer, self._source, self._level = quantizer, source, level
        self._hadamard, self._home = hadamard, home

    @property
    def codes(self) -> Any:
        """Element codes, of the array's shape."""
        return self._home.give(self._codes, self._format.element.name)

    @property
    def scales(self) -> Any:
        """Scale codes; where the axis has n elements there are ceil(n / block_size) of them."""
        return self._home.give(self._scales, self._format.scale)

    @property
    def format(self) -> BlockFormat:
        """The format of the blocks."""
        return self._format

    @property
    def policy(self) -> Policy:
        """The policy that chose the codes."""
        return self._policy

    @property
    def axis(self) -> int:
        """The axis that blocks lie along, counted from 0."""
        return self._axis

    @property
    def tensor_scale(self) -> numpy.float32:
        """The scale of the whole tensor; 1 where the format has one level."""
        return _scale_of(self._level)

    @property
    def flags(self) -> frozenset[str]:
        """What happened on the way: "inexact", "scale_clamped", "has_nan", ..."""
        return flag_names(self._flags)

    @property
    def hadamard(self) -> tuple[int, str] | None:
        """The Hadamard transform that the values are under, (mask, "first" or "last"); None: none."""
        return self._hadamard

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return self._codes.shape

    @property
    def code_bits(self) -> Any:
        """The element codes as unsigned integers, sharing memory."""
        return self._home.give_bits(self._codes)

    @property
    def scale_bits(self) -> Any:
        """The scale codes as unsigned integers, sharing memory."""
        return self._home.give_bits(self._scales)

    def dequantize(self, output: FormatLike = "fp32", *, undo_hadamard: bool = False) -> Any:
        """The values: an array of codes of `output`, float32 by default. They are under the Hadamard transform that
        quantize() was given, unless it is undone: in binary32, rounded once more to `output`."""
        destination = element_format(output)
        values = self._plain(destination) if not undo_hadamard else self._untransformed(destination)
        return self._home.give(values, destination.name)

    def _plain(self, destination: ElementFormat) -> Array:
        return _dequantize(self._quantizer, self._codes, self._scales, self._axis, destination)

    def _untransformed(self, destination: ElementFormat) -> Array:
        if self._hadamard is None:
            raise ValueError("undo_hadamard: the values are under no transform")
        mask, signs = self._hadamard
        back = hadamard(self._plain(element_format("fp32")), mask, signs="last" if signs == "first" else "first",
                        axis=self._axis)
        if destination.name == "fp32":
            return back
        if dict(self._policy.options).get("dequant_overflow", "inf") != "inf":
            raise ValueError(f"undo_hadamard to {destination}: dequant_overflow=inf only")
        return convert(back, destination, "overflow=none_inf_or_nan")

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        values = self._plain(element_format("fp32"))
        return values if dtype is None else values.astype(dtype)

    def __dlpack__(self, **options: Any) -> Any:
        """The values, as numpy.asarray() gives them."""
        return self.__array__().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._codes, self._scales, str(self._format), self._source, str(self._policy), self._axis,
                           self._level, self._flags, self._hadamard)

    def __repr__(self) -> str:
        chosen = f", policy={str(self._policy)!r}" if self._policy else ""
        level = f", tensor_scale={self.tensor_scale!r}" if self._format.two_level else ""
        return (f"<mxgold.Quantized {self._format} of shape {self.shape}, {self._scales.size} scales along axis "
                f"{self._axis}{level}{chosen}>")

    def _repr_html_(self) -> str:
        facts = [("format", self._format), ("shape", self.shape), ("axis", self._axis),
                 ("policy", self._policy or "default"), ("scales", self._scales.shape),
                 ("tensor scale", self.tensor_scale if self._format.two_level else "none"),
                 ("flags", ", ".join(sorted(self.flags)) or "none")]
        rows = "".join(f"<tr><th style='text-align:left'>{name}</th><td>{html.escape(str(value))}</td></tr>"
                       for name, value in facts)
        digits = max(1, -(-self._format.element.bits // 4))
        shown = " ".join(f"{int(code):0{digits}X}" for code in bits_of(self._codes).ravel()[:32])
        more = " ..." if self._codes.size > 32 else ""
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
    return Quantized(codes, scales, block, chosen, axis, flags, quantizer, source, level, transform)


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
    quantizer, block, chosen, name = _plan(words.dtype, format, key_of(policy, {}), source, backend)
    axis = _axis_of(axis, words.shape)
    if tensor_amax is not None and name != "fp32":
        raise ValueError("tensor_amax goes with float32 arrays; give tensor_scale, or the array as float32")
    takes = tensor_scale is None or not block.two_level or LIBRARY.mxgold_takes_tensor_scale(quantizer.pointer)
    if not takes:
        raise ValueError("tensor_scale: the rule does not take one, it begins with the maximum; give tensor_amax")
    quantizer, level = _leveled(quantizer, block, words, tensor_scale, tensor_amax)
    return quantizer, block, chosen, name, axis, level


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

    Returns a Quantized: codes of the shape of x, scales, format, flags; its arrays are tensors where x is one. ValueError for an unknown name, a number or an
    axis out of range, or a policy that the format does not take; TypeError for a type without format.

    >>> q = mxgold.quantize(numpy.float32([480, 1]), "mxfp8_e4m3")
    >>> q.code_bits, q.scale_bits
    (array([126,  56], dtype=uint8), array([127], dtype=uint8))
    """
    words, source, home = taken(x, source)
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
    quantizer, block, chosen, name, axis, level = prepared(words, format, key_of(policy, settings), source, axis,
                                                           tensor_scale, tensor_amax, backend)
    codes = numpy.empty(shape, block.element.dtype)
    scales = numpy.empty(block.scale_shape(shape, axis), block.scale_dtype)
    flags = ctypes.c_uint32()
    _native.require(LIBRARY.mxgold_quantize_tensor(
        quantizer.pointer, _native.shape_of(shape), len(shape), axis, _native.address(words), words.nbytes, *key,
        _native.address(codes), codes.nbytes, _native.address(scales), scales.nbytes,
        ctypes.byref(flags)))
    return Quantized(codes, scales, block, chosen, axis, flags.value, quantizer, name, level, transform, home)


def hadamard(x: Any, mask: int, *, signs: str = "first", axis: int = -1, source: FormatLike | None = None) -> Any:
    """Hadamard transforms of groups of 16 along an axis, in float32 and one defined order of additions (spec F25).

    x: array of float32, float16, bfloat16 (or codes with `source`); the axis has a multiple of 16 elements.
    mask: 16 bits; bit i set changes the sign of element i of each group.
    signs: "first", H D x / 4, or "last", D H x / 4; with the same mask each undoes the other but for roundings.

    Returns float32 of the shape of x, a tensor where x is one, else a NumPy array. ValueError for another type, length or order.

    >>> mxgold.hadamard(numpy.eye(1, 16, dtype=numpy.float32), 0)[0, :4]
    array([0.25, 0.25, 0.25, 0.25], dtype=float32)
    """
    words, source, home = taken(x, source)
    return home.give(_transformed(words, source, _native.whole("mask", mask, 16), signs, axis), "fp32")


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


def _dequantize(quantizer: _native.Quantizer, codes: Array, scales: Array, axis: int,
                destination: ElementFormat) -> Array:
    values = numpy.empty(codes.shape, destination.dtype)
    _native.require(LIBRARY.mxgold_dequantize_tensor(
        quantizer.pointer, _native.shape_of(codes.shape), codes.ndim, axis, _native.address(codes), codes.nbytes,
        _native.address(scales), scales.nbytes, encoded(destination.name), _native.address(values), values.nbytes))
    return values


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
    home = taken(codes, "").home
    destination = element_format(output)
    quantizer, words, scale_words, lies = _blocks_of(codes, scales, format, key_of(policy, settings),
                                                     -1 if axis is None else axis, tensor_scale, backend)
    return home.give(_dequantize(quantizer, words, scale_words, lies, destination), destination.name)


def _blocks_of(codes: Any, scales: Any, format: FormatLike, policy: str | Policy, axis: int,
               tensor_scale: float | None, backend: str) -> tuple[_native.Quantizer, Array, Array, int]:
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
