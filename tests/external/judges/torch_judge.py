#!/usr/bin/env python3
"""mxgold against torch's float8 casts: every 16-bit input, structured binary32 and binary64 (all 2^32 binary32 with
--exhaustive), every code back."""

import numpy as np

from judge import Judge, need
import mxgold
import stimuli

torch = need("torch")

FP8 = {"overflow": "none_inf_or_nan", "nan": "keep_sign"}
SATURATING = {"overflow": "sat_finite", "nan": "keep_sign"}
TYPES = {
    "e4m3fn": (torch.float8_e4m3fn, SATURATING),
    "e5m2": (torch.float8_e5m2, FP8),
    "e4m3fnuz": (torch.float8_e4m3fnuz, FP8),
    "e5m2fnuz": (torch.float8_e5m2fnuz, FP8),
    "e8m0": (torch.float8_e8m0fnu, {**FP8, "unsigned_negative": "magnitude", "rounding": "ties_to_away"}),
}
# Source: (torch's type, a NumPy type of its width)
SOURCES = {"fp16": (torch.float16, np.int16), "bf16": (torch.bfloat16, np.int16), "fp32": (torch.float32, np.int32),
           "fp64": (torch.float64, np.int64)}
# binary64 goes through binary32: two roundings.
STAGING = {"fp64": {"staging": "via_fp32"}}


def cast(inputs, source, dtype):
    """Patterns of `source` to codes of a float8 type."""
    torch_type, integer = SOURCES[source]
    return torch.from_numpy(inputs.view(integer)).view(torch_type).to(dtype).view(torch.uint8).numpy()


def judge_casts(judge, library, source, inputs):
    for name, (dtype, policy) in TYPES.items():
        options = {"rounding": "ties_to_even", **policy, **STAGING.get(source, {})}
        options["rounding"] = judge.wrong_rounding(options["rounding"])
        ours = library.convert(inputs, source, name, **options)
        if name == "e8m0":
            # As ml_dtypes: anything above 2^-127 becomes 2^-126.
            magnitude = library.convert(inputs, source, "fp32", nan="canonical_positive") & 0x7FFFFFFF
            ours[(magnitude > 0x00400000) & (magnitude < 0x00600000)] = 1
        judge.same(f"{source} to {name}", inputs, ours, cast(inputs, source, dtype))


def judge_codes(judge, library):
    codes = np.arange(256, dtype=np.uint8)
    shown = codes ^ (1 if judge.args.wrong else 0)
    for name, (dtype, _) in TYPES.items():
        values = torch.from_numpy(codes).view(dtype)
        for output in ("fp32", "bf16", "fp16"):
            torch_type, integer = SOURCES[output]
            theirs = values.to(torch_type).view(getattr(torch, np.dtype(integer).name)).numpy()
            # Sign and payload of a decoded NaN differ between torch's vector and scalar loops.
            theirs = stimuli.one_nan(theirs.view(f"u{np.dtype(integer).itemsize}"), output, sign="drop")
            ours = library.convert(shown, name, output, overflow="none_inf_or_nan")
            judge.same(f"{name} to {output}", codes, ours, theirs)


def main():
    judge = Judge("torch", f"torch {torch.__version__}, numpy {np.__version__}",
                  ("codes", "fp16", "bf16", "fp32", "fp64"))
    library = mxgold.Library()
    torch.set_num_threads(1)
    if judge.wants("codes"):
        judge_codes(judge, library)
    for source in ("fp16", "bf16"):
        if judge.wants(source):
            judge_casts(judge, library, source, stimuli.all_16_bit())
    if judge.wants("fp32") and judge.args.exhaustive:
        step = 1 << 24
        for chunk in judge.chunks((1 << 32) // step):
            start = chunk * step
            judge_casts(judge, library, "fp32", np.arange(start, start + step, dtype=np.uint64).astype(np.uint32))
    elif judge.wants("fp32"):
        judge_casts(judge, library, "fp32", stimuli.structured("fp32", judge.args.seed, 8_000_000))
    if judge.wants("fp64"):
        judge_casts(judge, library, "fp64", stimuli.structured("fp64", judge.args.seed, 4_000_000))
    judge.finish()


if __name__ == "__main__":
    main()
