#!/usr/bin/env python3
"""mxgold against NVIDIA's ModelOpt: scale bytes and codes of its MXFP8QTensor, MXFP4QTensor and NVFP4QTensor on the CPU, of the
last the values back too. Of the package, which wants others, those files and the reductions that they call are loaded, from a
folder of its own (MX_MODELOPT)."""

import os
import sys
import types

import numpy as np

from judge import Judge, need
import mxgold
import torchao_judge

torch = need("torch")
FOLDER = os.environ.get("MX_MODELOPT") or os.environ.get("MX_MODELOPT_DEFAULT", "")
ROOT = "modelopt.torch.quantization"
PROFILE = "modelopt-0.47"


def in_place_of(name, **what):
    """A module of the package that is not loaded, with what the files take of it."""
    module = types.ModuleType(name)
    module.__dict__.update(what)
    module.__path__ = [os.path.join(FOLDER, *name.split("."))]
    sys.modules[name] = module
    return module


for each in ("modelopt", "modelopt.torch", ROOT, f"{ROOT}.qtensor", f"{ROOT}.backends"):
    in_place_of(each)
in_place_of(f"{ROOT}.backends.utils", fp4_compatible=None)
in_place_of("modelopt.torch.utils", get_unwrapped_name=None, print_rank_0=None)
in_place_of("modelopt.torch.utils.network", temporarily_remove_accelerate_hook=None)
in_place_of(f"{ROOT}.config", QuantizerCfgEntry=object)
utils = in_place_of(f"{ROOT}.utils")
core = need(f"{ROOT}.utils.core_utils")
for each in ("reduce_amax", "reduce_block_amax", "reduce_block_padding", "fsdp2_aware_weight_update", "patch_fsdp_mp_dtypes"):
    setattr(utils, each, getattr(core, each))
mxfp8, mxfp4, nvfp4 = need(*(f"{ROOT}.qtensor.{name}_tensor" for name in ("mxfp8", "mxfp4", "nvfp4")))


def blocks_of(judge, source):
    """Blocks without NaN, and which of them have no Inf. A NaN gives scale byte 00 to mxfp8 and none to mxfp4."""
    blocks = torchao_judge.inputs_of(source, judge.args.seed, 32, 20_000)
    special, nan = torchao_judge.is_special(blocks, source)
    kept = ~nan.any(axis=1)
    return blocks[kept], ~special.any(axis=1)[kept]


def judge_mxfp8(judge, library):
    for source in ("fp32", "bf16"):
        blocks, _ = blocks_of(judge, source)
        quantized, scales = mxfp8.MXFP8QTensor.quantize(torchao_judge.tensor_of(blocks, source).clone())
        theirs, their_scales = quantized._quantized_data.view(torch.uint8).numpy(), scales.numpy()
        codes, our_scales = library.quantize(blocks, source, "mxfp8_e4m3", profile=PROFILE,
                                             rounding=judge.wrong_rounding("ties_to_even"))
        judge.same(f"mxfp8_e4m3 {source} scales, no NaN", their_scales, our_scales, their_scales, sees_wrong=False)
        judge.same(f"mxfp8_e4m3 {source} codes, no NaN", blocks, codes, theirs)


def judge_mxfp4(judge, library):
    """Ties go toward zero. What was a zero, of either sign, has the code 8 there."""
    for source in ("fp32", "bf16"):
        blocks, finite = blocks_of(judge, source)
        blocks = blocks[finite]
        quantized, scales = mxfp4.MXFP4QTensor.quantize(torchao_judge.tensor_of(blocks, source).clone(), 32)
        theirs, their_scales = torchao_judge.codes_of(quantized._quantized_data, 2), scales.numpy().reshape(-1, 1)
        codes, our_scales = library.quantize(blocks, source, "mxfp4", rule="rceil_log2f", ratio_op="fp32_div",
                                             elem_scaling="fp32_div",
                                             rounding="ties_to_even" if judge.args.wrong else "ties_to_zero")
        judge.same(f"mxfp4 {source} scales, no NaN and Inf", their_scales, our_scales, their_scales, sees_wrong=False)
        unsigned = lambda each: np.where(each & 7 == 0, 0, each)
        judge.same(f"mxfp4 {source} codes, no NaN and Inf, without signs of zeros", blocks, unsigned(codes), unsigned(theirs))


def judge_nvfp4(judge, library):
    """Under the tensor scale of the finite blocks, which their own function makes, and under given ones from subnormal to
    2^100. A NaN scale has arbitrary codes and sometimes a sign; the code 8, -0, comes back as +0."""
    quantizer = nvfp4.NVFP4QTensor
    for source in ("fp32", "bf16", "fp16"):
        blocks = torchao_judge.inputs_of(source, judge.args.seed, 16, 20_000)
        finite = blocks[~torchao_judge.is_special(blocks, source)[0].any(axis=1)]
        own = quantizer.get_weights_scaling_factor_2(torchao_judge.tensor_of(finite, source))
        largest = np.uint32(torch.abs(torchao_judge.tensor_of(finite, source)).max().float().view(torch.int32).item())
        judge.same(f"nvfp4 {source} tensor scale", largest.reshape(1), np.array([own.view(torch.int32).item()]),
                   np.array([(largest.view(np.float32) / np.float32(2688)).view(np.uint32)]), sees_wrong=False)
        for scale in (own, *(torch.tensor(each) for each in (1.0, 3.7e-4, 0.0417, 2.0**-20, 1e-30, 1e-41, 2.0**100))):
            words = finite if scale is own else blocks
            quantized, scales, _ = quantizer.quantize(torchao_judge.tensor_of(words, source).clone(), 16, None, scale)
            theirs = torchao_judge.codes_of(quantized._quantized_data, 2)
            their_scales = scales.view(torch.uint8).numpy() & 0x7F
            level = {"profile": PROFILE, "tensor_scale": scale.view(torch.int32).item()}
            rounding = "toward_zero" if judge.args.wrong else "ties_to_even"
            ours, our_scales = library.quantize(words, source, "nvfp4", rounding=rounding, **level)
            what = f"nvfp4 {source} under {scale.item():g}"
            judge.same(f"{what} scales", their_scales, our_scales, their_scales, sees_wrong=False)
            kept = np.broadcast_to(their_scales != 0x7F, words.shape)
            # Under the smallest scales every element saturates; under the largest all become zeros.
            judge.same(f"{what} codes{torchao_judge.left_out(kept)}", words[kept], ours[kept], theirs[kept],
                       sees_wrong=1e-20 < scale.item() < 1e20)
            kept = kept & (theirs != 8)
            for output, dtype, word in (("fp32", torch.float32, np.uint32), ("bf16", torch.bfloat16, np.uint16)):
                back = quantized.dequantize(dtype, scale=scales, double_scale=scale, block_sizes={-1: 16})
                values = back.view(torch.int32 if output == "fp32" else torch.int16).numpy().view(word)
                judge.same(f"{what} to {output}, {np.count_nonzero(~kept)} of NaN and -0 not compared", theirs[kept],
                           library.dequantize(theirs, their_scales, "nvfp4", output, **level)[kept], values[kept],
                           sees_wrong=False)


def judge_static(judge, library):
    """The scales that a quantizer's export computes from the maxima of its blocks, which it holds; blocks of zeros are among
    them. As NVFP4, under the largest magnitude of the finite blocks and under given ones."""
    quantizer = nvfp4.NVFP4QTensor
    for source in ("fp32", "bf16", "fp16"):
        blocks = torchao_judge.inputs_of(source, judge.args.seed, 16, 20_000)
        words = blocks[~torchao_judge.is_special(blocks, source)[0].any(axis=1)]
        words = np.concatenate([words, np.zeros_like(words[:1])])
        weight = torchao_judge.tensor_of(words, source)
        for amax in (weight.abs().max().float(), *(torch.tensor(each) for each in (1.0, 1.09375, 6.5, 1000.0, 3e-5, 1e-40))):
            held = types.SimpleNamespace(block_sizes={-1: 16}, global_amax=amax, _amax=weight.abs().amax(dim=1).float())
            scales, level = quantizer.get_weights_scaling_factor_from_quantizer(held, weight)
            quantized, _, _ = quantizer.quantize(weight.clone(), 16, scales, level)
            theirs = torchao_judge.codes_of(quantized._quantized_data, 2)
            their_scales = scales.view(torch.uint8).numpy()
            rounding = "toward_zero" if judge.args.wrong else "ties_to_even"
            ours, our_scales = library.quantize(words, source, "nvfp4", profile=PROFILE, variant="static", rounding=rounding,
                                                tensor_amax=amax.view(torch.int32).item())
            what = f"nvfp4 static {source} at {amax.item():g}"
            judge.same(f"{what} scales", their_scales, our_scales, their_scales, sees_wrong=False)
            # A g that is 0 or all but 0 leaves saturated elements, or NaN of zeros, whatever is rounded.
            judge.same(f"{what} codes", words, ours, theirs, sees_wrong=amax.item() > 1e-20)


def judge_checkpoint(judge, _):
    """Weights as its export names them, NVFP4 and MXFP8: `mxgold identify` has to name its profile; after one changed code it must
    not."""
    generator = np.random.Generator(np.random.Philox(judge.args.seed))
    weight = torch.from_numpy(generator.normal(0, 0.02, size=(96, 512)).astype(np.float32)).to(torch.bfloat16)
    weight[3, 64:96] = 0
    weights = {"layer.weight": ("BF16", weight.view(torch.int16).numpy())}
    quantized, scales, level = nvfp4.NVFP4QTensor.quantize(weight.clone(), 16)
    eight, powers = mxfp8.MXFP8QTensor.quantize(weight.clone())
    for name, dtype, codes, parts in (
            ("nvfp4", "U8", quantized._quantized_data, {"scale": ("F8_E4M3", scales.view(torch.uint8)), "scale_2": ("F32", level)}),
            ("mxfp8_e4m3", "F8_E4M3", eight._quantized_data.view(torch.uint8), {"scale": ("U8", powers)})):
        codes = codes.numpy().reshape(96, -1).copy()
        if judge.args.wrong:
            codes[0, 0] ^= 1
        made = {"layer.weight": (dtype, codes), **{f"layer.weight_{part}": (kind, each.numpy()) for part, (kind, each) in parts.items()}}
        named, outputs = mxgold.profiles_of(weights, made)
        judge.same(f"checkpoint in {name}, {outputs} outputs, named by {', '.join(named) or 'nothing'}", np.arange(1),
                   np.array([PROFILE in named]), np.array([True]))


def main():
    judge = Judge("modelopt", f"nvidia-modelopt 0.47.0, torch {torch.__version__}", ("mxfp8", "mxfp4", "nvfp4", "static", "checkpoint"))
    library = mxgold.Library()
    torch.set_num_threads(1)
    for surface, compare in (("mxfp8", judge_mxfp8), ("mxfp4", judge_mxfp4), ("nvfp4", judge_nvfp4),
                             ("static", judge_static), ("checkpoint", judge_checkpoint)):
        if judge.wants(surface):
            compare(judge, library)
    judge.finish()


if __name__ == "__main__":
    main()
