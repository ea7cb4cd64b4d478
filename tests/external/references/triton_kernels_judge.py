#!/usr/bin/env python3
"""mxgold against triton_kernels, the MX quantizer of gpt-oss, as vLLM ships it: scale bytes and element codes of MXFP8 and MXFP4
blocks by the PyTorch reference that it has of its kernel, with --cuda by the kernel, and the way back. MX_TRITON_KERNELS names
the folder `triton_kernels` of the package vllm (vllm/third_party), of which this part alone is loaded."""

import os
import sys
import types

import numpy as np

from judge import Judge, need
import mxgold
import stimuli

torch, _ = need("torch", "triton")
FOLDER = os.environ.get("MX_TRITON_KERNELS") or os.environ.get("MX_TRITON_KERNELS_DEFAULT", "")
package = types.ModuleType("triton_kernels")
package.__path__ = [FOLDER]
sys.modules["triton_kernels"] = package
mxfp = need("triton_kernels.numerics_details.mxfp")

PROFILE = "triton-kernels-3.5"
FORMATS = {"mxfp8_e4m3": (torch.float8_e4m3fn, 448, 1), "mxfp8_e5m2": (torch.float8_e5m2, 57344, 1), "mxfp4": (torch.uint8, 6, 2)}
SOURCES = {"fp32": (torch.float32, np.int32, 0x7FFFFFFF, 0x7F800000), "bf16": (torch.bfloat16, np.int16, 0x7FFF, 0x7F80),
           "fp16": (torch.float16, np.int16, 0x7FFF, 0x7C00)}
UP = mxfp.DequantScaleRoundingMode.ROUND_UP


def tops_of(largest):
    """Maxima around largest * 2^k for every k, around powers of two, and at the bottom and top of binary32."""
    pattern = int(np.float32(largest).view(np.uint32)) & 0x7FFFFF
    heads = [0, 1, 2, 0x7FFFFF, 0x7FFFFE] + [max(pattern + step, 0) for step in range(-4, 5)]
    tops = [(exponent << 23) + head for exponent in range(255) for head in heads]
    return np.array(tops + list(range(64)) + [1 << bit for bit in range(23)], dtype=np.uint32)


def blocks_of(source, seed, largest):
    """Blocks of 32 patterns: maxima where the rule turns with all below them, a spread near them, specials, zeros, random ones."""
    generator = np.random.Generator(np.random.Philox(seed))
    tops = tops_of(largest)
    near = generator.integers(0, 5 << 23, size=(tops.size, 32)).astype(np.int64)
    below = np.maximum(tops[:, None].astype(np.int64) - near, 0).astype(np.uint32)
    # Few fraction bits: ties.
    below = np.where(generator.integers(0, 2, size=below.shape) == 1, below & 0xFFE00000, below)
    below[:, 3] = tops
    below |= generator.integers(0, 2, size=below.shape, dtype=np.uint32) << 31
    special = stimuli.random_blocks(generator, 400, 32)
    kinds = np.array([0x7F800000, 0xFF800000, 0x7FC00000, 0, 0x80000000], dtype=np.uint32)
    special = np.where(generator.integers(0, 24, size=special.shape) == 0, kinds[generator.integers(0, 5, size=special.shape)], special)
    zeros = np.zeros((2, 32), dtype=np.uint32)
    zeros[1, ::2] = 0x80000000
    blocks = np.concatenate([below, special, zeros, stimuli.random_blocks(generator, 40_000, 32)])
    if source == "fp32":
        return blocks
    if source == "fp16":
        return stimuli.halves(blocks)
    short = (blocks >> 16).astype(np.uint16)
    return np.where((blocks & 0x7FFFFFFF) > 0x7F800000, short | 0x0040, short).astype(np.uint16)


def downcast(judge, blocks, source, dtype):
    kind, integer, _, _ = SOURCES[source]
    data = torch.from_numpy(blocks.view(integer)).view(kind)
    if judge.args.cuda:
        codes, scales = mxfp.downcast_to_mxfp(data.cuda(), dtype, 1, UP)
    else:
        codes, scales = mxfp.downcast_to_mxfp_torch(data, dtype, 1, UP)
    return codes.view(torch.uint8).cpu().numpy(), scales.cpu().numpy()


def judge_blocks(judge, library, source):
    for name, (dtype, largest, per_byte) in FORMATS.items():
        blocks = blocks_of(source, judge.args.seed, largest)
        _, _, magnitude, infinity = SOURCES[source]
        has_nan = ((blocks & magnitude) > infinity).any(axis=1)
        codes, scales = downcast(judge, blocks, source, dtype)
        theirs = codes if per_byte == 1 else stimuli.nibbles(codes)
        options = {"rounding": "toward_zero"} if judge.args.wrong else {}
        if not judge.args.cuda:
            options["variant"] = "reference"
        ours, our_scales = library.quantize(blocks, source, name, profile=PROFILE, **options)
        numbers, scaled = ~has_nan, ~has_nan & (scales[:, 0] != 0xFF)
        left = f" ({np.count_nonzero(has_nan)} blocks with NaN, {np.count_nonzero(numbers & ~scaled)} under FF not compared)"
        judge.same(f"{source} {name} scales", blocks[numbers].max(axis=1)[:, None], our_scales[numbers], scales[numbers],
                   sees_wrong=False)
        judge.same(f"{source} {name} codes{left}", blocks[scaled], ours[scaled], theirs[scaled])


def judge_maxima(judge, library):
    """The scale of every maximum of binary32 as the kernel takes it, by the words at which it steps: both ends of each run of
    equal scales are compared, and the rule is monotone in between."""
    if not judge.args.cuda:
        print("  maxima: the kernel alone takes all of them: --cuda")
        return
    for name, (dtype, _, _) in FORMATS.items():
        maxima, theirs = stimuli.ends_of_maxima(lambda data, of=dtype: mxfp.downcast_to_mxfp(data, of, 1, UP)[1], 0x7F800000)
        options = {"rule": "floor"} if judge.args.wrong else {}
        _, ours = library.quantize(maxima, "fp32", name, profile=PROFILE, **options)
        judge.same(f"{name}: all {0x7F800001} maxima of fp32, at {len(maxima)} ends of runs", maxima[:, 5:6], ours, theirs)


def judge_decode(judge, library):
    """Every code under every scale but 00 and FF, which it takes for 0 and Inf (SF12)."""
    for name, (dtype, _, per_byte) in FORMATS.items():
        bits = 8 if per_byte == 1 else 4
        scales = np.repeat(np.arange(1, 255, dtype=np.uint8), (1 << bits) // 16)[:, None].repeat(1, axis=1)
        codes = np.tile(np.arange(1 << bits, dtype=np.uint8), 254).reshape(scales.size, 16)
        codes = np.concatenate([codes, codes], axis=1)
        packed = codes if per_byte == 1 else codes[:, ::2] | codes[:, 1::2] << 4
        data = torch.from_numpy(np.ascontiguousarray(packed)).view(dtype)
        back = mxfp.upcast_from_mxfp if judge.args.cuda else mxfp.upcast_from_mxfp_torch
        device = "cuda" if judge.args.cuda else "cpu"
        theirs = back(data.to(device), torch.from_numpy(scales.copy()).to(device), torch.float32, 1).cpu()
        theirs = stimuli.one_nan(theirs.numpy().view(np.uint32), "fp32", sign="drop")
        ours = library.dequantize(codes ^ (1 if judge.args.wrong else 0), scales, name, "fp32")
        judge.same(f"{name} to fp32", codes, ours, theirs)


def main():
    surfaces = {"fp32": lambda *both: judge_blocks(*both, "fp32"), "bf16": lambda *both: judge_blocks(*both, "bf16"),
                "fp16": lambda *both: judge_blocks(*both, "fp16"), "maxima": judge_maxima, "decode": judge_decode}
    judge = Judge("triton_kernels", f"triton_kernels of vLLM, torch {torch.__version__}, profile {PROFILE}", surfaces,
                  {"--cuda": "the kernel on a GPU in place of its reference"})
    library = mxgold.Library()
    torch.set_num_threads(1)
    for surface, compare in surfaces.items():
        if judge.wants(surface):
            compare(judge, library)
    judge.finish()


if __name__ == "__main__":
    main()
