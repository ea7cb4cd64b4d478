#!/usr/bin/env python3
"""mxgold against microxcaling's Python path on binary32, bfloat16 and binary16 tensors: element-wise and block quantization
under every variant of its profiles, as values. The package is a checkout: MX_MICROXCALING names it."""

import itertools
import os
import sys

import numpy as np

from judge import Judge, need
import mxgold
import stimuli

torch = need("torch")
sys.path.insert(0, os.environ.get("MX_MICROXCALING") or os.environ.get("MX_MICROXCALING_DEFAULT", ""))
mx_ops, elemwise = need("mx.mx_ops", "mx.elemwise_ops")

# microxcaling's name: mxgold's element format and block format
FORMATS = {
    "fp8_e5m2": ("e5m2", "mxfp8_e5m2"),
    "fp8_e4m3": ("e4m3fn", "mxfp8_e4m3"),
    "fp6_e3m2": ("e3m2fn", "mxfp6_e3m2"),
    "fp6_e2m3": ("e2m3fn", "mxfp6_e2m3"),
    "fp4_e2m1": ("e2m1fn", "mxfp4"),
    "int8": ("int8", "mxint8"),
    "int4": ("int4", "mxint4"),
    "int2": ("int2", None),
    "float16": ("fp16", None),
    "bfloat16": ("bf16", None),
}
HAS_INF = ("e5m2", "fp16", "bf16")
# microxcaling's rounding: variant of the profile, a wrong rounding
ROUNDINGS = {"nearest": ("", "ties_to_zero"), "even": ("even", "ties_to_away"), "floor": ("floor", "ties_to_even")}
# mxgold's source: the profile, torch's type, that of its words, the pattern of infinity
SOURCES = {"fp32": ("microxcaling-1.1.0/py-f32", torch.float32, np.int32, 0x7F800000),
           "bf16": ("microxcaling-1.1.0/py-bf16", torch.bfloat16, np.int16, 0x7F80),
           "fp16": ("microxcaling-1.1.0/py-f16", torch.float16, np.int16, 0x7C00)}


def tensor_of(patterns, source="fp32"):
    _, dtype, signed, _ = SOURCES[source]
    return torch.from_numpy(patterns.view(signed)).view(dtype)


def patterns_of(tensor, element):
    """As binary32 with one NaN; the integers have one zero, so the sign of theirs has no code."""
    patterns = tensor.float().contiguous().view(torch.int32).numpy().view(np.uint32)
    patterns = stimuli.one_nan(patterns, "fp32", sign="drop")
    return np.where((patterns == 0x80000000) & element.startswith("int"), np.uint32(0), patterns)


def values_of(library, codes, element):
    return library.convert(codes, element, "fp32", overflow="sat_finite_keep_inf")


def below_half(library, element, source):
    """The pattern of the source just below half of the smallest positive element: adding one half lifts it to 1."""
    smallest = library.convert(np.array([1]), element, "fp64")
    half = (smallest.astype("<u8").view(np.float64) / 2).view(np.uint64)
    return int(library.convert(half, "fp64", source)[0]) - 1


def slips(patterns, source):
    """Numbers whose log2, rounded to the source's type, is rounded up to an integer."""
    _, dtype, _, _ = SOURCES[source]
    values = tensor_of(patterns, source).double().abs()
    exponents = torch.frexp(values)[1] - 1
    with np.errstate(all="ignore"):
        rounded = torch.from_numpy(np.log2(values.numpy())).to(dtype).double()
    return ((values > 0) & torch.isfinite(values) & (torch.floor(rounded) > exponents)).numpy()


def open_inputs(library, element, source, patterns, floor):
    """What the profile masks of single values."""
    _, _, _, infinity = SOURCES[source]
    magnitudes = patterns & patterns.dtype.type(0x7FFFFFFF if source == "fp32" else 0x7FFF)
    nan = magnitudes > infinity
    masked = nan & (patterns != magnitudes) if element == "e4m3fn" else nan
    if element not in HAS_INF:
        masked = masked | (magnitudes == infinity)
    slip = slips(patterns, source)
    top = np.array([1 << 127 if source != "fp16" else 1 << 15], dtype=np.float64)
    huge = tensor_of(patterns, source).double().abs().numpy() >= top
    masked = masked | (magnitudes == below_half(library, element, source)) | (slip & huge)
    if floor:
        masked = masked | slip
        if element in HAS_INF:
            largest = library.convert(np.array([0x7FEFFFFFFFFFFFFF], dtype=np.uint64), "fp64", element,
                                      overflow="sat_finite")
            most = library.convert(largest, element, "fp64").astype("<u8").view(np.float64)
            masked = masked | (tensor_of(patterns, source).double().abs().numpy() > most)
    return masked


def options_of(judge, source, mode, *more):
    variant, wrong = ROUNDINGS[mode]
    options = {"profile": SOURCES[source][0], "variant": "+".join(part for part in (variant, *more) if part)}
    return {**options, "rounding": wrong} if judge.args.wrong else options


def judge_elements(judge, library, source="fp32"):
    if source == "fp32":
        bf16 = stimuli.all_16_bit().astype(np.uint32) << np.uint32(16)
        inputs = np.concatenate([bf16, stimuli.structured("fp32", judge.args.seed, 400_000)])
    else:
        inputs = stimuli.all_16_bit()
    for name, (element, _) in FORMATS.items():
        if source != "fp32" and element in ("fp16", "bf16"):
            continue
        for mode in ROUNDINGS:
            chosen = inputs[~open_inputs(library, element, source, inputs, mode == "floor")]
            for saturates, denormals in itertools.product((True, False), repeat=2):
                # Integers saturate and keep subnormals whatever is asked; formats without Inf have no code for it.
                if not saturates and element not in HAS_INF or not denormals and element.startswith("int"):
                    continue
                theirs = patterns_of(elemwise._quantize_elemwise(tensor_of(chosen, source), name, round=mode,
                                                                 saturate_normals=saturates, allow_denorm=denormals),
                                     element)
                more = ("" if saturates else "nosat", "" if denormals else "no_denorm")
                codes = library.convert(chosen, source, element, **options_of(judge, source, mode, *more))
                judge.same(" ".join(filter(None, (source, "to", name, mode, *more))), chosen,
                           values_of(library, codes, element), theirs)
            print(f"    {inputs.size - chosen.size} of {inputs.size} are not compared, which the profile leaves open")
    if source != "fp32":
        print("  not compared: float16, bfloat16 and blocks, which the profile does not model")


def judge_blocks(judge, library):
    generator = np.random.Generator(np.random.Philox(judge.args.seed))
    tops = [(exponent << 23) + step for exponent in range(1, 255) for step in (-44, -2, -1, 0, 1, 0x400000)]
    tops = np.array([*tops, 0, 1, 0x00400000, 0x7F7FFFFF, 0x7F800000, 0x7FC00000], dtype=np.uint32)
    directed = np.minimum(stimuli.random_blocks(generator, tops.size, 32) & 0x7FFFFFFF, tops[:, None])
    directed[:, 3] = tops
    blocks = np.concatenate([directed | generator.integers(0, 2, size=directed.shape, dtype=np.uint32) << 31,
                             stimuli.random_blocks(generator, 12_000, 32)])
    for (name, (element, block_format)), mode, flush in itertools.product(FORMATS.items(), ROUNDINGS, (False, True)):
        if block_format is None:
            continue
        options = options_of(judge, "fp32", mode, "flush_fp32_subnorms" if flush else "")
        codes, scales = library.quantize(blocks, "fp32", block_format, **options)
        ours = library.dequantize(codes, scales, block_format, "fp32", **options)
        theirs = patterns_of(mx_ops._quantize_mx(tensor_of(blocks), 8, name, axes=[-1], block_size=32, round=mode,
                                                 flush_fp32_subnorms=flush), element)
        with np.errstate(all="ignore"):
            scaled = (np.abs(blocks.view(np.float32).astype(np.float64)) * 2.0**(127.0 - scales)).astype(np.float32)
        compared = scaled.view(np.uint32) != below_half(library, element, "fp32")
        if mode == "floor":  # within 44 ulp below a power of two
            compared &= (scaled.view(np.uint32) & 0x7FFFFF) <= 0x7FFFFF - 44
        judge.same(f"{name} blocks {mode}{' flushed' if flush else ''}", blocks[compared], ours[compared],
                   theirs[compared])
        print(f"    {compared.size - compared.sum()} elements are not compared, which the profile leaves open")


SURFACES = {"elements": judge_elements, "blocks": judge_blocks,
            "bf16": lambda judge, library: judge_elements(judge, library, "bf16"),
            "fp16": lambda judge, library: judge_elements(judge, library, "fp16")}


def main():
    judge = Judge("microxcaling", f"microxcaling 1.1.0, torch {torch.__version__}", tuple(SURFACES))
    library = mxgold.Library()
    torch.set_num_threads(1)
    for name, surface in SURFACES.items():
        if judge.wants(name):
            surface(judge, library)
    judge.finish()


if __name__ == "__main__":
    main()
