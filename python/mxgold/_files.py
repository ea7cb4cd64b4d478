# SPDX-License-Identifier: Apache-2.0
"""Quantized and arrays in files: save and load. The files are those of `mxgold quantize` (spec F24)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Iterable, Mapping

import numpy

from ._checkpoints import checkpoint_tensors
from ._dtypes import bits_of, dtype_of, format_of
from ._foreign import foreign_kind, numpy_tensors, scratch, values_file
from ._formats import BlockFormat, ElementFormat, element_format, format as make_format
from ._homes import NUMPY, Home, TorchHome, taken
from ._names import unknown
from ._packing import layout_of, pack_words, packing_of, unpack_words, unswizzle_words
from ._plans import plan_from
from ._quantized import Quantized, restored
from ._recipes import Fields, described, holds_codes
from ._safetensors import BITS, FORMATS, NUMBERS, TYPES, Piece, Reader, write

if TYPE_CHECKING:
    from ._types import Array

_LAYOUTS = ("auto", "mxgold", "checkpoint", "plain")


def save(path: str | os.PathLike[str], tensors: Mapping[str, Any], *, codes: str = "own",
         metadata: Mapping[str, str] | None = None) -> None:
    """Writes Quantized, arrays and tensors into a file of the safetensors format, whole or not at all.

    path: of the file, "w.safetensors"; what was there is replaced.
    tensors: name -> a Quantized, an array of NumPy's or ml_dtypes' types, or a torch tensor.
    codes: "own", in the types that the format of the file has (F8_E4M3, F8_E8M0, F4, F6_E2M3, ...), where it has one and
        rows end on a byte; or "bytes", one a byte (U8), as `mxgold quantize` writes them. torch's own reader knows no
        F6.
    metadata: texts to keep in the file beside what it says of the tensors.

    A Quantized T becomes T.codes, T.scales and, of two levels, T.tensor_scale, with all that load() needs to give one that
    is equal; `mxgold dequantize`, `dot` and `mma` read it, too. ValueError for names that meet or that the format has for
    itself, and for an array whose type has no place in such a file.

    >>> q = mxgold.quantize(numpy.linspace(-1, 1, 64, dtype=numpy.float32).reshape(2, 32), "mxfp4")
    >>> mxgold.save("w.safetensors", {"w": q, "bias": numpy.zeros(2, numpy.float32)})
    >>> mxgold.load("w.safetensors")["w"] == q
    True
    """
    if codes not in ("own", "bytes"):
        raise ValueError(f"codes {codes!r}: own or bytes")
    pieces: dict[str, Piece] = {}
    for name, value in tensors.items():
        made = _pieces_of(value, codes) if isinstance(value, Quantized) else {"": _piece_of(name, value)}
        for suffix, piece in made.items():
            if f"{name}{suffix}" in pieces or f"{name}{suffix}" == "__metadata__":
                raise ValueError(f"{name}{suffix}: the file has this name for another tensor; choose another for {name!r}")
            pieces[f"{name}{suffix}"] = piece
    from . import __version__

    told = described({name: value for name, value in tensors.items() if isinstance(value, Quantized)}, __version__)
    for key, text in (metadata or {}).items():
        if key in told:
            raise ValueError(f"metadata {key!r}: says how the tensors are quantized; choose another name")
        told[key] = text
    write(path, pieces, told)


def load(path: str | os.PathLike[str], names: Iterable[str] | None = None, *, layout: str = "auto",
         device: Any = None) -> dict[str, Any]:
    """The tensors of a file by name: of safetensors Quantized where codes and scales stand side by side.

    path: of the file. names: those that are wanted; by default all.
    layout: "mxgold", files of save() and of `mxgold quantize`; "checkpoint", weights in blocks as compressed-tensors,
        ModelOpt, torchao, DeepSeek and gpt-oss keep them (docs/howto/python-files.md); "plain", every tensor as it is; "auto", what
        the file's metadata say.
    device: a device of torch ("cpu", "cuda:0") for tensors there; by default NumPy arrays.

    Of .npy and .npz files these are their arrays. Files of PyTorch, GGUF and ONNX and models in pieces (.index.json, or
    their folder) are read by the program mxgold, as values in binary32; their layout is "auto".
    Tensors of less than 8 bits come unpacked, one code a byte. ValueError for a damaged file, naming tensor and field,
    and for names that it has not.

    >>> q = mxgold.quantize(numpy.ones((2, 32), numpy.float32), "mxfp8_e4m3", axis=0)
    >>> mxgold.save("w.safetensors", {"w": q}, codes="bytes")
    >>> mxgold.load("w.safetensors")
    {'w': <mxgold.Quantized mxfp8_e4m3 of shape (2, 32), 32 scales along axis 0>}
    """
    if layout not in _LAYOUTS:
        raise unknown("layout", str(layout), _LAYOUTS)
    home = NUMPY if device is None else _on(device)
    kind = foreign_kind(path)
    if kind and layout != "auto":
        raise ValueError(f"{os.fspath(path)}: layout {layout!r} is for safetensors files; leave it out")
    if kind == "numpy":
        arrays = numpy_tensors(path)
        return {name: home.give_numbers(arrays[name]) for name in _wanted(names, arrays, os.fspath(path))}
    if kind == "program":
        with scratch() as folder, Reader(values_file(path, folder)) as file:
            return _read(file, _named(file, "plain"), names, home, os.fspath(path))
    with Reader(path) as file:
        return _read(file, _named(file, layout), names, home, file.path)


def _read(file: Reader, there: dict[str, Any], names: Iterable[str] | None, home: Home, path: str) -> dict[str, Any]:
    return {name: there[name](name, home) for name in _wanted(names, there, path)}


def _wanted(names: Iterable[str] | None, there: Mapping[str, Any], path: str) -> list[str]:
    """Those that are asked for. ValueError for one that is not there."""
    wanted = list(there) if names is None else [str(name) for name in names]
    for name in wanted:
        if name not in there:
            raise ValueError(f"{path}: {unknown('tensor', name, tuple(there))}")
    return wanted


def _on(device: Any) -> Home:
    import torch

    return TorchHome(torch.device(device))


def _named(file: Reader, layout: str) -> dict[str, Any]:
    """What makes each tensor that a file has, by its name."""
    is_own = holds_codes(file.metadata)
    if layout == "mxgold" and not is_own:
        file.refuse("not written by mxgold.save or mxgold quantize: no mxgold_version in its metadata; layout='plain' has its "
                    "tensors as they are")
    if layout == "plain":
        return {name: lambda name, home: _array_of(file, name, home) for name in file.tensors}
    found: dict[str, Any] = {}
    used: set[str] = set()
    if layout == "mxgold" or (layout == "auto" and is_own):
        for name in file.tensors:
            if name.endswith(".codes"):
                found[name[:-len(".codes")]] = lambda name, home: _quantized_of(file, name, home)
                used.update(name[:-len(".codes")] + part for part in (".codes", ".scales", ".tensor_scale"))
    elif layout == "checkpoint" or not is_own:
        for name, weight in checkpoint_tensors(file).items():
            found[name] = lambda name, home, weight=weight: weight.quantized(file, home)
            used.update(weight.parts)
    found.update({name: lambda name, home: _array_of(file, name, home) for name in file.tensors if name not in used})
    return found


# ---- writing ----


def _piece_of(name: str, value: Any) -> Piece:
    """An array as it is stored."""
    words, source, _ = taken(value)
    kind = next((kind for kind, dtype in NUMBERS.items() if dtype == words.dtype), None)
    if source is None and kind is not None:
        return Piece(kind, words.shape, words)
    element = element_format(format_of(words.dtype, source))
    found = TYPES.get(element.name)
    if found is None:
        raise ValueError(f"{name}: {element} has no type in safetensors files; save mxgold.bits() of it")
    piece = _shared(found, words, element)
    if piece is None:
        raise ValueError(f"{name}: rows of {words.shape[-1] if words.shape else 1} codes of {element.bits} bits do not end on a "
                         "byte; save mxgold.bits() of it")
    return piece


def _shared(kind: str, words: Array, element: ElementFormat) -> Piece | None:
    """Codes in a type of the file, packed where it has less than 8 bits; None where a row does not end on a byte."""
    length = words.shape[-1] if words.shape else 1
    if length * BITS[kind] % 8:
        return None
    if BITS[kind] < 8:
        return Piece(kind, words.shape, pack_words(bits_of(words), element, *packing_of(None, element, None, None), True))
    return Piece(kind, words.shape, words)


def _pieces_of(q: Quantized, codes: str) -> dict[str, Piece]:
    """The tensors of a Quantized by what follows its name."""
    element, block = q.format.element, q.format
    words, scales = bits_of(q._codes), bits_of(q._scales)
    own = _shared(TYPES[element.name], words, element) if codes == "own" and element.name in TYPES else None
    kind = f"U{8 * scales.dtype.itemsize}"
    if codes == "own" or block.scale in ("fp64", "fp32", "fp16", "bf16"):
        kind = _scale_type(block.scale) or kind
    made = {".codes": own or Piece(f"U{8 * words.dtype.itemsize}", words.shape, words),
            ".scales": Piece(kind, scales.shape, scales)}
    if block.two_level:
        made[".tensor_scale"] = Piece("F32", (1,), numpy.array([q.tensor_scale], "<f4"))
    return made


def _scale_type(name: str) -> str | None:
    """The type of scales of a format: that of its codes, of ue4m3 that which has a sign bit above."""
    return "F8_E4M3" if name == "ue4m3" else TYPES.get(name)


# ---- reading ----


def _array_of(file: Reader, name: str, home: Home) -> Any:
    """A tensor as it is, unpacked where its type has less than 8 bits."""
    stored, words = file.tensors[name], file.words(name)
    known = FORMATS.get(stored.kind)
    if known is None:
        return home.give_numbers(words)
    element = element_format(known)
    if BITS[stored.kind] < 8:
        return home.give(unpack_words(words, element, stored.shape, *packing_of(None, element, None, None)), known)
    return home.give(words.view(dtype_of(known, words.dtype.itemsize)), known)


def _quantized_of(file: Reader, name: str, home: Home) -> Any:
    """The Quantized of T.codes and T.scales; of an element format the codes alone."""
    fields = Fields(file, name)
    try:
        found = make_format(fields.need("format"))
    except ValueError as error:
        fields.refuse("format", error)
    if isinstance(found, ElementFormat):
        return home.give(_codes_of(fields, found, 0), found.name)
    policy, source = fields.policy(found.block_size), fields.source()
    try:
        block = plan_from(source, found, policy).format
        codes = _codes_of(fields, block.element, block.block_size or 0)
        axis = fields.axis(codes.ndim)
        scales = _scales_of(fields, block, block.scale_shape(codes.shape, axis))
        return restored(codes, scales, block.name, source, policy, axis, _level_of(fields, block), fields.flags(),
                        fields.hadamard(), home)
    except ValueError as error:
        known = str(error).startswith(file.path)
        file.refuse(str(error)[len(file.path) + 2:] if known else f"tensor {name!r}: {error}")


def _codes_of(fields: Fields, element: ElementFormat, group: int) -> Array:
    name, file = f"{fields.tensor}.codes", fields.file
    stored, words = file.tensors[name], file.words(name)
    unsigned, own = f"U{8 * element.storage_bytes}", TYPES.get(element.name)
    if stored.kind not in (unsigned, own):
        file.refuse(f"tensor {name!r}: type {stored.kind}; codes of {element} are {unsigned}" + (f" or {own}" if own else ""))
    packing = fields.get("packed")
    if stored.kind == unsigned and packing is not None:
        chosen, _ = packing_of(packing, element, None, None)
        codes = unpack_words(words, element, fields.shape(), chosen, group if chosen == "split_half" else 0)
    elif BITS[stored.kind] < 8:
        codes = unpack_words(words, element, stored.shape, *packing_of(None, element, None, None))
    else:
        codes = words.view(element.dtype)
    _require_codes(file, name, codes, element.bits, str(element))
    return codes


def _scales_of(fields: Fields, block: BlockFormat, shape: tuple[int, ...]) -> Array:
    name, file = f"{fields.tensor}.scales", fields.file
    if name not in file.tensors:
        file.refuse(f"tensor {name!r}: missing beside '{fields.tensor}.codes'")
    stored, words = file.tensors[name], file.words(name)
    unsigned, own = f"U{8 * block.scale_bytes}", _scale_type(block.scale)
    if stored.kind not in (unsigned, own):
        file.refuse(f"tensor {name!r}: type {stored.kind}; scales of {block} are {unsigned}" + (f" or {own}" if own else ""))
    layout = layout_of(fields.get("scale_layout") or "plane")
    if layout != "plane":
        words = unswizzle_words(words, shape, layout)
    if words.shape != shape:
        file.refuse(f"tensor {name!r}: shape {list(words.shape)}; the codes need {list(shape)}")
    _require_codes(file, name, words, block.scale_bits, block.scale)
    return words.view(block.scale_dtype)


def _require_codes(file: Reader, name: str, codes: Array, bits: int, format: str) -> None:
    """ValueError for a code with bits above its format's width."""
    words = bits_of(codes)
    if bits == 8 * words.dtype.itemsize or format == "tf32":
        return
    stray = numpy.flatnonzero(words >> bits)
    if stray.size:
        file.refuse(f"tensor {name!r}, element {stray[0]}: code {int(words.ravel()[stray[0]]):X} has bits above the {bits} of "
                    f"{format}")


def _level_of(fields: Fields, block: BlockFormat) -> tuple[int, int] | None:
    """The level of a tensor of two of them: its largest magnitude and its scale as binary32 patterns."""
    if not block.two_level:
        return None
    name, file = f"{fields.tensor}.tensor_scale", fields.file
    if name not in file.tensors:
        file.refuse(f"tensor {name!r}: missing; {block} has a scale of the whole tensor")
    if file.tensors[name][:2] != ("F32", (1,)):
        file.refuse(f"tensor {name!r}: a tensor scale is F32 [1]")
    return fields.amax(), int(file.words(name).view("<u4")[0])
