#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checkpoints as libraries ship them: made by the library, read by `mxgold dequantize`, and compared with the values
that the library itself makes of them, in binary32 bits.

Where a library computes in bfloat16 alone, both are compared in bfloat16.
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

ROWS, COLUMNS = 256, 384


def call(*arguments):
    done = subprocess.run([os.environ["MXGOLD_PROGRAM"], *arguments], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout


def weight_of(torch, seed, rows=ROWS, columns=COLUMNS):
    """Numbers whose rows and columns lie in different binades, and a block of zeros."""
    generator = torch.Generator().manual_seed(seed)
    values = torch.randn(rows, columns, generator=generator)
    values *= torch.exp2(torch.randint(-9, 4, (rows, 1), generator=generator).float())
    values[3, :32] = 0
    return values.to(torch.bfloat16)


def bits_of(torch, tensor):
    kind = torch.int16 if tensor.dtype == torch.bfloat16 else torch.int32
    return tensor.contiguous().view(kind).numpy().reshape(-1).view(np.uint16 if kind == torch.int16 else np.uint32)


def compare(judge, path, expected, maker, configuration=None):
    """expected: name -> tensor of binary32 or bfloat16. `configuration` lies beside the file as config.json."""
    torch, stored = need("torch", "safetensors.torch")
    beside = pathlib.Path(path).parent / "config.json"
    beside.unlink(missing_ok=True)
    if configuration:
        beside.write_text(json.dumps({"quantization_config": configuration}))
    made_by = json.loads(call("inspect", path, "--headers", "--json"))["made_by"]
    if maker not in made_by:
        raise ValueError(f"{path}: made by {made_by}, not {maker}")
    for dtype, option in ((torch.float32, "f32"), (torch.bfloat16, "bf16")):
        names = [name for name, tensor in expected.items() if tensor.dtype == dtype]
        if not names:
            continue
        out = f"{path}.{option}.safetensors"
        call("dequantize", path, "-o", out, "--to", option)
        ours = stored.load_file(out)
        for name in names:
            if tuple(ours[name].shape) != tuple(expected[name].shape):
                raise ValueError(f"{path}: {name}: {tuple(ours[name].shape)}, not {tuple(expected[name].shape)}")
            theirs = bits_of(torch, expected[name])
            wrong = theirs.dtype.type(1 if judge.args.wrong else 0)
            judge.same(f"{os.path.basename(path)} {name}", theirs, bits_of(torch, ours[name]) ^ wrong, theirs,
                       sees_wrong=True)


def judge_torchao(judge, folder):
    torch, stored = need("torch", "safetensors.torch")
    mx, nv, quantization, support = need("torchao.prototype.mx_formats.mx_tensor",
                                         "torchao.prototype.mx_formats.nvfp4_tensor", "torchao.quantization",
                                         "torchao.prototype.safetensors.safetensors_support")
    weight = weight_of(torch, judge.args.seed)
    level = weight.abs().max().float() / (448 * 6)
    state = {"mxfp4.weight": mx.MXTensor.to_mx(weight, torch.float4_e2m1fn_x2, 32),
             "mxfp8.weight": mx.MXTensor.to_mx(weight, torch.float8_e4m3fn, 32),
             "mxfp8_e5m2.weight": mx.MXTensor.to_mx(weight, torch.float8_e5m2, 32),
             "swizzled.weight": mx.MXTensor.to_mx(weight, torch.float8_e4m3fn, 32, is_swizzled_scales=True),
             "nvfp4.weight": nv.NVFP4Tensor.to_nvfp4(weight, per_tensor_scale=level),
             "nvfp4_swizzled.weight": nv.NVFP4Tensor.to_nvfp4(weight, per_tensor_scale=level, is_swizzled_scales=True),
             "nvfp4_one_level.weight": nv.NVFP4Tensor.to_nvfp4(weight),
             "fp8_rows.weight": quantization.Float8Tensor.from_hp(weight),
             "fp8_tensor.weight": quantization.Float8Tensor.from_hp(weight, granularity=quantization.PerTensor())}
    expected = {name: tensor.dequantize(torch.float32) for name, tensor in state.items()}
    path = os.path.join(folder, "torchao.pt")
    torch.save({**state, "bias": torch.zeros(3)}, path)
    compare(judge, path, expected, "torchao")
    tensors, metadata = support.flatten_tensor_state_dict({**state, "some.bias": torch.zeros(3)})
    path = os.path.join(folder, "torchao.safetensors")
    stored.save_file(tensors, path, metadata)
    compare(judge, path, expected, "torchao")


def judge_compressed(judge, folder):
    torch, stored = need("torch", "safetensors.torch")
    compressors, quantization, helpers = need("compressed_tensors.compressors", "compressed_tensors.quantization",
                                              "compressed_tensors.quantization.utils")
    weight = weight_of(torch, judge.args.seed)

    def blocks(size):
        return weight.float().reshape(ROWS, COLUMNS // size, size).abs().amax(-1)

    def powers(greatest):
        return torch.exp2(torch.ceil(torch.log2(torch.clamp(blocks(32) / greatest, min=2.0**-100))))

    level = torch.tensor([448 * 6.0]) / weight.float().abs().max()
    kinds = {
        "nvfp4-pack-quantized": (dict(num_bits=4, type="float", strategy="tensor_group", group_size=16, symmetric=True),
                                 {"weight_scale": (blocks(16) / 6 * level).to(torch.float8_e4m3fn).float(),
                                  "weight_global_scale": level}),
        "mxfp4-pack-quantized": (dict(num_bits=4, type="float", strategy="group", group_size=32, symmetric=True),
                                 {"weight_scale": powers(6)}),
        "mxfp6-pack-quantized": (dict(num_bits=6, type="float", strategy="group", group_size=32, symmetric=True),
                                 {"weight_scale": powers(7.5)}),
        "mxfp8-quantized": (dict(num_bits=8, type="float", strategy="group", group_size=32, symmetric=True,
                                 scale_dtype=torch.uint8), {"weight_scale": powers(448)}),
        "float-quantized": (dict(num_bits=8, type="float", strategy="channel", symmetric=True),
                            {"weight_scale": weight.float().abs().amax(-1, keepdim=True) / 448}),
        "int-quantized": (dict(num_bits=8, type="int", strategy="channel", symmetric=True),
                          {"weight_scale": (weight.float().abs().amax(-1, keepdim=True) / 127).to(torch.bfloat16)}),
        "naive-quantized": (dict(num_bits=8, type="float", strategy="block", block_structure=[128, 128], symmetric=True),
                            {"weight_scale": weight.float().reshape(2, 128, 3, 128).abs().amax((1, 3)) / 448}),
    }
    for name, (args, parts) in kinds.items():
        scheme = quantization.QuantizationScheme(targets=["Linear"], weights=quantization.QuantizationArgs(**args))
        compressor = compressors.BaseCompressor.get_value_from_registry(name)
        packed = compressor.compress({"weight": weight, **parts}, scheme)
        back = compressor.decompress(dict(packed), scheme)["weight"]
        path = os.path.join(folder, f"{name}.safetensors")
        stored.save_file({f"a.{key}": value.contiguous() for key, value in packed.items()}, path)
        compare(judge, path, {"a.weight": back}, f"compressed-tensors ({name})",
                {"quant_method": "compressed-tensors", "format": name})


def judge_modelopt(judge, folder):
    torch, stored = need("torch", "safetensors.torch")
    qtensor = need("modelopt.torch.quantization.qtensor")
    weight = weight_of(torch, judge.args.seed).float()
    state, expected = {}, {}
    made, scale, level = qtensor.NVFP4QTensor.quantize(weight, 16)
    back = made.dequantize(torch.float32, scale=scale, double_scale=level, block_sizes={-1: 16})
    # Its table has +0 for the code 8; mxgold gives the -0 that the code is.
    codes = torch.stack([made._quantized_data & 15, made._quantized_data >> 4], -1).reshape(ROWS, COLUMNS)
    expected["nvfp4.weight"] = torch.where(codes == 8, -0.0, back)
    state |= {"nvfp4.weight": made._quantized_data, "nvfp4.weight_scale": scale, "nvfp4.weight_scale_2": level}
    made, scale = qtensor.MXFP4QTensor.quantize(weight, 32)
    expected["mxfp4.weight"] = made.dequantize(torch.float32, scale=scale, block_sizes={-1: 32})
    state |= {"mxfp4.weight": made._quantized_data, "mxfp4.weight_scale": scale.reshape(ROWS, COLUMNS // 32)}
    made, scale = qtensor.MXFP8QTensor.quantize(weight)
    expected["mxfp8.weight"] = made.dequantize(torch.float32, scale=scale)
    state |= {"mxfp8.weight": made._quantized_data, "mxfp8.weight_scale": scale}
    for name, sizes, scale in (("tensor", None, weight.abs().max() / 448),
                               ("blocks", {-1: 128, -2: 128},
                                weight.reshape(2, 128, 3, 128).abs().amax((1, 3)) / 448)):
        made, scale = qtensor.FP8QTensor.quantize(weight, scale, block_sizes=sizes)
        expected[f"{name}.weight"] = made.dequantize(torch.float32, scale=scale, block_sizes=sizes)
        state |= {f"{name}.weight": made._quantized_data, f"{name}.weight_scale": scale}
    path = os.path.join(folder, "modelopt.safetensors")
    stored.save_file({name: tensor.contiguous() for name, tensor in state.items()}, path)
    compare(judge, path, expected, "ModelOpt", {"quant_method": "modelopt"})


def judge_transformers(judge, folder):
    torch, stored = need("torch", "safetensors.torch")
    mxfp4, fp8 = need("transformers.integrations.mxfp4", "transformers.integrations.finegrained_fp8")
    generator = torch.Generator().manual_seed(judge.args.seed)
    blocks = torch.randint(0, 256, (3, 64, 4, 16), generator=generator, dtype=torch.uint8)
    scales = torch.randint(100, 140, (3, 64, 4), generator=generator, dtype=torch.uint8)
    name = "model.layers.0.mlp.experts.gate_up_proj"
    path = os.path.join(folder, "gpt_oss.safetensors")
    stored.save_file({f"{name}_blocks": blocks, f"{name}_scales": scales, f"{name}_bias": torch.zeros(3, 64)}, path)
    # The library turns the last two axes round after it.
    theirs = mxfp4.convert_moe_packed_tensors(blocks, scales, dtype=torch.float32).transpose(1, 2)
    compare(judge, path, {name: theirs}, "gpt-oss", {"quant_method": "mxfp4"})
    codes = weight_of(torch, judge.args.seed).to(torch.float8_e4m3fn)
    fours = torch.randint(-128, 128, (ROWS, COLUMNS // 2), generator=generator, dtype=torch.int8)
    powers = torch.randint(100, 140, (ROWS, COLUMNS // 32), generator=generator, dtype=torch.uint8)
    tiles = torch.rand(2, 3, generator=generator) + 0.5
    state = {"q.weight": codes, "q.weight_scale_inv": tiles,
             "k.weight": codes.clone(), "k.weight_scale_inv": tiles.to(torch.float8_e8m0fnu),
             "w1.weight": fours, "w1.scale": powers.view(torch.float8_e8m0fnu)}
    path = os.path.join(folder, "deepseek.safetensors")
    stored.save_file(state, path)
    library = fp8.Fp8Dequantize(None)
    expected = {name: library._dequantize_one(state[name], state[scales], torch.float32)
                for name, scales in zip(list(state)[::2], list(state)[1::2])}
    compare(judge, path, expected, "DeepSeek", {"quant_method": "fp8", "weight_block_size": [128, 128]})


def main():
    surfaces = {"torchao": judge_torchao, "compressed": judge_compressed, "modelopt": judge_modelopt,
                "transformers": judge_transformers}
    judge = Judge("checkpoints of others", "as they are installed", surfaces)
    with tempfile.TemporaryDirectory() as folder:
        for name, run in surfaces.items():
            if judge.wants(name):
                run(judge, folder)
    judge.finish()


if __name__ == "__main__":
    main()
