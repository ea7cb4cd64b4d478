#!/usr/bin/env python3
"""mxgold against the HiFloat8 emulation of its makers, as values: the PyTorch function, the NumPy one with its MXFP8 beside it,
the CUDA kernel's own source compiled for the host, one thread after another, and the blocks of HiFloat4 that it has too. MX_HIF8
names a checkout of ddddwee1/HiFloat8 (at fb5bea0)."""

import ctypes
import os
import pathlib
import subprocess
import sys
import tempfile
import types

import numpy as np

from judge import SKIP, Judge, need
import mxgold
import stimuli

torch = need("torch")
ROOT = pathlib.Path(os.environ.get("MX_HIF8") or os.environ.get("MX_HIF8_DEFAULT", ""), "hif8_cuda")
TYPES = {"fp32": (torch.float32, torch.int32, np.uint32), "bf16": (torch.bfloat16, torch.int16, np.uint16),
         "fp16": (torch.float16, torch.int16, np.uint16)}
# What the kernel takes of CUDA: a thread's place. torch's own types of 16 bits come from its headers.
STAND_INS = """
#include <cmath>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
using std::isinf;
using std::isnan;
using uint = unsigned int;
using bf16 = c10::BFloat16;
using athalf = c10::Half;
struct Place { int x; };
static Place threadIdx, blockIdx, blockDim;
#define __global__ static
"""
CALLS = """
template <typename T> static void all(const T* x, T* y, int count) {
  blockDim.x = 1024;
  for (int i = 0; i < count; ++i) {
    threadIdx.x = i % 1024;
    blockIdx.x = i / 1024;
    hif8_quant_cuda_kernel<T>(x, y, count);
  }
}
extern "C" void run_fp32(const float* x, float* y, int count) { all(x, y, count); }
extern "C" void run_bf16(const bf16* x, bf16* y, int count) { all(x, y, count); }
extern "C" void run_fp16(const athalf* x, athalf* y, int count) { all(x, y, count); }
"""


def text_of(*parts):
    """A file of the checkout."""
    path = ROOT.joinpath(*parts)
    if not path.is_file():
        print(f"SKIP hif8_judge.py: no {path.name}; name a checkout of ddddwee1/HiFloat8 in MX_HIF8")
        sys.exit(SKIP)
    return path.read_text(encoding="utf-8")


def functions_of(*parts):
    """The definitions of a file of the checkout, which asks its package for the name of a type only."""
    functions = {}
    text = text_of(*parts).replace("from ..QType import QType", "QType = object")
    exec(compile(text, parts[-1], "exec"), functions)  # pylint: disable=exec-used
    return functions


def inputs_of(source, seed, count=400_000):
    """All patterns of 16 bits; of binary32 those around every threshold, and random ones."""
    return stimuli.structured(source, seed, count) if source == "fp32" else stimuli.all_16_bit()


def ours_of(judge, library, words, source):
    """hif8 and back, as patterns of the source."""
    codes = library.convert(words, source, "hif8", profile="hif8", rounding=judge.wrong_rounding("ties_to_away"))
    return library.convert(codes, "hif8", source, overflow="none_inf_or_nan").astype(words.dtype)


def judge_pytorch(judge, library):
    quantize = functions_of("quant_cy", "base", "QFuncs", "hif8.py")
    quantize["print"] = lambda *_: None
    for source, (dtype, holder, word) in TYPES.items():
        words = inputs_of(source, judge.args.seed)
        signed = words.view(np.int32 if word == np.uint32 else np.int16)
        theirs = quantize["quant_hif8"](torch.from_numpy(signed).view(dtype), None, -1).view(holder).numpy().view(word)
        judge.same(f"{source} by PyTorch, one NaN", words, ours_of(judge, library, words, source),
                   stimuli.one_nan(theirs, source, sign="drop"))


def compiled_kernel(folder):
    """The kernel's template of the .cu file, without the launches that follow it."""
    text = text_of("quant_cy", "base", "cusrc", "hif8_quant_cuda.cu")
    first, last = text.find("template <typename T>"), text.find("void hif8_quant_cuda(")
    if first < 0 or last < first:
        raise ValueError("hif8_quant_cuda.cu has no kernel before its launches: it is another version")
    source, library = os.path.join(folder, "kernel.cpp"), os.path.join(folder, "kernel.so")
    pathlib.Path(source).write_text(STAND_INS + text[first:last] + CALLS, encoding="utf-8")
    include = pathlib.Path(torch.__file__).parent / "include"
    # It reads integers as floats through pointers.
    command = [os.environ.get("CXX", "c++"), "-std=c++20", "-O1", "-fno-strict-aliasing", "-shared", "-fPIC",
               "-w", "-isystem", str(include), source, "-o", library]
    try:
        subprocess.run(command, check=True)
    except FileNotFoundError:
        print(f"SKIP hif8_judge.py: no compiler {command[0]}; name one in CXX")
        sys.exit(SKIP)
    return ctypes.CDLL(library)


def judge_cuda(judge, library):
    with tempfile.TemporaryDirectory() as folder:
        kernel = compiled_kernel(folder)
        for source in TYPES:
            words = inputs_of(source, judge.args.seed)
            theirs = np.zeros_like(words)
            pointers = (words.ctypes.data_as(ctypes.c_void_p), theirs.ctypes.data_as(ctypes.c_void_p))
            getattr(kernel, f"run_{source}")(*pointers, ctypes.c_int(words.size))
            judge.same(f"{source} by the kernel on the host, one NaN", words, ours_of(judge, library, words, source),
                       stimuli.one_nan(theirs, source, sign="drop"))


def finite_blocks(seed, rows, size):
    """binary32 rows without NaN and Inf, of every size."""
    generator = np.random.Generator(np.random.Philox(seed))
    blocks = stimuli.random_blocks(generator, rows, size)
    blocks[0], blocks[1] = 0, 0x80000000
    blocks[2::16] &= 0x80FFFFFF  # the smallest binades and subnormals
    return blocks


def values_of(patterns):
    """binary32 patterns as binary64 values, a zero without its sign."""
    return patterns.view(np.float32).astype(np.float64) + 0.0


def judge_numpy(judge, library):
    """To_HiF8 goes element by element: a part of the inputs. To_FP8 and To_MXFP8 know neither NaN nor Inf, and give zeros of
    either sign."""
    functions = functions_of("toF8.py")
    words = np.concatenate([inputs_of("fp32", judge.args.seed)[::97], inputs_of("bf16", 0)[::2].astype(np.uint32) << 16])
    with np.errstate(all="ignore"):
        theirs = functions["To_HiF8"](words.view(np.float32).astype(np.float64)[None, :])[0]
    judge.same("fp32 by NumPy, one NaN", words, ours_of(judge, library, words, "fp32"),
               stimuli.one_nan(theirs.view(np.uint32), "fp32", sign="drop"))
    rounding = judge.wrong_rounding("ties_to_even")
    words = words[(words & 0x7F800000) != 0x7F800000]
    blocks = finite_blocks(judge.args.seed, 1000, 32)
    for name, theirs_name in (("e4m3fn", "E4M3"), ("e5m2", "E5M2")):
        codes = library.convert(words, "fp32", name, rounding=rounding, overflow="sat_finite")
        ours = library.convert(codes, name, "fp32").astype(np.uint32)
        theirs = functions["To_FP8"](words.view(np.float32)[None, :], theirs_name)[0]
        judge.same(f"{name} by NumPy, without signs of zeros", words, values_of(ours).view(np.uint64),
                   (theirs + 0.0).view(np.uint64))
        codes, scales = library.quantize(blocks, "fp32", f"mxfp8_{name[:4]}", rule="floor", rounding=rounding)
        ours = library.dequantize(codes, scales, f"mxfp8_{name[:4]}", output="fp64")
        theirs = functions["To_MXFP8"](blocks.view(np.float32).T, theirs_name)[0].T
        judge.same(f"mxfp8_{name[:4]} by NumPy, without signs of zeros", blocks, (ours.view(np.float64) + 0.0).view(np.uint64),
                   (theirs + 0.0).view(np.uint64))


def judge_hifx(judge, library):
    """Blocks of HiFloat4 on binary32 tensors."""
    quantize = functions_of("quant_cy", "base", "QFuncs", "hifx.py")["quant_hifx"]
    blocks = finite_blocks(judge.args.seed, 4000, 64)
    theirs = quantize(torch.from_numpy(blocks.view(np.float32)), types.SimpleNamespace(exp_bits=0, man_bits=3), -1).numpy()
    codes, scales = library.quantize(blocks, "fp32", "hifx4", profile="hif8")
    ours = values_of(library.dequantize(codes, scales, "hifx4", profile="hif8")) * (2 if judge.args.wrong else 1)
    judge.same("hifx4 values, without signs of zeros", blocks, ours.view(np.uint64),
               (theirs.astype(np.float64) + 0.0).view(np.uint64))


def main():
    surfaces = {"pytorch": judge_pytorch, "cuda": judge_cuda, "numpy": judge_numpy, "hifx": judge_hifx}
    judge = Judge("hif8", f"HiFloat8 @fb5bea0, torch {torch.__version__}, numpy {np.__version__}", surfaces)
    library = mxgold.Library()
    torch.set_num_threads(1)
    for surface, compare in surfaces.items():
        if judge.wants(surface):
            compare(judge, library)
    judge.finish()


if __name__ == "__main__":
    main()
