#!/usr/bin/env python3
"""mxgold against dmx-compressor 0.1.11 on the CPU, as values: the floats and the blocks of its profile, from binary32, bfloat16
and binary16 tensors, under every variant. MX_DMX names the folder of the package, which compiles its kernels when it is first
imported."""

import itertools
import pathlib
import sys
import warnings

import numpy as np

from judge import Judge, need
import mxgold
import stimuli

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "systems"))
import dmx_package  # noqa: E402

warnings.filterwarnings("ignore")
torch = need("torch")

PROFILE = "dmx-0.1.11/cpu"
# mxgold's format: exponent and stored significand bits
FLOATS = {"e4m3fin": (4, 3), "e5m2fin": (5, 2), "e2m3fn": (2, 3), "e3m2fn": (3, 2), "e2m1fn": (2, 1), "e5m10fin": (5, 10)}
# mxgold's block format: dmx's, but for the rounding letter
INTEGERS = {f"bfp{bits + 8}_{size}": f"BFP[{bits}|8]{{{size}}}(S%s)"
            for bits, sizes in ((16, (64, 32, 16)), *((bits, (128, 64, 32, 16)) for bits in (8, 6, 4))) for size in sizes}
INTEGERS |= {f"mxint{bits}": f"MXINT{bits}{{32}}" for bits in (8, 6, 4)}
MXFP = {"mxfp8_e4m3": (4, 3), "mxfp8_e5m2": (5, 2), "mxfp6_e3m2": (3, 2), "mxfp6_e2m3": (2, 3), "mxfp4": (2, 1)}
# mxgold's source: torch's type, that of its words, the pattern of infinity
SOURCES = {"fp32": (torch.float32, np.int32, 0x7F800000), "bf16": (torch.bfloat16, np.int16, 0x7F80),
           "fp16": (torch.float16, np.int16, 0x7C00)}


def tensor_of(words, source):
    dtype, signed, _ = SOURCES[source]
    return torch.from_numpy(words.view(signed).copy()).view(dtype)


def values_of(words, source):
    return tensor_of(words, source).double().numpy()


def patterns_of(tensor):
    return tensor.float().contiguous().view(torch.int32).numpy().view(np.uint32)


def is_fine(values, bits):
    """Numbers below 1 that are no multiples of 2^-bits."""
    with np.errstate(all="ignore"):
        steps = np.abs(values) * 2.0**bits
        return (steps < 2.0**bits) & (steps != np.floor(steps))


def open_inputs(words, source, name):
    """The profile's masks of single values: NaN with a payload, every NaN of a binary16 tensor, which torch widens by where
    it stands, what an addition in binary32 rounds first; NaN and Inf where a binary16 tensor passes through."""
    _, _, infinity = SOURCES[source]
    magnitudes = words & words.dtype.type(0x7FFFFFFF if source == "fp32" else 0x7FFF)
    if name == "e5m10fin" and source == "fp16":
        return magnitudes >= infinity
    nan = magnitudes > infinity
    if source != "fp16":
        nan &= magnitudes != (0x7FC00000 if source == "fp32" else 0x7FC0)
    smallest_normal = 2.0 ** (2 - (1 << (FLOATS[name][0] - 1)))
    with np.errstate(all="ignore"):
        return is_fine(values_of(words, source) / smallest_normal, 23) | nan


def is_rounded(source, name, flush):
    """Does the tensor have numbers between those of the format?"""
    return name != "e5m10fin" or source == "fp32" or source == "bf16" and not flush


def inputs_of(judge, source):
    if source != "fp32":
        return stimuli.all_16_bit()
    bf16 = stimuli.all_16_bit().astype(np.uint32) << np.uint32(16)
    return np.concatenate([bf16, stimuli.structured("fp32", judge.args.seed, 400_000)])


def judge_elements(judge, library, package):
    for source, (name, (exponent, mantissa)), flush in itertools.product(SOURCES, FLOATS.items(), (False, True)):
        words = inputs_of(judge, source)
        compared = words[~open_inputs(words, source, name)]
        bias = (1 << (exponent - 1)) - 1
        theirs = package.from_shorthand(f"FP[1|{exponent}|{mantissa},{bias}]({'F' if flush else '_'}N)").cast(
            tensor_of(compared, source))
        codes = library.convert(compared, source, name, profile=PROFILE, variant="flush" if flush else "",
                                rounding=judge.wrong_rounding("ties_to_even"))
        judge.same(f"{source} to {name}{' flushed' if flush else ''}", compared, library.convert(codes, name, "fp32"),
                   patterns_of(theirs), sees_wrong=is_rounded(source, name, flush))
        print(f"    {words.size - compared.size} of {words.size} are not compared, which the profile leaves open")


def judge_stochastic(judge, library, package, generator):
    """The kernels draw a word for each value in the order of memory, but for those that are flushed."""
    for source, (name, (exponent, mantissa)), flush in itertools.product(SOURCES, FLOATS.items(), (False, True)):
        words = inputs_of(judge, source)
        compared = words[~open_inputs(words, source, name)]
        bias = (1 << (exponent - 1)) - 1
        drawn = generator.seed(judge.args.seed, compared.size)
        flushed = flush & (np.abs(values_of(compared, source)) < 2.0 ** (1 - bias))
        random = np.zeros(compared.size, dtype=np.uint32)
        random[~flushed] = drawn[: (~flushed).sum()] & np.uint32((1 << (23 - mantissa)) - 1)
        if judge.args.wrong:
            random = random[::-1]
        theirs = package.from_shorthand(f"FP[1|{exponent}|{mantissa},{bias}]({'F' if flush else '_'}S)").cast(
            tensor_of(compared, source))
        codes = library.convert(compared, source, name, random=random, profile=PROFILE,
                                variant="stochastic+flush" if flush else "stochastic")
        judge.same(f"{source} to {name} stochastic{' flushed' if flush else ''}", compared,
                   library.convert(codes, name, "fp32"), patterns_of(theirs),
                   sees_wrong=is_rounded(source, name, flush))
        print(f"    {words.size - compared.size} of {words.size} are not compared, which the profile leaves open")


def blocks_of(judge, source, size):
    """Random and tie-rich blocks, maxima of every exponent and next to powers of two, subnormals, zeros, Inf and NaN; of
    16-bit tensors one block for every number as its maximum."""
    generator = np.random.Generator(np.random.Philox(judge.args.seed))
    count = 100_000 // size
    _, _, infinity = SOURCES[source]
    if source == "fp32":
        tops = np.array([(exponent << 23) + step for exponent in range(1, 255) for step in (-1, 0, 1, 0x400000, 0x7C0000)],
                        dtype=np.uint32)
        others = stimuli.random_blocks(generator, tops.size, size)
    else:
        tops = np.arange(1 if size < 64 else 7, infinity, 1 if size < 32 else 3 if size < 64 else 7, dtype=np.uint16)
        others = generator.integers(0, 1 << 16, size=(tops.size, size), dtype=np.uint16)
        near = tops[:, None].astype(np.int64) - generator.integers(0, 0x600, size=others.shape)
        others = np.where(np.arange(tops.size)[:, None] % 4 > 0, np.maximum(near, 0).astype(np.uint16) | (others & 0x8000),
                          others)
        coarse = np.uint16(0xFFE0 if source == "bf16" else 0xFF00)  # ties
        others = np.where(np.arange(tops.size)[:, None] % 4 == 3, others & coarse, others)
    sign = others.dtype.type(0x80000000 if source == "fp32" else 0x8000)
    directed = np.minimum(others & ~sign, tops[:, None]) | (others & sign)
    directed[:, 1] = tops
    if source == "fp32":
        directed = np.concatenate([directed, stimuli.random_blocks(generator, count, size)])
    special = directed[generator.integers(0, directed.shape[0], size=64)].copy()
    special[:16] &= sign
    special[16:32, 0] = infinity
    special[32:48, 2] = infinity + 1
    special[48:, :] &= sign | sign.dtype.type((1 << {"fp32": 23, "bf16": 7, "fp16": 10}[source]) - 1)
    return np.concatenate([directed, special])


def compare_blocks(judge, library, package, source, name, text, blocks, open_blocks, open_lanes, variant="", wrong=None):
    """`open_blocks` says of largest magnitudes, `open_lanes` of scaled elements what the profile leaves open."""
    options = {"profile": PROFILE, "variant": variant}
    if judge.args.wrong:
        options["rounding"] = wrong
    codes, scales = library.quantize(blocks, source, name, **options)
    ours = library.dequantize(codes, scales, name, "fp32", **options)
    theirs = patterns_of(package.from_shorthand(text).cast(tensor_of(blocks, source), -1))
    values = values_of(blocks, source)
    amax = np.abs(values).max(axis=1)
    scale = 2.0 ** (scales.astype(np.float64) - 127)
    with np.errstate(all="ignore"):
        masked = open_blocks(amax)[:, None] | open_lanes(values / scale)
    compared = ~masked
    judge.same(f"{source} {name}{' ' + variant if variant else ''}", blocks[compared], ours[compared], theirs[compared])
    print(f"    {masked.sum()} of {masked.size} elements are not compared, which the profile leaves open")


def judge_blocks(judge, library, package):
    for source in SOURCES:
        made = {size: blocks_of(judge, source, size) for size in (16, 32, 64, 128)}
        for name, text in INTEGERS.items():
            size = int(text.split("{")[1].split("}")[0])
            for variant, letter, wrong in (("", "N", "toward_zero"), ("down", "D", "ties_to_even")):
                if variant and name.startswith("mxint"):
                    continue
                compare_blocks(judge, library, package, source, name, text % letter if "%" in text else text, made[size],
                               lambda amax: ~(amax < 2.0**126) | (amax > 0) & (amax < 2.0**-126),
                               lambda y: y * 2.0**21 != np.floor(y * 2.0**21), variant, wrong)
        for name, (exponent, mantissa) in MXFP.items():
            top = 2.0 ** (1 << (exponent - 1))
            normal = 2.0 ** (2 - (1 << (exponent - 1)))
            compare_blocks(judge, library, package, source, name, f"MXFP{exponent + mantissa + 1}[E{exponent}M{mantissa}]{{32}}",
                           made[32], lambda amax: ~(amax < 2.0**126) | (amax < top * 2.0**-127),
                           lambda y: is_fine(y / normal, 23), "", "toward_zero")
    print("  not compared: SBFP, fixed point, blocks of one element and asymmetric blocks, which the profile does not model")


def main():
    judge = Judge("dmx", f"dmx-compressor 0.1.11, torch {torch.__version__}", ("elements", "stochastic", "blocks"))
    library = mxgold.Library()
    torch.set_num_threads(1)
    package, _, kernels = dmx_package.load()
    if judge.wants("elements"):
        judge_elements(judge, library, package.Format)
    if judge.wants("stochastic"):
        judge_stochastic(judge, library, package.Format, dmx_package.Generator(kernels.quant_cpu))
    if judge.wants("blocks"):
        judge_blocks(judge, library, package.Format)
    judge.finish()


if __name__ == "__main__":
    main()
