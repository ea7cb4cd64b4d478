#!/usr/bin/env python3
"""mxgold against gfloat: decoding of every code of every format it describes, its rounding modes on all bf16 values,
its block formats."""

import numpy as np

from judge import Judge, need
import mxgold
import stimuli

gfloat, gfloat_formats = need("gfloat", "gfloat.formats")

# gfloat's description by mxgold's name; the P3109 family is added below.
FORMATS = {
    "e2m1fn": gfloat_formats.format_info_ocp_e2m1,
    "e2m3fn": gfloat_formats.format_info_ocp_e2m3,
    "e3m2fn": gfloat_formats.format_info_ocp_e3m2,
    "e4m3fn": gfloat_formats.format_info_ocp_e4m3,
    "e5m2": gfloat_formats.format_info_ocp_e5m2,
    "e8m0": gfloat_formats.format_info_ocp_e8m0,
    "int8": gfloat_formats.format_info_ocp_int8,
    "fp16": gfloat_formats.format_info_binary16,
    "bf16": gfloat_formats.format_info_bfloat16,
}
ROUNDINGS = {
    gfloat.RoundMode.TowardZero: "toward_zero",
    gfloat.RoundMode.TowardNegative: "toward_negative",
    gfloat.RoundMode.TowardPositive: "toward_positive",
    gfloat.RoundMode.TiesToEven: "ties_to_even",
    gfloat.RoundMode.TiesToAway: "ties_to_away",
    gfloat.RoundMode.Stochastic: "stochastic_c",
    gfloat.RoundMode.StochasticOdd: "stochastic_c_odd",
    gfloat.RoundMode.StochasticFast: "stochastic_b",
    gfloat.RoundMode.StochasticFastest: "stochastic_a",
}
RANDOM_BITS = 9
# Widest exponent field whose values binary64, gfloat's arithmetic, holds.
LARGEST_BIAS = 512


def p3109(widths):
    """The members of the family of the given widths that gfloat's binary64 arithmetic can hold, by name."""
    signed, unsigned = gfloat.types.Signedness.Signed, gfloat.types.Signedness.Unsigned
    finite, extended = gfloat.types.Domain.Finite, gfloat.types.Domain.Extended
    found = {}
    for k in widths:
        for p in range(1, k + 1):
            for signedness, s in ((signed, "s"), (unsigned, "u")):
                for domain, d in ((finite, "f"), (extended, "e")):
                    if (s == "s" and p == k) or 2.0 ** (k - p) > LARGEST_BIAS:
                        continue
                    found[f"binary{k}p{p}{s}{d}"] = gfloat_formats.format_info_p3109(k, p, signedness, domain)
    return found


def patterns(values):
    """binary64 patterns with one NaN."""
    return stimuli.one_nan(np.asarray(values, dtype=np.float64).view(np.uint64), "fp64", sign="drop")


def judge_codes(judge, library):
    for name, info in {**FORMATS, **p3109(range(3, 17))}.items():
        codes = np.arange(1 << info.k, dtype=np.int64)
        with np.errstate(all="ignore"):
            theirs = patterns(gfloat.decode_ndarray(info, codes))
        ours = library.convert(codes ^ (1 if judge.args.wrong else 0), name, "fp64",
                               overflow="none_inf_or_nan")
        judge.same(f"{name} to fp64", codes, ours, theirs)


def judge_rounding(judge, library):
    """The rounded values as binary64, saturated and not."""
    inputs = stimuli.all_16_bit()
    values = (inputs.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    random = np.random.Generator(np.random.Philox(judge.args.seed)).integers(
        0, 1 << RANDOM_BITS, size=inputs.size, dtype=np.int64)
    for name, info in {**FORMATS, **p3109((3, 4, 5, 6, 8))}.items():
        if name == "bf16":
            continue
        takes = np.ones(inputs.size, dtype=bool)
        if info.num_nans == 0:
            takes &= ~np.isnan(values)
        if not info.is_signed:
            takes &= ~np.signbit(values)
        if not info.has_zero:
            # Below the smallest value gfloat goes on with smaller powers of two, which the format has not.
            takes &= ~(values < info.min)
        for mode, rounding in ROUNDINGS.items():
            for saturate in (True, False):
                if not saturate and info.num_nans == 0 and info.domain == gfloat.types.Domain.Finite:
                    continue
                with np.errstate(all="ignore"):
                    theirs = gfloat.round_ndarray(info, values[takes], mode, saturate, random[takes], RANDOM_BITS)
                codes = library.convert(
                    inputs[takes], "bf16", name, random[takes], rounding=judge.wrong_rounding(rounding),
                    random_bits=RANDOM_BITS, overflow="sat_finite" if saturate else "none_inf_or_nan", int_min="allow")
                judge.same(f"bf16 to {name} {rounding}{' saturated' if saturate else ''}", inputs[takes],
                           library.convert(codes, name, "fp64", overflow="none_inf_or_nan"), patterns(theirs))


BLOCKS = {
    "mxfp8_e5m2": gfloat_formats.format_info_mxfp8_e5m2,
    "mxfp8_e4m3": gfloat_formats.format_info_mxfp8_e4m3,
    "mxfp6_e3m2": gfloat_formats.format_info_mxfp6_e3m2,
    "mxfp6_e2m3": gfloat_formats.format_info_mxfp6_e2m3,
    "mxfp4": gfloat_formats.format_info_mxfp4_e2m1,
    "mxint8": gfloat_formats.format_info_mxint8,
}


def block_inputs(seed):
    """Random blocks, and blocks whose maximum sits at a power of two or next to it, subnormal, zero or infinite."""
    generator = np.random.Generator(np.random.Philox(seed))
    blocks = stimuli.random_blocks(generator, 160, 32)
    powers = np.arange(1, 255, 12, dtype=np.uint32) << 23
    tops = np.concatenate([powers, powers - 1, powers + 1, np.array([0, 1, 0x00400000, 0x7F7FFFFF, 0x7F800000],
                                                                   dtype=np.uint32)])
    directed = np.minimum(stimuli.random_blocks(generator, tops.size, 32) & 0x7FFFFFFF, tops[:, None])
    directed[:, 5] = tops
    directed[:, 7] |= 0x80000000
    return np.concatenate([blocks, directed])


def judge_blocks(judge, library):
    """quantize_block: binary64 arrays follow `floor`, binary32 arrays `floor_log2f`."""
    inputs = block_inputs(judge.args.seed)
    for name, info in BLOCKS.items():
        for mode in (gfloat.RoundMode.TiesToEven, gfloat.RoundMode.TowardZero, gfloat.RoundMode.TiesToAway):
            for dtype, rule in ((np.float64, "floor"), (np.float32, "floor_log2f")):
                values = inputs.view(np.float32).astype(dtype)
                with np.errstate(all="ignore"):
                    theirs = [gfloat.quantize_block(info, row, gfloat.block.compute_scale_amax, mode) for row in values]
                options = {"rule": rule, "inf_block": "scale_max", "int_min": "allow"}
                codes, scales = library.quantize(inputs, "fp32", name,
                                                 rounding=judge.wrong_rounding(ROUNDINGS[mode]), **options)
                judge.same(f"{name} {rule} {ROUNDINGS[mode]}", inputs,
                           library.dequantize(codes, scales, name, "fp64", **options), patterns(theirs))


def main():
    judge = Judge("gfloat", f"gfloat {gfloat.__version__ if hasattr(gfloat, '__version__') else '0.5.2'}, "
                            f"numpy {np.__version__}", ("codes", "rounding", "blocks"))
    library = mxgold.Library()
    for surface, run in (("codes", judge_codes), ("rounding", judge_rounding), ("blocks", judge_blocks)):
        if judge.wants(surface):
            run(judge, library)
    judge.finish()


if __name__ == "__main__":
    main()
