#!/usr/bin/env python3
"""mxgold against microxcaling's C++ path on binary32 tensors, as values: its Python before the C++ functions and the loops
of its headers, which g++ compiles here without torch and CUDA (microxcaling_loops.hpp). MX_MICROXCALING names the
checkout. Of those functions only what takes tensors apart is not its own."""

import ctypes
import itertools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np

from judge import SKIP, Judge, need
from microxcaling_judge import FORMATS, HAS_INF, ROUNDINGS
import mxgold
import stimuli

torch = need("torch")
CHECKOUT = os.environ.get("MX_MICROXCALING") or os.environ.get("MX_MICROXCALING_DEFAULT", "")
sys.path.insert(0, CHECKOUT)
mx, mx_ops, elemwise = need("mx", "mx.mx_ops", "mx.elemwise_ops")

HERE = pathlib.Path(__file__).resolve().parent
PROFILE = "microxcaling-1.1.0/cpp"
EMPTY = ("cuda.h", "cuda_bf16.h", "cuda_fp16.h", "cuda_runtime.h", "cooperative_groups.h", "curand_kernel.h",
         "torch/extension.h")


def built(folder):
    """The loops as a library."""
    compiler = shutil.which("g++")
    if compiler is None or not os.path.exists(os.path.join(CHECKOUT, "mx", "cpp", "funcs.h")):
        print("SKIP microxcaling_cpp_judge.py: it wants g++ and mx/cpp/funcs.h of the checkout that MX_MICROXCALING names")
        sys.exit(SKIP)
    for name in EMPTY:
        path = pathlib.Path(folder, "empty", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    library = os.path.join(folder, "loops.so")
    subprocess.run([compiler, "-std=c++17", "-O2", "-w", "-fPIC", "-shared", f"-I{folder}/empty", f"-I{CHECKOUT}/mx/cpp",
                    f"-I{HERE.parents[2]}", "-include", HERE / "microxcaling_loops.hpp", "-x", "c++", os.devnull, "-o",
                    library], check=True)
    return ctypes.CDLL(library)


class Functions:
    """custom_extensions.funcs, on contiguous fp32 tensors of the CPU."""

    def __init__(self, library):
        self._library = library

    def quantize_elemwise_func_cpp(self, a, bits, exp_bits, max_norm, rounding, saturates, keeps_subnormals):
        result = torch.empty_like(a)
        self._library.mx_elements(ctypes.c_void_p(a.data_ptr()), ctypes.c_void_p(result.data_ptr()),
                                  ctypes.c_int64(a.numel()), bits, exp_bits, ctypes.c_float(max_norm), int(rounding),
                                  ctypes.c_bool(saturates), ctypes.c_bool(keeps_subnormals))
        return result

    def quantize_mx_func_cpp(self, a, scale_bits, exp_bits, bits, max_norm, maxima, axis, flushes, rounding):
        result, maxima = torch.empty_like(a), maxima.contiguous()
        outer, size, inner = (int(np.prod(part)) for part in (a.shape[:axis], a.shape[axis], a.shape[axis + 1:]))
        self._library.mx_blocks(ctypes.c_void_p(a.data_ptr()), ctypes.c_void_p(maxima.data_ptr()),
                                ctypes.c_void_p(result.data_ptr()), outer, size, inner, scale_bits, exp_bits, bits,
                                ctypes.c_float(max_norm), ctypes.c_bool(flushes), int(rounding))
        return result


def tensor_of(patterns):
    return torch.from_numpy(patterns.view(np.int32)).view(torch.float32)


def patterns_of(tensor):
    """With one NaN: its C++ keeps signs and payloads that codes cannot hold."""
    return stimuli.one_nan(tensor.contiguous().view(torch.int32).numpy().view(np.uint32), "fp32", sign="drop")


def options_of(judge, mode, *more):
    variant, wrong = ROUNDINGS[mode]
    options = {"profile": PROFILE, "variant": "+".join(part for part in (variant, *more) if part)}
    return {**options, "rounding": wrong} if judge.args.wrong else options


def judge_elements(judge, library):
    bf16 = stimuli.all_16_bit().astype(np.uint32) << np.uint32(16)
    inputs = np.concatenate([bf16, stimuli.structured("fp32", judge.args.seed, 400_000)])
    magnitudes = inputs & 0x7FFFFFFF
    for name, (element, _) in FORMATS.items():
        largest = library.convert(np.array([0x7F7FFFFF]), "fp32", element, overflow="sat_finite")
        most = library.convert(largest, element, "fp32")[0]
        for mode, saturates, denormals in itertools.product(ROUNDINGS, (True, False), (True, False)):
            # Integers saturate and keep subnormals whatever is asked; formats without Inf have no code for it.
            if not saturates and element not in HAS_INF or not denormals and element.startswith("int"):
                continue
            # The profile's masks: NaN, and overflow under floor where there is an Inf.
            chosen = inputs[(magnitudes <= 0x7F800000) & ((mode != "floor") | (element not in HAS_INF) |
                                                          (magnitudes <= most) | (magnitudes == 0x7F800000))]
            theirs = elemwise._quantize_elemwise(tensor_of(chosen), name, round=mode, custom_cuda=True,
                                                 saturate_normals=saturates, allow_denorm=denormals)
            more = ("" if saturates else "nosat", "" if denormals else "no_denorm")
            codes = library.convert(chosen, "fp32", element, **options_of(judge, mode, *more))
            ours = library.convert(codes, element, "fp32", overflow="sat_finite_keep_inf")
            judge.same(" ".join(filter(None, ("fp32 to", name, mode, *more))), chosen, ours, patterns_of(theirs))
            if chosen.size != (magnitudes <= 0x7F800000).sum():
                print(f"    {(magnitudes <= 0x7F800000).sum() - chosen.size} that overflow are not compared, which the profile "
                      "leaves open")
    print(f"  of each format {(magnitudes > 0x7F800000).sum()} NaNs are not compared, which the profile leaves open")


def judge_blocks(judge, library):
    generator = np.random.Generator(np.random.Philox(judge.args.seed))
    tops = [(exponent << 23) + step for exponent in range(1, 255) for step in (-2, -1, 0, 1, 0x400000, 0x7C0000)]
    tops = np.array([*tops, 0, 1, 0x00400000, 0x7F7FFFFF, 0x7F800000, 0x7FC00000], dtype=np.uint32)
    directed = np.minimum(stimuli.random_blocks(generator, tops.size, 32) & 0x7FFFFFFF, tops[:, None])
    directed[:, 3] = tops
    signs = generator.integers(0, 2, size=directed.shape, dtype=np.uint32) << 31
    subnormal = stimuli.random_blocks(generator, 500, 32) & 0x807FFFFF
    blocks = np.concatenate([directed | signs, subnormal, stimuli.random_blocks(generator, 12_000, 32)])
    for (name, (_, block_format)), mode, flush in itertools.product(FORMATS.items(), ROUNDINGS, (False, True)):
        if block_format is None:
            continue
        options = options_of(judge, mode, "flush_fp32_subnorms" if flush else "")
        codes, scales = library.quantize(blocks, "fp32", block_format, **options)
        ours = library.dequantize(codes, scales, block_format, "fp32", **options)
        theirs = patterns_of(mx_ops._quantize_mx(tensor_of(blocks), 8, name, axes=[-1], block_size=32, round=mode,
                                                 flush_fp32_subnorms=flush, custom_cuda=True))
        judge.same(f"{name} blocks {mode}{' flushed' if flush else ''}", blocks, ours, theirs)


def main():
    judge = Judge("microxcaling cpp", f"microxcaling 1.1.0, torch {torch.__version__}", ("elements", "blocks"))
    library = mxgold.Library()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        mx.custom_extensions = sys.modules["mx.custom_extensions"] = type(sys)("mx.custom_extensions")
        mx.custom_extensions.funcs = Functions(built(folder))
    for name, surface in (("elements", judge_elements), ("blocks", judge_blocks)):
        if judge.wants(name):
            surface(judge, library)
    print("  not compared: bfloat16 and binary16 tensors, of which the profile does not speak, and its CUDA kernels")
    judge.finish()


if __name__ == "__main__":
    main()
