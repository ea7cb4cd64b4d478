#!/usr/bin/env python3
"""mxgold against the NumPy casts of ml_dtypes: every type, every code, every 16-bit input, structured wider ones."""

import numpy as np  # noqa: I001

from judge import Judge, need
import mxgold
import stimuli

ml_dtypes = need("ml_dtypes")

# mxgold's name: ml_dtypes' name
FLOATS = {
    "e4m3fn": "float8_e4m3fn",
    "e5m2": "float8_e5m2",
    "e4m3fnuz": "float8_e4m3fnuz",
    "e5m2fnuz": "float8_e5m2fnuz",
    "e4m3b11fnuz": "float8_e4m3b11fnuz",
    "e4m3": "float8_e4m3",
    "e3m4": "float8_e3m4",
    "e2m3fn": "float6_e2m3fn",
    "e3m2fn": "float6_e3m2fn",
    "e2m1fn": "float4_e2m1fn",
    "e8m0": "float8_e8m0fnu",
    "bf16": "bfloat16",
}
PROFILE = {"profile": "ml_dtypes-0.6"}
# What the profile does not speak of.
BF16 = {"overflow": "none_inf_or_nan", "nan": "keep_sign"}
# Integers: step 1 here, so fixed-point names.
INTEGERS = {"fixed2.0": ("int2", 2), "fixed4.0": ("int4", 4), "ufixed2.0": ("uint2", 2), "ufixed4.0": ("uint4", 4)}
SOURCES = {"fp16": np.float16, "bf16": ml_dtypes.bfloat16, "fp32": np.float32, "fp64": np.float64}
# Its NumPy casts take binary64 through binary32: two roundings.
STAGING = {"fp64": {"staging": "via_fp32"}}


def dtype_of(name):
    return np.dtype(getattr(ml_dtypes, FLOATS[name]))


def cast(values, dtype):
    with np.errstate(all="ignore"):
        return values.astype(dtype).view(f"u{dtype.itemsize}")


def judge_casts(judge, library, source, inputs):
    """Codes of `source` to every type."""
    values = inputs.view(SOURCES[source])
    if source == "fp64":
        # The NumPy casts take binary64 through binary32: two roundings. The profile speaks of the second.
        source, inputs = "fp32", library.convert(inputs, "fp64", "fp32", overflow="none_inf_or_nan",
                                                 nan="keep_sign").astype(np.uint32)
    for name in FLOATS:
        if name == source:
            continue
        options = dict(BF16 if name == "bf16" else PROFILE)
        if judge.args.wrong:
            options["rounding"] = "ties_to_away" if name != "e8m0" else "toward_zero"
        ours = library.convert(inputs, source, name, **options)
        judge.same(f"{values.dtype} to {name}", inputs, ours, cast(values, dtype_of(name)))


def judge_codes(judge, library):
    """Every code to binary32, bfloat16 and binary16."""
    for name, theirs in FLOATS.items():
        dtype = dtype_of(name)
        codes = np.arange(1 << ml_dtypes.finfo(dtype).bits, dtype=f"u{dtype.itemsize}")
        shown = codes ^ (1 if judge.args.wrong else 0)
        for output, width in (("fp32", 4), ("bf16", 2), ("fp16", 2)):
            if output == name:
                continue
            ours = library.convert(shown, name, output, overflow="none_inf_or_nan", nan="keep_sign")
            if name.endswith("fnuz"):
                # The one NaN sits at the code of -0, and ml_dtypes keeps that bit as a sign.
                ours[codes == 0x80] |= np.uint64(1 << (8 * width - 1))
            judge.same(f"{theirs} to {output}", codes, ours,
                       stimuli.one_nan(cast(codes.view(dtype), np.dtype(SOURCES[output])), output))


def judge_integers(judge, library):
    """Codes of the narrow integers to binary32, and integral values in their range back."""
    for name, (theirs, bits) in INTEGERS.items():
        dtype = np.dtype(getattr(ml_dtypes, theirs))
        codes = np.arange(1 << bits, dtype=np.uint8)
        low = 0 if theirs.startswith("u") else -(1 << (bits - 1))
        values = np.arange(low, low + (1 << bits), dtype=np.int8).astype(dtype)
        floats = values.astype(np.float32).view(np.uint32)
        ours = library.convert(np.roll(codes, low + (1 if judge.args.wrong else 0)), name, "fp32")
        judge.same(f"{theirs} to fp32", codes, ours, floats)
        back = floats.view(np.float32).astype(dtype).view(np.uint8) & ((1 << bits) - 1)
        judge.same(f"fp32 to {theirs}", floats, library.convert(floats, "fp32", name, int_min="allow"), back,
                   sees_wrong=False)


def main():
    judge = Judge("ml_dtypes", f"ml_dtypes {ml_dtypes.__version__}, numpy {np.__version__}",
                  ("codes", "fp16", "bf16", "fp32", "fp64"))
    library = mxgold.Library()
    if judge.wants("codes"):
        judge_codes(judge, library)
        judge_integers(judge, library)
    for source in ("fp16", "bf16"):
        if judge.wants(source):
            judge_casts(judge, library, source, stimuli.all_16_bit())
    for source in ("fp32", "fp64"):
        if judge.wants(source):
            judge_casts(judge, library, source, stimuli.structured(source, judge.args.seed, 4_000_000))
    judge.finish()


if __name__ == "__main__":
    main()
