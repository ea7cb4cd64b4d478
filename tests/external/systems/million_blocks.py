#!/usr/bin/env python3
"""Every block cast of an emulated system in compat mode against the package, 10^6 blocks and more each: block sizes from
1 to 1024, whole and odd lengths, blocks along the first, a middle and the last axis.

usage: million_blocks.py SYSTEM [--wrong] [--seed S] [--shard I/N]     (a shard has every N-th configuration)
"""

import importlib
import itertools
import sys

import numpy as np

from judge import Judge
import stimuli

SYSTEMS = ("dmx", "torchmx", "qtorch", "aimet", "microxcaling")
MILLION = 1_000_000

# Block size, length of the axis, blocks: half of the lengths leave a short block at the end.
LADDER = ((1, 6, 100_000), (2, 8, 80_000), (2, 7, 80_000), (3, 7, 90_000), (4, 8, 90_000), (5, 12, 90_000),
          (8, 64, 80_000), (16, 64, 120_000), (16, 33, 60_000), (31, 62, 40_000), (32, 64, 100_000), (32, 80, 60_000),
          (33, 66, 20_000), (64, 128, 20_000), (100, 130, 8_000), (128, 256, 8_000), (255, 510, 2_000),
          (256, 300, 2_000), (1000, 1023, 400), (1024, 2048, 400))
# Without blocks of one element.
LONGER = LADDER[1:] + LADDER[1:3]
# Blocks that fill their axis, an even number of elements.
WHOLE = tuple((size, length + -length % (2 * size), blocks) for size, length, blocks in LADDER)


def inputs_of(seed, ladder):
    """[(binary32 patterns, axis, block size, blocks)]: the axis that the blocks lie along is the last, the first, or
    the middle one in turn."""
    generator = np.random.Generator(np.random.Philox(seed))
    rungs = []
    for number, (size, length, blocks) in enumerate(ladder):
        per_row = -(-length // size)
        # A multiple of 8 elements: torch's binary16 NaNs beyond the last are other ones (spec S3.5).
        rows = -(-blocks // per_row // 8) * 8 + 8
        patterns = rows_of(generator, rows, length)
        if number % 3 == 1:
            patterns, axis = np.ascontiguousarray(patterns.T), 0
        elif number % 3 == 2:
            patterns, axis = np.ascontiguousarray(patterns.reshape(2, -1, length).swapaxes(1, 2)), 1
        else:
            axis = -1
        rungs.append((patterns, axis, size, rows * per_row))
    assert sum(rung[3] for rung in rungs) >= MILLION
    return rungs


def rows_of(generator, rows, length):
    """Blocks of every kind: ordinary ones, zeros, subnormals, the largest numbers, equal exponents, infinities and
    NaNs here and there, small whole numbers (ties)."""
    x = stimuli.random_blocks(generator, rows, length)
    kind = generator.integers(0, 24, size=(rows, 1))
    signs, tails = x & np.uint32(1 << 31), x & np.uint32((1 << 23) - 1)
    x = np.where(kind == 0, signs, x)
    x = np.where(kind == 1, signs | tails, x)
    x = np.where(kind == 2, signs | np.uint32(0x7E000000) + (x & np.uint32(0x17FFFFF)), x)
    x = np.where((kind == 3) & (generator.random((rows, length)) < 0.3), np.uint32(0), x)
    special = np.array([0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00001, 0x7F7FFFFF, 1, 0x80000000], dtype=np.uint32)
    chosen = special[generator.integers(0, special.size, size=(rows, length))]
    x = np.where((kind == 4) & (generator.random((rows, length)) < 0.1), chosen, x)
    x = np.where(kind == 5, signs | np.uint32(0x3F800000) | tails, x)
    whole = generator.integers(-2048, 2049, size=(rows, length)).astype(np.float32) / np.float32(16)
    return np.where(kind >= 19, whole.view(np.uint32), x).astype(np.uint32)


class Million:
    """Configurations one after the other; each over all rungs of the ladder."""

    def __init__(self, judge):
        self.judge, self.number, self.configurations = judge, 0, 0
        first, shards = (int(part) for part in judge.args.shard.split("/"))
        self.is_mine = lambda number: number % shards == first

    def each(self, what, rungs, call, sees_wrong=True):
        """call(patterns, axis, block size) -> (ours, theirs), or several such pairs."""
        self.number += 1
        if not self.is_mine(self.number - 1):
            return
        ours, theirs, blocks = [], [], 0
        for patterns, axis, size, count in rungs:
            for mine, real in call(patterns, axis, size):
                if mine.shape != real.shape:
                    raise ValueError(f"{what}, blocks of {size} along {axis}: {mine.shape} and {real.shape}")
                ours.append(mine.reshape(-1))
                theirs.append(real.reshape(-1))
            blocks += count
        self.configurations += 1
        ours, theirs = np.concatenate(ours), np.concatenate(theirs)
        self.judge.same(f"{what}, {blocks} blocks", np.zeros(0), ours, theirs, sees_wrong)
        sys.stdout.flush()


def dmx(million):
    real = importlib.import_module("dmx_system_judge")
    real.torch.set_num_threads(1)
    c = real.Comparison(million.judge)
    rungs, longer = (inputs_of(million.judge.args.seed, ladder) for ladder in (LADDER, LONGER))
    kinds = {"fp32": real.torch.float32, "bf16": real.torch.bfloat16, "fp16": real.torch.float16}

    def compare(text, kind="fp32", make=None, is_random=False, any_nan=True, sees_wrong=True):
        def call(patterns, axis, size):
            format = make(size) if make else c.format(text % size)
            x = real.tensor_of(patterns).to(kinds[kind])
            words = c.generator.seed(million.judge.args.seed + size, 2 * x.numel() + 64) if is_random else None
            theirs, _ = real.words_of(format.cast(x, axis))
            mine, name = c.ours(text % size, x, axis, words)
            mine = mine.view(theirs.dtype)
            if any_nan:
                return [(real.canonical(mine, name), real.canonical(theirs, name))]
            return [(mine, theirs)]

        # Blocks of one element are float_quantize's, which knows no direction.
        some = longer if text.endswith(("U)", "D)")) else rungs
        million.each(f"{kind} {text % 0}{' random' if is_random else ''}", some, call, sees_wrong)

    exact = [f"BFP[{p}|8]{{%d}}({f})" for p in (8, 4, 2, 6, 16, 22, 23, 24, 25) for f in ("SN", "_N")]
    exact += [f"BFP[{p}|8]{{%d}}({f})" for p in (8, 3, 23, 24) for f in ("_U", "_D")]
    scaled = [f"SBFP<XP[{p},0](CS{z})><FP[0|4|4,{b}]({f}N)>{{%d}}" for p, z, b, f in
              ((4, "N", 7, "F"), (8, "N", 10, "F"), (2, "N", 18, "_"), (4, "U", 4, "F"), (4, "D", 7, "_"))]
    mx = ["MXFP8[E4M3]{%d}", "MXFP8[E5M2]{%d}", "MXFP6[E2M3]{%d}", "MXFP6[E3M2]{%d}", "MXFP4[E2M1]{%d}",
          "MXFP4[E3M0]{%d}", "MXFP16[E5M10]{%d}", "MXFP27[E3M23]{%d}", "MXFP10[E6M3]{%d}", "MXFP2[E1M0]{%d}",
          "MXINT8{%d}", "MXINT4{%d}"]
    # strict gives the same bits in some, so that a wrong mode has nothing to show there.
    for text in exact:
        compare(text, any_nan=False, sees_wrong=False)
    for text in scaled + mx:
        compare(text, sees_wrong=text.startswith("SBFP"))
    for kind, text in itertools.product(("bf16", "fp16"), (exact[0], scaled[0], mx[0], mx[4], mx[11])):
        compare(text, kind, sees_wrong=False)
    for text in [f"BFP[{p}|8]{{%d}}({f}S)" for p in (2, 8, 24) for f in ("S", "_")]:
        compare(text, is_random=True, any_nan=False, sees_wrong=False)
    for element in ("FP[1|4|3,7](_S)", "FP[1|2|1,1](FS)"):
        compare(f"MXFP<{element}>{{%d}}", is_random=True, sees_wrong=False,
                make=lambda size, element=element: c.formats.MXFP(c.format(element), size))


def torchmx(million):
    real = importlib.import_module("torchmx_system_judge")
    real.torch.set_num_threads(1)
    rungs = [(patterns if axis == -1 else np.moveaxis(patterns, axis, -1), -1, size, blocks)
             for patterns, axis, size, blocks in inputs_of(million.judge.args.seed, WHOLE)]

    def quantize(path, element):
        def call(patterns, axis, size):
            words = np.ascontiguousarray(patterns >> np.uint32(16)).astype(np.uint16)
            scale, data = real.mx_tensor.quantize_mx(real.bf16(words), element, size)
            cast = real.Cast(f"torchmx:quantize_mx(elem_dtype={real.our_element(million.judge, element)}, "
                             f"block_size={size}, path={path}, values=none)", "compat")
            results = cast.apply({"values": (words, "bf16")})
            codes = real.swapped_if_wrong(million.judge, element, results["data"][0].view(np.uint8))
            return [(results["scale"][0], scale.numpy()), (codes, data.view(real.torch.uint8).numpy())]

        million.each(f"{path} quantize_mx {element}", rungs, call)

    def dequantize(element, target):
        def call(patterns, axis, size):
            size = size + size % 2 if element == "float4_e2m1" else size
            length = patterns.shape[-1] // size * size
            data = np.ascontiguousarray(patterns[..., :length] >> np.uint32(9) & np.uint32(0xFF)).astype(np.uint8)
            if element == "float4_e2m1":
                data = np.ascontiguousarray(data[..., :length // 2])
            scales = np.ascontiguousarray((patterns[..., :length:size] >> np.uint32(23)).astype(np.uint8))
            codes = real.torch.from_numpy(data)
            codes = codes.view(real.torch.int8) if element == "int8" else codes
            theirs = real.mx_tensor.dequantize_mx(codes, real.torch.from_numpy(scales), element, size,
                                                  real.TARGETS[target], -1)
            ours_of = real.our_element(million.judge, element)
            cast = real.Cast(f"torchmx:dequantize_mx(elem_dtype={ours_of}, block_size={size}, "
                             f"target_dtype={target}, block_dim=-1)", "compat")
            codes = real.swapped_if_wrong(million.judge, element, data)
            ours, name = cast.apply({"values": (codes, "int8" if ours_of == "int8" else "uint8"),
                                     "scale": (scales, "uint8")})["values"]
            return [(real.our_bits(ours, name), real.bits(theirs))]

        million.each(f"dequantize_mx {element} to {target}", rungs, call)

    for setting, path in real.PATHS.items():
        real.env.MX_EXACT_QUANTIZATION = setting
        for element in real.ELEMENTS:
            quantize(path, element)
    for element, target in itertools.product(real.ELEMENTS, real.TARGETS):
        dequantize(element, target)


def qtorch(million):
    real = importlib.import_module("qtorch_system_judge")
    package = real.load_package()
    library = importlib.import_module(package.__name__ + "._library")
    words = real.Words()
    # A block is what an index of the dimension holds: there is no block size.
    generator = np.random.Generator(np.random.Philox(million.judge.args.seed))
    shapes = [(rows_of(generator, count, length), length, count) for length, count in
              ((1, 100_000), (2, 200_000), (3, 150_000), (7, 150_000), (16, 150_000), (31, 100_000), (32, 100_000),
               (64, 30_000), (100, 10_000), (128, 10_000), (1023, 500), (1024, 500))]
    rungs = [(patterns if number % 2 == 0 else np.ascontiguousarray(patterns.T), number % 2, length, count)
             for number, (patterns, length, count) in enumerate(shapes)]
    assert sum(rung[3] for rung in rungs) >= MILLION

    def compare(wl, rounding):
        def call(patterns, axis, size):
            dim = axis - 2 if size % 2 else axis
            random = words.float_or_block(wl * 1000 + size, patterns.size) if rounding == "stochastic" else None
            theirs = real.quant.block_quantize(real.floats_of(patterns), wl, dim, rounding)
            named, drawn = rounding, random
            if million.judge.args.wrong:
                named = "stochastic"
                drawn = np.zeros(2 * patterns.size, np.uint32) if random is None else random ^ np.uint32(0x7FFFFFFF)
            cast = library.Cast(f"qtorch:block_quantize(wl={wl},dim={dim},rounding={named})", "compat", "x86")
            ours, _ = cast.apply({"values": (patterns, "fp32")}, random=drawn)["values"]
            return [(ours.view(np.uint32), real.patterns(theirs))]

        million.each(f"block_quantize wl={wl} {rounding}", rungs, call, sees_wrong=1 < wl < 22)

    for wl, rounding in itertools.product((1, 2, 3, 4, 5, 6, 8, 12, 16, 21, 22, 23, 24, 25, 26, 30),
                                          ("nearest", "stochastic")):
        compare(wl, rounding)


def aimet(million):
    real = importlib.import_module("aimet_system_judge")
    real.torch.set_num_threads(1)
    c = real.Comparison(million.judge)
    rungs = []
    for patterns, axis, size, blocks in inputs_of(million.judge.args.seed, WHOLE):
        axis %= patterns.ndim
        shape = list(patterns.shape)
        shape[axis] //= size
        rungs.append((patterns, (axis, real.torch.from_numpy(c.scales(int(np.prod(shape)))).reshape(shape)), size,
                      blocks))

    def compare(kind, info):
        def call(patterns, place, size):
            axis, scale = place
            x = real.tensor_of(patterns, "fp32").to(real.TORCH[kind])
            block = [1] * x.dim()
            block[axis] = size
            theirs = c.theirs(info, x, scale, tuple(block))
            ours = c.ours(info, x, scale, tuple(block))["values"]
            return [(real.words(ours), real.words(theirs))]

        million.each(f"{kind} {real.name_of(info)}", rungs, call, sees_wrong=info[0] > 0)

    for kind, info in itertools.product(real.TORCH, real.CAST_TYPES + real.FAKE_TYPES):
        compare(kind, info)


def microxcaling(million):
    real = importlib.import_module("microxcaling_system_judge")
    real.torch.set_num_threads(1)
    system = real.System(million.judge)
    rungs = inputs_of(million.judge.args.seed, LADDER)

    def compare(dtype, fmt, mode, **parameters):
        def call(patterns, axis, size):
            x = real.tensor(patterns, real.torch.float32).to(dtype)
            options = dict(axes=[axis], block_size=size, round=mode, **parameters)
            bits = options.pop("scale_bits", 8)
            theirs = real.mx_ops._quantize_mx(x, bits, fmt, **options)
            ours = system.ours("quantize_mx", x, elem_format=fmt, scale_bits=bits, **options)
            return [(real.patterns(ours), real.patterns(theirs))]

        shown = "".join(f" {key}={value}" for key, value in parameters.items())
        million.each(f"{real.SHORT[dtype]} {fmt} {mode}{shown}", rungs, call,
                     sees_wrong=real.is_rounded(dtype, fmt) and parameters.get("scale_bits", 8) == 8)

    for dtype, fmt in itertools.product(real.TYPES, real.FORMATS):
        if real.refuses(fmt, dtype, True):
            continue
        for mode, flush in itertools.product(real.ROUNDINGS, (False, True)):
            compare(dtype, fmt, mode, flush_fp32_subnorms=flush)
        if dtype is real.torch.float32:
            for bits in (2, 4, 5, 7, 9):
                compare(dtype, fmt, "nearest", scale_bits=bits)


def main():
    judge = Judge("million blocks", " ".join(sys.argv[1:]), SYSTEMS)
    million = Million(judge)
    for name in SYSTEMS:
        if judge.wants(name):
            globals()[name](million)
    print(f"{million.configurations} configurations, 10^6 blocks and more each")
    judge.finish()


if __name__ == "__main__":
    main()
