# SPDX-License-Identifier: Apache-2.0
"""How libraries store weights in codes and scales. Written by python/weight_layouts.py; tests/python/layouts/test_files.py
compares it with `mxgold list checkpoints`.
"""

from typing import NamedTuple


class WeightLayout(NamedTuple):
    """Names, types and layout of one kind of weights; names are endings."""

    writers: str
    #: The block format; "" where shapes say which elements share a scale.
    block: str
    codes: str
    scales: str
    #: Of the number of the tensor, "" for none.
    level: str
    #: Of the weight.
    weight: str
    codes_types: str
    scales_types: str
    packing: str
    #: "factor", "divisor" or "".
    number: str
    #: "rows", or "groups" where the bytes of a block are an axis of their own.
    form: str
    #: What stands for the last "." of the weight's name.
    joint: str
    #: The ending of a tensor that these weights do not have.
    never_with: str


LAYOUTS = (
    WeightLayout("compressed-tensors", "nvfp4", ".weight_packed", ".weight_scale", ".weight_global_scale", ".weight",
                 "U8 I8 F4", "F8_E4M3", "nibble_low_first", "divisor", "rows", "", ""),
    WeightLayout("compressed-tensors", "mxfp4", ".weight_packed", ".weight_scale", "", ".weight",
                 "U8 I8 F4", "U8 I8 F8_E8M0", "nibble_low_first", "", "rows", "", ""),
    WeightLayout("compressed-tensors", "mxfp6_e2m3", ".weight_packed", ".weight_scale", "", ".weight",
                 "U8 I8 F6_E2M3", "U8 I8 F8_E8M0", "dense6", "", "rows", "", ""),
    WeightLayout("ModelOpt", "nvfp4", ".weight", ".weight_scale", ".weight_scale_2", ".weight",
                 "U8 I8 F4", "F8_E4M3", "nibble_low_first", "factor", "rows", "", ""),
    WeightLayout("ModelOpt or Quark", "mxfp4", ".weight", ".weight_scale", "", ".weight",
                 "U8 I8 F4", "U8 I8 F8_E8M0", "nibble_low_first", "", "rows", "", ""),
    WeightLayout("ModelOpt or compressed-tensors", "mxfp8_e4m3", ".weight", ".weight_scale", "", ".weight",
                 "F8_E4M3", "U8 I8 F8_E8M0", "", "", "rows", "", ""),
    WeightLayout("ModelOpt or compressed-tensors", "mxfp8_e5m2", ".weight", ".weight_scale", "", ".weight",
                 "F8_E5M2", "U8 I8 F8_E8M0", "", "", "rows", "", ""),
    WeightLayout("omlx", "mxfp8_e4m3", ".weight", ".weight_scale_inv", "", ".weight",
                 "F8_E4M3", "U8 I8 F8_E8M0", "", "", "rows", "", ""),
    WeightLayout("DeepSeek-V4", "mxfp4", ".weight", ".scale", "", ".weight",
                 "U8 I8 F4", "U8 I8 F8_E8M0", "nibble_low_first", "", "rows", "", ""),
    WeightLayout("DeepSeek-V4", "mxfp8_e4m3", ".weight", ".scale", "", ".weight",
                 "F8_E4M3", "U8 I8 F8_E8M0", "", "", "rows", "", ""),
    WeightLayout("gpt-oss", "mxfp4", "_blocks", "_scales", "", "",
                 "U8 I8", "U8 I8 F8_E8M0", "nibble_low_first", "", "groups", "", ""),
    WeightLayout("gpt-oss", "mxfp4", ".blocks", ".scales", "", "",
                 "U8 I8", "U8 I8 F8_E8M0", "nibble_low_first", "", "groups", "", ""),
    WeightLayout("MLX", "mxfp4", ".weight", ".scales", "", ".weight",
                 "U32", "U8", "nibble_low_first", "", "rows", "", ".biases"),
    WeightLayout("MLX", "nvfp4", ".weight", ".scales", "", ".weight",
                 "U32", "U8", "nibble_low_first", "", "rows", "", ".biases"),
    WeightLayout("MLX", "mxfp8_e4m3", ".weight", ".scales", "", ".weight",
                 "U32", "U8", "", "", "rows", "", ".biases"),
    WeightLayout("DeepSeek-V3, Qwen or others of Hugging Face's fp8", "", ".weight", ".weight_scale_inv", "", ".weight",
                 "F8_E4M3 F8_E5M2 F8_E4M3FNUZ F8_E5M2FNUZ I8", "F32 BF16 F16 F8_E8M0 U8", "", "", "rows", "", ""),
    WeightLayout("compressed-tensors, ModelOpt or Quark", "", ".weight", ".weight_scale", "", ".weight",
                 "F8_E4M3 F8_E5M2 F8_E4M3FNUZ F8_E5M2FNUZ I8", "F32 BF16 F16 F8_E8M0 U8", "", "", "rows", "", ".weight_zero_point"),
    WeightLayout("DeepSeek", "", ".weight", ".scale", "", ".weight",
                 "F8_E4M3 F8_E5M2 F8_E4M3FNUZ F8_E5M2FNUZ I8", "F32 BF16 F16 F8_E8M0 U8", "", "", "rows", "", ""),
    WeightLayout("torchao", "nvfp4", "_qdata", "_scale", "_per_tensor_scale", "",
                 "U8 I8 F4", "F8_E4M3", "nibble_low_first", "factor", "rows", "._", ""),
    WeightLayout("torchao", "nvfp4", "_qdata", "_scale", "", "",
                 "U8 I8 F4", "F8_E4M3", "nibble_low_first", "", "rows", "._", ""),
    WeightLayout("torchao", "mxfp4", "_qdata", "_scale", "", "",
                 "U8 I8 F4", "F8_E8M0", "nibble_low_first", "", "rows", "._", ""),
    WeightLayout("torchao", "mxfp8_e4m3", "_qdata", "_scale", "", "",
                 "F8_E4M3", "F8_E8M0", "", "", "rows", "._", ""),
    WeightLayout("torchao", "mxfp8_e5m2", "_qdata", "_scale", "", "",
                 "F8_E5M2", "F8_E8M0", "", "", "rows", "._", ""),
    WeightLayout("torchao", "", "_qdata", "_scale", "", "",
                 "F8_E4M3 F8_E5M2 F8_E4M3FNUZ F8_E5M2FNUZ I8", "F32 BF16 F16", "", "", "rows", "._", "_zero_point"),
    WeightLayout("torchao", "nvfp4", ".qdata", ".scale", ".per_tensor_scale", "",
                 "U8 I8 F4", "F8_E4M3", "nibble_low_first", "factor", "rows", "", ""),
    WeightLayout("torchao", "nvfp4", ".qdata", ".scale", "", "",
                 "U8 I8 F4", "F8_E4M3", "nibble_low_first", "", "rows", "", ""),
    WeightLayout("torchao", "mxfp4", ".qdata", ".scale", "", "",
                 "U8 I8 F4", "F8_E8M0", "nibble_low_first", "", "rows", "", ""),
    WeightLayout("torchao", "mxfp8_e4m3", ".qdata", ".scale", "", "",
                 "F8_E4M3", "F8_E8M0", "", "", "rows", "", ""),
    WeightLayout("torchao", "mxfp8_e5m2", ".qdata", ".scale", "", "",
                 "F8_E5M2", "F8_E8M0", "", "", "rows", "", ""),
    WeightLayout("torchao", "", ".qdata", ".scale", "", "",
                 "F8_E4M3 F8_E5M2 F8_E4M3FNUZ F8_E5M2FNUZ I8", "F32 BF16 F16", "", "", "rows", "", ".zero_point"),
)
