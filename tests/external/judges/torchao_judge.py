#!/usr/bin/env python3
"""mxgold against torchao's MX and NVFP4 casts: scale bytes and element codes of random and directed blocks, and the
decoding of every scale with every element."""

import warnings

import numpy as np

from judge import Judge, need
import mxgold
import stimuli

warnings.filterwarnings("ignore")
torch, torchao = need("torch", "torchao")
mx, nvfp4, constants, config = need("torchao.prototype.mx_formats.mx_tensor", "torchao.prototype.mx_formats.nvfp4_tensor",
                                    "torchao.prototype.mx_formats.constants", "torchao.prototype.mx_formats.config")

# mxgold's block format: (torchao's element type, codes a byte)
FORMATS = {
    "mxfp8_e4m3": (torch.float8_e4m3fn, 1),
    "mxfp8_e5m2": (torch.float8_e5m2, 1),
    "mxfp6_e2m3": (constants.DTYPE_FP6_E2M3, 1),
    "mxfp6_e3m2": (constants.DTYPE_FP6_E3M2, 1),
    "mxfp4": (torch.float4_e2m1fn_x2, 2),
}
# torchao's scaling mode: the variant of the profile.
MODES = {"FLOOR": "", "CEIL": "ceil", "EVEN": "even_up", "RCEIL": "rceil"}
PROFILE = {"profile": "torchao-0.18"}


def directed_blocks(generator, size):
    """Blocks whose maximum has every exponent with the significands at which some rule decides, and its neighbours;
    then special blocks."""
    heads = (0, 0x400000, 0x600000, 0x700000, 0x780000, 0x3504F3)
    tops = [(exponent << 23) + head + step for exponent in range(1, 255) for head in heads for step in (-1, 0, 1, 2)]
    tops += [1, 2, 0x00200000, 0x00400000, 0x00400001, 0x007FFFFF, 0x7F7FFFFF, 0x7F7FFFFE, 0x7F780000, 0x7F600000]
    tops = np.array(tops, dtype=np.uint32)
    blocks = np.minimum(stimuli.random_blocks(generator, tops.size, size) & 0x7FFFFFFF, tops[:, None])
    # A spread just below the maximum: otherwise nearly every element would underflow or equal it.
    near = generator.integers(0, 6 << 23, size=blocks.shape).astype(np.int64)
    blocks = np.where(generator.integers(0, 2, size=blocks.shape) == 1,
                      np.maximum(tops[:, None].astype(np.int64) - near, 0), blocks).astype(np.uint32)
    blocks[np.arange(tops.size), generator.integers(0, size, size=tops.size)] = tops
    blocks |= generator.integers(0, 2, size=blocks.shape, dtype=np.uint32) << 31
    specials = np.array([0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000, 0, 0x80000000], dtype=np.uint32)
    special = stimuli.random_blocks(generator, 600, size)
    chosen = generator.integers(0, specials.size, size=special.shape)
    special = np.where(generator.integers(0, 12, size=special.shape) == 0, specials[chosen], special)
    zeros = np.zeros((2, size), dtype=np.uint32)
    zeros[1, ::2] = 0x80000000
    return np.concatenate([blocks, special, zeros])


def inputs_of(source, seed, size, count):
    """Blocks as patterns of `source`."""
    generator = np.random.Generator(np.random.Philox(seed))
    blocks = np.concatenate([directed_blocks(generator, size), stimuli.random_blocks(generator, count, size)])
    if source == "fp32":
        return blocks
    short = (blocks >> 16).astype(np.uint16)
    return np.where(((blocks & 0x7FFFFFFF) > 0x7F800000), short | 0x0040, short).astype(np.uint16)


def tensor_of(patterns, source):
    """A tensor with those bits."""
    if source == "fp32":
        return torch.from_numpy(patterns.view(np.int32)).view(torch.float32)
    return torch.from_numpy(patterns.view(np.int16)).view(torch.bfloat16)


def codes_of(data, per_byte):
    codes = data.view(torch.uint8).numpy()
    if per_byte == 1:
        return codes
    return np.stack([codes & 15, codes >> 4], axis=-1).reshape(codes.shape[0], -1)


def is_special(patterns, source):
    """NaN and Inf elements, and NaN elements alone."""
    magnitude, infinity = (patterns & 0x7FFFFFFF, 0x7F800000) if source == "fp32" else (patterns & 0x7FFF, 0x7F80)
    return magnitude >= infinity, magnitude > infinity


def judge_mx(judge, library, source):
    for size in (32, 16):
        blocks = inputs_of(source, judge.args.seed, size, 20_000 if size == 32 else 4_000)
        data = tensor_of(blocks, source)
        special, nan = is_special(blocks, source)
        nan_block = nan.any(axis=1)
        for name, (dtype, per_byte) in FORMATS.items():
            for mode, variant in MODES.items():
                scale, elements = mx.to_mx(data, dtype, size, config.ScaleCalculationMode[mode])
                theirs = codes_of(elements, per_byte)
                their_scales = scale.view(torch.uint8).numpy().reshape(-1, 1)
                ours, our_scales = library.quantize(blocks, source, name, **PROFILE, variant=variant, block_size=size,
                                                    rounding=judge.wrong_rounding("ties_to_even"))
                what = f"{source} {name} k={size} {mode}"
                judge.same(f"{what} scales", their_scales, our_scales, their_scales, sees_wrong=False)
                compared = np.ones(blocks.shape, dtype=bool)
                if not name.startswith("mxfp8"):
                    # FP6 and FP4 have no NaN: torchao's codes for one, and for Inf / Inf, are bits left over.
                    compared &= ~nan & ~(special & nan_block[:, None])
                    if mode == "RCEIL":
                        compared &= ~nan_block[:, None]
                judge.same(f"{what} codes", blocks[compared], ours[compared], theirs[compared])


def judge_decoding(judge, library):
    """Every scale with every element, to binary32."""
    for name, (dtype, per_byte) in FORMATS.items():
        bits = {"mxfp8": 8, "mxfp6": 6, "mxfp4": 4}[name[:5]]
        elements = np.tile(np.arange(1 << bits, dtype=np.uint8), (256, 1))
        scales = np.arange(256, dtype=np.uint8).repeat((1 << bits) // 16).reshape(256, -1)
        packed = elements if per_byte == 1 else elements[:, ::2] | elements[:, 1::2] << 4
        data = torch.from_numpy(np.ascontiguousarray(packed))
        if name.startswith("mxfp8"):
            data = data.view(dtype)
        theirs = mx.to_dtype(data, torch.from_numpy(scales.copy()).view(torch.float8_e8m0fnu), dtype, 16, torch.float32)
        theirs = stimuli.one_nan(theirs.numpy().view(np.uint32), "fp32", sign="drop")
        ours = library.dequantize(elements ^ (1 if judge.args.wrong else 0), scales, name, block_size=16)
        judge.same(f"{name} to fp32", scales.repeat(16, axis=1).astype(np.int64) << 8 | elements, ours, theirs)


def judge_nvfp4(judge, library, source):
    blocks = inputs_of(source, judge.args.seed, 16, 20_000)
    data = tensor_of(blocks, source)
    special, nan = is_special(blocks, source)
    finite = ~special.any(axis=1)
    largest = np.float32(torch.abs(data[torch.from_numpy(finite)]).float().max().item())
    levels = {"one level": None}
    for amax in (largest, np.float32(2688), np.float32(6), np.float32(1.015625), np.float32(1e-3), np.float32(1e-30),
                 np.float32(1.1e-38)):
        levels[f"tensor amax {amax:g}"] = nvfp4.per_tensor_amax_to_scale(torch.tensor(amax))
    for level, scale in levels.items():
        their_scales, elements = nvfp4.nvfp4_quantize(data, 16, scale)
        their_scales = their_scales.view(torch.uint8).numpy().reshape(-1, 1)
        theirs = codes_of(elements.reshape(blocks.shape[0], 8), 2)
        options = dict(PROFILE)
        if scale is not None:
            options["tensor_scale"] = scale.view(torch.int32).item()
        # Hardly any element is a tie under these scales: another wrong rounding.
        rounding = "toward_zero" if judge.args.wrong else "ties_to_even"
        ours, our_scales = library.quantize(blocks, source, "nvfp4", rounding=rounding, **options)
        judge.same(f"{source} nvfp4 {level} scales", their_scales, our_scales, their_scales, sees_wrong=False)
        # Under so small a tensor scale every element saturates or is zero, whatever the rounding.
        sees_wrong = scale is None or float(scale) > 1e-38
        # A NaN scale leaves arbitrary codes; so does zero times a reciprocal that overflowed.
        compared = np.broadcast_to((their_scales != 0x7F), blocks.shape)
        if scale is not None and torch.isinf(1.0 / scale):
            compared = compared & ((blocks & (0x7FFFFFFF if source == "fp32" else 0x7FFF)) != 0)
        judge.same(f"{source} nvfp4 {level} codes", blocks[compared], ours[compared], theirs[compared],
                   sees_wrong=sees_wrong)
        if scale is not None:
            tensor = nvfp4.NVFP4Tensor(elements, torch.from_numpy(their_scales.copy()).view(torch.float8_e4m3fn), 16,
                                       torch.float32, scale)
            decoded = stimuli.one_nan(tensor.dequantize(torch.float32).numpy().view(np.uint32), "fp32", sign="drop")
            judge.same(f"{source} nvfp4 {level} decoded", blocks,
                       library.dequantize(theirs, their_scales, "nvfp4", **options), decoded, sees_wrong=False)


def main():
    judge = Judge("torchao", f"torchao {torchao.__version__}, torch {torch.__version__}",
                  ("mx_fp32", "mx_bf16", "mx_decode", "nvfp4"))
    library = mxgold.Library()
    torch.set_num_threads(1)
    for source in ("fp32", "bf16"):
        if judge.wants(f"mx_{source}"):
            judge_mx(judge, library, source)
    if judge.wants("mx_decode"):
        judge_decoding(judge, library)
    if judge.wants("nvfp4"):
        for source in ("fp32", "bf16"):
            judge_nvfp4(judge, library, source)
    judge.finish()


if __name__ == "__main__":
    main()
