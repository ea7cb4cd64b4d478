"""Arrays of inputs and outputs as the text of a log (docs/identify.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy

from ._convert import convert
from ._dtypes import format_of
from ._formats import BlockFormat, format as named_format
from ._homes import code_words as bits, codes_of, taken
from ._packing import unpack_words, unswizzle_words
from ._quantized import Quantized

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ._formats import ElementFormat
    from ._types import Array, FormatLike

#: Types whose numbers are values where another format is asked about.
_VALUES = ("fp64", "fp32", "bf16", "fp16")


def _shown(words: Iterable[Any], width: int) -> list[str]:
    """Words of so many bits as logs have them, every digit there."""
    return [f"{int(word):0{-(-width // 4)}x}" for word in words]


def _values(outputs: Any, target: str) -> Array | None:
    """Outputs as binary32 patterns where they are values of a wider float; None where they are codes."""
    words, name, _ = taken(outputs, holds_codes=True)
    if name is None and words.dtype.kind == "f":
        name = format_of(words.dtype, None)
    if name not in _VALUES or name == target:
        return None
    values = convert(words, "fp32", source=name)
    if name == "fp64" and not numpy.array_equal(values.astype(numpy.float64), words, equal_nan=True):
        raise ValueError("outputs: values of float64 that float32 has not; no code stands for them")
    return bits(values)


def _of_values(words: Array, source: str, outputs: Any, target: ElementFormat) -> str:
    values = _values(outputs, target.name)
    given, width = (bits(outputs), target.bits) if values is None else (values, 32)
    if given.size != words.size:
        raise ValueError(f"{words.size} inputs and {given.size} outputs")
    shown = _shown(bits(words).ravel(), words.dtype.itemsize * 8)
    return (f"{source} {target}{'' if values is None else ' values'}\n"
            + "".join(f"{x} {y}\n" for x, y in zip(shown, _shown(given.ravel(), width))))


def _as_codes(codes: Array, words: Array, target: BlockFormat, notes: list[str]) -> Array:
    """Codes one a word, where two stand in a byte."""
    bits_each = target.element.bits
    held = codes.shape[:-1] + (codes.shape[-1] * 2,) if codes.ndim else codes.shape
    if bits_each != 4 or held != words.shape or codes.dtype.itemsize != 1:
        return codes
    notes.append("codes: two a byte, read with the low one first")
    return unpack_words(numpy.ascontiguousarray(codes).view(numpy.uint8), target.element, words.shape, "nibble_low_first", 0)


def _as_rows(scales: Array, rows: int, each: int, notes: list[str]) -> Array:
    """Scales in rows, where there are as many as whole tiles of 128 x 4 hold and rows have fewer."""
    if scales.size == rows * each or scales.dtype.itemsize != 1 or \
            scales.size != -(-rows // 128) * -(-each // 4) * 512:
        return scales
    notes.append("scales: as many as tiles of 128 x 4 hold, so brought back from swizzle_128x4")
    return unswizzle_words(numpy.ascontiguousarray(scales).ravel(), (rows, each), "swizzle_128x4")


def _of_blocks(words: Array, source: str, outputs: Any, target: BlockFormat, notes: list[str]) -> str:
    scales = None
    values = None
    if isinstance(outputs, Quantized):
        scales, codes = bits(outputs._scales), bits(outputs._codes)
    elif isinstance(outputs, (tuple, list)) and len(outputs) == 2:
        scales, codes = (bits(each) for each in outputs)
    else:
        values = _values(outputs, "")
        codes = bits(outputs) if values is None else values
    if values is None:
        codes = _as_codes(codes, words, target, notes)
    size = target.block_size
    if size is None or target.tile_lines != 1 or codes.shape != words.shape or not words.size:
        raise ValueError("a log in blocks takes codes of the shape of the inputs, in blocks of one size along the "
                         "last axis")
    rows, outs = (array.reshape(-1, words.shape[-1]) for array in (bits(words), codes))
    each = -(-words.shape[-1] // size)
    if scales is not None:
        scales = _as_rows(scales, len(rows), each, notes)
    if scales is not None and scales.size != each * len(rows):
        raise ValueError(f"{len(rows)} rows have {each * len(rows)} blocks of {size}; there are {scales.size} scales")
    level = ""
    if target.two_level:
        numbers = convert(words, "fp32", source=source)
        amax = numpy.max(abs(numbers[numpy.isfinite(numbers)]), initial=0)
        level = f"{int(bits(numpy.float32(amax))):08x} | "
    lines = []
    for number in range(each * len(rows)):
        row, at = divmod(number, each)
        part = slice(at * size, (at + 1) * size)
        scale = "" if values is not None else "x | " if scales is None else \
            _shown([scales.ravel()[number]], target.scale_bits)[0] + " | "
        answer = _shown(outs[row, part], target.element.bits if values is None else 32)
        lines.append(f"{' '.join(_shown(rows[row, part], words.dtype.itemsize * 8))} | {level}{scale}"
                     f"{' '.join(answer)}\n")
    return (f"{source} {target}{' tensor' if level else ''}{'' if values is None else ' values'}\n" + "".join(lines))


def log_of(inputs: Any, outputs: Any, format: FormatLike) -> tuple[str, list[str]]:
    """Inputs, and what an implementation gave for them: codes, with their scales or without, or values.

    Also notes on how arrays were read that are not laid out as the inputs are.
    """
    words, source = codes_of(inputs)
    target = named_format(format)
    notes: list[str] = []
    if isinstance(target, BlockFormat):
        return _of_blocks(words, source, outputs, target, notes), notes
    return _of_values(words, source, outputs, target), notes
