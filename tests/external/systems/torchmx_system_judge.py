#!/usr/bin/env python3
"""The emulated torchmx in compat mode against the package itself: scale bytes, codes, decoded values, hp_to_floatx, and
which calls are refused, on the CPU or with --cuda on a GPU. NaNs are compared as NaN: torch computes them, so their bits are
not part of compat."""

import functools
import os
import pathlib
import sys
import warnings

import numpy as np

# The package, before the module of the same name that other judges share.
sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "python"))
import mxgold._library  # noqa: E402
from judge import Judge, need  # noqa: E402
from device import FLAGS, IS_CUDA, PLATFORM, there, versions  # noqa: E402
import stimuli  # noqa: E402

warnings.filterwarnings("ignore")
torch = need("torch")
sys.path.insert(0, os.environ.get("MX_TORCHMX") or os.environ.get("MX_TORCHMX_DEFAULT", ""))
mx_tensor, env, dtypes, floatx, torchao = need("torchmx.mx_tensor", "torchmx.env_variables", "torchmx.dtypes",
                                               "torchmx.custom_float_cast", "torchao")
Cast = mxgold._library.Cast

ELEMENTS = ("float8_e4m3", "float6_e3m2", "float6_e2m3", "float4_e2m1", "int8")
PATHS = {"False": "simulated", "True": "hw_exact"}
TARGETS = {"bfloat16": torch.bfloat16, "float32": torch.float32, "float16": torch.float16, "float64": torch.float64}
# A wrong policy: the codes of another type of the same width. float4_e2m1 has its nibbles swapped instead.
WRONG = {"float8_e4m3": "int8", "int8": "float8_e4m3", "float6_e3m2": "float6_e2m3", "float6_e2m3": "float6_e3m2",
         "float4_e2m1": "float4_e2m1"}
SIZES = (1, 2, 3, 4, 5, 7, 8, 16, 31, 32, 33, 64, 100, 127, 128, 255, 256, 512, 1000, 1023, 1024)
WIDTHS = {2: np.uint16, 4: np.uint32, 8: np.uint64}


def bf16(words):
    return there(torch.from_numpy(np.ascontiguousarray(words).view(np.int16)).view(torch.bfloat16))


def bits(tensor):
    """The patterns of a tensor of floats, every NaN the same."""
    tensor = tensor.cpu().contiguous()
    integer = {2: torch.int16, 4: torch.int32, 8: torch.int64}[tensor.element_size()]
    words = tensor.view(integer).numpy().view(WIDTHS[tensor.element_size()])
    return np.where(torch.isnan(tensor).numpy(), ~words.dtype.type(0), words)


def our_bits(words, kind):
    """The same of results of a cast."""
    words = words.view(WIDTHS[words.dtype.itemsize])
    top = {"bf16": 0x7F80, "fp16": 0x7C00, "fp32": 0x7F800000, "fp64": 0x7FF0000000000000}[kind]
    magnitude = words & words.dtype.type((1 << (8 * words.itemsize - 1)) - 1)
    return np.where(magnitude > top, ~words.dtype.type(0), words)


@functools.lru_cache(maxsize=None)
def inputs_of(seed, size):
    """Some 50,000 bf16 words in blocks: maxima at every exponent, special words, random ones."""
    generator = np.random.Generator(np.random.Philox(seed + size))
    count = max(12, 17_000 // size)
    tops = generator.integers(0, 0x7F80, count, dtype=np.uint32) if count < 0x3FC0 else np.arange(0, 0x7F80, 2)
    directed = np.minimum((stimuli.random_blocks(generator, tops.size, size) & 0x7FFFFFFF) >> 16, tops[:, None])
    directed[:, 0] = tops
    signs = generator.integers(0, 2, size=directed.shape, dtype=np.uint32) << 15
    special = stimuli.random_blocks(generator, count, size) >> 16
    words = np.array([0x7F80, 0xFF80, 0x7FC0, 0xFFC0, 0x8000, 0], dtype=np.uint32)
    special = np.where(generator.integers(0, 2 * size, size=special.shape) == 0,
                       words[generator.integers(0, words.size, size=special.shape)], special)
    return np.concatenate([directed | signs, special, np.zeros((1, size), dtype=np.uint32),
                           stimuli.random_blocks(generator, count, size) >> 16]).astype(np.uint16)


def our_element(judge, element):
    return WRONG[element] if judge.args.wrong else element


def swapped_if_wrong(judge, element, codes):
    if judge.args.wrong and element == "float4_e2m1":
        return codes >> 4 | codes << 4
    return codes


def judge_quantize(judge):
    every = np.arange(1 << 16, dtype=np.uint16)
    sizes = range(1, 1025) if judge.args.exhaustive else SIZES
    for setting, path in PATHS.items():
        env.MX_EXACT_QUANTIZATION = setting
        for element in ELEMENTS:
            compare_quantized(judge, path, element, every[None, :], 1, "every word alone")
            tops = range(0, 255, 1 if judge.args.exhaustive else 17)
            for top in judge.chunks(255) if judge.args.exhaustive else tops:
                words = every[(every & 0x7FFF) < (top + 1) << 7]
                pairs = np.stack([np.full_like(words, top << 7 | 0x55), words], axis=-1)
                compare_quantized(judge, path, element, pairs, 2, f"every word under exponent {top}")
            for size in sizes:
                rows = inputs_of(judge.args.seed, size) if size > 1 else every[:, None]
                if element == "float4_e2m1" and size % 2:
                    rows = np.concatenate([rows, rows[::-1]], axis=1)
                compare_quantized(judge, path, element, rows, size, f"k={size}", size in (2, 32))


def compare_quantized(judge, path, element, words, size, what, sees_wrong=False):
    scale, data = mx_tensor.quantize_mx(bf16(words), element, size)
    cast = Cast(f"torchmx:quantize_mx(elem_dtype={our_element(judge, element)}, block_size={size}, path={path}, "
                "values=none)", "compat", PLATFORM)
    results = cast.apply({"values": (np.ascontiguousarray(words), "bf16")})
    name = f"{path} {element} {what}"
    judge.same(f"{name} scales", scale.cpu(), results["scale"][0], scale.cpu().numpy(), sees_wrong=False)
    ours = swapped_if_wrong(judge, element, results["data"][0].view(np.uint8))
    judge.same(f"{name} codes", data.cpu(), ours, data.cpu().view(torch.uint8).numpy(), sees_wrong=sees_wrong)


def judge_decode(judge):
    """Every code under every scale byte, in every target type."""
    codes, scales = np.meshgrid(np.arange(256, dtype=np.uint8), np.arange(256, dtype=np.uint8))
    for element in ELEMENTS:
        data = there(torch.from_numpy(codes.copy()))
        data = data.view(torch.int8) if element == "int8" else data
        size = 2 if element == "float4_e2m1" else 1
        for name, target in TARGETS.items():
            theirs = mx_tensor.dequantize_mx(data, there(torch.from_numpy(scales.copy())), element, size, target, 1)
            compare_decoded(judge, f"{element} to {name}", data, scales, element, size, name, 1, theirs, True)


def compare_decoded(judge, what, data, scales, element, size, name, dim, theirs, sees_wrong=False):
    wrong = our_element(judge, element)
    kind = "int8" if wrong == "int8" else "uint8"
    codes = swapped_if_wrong(judge, element, data.cpu().contiguous().view(torch.uint8).numpy())
    cast = Cast(f"torchmx:dequantize_mx(elem_dtype={wrong}, block_size={size}, target_dtype={name}, block_dim={dim})",
                "compat", PLATFORM)
    ours, type_name = cast.apply({"values": (np.ascontiguousarray(codes), kind),
                                  "scale": (np.ascontiguousarray(scales), "uint8")})["values"]
    theirs = bits(theirs)
    judge.same(what, theirs, our_bits(ours, type_name), theirs, sees_wrong=sees_wrong)


def judge_tensors(judge):
    """MXTensor: padding and its codes, and decoding with blocks along every dimension."""
    generator = np.random.Generator(np.random.Philox(judge.args.seed))
    for setting, path in PATHS.items():
        env.MX_EXACT_QUANTIZATION = setting
        for element in ELEMENTS:
            for size in (2, 4, 6, 8, 16, 32, 64):
                for length in (0, 1, 2, 3, 5, 8, 21, 31, 32, 33, 63, 64, 65, 100):
                    words = generator.integers(0, 1 << 16, (3, length), dtype=np.uint16)
                    if length > 1:
                        words[1:] = (words[1:] & 0x83FF) | 0x3C00
                    compare_tensor(judge, path, element, words, size, length > 31)
            shape = (2, 6, 4, 8)
            words = (generator.integers(0, 1 << 16, shape, dtype=np.uint16) & 0x81FF) | 0x3C00
            theirs = mx_tensor.MXTensor.to_mx(bf16(words), getattr(dtypes, element), 4)
            for dim in range(3):
                moved = theirs.transpose(dim, 3)
                compare_decoded(judge, f"{path} {element} blocks along {dim}", moved._data,
                                moved._scale_e8m0.cpu().contiguous().numpy(), element, 4, "bfloat16", dim,
                                moved.to_dtype(torch.bfloat16))
            scale, data = theirs._scale_e8m0, theirs._data
            for first, second in ((scale[:1], data), (scale, data[:1]), (scale[0], data), (scale, data[0])):
                compare_decoded(judge, f"{path} {element} broadcast", second, first.cpu().contiguous().numpy(), element, 4,
                                "float32", -1, mx_tensor.dequantize_mx(second, first, element, 4, torch.float32, -1))


def compare_tensor(judge, path, element, words, size, sees_wrong):
    theirs = mx_tensor.MXTensor.to_mx(bf16(words), getattr(dtypes, element), size)
    cast = Cast(f"torchmx:to_mx(elem_dtype={our_element(judge, element)}, block_size={size}, path={path}, "
                "values=float32)", "compat", PLATFORM)
    results = cast.apply({"values": (words, "bf16")})
    what = f"{path} {element} k={size} n={words.shape[1]}"
    judge.same(f"{what} scales", theirs._scale_e8m0.cpu(), results["scale"][0], theirs._scale_e8m0.cpu().numpy(), sees_wrong=False)
    ours = swapped_if_wrong(judge, element, results["data"][0].view(np.uint8))
    judge.same(f"{what} codes", theirs._data.cpu(), ours, theirs._data.cpu().view(torch.uint8).numpy(), sees_wrong=sees_wrong)
    values = bits(theirs.to_dtype(torch.float32))
    judge.same(f"{what} values", values, our_bits(*results["values"]), values, sees_wrong=False)


FLOATX = ((4, 3, 448.0), (5, 2, 57344.0), (3, 2, 28.0), (2, 3, 7.5), (2, 1, 6.0), (8, 13, 2.0 ** 127 * (2 - 2.0 ** -13)),
          (8, 7, 3.3895313892515355e38), (5, 10, 65504.0), (8, 22, 3.4028234663852886e38),
          (8, 23, 3.4028234663852886e38), (1, 3, 100.0), (0, 3, 100.0), (0, 0, 100.0), (1, 0, 3.0), (6, 5, 1e9),
          (9, 4, 1e30), (11, 30, 1e300), (11, 52, 1.7976931348623157e308), (16, 3, 1e30), (4, 60, 448.0), (4, 3, -1.0),
          (4, 3, float("nan")), (4, 3, 100.3), (4, 0, 240.0), (8, 24, 1e39), (4, 3, float("inf")))


def floatx_inputs(judge, double):
    """Neighbours of every power of two, ties and near ties at every exponent, special numbers, random patterns."""
    bits_of, top, word = (52, 2046, np.uint64) if double else (23, 254, np.uint32)
    count = 10_000_000 // len(FLOATX) if judge.args.exhaustive else 20_000
    generator = np.random.Generator(np.random.Philox(judge.args.seed))
    powers = np.arange(0, top + 2, dtype=word) << word(bits_of)
    powers = np.concatenate([powers, word(1) << np.arange(bits_of, dtype=word)])
    near = (powers[:, None].astype(np.int64) + np.arange(-50, 51)).ravel()
    near = near[near >= 0].astype(word)
    fractions = (generator.integers(0, 16, 4000).astype(word) << word(bits_of - 4)) + \
        generator.integers(0, 3, 4000).astype(word) - word(1)
    ties = (generator.integers(1, top, 4000).astype(word) << word(bits_of)) + fractions
    small = generator.integers(0, 1 << bits_of, 2000).astype(word)
    random = generator.integers(0, (top + 1) << bits_of, count).astype(word)
    middle = ((generator.integers(-30, 40, count // 2) + (top // 2)).astype(word) << word(bits_of)) | \
        generator.integers(0, 1 << bits_of, count // 2).astype(word)
    special = np.array([0, (top + 1) << bits_of, ((top + 1) << bits_of) + 1, ((top + 1) << bits_of) - 1], dtype=word)
    halves = np.arange(1 << 16, dtype=np.uint16)
    sixteen = np.concatenate([halves.view(np.float16).astype(np.float64 if double else np.float32).view(word),
                              (halves.astype(np.uint32) << 16).view(np.float32).astype(
                                  np.float64 if double else np.float32).view(word)])
    words = np.concatenate([near, ties, small, random, middle, special])
    return np.concatenate([words, words | word(1) << word(bits_of + (11 if double else 8)), sixteen])


def judge_floatx(judge):
    if IS_CUDA:
        print("  fp64: not compared here, mxgold refuses it")
    for double in (False,) if IS_CUDA else (False, True):
        words = floatx_inputs(judge, double)
        values = there(torch.from_numpy(words.view(np.float64 if double else np.float32)))
        kind = "fp64" if double else "fp32"
        for exponent_bits, mantissa_bits, largest in FLOATX:
            for mode in ("round_to_even", "truncate"):
                for keep in (True, False):
                    theirs = bits(floatx.hp_to_floatx(values, exponent_bits, mantissa_bits, largest, mode, keep))
                    ours_mode = {"round_to_even": "truncate", "truncate": "round_to_even"}[mode] if judge.args.wrong \
                        else mode
                    pattern = np.float64(largest).view(np.uint64)
                    cast = Cast(f"torchmx:hp_to_floatx(exponent_bits={exponent_bits}, mantissa_bits={mantissa_bits}, "
                                f"max_normal=0x{pattern:016X}, round_mode={ours_mode}, keep_subnormals={keep})",
                                "compat", PLATFORM)
                    ours = our_bits(*cast.apply({"values": (words, kind)})["values"])
                    judge.same(f"{kind} E{exponent_bits}M{mantissa_bits} max {largest} {mode} {keep}", words, ours,
                               theirs, sees_wrong=mantissa_bits < 22 and largest > 0)


def outcome(call):
    """The name of the exception of a call, or "" where there is none."""
    try:
        call()
    except Exception as error:  # whichever it is
        return type(error).__name__
    return ""


def judge_refusals(judge):
    """Calls that one side refuses: the other has to, with the same exception."""
    calls = []
    for shape in ((), (0,), (2, 0), (0, 8), (2, 0, 8), (8,), (4, 8), (3,), (2, 3)):
        for size in (-8, -3, -2, -1, 0, 1, 2, 3, 4, 5, 8):
            for element in ELEMENTS + ("float32", "e5m2"):
                words = np.zeros(shape, dtype=np.uint16)
                real = getattr(dtypes, element, None)
                calls.append((f"quantize_mx {shape} {size} {element}",
                              lambda w=words, e=element, s=size: mx_tensor.quantize_mx(bf16_of(w), e, s),
                              f"quantize_mx(elem_dtype={element}, block_size={size}, values=none)",
                              {"values": (words, "bf16")}))
                if real is not None:
                    calls.append((f"to_mx {shape} {size} {element}",
                                  lambda w=words, e=real, s=size: mx_tensor.MXTensor.to_mx(bf16_of(w), e, s),
                                  f"to_mx(elem_dtype={element}, block_size={size}, values=none)",
                                  {"values": (words, "bf16")}))
    for size in (-1, 0, 1, 2, 3, 4, 8):
        for dim in (-4, -3, -2, -1, 0, 1, 2, 5):
            for element in ELEMENTS:
                data = np.zeros((4, 8), dtype=np.int8 if element == "int8" else np.uint8)
                scales = np.zeros((4, 2), dtype=np.uint8)
                calls.append((f"dequantize_mx {size} {dim} {element}",
                              lambda d=data, c=scales, e=element, s=size, b=dim: mx_tensor.dequantize_mx(
                                  there(torch.from_numpy(d)), there(torch.from_numpy(c)), e, s, torch.bfloat16, b),
                              f"dequantize_mx(elem_dtype={element}, block_size={size}, block_dim={dim})",
                              {"values": (data, str(data.dtype)), "scale": (scales, "uint8")}))
    theirs, ours = [], []
    for name, real, text, tensors in calls:
        expected = outcome(real)
        found = outcome(lambda t=text, n=tensors: Cast("torchmx:" + t, "strict" if judge.args.wrong else "compat", PLATFORM)
                        .apply(n))
        if expected != found and not judge.args.wrong:
            print(f"    {name}: {found or 'accepted'}, torchmx {expected or 'accepted'}")
        theirs.append(hash(expected) & 0xFFFF)
        ours.append(hash(found) & 0xFFFF)
    judge.same("exceptions", np.arange(len(ours)), np.array(ours), np.array(theirs))


def bf16_of(words):
    return there(torch.zeros(words.shape, dtype=torch.bfloat16))


SURFACES = {"quantize": judge_quantize, "decode": judge_decode, "tensors": judge_tensors, "floatx": judge_floatx,
            "refusals": judge_refusals}


def main():
    judge = Judge("torchmx", f"torchmx 0.1.0, torchao {torchao.__version__}, {versions(torch)}",
                  tuple(SURFACES), FLAGS)
    torch.set_num_threads(1)
    for surface, run in SURFACES.items():
        if judge.wants(surface):
            run(judge)
    judge.finish()


if __name__ == "__main__":
    main()
