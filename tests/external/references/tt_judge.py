#!/usr/bin/env python3
"""mxgold against tt-metal's host code, compiled as its makers ship it: block floats and MX blocks of binary32 and bfloat16,
and the way back. What the profile leaves open is not compared with mxgold but with what spec F14.4 says of it."""

import numpy as np

from judge import Judge
import mxgold
import stimuli
from tt_library import TtMetal, VERSION

# Its name: magnitude bits
BFP = {"bfp8": 7, "bfp4": 3, "bfp2": 1}
# What mxgold says of them: tt_bfp8 under the profile; of BFP4, which tt_bfp4 cuts from BFP8, the same numbers in two's
# complement; of BFP2 nothing.
OURS = {"bfp8": ("tt_bfp8", {"profile": "tt-metal"}), "bfp4": ("bfp12_16", {"src_ftz": "flush", "inf_block": "as_e255"})}
# mxgold's name: tt-metal's, bits, stored bits, e_max, has it a NaN, is it an integer
MX = {"mxfp8_e4m3": ("mxfp8_e4m3", 8, 8, 8, True, False), "mxfp8_e5m2": ("mxfp8_e5m2", 8, 8, 15, True, False),
      "mxfp6_e3m2": ("mxfp6r", 6, 8, 4, False, False), "mxfp6_e2m3": ("mxfp6p", 6, 8, 2, False, False),
      "mxfp4": ("mxfp4", 4, 4, 2, False, False), "mxint8": ("mxint8", 8, 8, 0, False, True),
      "mxint4": ("mxint4", 4, 4, 0, False, True)}
SPECIAL = np.array([0, 0x80000000, 1, 0x80000001, 0x007FFFFF, 0x00400000, 0x00800000, 0x3F800000, 0xBFC00000, 0x7F7FFFFF,
                    0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000, 0x7F800001, 0xFFFFFFFF], dtype=np.uint32)


def ties(generator, bits, size):
    """Blocks under every exponent whose elements lie on ties of `bits` magnitude bits, and one to some units of the last
    place beside them."""
    shift = 24 - bits
    middles = (2 * np.arange(1 << bits, dtype=np.int64) + 1) << (shift - 1)
    down = np.array([24 - int(m).bit_length() for m in middles])
    rows = []
    for beside in (0, 1, -1, 3, 1 << 6):
        lanes = generator.integers(0, len(middles), size=(254, size))
        significands = (middles << down)[lanes] + beside
        fields = np.arange(1, 255)[:, None] - down[lanes] - (significands < 1 << 23)
        significands = np.where(significands < 1 << 23, significands << 1, significands)
        rows.append(np.where(fields > 0, fields << 23 | (significands & 0x7FFFFF), 0))
    blocks = np.concatenate(rows).astype(np.uint32)
    tops = np.tile(np.arange(1, 255, dtype=np.uint32) << 23, len(rows))
    blocks[:, 0] = tops | generator.integers(0, 1 << 23, size=len(blocks), dtype=np.uint32)
    return blocks | generator.integers(0, 2, size=blocks.shape, dtype=np.uint32) << 31


def inputs_of(seed, size):
    """Blocks of binary32: random and tie-rich ones, maxima of every exponent with the heads that turn a rule, subnormals,
    zeros, and special elements among others and alone."""
    generator = np.random.Generator(np.random.Philox(seed))
    heads = np.array([0, 1, 0x3FFFFF, 0x400000, 0x5FFFFF, 0x600000, 0x600001, 0x6FFFFF, 0x700000, 0x7FFFFE, 0x7FFFFF],
                     dtype=np.uint32)
    tops = ((np.arange(0, 255, dtype=np.uint32) << np.uint32(23))[:, None] | heads[None, :]).reshape(-1)
    directed = np.minimum(stimuli.random_blocks(generator, tops.size, size) & 0x7FFFFFFF, tops[:, None])
    directed[:, size // 2] = tops
    directed |= generator.integers(0, 2, size=directed.shape, dtype=np.uint32) << 31
    mixed = stimuli.random_blocks(generator, 6000, size)
    strewn = generator.random(mixed.shape) < 0.1
    mixed[strewn] = generator.choice(SPECIAL, size=int(strewn.sum()))
    alone = generator.choice(SPECIAL, size=(3000, size))
    few = np.stack([generator.choice(generator.choice(SPECIAL, size=2), size=size) for _ in range(3000)])
    subnormal = generator.integers(0, 1 << 23, size=(1000, size), dtype=np.uint32)
    subnormal >>= generator.integers(0, 23, size=(1000, 1), dtype=np.uint32)
    near = [ties(generator, bits, size) for bits in (7, 3, 1)]
    zeros = np.repeat(np.array([[0], [0x80000000]], dtype=np.uint32), size, axis=1)
    parts = [zeros, directed, mixed, alone, few, subnormal, *near, stimuli.random_blocks(generator, 12_000, size)]
    return np.ascontiguousarray(np.concatenate(parts))


class Lanes:
    """What the elements of binary32 blocks are."""

    def __init__(self, blocks):
        self.field = (blocks >> 23 & 0xFF).astype(np.int64)
        self.sign = (blocks >> 31).astype(np.int64)
        self.significand = (blocks & 0x7FFFFF).astype(np.int64) | 1 << 23
        special = self.field == 255
        self.nan, self.inf = special & (blocks & 0x7FFFFF != 0), special & (blocks & 0x7FFFFF == 0)
        finite = np.where(special, 0, blocks & 0x7FFFFFFF)
        self.top = finite.max(axis=1)
        self.nan_block = np.repeat(self.nan.any(axis=1), blocks.shape[1]).reshape(blocks.shape)


def bfp_words(lanes, bits, five_bit):
    """Spec F14.4 of the block floats, and where the shift drops bits that would decide a tie."""
    field, significand = lanes.field, lanes.significand
    if five_bit:
        moved = field - 112
        significand = np.where(moved > 31, 0xFFFFFF, np.where(moved < 0, 1 << 23, significand))
        field = np.clip(moved, 0, 31)
    scale = field.max(axis=1)
    down = np.minimum(scale[:, None] - field, 31)
    kept, shift = significand >> down, 24 - bits
    tie = kept & ((1 << shift) - 1) == 1 << (shift - 1)
    odd = kept >> shift & 1
    magnitude = np.minimum(kept + odd + (1 << (shift - 1)) - 1 >> shift, (1 << bits) - 1)
    magnitude = np.where(lanes.field == 0, 0, magnitude)
    dropped = tie & (odd == 0) & (kept << down != significand) & (lanes.field != 0)
    return scale, magnitude | np.where(magnitude != 0, lanes.sign << bits, 0), dropped


def two_complement(codes, bits):
    magnitude = codes & ((1 << bits) - 1)
    return np.where(codes >> bits == 1, (2 << bits) - magnitude, magnitude) & ((2 << bits) - 1)


def judge_bfp(judge, library, theirs):
    wrong = {"rounding": "toward_zero"} if judge.args.wrong else {}
    binary32 = inputs_of(judge.args.seed, 16)
    for source, blocks in (("fp32", binary32), ("bf16", (binary32 >> 16).astype(np.uint16))):
        lanes = Lanes(blocks.astype(np.uint32) << 16 if source == "bf16" else blocks)
        for name, bits in BFP.items():
            scales, codes = theirs.pack(name, blocks, bits + 1, (False, False), source)
            said_scales, said, dropped = bfp_words(lanes, bits, False)
            what = f"{name} of {source}"
            if name in OURS:
                format_name, options = OURS[name]
                ours, our_scales = library.quantize(blocks, source, format_name, **options, **wrong)
                numbers = codes if name == "bfp8" else two_complement(codes, bits)
                left_open = lanes.nan_block | lanes.inf
                kept = ~left_open & ~dropped
                judge.same(f"{what}, {format_name}: scales", our_scales, our_scales, scales, sees_wrong=False)
                judge.same(f"{what}, {format_name}: codes", blocks[kept], ours[kept], numbers[kept])
                print(f"  {what}: not compared {np.count_nonzero(lanes.nan_block)} codes of blocks with NaN, "
                      f"{np.count_nonzero(lanes.inf & ~lanes.nan_block)} of Inf, "
                      f"{np.count_nonzero(dropped & ~left_open)} of ties by dropped bits")
            judge.same(f"{what}, scales as F14.4 says", said_scales, said_scales, scales[:, 0], sees_wrong=False)
            judge.same(f"{what}, codes as F14.4 says", blocks, said, codes, sees_wrong=False)
            scales, codes = theirs.pack(name, blocks, bits + 1, (False, True), source)
            said_scales, said, dropped = bfp_words(lanes, bits, True)
            judge.same(f"{name}a of {source}, scales as F14.4 says", said_scales, said_scales, scales[:, 0],
                       sees_wrong=False)
            judge.same(f"{name}a of {source}, codes as F14.4 says", blocks, said, codes, sees_wrong=False)
            if name != "bfp8":
                continue
            ours, _ = library.quantize(blocks, source, "tt_bfp8a", src_ftz="flush", **wrong)
            special = (lanes.nan | lanes.inf).any(axis=1)[:, None]
            kept = ~dropped & ~special & ((lanes.field == 0) | (lanes.field >= 112))
            what = f"bfp8a of {source}, tt_bfp8a without a profile: elements from 2^-15"
            judge.same(what, blocks[kept], ours[kept], codes[kept])


def judge_mx(judge, library, theirs):
    wrong = {"rounding": "toward_zero"} if judge.args.wrong else {}
    blocks = inputs_of(judge.args.seed, 32)
    lanes = Lanes(blocks)
    alone = lanes.top == 0
    for ours_name, (name, bits, storage, emax, has_nan, is_integer) in MX.items():
        scales, codes = theirs.pack(name, blocks, storage)
        codes = codes >> (storage - bits)
        ours, our_scales = library.quantize(blocks, "fp32", ours_name, profile="tt-metal", **wrong)
        tiny = (lanes.top > 0) & (lanes.top < 1 << 23) & is_integer
        by_rule = ~alone & ~tiny
        kept = ~tiny[:, None] & (has_nan | ~lanes.nan)
        judge.same(f"{ours_name} scales", blocks[by_rule, :1], our_scales[by_rule], scales[by_rule], sees_wrong=False)
        judge.same(f"{ours_name} codes", blocks[kept], ours[kept], codes[kept])
        print(f"  {ours_name}: not compared {np.count_nonzero(alone)} scales of blocks without a finite number but 0, "
              f"{np.count_nonzero(tiny)} blocks of subnormals, {0 if has_nan else np.count_nonzero(lanes.nan)} codes of NaN")
        said = np.where(lanes.nan.all(axis=1), 0xFF, np.where(lanes.inf.any(axis=1), 0xFE, 127 - emax))[alone]
        judge.same(f"{ours_name}, those scales as F14.4 says", blocks[alone, :1], said, scales[alone, 0], sees_wrong=False)
        if not has_nan:
            of_nan = codes[lanes.nan]
            judge.same(f"{ours_name}, NaN as F14.4 says", blocks[lanes.nan], 0 * of_nan, of_nan, sees_wrong=False)
        if is_integer:
            what = f"{ours_name}, blocks of subnormals under floor_log2f,"
            options = {"profile": "tt-metal", "rule": "floor_log2f", **wrong}
            ours, our_scales = library.quantize(blocks[tiny], "fp32", ours_name, **options)
            finite = ~lanes.nan[tiny]
            judge.same(f"{what} scales", our_scales, our_scales, scales[tiny], sees_wrong=False)
            judge.same(f"{what} codes", blocks[tiny][finite], ours[finite], codes[tiny][finite])


def every_code(bits, size, scale_codes):
    """Every element code under every scale code: rows of a block, and the scale of each."""
    codes = np.resize(np.arange(1 << bits, dtype=np.uint8), (max(1, (1 << bits) // size), size))
    return np.repeat(np.arange(scale_codes, dtype=np.uint8), len(codes))[:, None], np.tile(codes, (scale_codes, 1))


def bfp_values(scales, codes, bits, five_bit):
    """Spec F14.4 of the way back: binary32 patterns, and which are not those of the value. The code of -0 is -0."""
    magnitude = (codes & ((1 << bits) - 1)).astype(np.int64)
    up = bits - 1 - np.floor(np.log2(np.maximum(magnitude, 1))).astype(np.int64)
    exponent = scales - up
    field = exponent + (112 if five_bit else 0)
    fraction = (magnitude << up & ((1 << (bits - 1)) - 1)) << (24 - bits)
    sign = (codes >> bits).astype(np.int64) << 31
    zero = magnitude == 0
    values = np.where(exponent < 0, 0, sign | np.where(zero, 0, field << 23 | fraction))
    values = np.where(zero, sign, values)
    return values, (zero & (codes != 0)) | (~zero & ((exponent < 0) | (field < 1) | (field > 254)))


def judge_decode(judge, library, theirs):
    for name, bits in BFP.items():
        for five_bit in (False, True):
            what = f"tt_{name}{'a' if five_bit else ''}"
            scales, codes = every_code(bits + 1, 16, 32 if five_bit else 256)
            values = theirs.unpack(name, scales, codes, bits + 1, (False, five_bit))
            ours = library.dequantize(codes, scales, what) ^ np.uint32(judge.args.wrong)
            said, other = bfp_values(scales, codes, bits, five_bit)
            judge.same(f"{what} values", codes[~other], ours[~other], values[~other])
            print(f"  {what}: not compared {np.count_nonzero(other)} values of the code of -0, below and beyond its exponents")
            judge.same(f"{what}, all values as F14.4 says", codes, said, values, sees_wrong=False)
    for ours_name, (name, bits, storage, _, _, is_integer) in MX.items():
        scales, codes = every_code(bits, 32, 256)
        values = theirs.unpack(name, scales, codes << (storage - bits), storage)
        ours = library.dequantize(codes, scales, ours_name, profile="tt-metal") ^ np.uint32(judge.args.wrong)
        kept = np.broadcast_to((scales != 0xFF) | (not is_integer), codes.shape)
        judge.same(f"{ours_name} values", codes[kept], ours[kept], values[kept])
        if is_integer:
            print(f"  {ours_name}: not compared {np.count_nonzero(~kept)} values under scale FF")
            judge.same(f"{ours_name}, scale FF as F14.4 says", codes[~kept], 0 * values[~kept], values[~kept], sees_wrong=False)


def main():
    judge = Judge("tt-metal", f"ttnn {VERSION}, libtt_metal.so, numpy {np.__version__}", ("bfp", "mx", "decode"))
    theirs, library = TtMetal(), mxgold.Library()
    print("  not compared: MXINT2, which mxgold has no format of; the layout of rows and faces in a tile")
    for surface, compares in (("bfp", judge_bfp), ("mx", judge_mx), ("decode", judge_decode)):
        if judge.wants(surface):
            compares(judge, library, theirs)
    judge.finish()


if __name__ == "__main__":
    main()
