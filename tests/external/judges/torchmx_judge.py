#!/usr/bin/env python3
"""mxgold against torchmx: scale bytes and element codes of bfloat16 blocks on both of its paths, and the way back. It
wants a torchao of its own time, so both lie in a folder of their own: MX_TORCHMX names it."""

import os
import sys
import warnings

import numpy as np

from judge import Judge, need
import mxgold
import stimuli

warnings.filterwarnings("ignore")
torch = need("torch")
sys.path.insert(0, os.environ.get("MX_TORCHMX") or os.environ.get("MX_TORCHMX_DEFAULT", ""))
mx_tensor, env, torchao = need("torchmx.mx_tensor", "torchmx.env_variables", "torchao")

# mxgold's block format: torchmx's element type
FORMATS = {"mxfp8_e4m3": "float8_e4m3", "mxfp6_e3m2": "float6_e3m2", "mxfp6_e2m3": "float6_e2m3",
           "mxfp4": "float4_e2m1", "mxint8": "int8"}
# torchmx's setting: the profile, whether codes in blocks with a NaN or an Inf are masked
PATHS = {"False": ("torchmx-0.1.0/sim", False), "True": ("torchmx-0.1.0/hw", True)}


def inputs_of(seed, size):
    """bfloat16 blocks: random ones, maxima at every exponent, special ones."""
    generator = np.random.Generator(np.random.Philox(seed))
    tops = np.arange(0, 0x7F81, 37, dtype=np.uint32) << np.uint32(16)
    directed = np.minimum(stimuli.random_blocks(generator, tops.size, size) & 0x7FFFFFFF, tops[:, None])
    directed[:, 1] = tops
    special = stimuli.random_blocks(generator, 400, size)
    values = np.array([0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000, 0x80000000, 0], dtype=np.uint32)
    special = np.where(generator.integers(0, 2 * size, size=special.shape) == 0,
                       values[generator.integers(0, values.size, size=special.shape)], special)
    blocks = np.concatenate([directed | generator.integers(0, 2, size=directed.shape, dtype=np.uint32) << 31, special,
                             np.zeros((1, size), dtype=np.uint32), stimuli.random_blocks(generator, 20_000, size)])
    return (blocks >> 16).astype(np.uint16)


def unpacked(codes):
    """Two FP4 codes a byte, the first one high."""
    return np.stack([codes >> 4, codes & 15], axis=-1).reshape(codes.shape[0], -1)


def judge_blocks(judge, library, path):
    profile, masked = PATHS[path]
    env.MX_EXACT_QUANTIZATION = path
    for size in (32, 8):
        blocks = inputs_of(judge.args.seed, size)
        data = torch.from_numpy(blocks.view(np.int16)).view(torch.bfloat16)
        special = ((blocks & 0x7FFF) >= 0x7F80).any(axis=1)
        for name, element in FORMATS.items():
            scales, elements = mx_tensor.quantize_mx(data, element, size)
            theirs = elements.view(torch.uint8).numpy()
            theirs = unpacked(theirs) if name == "mxfp4" else theirs
            options = {"profile": profile, "block_size": size}
            ours, our_scales = library.quantize(
                blocks, "bf16", name, rounding=judge.wrong_rounding("ties_to_even"), **options)
            judge.same(f"{profile} {name} k={size} scales", scales.numpy(), our_scales, scales.numpy(),
                       sees_wrong=False)
            compared = np.ones(blocks.shape, dtype=bool)
            if masked and name != "mxint8":
                compared &= ~special[:, None]
            judge.same(f"{profile} {name} k={size} codes", blocks[compared], ours[compared], theirs[compared])


def main():
    judge = Judge("torchmx", f"torchmx 0.1.0, torchao {torchao.__version__}, torch {torch.__version__}", ("sim", "hw"))
    library = mxgold.Library()
    torch.set_num_threads(1)
    for surface, path in (("sim", "False"), ("hw", "True")):
        if judge.wants(surface):
            judge_blocks(judge, library, path)
    judge.finish()


if __name__ == "__main__":
    main()
