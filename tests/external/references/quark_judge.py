#!/usr/bin/env python3
"""mxgold against AMD Quark: block scales, and values that its quantizer brings back, of MXFP8, MXFP6, MXFP4 and MXINT8 under
its three ways to choose a scale; its conversions to FP8, FP6, FP4 and E5M3. Only those files of the package are loaded, from
a folder of its own (MX_QUARK), and its kernel of small floats is compiled by g++ (or $CXX) from the package's header."""

import ctypes
import os
import subprocess
import sys
import tempfile
import types
from pathlib import Path

import numpy as np

from judge import SKIP, Judge, need
import mxgold
import stimuli

torch = need("torch")
FOLDER = Path(os.environ.get("MX_QUARK") or os.environ.get("MX_QUARK_DEFAULT", ""))
KERNEL = "quark/torch/kernel/hw_emulation/csrc/mx/funcs.cuh"
LOOP = f"""#include "{KERNEL}"
#include <cstddef>
extern "C" void quantize(const float* in, float* out, std::size_t count, int ebits, int mbits, float largest, int mode) {{
  for (std::size_t i = 0; i < count; ++i) out[i] = fake_quantize_element(in[i], largest, ebits, mbits, RoundMode(mode));
}}
"""
PACKAGES = ("quark", "quark.common", "quark.common.utils", "quark.torch", "quark.torch.kernel",
            "quark.torch.kernel.hw_emulation", "quark.torch.quantization", "quark.torch.quantization.config", "quark.torch.utils")


def not_compared(what, left, why):
    print(f"  {what}: {np.count_nonzero(left)} not compared, {why}")


class Kernel:
    """In place of its compiled extension: the same function, in a loop over an array."""

    def __init__(self, folder):
        library = Path(folder) / "quark.so"
        command = [os.environ.get("CXX", "g++"), "-std=c++20", "-O1", "-w", "-fPIC", "-shared", "-I", str(FOLDER), "-x", "c++",
                   "-", "-o", str(library)]
        try:
            subprocess.run(command, input=LOOP, check=True, text=True)
        except FileNotFoundError:
            skip(f"{command[0]} is not installed")
        self.library = ctypes.CDLL(str(library))

    def fake_quantize_to_low_precision_fp(self, inputs, ebits, mbits, largest, mode):
        inputs = inputs.contiguous()
        output = torch.empty_like(inputs)
        self.library.quantize(ctypes.c_void_p(inputs.data_ptr()), ctypes.c_void_p(output.data_ptr()),
                              ctypes.c_size_t(inputs.numel()), ebits, mbits, ctypes.c_float(largest), mode)
        return output


def skip(reason):
    print(f"SKIP quark_judge.py: {reason}; install it with ./dev external-setup, or name a folder of "
          "`pip install --no-deps --target` in MX_QUARK")
    sys.exit(SKIP)


def load(folder):
    """The interface of its kernels and its rule of even scales; what they import besides is not run here."""
    if not (FOLDER / KERNEL).is_file():
        skip("amd-quark is not installed")
    for name in PACKAGES:
        module = types.ModuleType(name)
        module.__path__ = [str(FOLDER.joinpath(*name.split(".")))]
        sys.modules[name] = module
    sys.modules["quark.torch.utils"].__dict__.update(QUARK_AWQ_MEMORY_OPTIMIZATION=False, TRITON_GPU_SUPPORTS_FP8=False,
                                                     assert_no_nan=lambda *_: None)
    extensions = types.ModuleType("quark.torch.kernel.hw_emulation.extensions")
    extensions.kernel_ext = Kernel(folder)
    sys.modules[extensions.__name__] = extensions
    return need("quark.torch.kernel.hw_emulation.hw_emulation_interface", "quark.torch.quantization.utils",
                "quark.torch.kernel.float8_e5m3.reference")


# mxgold's block format: Quark's element, significand bits, exponent of the largest element
FORMATS = {"mxfp8_e4m3": ("fp8_e4m3", 3, 8), "mxfp8_e5m2": ("fp8_e5m2", 2, 15), "mxfp6_e3m2": ("fp6_e3m2", 2, 4),
           "mxfp6_e2m3": ("fp6_e2m3", 3, 2), "mxfp4": ("fp4", 1, 2)}
TYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
MODES = {"even": {}, "floor": {"variant": "floor"}, "ceil": {"variant": "ceil"}}
# Fractions of maxima, in 2^-23, at which some rule turns at some exponent, and their neighbours.
HEADS = [0, 1, 2, 0x1FFFFF, 0x200000, 0x3FFFFF, 0x400000, 0x400001, 0x5FFFFF, 0x600000, 0x600001, 0x6FFFFF, 0x700000, 0x77FFFF,
         0x780000, 0x7FFFD0, 0x7FFFE9, 0x7FFFEA, 0x7FFFF4, 0x7FFFF5, 0x7FFFFA, 0x7FFFFB, 0x7FFFFD, 0x7FFFFE, 0x7FFFFF]


def inputs_of(seed, source):
    """Blocks of 32: maxima of every exponent around the values where rules turn, tie-rich and random ones, zeros, and
    blocks with NaN and with Inf."""
    generator = np.random.Generator(np.random.Philox(seed))
    tops = ((np.arange(0, 255, dtype=np.uint32) << np.uint32(23))[:, None] | np.array(HEADS, dtype=np.uint32)).reshape(-1)
    directed = np.minimum(stimuli.random_blocks(generator, tops.size, 32) & 0x7FFFFFFF, tops[:, None])
    directed[:, 1] = tops
    directed |= generator.integers(0, 2, size=directed.shape, dtype=np.uint32) << 31
    special = stimuli.random_blocks(generator, 400, 32)
    special[:200, 3], special[200:, 5] = 0x7FC00000, 0x7F800000
    special[100:200, 4] = special[300:, 7] = 0xFF800000
    blocks = np.concatenate([directed, np.zeros((1, 32), np.uint32), np.full((1, 32), 0x80000000, np.uint32), special,
                             stimuli.random_blocks(generator, 6_000, 32)])
    if source == "fp32":
        return blocks
    if source == "bf16":
        return (blocks >> 16).astype(np.uint16)
    # binary16: the exponents folded into its range
    exponents = ((blocks >> 23) & 0xFF) % 31
    halves = ((blocks >> 16) & 0x8000) | (exponents << 10) | ((blocks >> 13) & 0x3FF)
    return np.where((blocks & 0x7F800000) == 0x7F800000, ((blocks >> 16) & 0x8000) | 0x7C00 | ((blocks >> 13) & 0x200),
                    halves).astype(np.uint16)


def tensor_of(words, source):
    if source == "fp32":
        return torch.from_numpy(words.astype(np.uint32).view(np.float32))
    return torch.from_numpy(words.astype(np.uint16).view(np.int16)).view(TYPES[source])


def words_of(tensor):
    """Patterns of a tensor."""
    if tensor.dtype == torch.float32:
        return tensor.contiguous().numpy().view(np.uint32)
    return tensor.contiguous().view(torch.int16).numpy().view(np.uint16)


def without_nan(words, source):
    return stimuli.one_nan(words, source, sign="drop")


def maxima(words, source):
    """The largest magnitude of each block, as a binary32 tensor; NaN where there is one."""
    return torch.max(torch.abs(tensor_of(words, source)), dim=-1, keepdim=True)[0]


def scale_of(quark, amax, element, emax, mode):
    """Its lines for each way to choose a scale (fake_quantize_mx, and PerBlockMXObserver.get_scale)."""
    if mode == "even":
        return quark[1].even_round(amax, element)
    log = torch.log2(amax)
    return torch.pow(2, (torch.floor(log) if mode == "floor" else torch.ceil(log)) - emax)


def opened(words, source, bits, mode):
    """Blocks that the profile leaves open, each with its reason."""
    top = words_of(maxima(words, source).float()).reshape(-1).astype(np.int64)
    number = top < 0x7F800000
    yield "carried to 2^128", number & (mode == "even") & (top + (1 << (22 - bits)) >= 0x7F800000)
    yield "of zeros", (top == 0) & (mode != "even")
    yield "with Inf", (top == 0x7F800000) & (mode != "even")


def judge_blocks(judge, library, quark):
    interface = quark[0]
    for source in TYPES:
        words = inputs_of(judge.args.seed, source)
        data = tensor_of(words, source)
        for name, (element, bits, emax) in FORMATS.items():
            for mode in MODES if source == "fp32" else ("even",):
                amax = maxima(words, source)
                scale = scale_of(quark, amax, element, emax, mode).float()
                theirs = words_of(interface.fake_quantize_mx(data, -1, 32, mode, mx_element_dtype=element).contiguous())
                options = {"profile": "quark-0.13", **MODES[mode]}
                if judge.args.wrong:
                    options["rounding"] = "toward_zero"
                codes, scales = library.quantize(words, source, name, **options)
                values = library.dequantize(codes, scales, name, output=source)
                kept = np.ones(len(words), bool)
                what = f"{source} {name} {mode}"
                for reason, left in opened(words, source, bits, mode):
                    if left.any():
                        not_compared(what, left, f"blocks {reason}")
                    kept &= ~left
                if mode != "even":
                    low = (words_of(scale).reshape(-1) < 0x00400000) & kept
                    not_compared(what, low, "blocks whose scale lies below 2^-127")
                    kept &= ~low
                ours = library.convert(scales.reshape(-1), "e8m0", "fp32").astype(np.uint32)
                judge.same(f"{what} scales", words[:, 0], without_nan(ours, "fp32")[kept],
                           without_nan(words_of(scale).reshape(-1), "fp32")[kept], sees_wrong=False)
                lanes = np.broadcast_to(kept[:, None], words.shape).copy()
                infinite = (words & (0x7FFFFFFF if source == "fp32" else 0x7FFF)) == {"fp32": 0x7F800000, "bf16": 0x7F80,
                                                                                     "fp16": 0x7C00}[source]
                nan_block = np.isnan(amax.float().numpy())
                if not name.startswith("mxfp8"):
                    left = lanes & infinite & ~nan_block
                    if left.any():
                        not_compared(what, left, "infinite elements, which it hands through")
                    lanes &= ~left
                ours, theirs = (without_nan(side, source)[lanes] for side in (values, theirs))
                judge.same(f"{what} values", words[lanes], ours, theirs)


def judge_integers(judge, library, quark):
    """MXINT8, which the profile leaves out: its smallest step is 2^-126, and its even scale reads another number of
    significand bits. Under floor and ceil, with maxima from 2^-119 on, it is what the options say."""
    words = inputs_of(judge.args.seed + 1, "fp32")
    top = (words & 0x7FFFFFFF).max(axis=1).astype(np.int64)
    kept = (top >= 8 << 23) & (top < 0x7F800000)
    words = np.ascontiguousarray(words[kept])
    not_compared("mxint8", ~kept, "blocks with maxima below 2^-119, NaN, Inf, or of zeros")
    for mode in ("floor", "ceil"):
        # Above 2^127 the scale of ceil is 2^128.
        fits = top[kept] <= (0x7F000000 if mode == "ceil" else 0x7F7FFFD0)
        theirs = words_of(quark[0].fake_quantize_mx(tensor_of(words, "fp32"), -1, 32, mode, mx_element_dtype="int8"))
        codes, scales = library.quantize(words, "fp32", "mxint8", rule=f"{mode}_log2f",
                                         rounding="toward_zero" if judge.args.wrong else "ties_to_even")
        values = library.dequantize(codes, scales, "mxint8")
        # An integer has no -0.
        theirs = np.where(theirs == 0x80000000, 0, theirs)
        not_compared(f"mxint8 {mode}", ~fits, "blocks whose scale is 2^128")
        judge.same(f"mxint8 {mode} values, signs of zeros apart", words[fits], values[fits], theirs[fits])


def judge_elements(judge, library, quark):
    interface, _, e5m3 = quark
    rounding = {"rounding": judge.wrong_rounding("ties_to_even")}
    for source in TYPES:
        words = stimuli.structured("fp32", judge.args.seed, 400_000) if source == "fp32" else stimuli.all_16_bit()
        data = tensor_of(words, source)
        for name, function in (("e4m3fn", interface.quant_fp8_e4m3), ("e5m2", interface.quant_fp8_e5m2)):
            theirs = function(data).view(torch.uint8).numpy()
            ours = library.convert(words, source, name, profile="quark-0.13", **rounding)
            what = f"{source} to {name}"
            if source == "bf16":  # torch's clamp of bfloat16 vectors makes every NaN a negative one
                largest = 0x7E if name == "e4m3fn" else 0x7C
                ours, theirs = (np.where((side & 0x7F) > largest, 0x7F, side) for side in (ours, theirs))
                what += ", signs of NaN apart"
            judge.same(what, words, ours, theirs)
        number = np.isfinite(data.float().numpy())
        not_compared(f"{source} to FP6 and FP4", ~number, "NaN and infinities, which it hands through")
        for name, (ebits, mbits, largest) in {"e2m1fn": (2, 1, 6.0), "e2m3fn": (2, 3, 7.5), "e3m2fn": (3, 2, 28.0)}.items():
            theirs = words_of(interface.fake_quantize_to_low_precision_fp(data.float(), ebits, mbits, largest, 0))
            codes = library.convert(words, source, name, profile="quark-0.13", **rounding)
            ours = library.convert(codes, name, "fp32")
            judge.same(f"{source} to {name}, as values", words[number], ours[number], theirs[number])
        positive = ~np.isnan(data.float().numpy())
        clamped = torch.clamp(data.float(), 0.0, 114688.0)
        theirs = e5m3.reference_convert_fp32_to_e5m3_bits(clamped).numpy()
        ours = library.convert(words, source, "ue5m3", profile="quark-0.13", **rounding)
        not_compared(f"{source} to ue5m3", ~positive, "NaN, which it takes for numbers")
        judge.same(f"{source} to ue5m3", words[positive], ours[positive], theirs[positive])
    codes = torch.arange(256).to(torch.uint8)
    theirs = words_of(e5m3.reference_dequantize_float8_e5m3(codes))
    ours = library.convert(np.arange(256), "ue5m3", "fp32").astype(np.uint32)
    judge.same("ue5m3 to fp32", np.arange(256), without_nan(ours, "fp32") ^ (1 if judge.args.wrong else 0),
               without_nan(theirs, "fp32"))


def main():
    judge = Judge("quark", f"amd-quark 0.13, torch {torch.__version__}", ("blocks", "elements"))
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        quark = load(folder)
        library = mxgold.Library()
        if judge.wants("blocks"):
            judge_blocks(judge, library, quark)
            judge_integers(judge, library, quark)
        if judge.wants("elements"):
            judge_elements(judge, library, quark)
    judge.finish()


if __name__ == "__main__":
    main()
