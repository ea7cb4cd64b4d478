#!/usr/bin/env python3
"""mxgold against the float quantizer of aimet-torch 2.42 at scale 1, on binary32 tensors, as values: every type of its
profile. MX_AIMET names the folder of the package."""

import pathlib
import sys
import warnings

import numpy as np

from judge import SKIP, Judge, need
import mxgold
import stimuli

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "systems"))
import aimet_package  # noqa: E402

warnings.filterwarnings("ignore")
torch = need("torch")

PROFILE = "aimet-2.42"
# mxgold's format: exponent bits, mantissa bits, finite, unsigned zero
TYPES = {"fp16": (5, 10, False, False), "bf16": (8, 7, False, False), "e4m3fn": (4, 3, True, False),
         "e4m3fnuz": (4, 3, True, True), "e5m2": (5, 2, False, False), "e5m2fnuz": (5, 2, True, True),
         "e2m1fn": (2, 1, True, False)}
# Of the other types only the NaNs whose sign is set are open.
OPEN_NAN = ("e5m2", "fp16", "bf16", "e2m1fn")


def main():
    judge = Judge("aimet", f"aimet-torch 2.42.0, torch {torch.__version__}")
    try:
        package, _, _ = aimet_package.load()
    except ImportError as error:
        print(f"SKIP aimet_judge.py: {error}")
        sys.exit(SKIP)
    library = mxgold.Library()
    torch.set_num_threads(1)
    bf16 = stimuli.all_16_bit().astype(np.uint32) << np.uint32(16)
    inputs = np.concatenate([bf16, stimuli.structured("fp32", judge.args.seed, 2_000_000)])
    nan = (inputs & 0x7FFFFFFF) > 0x7F800000
    for name, (exponent, mantissa, finite, unsigned_zero) in TYPES.items():
        masked = nan if name in OPEN_NAN else nan & (inputs >> 31 == 1)
        compared = inputs[~masked]
        quantizer = package.FloatQuantizeDequantize(exponent_bits=exponent, mantissa_bits=mantissa, finite=finite,
                                                    unsigned_zero=unsigned_zero)
        theirs = quantizer(torch.from_numpy(compared.view(np.int32)).view(torch.float32))
        theirs = stimuli.one_nan(theirs.contiguous().view(torch.int32).numpy().view(np.uint32), "fp32", sign="drop")
        codes = library.convert(compared, "fp32", name, profile=PROFILE, rounding=judge.wrong_rounding("ties_to_even"))
        ours = library.convert(codes, name, "fp32", overflow="sat_finite_keep_inf")
        judge.same(f"fp32 to {name}", compared, stimuli.one_nan(ours.astype(np.uint32), "fp32", sign="drop"), theirs)
        print(f"    {masked.sum()} NaNs of {masked.size} inputs are not compared, which the profile leaves open")
    print("  not compared: scales other than 1 and blocks, which the profile does not model, and other types of tensors, of "
          "which it does not speak")
    judge.finish()


if __name__ == "__main__":
    main()
