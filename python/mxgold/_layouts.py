# SPDX-License-Identifier: Apache-2.0
"""What a Quantized has to do with layouts: its codes packed, its scales swizzled, and the way back from arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

import numpy

from . import _native
from ._dtypes import bits_of
from ._formats import BlockFormat, block_format, element_format
from ._homes import taken
from ._packing import (bytes_and_home, layout_of, pack_words, packing_of, swizzle_words, unpack_words,
                       unswizzle_words)
from ._plans import plan_from
from ._policies import key_of, policy as make_policy
from ._torch import is_torch

if TYPE_CHECKING:
    from ._homes import Home
    from ._quantized import Quantized
    from ._types import Array, FormatLike, PolicyLike, Settings, Unpack


class Layouts:
    """Layouts of codes and scales; the base of Quantized."""

    __slots__ = ()

    if TYPE_CHECKING:
        _axis: int
        _codes: Array
        _home: Home
        _scales: Array

        @property
        def format(self) -> BlockFormat: ...

    def packed(self, packing: str | None = None, *, flat: bool = False) -> Any:
        """The codes as bytes that several of them share: mxgold.pack(q.codes, q.format, packing, flat=flat).

        packing: one of mxgold.packings(); by default nibble_low_first for 4 bits, dense6 for 6, else byte_padded.
        flat: all codes in C order as one row; otherwise each row has to end on a byte.

        Returns uint8. split_half packs block by block, along the last axis: ValueError for other blocks.

        >>> mxgold.quantize([0.5, 1, 1.5, 2], "mxfp4").packed("nibble_low_first")
        array([ 66, 101], dtype=uint8)
        """
        element = self.format.element
        chosen, group = packing_of(packing, element, None, self.format)
        if chosen == "split_half":
            if self.format.extent != "elements" or self.format.tile_lines > 1:
                raise ValueError(f"split_half packs blocks of a number of elements along one axis; {self.format} has none")
            self._require_last_axis(chosen)
        return self._home.give_bits(pack_words(self._codes, element, chosen, group, flat))

    def scales_as(self, layout: str) -> Any:
        """The scales in a layout of mxgold.scale_layouts(): "swizzle_128x4" is one-dimensional (mxgold.swizzle).

        ValueError for blocks along another axis than the last (blocks_last() has them there), for tiles (row_scales()
        has a scale for each row) and for scales of more than a byte.

        >>> mxgold.quantize(numpy.ones((256, 128), numpy.float32), "mxfp8_e4m3").scales_as("swizzle_128x4").shape
        (1024,)
        """
        chosen = layout_of(layout)
        if chosen == "plane":
            return self._home.give(self._scales, self.format.scale)
        _require_layout(chosen, self.format)
        self._require_last_axis(chosen)
        return self._home.give(swizzle_words(self._scales, chosen), self.format.scale)

    def row_scales(self) -> Any:
        """The scales with one for each row of elements: those of two-dimensional tiles repeated, others as they are.

        >>> q = mxgold.quantize(numpy.ones((20, 32), numpy.float32), "nvfp4_16x16")
        >>> q.scales.shape, q.row_scales().shape
        ((2, 2), (20, 2))
        """
        lines, scales = self.format.tile_lines, self._scales
        if lines > 1 and self._axis > 0:
            across = self._axis - 1
            row_of = numpy.arange(self._codes.shape[across]) // lines
            scales = numpy.ascontiguousarray(scales.take(row_of, axis=across))
        return self._home.give(scales, self.format.scale)

    def blocks_last(self) -> Quantized:
        """The same blocks with their axis moved to the end: codes and scales of the array with its axes moved so.

        ValueError for two-dimensional tiles, whose lines lie along the dimension before the axis.

        >>> mxgold.quantize(numpy.ones((64, 3), numpy.float32), "mxfp4", axis=0).blocks_last()
        <mxgold.Quantized mxfp4 of shape (3, 64), 6 scales along axis 1>
        """
        from ._quantized import moved

        if self._axis != self._last() and self.format.tile_lines > 1:
            raise ValueError(f"a tile of {self.format} has lines along the dimension before the axis: quantize the array "
                             "with its axes moved")
        return moved(self, self._last())  # type: ignore[arg-type]

    @classmethod
    def from_arrays(cls, codes: Any, scales: Any, format: FormatLike, policy: PolicyLike = "", *, axis: int = -1,
                    tensor_scale: float | None = None, packing: str | None = None, scale_layout: str = "plane",
                    shape: Sequence[int] | None = None, source: FormatLike = "fp32", hadamard: int | None = None,
                    hadamard_signs: str = "first", backend: str = "auto", **settings: Unpack[Settings]) -> Quantized:
        """A Quantized of arrays that come from elsewhere; they are not copied where they need not be.

        codes: element codes, one a word, or packed: see `packing`. Tensors of torch.float4_e2m1fn_x2 need none.
        scales: scale codes, of the shape format.scale_shape(shape, axis), or in `scale_layout`. Scales of nvfp4 may be
            float8_e4m3fn, as most systems hold them.
        format, policy, settings, axis, backend: as for quantize(). The way back depends on the rule and on dequant_overflow.
        tensor_scale: two-level formats (nvfp4), which must have it, as dequantize() takes it.
        packing: how codes share bytes, one of mxgold.packings(); by default they do not.
        scale_layout: one of mxgold.scale_layouts().
        shape: of the array; by default that of the codes, or what packed codes hold.
        source: the format of the values that the codes were made from, where that is known.
        hadamard, hadamard_signs: the transform that the values are under.

        Its flags are empty: what happened is not known. ValueError where sizes do not fit, a code has bits above its
        format's or a name is unknown.

        >>> q = mxgold.quantize(numpy.linspace(-4, 4, 64, dtype=numpy.float32).reshape(2, 32), "mxfp4")
        >>> back = mxgold.Quantized.from_arrays(q.packed(), q.scales, "mxfp4", packing="nibble_low_first")
        >>> numpy.array_equal(back.codes, q.codes)
        True
        """
        from ._tensors import of_arrays

        chosen, origin = make_policy(key_of(policy, settings)), element_format(source).name
        block = plan_from(origin, block_format(format), chosen).format
        if packing is None:
            words, _, home = taken(codes, block.element)
        else:
            packed, home = bytes_and_home("codes", codes)
            words = unpack_words(packed, block.element, shape, *packing_of(packing, block.element, None, block))
        if shape is not None and tuple(shape) != words.shape:
            raise ValueError(f"shape {tuple(shape)}: the codes have {words.shape}; say how they are packed with packing=")
        under = _scales_of(scales, block)
        layout = layout_of(scale_layout)
        if layout != "plane":
            _require_layout(layout, block)
            under = unswizzle_words(under, block.scale_shape(words.shape, axis), layout)
        return of_arrays(words, under, block, chosen, axis, tensor_scale, backend, origin, _transform_of(hadamard, hadamard_signs), home)

    def _last(self) -> int:
        return max(self._codes.ndim, 1) - 1

    def _require_last_axis(self, layout: str) -> None:
        if self._axis != self._last():
            raise ValueError(f"{layout} takes blocks along the last axis, and these lie along axis {self._axis}: "
                             "q.blocks_last() has them there")


def _require_layout(layout: str, format: BlockFormat) -> None:
    """ValueError for blocks whose scales have no layout but the plane."""
    if format.tile_lines > 1:
        raise ValueError(f"{layout} has a scale for each row of elements, and a tile of {format} has {format.tile_lines} "
                         "lines: mxgold.swizzle(q.row_scales()) repeats them")
    if format.extent != "elements" or format.scale_bytes != 1:
        raise ValueError(f"{layout} holds one-byte scales of blocks along one axis; {format} has none")


def _transform_of(hadamard: int | None, signs: str) -> tuple[int, str] | None:
    if signs not in ("first", "last"):
        raise ValueError(f"hadamard_signs {signs!r}: first or last")
    return None if hadamard is None else (_native.whole("hadamard", hadamard, 16), signs)


def _scales_of(scales: Any, block: BlockFormat) -> Array:
    """Scale codes as an array. Those of ue4m3 may be held in float8_e4m3fn, whose NaN may have a sign."""
    if is_torch(scales) and scales.element_size() == 1:
        words, _ = bytes_and_home("scales", scales)
    else:
        words = taken(scales, holds_codes=True).words
    is_signed = block.scale == "ue4m3" and str(getattr(scales, "dtype", "")).endswith("float8_e4m3fn")
    return unsigned_scales(bits_of(words), block) if is_signed else words


def unsigned_scales(codes: Array, block: BlockFormat) -> Array:
    """Codes of e4m3fn as codes of ue4m3, which has no bit for the sign that a NaN may have. ValueError for other signs."""
    is_nan = (codes & 0x7F) == 0x7F
    negative = numpy.flatnonzero((codes > 0x7F) & ~is_nan)
    if negative.size:
        raise ValueError(f"scales: {codes.ravel()[negative[0]]:02X}, number {negative[0]}, has its sign set; no scale of "
                         f"{block} has")
    return numpy.where(is_nan, numpy.uint8(0x7F), codes)
