#!/usr/bin/env python3
"""mxgold's dmx system in compat mode against the package dmx-compressor 0.1.11, on the CPU or with --cuda on a GPU, bit by
bit.

MX_DMX names the folder that holds the package (pip install --no-deps --target); without it the judge is skipped. The
package compiles its kernels when it is first imported. Random words are given to both: the kernels' generator is set
through the symbol `gen` that their module exports, torch's by its seed.
"""

import pathlib
import sys
import warnings

import numpy as np

from judge import Judge, need
from device import FLAGS, IS_CUDA, PLATFORM, there, versions
import dmx_package
import stimuli

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "python"))
import mxgold  # noqa: E402
from mxgold import _library, dmx as ours  # noqa: E402
from mxgold._arrays import to_words  # noqa: E402

warnings.filterwarnings("ignore")
torch = need("torch")
SURFACES = ("floats", "fixed", "bfp", "sbfp", "mxfp", "functions", "stochastic", "casts_to", "texts", "shapes")


def words_of(tensor):
    """The bits of a float tensor."""
    words, kind = to_words(tensor.cpu())
    return words.view({1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}[words.itemsize]), kind


def canonical(words, kind):
    """Every NaN the same: where torch computes it, its bits are not part of compat."""
    if kind != "fp32":
        return words
    return np.where((words & 0x7FFFFFFF) > 0x7F800000, np.uint32(0x7FC00000), words)


def tensor_of(patterns, kind=torch.float32):
    return there(torch.from_numpy(np.ascontiguousarray(patterns).view(np.int32 if kind is torch.float32 else np.int16)
                                  .copy()).view(kind))


class Comparison:
    def __init__(self, judge):
        self.judge = judge
        self.formats, self.quant, self.kernels = dmx_package.load()
        self.generator = dmx_package.Generator(self.kernels.quant_cpu)
        self.mode = "strict" if judge.args.wrong else "compat"

    def ours(self, text, x, axis=None, random=None, **operands):
        tensors = {name: to_words(value.cpu()) for name, value in {"values": x, **operands}.items()}
        cast = _library.Cast("dmx:" + text, self.mode, PLATFORM)
        if random is not None:  # more than it reads are refused
            random = random[:cast.random_words(tensors, axis)]
        return cast.apply(tensors, axis, random)["values"]

    def same(self, what, text, x, real, axis=None, random=None, any_nan=False, sees_wrong=False, **operands):
        """Compares results, or the classes of exceptions."""
        try:
            theirs = words_of(real())
        except Exception as error:  # whatever the package raises
            theirs = type(error)
        try:
            words, kind = self.ours(text, x, axis, random, **operands)
            ours = words.view({1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}[words.itemsize]), kind
        except Exception as error:
            ours = type(error)
        if isinstance(ours, type) or isinstance(theirs, type):
            agree = ours is theirs
            if not agree:
                print(f"    {what} {text} {tuple(x.shape)} axis {axis}: mxgold {ours}, dmx {theirs}")
            self.judge.same(what, [0], [0 if agree else 1], [0], sees_wrong)
            return
        if ours[1] != theirs[1] or ours[0].shape != theirs[0].shape:
            print(f"    {what} {text}: mxgold {ours[1]} {ours[0].shape}, dmx {theirs[1]} {theirs[0].shape}")
            self.judge.same(what, [0], [1], [0], sees_wrong)
            return
        if any_nan:
            ours, theirs = (canonical(*ours), ours[1]), (canonical(*theirs), theirs[1])
        self.judge.same(f"{what} {text} {tuple(x.shape)}", words_of(x)[0], ours[0], theirs[0], sees_wrong)

    def format(self, text):
        return self.formats.Format.from_shorthand(text)

    def cast(self, what, text, x, axis=-1, **kwargs):
        format = self.format(text)
        self.same(what, text, x, lambda: format.cast(x, axis), axis, **kwargs)


def blocks_of(generator, rows, columns):
    """Rows of blocks of every kind: ordinary, narrow, subnormal, huge, zero, with Inf and NaN."""
    x = stimuli.random_blocks(generator, rows, columns)
    kinds = generator.integers(0, 24, size=rows)
    signs = x & np.uint32(0x80000000)
    x = np.where((kinds == 0)[:, None], signs, x)
    x = np.where((kinds == 1)[:, None], signs | (x & np.uint32(0x007FFFFF)), x)  # subnormals
    x = np.where((kinds == 2)[:, None], signs | (np.uint32(0x7E000000) + (x & np.uint32(0x017FFFFF))), x)
    tops = generator.integers(0, 64, size=(rows, 1)).astype(np.uint32)
    power = generator.integers(1, 255, size=(rows, 1)).astype(np.uint32) << np.uint32(23)
    x = np.where((kinds == 3)[:, None], np.where(generator.random((rows, columns)) < 0.3, power - tops, x), x)
    x = np.where((kinds == 4)[:, None] & (generator.random((rows, columns)) < 0.2), np.uint32(0), x)
    specials = np.array([0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000, 0x7F800001, 0x7FFFFFFF, 0xFFFFFFFF,
                         0x7F7FFFFF], dtype=np.uint32)
    chosen = specials[generator.integers(0, specials.size, size=(rows, columns))]
    x = np.where((kinds == 5)[:, None] & (generator.random((rows, columns)) < 0.15), chosen, x)
    # Small integers in one binade: ties and the codes at the edge.
    codes = generator.integers(-2048, 2049, size=(rows, columns)).astype(np.float32) / np.float32(16)
    return np.where((kinds >= 18)[:, None], codes.view(np.uint32), x).astype(np.uint32)


FLOATS = ["FP[1|8|23,127](_N)", "FP[1|8|23,127](FN)", "FP[1|5|10,15](FN)", "FP[1|5|10,15](_N)", "FP[1|8|7,127](FN)",
          "FP[1|4|3,7](_N)", "FP[1|4|3,7](FN)", "FP[1|5|2,15](_N)", "FP[0|4|3,7](_N)", "FP[1|2|1,1](_N)",
          "FP[1|2|3,1](_N)", "FP[1|3|2,3](_N)", "FP[0|4|4,15](FN)", "FP[0|4|4,18](FN)", "FP[1|8|0,127](_N)",
          "FP[1|4|3,-50](_N)", "FP[1|4|3,-112](_N)", "FP[1|4|3,127](_N)", "FP[1|1|0,0](_N)", "FP[1|1|23,-126](_N)",
          "FP[1|1|5,-126](_N)", "FP[1|7|22,63](_N)", "FP[1|4|23,7](_N)", "FP[1|6|9,31](_N)", "FP[1|3|0,3](_N)"]
FIXED = ["XP[8,0](CSN)", "XP[8,+4](CSN)", "XP[4,+1](CSU)", "XP[4,+1](CSD)", "XP[8,+4](__N)", "XP[8,+4](_SU)",
         "XP[8,+4](C_D)", "XP[24,0](CSN)", "XP[24,+23](__N)", "XP[1,0](CSN)", "XP[1,0](C_N)", "XP[8,-6](CSN)",
         "XP[8,+130](CSN)", "XP[8,-130](CSN)", "XP[8,+160](__N)", "XP[8,-149](__N)", "XP[24,+140](C_U)",
         "XP[8,+1000](CSN)", "XP[8,-2000](C_D)", "XP[12,-120](CSU)"]
BLOCK_SIZES = (2, 3, 7, 16, 32, 64, 1024)


def floats(c):
    bf16, fp16 = tensor_of(stimuli.all_16_bit(), torch.bfloat16), tensor_of(stimuli.all_16_bit(), torch.float16)
    count = 12_000_000 if c.judge.args.exhaustive else 200_000
    x = tensor_of(stimuli.structured("fp32", c.judge.args.seed, count))
    tensors = [bf16, fp16, x]
    if IS_CUDA:
        tensors.append(there(torch.from_numpy(stimuli.structured("fp64", c.judge.args.seed, 20_000).view(np.float64))))
    for text in FLOATS:
        for values in tensors:
            c.cast("cast", text, values)
    for text in ("FP[1|4|3,7](_N)", "FP[0|4|4,7](FN)"):
        c.cast("cast", text, x, sees_wrong=True)
    for text in ("FP[1|4|3,7](_U)", "FP[1|4|3,7](_D)"):
        c.cast("refused", text, x)


def fixed(c):
    count = 12_000_000 if c.judge.args.exhaustive else 200_000
    x = tensor_of(stimuli.structured("fp32", c.judge.args.seed, count))
    halves = there(torch.arange(-70000, 70000, dtype=torch.float32) / 16)
    for text in FIXED:
        c.cast("cast", text, x)
        c.cast("cast", text, halves)
    c.cast("cast", "XP[8,+4](CSN)", x, sees_wrong=True)
    for kind in (torch.bfloat16, torch.float16):
        c.cast("refused", "XP[8,0](CSN)", tensor_of(stimuli.all_16_bit(), kind))


def blocked(c, texts, any_nan, rows=1500):
    """Each text holds %d for the block size; every axis, odd lengths, several ranks."""
    if c.judge.args.exhaustive:
        rows *= 20
    generator = np.random.Generator(np.random.Philox(c.judge.args.seed))
    for text in texts:
        for size in BLOCK_SIZES:
            columns = size * 2 + 3 if size < 100 else size + 5
            x = tensor_of(blocks_of(generator, max(8, rows * 16 // columns), columns))
            c.cast("rows", text % size, x, -1, any_nan=any_nan)
        for axis in (0, 1, -1, -2):
            x = tensor_of(blocks_of(generator, 12, 30))
            c.cast(f"axis {axis}", text % 5, x, axis, any_nan=any_nan)
        for axis in (0, 1, 2, -1, -2, -3):
            x = tensor_of(blocks_of(generator, 8 * 6, 10)).reshape(8, 6, 10)
            c.cast(f"axis {axis}", text % 2, x, axis, any_nan=any_nan)
            c.cast(f"axis {axis}", text % 4, x, axis, any_nan=any_nan)
        for axis in (0, -1):
            c.cast(f"axis {axis}", text % 4, tensor_of(blocks_of(generator, 1, 13)[0]), axis, any_nan=any_nan)
    for kind in (torch.bfloat16, torch.float16):
        x = tensor_of(stimuli.all_16_bit(), kind)
        c.cast("all patterns", texts[0] % 16, x.reshape(-1, 16), -1, any_nan=any_nan)
        c.cast("all patterns", texts[0] % 2, x, -1, any_nan=any_nan)
    for kind in (torch.float64, torch.int32, torch.int64, torch.uint8, torch.int8):
        x = there((torch.arange(-300, 300) * 12345).to(kind).reshape(20, 30))
        c.cast("types", texts[0] % 8, x, -1, any_nan=any_nan)
    c.cast("rows", texts[0] % 4, tensor_of(blocks_of(generator, 4000, 16)), -1, any_nan=any_nan, sees_wrong=True)


def bfp(c):
    texts = [f"BFP[{p}|8]{{%d}}({f})" for p in (8, 4, 2, 6, 16, 22, 23, 24, 25) for f in ("SN", "_N")]
    texts += [f"BFP[{p}|8]{{%d}}({f})" for p in (8, 3, 23, 24) for f in ("SU", "SD", "_U", "_D")]
    blocked(c, texts + ["MXINT8{%d}", "MXINT4{%d}"], any_nan=False)
    x = tensor_of(stimuli.structured("fp32", c.judge.args.seed, 100_000))
    for p in range(2, 26):
        c.cast("one by one", f"BFP[{p}|8]{{1}}(SN)", x)
    c.cast("refused", "BFP[8|8]{1}(SU)", x)


def sbfp(c):
    texts = [f"SBFP<XP[{p},0](CS{z})><FP[0|4|4,{b}]({f}N)>{{%d}}" for p, z, b, f in
             ((4, "N", 7, "F"), (8, "N", 10, "F"), (2, "N", 18, "_"), (4, "U", 4, "F"), (4, "D", 7, "_"),
              (1, "N", 7, "F"), (24, "N", 7, "F"))]
    texts += ["SBFP<XP[4,0](_SN)><FP[1|8|23,127](_N)>{%d}", "SBFP<XP[4,0](CSN)><FP[1|5|10,15](FN)>{%d}",
              "SBFP<XP[6,0](CSN)><FP[0|8|7,127](_N)>{%d}"]
    blocked(c, texts, any_nan=True)


def mxfp(c):
    texts = ["MXFP8[E4M3]{%d}", "MXFP8[E5M2]{%d}", "MXFP6[E2M3]{%d}", "MXFP6[E3M2]{%d}", "MXFP4[E2M1]{%d}",
             "MXFP4[E3M0]{%d}", "MXFP16[E5M10]{%d}", "MXFP27[E3M23]{%d}", "MXFP10[E6M3]{%d}", "MXFP2[E1M0]{%d}",
             "MXFP11[E7M3]{%d}"]
    blocked(c, texts, any_nan=True)
    x = tensor_of(blocks_of(np.random.Generator(np.random.Philox(5)), 3000, 9))
    for element in ("FP[0|4|3,7](_N)", "FP[1|4|3,9](FN)", "FP[1|5|10,15](FN)", "FP[1|3|2,127](_N)",
                    "FP[1|4|3,-60](_N)", "FP[1|4|3,7](_U)"):
        format = c.formats.MXFP(c.format(element), 4)
        c.same("element", f"MXFP<{element}>{{4}}", x, lambda: format.cast(x, -1), -1, any_nan=True)
    # Every maximum next to a power of two: the logarithm's slips.
    powers = np.arange(1, 256, dtype=np.uint32)[:, None] << np.uint32(23)
    tops = (powers - np.arange(0, 64, dtype=np.uint32)[None, :]).reshape(-1, 1)
    pairs = np.concatenate([tops, np.full_like(tops, 0x3F800000)], axis=1)
    for text in ("MXFP8[E4M3]{2}", "MXFP4[E2M1]{2}"):
        c.cast("slips", text, tensor_of(np.minimum(pairs, 0x7F7FFFFF)), -1, any_nan=True)


def functions(c):
    x = tensor_of(stimuli.structured("fp32", c.judge.args.seed, 50_000))
    q = c.quant
    for wl, fl in ((8, 4), (-1, -1), (8, -3), (30, 4), (40, 20), (60, 30), (0, 0), (26, 2), (8, 140)):
        for clamp in (True, False):
            for symmetric in (True, False):
                for rounding in ("nearest", "up", "down"):
                    c.same("function", f"fixed_point_quantize(wl={wl}, fl={fl}, clamp={clamp}, "
                           f"symmetric={symmetric}, rounding={rounding})", x[::9],
                           lambda: q.fixed_point_quantize(x[::9], wl, fl, clamp, symmetric, rounding))
    for exp, man, bias in ((4, 3, None), (9, 3, None), (5, 23, None), (8, 0, None), (4, 3, 60), (12, 5, None),
                           (3, 2, -60)):
        for flush in (True, False):
            c.same("function", f"float_quantize(exp={exp}, man={man}, bias={bias}, flush_subnormal={flush}, "
                   "rounding=nearest)", x,
                   lambda: q.float_quantize(x, exp, man, bias, flush, "nearest"))
    generator = np.random.Generator(np.random.Philox(9))
    for wl in (1, 2, 4, 8, 12, 22, 23, 24, 25):
        for dim in (-1, 0, 1, 2, -2, -3):
            for symmetric in (True, False):
                for rounding in ("nearest", "up", "down"):
                    y = blocks_of(generator, 60, 10)
                    y[::3, 0] = y[::3].max(axis=1) & 0x7FFFFFFF
                    y[::3, 1] = y[::3, 0] | 0x80000000
                    y[::6, :2] |= 0x007F0000  # the edge pattern of the old asymmetric rule
                    y = tensor_of(y).reshape(6, 10, 10)
                    c.same("function", f"block_quantize(wl={wl}, dim={dim}, symmetric={symmetric}, "
                           f"rounding={rounding})", y,
                           lambda: q.block_quantize(y, wl, dim, symmetric, rounding))
    for bits in (1, 2, 4, 8, 12, 16, 24):
        y = tensor_of(blocks_of(generator, 300, 8))
        z = c.format(f"BFP[{max(2, bits)}|8]{{8}}(SN)").cast(y, -1)
        for left in (z, y):
            c.same("function", f"make_mantissa_asymmetric(n_mantissa_bits={bits})", left,
                   lambda: c.formats.BlockFloatingPoint.make_mantissa_asymmetric(left, y, bits), fp32_inp=y)


def drawn_on_gpu(seed, y, axis, size):
    """The words that torch's generator of the GPU gives from a seed: a call for each slice of blocks, or one."""
    slices = [y] if size == 1 else torch.split(y.float().transpose(axis, -1).reshape(-1, y.shape[axis]), size, -1)
    torch.manual_seed(seed)
    words = [torch.randint_like(each.float().contiguous(), (1 << 31) - 1, dtype=torch.int32) for each in slices]
    torch.manual_seed(seed)
    return torch.cat([each.flatten() for each in words]).cpu().numpy().astype(np.uint32)


def stochastic(c):
    seed = c.judge.args.seed
    x = tensor_of(stimuli.structured("fp32", seed, 20_000))
    rows = tensor_of(blocks_of(np.random.Generator(np.random.Philox(seed)), 500, 37))
    cube = tensor_of(blocks_of(np.random.Generator(np.random.Philox(seed)), 48, 10)).reshape(8, 6, 10)

    def kernels(text, y, axis, format=None, any_nan=False):
        format = format or c.format(text)
        if IS_CUDA:
            words = drawn_on_gpu(seed, y, axis, int(text.split("{")[1].split("}")[0]) if "{" in text else 1)
        else:
            words = c.generator.seed(seed, y.numel() * 2 + 64)
        c.same("words", text, y, lambda: format.cast(y, axis), axis, random=words, any_nan=any_nan)

    for text in ("FP[1|4|3,7](_S)", "FP[1|4|3,7](FS)", "FP[1|8|23,127](_S)", "FP[0|5|2,15](_S)", "FP[1|8|0,127](FS)",
                 "BFP[8|8]{1}(SS)", "BFP[25|8]{1}(SS)"):
        kernels(text, x, -1)
    for p in (2, 4, 8, 22, 23, 24, 25):
        for flag in ("S", "_"):
            for size in (2, 5, 64):
                kernels(f"BFP[{p}|8]{{{size}}}({flag}S)", rows, -1)
            for axis in (0, 1, 2):
                kernels(f"BFP[{p}|8]{{4}}({flag}S)", cube, axis)
    for element in ("FP[1|4|3,7](_S)", "FP[1|2|1,1](FS)"):
        format = c.formats.MXFP(c.format(element), 5)
        for y, axis in ((rows, -1), (cube, 1)):
            kernels(f"MXFP<{element}>{{5}}", y, axis, format, any_nan=True)
    for wl, dim in ((4, -1), (8, 0), (8, 1), (23, 2), (24, 0)):
        words = drawn_on_gpu(seed, cube, dim, 1) if IS_CUDA else c.generator.seed(seed, cube.numel())
        c.same("words", f"block_quantize(wl={wl}, dim={dim})", cube, lambda: c.quant.block_quantize(cube, wl, dim),
               random=words)
    if IS_CUDA:
        print("  not compared: fixed point and SBFP, whose random numbers on a GPU are no multiples of 2^-24")
        return
    for scaler in ("N", "S"):  # two generators: the codes torch's, the scales the kernels'
        text = f"SBFP<XP[4,0](CSS)><FP[0|4|4,7](F{scaler})>{{5}}"
        format = c.format(text)
        torch.manual_seed(seed)
        scales = iter(c.generator.seed(seed, rows.numel()))
        words = []
        for chunk in torch.split(rows, 5, dim=-1):
            words.append((torch.rand(chunk.shape) * 2.0**24).numpy().astype(np.uint32).reshape(-1))
            if scaler == "S":
                # Flushed scales draw none: those below 2^-6.
                c_max = chunk.abs().max(-1)[0] / 7
                drawn = int(((c_max.view(torch.int32) >> 23 & 0xFF) >= 121).sum())
                words.append(np.array([next(scales) for _ in range(drawn)], dtype=np.uint32))
        torch.manual_seed(seed)
        c.generator.seed(seed, 1)
        c.same("words", text, rows, lambda: format.cast(rows, -1), -1, random=np.concatenate(words), any_nan=True)
    for text in ("XP[8,+4](CSS)", "XP[8,0](__S)", "XP[8,-130](CSS)"):
        torch.manual_seed(seed)
        words = (torch.rand(x.shape) * 2.0**24).numpy().astype(np.uint32)
        torch.manual_seed(seed)
        format = c.format(text)
        c.same("words", text, x, lambda: format.cast(x), random=words)
    c.generator.seed(seed, 1)
    kernels("FP[1|4|3,7](FS)", x, -1)
    if c.judge.args.wrong:
        kernels_wrong = c.generator.seed(seed, x.numel())
        format = c.format("FP[1|4|3,7](_S)")
        c.same("words", "FP[1|4|3,7](_S)", x, lambda: format.cast(x), random=kernels_wrong, sees_wrong=True)


def casts_to(c):
    """CastTo, the affine map included."""
    numerical = need("dmx.compressor.numerical.cast")
    generator = np.random.Generator(np.random.Philox(c.judge.args.seed))
    x = tensor_of(blocks_of(generator, 40, 24))
    for kind in (torch.float32, torch.bfloat16, torch.float16):
        y = x.to(kind)
        for text in ("SAME", "FP[1|4|3,7](_N)", "FP[1|5|10,15](FN)", "BFP[8|8]{8}(SN)", "MXFP8[E4M3]{8}", "MXINT8{8}",
                     "SBFP<XP[4,0](CSN)><FP[0|4|4,7](FN)>{8}", "XP[8,0](CSN)", "XP[8,+4](__N)"):
            cast = numerical.CastTo(format=text)
            c.same("CastTo", f"CastTo({text})", y, lambda: cast(y), any_nan=True)
        for text in ("XP[8,0](CSN)", "XP[4,+2](C_U)"):
            for group, channel in ((None, False), (8, False), (5, False), (None, True)):
                count = 1 if group is None and not channel else 24 if channel else -(-24 // group)
                scale = there(torch.from_numpy(generator.uniform(0.001, 40, count).astype(np.float32)))
                zero = there(torch.from_numpy(generator.integers(-20, 20, count).astype(np.int32)))
                scheme = torch.per_channel_affine if channel else torch.per_tensor_affine
                cast = numerical.CastTo(format=text, group_size=group, qscheme=scheme, ch_axis=1)
                cast.scale, cast.zero_point = scale, zero
                c.same("CastTo", f"CastTo({text}, group_size={group}, ch_axis=1, per_channel={channel})", y,
                       lambda: cast(y), any_nan=True, scale=scale, zero_point=zero)
    if IS_CUDA:
        print("  not compared: gradients, pre_transforms, observers, which mxgold's own classes have on the CPU")
    else:
        gradients(c, numerical, x)
        pre_transforms(c, numerical)
        observers(c)
    cast = numerical.CastTo(format="MXFP8[E4M3]{8}")
    c.same("CastTo", "CastTo(MXFP8[E4M3]{8})", x, lambda: cast(x), any_nan=True, sees_wrong=True)


def gradients(c, numerical, x):
    """The gradients of CastTo, by mxgold.dmx's own autograd function."""
    for kind in (torch.float32, torch.float16):
        for text, scale in (("XP[8,0](CSN)", 3.7), ("XP[8,0](CSN)", 1e-30), ("MXFP8[E4M3]{8}", 1.0)):
            both = []
            for package in (numerical, ours):
                with mxgold.mode(c.mode):
                    cast = package.CastTo(format=text)
                    cast.scale = torch.tensor([scale])
                    cast.zero_point = torch.tensor([3], dtype=torch.int32)
                    y = x.to(kind).clone().requires_grad_()
                    incoming = torch.linspace(-3e38, 3e38, x.numel()).reshape(x.shape).to(kind)
                    cast(y).backward(incoming)
                    both.append(words_of(y.grad)[0])
            c.judge.same(f"gradient {text} {kind}", both[0], both[1], both[0], False)


def pre_transforms(c, numerical):
    """What CastTo does around the cast."""
    x = torch.randn(6, 8, 10, generator=torch.Generator().manual_seed(c.judge.args.seed)) * 3
    for text in ("BFP[8|8]{4}(_N)", "XP[8,0](CSN)", "MXFP4[E2M1]{8}"):
        for transform in ({"format": "FP[1|5|10,15](FN)"}, {"shaping": [("permute", (2, 0, 1)), ("view", (20, 24))]},
                          {"shaping": [("flatten", (1,))], "format": "BFP[4|8]{4}(SN)"},
                          {"noquant_shortcut": (slice(None), 1), "shaping": [("flatten", (0, 1))]}):
            for kind in (torch.float32, torch.float16):
                both = []
                for package in (numerical, ours):
                    with mxgold.mode(c.mode):
                        cast = package.CastTo(format=text)
                        cast.set_pre_transform(transform)
                        both.append(words_of(cast(x.to(kind)))[0])
                c.judge.same(f"pre_transform {text} {kind}", both[0], both[1], both[0], False)


def observers(c):
    """Scales and zero points by MinMaxObserver and HistogramObserver."""
    real = need("dmx.compressor.numerical.observer")
    generator = np.random.default_rng(c.judge.args.seed)
    for trial in range(40):
        text = ("XP[8,0](CSN)", "XP[4,0](C_N)", "XP[6,0](C_N)")[trial % 3]
        batches = [generator.standard_normal((40, 24)) * generator.uniform(0.1, 100) for _ in range(1 + trial % 3)]
        batches = [(np.abs(x) if trial % 5 == 2 else x + trial % 7).astype(np.float32) for x in batches]
        for name, scheme in (("MinMaxObserver", "per_tensor_affine"), ("MinMaxObserver", "per_channel_symmetric"),
                             ("HistogramObserver", "per_tensor_affine"), ("PercentileObserver", "per_tensor_symmetric")):
            theirs = getattr(real, name)(dtype=c.format(text), qscheme=getattr(torch, scheme), ch_axis=1)
            mine = getattr(ours, name)(dtype=ours.Format.from_shorthand(text), qscheme=scheme, ch_axis=1)
            for x in batches:
                theirs(torch.from_numpy(x))
                mine(x)
            scale, zero = theirs.calculate_qparams()
            my_scale, my_zero = map(np.asarray, mine.calculate_qparams())
            c.judge.same(f"{name} {scheme} {trial}", scale.numpy().view(np.uint32), my_scale.view(np.uint32),
                         scale.numpy().view(np.uint32), False)
            c.judge.same(f"{name} {scheme} {trial} zero", zero.numpy(), my_zero, zero.numpy(), False)


TEXTS = ["SAMEx", "samE", "foo", "", "XP[8,4](csn)", "xp[8,4](CSN)", "XP[8,4](CSN)x", "XP[8,4](CSn)", "XP[25,4](CSN)",
         "XP[8,4](CS)", "XP[8,4](CCSSN)", "XP[8,4](C_N)", "XP[8,4](1_N)", "XP[0x8,0b11](CSN)", "XP[0o10,4](CSN)",
         "XP[ 8, 4](CSN)", "XP[8,+-4](CSN)", "XP[8,- 4](CSN)", "XP[8, -4](CSN)", "XP[8,-0x4](CSN)", "XP[8,- 0x4](CSN)",
         "XP[8,0X1F](CSN)", "XP[8,0B11](CSN)", "XP[008,4](CSN)", "XP[8,  4](CSN)", "XP[8,   4](CSN)", "XP[8,4 ](CSN)",
         "XP[8,--4](CSN)", "XP[-8,4](CSN)", "XP[8,1_0](CSN)", "XP[8,4](C1N)", "XP[8,4](CSN", "XP[8,4](C-N)",
         "FP[1|4|3,7](_N)", "FP[1|4|3,7](FFN)", "FP[1|4|3,7](F1N)", "FP[1|4|3,7](FN1)", "FP[2|4|3,7](FN)",
         "FP[-1|4|3,7](FN)", "FP[1|9|3,7](FN)", "FP[1|4|3,200](FN)", "fp[1|4|3,7](FN)", "FP[1|4|3,7](fN)",
         "FP[1|4|3,7](Fn)", "FP[1|4|24,7](FN)", "FP[1|8|7,126](FN)", "FP[1|4|3,-113](FN)", "FP[1|4|3,-112](FN)",
         "FP[1|4|3,127](FN)", "FP[1|4|3,128](FN)", "FP[0x1|4|3,+7](_U)", "BFP[8|8]{64}(SN)", "BFP[8|8]{64,-1}(SN)",
         "BFP[8|7]{64}(SN)", "BFP[8|8]{0}(SN)", "BFP[8|8]{-4}(SN)", "BFP[8|8]{64}(_N)", "BFP[8|8]{64}(N)",
         "bfp[8|8]{64}(SN)", "BFP[26|8]{64}(SN)", "BFP[1|8]{64}(SN)", "BFP[8|8]{64}(sD)", "BFP[25|8]{1}(SS)",
         "SBFP<XP[4,0](CSN)><FP[0|4|4,7](FN)>{16}", "SBFP<xp[4,0](CSN)><fp[0|4|4,7](FN)>{16}",
         "SBFP<XP[4,1](CSN)><FP[0|4|4,7](FN)>{16}", "SBFP<XP[4,0](C_N)><FP[0|4|4,7](FN)>{16}",
         "SBFP<XP[4,0](CSN)><FP[0|4|4,7](FN)>{0}", "SBFP<XP[4,0](CSN)>{16}", "SBFP<FP[0|4|4,7](FN)><XP[4,0](CSN)>{16}",
         "sbfp<XP[4,0](CSN)><FP[0|4|4,7](FN)>{16}", "SBFP<XP[4,0](CSN)><FP[0|4|4,7](FN)>{16}{17}",
         "SBFP<XP[4,0](CSn)><FP[0|9|4,7](FN)>{16}", "MXFP8[E4M3]{32}", "MXFP8[e4m3]{32}", "MXFP8[E4M2]{32}",
         "MXFP9[E8M0]{32}", "MXFP4[E3M0]{32}", "MXFP8[E4M3]{0}", "MXFP1[E0M0]{4}", "MXFP10[E9M0]{4}",
         "mxfp8[E4M3]{32}", "MXINT8{32}", "MXINT1{32}", "MXINT26{32}", "MXINT8{32}x", "MXint8{32}", "MXINT+8{ 32}",
         "MXFP+8[E 4M03]{32}", "MXINT8{100}", "BFP[8|8]{100}(SN)", "BFP[16|8]{64}(_N)", "BFP[6|8]{3}(_N)",
         "SBFP<XP[4,0](CSN)><FP[0|4|4,19](FN)>{16}", "SBFP<XP[7,0](CSN)><FP[1|4|4,7](FN)>{11}", "MXFP6[E3M2]{7}",
         "MXFP8[E4M3]{1000000007}", "BFP[4|8]{12345}(SN)", "FP[0|4|4,7](FN)", "XP[13,-20](__S)"]
FACTS = ("blocked", "bit_precision", "bytes_per_elem", "bfp_id", "largest_representable_power_of_two")


def texts(c):
    """repr, facts and exceptions of shorthands."""
    def outcome(function):
        try:
            return str(function())
        except Exception as error:
            return f"{type(error).__name__} {error}"

    for text in TEXTS:
        real = outcome(lambda: repr(c.format(text)))
        cast = outcome(lambda: repr(_library.Cast("dmx:" + text, c.mode)))
        agree = cast == real
        if agree and not real.split(" ")[0].endswith("Error"):
            format, facts = c.format(text), _library.Cast("dmx:" + text, c.mode).properties()
            for fact in FACTS:
                if not hasattr(type(format), fact):
                    continue
                value = facts.get(fact)
                value = f"{type(value).__name__} {value}" if isinstance(value, Exception) else value
                theirs = outcome(lambda: getattr(format, fact))
                if value != theirs:
                    print(f"    {text} {fact}: mxgold {value}, dmx {theirs}")
                c.judge.same(f"{text} {fact}", [0], [int(value != theirs)], [0], False)
        if not agree:
            print(f"    {text!r}: mxgold {cast}, dmx {real}")
        c.judge.same(f"text {text!r}", [0], [int(not agree)], [0], text in ("XP[8,+-4](CSN)", "samE"))


def shapes(c):
    """Empty and 0-dimensional tensors, axes out of range."""
    texts = ["SAME", "XP[8,4](CSN)", "FP[1|4|3,7](_N)", "FP[1|5|10,15](_N)", "BFP[8|8]{4}(SN)", "BFP[8|8]{4}(_N)",
             "BFP[8|8]{1}(SN)", "SBFP<XP[4,0](CSN)><FP[0|4|4,7](FN)>{4}", "MXFP8[E4M3]{4}", "MXFP11[E7M3]{4}",
             "MXINT8{4}"]
    for text in texts:
        for shape in ((), (0,), (3, 0), (0, 3), (0, 6), (3,), (5,), (2, 0, 3), (0, 2, 3), (2, 3, 0), (2, 3, 5),
                      (2, 4, 4, 3)):
            if IS_CUDA and 0 in shape:  # a launch of no blocks fails, which a later call of torch raises
                continue
            for axis in (-1, 0, 1, 2, 3, -2, -3, 5):
                x = there(torch.arange(1, 1 + int(np.prod(shape)), dtype=torch.float32).reshape(shape) * 0.37)
                c.cast(f"axis {axis}", text, x, axis, any_nan=True)
    for dim in (-1, 0, 1, 5, -2, -3):
        for shape in ((), (0,), (3,), (2, 3), (2, 0), (0, 2), (2, 3, 4)):
            if IS_CUDA and 0 in shape:
                continue
            x = there(torch.arange(1, 1 + int(np.prod(shape)), dtype=torch.float32).reshape(shape) * 0.37)
            c.same("function", f"block_quantize(wl=4, dim={dim}, rounding=nearest)", x,
                   lambda: c.quant.block_quantize(x, 4, dim, rounding="nearest"))
    x = there(torch.tensor([[3.3, 0.0, 1.9, 1.0]]))
    c.cast("rows", "MXFP8[E4M3]{2}", x, -1, sees_wrong=True)


def main():
    judge = Judge("dmx system", f"dmx-compressor 0.1.11, {versions(torch)}", SURFACES, FLAGS)
    comparison = Comparison(judge)
    torch.set_num_threads(1)
    for surface in SURFACES:
        if judge.wants(surface):
            globals()[surface](comparison)
    judge.finish()


if __name__ == "__main__":
    main()
