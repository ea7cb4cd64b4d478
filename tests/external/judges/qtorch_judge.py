#!/usr/bin/env python3
"""mxgold against QPyTorch's float_quantize on the CPU, as values. The package compiles its extension when it is first
imported, so this judge runs only where MX_QTORCH says that it may."""

import os
import sys
import warnings

import numpy as np

from judge import SKIP, Judge, need
import mxgold
import stimuli

warnings.filterwarnings("ignore")
torch = need("torch")
if not os.environ.get("MX_QTORCH"):
    print("SKIP qtorch_judge.py: MX_QTORCH is not set. qtorch compiles itself (minutes) when first imported: run "
          "build/external/venv/bin/pip install --no-deps qtorch==0.3.0, then set MX_QTORCH=1")
    sys.exit(SKIP)
quant = need("qtorch.quant")

PROFILE = "qtorch-0.3.0/cpu"
# mxgold's format: exponent and stored significand bits
FORMATS = {"e4m3fin": (4, 3), "e5m2fin": (5, 2), "e2m3fn": (2, 3), "e3m2fn": (3, 2), "e2m1fn": (2, 1),
           "e5m10fin": (5, 10)}


def is_masked(patterns, exponent_bits):
    """The profile's masks: NaN with a payload, and subnormal results that an addition in binary32 rounds first."""
    magnitudes = patterns & 0x7FFFFFFF
    smallest_normal = 2.0 ** (2 - (1 << (exponent_bits - 1)))
    with np.errstate(all="ignore"):
        steps = magnitudes.view(np.float32).astype(np.float64) / smallest_normal * 2.0**23
        fine = (steps < 2.0**23) & (steps != np.floor(steps))
    return fine | ((magnitudes > 0x7F800000) & (magnitudes != 0x7FC00000))


def main():
    judge = Judge("qtorch", f"qtorch 0.3.0, torch {torch.__version__}", ("floats",))
    library = mxgold.Library()
    bf16 = stimuli.all_16_bit().astype(np.uint32) << np.uint32(16)
    inputs = np.concatenate([bf16, stimuli.structured("fp32", judge.args.seed, 2_000_000)])
    for name, (exponent_bits, man_bits) in FORMATS.items():
        compared = inputs[~is_masked(inputs, exponent_bits)]
        tensor = torch.from_numpy(compared.view(np.int32)).view(torch.float32)
        theirs = quant.float_quantize(tensor, exponent_bits, man_bits, "nearest").view(torch.int32).numpy()
        codes = library.convert(compared, "fp32", name, profile=PROFILE,
                                rounding=judge.wrong_rounding("ties_to_away"))
        judge.same(f"fp32 to {name}", compared, library.convert(codes, name, "fp32"), theirs.view(np.uint32))
    judge.finish()


if __name__ == "__main__":
    main()
