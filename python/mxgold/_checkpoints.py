# SPDX-License-Identifier: Apache-2.0
"""Weights in blocks as others keep them in safetensors files: which tensors stand together, and what they mean.

Names, types and layouts are those of `mxgold list checkpoints`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy

from ._formats import BlockFormat, block_format
from ._layouts import unsigned_scales
from ._packing import packed_bytes, packing_of, unpack_words, unswizzle_words
from ._plans import plan_from
from ._policies import Policy, policy as make_policy
from ._quantized import restored
from ._safetensors import BITS, Reader, Stored
from ._weight_layouts import LAYOUTS, WeightLayout

if TYPE_CHECKING:
    from ._homes import Home
    from ._types import Array


#: What undoes the weights of a writer, where that is not the same for all: by writer and format.
_POLICIES = {("compressed-tensors", "nvfp4"): "profile=compressed-tensors-0.20",
             ("compressed-tensors", "mxfp4"): "profile=compressed-tensors-0.20",
             ("compressed-tensors", "mxfp6_e2m3"): "profile=compressed-tensors-0.20",
             ("ModelOpt", "nvfp4"): "profile=modelopt-0.47", ("torchao", "nvfp4"): "profile=torchao-0.18"}
#: Formats of E4M3 under F32 scales, of which the shape of the scales takes one.
_BY_SHAPE = ("fp8_e4m3_fp32_tensor", "fp8_e4m3_fp32_row", "fp8_e4m3_fp32_128x128")
#: torchao's types of elements, and the formats of blocks that have them.
_TORCHAO = {"float8_e4m3fn": "mxfp8_e4m3", "float8_e5m2": "mxfp8_e5m2", "fp6_e2m3": "mxfp6_e2m3",
            "fp6_e3m2": "mxfp6_e3m2", "float4_e2m1fn_x2": "mxfp4"}


class Weight(NamedTuple):
    """A weight of a file: the tensors that it is made of, and how."""

    block: BlockFormat
    policy: Policy
    codes: str
    scales: str
    #: The name of the tensor's number, "" for none.
    level: str
    packing: str | None
    #: Do scales lie in tiles?
    swizzled: bool = False
    #: The format of what was quantized, where it is known.
    source: str = "fp32"
    #: Are the bytes of a block an axis of their own?
    grouped: bool = False

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of its tensors."""
        return tuple(name for name in (self.codes, self.scales, self.level) if name)

    def quantized(self, file: Reader, home: Home) -> Any:
        """Reads it. ValueError, naming the tensor, where parts do not fit."""
        try:
            codes = self._codes(file)
            shape = self.block.scale_shape(codes.shape)
            scales = file.words(self.scales)
            if self.swizzled:
                scales = unswizzle_words(scales.reshape(-1), shape, "swizzle_128x4")
            if _long(scales.shape) != _long(shape):
                raise ValueError(f"shape {list(scales.shape)}; codes of shape {list(codes.shape)} have scales {list(shape)}")
            scales = scales.reshape(shape)
            if self.block.scale == "ue4m3":
                scales = unsigned_scales(scales, self.block)
            return restored(codes, scales.view(self.block.scale_dtype), self.block.name, self.source, self.policy,
                            codes.ndim - 1, self._level(file), 0, None, home)
        except ValueError as error:
            if str(error).startswith(file.path):
                raise
            file.refuse(f"tensor {self.scales!r} beside {self.codes!r}: {error}")

    def _codes(self, file: Reader) -> Array:
        words, element, stored = file.words(self.codes), self.block.element, file.tensors[self.codes]
        if BITS[stored.kind] < 8:
            words = unpack_words(words, element, stored.shape, *packing_of(None, element, None, None))
        elif stored.shape:
            words = words.view("u1")
            if self.packing is not None:
                words = unpack_words(words, element, None, self.packing, 0)
        if self.grouped:
            words = words.reshape(*words.shape[:-2], words.shape[-2] * words.shape[-1])  # a block is an axis of its own
        return words.view(element.dtype)

    def _level(self, file: Reader) -> tuple[int, int] | None:
        if not self.block.two_level:
            return None
        if not self.level:
            return 0, 0x3F800000
        stored = file.tensors[self.level]
        if stored.kind != "F32" or stored.elements() != 1:
            raise ValueError(f"{self.level!r} is {stored.kind} {list(stored.shape)}; one F32 number was expected")
        return 0, int(file.words(self.level).reshape(-1).view("<u4")[0])


def checkpoint_tensors(file: Reader) -> dict[str, Weight]:
    """The weights in blocks of a file, by name."""
    found = _of_torchao(file)
    used = {part for weight in found.values() for part in weight.parts}
    for name in file.tensors:
        weight = _of_layouts(file, name) if name not in used else None
        if weight is not None:
            found[weight[0]] = weight[1]
    return found


def _of_layouts(file: Reader, codes: str) -> tuple[str, Weight] | None:
    """The weight whose codes a tensor holds. Those of the same names and types are told apart by the shapes of blocks."""
    for layout in LAYOUTS:
        found = _under(layout, file, codes)
        if found is not None:
            return found
    return None


def _under(layout: WeightLayout, file: Reader, codes: str) -> tuple[str, Weight] | None:
    """The weight under a layout; None where names, types or shapes are others."""
    stored = file.tensors[codes]
    if not codes.endswith(layout.codes) or stored.kind not in layout.codes_types.split():
        return None
    stem = codes[:-len(layout.codes)]
    scales = file.tensors.get(stem + layout.scales)
    if scales is None or scales.kind not in layout.scales_types.split() or layout.joint not in stem:
        return None
    if layout.level and stem + layout.level not in file.tensors:
        return None
    if layout.never_with and stem + layout.never_with in file.tensors:
        return None
    name = stem + layout.weight
    if layout.joint:
        name = ".".join(name.rsplit(layout.joint, 1))
    single = stored.kind == "F8_E4M3" and scales.kind == "F32"
    for format in (layout.block,) if layout.block else _BY_SHAPE if single else ():
        policy = make_policy(_POLICIES.get((layout.writers, format), ""))
        block = plan_from("fp32", block_format(format), policy).format
        if _fit(block, layout.packing, stored, scales):
            return name, Weight(block, policy, codes, stem + layout.scales, stem + layout.level if layout.level else "",
                                layout.packing or None, grouped=layout.form == "groups")
    return None


def _fit(block: BlockFormat, packing: str, codes: Stored, scales: Stored) -> bool:
    """Are there as many scales as blocks of a format?"""
    if block.extent == "tensor":
        return scales.elements() == 1
    if block.extent == "axis":
        return scales.elements() > 1 and _long(scales.shape) == _long(codes.shape[:-1])
    if block.tile_lines > 1:  # tiles may be cut
        return len(codes.shape) > 1 and _long(scales.shape) == _long(block.scale_shape(codes.shape))
    size = block.block_size or 1
    each = packed_bytes(packing, block.element, size, 0) if packing else size
    return scales.elements() * each == codes.end - codes.begin


def _long(shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape without its dimensions of one."""
    return tuple(length for length in shape if length != 1)


def _of_torchao(file: Reader) -> dict[str, Weight]:
    """The MXTensor and NVFP4Tensor that torchao's metadata speak of."""
    found: dict[str, Weight] = {}
    for name in _json(file.metadata.get("tensor_names", "")) or ():
        told = _json(file.metadata.get(str(name), ""))
        module, dot, last = str(name).rpartition(".")
        prefix = f"{module}{dot}_{last}_"
        if not isinstance(told, dict) or f"{prefix}qdata" not in file.tensors or f"{prefix}scale" not in file.tensors:
            continue
        data = told.get("_data")
        weight = _torchao_weight(prefix, told.get("_type"), data, file) if isinstance(data, dict) else None
        if weight is not None:
            found[name] = weight
    return found


def _torchao_weight(prefix: str, kind: Any, data: dict[str, Any], file: Reader) -> Weight | None:
    element = _dtype_name(data.get("elem_dtype"))
    format = {"MXTensor": _TORCHAO.get(element), "NVFP4Tensor": "nvfp4"}.get(str(kind))
    if format is None:
        return None
    block = block_format(format)
    size = data.get("block_size")
    settings = {"profile": "torchao-0.18"}
    if isinstance(size, int) and size != block.block_size:
        settings["block_size"] = str(size)
    policy = make_policy(settings)
    level = f"{prefix}per_tensor_scale"
    source = {"float32": "fp32", "bfloat16": "bf16", "float16": "fp16"}.get(_dtype_name(data.get("orig_dtype")), "fp32")
    return Weight(plan_from(source, block, policy).format, policy, f"{prefix}qdata", f"{prefix}scale", level if level in file.tensors else "",
                  "nibble_low_first" if block.element.bits == 4 else None, data.get("is_swizzled_scales") is True, source)


def _dtype_name(value: Any) -> str:
    """torchao writes types of torch as objects, others as texts."""
    return str(value.get("_data")) if isinstance(value, dict) else str(value)


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
