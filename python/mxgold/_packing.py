# SPDX-License-Identifier: Apache-2.0
"""Codes that share bytes, scales in the order that matrix units take them, and the way back (spec F5)."""

from __future__ import annotations

import ctypes
import sys
from typing import TYPE_CHECKING, Any, Sequence

import numpy

from . import _native
from ._dtypes import bits_of, format_of
from ._formats import BlockFormat, ElementFormat, element_format, format as make_format
from ._homes import Home, taken
from ._library import LIBRARY, encoded
from ._names import name_of, names
from ._torch import is_torch

if TYPE_CHECKING:
    from ._types import Array, FormatLike

_SWIZZLED = "swizzle_128x4"


def packings() -> list[str]:
    """The names of the layouts of codes that share bytes.

    "nibble_low_first" and "nibble_high_first" hold 4-bit codes two a byte, "split_half" those of a block with its first
    half in the low bits, "dense6" 6-bit codes four in three bytes, "byte_padded" a code a byte.

    >>> mxgold.packings()
    ['nibble_low_first', 'nibble_high_first', 'split_half', 'dense6', 'byte_padded']
    """
    return list(names("packings"))


def scale_layouts() -> list[str]:
    """The names of the layouts of scales: "plane" is C order, "swizzle_128x4" what cuBLAS and torchao take.

    >>> mxgold.scale_layouts()
    ['plane', 'swizzle_128x4']
    """
    return list(names("scale_layouts"))


def pack(codes: Any, format: FormatLike, packing: str | None = None, *, group: int | None = None,
         flat: bool = False) -> Any:
    """Codes to bytes that several of them share.

    codes: array or tensor of element codes of any shape, one a word, in the type of the format or in unsigned integers.
    format: of the codes, "e2m1fn"; of a block format its elements are meant, "mxfp4".
    packing: one of mxgold.packings(); by default nibble_low_first for 4 bits, dense6 for 6, else byte_padded.
    group: codes of a block, which split_half packs on its own: an even number that divides the last axis. By default the
        block size of a block format. Other packings have none.
    flat: all codes in C order as one row, spare bits of the last byte zero.

    Returns uint8, a tensor where codes are one, the last axis as many bytes as its codes take: (..., n // 2) for 4 bits.
    It has to end on a byte; of one-dimensional arrays it need not, and flat=True is (bytes,) for any shape. ValueError
    for a packing that there is not, that holds other widths or that the shape does not fit, and for codes with bits
    above the format's.

    >>> mxgold.pack(numpy.uint8([[1, 2, 3, 4]]), "e2m1fn")
    array([[33, 67]], dtype=uint8)
    """
    element, block = _element_of(format)
    chosen, size = packing_of(packing, element, group, block)
    words, home = codes_and_home(codes, element)
    return home.give_bits(pack_words(words, element, chosen, size, flat))


def unpack(packed: Any, format: FormatLike, shape: Sequence[int] | None = None, packing: str | None = None, *,
           group: int | None = None) -> Any:
    """Bytes that codes share to codes, one a word.

    packed: array or tensor of bytes (uint8, int8), as pack() gives it; torch.float4_e2m1fn_x2 too.
    format, packing, group: as for pack().
    shape: of the codes; by default what the last axis of `packed` holds.

    Returns codes of `shape` in the format's own type where there is one, else uint8; a tensor where packed is one. Spare
    bits of the last byte are not read. ValueError where the bytes are not those that so many codes take.

    >>> mxgold.bits(mxgold.unpack(numpy.uint8([[33, 67]]), "e2m1fn"))
    array([[1, 2, 3, 4]], dtype=uint8)
    """
    element, block = _element_of(format)
    chosen, size = packing_of(packing, element, group, block)
    words, home = bytes_and_home("packed", packed)
    if words.dtype not in (numpy.dtype(numpy.uint8), numpy.dtype(numpy.int8)):
        raise TypeError(f"packed: is an array of {words.dtype.name}; packed codes are bytes, uint8")
    return home.give(unpack_words(words, element, shape, chosen, size), element.name)


def swizzle(scales: Any, layout: str = _SWIZZLED) -> Any:
    """Scales in C order to a layout of mxgold.scale_layouts().

    scales: codes of one byte, (..., blocks): a row for each row of elements, blocks along the last axis. Leading
        dimensions count as rows.

    Returns a one-dimensional array or tensor of the type of `scales`. swizzle_128x4 has tiles of 128 rows x 4 blocks,
    slots beyond the matrix zero: ceil(rows / 128) * ceil(blocks / 4) * 512 bytes. ValueError for an unknown layout,
    TypeError for scales of another width.

    >>> mxgold.swizzle(numpy.arange(1, 6, dtype=numpy.uint8).reshape(1, 5)).nonzero()[0]
    array([  0,   1,   2,   3, 512])
    """
    words, home = bytes_and_home("scales", scales)
    return _like(scales, swizzle_words(words, layout_of(layout)), home)


def unswizzle(laid_out: Any, shape: Sequence[int], layout: str = _SWIZZLED) -> Any:
    """The way back: scales in C order.

    laid_out: bytes in any shape, of swizzle(), cuBLAS or torchao. shape: of the scales, (..., blocks).

    Returns an array or a tensor of `shape` in the type of `laid_out`; slots beyond the matrix are not read. ValueError
    where the bytes are not those of the layout.

    >>> mxgold.unswizzle(mxgold.swizzle(numpy.uint8([[1, 2, 3]])), (1, 3))
    array([[1, 2, 3]], dtype=uint8)
    """
    words, home = bytes_and_home("laid_out", laid_out)
    return _like(laid_out, unswizzle_words(words, shape, layout_of(layout)), home)


def pack_words(codes: Array, element: ElementFormat, packing: str, group: int, flat: bool) -> Array:
    """pack() of a NumPy array."""
    packed = numpy.empty(_row_shape(codes.shape, packing, element, group, flat), numpy.uint8)
    _native.require(LIBRARY.mxgold_pack(encoded(packing), encoded(element.name), group, _native.address(codes),
                                        codes.nbytes, _native.address(packed), packed.nbytes))
    return packed


def unpack_words(packed: Array, element: ElementFormat, shape: Sequence[int] | None, packing: str, group: int) -> Array:
    """unpack() of a NumPy array."""
    wanted = _shape_of(shape) if shape is not None else _codes_in(packed.shape, packing, element)
    codes = numpy.empty(wanted, element.dtype)
    needed = packed_bytes(packing, element, codes.size, group)
    if packed.nbytes != needed:
        raise ValueError(f"packed: {packed.nbytes} bytes; {codes.size} codes of {element}, {packing}, take {needed}: give "
                         "the shape of the codes with shape=")
    _native.require(LIBRARY.mxgold_unpack(encoded(packing), encoded(element.name), group, _native.address(packed),
                                          packed.nbytes, _native.address(codes), codes.nbytes))
    return codes


def swizzle_words(scales: Array, layout: str) -> Array:
    """swizzle() of a NumPy array."""
    rows, blocks = _matrix(scales.shape)
    laid_out = numpy.empty(_layout_bytes(layout, rows, blocks), scales.dtype)
    _native.require(LIBRARY.mxgold_lay_out_scales(encoded(layout), rows, blocks, _native.address(scales), scales.nbytes,
                                                  _native.address(laid_out), laid_out.nbytes))
    return laid_out


def unswizzle_words(laid_out: Array, shape: Sequence[int], layout: str) -> Array:
    """unswizzle() of a NumPy array."""
    scales = numpy.empty(_shape_of(shape), laid_out.dtype)
    rows, blocks = _matrix(scales.shape)
    needed = _layout_bytes(layout, rows, blocks)
    if laid_out.nbytes != needed:
        raise ValueError(f"laid_out: {laid_out.nbytes} bytes; scales of shape {scales.shape} take {needed} in {layout}")
    _native.require(LIBRARY.mxgold_bring_back_scales(encoded(layout), rows, blocks, _native.address(laid_out),
                                                     laid_out.nbytes, _native.address(scales), scales.nbytes))
    return scales


def packed_bytes(packing: str, element: ElementFormat, count: int, group: int) -> int:
    """Bytes that so many codes take; ValueError for a packing that does not hold them, in the library's words."""
    needed = ctypes.c_uint64()
    message = ctypes.create_string_buffer(256)
    status = LIBRARY.mxgold_packed_bytes(encoded(packing), encoded(element.name), group, count, ctypes.byref(needed),
                                         message, len(message))
    _native.require(status, message)
    return needed.value


def packing_of(packing: str | None, element: ElementFormat, group: int | None,
               block: BlockFormat | None) -> tuple[str, int]:
    """The name of a packing that holds codes of a format, and the group of split_half; 0 for others."""
    if packing is None:
        chosen = {4: "nibble_low_first", 6: "dense6"}.get(element.bits, "byte_padded")
    else:
        chosen = name_of("packing", packing, names("packings"))
    if group is not None and chosen != "split_half":
        raise ValueError(f"group: goes with split_half; {chosen} has no groups")
    own = (block.block_size or 0) if block is not None and chosen == "split_half" else 0
    size = own if group is None else _native.whole("group", group, 64)
    packed_bytes(chosen, element, 0, 0)
    return chosen, size


def layout_of(layout: str) -> str:
    """The name of a layout of scales."""
    return name_of("scale layout", layout, names("scale_layouts"))


def codes_and_home(codes: Any, element: ElementFormat) -> tuple[Array, Home]:
    """Codes of a format as unsigned integers, and where they are from."""
    words, _, home = taken(codes, element)
    format_of(words.dtype, element.name)
    return bits_of(words), home


def bytes_and_home(name: str, value: Any) -> tuple[Array, Home]:
    """Words of one byte that a user gives."""
    if is_torch(value) and value.element_size() == 1:
        value = value.view(sys.modules["torch"].uint8)
    words, _, home = taken(value, holds_codes=True)
    if words.dtype.itemsize != 1 or words.dtype.kind in "bSU":
        raise TypeError(f"{name}: is an array of {words.dtype.name}; give codes of one byte, uint8")
    return words, home


def _like(given: Any, words: Array, home: Home) -> Any:
    """Words of one byte as what the caller gave: of its type."""
    if not is_torch(given):
        return words
    return home.give_bits(words).view(given.dtype)


def _element_of(format: FormatLike) -> tuple[ElementFormat, BlockFormat | None]:
    found = make_format(format)
    return (found.element, found) if isinstance(found, BlockFormat) else (element_format(found), None)


def _row_shape(shape: tuple[int, ...], packing: str, element: ElementFormat, group: int,
               flat: bool) -> tuple[int, ...]:
    """The shape of packed codes."""
    count = int(numpy.prod(shape, dtype=object))
    if flat or len(shape) < 2:
        return (packed_bytes(packing, element, count, group),)
    length = shape[-1]
    if packing == "split_half":
        return (*shape[:-1], packed_bytes(packing, element, length, group))
    width = 8 if packing == "byte_padded" else element.bits
    if length * width % 8:
        raise ValueError(f"rows of {length} codes of {element.bits} bits do not end on a byte: flat=True packs all codes as "
                         "one row, or make the last axis longer")
    return (*shape[:-1], length * width // 8)


def _codes_in(shape: tuple[int, ...], packing: str, element: ElementFormat) -> tuple[int, ...]:
    """The shape of the codes that whole bytes hold."""
    if not shape:
        raise ValueError("packed: has no axis; give the shape of the codes with shape=")
    width = 8 if packing == "byte_padded" else element.bits
    if shape[-1] * 8 % width:
        raise ValueError(f"packed: {shape[-1]} bytes a row hold no whole number of codes of {width} bits; give the shape "
                         "of the codes with shape=")
    return (*shape[:-1], shape[-1] * 8 // width)


def _shape_of(shape: Sequence[int]) -> tuple[int, ...]:
    lengths = tuple(_native.index("shape", length) for length in shape)
    if any(length < 0 for length in lengths):
        raise ValueError(f"shape {lengths}: a length is below 0")
    return lengths


def _matrix(shape: tuple[int, ...]) -> tuple[int, int]:
    """Rows and blocks of scales of a shape; 0 dimensions count as one scale."""
    return int(numpy.prod(shape[:-1], dtype=object)), shape[-1] if shape else 1


def _layout_bytes(layout: str, rows: int, blocks: int) -> int:
    needed = ctypes.c_uint64()
    _native.require(LIBRARY.mxgold_scale_layout_bytes(encoded(layout), rows, blocks, ctypes.byref(needed)))
    return needed.value
