#!/usr/bin/env python3
"""mxgold against microxcaling's Python path on binary32 tensors: element-wise and block quantization, as values. The
package is a checkout: MX_MICROXCALING names it."""

import os
import sys

import numpy as np

from judge import Judge, need
import mxgold
import stimuli

torch = need("torch")
sys.path.insert(0, os.environ.get("MX_MICROXCALING") or os.environ.get("MX_MICROXCALING_DEFAULT", ""))
mx_ops, elemwise = need("mx.mx_ops", "mx.elemwise_ops")

PROFILE = "microxcaling-1.1.0/py-f32"
# microxcaling's name: mxgold's element format and block format
FORMATS = {
    "fp8_e5m2": ("e5m2", "mxfp8_e5m2"),
    "fp8_e4m3": ("e4m3fn", "mxfp8_e4m3"),
    "fp6_e3m2": ("e3m2fn", "mxfp6_e3m2"),
    "fp6_e2m3": ("e2m3fn", "mxfp6_e2m3"),
    "fp4_e2m1": ("e2m1fn", "mxfp4"),
    "int8": ("int8", "mxint8"),
    "int4": ("int4", "mxint4"),
}
# microxcaling's rounding: variant of the profile, a wrong rounding
ROUNDINGS = {"nearest": ("", "ties_to_zero"), "even": ("even", "ties_to_away"), "floor": ("floor", "ties_to_even")}


def tensor_of(patterns):
    return torch.from_numpy(patterns.view(np.int32)).view(torch.float32)


def patterns_of(tensor, element):
    """With one NaN; the integers have one zero, so the sign of theirs has no code."""
    patterns = stimuli.one_nan(tensor.contiguous().view(torch.int32).numpy().view(np.uint32), "fp32", sign="drop")
    return np.where((patterns == 0x80000000) & element.startswith("int"), np.uint32(0), patterns)


def below_half(library, element):
    """The pattern just below half of the smallest positive element: adding one half lifts it to 1."""
    smallest = library.convert(np.array([1]), element, "fp32")[0]
    half = np.array([smallest], dtype=np.uint32).view(np.float32) / 2
    return np.nextafter(half, np.float32(0)).view(np.uint32)[0]


def slips(magnitudes):
    """Within 44 ulp below a power of two: where a binary32 log2 may round up."""
    return (magnitudes & 0x7FFFFF) > 0x7FFFFF - 44


def options_of(judge, mode):
    variant, wrong = ROUNDINGS[mode]
    options = {"profile": PROFILE, "variant": variant}
    return {**options, "rounding": wrong} if judge.args.wrong else options


def judge_elements(judge, library):
    bf16 = stimuli.all_16_bit().astype(np.uint32) << np.uint32(16)
    inputs = np.concatenate([bf16, stimuli.structured("fp32", judge.args.seed, 2_000_000)])
    magnitudes = inputs & 0x7FFFFFFF
    # The profile's masks: NaN and Inf have no code in most formats, and the largest values read as 2^128.
    inputs = inputs[(magnitudes < 0x7F800000 - 44)]
    magnitudes = inputs & 0x7FFFFFFF
    for name, (element, _) in FORMATS.items():
        for mode in ROUNDINGS:
            compared = magnitudes != below_half(library, element)
            if mode == "floor":
                compared &= ~slips(magnitudes)
            chosen = inputs[compared]
            theirs = patterns_of(elemwise._quantize_elemwise(tensor_of(chosen), name, round=mode,
                                                             saturate_normals=True), element)
            codes = library.convert(chosen, "fp32", element, **options_of(judge, mode))
            judge.same(f"fp32 to {name} {mode}", chosen, library.convert(codes, element, "fp32"), theirs)


def judge_blocks(judge, library):
    generator = np.random.Generator(np.random.Philox(judge.args.seed))
    tops = [(exponent << 23) + step for exponent in range(1, 255) for step in (-44, -2, -1, 0, 1, 0x400000)]
    tops = np.array([*tops, 0, 1, 0x00400000, 0x7F7FFFFF, 0x7F800000, 0x7FC00000], dtype=np.uint32)
    directed = np.minimum(stimuli.random_blocks(generator, tops.size, 32) & 0x7FFFFFFF, tops[:, None])
    directed[:, 3] = tops
    blocks = np.concatenate([directed | generator.integers(0, 2, size=directed.shape, dtype=np.uint32) << 31,
                             stimuli.random_blocks(generator, 20_000, 32)])
    for name, (element, block_format) in FORMATS.items():
        for mode in ROUNDINGS:
            options = options_of(judge, mode)
            codes, scales = library.quantize(blocks, "fp32", block_format, **options)
            ours = library.dequantize(codes, scales, block_format, "fp32", **options)
            theirs = patterns_of(mx_ops._quantize_mx(tensor_of(blocks), 8, name, axes=[-1], block_size=32, round=mode),
                                 element)
            with np.errstate(all="ignore"):
                scaled = (np.abs(blocks.view(np.float32).astype(np.float64)) * 2.0**(127.0 - scales)).astype(np.float32)
            compared = scaled.view(np.uint32) != below_half(library, element)
            if mode == "floor":
                compared &= ~slips(scaled.view(np.uint32))
            judge.same(f"{name} blocks {mode}", blocks[compared], ours[compared], theirs[compared])


def main():
    judge = Judge("microxcaling", f"microxcaling 1.1.0, torch {torch.__version__}", ("elements", "blocks"))
    library = mxgold.Library()
    torch.set_num_threads(1)
    if judge.wants("elements"):
        judge_elements(judge, library)
    if judge.wants("blocks"):
        judge_blocks(judge, library)
    judge.finish()


if __name__ == "__main__":
    main()
