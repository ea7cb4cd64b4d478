#!/usr/bin/env python3
"""mxgold against torch's float8 casts: every 16-bit input, structured binary32 and binary64 (all 2^32 binary32 with
--exhaustive), every code back."""

import numpy as np

from judge import Judge, need
import mxgold
import stimuli

torch = need("torch")

PROFILE = {"profile": "torch-2.15/cpu"}
TYPES = {"e4m3fn": torch.float8_e4m3fn, "e5m2": torch.float8_e5m2, "e4m3fnuz": torch.float8_e4m3fnuz,
         "e5m2fnuz": torch.float8_e5m2fnuz, "e8m0": torch.float8_e8m0fnu}
# Source: (torch's type, a NumPy type of its width)
SOURCES = {"fp16": (torch.float16, np.int16), "bf16": (torch.bfloat16, np.int16), "fp32": (torch.float32, np.int32),
           "fp64": (torch.float64, np.int64)}


def cast(inputs, source, dtype):
    """Patterns of `source` to codes of a float8 type."""
    torch_type, integer = SOURCES[source]
    return torch.from_numpy(inputs.view(integer)).view(torch_type).to(dtype).view(torch.uint8).numpy()


def judge_casts(judge, library, source, inputs):
    # binary64 goes through binary32: two roundings.
    words = library.convert(inputs, source, "fp32", overflow="none_inf_or_nan", nan="keep_sign") if source == "fp64" else inputs
    for name, dtype in TYPES.items():
        options = dict(PROFILE)
        if judge.args.wrong:
            options["rounding"] = "toward_zero"
        ours = library.convert(words, "fp32" if source == "fp64" else source, name, **options)
        judge.same(f"{source} to {name}", inputs, ours, cast(inputs, source, dtype))


def judge_codes(judge, library):
    codes = np.arange(256, dtype=np.uint8)
    shown = codes ^ (1 if judge.args.wrong else 0)
    for name, dtype in TYPES.items():
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
