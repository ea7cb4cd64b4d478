#!/usr/bin/env python3
"""mxgold against NVIDIA's ModelOpt: scale bytes and codes of its MXFP8QTensor and MXFP4QTensor on the CPU. Of the package, which
wants others, those files and the reductions that they call are loaded, from a folder of its own (MX_MODELOPT). Its NVFP4QTensor
follows no rule of mxgold (spec F11.6) and is not compared."""

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


def in_place_of(name, **what):
    """A module of the package that is not loaded, with what the files take of it."""
    module = types.ModuleType(name)
    module.__dict__.update(what)
    module.__path__ = [os.path.join(FOLDER, *name.split("."))]
    sys.modules[name] = module
    return module


for each in ("modelopt", "modelopt.torch", ROOT, f"{ROOT}.qtensor"):
    in_place_of(each)
in_place_of("modelopt.torch.utils", get_unwrapped_name=None, print_rank_0=None)
in_place_of("modelopt.torch.utils.network", temporarily_remove_accelerate_hook=None)
in_place_of(f"{ROOT}.config", QuantizerCfgEntry=object)
utils = in_place_of(f"{ROOT}.utils")
core = need(f"{ROOT}.utils.core_utils")
for each in ("reduce_amax", "reduce_block_amax", "reduce_block_padding", "fsdp2_aware_weight_update", "patch_fsdp_mp_dtypes"):
    setattr(utils, each, getattr(core, each))
mxfp8, mxfp4 = need(f"{ROOT}.qtensor.mxfp8_tensor", f"{ROOT}.qtensor.mxfp4_tensor")


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
        codes, our_scales = library.quantize(blocks, source, "mxfp8_e4m3", rule="rceil_log2f", ratio_op="fp32_div",
                                             inf_block="scale_max", elem_scaling="fp32_mul",
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


def main():
    judge = Judge("modelopt", f"nvidia-modelopt 0.47.0, torch {torch.__version__}", ("mxfp8", "mxfp4"))
    library = mxgold.Library()
    torch.set_num_threads(1)
    for surface, compare in (("mxfp8", judge_mxfp8), ("mxfp4", judge_mxfp4)):
        if judge.wants(surface):
            compare(judge, library)
    judge.finish()


if __name__ == "__main__":
    main()
