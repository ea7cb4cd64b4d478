#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files of the packages gguf and onnx, read by the program: values of `mxgold dequantize` against gguf.quants.dequantize
and onnx.numpy_helper.to_array. A NaN is a NaN, whatever its payload."""

import importlib.metadata
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "judges"))

import numpy as np

from judge import Judge, need

gguf, onnx, ml_dtypes = need("gguf", "onnx", "ml_dtypes")
quants = need("gguf.quants")
helper, numpy_helper = need("onnx.helper", "onnx.numpy_helper")

PLAIN = {"F32": np.float32, "F16": np.float16, "I8": np.int8, "I16": np.int16}
BLOCKS = ("BF16", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K", "IQ4_NL", "IQ4_XS", "TQ1_0",
          "TQ2_0", "MXFP4", "NVFP4")
# ONNX's types and those of NumPy and ml_dtypes.
TYPES = {"FLOAT": np.float32, "FLOAT16": np.float16, "BFLOAT16": ml_dtypes.bfloat16, "UINT8": np.uint8, "INT8": np.int8,
         "UINT16": np.uint16, "INT16": np.int16, "FLOAT8E4M3FN": ml_dtypes.float8_e4m3fn,
         "FLOAT8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz, "FLOAT8E5M2": ml_dtypes.float8_e5m2,
         "FLOAT8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz, "FLOAT8E8M0": ml_dtypes.float8_e8m0fnu,
         "FLOAT6E2M3": ml_dtypes.float6_e2m3fn, "FLOAT6E3M2": ml_dtypes.float6_e3m2fn,
         "FLOAT4E2M1": ml_dtypes.float4_e2m1fn, "UINT4": ml_dtypes.uint4, "INT4": ml_dtypes.int4, "UINT2": ml_dtypes.uint2,
         "INT2": ml_dtypes.int2}


def patterns(values):
    """binary32 patterns, every NaN the same."""
    values = np.ascontiguousarray(values, dtype=np.float32).reshape(-1)
    return np.where(np.isnan(values), np.uint32(0x7FC00000), values.view(np.uint32))


def dequantized(folder, path):
    """What the program makes of a file: patterns by name, and shapes."""
    out = os.path.join(folder, "values.safetensors")
    done = subprocess.run([os.environ["MXGOLD_PROGRAM"], "dequantize", path, "-o", out], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    with open(out, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        data = file.read()
    header.pop("__metadata__")
    return {name: (patterns(np.frombuffer(data[slice(*each["data_offsets"])], dtype=np.float32)), tuple(each["shape"]))
            for name, each in header.items()}


def compare(judge, name, shape, ours, theirs):
    mine, our_shape = ours
    if our_shape != tuple(shape):
        raise ValueError(f"{name}: shapes {our_shape} and {tuple(shape)}")
    judge.same(name, np.arange(mine.size), mine ^ np.uint32(judge.args.wrong), theirs)


def judge_gguf(judge, folder):
    generator = np.random.default_rng(judge.args.seed)
    path = os.path.join(folder, "model.gguf")
    for alignment in (32, 256):
        writer = gguf.GGUFWriter(path, "llama")
        writer.add_custom_alignment(alignment)
        writer.add_name("judge")
        writer.add_token_list([b"a", b"bc", b""])
        for name, kind in PLAIN.items():
            raw = generator.integers(0, 256, 3 * 40 * np.dtype(kind).itemsize, dtype=np.uint8)
            writer.add_tensor(name, raw.view(kind).reshape(3, 40))
        for name in BLOCKS:
            kind = gguf.GGMLQuantizationType[name]
            _, size = gguf.GGML_QUANT_SIZES[kind]
            writer.add_tensor(name, generator.integers(0, 256, (3, 5, 40 * size), dtype=np.uint8), raw_dtype=kind)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        ours = dequantized(folder, path)
        for tensor in gguf.GGUFReader(path).tensors:
            with np.errstate(all="ignore"):
                theirs = (tensor.data if tensor.name in ("I8", "I16") else quants.dequantize(tensor.data, tensor.tensor_type))
            compare(judge, f"{tensor.name}, alignment {alignment}", theirs.shape, ours[tensor.name], patterns(theirs))


def random_array(generator, kind, shape):
    """Of any words: every code of types below 16 bits, random ones of others."""
    bits = (ml_dtypes.finfo(kind).bits if np.dtype(kind).kind == "V" and "float" in np.dtype(kind).name
            else ml_dtypes.iinfo(kind).bits if "int" in np.dtype(kind).name else np.dtype(kind).itemsize * 8)
    width = np.dtype(kind).itemsize
    words = generator.integers(0, 1 << bits, int(np.prod(shape)), dtype=np.uint64).astype(f"u{width}")
    if np.dtype(kind).name in ("int4", "int2"):  # as ml_dtypes holds them: with their sign
        return np.where(words >> (bits - 1), words.astype(np.int8) - (1 << bits), words.astype(np.int8)).astype(kind).reshape(shape)
    return words.view(kind).reshape(shape)


def proto(array, name, number, is_raw):
    """The TensorProto of an array, in raw_data or in the fields of numbers."""
    if is_raw:
        return numpy_helper.from_array(array, name)
    if number == onnx.TensorProto.FLOAT:
        return helper.make_tensor(name, number, array.shape, array.reshape(-1))
    made = numpy_helper.from_array(array, name)
    tensor = onnx.TensorProto(name=name, data_type=number, dims=array.shape)
    packed = number in (onnx.TensorProto.UINT4, onnx.TensorProto.INT4, onnx.TensorProto.FLOAT4E2M1, onnx.TensorProto.UINT2,
                        onnx.TensorProto.INT2)
    signed = {np.dtype(np.int8): np.int8, np.dtype(np.int16): np.int16}.get(array.dtype)
    words = (np.frombuffer(made.raw_data, np.uint8) if packed
             else array.reshape(-1).view(signed or f"u{array.dtype.itemsize}"))
    tensor.int32_data.extend(int(word) for word in words)
    return tensor


def judge_onnx(judge, folder):
    generator = np.random.default_rng(judge.args.seed)
    for is_raw in (True, False):
        for shape in ((16, 64), (5, 3), (7,), ()):
            tensors = [proto(random_array(generator, kind, shape), name, getattr(onnx.TensorProto, name), is_raw)
                       for name, kind in TYPES.items()]
            graph = helper.make_graph([], "judge", [], [], initializer=tensors)
            model = os.path.join(folder, "model.onnx")
            onnx.save(helper.make_model(graph), model)
            ours = dequantized(folder, model)
            for tensor in tensors:
                with np.errstate(all="ignore"):
                    theirs = numpy_helper.to_array(tensor).astype(np.float32)
                what = f"{tensor.name} {list(shape)}, {'raw_data' if is_raw else 'numbers'}"
                compare(judge, what, shape, ours[tensor.name], patterns(theirs))
            single = os.path.join(folder, "tensor.pb")
            with open(single, "wb") as file:
                file.write(tensors[0].SerializeToString())
            compare(judge, f"TensorProto {list(shape)}", shape, dequantized(folder, single)["FLOAT"],
                    patterns(numpy_helper.to_array(tensors[0])))


def main():
    judge = Judge("files of models", f"gguf {importlib.metadata.version('gguf')}, onnx {onnx.__version__}, numpy {np.__version__}",
                  ("gguf", "onnx"))
    with tempfile.TemporaryDirectory() as folder:
        for surface, run in (("gguf", judge_gguf), ("onnx", judge_onnx)):
            if judge.wants(surface):
                run(judge, folder)
    judge.finish()


if __name__ == "__main__":
    main()
