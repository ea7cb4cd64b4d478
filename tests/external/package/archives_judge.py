#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files that numpy.savez, torch.save and safetensors write, read by `mxgold inspect` and `mxgold quantize`.

Converting a tensor to its own format changes nothing, so what comes out is what was read.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "judges"))

import numpy as np

from judge import Judge, need

FORMATS = {"F64": "fp64", "F32": "fp32", "F16": "fp16", "BF16": "bf16", "F8_E4M3": "e4m3fn", "F8_E5M2": "e5m2",
           "F8_E4M3FNUZ": "e4m3fnuz", "F8_E5M2FNUZ": "e5m2fnuz", "F4": "e2m1fn"}


def call(*arguments):
    done = subprocess.run([os.environ["MXGOLD_PROGRAM"], *arguments], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout


def read(folder, path, name, kind):
    """The bytes of a tensor as mxgold reads them; of F4 one a code."""
    out = os.path.join(folder, "out.safetensors")
    call("quantize", path, "-o", out, "--tensor", name, "--format", FORMATS[kind])
    data = pathlib.Path(out).read_bytes()
    length = int.from_bytes(data[:8], "little")
    entry = json.loads(data[8:8 + length])[f"{name}.codes"]
    begin, end = entry["data_offsets"]
    return np.frombuffer(data[8 + length + begin:8 + length + end], np.uint8)


def compare(judge, folder, path, expected):
    """expected: name -> (type, shape, bytes)."""
    found = {each["name"]: each for each in json.loads(call("inspect", path, "--headers", "--json"))["tensors"]}
    if set(found) != set(expected):
        raise ValueError(f"{path}: {sorted(found)}, {sorted(expected)} were saved")
    for name, (kind, shape, raw) in expected.items():
        if (found[name]["dtype"], tuple(found[name]["shape"])) != (kind, tuple(shape)):
            raise ValueError(f"{path}: {name}: {found[name]['dtype']} {found[name]['shape']}, not {kind} {shape}")
        if kind in FORMATS:
            ours = read(folder, path, name, kind) ^ (1 if judge.args.wrong else 0)
            judge.same(f"{os.path.basename(path)} {name}", raw, ours, raw, sees_wrong=raw.size > 0)


def judge_numpy(judge, folder):
    ml_dtypes = need("ml_dtypes")
    rng = np.random.default_rng(judge.args.seed)
    wide = rng.standard_normal((5, 7, 3))
    arrays = {"f8": wide, "f4": wide.astype("f4"), "f2": wide.astype("f2"), "bf": wide.astype(ml_dtypes.bfloat16),
              "e5": wide.astype(ml_dtypes.float8_e5m2), "turned": wide.astype("f4").T, "fortran": np.asfortranarray(wide),
              "sliced": wide[1:, ::2], "none": np.zeros((0, 3)), "one": np.float32(2.5), "ints": np.arange(5),
              "bytes": np.arange(5, dtype=np.uint8), "yes": np.array([True])}
    kinds = {"f8": "F64", "f4": "F32", "f2": "F16", "bf": "BF16", "e5": "F8_E5M2", "turned": "F32", "fortran": "F64",
             "sliced": "F64", "none": "F64", "one": "F32", "ints": "I64", "bytes": "U8", "yes": "BOOL"}
    expected = {name: (kinds[name], array.shape, np.frombuffer(array.tobytes(), np.uint8)) for name, array in arrays.items()}
    for save in (np.savez, np.savez_compressed):
        path = os.path.join(folder, f"{save.__name__}.npz")
        save(path, **arrays)
        compare(judge, folder, path, expected)


def judge_torch(judge, folder):
    torch = need("torch")
    rng = np.random.default_rng(judge.args.seed)
    kinds = {"float64": "F64", "float32": "F32", "float16": "F16", "bfloat16": "BF16", "float8_e4m3fn": "F8_E4M3",
             "float8_e5m2": "F8_E5M2", "float8_e4m3fnuz": "F8_E4M3FNUZ", "float8_e5m2fnuz": "F8_E5M2FNUZ",
             "float8_e8m0fnu": "F8_E8M0", "float4_e2m1fn_x2": "F4", "uint8": "U8", "int8": "I8", "int64": "I64"}
    state, expected = {}, {}
    for name, kind in kinds.items():
        dtype = getattr(torch, name)
        # No infinities and NaN, which have one code each after a conversion.
        raw = rng.integers(0, 64, 6 * 4 * dtype.itemsize, dtype=np.uint8)
        state[name] = torch.from_numpy(raw.copy()).view(dtype).reshape(6, 4)
        if kind == "F4":
            expected[name] = (kind, (6, 8), np.stack([raw & 15, raw >> 4], -1).reshape(-1))
        else:
            expected[name] = (kind, (6, 4), raw)
    views = {"turned": state["float32"].t(), "part": state["float32"][1:4, ::2], "again": state["float32"],
             "repeated": torch.arange(3.0).expand(4, 3), "parameter": torch.nn.Parameter(torch.ones(2, 3))}
    for name, view in views.items():
        expected[f"views.{name}"] = ("F32", tuple(view.shape),
                                     np.frombuffer(view.detach().contiguous().numpy().tobytes(), np.uint8))
    path = os.path.join(folder, "state.pt")
    torch.save({**state, "views": views, "epoch": 3, "note": "text"}, path)
    compare(judge, folder, path, expected)
    layer = torch.nn.Sequential(torch.nn.Linear(3, 5), torch.nn.LayerNorm(5))
    path = os.path.join(folder, "layer.pth")
    torch.save(layer.state_dict(), path)
    compare(judge, folder, path, {name: ("F32", tuple(each.shape), np.frombuffer(each.numpy().tobytes(), np.uint8))
                                  for name, each in layer.state_dict().items()})


def judge_safetensors(judge, folder):
    stored = need("safetensors.numpy")
    rng = np.random.default_rng(judge.args.seed)
    arrays = {kind: rng.standard_normal((4, 6)).astype(kind) for kind in ("f2", "f4", "f8")}
    path = os.path.join(folder, "x.safetensors")
    stored.save_file(arrays, path)
    kinds = {"f2": "F16", "f4": "F32", "f8": "F64"}
    compare(judge, folder, path, {name: (kinds[name], array.shape, np.frombuffer(array.tobytes(), np.uint8))
                                  for name, array in arrays.items()})


def main():
    surfaces = {"numpy": judge_numpy, "torch": judge_torch, "safetensors": judge_safetensors}
    judge = Judge("files of others", f"numpy {np.__version__}", surfaces)
    with tempfile.TemporaryDirectory() as folder:
        for name, run in surfaces.items():
            if judge.wants(name):
                run(judge, folder)
    judge.finish()


if __name__ == "__main__":
    main()
