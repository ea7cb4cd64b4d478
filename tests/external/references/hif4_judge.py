#!/usr/bin/env python3
"""mxgold against HiFloat4's own NumPy code: blocks of hifx4, as values. MX_HIF4 names a checkout of
global-computing-consortium/HiFloat4 (at 6d937b6); its functions are taken without the experiment that stands behind them."""

import os
import pathlib
import sys

import numpy as np

from judge import Judge
import mxgold
import stimuli

FILE = pathlib.Path(os.environ.get("MX_HIF4") or os.environ.get("MX_HIF4_DEFAULT", ""), "hif4_gpu", "HiF4_NVFP4_v14f16.py")
END = "######--MSE CMP"


def their_functions():
    """The definitions of the file."""
    if not FILE.is_file():
        print(f"SKIP hif4_judge.py: no {FILE.name}; name a checkout of global-computing-consortium/HiFloat4 in MX_HIF4")
        sys.exit(77)
    text = FILE.read_text(encoding="utf-8")
    if END not in text:
        raise ValueError(f"{FILE} has no line {END}: it is another version")
    functions = {}
    exec(compile(text.split(END)[0], str(FILE), "exec"), functions)  # pylint: disable=exec-used
    return functions


def inputs_of(seed):
    """binary32 blocks of 64 without NaN and Inf, which HiFloat4 says nothing of: around every size that its scale has and
    beyond both ends, elements over 14 binades, of few significant bits where ties are, zeros."""
    generator = np.random.Generator(np.random.Philox(seed))
    count = 2400
    blocks = stimuli.random_blocks(generator, count, 64)
    tops = generator.integers(60, 160, size=(count, 1))
    fields = np.maximum(tops - generator.integers(0, 14, size=blocks.shape), 0).astype(np.uint32) << 23
    blocks[1::2] = ((blocks & 0x807FFFFF) | fields)[1::2]
    blocks[::8] &= 0xFFF00000
    blocks[0], blocks[1] = 0, 0x80000000
    return blocks


def main():
    judge = Judge("hif4", f"HiFloat4 @6d937b6, numpy {np.__version__}")
    quantize = their_functions()["To_HiFX"]
    library = mxgold.Library()
    blocks = inputs_of(judge.args.seed)
    theirs = quantize(blocks.view(np.float32).astype(np.float64).T, 4, 2, 64).T
    codes, scales = library.quantize(blocks, "fp32", "hifx4", profile="hif4")
    ours = library.dequantize(codes, scales, "hifx4", profile="hif4").view(np.float32).astype(np.float64)
    if judge.args.wrong:
        ours = ours * 2
    # -0 is 0 on both sides.
    judge.same("hifx4 values, signs of zeros apart", blocks, (ours + 0.0).view(np.uint64), (theirs + 0.0).view(np.uint64))
    judge.finish()


if __name__ == "__main__":
    main()
