#!/usr/bin/env python3
"""mxgold against compressed-tensors, vLLM's: scale bytes and codes of its MXFP4, MXFP6, MXFP8 and NVFP4 on the CPU, the global scale
and the way back of the last, and the bytes that it packs FP4 and FP6 into. Of the package, which wants others, only the files of that arithmetic are
loaded, from a folder of its own (MX_COMPRESSED_TENSORS)."""

import os
import sys
import tempfile
import types
from unittest import mock

import numpy as np

os.environ["TORCHDYNAMO_DISABLE"] = "1"  # its functions as they stand, not compiled
from judge import Judge, need  # pylint: disable=wrong-import-position
import mxgold  # pylint: disable=wrong-import-position
import torchao_judge  # pylint: disable=wrong-import-position

torch = need("torch")
need("pydantic")
FOLDER = os.environ.get("MX_COMPRESSED_TENSORS") or os.environ.get("MX_COMPRESSED_TENSORS_DEFAULT", "")
ROOT = "compressed_tensors"
PROFILE = "compressed-tensors-0.20"
# Bits of an element: the block format, its rule, how the program packs it.
FORMATS = {4: ("mxfp4", "even_up", "nibble_low_first"), 6: ("mxfp6_e2m3", "even_up", "dense6"), 8: ("mxfp8_e4m3", "rceil", None)}


def in_place_of(name, **what):
    """A module that is not loaded, with what the files take of it."""
    module = types.ModuleType(name)
    module.__dict__.update(what)
    module.__path__ = [os.path.join(FOLDER, *name.split("."))]
    sys.modules[name] = module
    return module


def loaded(name, into):
    """A file of the package, whose names its package gives too."""
    module = need(f"{ROOT}.{name}")
    for each in module.__all__:
        setattr(into, each, getattr(module, each))
    return module


in_place_of("loguru", logger=mock.MagicMock())
in_place_of(f"{ROOT}.utils", Aliasable=type("Aliasable", (), {}), TensorStateDict=object)
for each in (ROOT, f"{ROOT}.quantization.lifecycle", f"{ROOT}.compressors", f"{ROOT}.compressors.nvfp4",
             f"{ROOT}.compressors.mxfp6"):
    in_place_of(each)
quantization = in_place_of(f"{ROOT}.quantization", QuantizationScheme=object)
helpers_package = in_place_of(f"{ROOT}.quantization.utils")
arguments = loaded("quantization.quant_args", quantization)
loaded("quantization.utils.mxfp_utils", helpers_package)
helpers = loaded("quantization.utils.helpers", helpers_package)
forward, scales_file, fp4, fp6 = need(f"{ROOT}.quantization.lifecycle.forward_helpers", f"{ROOT}.compressors.mx_utils",
                                      f"{ROOT}.compressors.nvfp4.helpers", f"{ROOT}.compressors.mxfp6.helpers")
PACKERS = {4: fp4.pack_fp4_to_uint8, 6: fp6.pack_fp6_to_uint8}


def quantized(data, bits):
    """The scale bytes of groups of 32 and the values under them, as its compressors of dynamic scales ask for them."""
    args = arguments.QuantizationArgs(num_bits=bits, type="float", strategy="group", group_size=32, symmetric=True,
                                      scale_dtype=torch.uint8, zp_dtype=torch.uint8)
    scale, zero = helpers.compute_dynamic_scales_and_zp(data, args, None)
    least, most = helpers.calculate_range(args, data.device)
    values = forward._process_group(data, scale, zero, args, least, most, None, True, False, None)
    return scales_file.compress_mx_scale(scale, torch.uint8).numpy().reshape(data.shape[0], -1), values


def codes_of(values, bits):
    if bits == 8:
        return values.to(torch.float8_e4m3fn).view(torch.uint8).numpy()
    packed = PACKERS[bits](values).numpy()
    if bits == 4:
        return np.stack([packed & 15, packed >> 4], axis=-1).reshape(values.shape)
    word = (packed.reshape(len(packed), -1, 3).astype(np.uint32) << np.array([0, 8, 16], dtype=np.uint32)).sum(axis=-1)
    return np.stack([word >> shift & 63 for shift in (0, 6, 12, 18)], axis=-1).reshape(values.shape).astype(np.uint8)


def judge_blocks(judge, library):
    """Without NaN and Inf, and without maxima that round up to 2^128, whose scale byte wraps to 7F. Its MXFP8 raises the scale
    at 1.75 * 2^k and above, where 448 * 2^k would fit: rceil but for those maxima. Of bf16 tensors it divides in bf16, where a
    negative quotient underflows sooner and loses its sign."""
    for source in ("fp32", "bf16"):
        blocks = torchao_judge.inputs_of(source, judge.args.seed, 32, 20_000)
        wide = (blocks.astype(np.uint32) << (0 if source == "fp32" else 16)) & 0x7FFFFFFF
        top = wide.max(axis=1)
        for bits, (name, rule, _) in FORMATS.items():
            kept = top < (0x7F780000 if bits == 6 else 0x7F600000)
            if bits == 8:
                kept &= (top & 0x7FFFFF) != 0x600000
            their_scales, values = quantized(torchao_judge.tensor_of(blocks[kept], source), bits)
            by_profile = source == "fp32" and bits != 8
            policies = {"profile": PROFILE} if by_profile else {"rule": rule, "elem_scaling": "fp32_div", "zero_sign": "flush_input"}
            codes, scales = library.quantize(blocks[kept], source, name, rounding=judge.wrong_rounding("ties_to_even"), **policies)
            theirs = codes_of(values, bits)
            what = f"{name} {source}, {np.count_nonzero(~kept)} blocks not compared,"
            judge.same(f"{what} scales", their_scales, scales, their_scales, sees_wrong=False)
            if source == "fp32":
                judge.same(f"{what} codes", blocks[kept], codes, theirs)
            else:
                unsigned = lambda each, sign=1 << (bits - 1): np.where(each & (sign - 1) == 0, 0, each)
                judge.same(f"{what} codes without signs of zeros", blocks[kept], unsigned(codes), unsigned(theirs))


def judge_nvfp4(judge, library):
    """Under the global scale of the finite blocks and under those of other maxima, which its own function makes in the tensor's
    type. A NaN scale has arbitrary codes and sometimes a sign."""
    args = arguments.QuantizationArgs(num_bits=4, type="float", strategy="tensor_group", group_size=16, symmetric=True,
                                      scale_dtype=torch.float8_e4m3fn, zp_dtype=torch.float8_e4m3fn)
    for source in ("fp32", "bf16", "fp16"):
        blocks = torchao_judge.inputs_of(source, judge.args.seed, 16, 20_000)
        finite = blocks[~torchao_judge.is_special(blocks, source)[0].any(axis=1)]
        own = torch.abs(torchao_judge.tensor_of(finite, source)).max()
        given = (1.0, 2688.0, 448.0, 3.14159, 0.02, 1e-3, 1e-30, 1e-40, 6e4, 1e30)
        for amax in (own, *(torch.tensor(each).to(own.dtype) for each in given)):
            if torch.isinf(amax):
                continue
            words = finite if amax is own else blocks
            data = torchao_judge.tensor_of(words, source)
            level = helpers.generate_gparam(-amax.reshape(1), amax.reshape(1))
            scale, _ = helpers.compute_dynamic_scales_and_zp(data, args, None, global_scale=level)
            least, most = helpers.calculate_range(args, data.device)
            values = forward._process_group(data, scale, None, args, least, most, None, True, False, level)
            theirs, their_scales = codes_of(values, 4), scale.to(torch.float8_e4m3fn).view(torch.uint8).numpy().reshape(-1, 1) & 0x7F
            word = amax.float().view(torch.int32).item()
            rounding = "toward_zero" if judge.args.wrong else "ties_to_even"
            ours, our_scales = library.quantize(words, source, "nvfp4", tensor_amax=word, profile=PROFILE, rounding=rounding)
            what = f"nvfp4 {source} under {level.item():g}"
            judge.same(f"{what} scales", their_scales, our_scales, their_scales, sees_wrong=False)
            kept = np.broadcast_to(their_scales != 0x7F, words.shape)
            judge.same(f"{what} codes{torchao_judge.left_out(kept)}", words[kept], ours[kept], theirs[kept])
            # Its decompressor reads codes and scales as bfloat16.
            kept = kept & (theirs != 8)
            stored = {"profile": PROFILE, "tensor_scale": level.float().view(torch.int32).item()}
            given, local = values.bfloat16(), torch.from_numpy(their_scales).view(torch.float8_e4m3fn).bfloat16()
            for output, dtype, word in (("fp32", torch.float32, np.uint32), ("bf16", torch.bfloat16, np.uint16)):
                back = forward._dequantize(given, local, dtype=dtype, global_scale=level.float())
                back = back.view(torch.int32 if output == "fp32" else torch.int16).numpy().view(word)
                judge.same(f"{what} to {output}, {np.count_nonzero(~kept)} of NaN and -0 not compared", theirs[kept],
                           library.dequantize(theirs, their_scales, "nvfp4", output, **stored)[kept], back[kept],
                           sees_wrong=False)


def judge_checkpoint(judge, _):
    """Two weights under the global scale of both, as llm-compressor fuses them, in the names and bytes of its compressor: `mxgold
    identify` has to name its profile; after one changed code it must not."""
    generator = np.random.Generator(np.random.Philox(judge.args.seed))
    args = arguments.QuantizationArgs(num_bits=4, type="float", strategy="tensor_group", group_size=16, symmetric=True,
                                      scale_dtype=torch.float8_e4m3fn, zp_dtype=torch.float8_e4m3fn)
    for source, dtype, integers in (("F32", torch.float32, torch.int32), ("BF16", torch.bfloat16, torch.int16),
                                    ("F16", torch.float16, torch.int16)):
        weights = {name: torch.from_numpy(generator.normal(0, spread, size=(96, 512)).astype(np.float32)).to(dtype)
                   for name, spread in (("q", 0.02), ("k", 0.03))}
        weights["q"][3, 64:96] = 0
        top = torch.stack([torch.abs(each).max() for each in weights.values()]).max()
        level = helpers.generate_gparam(-top.reshape(1), top.reshape(1))
        made = {}
        for name, data in weights.items():
            scale, _ = helpers.compute_dynamic_scales_and_zp(data, args, None, global_scale=level)
            values = forward._process_group(data, scale, None, args, *helpers.calculate_range(args, data.device), None, True, False,
                                            level)
            packed = fp4.pack_fp4_to_uint8(values).numpy().copy()
            if judge.args.wrong:
                packed[0, 0] ^= 1
            made[f"{name}.weight_packed"] = ("U8", packed)
            made[f"{name}.weight_scale"] = ("F8_E4M3", scale.to(torch.float8_e4m3fn).view(torch.uint8).numpy())
            made[f"{name}.weight_global_scale"] = ("F32", level.numpy())
        plain = {f"{name}.weight": (source, data.view(integers).numpy()) for name, data in weights.items()}
        named, outputs = mxgold.profiles_of(plain, made)
        judge.same(f"checkpoint in nvfp4 from {source}, {outputs} outputs, named by {', '.join(named) or 'nothing'}", np.arange(1),
                   np.array([PROFILE in named]), np.array([True]))


def judge_packed(judge, _):
    """Files of the program, of elements that do not become zero."""
    generator = np.random.Generator(np.random.Philox(judge.args.seed))
    words = generator.integers(0, 1 << 32, size=(257, 320), dtype=np.uint64).astype(np.uint32)
    words = (words & 0x81FFFFFF) | 0x3E000000  # 2^-3 to 2 in size
    with tempfile.TemporaryDirectory() as folder:
        source, made = os.path.join(folder, "x.npy"), os.path.join(folder, "q.safetensors")
        np.save(source, words.view(np.float32))
        for bits in (4, 6):
            name, rule, layout = FORMATS[bits]
            ours = torchao_judge.file_of(os.environ["MXGOLD_PROGRAM"], source, made, "--format", name, "--rule", rule, "--packed",
                                          layout, "--rounding", "toward_zero" if judge.args.wrong else "ties_to_even")
            scales, values = quantized(torch.from_numpy(words.view(np.float32)), bits)
            judge.same(f"{name} scale bytes", ours["scales"], ours["scales"], scales.reshape(-1), sees_wrong=False)
            judge.same(f"{name} bytes of {layout}", ours["codes"], ours["codes"], PACKERS[bits](values).numpy().reshape(-1))


def main():
    judge = Judge("compressed_tensors", f"compressed-tensors 0.20.0, torch {torch.__version__}", ("blocks", "nvfp4", "packed", "checkpoint"))
    library = mxgold.Library()
    torch.set_num_threads(1)
    for surface, compare in (("blocks", judge_blocks), ("nvfp4", judge_nvfp4), ("packed", judge_packed),
                             ("checkpoint", judge_checkpoint)):
        if judge.wants(surface):
            compare(judge, library)
    judge.finish()


if __name__ == "__main__":
    main()
