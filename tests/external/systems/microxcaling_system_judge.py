#!/usr/bin/env python3
"""The emulated system microxcaling, compat, against the package: element-wise and block quantization of fp32, bf16,
fp16 and fp64 tensors in its Python arithmetic, dither from the torch seed, refusals, and its C++ functions.

The package is a checkout: MX_MICROXCALING names it. The surface `cpp` wants its extension, which nothing here
builds: MX_MICROXCALING_EXTENSION names the file, else it is skipped. What PyTorch computes has no NaN bits in common
over machines, so there every NaN counts as one; those of the C++ functions are compared as they are.
"""

import importlib.util
import os
import sys
import warnings
from pathlib import Path

import numpy as np

from judge import SKIP, Judge, need
from device import FLAGS, IS_CUDA, PLATFORM, there, versions
import stimuli

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "python"))
sys.path.insert(0, os.environ.get("MX_MICROXCALING") or os.environ.get("MX_MICROXCALING_DEFAULT", ""))
torch, mx_ops, elemwise, mxgold, systems = need("torch", "mx.mx_ops", "mx.elemwise_ops", "mxgold", "mxgold._systems")
ours_elemwise = need("mxgold.microxcaling.elemwise_ops")

FORMATS = ("int8", "int4", "int2", "fp8_e5m2", "fp8_e4m3", "fp6_e3m2", "fp6_e2m3", "fp4", "float16", "bfloat16")
ROUNDINGS = ("nearest", "floor", "even")
TYPES = {torch.float32: (torch.int32, np.uint32), torch.bfloat16: (torch.int16, np.uint16),
         torch.float16: (torch.int16, np.uint16), torch.float64: (torch.int64, np.uint64)}
WRONG = {"nearest": "floor", "even": "floor", "floor": "nearest", "dither": "nearest"}
if IS_CUDA:  # torch takes the logarithms and powers of CUDA's binary64 library, which mxgold refuses to be asked for
    del TYPES[torch.float64]
SHORT = {torch.float32: "fp32", torch.bfloat16: "bf16", torch.float16: "fp16", torch.float64: "fp64"}


def tensor(patterns, dtype):
    integer, word = TYPES[dtype]
    signed = np.dtype(word).name[1:]
    return there(torch.from_numpy(patterns.astype(word).view(signed).copy()).view(dtype))


def patterns(values, one_nan=True):
    integer, word = TYPES[values.dtype]
    values = values.cpu()
    bits = values.contiguous().view(integer).numpy().view(word).copy()
    if one_nan:
        bits[torch.isnan(values).numpy()] = np.iinfo(word).max
    return bits


def is_rounded(dtype, fmt):
    """Does the format lack numbers that the tensor has? Else a wrong rounding has nothing to show."""
    return (dtype, fmt) not in ((torch.bfloat16, "bfloat16"), (torch.bfloat16, "float16"), (torch.float16, "float16"))


class System:
    """Ours and theirs for the same call."""

    def __init__(self, judge):
        self.judge = judge

    def ours(self, name, x, **parameters):
        if self.judge.args.wrong:
            parameters["round"] = WRONG[parameters.get("round", "nearest")]
        text = ",".join(f"{key}={str(value).replace('[', '(').replace(']', ')')}" for key, value in parameters.items())
        return systems.apply(f"microxcaling:{name}({text})", x.cpu(), mode="compat")["values"]

    def same(self, what, x, ours, theirs, one_nan=True, sees_wrong=True):
        inputs = patterns(x) if x.numel() == theirs.numel() else np.zeros(0)
        self.judge.same(what, inputs, patterns(ours, one_nan), patterns(theirs, one_nan), sees_wrong)

    def elemwise(self, what, x, fmt, sees_wrong=True, **parameters):
        theirs = elemwise._quantize_elemwise(x, fmt, **parameters)
        self.same(f"{SHORT[x.dtype]} {fmt} {what}", x,
                  self.ours("quantize_elemwise", x, elem_format=fmt, **parameters), theirs,
                  sees_wrong=sees_wrong and is_rounded(x.dtype, fmt))

    def block(self, what, x, fmt, scale_bits=8, sees_wrong=True, **parameters):
        theirs = mx_ops._quantize_mx(x, scale_bits, fmt, **parameters)
        ours = self.ours("quantize_mx", x, elem_format=fmt, scale_bits=scale_bits, **parameters)
        self.same(f"{SHORT[x.dtype]} {fmt} {what}", x, ours, theirs,
                  sees_wrong=sees_wrong and is_rounded(x.dtype, fmt))


def slips():
    """binary32 within 50 of every power of two, both signs."""
    powers = (np.arange(0, 256, dtype=np.int64) << 23)[:, None] + np.arange(-50, 51)
    subnormal = (np.int64(1) << np.arange(0, 23))[:, None] + np.arange(-50, 51)
    values = np.concatenate([powers.reshape(-1), subnormal.reshape(-1)])
    values = values[(values >= 0) & (values < 1 << 31)].astype(np.uint32)
    return np.concatenate([values, values | np.uint32(1 << 31)])


def singles(judge):
    count = 10_000_000 if judge.args.exhaustive else 60_000
    return np.concatenate([stimuli.structured("fp32", judge.args.seed, count), slips()])


def doubles(judge):
    count = 1_000_000 if judge.args.exhaustive else 20_000
    structured = stimuli.structured("fp64", judge.args.seed, count)
    near = (np.arange(1, 2047, dtype=np.int64) << 52)[:, None] + np.arange(-720, 721, 7)
    return np.concatenate([structured, near.reshape(-1).astype(np.uint64)])


def inputs_of(judge, dtype):
    if dtype is torch.float32:
        return tensor(singles(judge), dtype)
    if dtype is torch.float64:
        return tensor(doubles(judge), dtype)
    return tensor(stimuli.all_16_bit(), dtype)


def refuses(fmt, dtype, saturates):
    """bfloat16's maximum is no binary16 number, so clamp() raises, but on a GPU."""
    return dtype is torch.float16 and fmt == "bfloat16" and saturates and not IS_CUDA


def judge_elements(judge):
    system = System(judge)
    for dtype in TYPES:
        x = inputs_of(judge, dtype)
        for fmt in FORMATS:
            for mode in ROUNDINGS:
                for saturates in (False, True):
                    for denormals in (False, True):
                        if not refuses(fmt, dtype, saturates):
                            system.elemwise(f"{mode} {saturates} {denormals}", x, fmt, round=mode,
                                            saturate_normals=saturates, allow_denorm=denormals)
    judge_custom(judge, system)


def judge_custom(judge, system):
    """bfloatN, fpN and parameters of no named format."""
    if torch.float64 in TYPES:
        x = inputs_of(judge, torch.float64)
        for mode in ROUNDINGS:
            for exp_bits, mantissa in ((11, 52), (11, 51), (11, 30), (10, 52), (9, 40), (5, 10)):
                system.same(f"fp64 fp {exp_bits} {mantissa} {mode}", x,
                            system.ours("quantize_fp", x, exp_bits=exp_bits, mantissa_bits=mantissa, round=mode),
                            elemwise._quantize_fp(x, exp_bits, mantissa, round=mode), sees_wrong=mantissa <= 40)
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        x = tensor(slips(), torch.float32).to(dtype) if dtype is torch.float32 else inputs_of(judge, dtype)
        for mode in ROUNDINGS:
            for bfloat in (10, 11, 15, 16, 17, 24, 30, 31, 33, 40):
                system.same(f"{SHORT[dtype]} bfloat {bfloat} {mode}", x,
                            system.ours("quantize_bfloat", x, bfloat=bfloat, round=mode),
                            elemwise._quantize_bfloat(x, bfloat, round=mode), sees_wrong=bfloat < 15)
            for exp_bits, mantissa in ((5, 0), (5, 1), (5, 7), (5, 10), (6, 9), (7, 4), (8, 7), (8, 22), (5, 20)):
                system.same(f"{SHORT[dtype]} fp {exp_bits} {mantissa} {mode}", x,
                            system.ours("quantize_fp", x, exp_bits=exp_bits, mantissa_bits=mantissa, round=mode),
                            elemwise._quantize_fp(x, exp_bits, mantissa, round=mode), sees_wrong=mantissa in (1, 4))
            for bits, exp_bits, most in ((1, 4, 448.), (2, 2, 6.), (3, 1, 6.), (4, 9, 1e9), (9, 12, 3e38), (6, 0, 1.5),
                                         (24, 8, 1e30), (25, 8, 1e30), (26, 8, 1e30), (20, 3, 30.), (0, 4, 448.)):
                theirs = elemwise._quantize_elemwise_core(x, bits, exp_bits, most, round=mode)
                ours = system.ours("quantize_elemwise", x, bits=bits, exp_bits=exp_bits, max_norm=most.hex(),
                                   round=mode)
                system.same(f"{SHORT[dtype]} core {bits} {exp_bits} {mode}", x, ours, theirs,
                            sees_wrong=2 <= bits < 9 and exp_bits > 1)


def spread(generator, shape, dtype):
    """Numbers of a tensor around one magnitude each run of the last axis, with zeros and ties; now and then a NaN, an
    infinity, the ends of the range."""
    size = int(np.prod(shape))
    blocks = stimuli.random_blocks(generator, max(1, -(-size // 32)), 32).reshape(-1)[:size]
    kind = generator.integers(0, 400, size=size)
    blocks = np.where(kind < 20, blocks & np.uint32(0x80000000), blocks)
    special = np.array([0x7FC00000, 0xFFFFFFFF, 0x7F800001, 0xFF800000, 0x7F7FFFFF, 1, 0x00400000, 0x807FFFFF,
                        0x00800000, 0x7F7FFFE0])
    blocks = np.where(kind >= 399, special[generator.integers(0, len(special), size=size)].astype(np.uint32), blocks)
    values = tensor(blocks, torch.float32)
    if dtype is torch.float16:  # brought into its range, so that blocks do not overflow
        values = torch.ldexp(values, there(torch.from_numpy(generator.integers(-10, 10, size=size))))
    if dtype is not torch.float32:
        values = values.to(dtype)
        if dtype is torch.float16:
            field = generator.integers(0, 1 << 16, size=size, dtype=np.uint16)
            values = torch.where(torch.isinf(values), tensor(field, dtype), values)
    return values.reshape(shape)


def judge_blocks(judge):
    system = System(judge)
    generator = np.random.Generator(np.random.Philox(judge.args.seed))
    rows = 60_000 if judge.args.exhaustive else 1_500
    for dtype in TYPES:
        wide = spread(generator, (rows, 32), dtype)
        for fmt in FORMATS:
            if refuses(fmt, dtype, True):
                continue
            for mode in ROUNDINGS:
                for flush in (False, True):
                    system.block(f"{mode} flush={flush}", wide, fmt, axes=[-1], block_size=32, round=mode,
                                 flush_fp32_subnorms=flush)
            judge_shapes(system, generator, dtype, fmt)
    judge_tops(judge, system)


def judge_shapes(system, generator, dtype, fmt):
    cube = spread(generator, (5, 37, 11), dtype)
    for size in (0, 1, 2, 3, 5, 16, 31, 32, 64, 1024):
        for axis in (0, 1, 2, -1, -2, -3, -4, -6):
            system.block(f"size {size} axis {axis}", cube, fmt, axes=[axis], block_size=size, sees_wrong=False)
    for axes in ([0, 1], [1, 2], [-1, 0], [0, 1, 2], []):
        for size in (0, 2, 4, 16):
            system.block(f"size {size} axes {axes}", cube, fmt, axes=axes, block_size=size, sees_wrong=False)
    for bits in (1, 2, 3, 4, 5, 6, 7, 9, 10, 16):
        system.block(f"scale_bits {bits}", cube, fmt, scale_bits=bits, axes=[-1], block_size=4, sees_wrong=False)
    system.block("none", cube, fmt, axes=[-1], block_size=4, shared_exp_method="none", sees_wrong=False)
    for shape in ((), (1,), (0, 3), (3, 0)):
        axes = [1] if shape == (0, 3) else [0]
        system.block(f"shape {shape}", spread(generator, shape, dtype), fmt, axes=axes, block_size=0,
                     sees_wrong=False)


def judge_tops(judge, system):
    """Blocks whose maximum is next to a power of two, beside every magnitude that may matter."""
    generator = np.random.Generator(np.random.Philox(judge.args.seed + 1))
    tops = slips()
    tops = tops[tops < 1 << 31]
    if not judge.args.exhaustive:
        tops = tops[::11]
    others = stimuli.random_blocks(generator, tops.size, 8)
    block = np.minimum(others & np.uint32(0x7FFFFFFF), tops[:, None]) | (others & np.uint32(1 << 31))
    block[:, 3] = tops
    for fmt in FORMATS:
        for mode in ROUNDINGS:
            system.block(f"top {mode}", tensor(block, torch.float32), fmt, axes=[-1], block_size=8, round=mode)
            words = stimuli.all_16_bit()
            pairs = np.stack([words, generator.integers(0, 1 << 16, words.size, dtype=np.uint16)], axis=1)
            system.block(f"pairs {mode}", tensor(pairs, torch.bfloat16), fmt, axes=[-1], block_size=2, round=mode)
            if fmt != "bfloat16":
                system.block(f"pairs {mode}", tensor(pairs, torch.float16), fmt, axes=[-1], block_size=2, round=mode)


def words_of(seed, count, dtype):
    """The words that rand_like makes its numbers of: the low 24 bits of each, of binary64 the low 53 of two."""
    torch.manual_seed(seed)
    if dtype is not torch.float64:
        return (torch.rand(count).double() * 2.0**24).numpy().astype(np.uint32)
    numbers = (torch.rand(count, dtype=dtype) * 2.0**53).long().numpy()
    return np.stack([numbers >> 32, numbers & 0xFFFFFFFF], axis=-1).astype(np.uint32).reshape(-1)


def judge_dither(judge):
    generator = np.random.Generator(np.random.Philox(judge.args.seed))
    system = System(judge)
    for dtype in TYPES:
        x = spread(generator, (40, 37), dtype)
        for fmt in FORMATS:
            if refuses(fmt, dtype, True):
                continue
            for size, padded in ((0, 37), (32, 64), (5, 40)):
                torch.manual_seed(7)
                theirs = mx_ops._quantize_mx(x, 8, fmt, axes=[-1], block_size=size, round="dither")
                words = words_of(7, 40 * padded, dtype)
                if judge.args.wrong:
                    words = words[::-1].copy()
                ours = systems.apply(f"microxcaling:quantize_mx(elem_format={fmt},axes=(-1),block_size={size},"
                                     "round=dither)", x.cpu(), random=words, mode="compat")["values"]
                system.same(f"{SHORT[dtype]} {fmt} dither {size}", x, ours, theirs)
            torch.manual_seed(8)
            theirs = elemwise._quantize_elemwise(x, fmt, round="dither")
            words = words_of(8, x.numel(), dtype)
            if judge.args.wrong:
                words = words[::-1].copy()
            ours = systems.apply(f"microxcaling:quantize_elemwise(elem_format={fmt},round=dither)", x.cpu(), random=words,
                                 mode="compat")["values"]
            system.same(f"{SHORT[dtype]} {fmt} element dither", x, ours, theirs, sees_wrong=False)
    dither_of_binary64(judge, system)


def dither_of_binary64(judge, system):
    """Python functions that draw their own words, on the values where additions round."""
    near = (np.arange(960, 1090, dtype=np.int64) << 52)[:, None] + np.arange(-3, 4)
    x = tensor(np.concatenate([doubles(judge), near.reshape(-1).astype(np.uint64)]), torch.float64)
    with mxgold.mode("compat"):
        for bits, exp_bits in ((54, 11), (54, 0), (53, 11), (53, 0), (40, 8), (25, 10), (2, 2), (8, 0), (12, 5)):
            for saturates, denormals in ((False, True), (True, False)):
                limit = 1.5 if exp_bits == 0 else 2.0 ** (2 ** (exp_bits - 1) - 2)
                results = []
                for call in (elemwise._quantize_elemwise_core, ours_elemwise._quantize_elemwise_core):
                    torch.manual_seed(9 if not judge.args.wrong or call is elemwise._quantize_elemwise_core else 10)
                    results.append(call(x, bits, exp_bits, limit, "dither", saturates, denormals))
                system.same(f"fp64 dither of bits {bits}, exp_bits {exp_bits}", x, *results[::-1], sees_wrong=bits > 2)


def outcome(call):
    try:
        return f"values of {tuple(call().shape)}"
    except Exception as error:  # the class and the words are what is compared
        return f"{type(error).__name__}: {error}".splitlines()[0]


def judge_refusals(judge):
    """Which calls raise what: the class and the text."""
    shapes = ((), (3,), (0,), (0, 2), (2, 0), (2, 3))
    theirs, ours, calls = [], [], []
    for size in (0, 2):
        for axes in ([0], [-1], [-2], [1], [2], [-3], [], [0, 1]):
            for shape in shapes:
                calls.append((dict(axes=axes, block_size=size), there(torch.ones(shape))))
    calls.append((dict(axes=[0], fmt="bfloat16"), there(torch.ones(2, dtype=torch.float16))))
    calls.append((dict(axes=[0], scale_bits=17), there(torch.ones(2, dtype=torch.float16))))
    system = System(judge)
    for options, x in calls:
        options = {"fmt": "fp4", "scale_bits": 8, "block_size": 0, **options}
        bits, fmt = options.pop("scale_bits"), options.pop("fmt")
        theirs.append(outcome(lambda: mx_ops._quantize_mx(x, bits, fmt, **options)))
        if judge.args.wrong:
            options["axes"] = [axis + 1 for axis in options["axes"]]
        ours.append(outcome(lambda: system.ours("quantize_mx", x, elem_format=fmt, scale_bits=bits, **options)))
    different = [i for i in range(len(ours)) if ours[i] != theirs[i]]
    for i in different[:12]:
        print(f"    {calls[i][0]} {tuple(calls[i][1].shape)}: mxgold {ours[i]}; the package {theirs[i]}")
    flags = np.array([i in different for i in range(len(ours))], dtype=np.uint8)
    judge.same("refusals", np.arange(len(ours)), flags, np.zeros_like(flags))


def has_extension():
    return os.path.exists(os.environ.get("MX_MICROXCALING_EXTENSION", ""))


def extension():
    if not has_extension():
        print("SKIP microxcaling cpp: MX_MICROXCALING_EXTENSION names no built extension of the checkout")
        sys.exit(SKIP)
    spec = importlib.util.spec_from_file_location("custom_extensions", os.environ["MX_MICROXCALING_EXTENSION"])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def judge_cpp(judge):
    """The C++ functions; _quantize_mx's own tiling stands before them."""
    built = type(sys)("mx.custom_extensions")
    built.funcs = extension()
    sys.modules["mx.custom_extensions"] = built
    import mx
    mx.custom_extensions = built
    system = System(judge)
    generator = np.random.Generator(np.random.Philox(judge.args.seed))

    def both(what, name, x, theirs, sees_wrong=True, **parameters):
        ours = system.ours(name, x, path="cuda" if IS_CUDA else "cpp", **parameters)
        system.same(f"cpp {SHORT[x.dtype]} {what}", x, ours, theirs, one_nan=False, sees_wrong=sees_wrong)

    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        x = inputs_of(judge, dtype)
        for mode in ROUNDINGS:
            for fmt in FORMATS:
                for saturates in (False, True):
                    for denormals in (False, True):
                        options = dict(round=mode, saturate_normals=saturates, allow_denorm=denormals)
                        both(f"{fmt} {options}", "quantize_elemwise", x,
                             elemwise._quantize_elemwise(x, fmt, custom_cuda=True, **options), is_rounded(dtype, fmt),
                             elem_format=fmt, **options)
            for bfloat in (10, 15, 16, 24, 30, 31):
                both(f"bfloat {bfloat} {mode}", "quantize_bfloat", x,
                     elemwise._quantize_bfloat(x, bfloat, custom_cuda=True, round=mode), bfloat < 15, bfloat=bfloat,
                     round=mode)
        rows = 60_000 if judge.args.exhaustive else 1_500
        wide, cube = spread(generator, (rows, 32), dtype), spread(generator, (5, 37, 11), dtype)
        for fmt in FORMATS:
            for mode in ROUNDINGS:
                for flush in (False, True):
                    for bits in (8, 4, 9):
                        options = dict(axes=[-1], block_size=32, round=mode, flush_fp32_subnorms=flush)
                        both(f"{fmt} blocks {bits} {options}", "quantize_mx", wide,
                             mx_ops._quantize_mx(wide, bits, fmt, custom_cuda=True, **options),
                             bits == 8 and is_rounded(dtype, fmt),
                             elem_format=fmt, scale_bits=bits, **options)
            for size in (0, 1, 3, 32, 1024):
                for axis in (0, 1, -1):
                    both(f"{fmt} size {size} axis {axis}", "quantize_mx", cube,
                         mx_ops._quantize_mx(cube, 8, fmt, axes=[axis], block_size=size, custom_cuda=True),
                         False, elem_format=fmt, scale_bits=8, axes=[axis], block_size=size)


SURFACES = {"elements": judge_elements, "blocks": judge_blocks, "dither": judge_dither, "refusals": judge_refusals,
            "cpp": judge_cpp}


def main():
    judge = Judge("microxcaling system", f"microxcaling 1.1.0, {versions(torch)}", tuple(SURFACES), FLAGS)
    mxgold.mode("compat", platform=PLATFORM)
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore")
    if IS_CUDA:
        print("  fp64: not compared here, mxgold refuses it")
    for name, surface in SURFACES.items():
        if judge.wants(name) and name == "dither" and IS_CUDA:
            print("  dither: torch's random numbers on a GPU are others, not compared here")
        elif judge.wants(name) and (judge.args.surface or name != "cpp" or has_extension()):
            surface(judge)
    judge.finish()


if __name__ == "__main__":
    main()
