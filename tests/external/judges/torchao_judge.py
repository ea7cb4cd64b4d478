#!/usr/bin/env python3
"""mxgold against torchao's MX and NVFP4 casts: scale bytes and element codes of random and directed blocks, the decoding of
every scale with every element, packed codes and swizzled scales. With --development the casts are those of a checkout of
pytorch/ao (at 36027d82d, 0.19 development) that MX_TORCHAO_DEV names; its compiled parts take no part in them."""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import warnings

import numpy as np

from judge import SKIP, Judge, need
import mxgold
import stimuli

warnings.filterwarnings("ignore")
DEVELOPMENT = "--development" in sys.argv
DEVICE = "cuda" if "--cuda" in sys.argv else "cpu"
CHECKOUT = pathlib.Path(os.environ.get("MX_TORCHAO_DEV") or os.environ.get("MX_TORCHAO_DEV_DEFAULT", ""))


def take_checkout():
    """Puts the checkout before the installed package. What only the version in question has is looked for first."""
    source = CHECKOUT / "torchao" / "prototype" / "mx_formats" / "mx_tensor.py"
    if not source.is_file():
        print(f"SKIP torchao_judge.py: no {source.name}; name a checkout of pytorch/ao in MX_TORCHAO_DEV")
        sys.exit(SKIP)
    if "def _f32_to_e8m0_rceil" not in source.read_text(encoding="utf-8"):
        raise ValueError(f"{source} has no _f32_to_e8m0_rceil: it is another version")
    sys.path.insert(0, str(CHECKOUT))


if DEVELOPMENT:
    take_checkout()
torch, torchao = need("torch", "torchao")
mx, nvfp4, constants, config, utils = need(*(f"torchao.prototype.mx_formats.{name}" for name in
                                             ("mx_tensor", "nvfp4_tensor", "constants", "config", "utils")))

# mxgold's block format: (torchao's element type, codes a byte)
FORMATS = {
    "mxfp8_e4m3": (torch.float8_e4m3fn, 1),
    "mxfp8_e5m2": (torch.float8_e5m2, 1),
    "mxfp6_e2m3": (constants.DTYPE_FP6_E2M3, 1),
    "mxfp6_e3m2": (constants.DTYPE_FP6_E3M2, 1),
    "mxfp4": (torch.float4_e2m1fn_x2, 2),
}
LARGEST = {"mxfp8_e4m3": 448, "mxfp8_e5m2": 57344, "mxfp6_e2m3": 7.5, "mxfp6_e3m2": 28, "mxfp4": 6}
# torchao's scaling mode: the variant of the profile.
MODES = {"FLOOR": "", "CEIL": "ceil", "EVEN": "even_up", "RCEIL": "rceil"}
PROFILE = {"profile": "torchao-0.19dev" if DEVELOPMENT else "torchao-0.18"}


def directed_blocks(generator, size):
    """Blocks whose maximum has every exponent with the significands at which some rule decides, and its neighbours;
    then special blocks."""
    heads = (0, 0x400000, 0x600000, 0x700000, 0x780000, 0x3504F3)
    tops = [(exponent << 23) + head + step for exponent in range(1, 255) for head in heads for step in (-1, 0, 1, 2)]
    tops += [1, 2, 0x00200000, 0x00400000, 0x00400001, 0x007FFFFF, 0x7F7FFFFF, 0x7F7FFFFE, 0x7F780000, 0x7F600000]
    tops = np.array(tops, dtype=np.uint32)
    blocks = np.minimum(stimuli.random_blocks(generator, tops.size, size) & 0x7FFFFFFF, tops[:, None])
    # A spread just below the maximum: otherwise nearly every element would underflow or equal it.
    near = generator.integers(0, 6 << 23, size=blocks.shape).astype(np.int64)
    blocks = np.where(generator.integers(0, 2, size=blocks.shape) == 1,
                      np.maximum(tops[:, None].astype(np.int64) - near, 0), blocks).astype(np.uint32)
    blocks[np.arange(tops.size), generator.integers(0, size, size=tops.size)] = tops
    blocks |= generator.integers(0, 2, size=blocks.shape, dtype=np.uint32) << 31
    specials = np.array([0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000, 0, 0x80000000], dtype=np.uint32)
    special = stimuli.random_blocks(generator, 600, size)
    chosen = generator.integers(0, specials.size, size=special.shape)
    special = np.where(generator.integers(0, 12, size=special.shape) == 0, specials[chosen], special)
    zeros = np.zeros((2, size), dtype=np.uint32)
    zeros[1, ::2] = 0x80000000
    return np.concatenate([blocks, special, zeros])


def inputs_of(source, seed, size, count):
    """Blocks as patterns of `source`."""
    generator = np.random.Generator(np.random.Philox(seed))
    blocks = np.concatenate([directed_blocks(generator, size), stimuli.random_blocks(generator, count, size)])
    if source != "bf16":
        return blocks if source == "fp32" else stimuli.halves(blocks)
    short = (blocks >> 16).astype(np.uint16)
    return np.where(((blocks & 0x7FFFFFFF) > 0x7F800000), short | 0x0040, short).astype(np.uint16)


def on_device(array):
    """The tensor of an array where the casts run."""
    return torch.from_numpy(array).to(DEVICE)


def array_of(tensor):
    return tensor.cpu().numpy()


def tensor_of(patterns, source):
    """A tensor with those bits."""
    if source == "fp32":
        return on_device(patterns.view(np.int32)).view(torch.float32)
    return on_device(patterns.view(np.int16)).view(torch.bfloat16 if source == "bf16" else torch.float16)


def codes_of(data, per_byte):
    codes = array_of(data.view(torch.uint8))
    if per_byte == 1:
        return codes
    return np.stack([codes & 15, codes >> 4], axis=-1).reshape(codes.shape[0], -1)


def is_special(patterns, source):
    """NaN and Inf elements, and NaN elements alone."""
    infinity = {"fp32": 0x7F800000, "bf16": 0x7F80, "fp16": 0x7C00}[source]
    magnitude = patterns & (0x7FFFFFFF if source == "fp32" else 0x7FFF)
    return magnitude >= infinity, magnitude > infinity


def left_out(compared):
    """How many of a comparison are not compared, for its line."""
    missing = int(compared.size - np.count_nonzero(compared))
    return f" ({missing} of NaN not compared)" if missing else ""


def variant_on_device(name, variant):
    """The variant of the profile that a GPU's NaN make of one: the sign is lost, which codes of FP8 alone show."""
    if DEVICE == "cpu" or DEVELOPMENT or not name.startswith("mxfp8"):
        return variant
    return "cuda" if variant == "" else f"cuda+{variant}"


def without_slips(mode, name, blocks, source, ours, theirs):
    """Blocks but those, on a GPU, whose scale is one higher and whose ratio lies above a power of two by less than 2^-18 of it,
    so that its binary32 logarithm may be taken for that of the power or not."""
    if DEVICE == "cpu" or mode != "RCEIL":
        return np.ones(len(ours), dtype=bool)
    words = (blocks.astype(np.uint32) << (16 if source == "bf16" else 0)) & 0x7FFFFFFF
    ratios = words.max(axis=1).view(np.float32).astype(np.float64) / LARGEST[name]
    significands = np.frexp(ratios)[0] * 2
    is_slip = (theirs[:, 0].astype(int) - ours[:, 0] == 1) & (significands > 1) & (significands < 1 + 2.0**-18)
    return ~is_slip


def judge_maxima(judge, library):
    """On a GPU, the scale of every maximum of binary32 under every mode: both ends of each run of equal scales."""
    if DEVICE == "cpu":
        print("  maxima: all of them are taken on a GPU alone: --cuda")
        return
    for mode, variant in MODES.items():
        maxima, theirs = stimuli.ends_of_maxima(
            lambda data, by=config.ScaleCalculationMode[mode]: mx.to_mx(data, torch.float8_e4m3fn, 32, by)[0], 0x7F7FFFFF)
        options = {"rule": "ceil" if mode == "FLOOR" else "floor"} if judge.args.wrong else {}
        _, ours = library.quantize(maxima, "fp32", "mxfp8_e4m3", **PROFILE, variant=variant, **options)
        kept = without_slips(mode, "mxfp8_e4m3", maxima, "fp32", ours, theirs)
        if not kept.all():
            print(f"  mxfp8_e4m3 {mode}: {np.count_nonzero(~kept)} ends one scale higher: "
                  + " ".join(f"{word:X}" for word in maxima[~kept, 5]))
        judge.same(f"mxfp8_e4m3 {mode}: all finite maxima of fp32, at {len(maxima)} ends of runs", maxima[kept, 5:6], ours[kept],
                   theirs[kept])


def judge_mx(judge, library, source):
    for size in (32,) if judge.args.compiled else (32, 16):
        blocks = inputs_of(source, judge.args.seed, size, 20_000 if size == 32 else 4_000)
        data = tensor_of(blocks, source)
        special, nan = is_special(blocks, source)
        nan_block = nan.any(axis=1)
        for name, (dtype, per_byte) in FORMATS.items():
            for mode, variant in MODES.items():
                scale, elements = mx.to_mx(data, dtype, size, config.ScaleCalculationMode[mode])
                theirs = codes_of(elements, per_byte)
                their_scales = array_of(scale.view(torch.uint8)).reshape(-1, 1)
                ours, our_scales = library.quantize(blocks, source, name, **PROFILE, variant=variant_on_device(name, variant),
                                                    block_size=size, rounding=judge.wrong_rounding("ties_to_even"))
                what = f"{source} {name} k={size} {mode}"
                kept = without_slips(mode, name, blocks, source, our_scales, their_scales)
                if not kept.all():
                    print(f"  {what}: {np.count_nonzero(~kept)} blocks not compared, whose log2 the GPU takes one step higher")
                judge.same(f"{what} scales", their_scales[kept], our_scales[kept], their_scales[kept], sees_wrong=False)
                compared = np.repeat(kept[:, None], size, axis=1)
                if not name.startswith("mxfp8"):
                    # FP6 and FP4 have no NaN: torchao's codes for one, and for Inf / Inf, are bits left over; so are all
                    # codes under a NaN scale where it multiplies by the reciprocal.
                    compared &= ~nan & ~(special & nan_block[:, None])
                    if DEVELOPMENT or mode == "RCEIL":
                        compared &= their_scales != 0xFF
                judge.same(f"{what} codes{left_out(compared)}", blocks[compared], ours[compared], theirs[compared])


def judge_decoding(judge, library):
    """Every scale with every element, to binary32 and to bfloat16."""
    for name, (dtype, per_byte) in FORMATS.items():
        bits = {"mxfp8": 8, "mxfp6": 6, "mxfp4": 4}[name[:5]]
        elements = np.tile(np.arange(1 << bits, dtype=np.uint8), (256, 1))
        scales = np.arange(256, dtype=np.uint8).repeat((1 << bits) // 16).reshape(256, -1)
        packed = elements if per_byte == 1 else elements[:, ::2] | elements[:, 1::2] << 4
        data = on_device(np.ascontiguousarray(packed))
        if name.startswith("mxfp8"):
            data = data.view(dtype)
        for output, target, word in (("fp32", torch.float32, np.uint32), ("bf16", torch.bfloat16, np.uint16)):
            theirs = mx.to_dtype(data, on_device(scales.copy()).view(torch.float8_e8m0fnu), dtype, 16, target)
            theirs = stimuli.one_nan(array_of(theirs.view(torch.int32 if output == "fp32" else torch.int16)).view(word), output,
                                     sign="drop")
            ours = library.dequantize(elements ^ (1 if judge.args.wrong else 0), scales, name, output, block_size=16)
            judge.same(f"{name} to {output}", scales.repeat(16, axis=1).astype(np.int64) << 8 | elements, ours, theirs)


def judge_nvfp4(judge, library):
    for source in ("fp32", "bf16"):
        judge_nvfp4_of(judge, library, source)


def judge_nvfp4_of(judge, library, source):
    blocks = inputs_of(source, judge.args.seed, 16, 20_000)
    data = tensor_of(blocks, source)
    special, nan = is_special(blocks, source)
    finite = ~special.any(axis=1)
    largest = np.float32(torch.abs(data[on_device(finite)]).float().max().item())
    levels = {"one level": None}
    for amax in (largest, np.float32(2688), np.float32(6), np.float32(1.015625), np.float32(1e-3), np.float32(1e-30),
                 np.float32(1.1e-38)):
        levels[f"tensor amax {amax:g}"] = nvfp4.per_tensor_amax_to_scale(torch.tensor(amax, device=DEVICE))
    for level, scale in levels.items():
        their_scales, elements = nvfp4.nvfp4_quantize(data, 16, scale)
        their_scales = array_of(their_scales.view(torch.uint8)).reshape(-1, 1)
        theirs = codes_of(elements.reshape(blocks.shape[0], 8), 2)
        options = dict(PROFILE)
        if scale is not None:
            options["tensor_scale"] = scale.view(torch.int32).item()
        # Hardly any element is a tie under these scales: another wrong rounding.
        rounding = "toward_zero" if judge.args.wrong else "ties_to_even"
        ours, our_scales = library.quantize(blocks, source, "nvfp4", rounding=rounding, **options)
        judge.same(f"{source} nvfp4 {level} scales", their_scales, our_scales, their_scales, sees_wrong=False)
        # Under so small a tensor scale every element saturates or is zero, whatever the rounding.
        sees_wrong = scale is None or float(scale) > 1e-38
        # A NaN scale leaves arbitrary codes; so does zero times a reciprocal that overflowed.
        compared = np.broadcast_to((their_scales != 0x7F), blocks.shape)
        if scale is not None and torch.isinf(1.0 / scale):
            compared = compared & ((blocks & (0x7FFFFFFF if source == "fp32" else 0x7FFF)) != 0)
        judge.same(f"{source} nvfp4 {level} codes{left_out(compared)}", blocks[compared], ours[compared], theirs[compared],
                   sees_wrong=sees_wrong)
        if scale is not None:
            tensor = nvfp4.NVFP4Tensor(elements, on_device(their_scales.copy()).view(torch.float8_e4m3fn), 16,
                                       torch.float32, scale)
            decoded = stimuli.one_nan(array_of(tensor.dequantize(torch.float32)).view(np.uint32), "fp32", sign="drop")
            judge.same(f"{source} nvfp4 {level} decoded", blocks,
                       library.dequantize(theirs, their_scales, "nvfp4", **options), decoded, sees_wrong=False)


def file_of(program, source, output, *options):
    """The tensors that the program makes of the array in file `source`, as flat bytes."""
    subprocess.run([program, "quantize", source, "-o", output, *options], check=True, capture_output=True)
    with open(output, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        data = file.read()
    header.pop("__metadata__", None)
    return {name.removeprefix("data."): np.frombuffer(data[slice(*each["data_offsets"])], dtype=np.uint8)
            for name, each in header.items()}


def bytes_of(tensor):
    return array_of(tensor.contiguous().view(torch.uint8)).reshape(-1)


def unswizzled(plane):
    """The scales in rows of whole tiles, as a layout without swizzle would store them."""
    return np.pad(plane, [(0, -plane.shape[0] % 128), (0, -plane.shape[1] % 4)]).reshape(-1)


def judge_layouts(judge, _):
    """Files of the program: the bytes of two codes each and the bytes of swizzled scales are those of torchao's tensors, and
    its way back finds the scales. It packs FP4 only; FP6 it leaves a byte an element."""
    program = os.environ["MXGOLD_PROGRAM"]
    packed = "nibble_high_first" if judge.args.wrong else "nibble_low_first"
    generator = np.random.Generator(np.random.Philox(judge.args.seed))
    with tempfile.TemporaryDirectory() as folder:
        source, made = os.path.join(folder, "x.npy"), os.path.join(folder, "q.safetensors")
        for shape in ((5, 96), (127, 160), (129, 160), (300, 320), (2, 128, 192)):
            words = stimuli.random_blocks(generator, int(np.prod(shape)) // 32, 32).reshape(shape)
            np.save(source, words.view(np.float32))
            data = tensor_of(words, "fp32")
            for name in ("mxfp8_e4m3", "mxfp4", "nvfp4"):
                options = ["--format", name, *(word for pair in PROFILE.items() for word in (f"--{pair[0]}", pair[1]))]
                options += [] if name == "mxfp8_e4m3" else ["--packed", packed]
                ours = file_of(program, source, made, *options, "--scale-layout", "swizzle_128x4")
                if name == "nvfp4":
                    level = nvfp4.per_tensor_amax_to_scale(torch.max(torch.abs(data)))
                    theirs = nvfp4.NVFP4Tensor.to_nvfp4(data, 16, level, is_swizzled_scales=True)
                    judge.same(f"nvfp4 {shape} tensor scale", ours["tensor_scale"], ours["tensor_scale"],
                               array_of(level).reshape(1).view(np.uint8), sees_wrong=False)
                else:
                    theirs = mx.MXTensor.to_mx(data, FORMATS[name][0], 32, is_swizzled_scales=True)
                rows = int(np.prod(shape[:-1]))
                plane = file_of(program, source, made, *options)["scales"].reshape(rows, -1)
                swizzled = unswizzled(plane) if judge.args.wrong else ours["scales"]
                judge.same(f"{name} {shape} bytes of swizzled scales", swizzled, swizzled, bytes_of(theirs.scale))
                judge.same(f"{name} {shape} bytes of codes", ours["codes"], ours["codes"], bytes_of(theirs.qdata),
                           sees_wrong=name != "mxfp8_e4m3")
                back = array_of(utils.from_blocked(on_device(swizzled.copy()), *plane.shape))
                judge.same(f"{name} {shape} scales back", plane, plane, back)


def training_reference():
    """The PyTorch reference of the kernels for training in NVFP4, which stands beside their tests."""
    path = CHECKOUT / "test" / "prototype" / "moe_training" / "nvfp4_training" / "nvfp4_reference.py"
    spec = importlib.util.spec_from_file_location("nvfp4_reference", path)
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.nvfp4_reference_quantize


def judge_training(judge, library):
    """TransformerEngine's arithmetic as torchao wrote it down, under one amax of the tensor: rows of 16 and tiles of 16 by 16,
    without NaN and Inf, under amaxes of the tensor and of larger ones around it."""
    quantize = training_reference()
    rounding = "toward_zero" if judge.args.wrong else "ties_to_even"
    for source in ("fp32", "bf16"):
        blocks = inputs_of(source, judge.args.seed, 16, 8_000)
        blocks = blocks[~is_special(blocks, source)[0].any(axis=1)]
        wide = (blocks.astype(np.uint32) << (0 if source == "fp32" else 16)) & 0x7FFFFFFF
        # A tensor has blocks of sizes that differ by 2^30 at most here: below, every scale is zero.
        for top in (2, 40, 90, 127, 180, 250):
            words = blocks[(wide.max(axis=1) < top << 23) & (wide.max(axis=1) >= max(top - 30, 0) << 23)]
            words = words[: len(words) // 16 * 16].reshape(-1, 16)
            largest = int(((words.astype(np.uint32) << (0 if source == "fp32" else 16)) & 0x7FFFFFFF).max())
            for amax in (largest, largest + (1 << 23) + 0x2AAAAB, largest + (3 << 23) + 0x555555):
                level = torch.tensor(amax, dtype=torch.int32).view(torch.float32)
                for block, name in (("1x16", "nvfp4"), ("16x16", "nvfp4_16x16")):
                    theirs = quantize(tensor_of(words, source), level, block=block)
                    codes, scales = library.quantize(words, source, name, tensor_amax=amax, profile="te", rounding=rounding)
                    what = f"{name} {source} amax {amax:08X}"
                    judge.same(f"{what} scales", scales, scales.reshape(-1), bytes_of(theirs.block_scale), sees_wrong=False)
                    judge.same(f"{what} codes", words, codes, codes_of(theirs.codes, 2), sees_wrong=top > 2)


def main():
    surfaces = {"mx_fp32": lambda *both: judge_mx(*both, "fp32"), "mx_bf16": lambda *both: judge_mx(*both, "bf16"),
                "mx_decode": judge_decoding, "nvfp4": judge_nvfp4, "layouts": judge_layouts,
                "maxima": judge_maxima}
    if DEVELOPMENT:
        surfaces["training"] = judge_training
    version = torchao.__version__
    if DEVELOPMENT:
        version = f"{(CHECKOUT / 'version.txt').read_text(encoding='utf-8').strip()} development"
        if not pathlib.Path(mx.__file__).is_relative_to(CHECKOUT):
            raise ValueError(f"{mx.__file__} was loaded, which is not in {CHECKOUT}")
    judge = Judge("torchao", f"torchao {version}, torch {torch.__version__}, profile {PROFILE['profile']}",
                  surfaces,
                  {"--development": "the casts of the checkout that MX_TORCHAO_DEV names",
                   "--cuda": "tensors on a GPU", "--compiled": "through torch.compile"})
    if judge.args.compiled:
        torch._dynamo.config.recompile_limit = 200  # beyond, it would run what is not compiled
        mx.to_mx, nvfp4.nvfp4_quantize = (torch.compile(each, dynamic=False) for each in (mx.to_mx, nvfp4.nvfp4_quantize))
    print(f"  tensors on {torch.cuda.get_device_name(0) if DEVICE == 'cuda' else 'the processor'}"
          f"{', compiled' if judge.args.compiled else ''}")
    library = mxgold.Library()
    torch.set_num_threads(1)
    for surface, compare in surfaces.items():
        if judge.wants(surface):
            compare(judge, library)
    judge.finish()


if __name__ == "__main__":
    main()
