#!/usr/bin/env python3
"""mxgold against ggml: against gguf, its Python package, blocks of mxfp4 there, mxfp4 and nvfp4 back, and the bytes in
which ggml stores both, through the program; against the C library, as pywhispercpp ships it compiled, both there and
back."""

import ctypes
import importlib.metadata
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

from judge import Judge, need
import mxgold
import stimuli

need("gguf")
quants = need("gguf.quants")
gguf = importlib.metadata.version("gguf")

# Options of the command line and the block that a scale is of.
SIZES = {"mxfp4": 32, "nvfp4": 16}


def inputs_of(seed):
    """binary32 blocks of 32 without what ggml leaves undefined: NaN, Inf, maxima below 2^-125. Random ones, maxima
    at every exponent with all significands below and above a power of two, zeros."""
    generator = np.random.Generator(np.random.Philox(seed))
    heads = np.array([0, 1, 0x400000, 0x7FFFF0, 0x7FFFFE, 0x7FFFFF], dtype=np.uint32)
    tops = ((np.arange(2, 255, dtype=np.uint32) << np.uint32(23))[:, None] | heads[None, :]).reshape(-1)
    directed = np.minimum(stimuli.random_blocks(generator, tops.size, 32) & 0x7FFFFFFF, tops[:, None])
    directed[:, 1] = tops
    directed |= generator.integers(0, 2, size=directed.shape, dtype=np.uint32) << 31
    blocks = np.concatenate([directed, np.zeros((1, 32), dtype=np.uint32), stimuli.random_blocks(generator, 50_000, 32)])
    magnitudes = (blocks & 0x7FFFFFFF).max(axis=1)
    return blocks[(magnitudes == 0) | (magnitudes >= 2 << 23)]


def unpacked(codes, half):
    """Byte j of 2 * half elements holds element j, and above it element j + half."""
    rows = codes.reshape(codes.shape[0], -1, half)
    return np.concatenate([rows & 15, rows >> 4], axis=-1).reshape(codes.shape[0], -1)


def judge_mxfp4(judge, library):
    blocks = inputs_of(judge.args.seed)
    theirs = quants.MXFP4.quantize_blocks(blocks.view(np.float32))
    ours, scales = library.quantize(blocks, "fp32", "mxfp4", profile="mxgold-default" if judge.args.wrong else "ggml")
    judge.same("mxfp4 scales", theirs[:, :1], scales, theirs[:, :1], sees_wrong=False)
    judge.same("mxfp4 codes", blocks, ours, unpacked(theirs[:, 1:], 16))


def judge_decode(judge, library):
    """Every code under every scale: of mxfp4 but FF, which ggml has no meaning for, of nvfp4 the 127 magnitudes."""
    for name, scales in (("mxfp4", np.arange(255)), ("nvfp4", np.arange(127))):
        codes = np.tile(np.arange(16, dtype=np.uint8), (scales.size, SIZES[name] // 16))
        scales = scales.astype(np.uint8)[:, None]
        ours = library.dequantize(codes, scales, name, tensor_scale=0x3F800000 if name == "nvfp4" else None,
                                  profile="ggml")
        half = codes.shape[1] // 2
        stored = codes[:, :half] | codes[:, half:] << 4
        if name == "mxfp4":
            theirs = quants.MXFP4.dequantize_blocks(np.concatenate([scales, stored], axis=1))
        else:  # four blocks of 16 in a row; the last one is short of a block and zero
            padded = np.concatenate([scales, stored], axis=1)
            padded = np.concatenate([padded, np.zeros((-len(padded) % 4, padded.shape[1]), dtype=np.uint8)])
            rows = np.concatenate([padded[:, 0].reshape(-1, 4), padded[:, 1:].reshape(-1, 32)], axis=1)
            theirs = quants.NVFP4.dequantize_blocks(rows).reshape(-1, 16)[: len(codes)]
        theirs = np.ascontiguousarray(theirs, dtype=np.float32).view(np.uint32)
        # Their product of an integer and a scale has no -0.
        wanted = np.where(ours == 0x80000000, 0, ours)
        if judge.args.wrong:
            wanted = wanted ^ 1
        judge.same(f"{name} values", ours, wanted, np.where(theirs == 0x80000000, 0, theirs))


def tensors_of(path):
    """The tensors of a safetensors file, as bytes."""
    with open(path, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        data = file.read()
    header.pop("__metadata__", None)
    return {name: np.frombuffer(data[each["data_offsets"][0]: each["data_offsets"][1]], dtype=np.uint8)
            for name, each in header.items()}


def judge_packed(judge, _):
    """Files of the program: mxfp4's bytes are those of ggml; nvfp4's, with a scale byte for each of four blocks before
    them, mean to ggml what `mxgold dequantize` says."""
    program = os.environ["MXGOLD_PROGRAM"]
    blocks = inputs_of(judge.args.seed)
    with tempfile.TemporaryDirectory() as folder:
        source, made, back = (os.path.join(folder, name) for name in ("x.npy", "q.safetensors", "v.safetensors"))
        np.save(source, blocks[: len(blocks) // 2 * 2].reshape(-1, 64).view(np.float32))
        for name, size in SIZES.items():
            layout = "nibble_low_first" if judge.args.wrong else "split_half"
            subprocess.run([program, "quantize", source, "-o", made, "--format", name, "--profile", "ggml", "--packed",
                            layout], check=True, capture_output=True)
            tensors = tensors_of(made)
            scales, codes = tensors["data.scales"], tensors["data.codes"]
            if name == "mxfp4":
                theirs = quants.MXFP4.quantize_blocks(np.load(source).reshape(-1, 32))
                judge.same("mxfp4 bytes", codes, codes.reshape(-1, 16), theirs[:, 1:])
                continue
            subprocess.run([program, "dequantize", made, "-o", back], check=True, capture_output=True)
            values = tensors_of(back)["data"].view(np.uint32)
            rows = np.concatenate([scales.reshape(-1, 4), codes.reshape(-1, 32)], axis=1)
            theirs = np.ascontiguousarray(quants.NVFP4.dequantize_blocks(rows), dtype=np.float32).view(np.uint32)
            judge.same("nvfp4 bytes, as values", values, values, theirs.reshape(-1))


def compiled_ggml():
    """libggml-base.so of the package, with the OpenMP that lies beside it; found without running the package."""
    found = importlib.util.find_spec("_pywhispercpp")
    if found is None:
        print("SKIP gguf_judge.py: pywhispercpp, which holds ggml's library, is missing; install it with "
              "./dev external-setup")
        sys.exit(77)
    folder = pathlib.Path(found.origin).parent
    for needed in sorted(folder.glob("pywhispercpp.libs/libgomp*")):
        ctypes.CDLL(str(needed), mode=ctypes.RTLD_GLOBAL)
    return ctypes.CDLL(str(folder / "libggml-base.so"))


def judge_library(judge, library):
    """Blocks there and back by the compiled C functions; nvfp4's four scales stand before 64 codes."""
    ggml = compiled_ggml()
    ggml.ggml_version.restype = ctypes.c_char_p
    print(f"  ggml {ggml.ggml_version().decode()} of pywhispercpp {importlib.metadata.version('pywhispercpp')}")
    blocks = inputs_of(judge.args.seed)
    blocks = np.ascontiguousarray(blocks[: len(blocks) // 2 * 2])
    pointer = lambda array: array.ctypes.data_as(ctypes.c_void_p)
    for name, size in SIZES.items():
        head, each = (1, 32) if name == "mxfp4" else (4, 64)
        stored = np.zeros((blocks.size // each, head + each // 2), dtype=np.uint8)
        getattr(ggml, f"quantize_row_{name}_ref")(pointer(blocks), pointer(stored), ctypes.c_int64(blocks.size))
        scales = stored[:, :head].reshape(-1, 1)
        codes = unpacked(stored[:, head:], size // 2).reshape(-1, size)
        level = {} if name == "mxfp4" else {"tensor_scale": 0x3F800000}
        ours, our_scales = library.quantize(blocks.reshape(-1, size), "fp32", name, **level,
                                            profile="mxgold-default" if judge.args.wrong else "ggml")
        judge.same(f"{name} scales of the C library", scales, our_scales, scales, sees_wrong=False)
        judge.same(f"{name} codes of the C library", blocks.reshape(-1, size), ours, codes)
        values = np.zeros(blocks.size, dtype=np.float32)
        getattr(ggml, f"dequantize_row_{name}")(pointer(stored), pointer(values), ctypes.c_int64(blocks.size))
        back = library.dequantize(codes, scales, name, profile="ggml", **level)
        judge.same(f"{name} values of the C library", codes, back, values.view(np.uint32).reshape(-1, size),
                   sees_wrong=False)


def main():
    judge = Judge("gguf", f"gguf {gguf}, numpy {np.__version__}", ("mxfp4", "decode", "packed", "library"))
    library = mxgold.Library()
    for surface, compare in (("mxfp4", judge_mxfp4), ("decode", judge_decode), ("packed", judge_packed),
                             ("library", judge_library)):
        if judge.wants(surface):
            compare(judge, library)
    judge.finish()


if __name__ == "__main__":
    main()
