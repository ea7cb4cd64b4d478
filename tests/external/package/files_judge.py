#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files of mxgold.save and mxgold.load against the package safetensors, by torch's types, and torchao's files of tensors."""

import os
import pathlib
import sys
import tempfile
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "python"))
sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1] / "judges"))

import numpy as np

from judge import Judge, need

warnings.filterwarnings("ignore")
torch, safetensors, mxgold = need("torch", "safetensors", "mxgold")
stored = need("safetensors.torch")

TYPES = ("float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz",
         "float8_e8m0fnu", "float4_e2m1fn_x2", "uint8", "int8", "int16", "int32", "int64", "bool")
SHAPES = ((4, 64), (2, 0, 6), (6,), (3, 5, 8))


def bytes_of(tensor):
    return np.zeros(0, np.uint8) if tensor.numel() == 0 else tensor.contiguous().reshape(-1).view(torch.uint8).numpy()


def drawn(generator, kind, shape):
    size = getattr(torch, kind).itemsize
    count = int(np.prod(shape)) * size
    if count == 0:
        return torch.empty(shape, dtype=getattr(torch, kind))
    raw = generator.integers(0, 2 if kind == "bool" else 256, count, dtype=np.uint8)
    return torch.from_numpy(raw).view(getattr(torch, kind)).reshape(shape)


def judge_safetensors(judge):
    """Every type that both have: theirs read by us, ours read by them; Quantized as they see them."""
    generator = np.random.default_rng(judge.args.seed)
    wrong = 1 if judge.args.wrong else 0
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = os.path.join(folder, "ours.safetensors"), os.path.join(folder, "theirs.safetensors")
        for shape in SHAPES:
            tensors = {kind: drawn(generator, kind, shape) for kind in TYPES}
            stored.save_file(tensors, theirs, metadata={"key": "text"})
            loaded = mxgold.load(theirs, device="cpu")
            mxgold.save(ours, tensors, metadata={"key": "text"})
            back = stored.load_file(ours)
            for kind, tensor in tensors.items():
                mine = loaded[kind]
                if kind == "float4_e2m1fn_x2":
                    mine = mxgold.pack(mine, "e2m1fn")
                elif mine.dtype is not tensor.dtype or mine.shape != tensor.shape:
                    raise ValueError(f"{kind} {shape}: loaded as {mine.dtype} {tuple(mine.shape)}")
                judge.same(f"{kind} {shape} read", bytes_of(tensor), bytes_of(mine) ^ wrong, bytes_of(tensor),
                           sees_wrong=tensor.numel() > 0)
                if back[kind].dtype is not tensor.dtype or back[kind].shape != tensor.shape:
                    raise ValueError(f"{kind} {shape}: written as {back[kind].dtype} {tuple(back[kind].shape)}")
                judge.same(f"{kind} {shape} written", bytes_of(tensor), bytes_of(back[kind]) ^ wrong, bytes_of(tensor),
                           sees_wrong=tensor.numel() > 0)
            with safetensors.safe_open(ours, "pt") as file:
                if file.metadata() != {"key": "text"}:
                    raise ValueError(f"metadata {file.metadata()}")
        x = generator.standard_normal((130, 96)).astype(np.float32)
        made = {name: mxgold.quantize(x, name) for name in mxgold.formats("blocks")}
        mxgold.save(ours, made)
        pieces = {name: entry["data"] for name, entry in safetensors.deserialize(pathlib.Path(ours).read_bytes())}
        for name, q in made.items():
            has_type = q.format.element.name in ("e2m1fn", "e2m3fn", "e3m2fn")
            expected = np.frombuffer((q.packed() if has_type else q.code_bits).tobytes(), np.uint8)
            judge.same(f"{name} codes", expected, np.frombuffer(pieces[f"{name}.codes"], np.uint8) ^ wrong, expected)
            scales = np.frombuffer(q.scale_bits.tobytes(), np.uint8)
            judge.same(f"{name} scales", scales, np.frombuffer(pieces[f"{name}.scales"], np.uint8) ^ wrong, scales)


def judge_torchao(judge):
    """MXTensor and NVFP4Tensor in torchao's own files: the values that it gives them itself."""
    mx, nvfp4, constants, support = need(*(f"torchao.prototype.{name}" for name in (
        "mx_formats.mx_tensor", "mx_formats.nvfp4_tensor", "mx_formats.constants", "safetensors.safetensors_support")))
    generator = np.random.default_rng(judge.args.seed)
    types = {"f8": torch.float8_e4m3fn, "f8_wide": torch.float8_e5m2, "f6": constants.DTYPE_FP6_E2M3,
             "f6_wide": constants.DTYPE_FP6_E3M2, "f4": torch.float4_e2m1fn_x2}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "theirs.safetensors")
        for shape in ((5, 96), (130, 160)):
            x = torch.from_numpy(generator.standard_normal(shape).astype(np.float32))
            tensors = {"plain.weight": x}
            for swizzled in (False, True):
                for name, dtype in types.items():
                    tensors[f"{name}{swizzled}.weight"] = mx.MXTensor.to_mx(x, dtype, 32, is_swizzled_scales=swizzled)
                level = nvfp4.per_tensor_amax_to_scale(x.abs().max())
                tensors[f"nv{swizzled}.weight"] = nvfp4.NVFP4Tensor.to_nvfp4(x, 16, level, is_swizzled_scales=swizzled)
                tensors[f"one{swizzled}.weight"] = nvfp4.NVFP4Tensor.to_nvfp4(x, 16, is_swizzled_scales=swizzled)
            stored.save_file(*support.flatten_tensor_state_dict(tensors)[:1], path,
                             metadata=support.flatten_tensor_state_dict(tensors)[1])
            loaded = mxgold.load(path)
            if sorted(loaded) != sorted(tensors):
                raise ValueError(f"loaded {sorted(loaded)}")
            for name, tensor in tensors.items():
                values = tensor if name.startswith("plain") else tensor.dequantize(torch.float32)
                theirs = values.numpy().view(np.uint32)
                mine = np.asarray(loaded[name]).view(np.uint32) ^ (1 if judge.args.wrong else 0)
                judge.same(f"{name} {shape}", theirs, mine, theirs)


def main():
    surfaces = {"safetensors": judge_safetensors, "torchao": judge_torchao}
    judge = Judge("safetensors", f"safetensors {safetensors.__version__}, torch {torch.__version__}", surfaces)
    for name, surface in surfaces.items():
        if judge.wants(name):
            surface(judge)
    judge.finish()


main()
