#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Layouts of the Python package against torchao and torch: packed FP4, swizzled scales, and tensors of theirs as Quantized."""

import pathlib
import sys
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "python"))
sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1] / "judges"))

import numpy as np

from judge import Judge, need

warnings.filterwarnings("ignore")
torch, torchao, mxgold = need("torch", "torchao", "mxgold")
mx, nvfp4, constants, utils, kernels = need(*(f"torchao.prototype.mx_formats.{name}" for name in
                                              ("mx_tensor", "nvfp4_tensor", "constants", "utils", "kernels")))

FORMATS = {"mxfp8_e4m3": torch.float8_e4m3fn, "mxfp8_e5m2": torch.float8_e5m2, "mxfp6_e2m3": constants.DTYPE_FP6_E2M3,
           "mxfp6_e3m2": constants.DTYPE_FP6_E3M2, "mxfp4": torch.float4_e2m1fn_x2}
SHAPES = ((5, 96), (127, 160), (129, 160), (300, 320), (2, 128, 192))
PROFILE = "profile=torchao-0.18"


def bytes_of(tensor):
    return tensor.contiguous().view(torch.uint8).numpy()


def words_of(values):
    return values.numpy().view(np.uint32)


def numbers(judge, shape):
    return np.random.default_rng(judge.args.seed).standard_normal(shape).astype(np.float32)


def judge_packing(judge):
    """Two codes a byte by pack_uint4 and by torch's own type; scales by to_blocked, and both ways back."""
    packing = "nibble_high_first" if judge.args.wrong else "nibble_low_first"
    generator = np.random.default_rng(judge.args.seed)
    for shape in ((2,), (4, 6), (3, 5, 1024)):
        codes = generator.integers(0, 16, shape, dtype=np.uint8)
        theirs = kernels.pack_uint4(torch.from_numpy(codes))
        judge.same(f"pack {shape}", theirs, mxgold.pack(codes, "e2m1fn", packing), theirs.numpy())
        back = mxgold.unpack(theirs.view(torch.float4_e2m1fn_x2), "e2m1fn", packing=packing)
        judge.same(f"unpack float4_e2m1fn_x2 {shape}", codes, mxgold.bits(back), kernels.unpack_uint4(theirs).numpy())
    for shape in ((1, 1), (128, 4), (129, 5), (500, 37)):
        scales = generator.integers(1, 255, shape, dtype=np.uint8)
        theirs = utils.to_blocked(torch.from_numpy(scales)).numpy().reshape(-1)
        ours = mxgold.swizzle(scales)
        if judge.args.wrong:
            ours = np.resize(scales, ours.shape)
        judge.same(f"swizzle {shape}", theirs, ours, theirs)
        back = utils.from_blocked(torch.from_numpy(ours.copy()), *shape).numpy()
        judge.same(f"unswizzle {shape}", scales, mxgold.unswizzle(theirs, shape), back, sees_wrong=shape != (1, 1))


def judge_tensors(judge):
    """MXTensor and NVFP4Tensor: our packed codes and swizzled scales are theirs; theirs as a Quantized is worth the same."""
    policy = "rounding=toward_zero," if judge.args.wrong else ""
    for shape in SHAPES:
        x = numbers(judge, shape)
        data = torch.from_numpy(x)
        for name, dtype in FORMATS.items():
            theirs = mx.MXTensor.to_mx(data, dtype, 32, is_swizzled_scales=True)
            q = mxgold.quantize(x, name, policy + PROFILE)
            is_six = name.startswith("mxfp6")  # which torchao leaves a code a byte
            ours = q.packed("byte_padded" if is_six else None)
            judge.same(f"{name} {shape} codes", bytes_of(theirs.qdata), ours, bytes_of(theirs.qdata))
            judge.same(f"{name} {shape} scales", bytes_of(theirs.scale).reshape(-1), mxgold.bits(q.scales_as("swizzle_128x4")),
                       bytes_of(theirs.scale).reshape(-1), sees_wrong=False)
            codes = theirs.qdata.view(torch.float4_e2m1fn_x2) if name == "mxfp4" else theirs.qdata
            back = mxgold.Quantized.from_arrays(codes, theirs.scale, name, PROFILE, scale_layout="swizzle_128x4")
            values = words_of(back.dequantize()) ^ (1 if judge.args.wrong else 0)
            judge.same(f"{name} {shape} values", values, values, words_of(theirs.dequantize(torch.float32)))
        level = nvfp4.per_tensor_amax_to_scale(torch.max(torch.abs(data)))
        theirs = nvfp4.NVFP4Tensor.to_nvfp4(data, 16, level, is_swizzled_scales=True)
        q = mxgold.quantize(x, "nvfp4", policy + PROFILE, tensor_scale=level.item())
        judge.same(f"nvfp4 {shape} codes", bytes_of(theirs.qdata), q.packed(), bytes_of(theirs.qdata))
        judge.same(f"nvfp4 {shape} scales", bytes_of(theirs.scale).reshape(-1), mxgold.bits(q.scales_as("swizzle_128x4")),
                   bytes_of(theirs.scale).reshape(-1), sees_wrong=False)
        back = mxgold.Quantized.from_arrays(theirs.qdata, theirs.scale, "nvfp4", PROFILE, packing="nibble_low_first",
                                            scale_layout="swizzle_128x4", tensor_scale=level.item())
        values = words_of(back.dequantize()) ^ (1 if judge.args.wrong else 0)
        judge.same(f"nvfp4 {shape} values", values, values, words_of(theirs.dequantize(torch.float32)))


def main():
    surfaces = {"packing": judge_packing, "tensors": judge_tensors}
    judge = Judge("torchao", f"torchao {torchao.__version__}, torch {torch.__version__}", surfaces)
    for name, surface in surfaces.items():
        if judge.wants(name):
            surface(judge)
    judge.finish()


main()
