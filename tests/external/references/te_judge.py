#!/usr/bin/env python3
"""mxgold against TransformerEngine: scale bytes and element codes of NVFP4 by the PyTorch reference that its package has
of its CUDA kernels, under one amax of the tensor: rows of 16, tiles of 16 by 16, four candidates of 4over6. Only that file of
the package is loaded, from a folder of its own (MX_TE): the rest wants a GPU."""

import os
import sys
import types
from unittest import mock

import numpy as np

from judge import Judge, need
import mxgold
import stimuli

torch = need("torch")
FOLDER = os.environ.get("MX_TE") or os.environ.get("MX_TE_DEFAULT", "")


def in_place_of(name, **what):
    """A module of the package that is not loaded, with what the reference takes of it."""
    module = types.ModuleType(name)
    module.__dict__.update(what)
    sys.modules[name] = module
    return module


class Quantizer:
    """What TransformerEngine's class of that name does for the reference: it holds which directions are wanted."""

    def __init__(self, *, rowwise, columnwise):
        self.rowwise_usage, self.columnwise_usage = rowwise, columnwise


ROOT = "transformer_engine.pytorch"
for each in ("transformer_engine", ROOT, f"{ROOT}.custom_recipes"):
    in_place_of(each).__path__ = [os.path.join(FOLDER, *each.split("."))]
sys.modules[f"{ROOT}.custom_recipes"].gemm = sys.modules[f"{ROOT}.custom_recipes.gemm"] = mock.MagicMock()
in_place_of(f"{ROOT}.quantized_tensor", Quantizer=Quantizer, QuantizedTensorStorage=object)
reference = need(f"{ROOT}.custom_recipes.reference_nvfp4")

SOURCES = {"fp32": (torch.float32, np.float32), "bf16": (torch.bfloat16, None)}


def blocks_of(seed, source, rows):
    """Rows of 16 without NaN and Inf, which it says nothing of: random ones around 1, tie-rich, with maxima next to each
    other's thresholds, small ones down to subnormals, zeros."""
    generator = np.random.Generator(np.random.Philox(seed))
    blocks = stimuli.random_blocks(generator, rows, 16)
    near = generator.integers(97, 128, size=(rows, 1)).astype(np.uint32) << 23
    blocks = np.where(blocks & 0x7F800000 > near, (blocks & 0x807FFFFF) | near, blocks)
    blocks[::64] = 0
    blocks[1::64] &= 0x80FFFFFF  # the smallest binades and subnormals
    return blocks if source == "fp32" else (blocks >> 16).astype(np.uint16)


def tensor_of(words, source):
    """The words as a torch tensor."""
    if source == "fp32":
        return torch.from_numpy(words.view(np.float32).copy())
    return torch.from_numpy(words.view(np.int16).copy()).view(torch.bfloat16)


def wide(words, source):
    """Their magnitudes as binary32 patterns."""
    return (words.astype(np.uint32) << (0 if source == "fp32" else 16)) & 0x7FFFFFFF


def amaxima(words, source):
    """The largest magnitude, and larger ones that a tensor around these rows could have: significands of every kind."""
    largest = int(wide(words, source).max())
    heads = [0, 1, 0x2AAAAB, 0x3504F3, 0x400000, 0x555555, 0x7FFFFF]
    return [largest] + [(largest & 0x7F800000) + ((2 + 3 * i) << 23) | head for i, head in enumerate(heads)]


def compare(judge, library, what, words, source, amax, tile, ours, **settings):
    """One tensor under one amax, by the function that its quantizer calls."""
    theirs, scales = reference.NVFP4QuantizerRef._quantize_blockwise_reference(
        tensor_of(words, source), torch.tensor([amax], dtype=torch.int32).view(torch.float32), 16, tile, pow_2_scales=False,
        eps=0.0, **settings)
    scales = scales.view(torch.uint8).numpy().reshape(words.shape[0], -1)
    codes, our_scales = library.quantize(words, source, "nvfp4_16x16" if tile == 16 else "nvfp4", tensor_amax=amax,
                                         profile="te", **ours)
    scales = scales[::tile]
    # Its comparisons give -0 the code 0.
    minus_zero = words == (0x80000000 if source == "fp32" else 0x8000)
    codes = np.where(minus_zero & (codes == 8), 0, codes)
    judge.same(f"{what} scales", scales, our_scales.reshape(scales.shape), scales, sees_wrong=False)
    judge.same(f"{what} codes, signs of -0 apart", words, codes, stimuli.nibbles(theirs.numpy()).reshape(words.shape))


def rounding_of(judge):
    """Scaled values are hardly ever ties: a wrong rounding is one that looks at all of them."""
    return {"rounding": "toward_zero" if judge.args.wrong else "ties_to_even"}


def judge_rows(judge, library):
    for source in SOURCES:
        words = blocks_of(judge.args.seed, source, 4096)
        for amax in amaxima(words, source):
            compare(judge, library, f"nvfp4 {source} amax {amax:08X}", words, source, amax, 1,
                    rounding_of(judge))


def judge_tiles(judge, library):
    for source in SOURCES:
        words = blocks_of(judge.args.seed + 1, source, 1024).reshape(256, 64)
        for amax in amaxima(words, source):
            compare(judge, library, f"nvfp4_16x16 {source} amax {amax:08X}", words, source, amax, 16,
                    rounding_of(judge))


def judge_4over6(judge, library):
    for source in SOURCES:
        words = blocks_of(judge.args.seed + 2, source, 4096)
        for error in ("mae", "mse"):
            for most in (448, 256):
                kind = f"{'mse' if error == 'mae' else 'mae'}_{most}" if judge.args.wrong else f"{error}_{most}"
                for amax in amaxima(words, source)[:4]:
                    compare(judge, library, f"nvfp4 4over6 {error}_{most} {source} amax {amax:08X}", words, source, amax, 1,
                            {"rule": "nvfp4_4over6", "four_over_six": kind}, nvfp4_use_4over6=True, nvfp4_e4m3_max=most,
                            nvfp4_4over6_err_mode=error.upper())


def main():
    judge = Judge("te", f"transformer_engine 2.20.2, torch {torch.__version__}", ("rows", "tiles", "4over6"))
    library = mxgold.Library()
    torch.set_num_threads(1)
    for surface, surface_judge in (("rows", judge_rows), ("tiles", judge_tiles), ("4over6", judge_4over6)):
        if judge.wants(surface):
            surface_judge(judge, library)
    judge.finish()


if __name__ == "__main__":
    main()
