#!/usr/bin/env python3
"""mxgold against FBGEMM: scale bytes and element codes of MX4 blocks of binary32 by the PyTorch reference that its package
has of the Triton kernel, under every rule of the scale but the stochastic one, and the way back. Only that part of the
package is loaded, from a folder of its own (MX_FBGEMM): its compiled operators want another torch."""

import os
import sys
import types

import numpy as np

from judge import Judge, need
import mxgold
import stimuli

torch = need("torch")
FOLDER = os.environ.get("MX_FBGEMM") or os.environ.get("MX_FBGEMM_DEFAULT", "")
package = types.ModuleType("fbgemm_gpu")
package.__path__ = [os.path.join(FOLDER, "fbgemm_gpu")]
sys.modules["fbgemm_gpu"] = package
reference, common = need("fbgemm_gpu.triton.quantize_ref", "fbgemm_gpu.triton.common")

# mxgold's block format: exponent and significand bits
FORMATS = {"fbgemm_mx4": (2, 1), "fbgemm_mx4_e3m0": (3, 0)}
# FBGEMM's rule of the scale: ours, which is that of a variant of the profile
RULES = {"ceil": "ceil_log2f", "nearest": "nearest_log2f", "floor": "floor_log2f", "even": "even_down"}
# Fractions of maxima, in 2^-23, at which some rule turns at some exponent (spec F11.3), and their neighbours.
HEADS = [0, 1, 2, 3, 0x1FFFFF, 0x200000, 0x200001, 0x3504B4, 0x3504B5, 0x3504D3, 0x3504D4, 0x3504E3, 0x3504E4, 0x3504EB, 0x3504EC,
         0x3504EF, 0x3504F0, 0x3504F1, 0x3504F2, 0x3504F3, 0x3504F4, 0x3FFFFF, 0x400000, 0x400001, 0x5FFFFF, 0x600000, 0x600001,
         0x7FFFD0, 0x7FFFE9, 0x7FFFEA, 0x7FFFF4, 0x7FFFF5, 0x7FFFFA, 0x7FFFFB, 0x7FFFFD, 0x7FFFFE, 0x7FFFFF]


def inputs_of(seed):
    """binary32 blocks of 32 without NaN and Inf, which FBGEMM says nothing of: maxima of every exponent around the
    values where rules turn, zeros, random ones."""
    generator = np.random.Generator(np.random.Philox(seed))
    heads = np.array(HEADS, dtype=np.uint32)
    tops = ((np.arange(0, 255, dtype=np.uint32) << np.uint32(23))[:, None] | heads[None, :]).reshape(-1)
    directed = np.minimum(stimuli.random_blocks(generator, tops.size, 32) & 0x7FFFFFFF, tops[:, None])
    directed[:, 1] = tops
    directed |= generator.integers(0, 2, size=directed.shape, dtype=np.uint32) << 31
    blocks = [directed, np.zeros((1, 32), dtype=np.uint32), stimuli.random_blocks(generator, 50_000, 32)]
    return np.ascontiguousarray(np.concatenate(blocks))


def reads_by_log(blocks, significand):
    """Blocks whose maximum, raised as the rule even does, has another binary32 logarithm than exponent: the kernel reads
    the exponent, the reference the logarithm."""
    tops = np.maximum((blocks & 0x7FFFFFFF).max(axis=1), 1 << 23) + ((1 << (22 - significand)) - 1)
    logs = torch.floor(torch.log2(torch.from_numpy(tops.astype(np.uint32).view(np.float32)))).numpy()
    return logs != (tops >> 23).astype(np.int64) - 127


def judge_blocks(judge, library):
    blocks = inputs_of(judge.args.seed)
    data = torch.from_numpy(blocks.view(np.float32))
    for name, (exponent, significand) in FORMATS.items():
        for rule, our_rule in RULES.items():
            rows = reference.py_quantize_mx4(data, 32, exponent, significand, common.RoundingMode[rule]).numpy()
            theirs, their_scales = stimuli.nibbles(rows[:, :16]), rows[:, 16:]
            options = {"rounding": "toward_zero"} if judge.args.wrong else {}
            ours, scales = library.quantize(blocks, "fp32", name, profile="fbgemm", rule=our_rule, **options)
            kept = np.ones(len(blocks), dtype=bool)
            if rule == "even":
                kept = ~reads_by_log(blocks, significand)
                print(f"  {name} {rule}: {np.count_nonzero(~kept)} blocks not compared, whose raised maximum it takes the log of")
            judge.same(f"{name} {rule} scales", blocks[kept, 1:2], scales[kept], their_scales[kept], sees_wrong=False)
            judge.same(f"{name} {rule} codes", blocks[kept], ours[kept], theirs[kept])


def judge_decode(judge, library):
    """Every code under every scale."""
    for name, (exponent, significand) in FORMATS.items():
        scales = np.arange(253, dtype=np.uint8)[:, None]
        codes = np.tile(np.arange(16, dtype=np.uint8), (scales.size, 2))
        rows = np.concatenate([codes[:, ::2] | codes[:, 1::2] << 4, scales], axis=1)
        theirs = reference.py_dequantize_mx4(torch.from_numpy(rows), 32, exponent, significand)
        theirs = np.ascontiguousarray(theirs.numpy()).view(np.uint32)
        ours = library.dequantize(codes, scales, name, profile="fbgemm")
        ours = np.where(ours == 0x80000000, 0, ours)  # its table has no -0
        if judge.args.wrong:
            ours = ours ^ 1
        judge.same(f"{name} values, signs of zeros apart", codes, ours, theirs)


def main():
    judge = Judge("fbgemm", f"fbgemm-gpu-cpu 1.9.0, torch {torch.__version__}", ("blocks", "decode"))
    library = mxgold.Library()
    torch.set_num_threads(1)
    if judge.wants("blocks"):
        judge_blocks(judge, library)
    if judge.wants("decode"):
        judge_decode(judge, library)
    judge.finish()


if __name__ == "__main__":
    main()
