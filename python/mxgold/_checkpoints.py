# SPDX-License-Identifier: Apache-2.0
"""Weights in blocks as others keep them in safetensors files: which tensors stand together, and what they mean.

| of | codes | scales | number of the tensor |
|---|---|---|---|
| compressed-tensors | X.weight_packed | X.weight_scale | X.weight_global_scale, which divides |
| ModelOpt | X.weight | X.weight_scale | X.weight_scale_2, which multiplies |
| torchao | X._weight_qdata | X._weight_scale | X._weight_per_tensor_scale, which multiplies |
| FP8 with F32 scales of tensors or rows (ModelOpt, compressed-tensors) | X.weight | X.weight_scale | |
| DeepSeek | X.weight | X.weight_scale_inv | |
| gpt-oss | X_blocks | X_scales | |
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy

from ._formats import BlockFormat, block_format
from ._layouts import unsigned_scales
from ._packing import packed_bytes, unpack_words, unswizzle_words
from ._plans import plan_from
from ._policies import Policy, policy as make_policy
from ._quantized import restored
from ._safetensors import Reader, Stored

if TYPE_CHECKING:
    from ._homes import Home
    from ._types import Array


class Kind(NamedTuple):
    """How one system keeps weights of one format: endings of names, types, and what undoes it."""

    system: str
    format: str
    codes: str
    scales: str
    level: str
    codes_type: str
    scales_type: str
    packing: str | None
    policy: str
    name: str = ".weight"


_CT, _MODELOPT = "profile=compressed-tensors-0.20", "profile=modelopt-0.47"
_KINDS = (
    Kind("compressed-tensors", "nvfp4", ".weight_packed", ".weight_scale", ".weight_global_scale", "U8", "F8_E4M3",
         "nibble_low_first", _CT),
    Kind("compressed-tensors", "mxfp4", ".weight_packed", ".weight_scale", "", "U8", "U8", "nibble_low_first", _CT),
    Kind("compressed-tensors", "mxfp6_e2m3", ".weight_packed", ".weight_scale", "", "U8", "U8", "dense6", _CT),
    Kind("ModelOpt", "nvfp4", ".weight", ".weight_scale", ".weight_scale_2", "U8", "F8_E4M3", "nibble_low_first", _MODELOPT),
    Kind("ModelOpt", "mxfp4", ".weight", ".weight_scale", "", "U8", "U8", "nibble_low_first", ""),
    Kind("ModelOpt or compressed-tensors", "mxfp8_e4m3", ".weight", ".weight_scale", "", "F8_E4M3", "U8", None, ""),
    Kind("ModelOpt or compressed-tensors", "fp8_e4m3_fp32_tensor", ".weight", ".weight_scale", "", "F8_E4M3", "F32", None, ""),
    Kind("ModelOpt or compressed-tensors", "fp8_e4m3_fp32_row", ".weight", ".weight_scale", "", "F8_E4M3", "F32", None, ""),
    Kind("DeepSeek", "fp8_e4m3_fp32_128x128", ".weight", ".weight_scale_inv", "", "F8_E4M3", "F32", None, ""),
    Kind("gpt-oss", "mxfp4", "_blocks", "_scales", "", "U8", "U8", "nibble_low_first", "", name=""))
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
        words, element = file.words(self.codes), self.block.element
        if self.packing is not None:
            words = unpack_words(words, element, None, self.packing, 0)
        if file.tensors[self.codes].shape[-1:] == (16,) and self.codes.endswith("_blocks"):
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
    for name in file.tensors:
        weight = _of_kinds(file, name)
        if weight is not None:
            found[weight[0]] = weight[1]
    return found


def _of_kinds(file: Reader, codes: str) -> tuple[str, Weight] | None:
    """The weight whose codes a tensor holds. Those of the same names and types are told apart by the bytes of a block."""
    for kind in _KINDS:
        if not codes.endswith(kind.codes) or file.tensors[codes].kind != kind.codes_type:
            continue
        name = codes[:-len(kind.codes)]
        scales = file.tensors.get(name + kind.scales)
        if scales is None or scales.kind != kind.scales_type or (kind.level and name + kind.level not in file.tensors):
            continue
        policy = make_policy(kind.policy)
        block = plan_from("fp32", block_format(kind.format), policy).format
        if not _fit(block, kind.packing, file.tensors[codes], scales):
            continue
        return name + kind.name, Weight(block, policy, codes, name + kind.scales, name + kind.level if kind.level else "",
                                        kind.packing)
    return None


def _fit(block: BlockFormat, packing: str | None, codes: Stored, scales: Stored) -> bool:
    """Are there as many scales as blocks of a format?"""
    if block.extent == "tensor":
        return scales.elements() == 1
    if block.extent == "axis":
        return scales.elements() > 1 and _long(scales.shape) == _long(codes.shape[:-1])
    size = block.block_size or 1
    each = packed_bytes(packing, block.element, size, 0) if packing else size
    # Tiles may be cut; rows of blocks are whole.
    return block.tile_lines > 1 or scales.elements() * each == codes.end - codes.begin


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
