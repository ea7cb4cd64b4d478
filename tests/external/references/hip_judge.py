#!/usr/bin/env python3
"""mxgold against the host functions of AMD's HIP headers, compiled by g++ (or $CXX) from a checkout or folder that MX_HIP
names: amd_hip_ocp_host.hpp (e4m3fn, e5m2, e2m3fn, e3m2fn, e2m1fn from fp32, fp16, bf16, to nearest and stochastic, under
scales, packed, and back) and amd_hip_fp8.h (the FNUZ formats, and e4m3fn and e5m2). One of the two files is enough; what
they include is stood in for by hip_functions.hpp."""

import tempfile
from pathlib import Path

import numpy as np

from hip_functions import FP8, TYPES, Hip, compiled, file_of, skip, words
from judge import Judge
import mxgold
import stimuli

SURFACES = {"nearest": "ocp", "stochastic": "ocp", "scaled": "ocp", "packed": "ocp", "decode": "ocp", "fp8": "fp8",
            "fp8_decode": "fp8"}

EXPLICIT = {"fp32": 23, "fp16": 10, "bf16": 7}  # significand bits
# Encodings with a scale, those without, and their significand bits.
SCALED = {"e2m1fn": 0, "e2m3fn": 1, "e3m2fn": 2, "e4m3fn": 3, "e5m2": 4}
UNSCALED = {"e4m3fn": 5, "e5m2": 6}
BITS = {"e2m1fn": 1, "e2m3fn": 3, "e3m2fn": 2, "e4m3fn": 3, "e5m2": 2}
# The code that a positive NaN becomes, and the sign.
NAN = {"e2m1fn": 0x7, "e2m3fn": 0x1F, "e3m2fn": 0x1F, "e4m3fn": 0x7F, "e5m2": 0x7E}
SIGN = {"e2m1fn": 0x8, "e2m3fn": 0x20, "e3m2fn": 0x20, "e4m3fn": 0x80, "e5m2": 0x80}
# Below these powers of two the shifts of amd_hip_fp8.h from fp32 reach 64 bits, which C++ leaves undefined.
DEFINED_FROM = {"e4m3fn": -49, "e5m2": -56, "e4m3fnuz": -50, "e5m2fnuz": -57}


def not_compared(what, left, why):
    print(f"  {what}: {np.count_nonzero(left)} not compared, {why}")


def inputs_of(source, judge):
    """Every pattern of 16 bits; of fp32 thresholds with their neighbours, every exponent, and random ones."""
    if source == "fp32":
        return stimuli.structured("fp32", judge.args.seed, 300_000)
    return stimuli.all_16_bit()


def fp64_of(patterns, source):
    """The same numbers as fp64 patterns."""
    patterns = words(patterns)
    if source == "fp16":
        values = patterns.astype(np.uint16).view(np.float16)
    else:
        values = (patterns << (16 if source == "bf16" else 0)).astype(np.uint32).view(np.float32)
    with np.errstate(invalid="ignore"):
        return values.astype(np.float64)


def fp32_of(patterns, source):
    """The same numbers as fp32 patterns."""
    if source == "fp16":
        return words(patterns.view(np.float16).astype(np.float32).view(np.uint32))
    return words(patterns) << np.uint32(16 if source == "bf16" else 0)


def certain(patterns, source):
    """Which inputs the OCP header reads whole: where it looks for a zero of 16 bits it compares 32, of which it set 16."""
    return np.ones(patterns.size, bool) if source == "fp32" else (patterns & 0x7FFF) != 0


def encodings_of(name, source, patterns):
    """Encodings to compare, and which inputs: without a scale, the header takes fp16 subnormals for normal numbers."""
    kept = certain(patterns, source)
    yield "", SCALED[name], kept
    if name in UNSCALED:
        small = (patterns & 0x7C00) == 0 if source == "fp16" else np.zeros(patterns.size, bool)
        yield " unscaled", UNSCALED[name], kept & ~small


def say_uncertain(source):
    if source != "fp32":
        print(f"  {source}: zeros not compared: the header compares 32 bits with zero, of which it set 16")


def say_subnormal(what, left, differ):
    if left.any():
        not_compared(what, left, f"subnormal inputs, which it takes for normal numbers: {np.count_nonzero(left & differ)} differ")


def judge_nearest(judge, library, hip):
    """Under `saturating` e5m2 saturates, and e4m3fn, whose Inf is NaN in the header, does not."""
    for source in TYPES:
        patterns = inputs_of(source, judge)
        say_uncertain(source)
        rounding = {"rounding": judge.wrong_rounding("ties_to_even")}
        for name in SCALED:
            for saturating in (0, 1):
                variant = "fp16_ovfl" if saturating and name == "e5m2" else ""
                ours = library.convert(patterns, source, name, **profile_of("amd-gfx950-host", variant), **rounding)
                for how, encoding, kept in encodings_of(name, source, patterns):
                    theirs = hip.ocp(source, encoding, 0, saturating, patterns)
                    what = f"{source} to {name}{how}{' sat' if saturating else ''}"
                    say_subnormal(what, certain(patterns, source) & ~kept, ours != theirs)
                    judge.same(what, patterns[kept], ours[kept], theirs[kept])


def profile_of(name, variant):
    return {"profile": name, "variant": variant} if variant else {"profile": name}


def seeds_of(generator, count):
    """Random words, of which every tenth is zero and every tenth all ones."""
    seeds = generator.integers(0, 1 << 32, size=count, dtype=np.uint32)
    seeds[::10], seeds[5::10] = 0, 0xFFFFFFFF
    return seeds


def judge_stochastic(judge, library, hip):
    generator = np.random.Generator(np.random.Philox(judge.args.seed + 1))
    for source, explicit in EXPLICIT.items():
        patterns = inputs_of(source, judge)
        patterns = patterns if source == "fp32" else np.tile(patterns, 4)
        say_uncertain(source)
        seeds = seeds_of(generator, patterns.size)
        for name in SCALED:
            bits = explicit - BITS[name]
            # --wrong: the word's other end
            draws = seeds & np.uint32((1 << bits) - 1) if judge.args.wrong else seeds >> np.uint32(32 - bits)
            for saturating in (0, 1):
                variant = "sr+fp16_ovfl" if saturating and name == "e5m2" else "sr"
                ours = library.convert(patterns, source, name, random=draws, **profile_of("amd-gfx950-host", variant))
                for how, encoding, kept in encodings_of(name, source, patterns):
                    theirs = hip.ocp(source, encoding, 0, saturating, patterns, seeds)
                    what = f"{source} to {name}{how} {'sr sat' if saturating else 'sr'}"
                    say_subnormal(what, certain(patterns, source) & ~kept, ours != theirs)
                    judge.same(what, patterns[kept], ours[kept], theirs[kept])


def judge_scaled(judge, library, hip):
    """Every scale: the input over the power of two is exact in fp64, which is what mxgold is given."""
    generator = np.random.Generator(np.random.Philox(judge.args.seed + 2))
    every_scale = np.arange(-128, 128, dtype=np.int64)
    for source, explicit in EXPLICIT.items():
        patterns = inputs_of(source, judge)
        patterns = generator.permutation(patterns)[: 400_000 if source == "fp32" else 65_536]
        patterns = np.tile(patterns, 1 if source == "fp32" else 4)
        scales = generator.permutation(np.resize(every_scale, patterns.size))
        seeds = seeds_of(generator, patterns.size)
        say_uncertain(source)
        kept = certain(patterns, source)
        values = fp64_of(patterns, source)
        with np.errstate(invalid="ignore"):
            scaled = np.ldexp(values, (-scales).astype(np.int32)).view(np.uint64)
        for name in SCALED:
            policy = {"overflow": "none_inf_or_nan", "nan": "keep_sign"}
            bits = explicit - BITS[name]
            for how, extra, draws, given in (
                    ("", {"rounding": judge.wrong_rounding("ties_to_even")}, None, None),
                    (" sr", {"rounding": "stochastic_a", "random_bits": bits}, seeds >> np.uint32(32 - bits), seeds)):
                if judge.args.wrong and draws is not None:
                    draws = seeds & np.uint32((1 << bits) - 1)
                ours = library.convert(scaled, "fp64", name, random=draws, **policy, **extra)
                # Scale -128 is NaN.
                ours = np.where((scales == -128) | np.isnan(values), NAN[name] | np.signbit(values) * SIGN[name], ours)
                theirs = hip.ocp(source, SCALED[name], 0, 0, patterns, given, scales)
                judge.same(f"{source} to {name} scaled{how}", patterns[kept], ours[kept], theirs[kept])


def judge_packed(judge, library, hip):
    """Blocks of 32 to 24 bytes, the first element in the lowest bits; one random word for a block."""
    generator = np.random.Generator(np.random.Philox(judge.args.seed + 3))
    blocks = stimuli.random_blocks(generator, 4096, 32)
    scales = (((blocks & 0x7F800000) >> 23).max(axis=1).astype(np.int64) - 127 - 2).clip(-127, 127).astype(np.int8)
    scaled = np.ldexp(blocks.view(np.float32).astype(np.float64), -scales.astype(np.int32)[:, None]).view(np.uint64)
    seeds = seeds_of(generator, len(blocks))
    for name in ("e2m3fn", "e3m2fn"):
        for given in (None, seeds):
            bits = 23 - BITS[name]
            draws = None if given is None else np.repeat(seeds >> np.uint32(32 - bits), 32).reshape(blocks.shape)
            policy = {"rounding": judge.wrong_rounding("ties_to_even")} if given is None else \
                {"rounding": "toward_zero" if judge.args.wrong else "stochastic_a", "random_bits": bits}
            codes = library.convert(scaled, "fp64", name, random=draws, **policy).astype(np.uint8)
            bits_of = np.unpackbits(codes[:, :, None], axis=2, bitorder="little")[:, :, :6]
            ours = np.packbits(bits_of.reshape(len(blocks), -1), axis=1, bitorder="little")
            theirs = hip.packed(SCALED[name], blocks, scales, given)
            judge.same(f"{name} packed{'' if given is None else ' sr'}", blocks[:, :24], ours, theirs)


def judge_decode(judge, library, hip):
    """Every code under every scale; scale -128 is NaN. To fp16 and bf16, NaN, Inf and zeros are not compared."""
    for name in SCALED:
        codes = np.arange(2 * SIGN[name])
        grid, scales = (part.reshape(-1) for part in np.meshgrid(codes, np.arange(-128, 128)))
        values = library.convert(grid, name, "fp64").view(np.float64)
        for kind in TYPES:
            with np.errstate(invalid="ignore", over="ignore"):
                exact = np.where(scales == -128, np.copysign(np.nan, values), np.ldexp(values, scales.astype(np.int32)))
            ours = words(library.convert(exact.view(np.uint64), "fp64", kind, overflow="none_inf_or_nan", nan="keep_sign"))
            theirs = hip.ocp(kind, SCALED[name], 1, 0, grid, scales=scales)
            numbers = np.isfinite(fp64_of(ours, kind)) & (fp64_of(ours, kind) != 0)
            if kind == "fp32":
                ours, theirs = (np.where(np.isnan(words(side).view(np.float32)), 0x7FC00000, side) for side in (ours, theirs))
                numbers[:] = True
            else:
                not_compared(f"{name} to {kind}", ~numbers, "NaN, infinities and zeros, which it makes by casts")
            judge.same(f"{name} to {kind} under every scale, signs of NaN apart", grid[numbers],
                       ours[numbers] ^ np.uint32(1 if judge.args.wrong else 0), theirs[numbers])


def judge_fp8(judge, library, hip):
    # The header of @f9f995c saturates Inf and NaN too.
    older = hip.fp8("e4m3fnuz", 1, [0x7F800000])[0] == 0x7F
    print(f"  Inf to e4m3fnuz when saturating: {'7F, as @f9f995c: its variant is compared' if older else '80, as @a853242'}")
    for source in TYPES:
        patterns = inputs_of(source, judge)
        exact = fp32_of(patterns, source)
        magnitude = np.abs(fp64_of(patterns, source))
        for name in FP8:
            defined = ~((magnitude > 0) & (magnitude < 2.0 ** DEFINED_FROM[name]))
            if not defined.all():
                numbers = hip.fp8(name, 1, exact)[~defined] & 0x7F
                not_compared(f"{source} to {name}", ~defined, f"inputs below 2^{DEFINED_FROM[name]}, where its shifts are "
                             f"undefined: {np.count_nonzero(numbers)} of them became no zero")
            for variant, saturating in (("", 1), ("nosat", 0)):
                chosen = "+".join(filter(None, (variant, "f9f995c" if older and not variant else "")))
                ours = library.convert(patterns, source, name, **profile_of("amd-gfx942-host", chosen),
                                       rounding=judge.wrong_rounding("ties_to_even"))
                theirs = hip.fp8(name, saturating, exact)
                kept = defined
                if variant:
                    kept = defined & ~(np.isfinite(magnitude) & (magnitude > largest(library, name)))
                    not_compared(f"{source} to {name} nosat", defined & ~kept, "finite values above the largest, which it calls "
                                 "overflow before it rounds")
                judge.same(f"{source} to {name} {variant or 'saturating'}", patterns[kept], ours[kept], theirs[kept])
                if source == "fp16":
                    theirs = hip.fp8(name, saturating, patterns, "hip_fp8_from_fp16")
                    judge.same(f"fp16 to {name} {variant or 'saturating'}, by the function of that type", patterns[kept],
                               ours[kept], theirs[kept])


def largest(library, name):
    values = library.convert(np.arange(256), name, "fp64", overflow="none_inf_or_nan").view(np.float64)
    return values[np.isfinite(values)].max()


def judge_fp8_decode(judge, library, hip):
    for name in FP8:
        for kind in ("fp32", "fp16"):
            ours = words(library.convert(np.arange(256), name, kind, overflow="none_inf_or_nan"))
            theirs = hip.fp8_back(kind, name)
            infinity, sign = (0x7F800000, 0x7FFFFFFF) if kind == "fp32" else (0x7C00, 0x7FFF)
            ours, theirs = (np.where((side & sign) > infinity, infinity + 1, side) for side in (ours, theirs))
            judge.same(f"{name} to {kind}, signs and payloads of NaN apart", np.arange(256),
                       ours ^ (1 if judge.args.wrong else 0), theirs)


def main():
    headers = {"ocp": file_of("amd_hip_ocp_host.hpp"), "fp8": file_of("amd_hip_fp8.h")}
    judge = Judge("hip", ", ".join(str(path.name) for path in headers.values() if path) or "no header", SURFACES)
    library = mxgold.Library()
    wanted = [surface for surface in SURFACES if judge.wants(surface)]
    if not any(headers[SURFACES[surface]] for surface in wanted):
        skip(f"{' and '.join(sorted({SURFACES[s] for s in wanted}))}: no such header")
    for header in ("ocp", "fp8"):
        surfaces = [surface for surface in wanted if SURFACES[surface] == header]
        if not surfaces:
            continue
        if not headers[header]:
            print(f"  not compared, its header is missing: {', '.join(surfaces)}")
            continue
        with tempfile.TemporaryDirectory() as folder:
            hip = Hip(compiled(Path(folder), header))
            for surface in surfaces:
                globals()[f"judge_{surface}"](judge, library, hip)
    judge.finish()


if __name__ == "__main__":
    main()
