"""Matrix units of devices on arrays: D = A * B + C, bit for bit."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, NamedTuple, Union

import numpy

from . import _native
from ._dtypes import bits_of, format_of
from ._formats import element_format
from ._homes import NUMPY, Home, taken
from ._library import LIBRARY
from ._names import name_of, names
from ._quantized import Quantized

if TYPE_CHECKING:
    from ._literals import UnitName
    from ._types import Array, FormatLike

    Source = Union[FormatLike, None, tuple[Union[FormatLike, None], Union[FormatLike, None]]]

#: Low bits of a binary32 word that a unit for tf32 drops.
_DROPPED = 13


class _Side(NamedTuple):
    """Rows of codes under scales."""

    codes: Array
    name: str
    home: Home
    scales: Array | None = None
    #: (format, block size) of the scales.
    scale: tuple[str, int] | None = None
    hadamard: tuple[int, str] | None = None

    @property
    def leading(self) -> tuple[int, ...]:
        return self.codes.shape[:-1]

    def rows(self) -> _native.Rows:
        scales = self.scales
        return _native.Rows(_native.address(self.codes), self.codes.nbytes,
                            None if scales is None else _native.address(scales), 0 if scales is None else scales.nbytes,
                            self.leading[0] if self.leading else 1)


def _quantized(label: str, side: Quantized) -> _Side:
    format = side.format
    if side.axis != len(side.shape) - 1:
        raise ValueError(f"{label}: has blocks along axis {side.axis}; a unit wants them along the last")
    if format.block_size is None or format.extent != "elements" or format.tile_lines != 1:
        raise ValueError(f"{label}: {format}: no matrix unit takes such blocks")
    return _Side(side._codes, format.element.name, side._home, bits_of(side._scales), (format.scale, format.block_size),
                 side.hadamard)


def _plain(label: str, value: Any, source: FormatLike | None) -> _Side:
    words, told, home = taken(value, source)
    name = format_of(words.dtype, told)
    if words.ndim not in (1, 2):
        raise ValueError(f"{label}: has {words.ndim} dimensions; give rows of codes, 1 or 2")
    if name == "fp32":
        words, name = bits_of(words) >> _DROPPED, "tf32"
    return _Side(words, name, home)


def _scaled(label: str, side: _Side, scales: Any, scale_format: FormatLike | None, block_size: int | None) -> _Side:
    """A side of plain codes under scales that the user has."""
    words, told, _ = taken(scales, holds_codes=True)
    name = told if words.dtype.kind in "iu" else format_of(words.dtype, told)
    name = element_format(scale_format).name if scale_format is not None else "ue4m3" if name == "e4m3fn" else name
    if name is None:
        raise ValueError(f"scales_{label}: are integers; name their format with scale_format=, 'e8m0' or 'ue4m3'")
    words = bits_of(words)
    if name == "ue4m3":
        words = words & 0x7F  # units do not look at the sign
    if words.shape[:-1] != side.leading:
        raise ValueError(f"scales_{label}: has shape {words.shape}; give a row for each of {label}'s {side.leading}")
    length, blocks = side.codes.shape[-1], words.shape[-1]
    sizes = [size for size in ((16,) if name == "ue4m3" else (32, 16)) if -(-length // size) == blocks]
    if block_size is None and not sizes:
        raise ValueError(f"scales_{label}: {blocks} scales a row for {length} elements; units take blocks of 16 or 32")
    size = sizes[0] if block_size is None else _native.index("block_size", block_size)
    return side._replace(scales=words, scale=(name, size))


def _sides(a: Any, b: Any, source: Source, scales_a: Any, scales_b: Any, scale_format: FormatLike | None,
           block_size: int | None) -> tuple[_Side, _Side]:
    if (scales_a is None) != (scales_b is None):
        raise ValueError("scales_a and scales_b: give both")
    sources = source if isinstance(source, tuple) else (source, source)
    made = []
    for label, value, named, scales in (("a", a, sources[0], scales_a), ("b", b, sources[1], scales_b)):
        side = _quantized(label, value) if isinstance(value, Quantized) else _plain(label, value, named)
        if scales is not None:
            if side.scale is not None:
                raise ValueError(f"scales_{label}: {label} brings its scales; leave these out")
            side = _scaled(label, side, scales, scale_format, block_size)
        made.append(side)
    left, right = made
    if left.hadamard != right.hadamard:
        raise ValueError(f"a is under the Hadamard transform {left.hadamard}, b under {right.hadamard}: the same on "
                         "both sides cancels, another does not")
    if left.codes.shape[-1:] != right.codes.shape[-1:]:
        raise ValueError(f"a has {left.codes.shape[-1]} elements along its last axis, b has {right.codes.shape[-1]}")
    if left.scale != right.scale:
        raise ValueError(f"a has scales {left.scale}, b {right.scale}: both sides need scales of the same blocks")
    return left, right


def units() -> list[str]:
    """The names of the matrix units that mma() takes: "h100_f16", "b200_mxf4", "mi300_fp8", ...

    docs/spec/accumulators.md says what each computes and where that is from; `mxgold list units` says which formats it
    takes.
    """
    return list(names("units"))


def mma(a: Any, b: Any, c: Any = None, *, unit: UnitName | str, result: FormatLike = "fp32", source: Source = None,
        scales_a: Any = None, scales_b: Any = None, scale_format: FormatLike | None = None,
        block_size: int | None = None, chunk: int | None = None, pairs: bool = False) -> Any:
    """Products of matrices as a matrix unit of a device sums them: c + a @ b.T, every bit.

    a, b: codes of shape (M, K) and (N, K), or (K,): arrays or torch tensors of a type that the unit multiplies (float32
        for tf32: its 13 low bits are dropped), or Quantized with blocks along the last axis, whose tensor scale is no
        part of the product.
    c: addends in the format of the result, of its shape; None for +0.
    unit: one of mxgold.units().
    result: "fp32", or "fp16" where the unit gives it.
    source: the format of codes in integers; one, or a tuple for a and b.
    scales_a, scales_b: scales of plain codes of units that take them, of shapes (M, K / block) and (N, K / block), for
        blocks of 16 or 32. scale_format: of scales in integers, "e8m0" or "ue4m3". block_size: where K leaves two.
    chunk: the unit sums so many products at a time, each chunk from +0, and the sums are added, as kernels do; None:
        all in one chain of instructions.
    pairs: row i of a by row i of b alone.

    Returns codes of the result of shape (M, N) without the dimensions that a or b lack, (M,) of pairs; a tensor where a
    is one, else a NumPy array. ValueError where the unit does not take the formats, scales or sizes; TypeError for a
    type without format.

    >>> a = numpy.float16([1, 2**-12, 2**-12, 2**-12, 2**-12])
    >>> mxgold.mma(a, a, unit="h100_f16"), mxgold.mma(a, a, unit="v100_f16")
    (array(1.0000002, dtype=float32), array(1., dtype=float32))
    """
    name = name_of("unit", unit, names("units"))
    left, right = _sides(a, b, source, scales_a, scales_b, scale_format, block_size)
    destination = element_format(result)
    if chunk is not None and not 1 <= _native.index("chunk", chunk) < 1 << 64:
        raise ValueError(f"chunk {chunk}: give 1 or more elements, None for all of K")
    made = _native.unit(name, left.name, right.name, left.scale, destination.name, 0 if chunk is None else int(chunk))
    if pairs and left.leading != right.leading:
        raise ValueError(f"pairs: a has rows {left.leading}, b {right.leading}; they must be equal")
    shape = left.leading if pairs else left.leading + right.leading
    addends = None
    if c is not None:
        addends, told, _ = taken(c)
        if format_of(addends.dtype, told) != destination.name or addends.shape != shape:
            raise ValueError(f"c: {addends.dtype.name} of shape {addends.shape}; give {destination} of shape {shape}")
        if chunk is not None:
            raise ValueError("chunk: goes without c, for where c comes in is not known")
    results = numpy.empty(shape, destination.dtype)
    length = left.codes.shape[-1]
    status = LIBRARY.mxgold_unit_multiply(
        made.pointer, length, ctypes.byref(left.rows()), ctypes.byref(right.rows()), bool(pairs),
        None if addends is None else _native.address(addends), 0 if addends is None else addends.nbytes,
        _native.address(results), results.nbytes)
    if status == _native.BAD_SIZE:
        raise ValueError(f"{name} sums no {length} products: a dot product has at least one element, and mi200 units "
                         "take whole groups")
    _native.require(status)
    home = left.home if left.home is not NUMPY else right.home
    return home.give(results, destination.name)
