#!/usr/bin/env python3
"""The emulated system "aimet" in compat mode against the float quantizer of aimet-torch, on the CPU or with --cuda on a GPU,
bit by bit. Scales are data: the package's own go to both sides. NaNs are compared as one."""

import os
import pathlib
import re
import sys
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "python"))

import numpy as np

from judge import SKIP, Judge, need
from device import FLAGS, IS_CUDA, PLATFORM, there, versions
import aimet_package
import stimuli

warnings.filterwarnings("ignore")
torch = need("torch")
try:
    package, formula, analyzers = aimet_package.load()
except ImportError as error:
    print(f"SKIP aimet_system_judge.py: {error}")
    sys.exit(SKIP)

import mxgold
import mxgold.aimet
import mxgold.aimet._quantizer
from mxgold._systems import apply

# Exponent bits, mantissa bits, finite, unsigned zero.
CAST_TYPES = [(5, 10, False, False), (8, 7, False, False), (4, 3, True, False), (4, 3, True, True),
              (5, 2, False, False), (5, 2, True, True)]
FAKE_TYPES = [(2, 1, True, False), (2, 1, False, False), (3, 2, False, False), (2, 3, False, False),
              (4, 3, False, False), (5, 3, False, False), (5, 8, False, False), (4, 7, False, False),
              (3, 0, False, False), (0, 3, False, False), (1, 2, False, False), (6, 3, False, False),
              (7, 5, False, False), (8, 3, False, False), (8, 10, False, False), (4, 14, False, False),
              (4, 18, False, False), (5, 20, False, False), (8, 22, False, False), (8, 23, False, False)]
TORCH = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
INTEGERS = {torch.float32: torch.int32, torch.bfloat16: torch.int16, torch.float16: torch.int16}


def words(tensor):
    """Patterns of a tensor, every NaN the same."""
    tensor = tensor.detach().cpu()
    patterns = tensor.contiguous().view(INTEGERS[tensor.dtype]).numpy()
    return np.where(torch.isnan(tensor).numpy(), 0x7FFF, patterns)


def tensor_of(patterns, kind):
    signed = patterns.astype(np.uint32 if kind == "fp32" else np.uint16)
    signed = signed.view(np.int32 if kind == "fp32" else np.int16)
    return torch.from_numpy(signed).view(TORCH[kind])


def text_of(name, info, **more):
    exponent, mantissa, finite, unsigned_zero = info
    parts = [f"exponent_bits={exponent}", f"mantissa_bits={mantissa}", f"finite={finite}"]
    if unsigned_zero:
        parts.append("unsigned_zero=True")
    parts += [f"{key}={value}" for key, value in more.items() if value is not None]
    return f"aimet:{name}({','.join(parts)})".replace(" ", "")


def name_of(info):
    exponent, mantissa, finite, unsigned_zero = info
    return f"e{exponent}m{mantissa}{'fn' if finite else ''}{'uz' if unsigned_zero else ''}"


class Comparison:
    def __init__(self, judge):
        self.judge = judge
        self.generator = np.random.Generator(np.random.Philox(judge.args.seed))

    def theirs(self, info, tensor, scale, block_size=None, part="quantize_dequantize"):
        exponent, mantissa, finite, unsigned_zero = info
        encoding = package.FloatEncoding(mantissa, exponent, finite, unsigned_zero, there(scale), block_size)
        return getattr(encoding, part)(there(tensor))

    def ours(self, info, tensor, scale, block_size=None, part="FloatQuantizeDequantize", **operands):
        if self.judge.args.wrong:
            scale = scale * 1.5
        text = text_of(part, info, block_size=block_size)
        return apply(text, tensor, mode="compat", scale=scale, **operands)

    def compare(self, what, info, tensor, scale, block_size=None, sees_wrong=True):
        """Both sides, their refusals included."""
        inputs = np.zeros(1)
        try:
            theirs = self.theirs(info, tensor, scale, block_size)
        except (RuntimeError, ValueError) as error:
            theirs = error
        try:
            ours = self.ours(info, tensor, scale, block_size)["values"]
        except (RuntimeError, ValueError) as error:
            ours = error
        if isinstance(theirs, Exception) or isinstance(ours, Exception):
            agree = type(theirs) is type(ours)
            if not agree:
                print(f"    {what}: mxgold {ours!r}, the package {theirs!r}")
            self.judge.same(f"{what} (a refusal)", inputs, np.array([0 if agree else 1]), np.array([0]), False)
            return
        if theirs.dtype != ours.dtype or theirs.shape != ours.shape:
            print(f"    {what}: mxgold {ours.dtype} {tuple(ours.shape)}, the package {theirs.dtype} "
                  f"{tuple(theirs.shape)}")
            self.judge.same(what, inputs, np.array([1]), np.array([0]), False)
            return
        shown = words(tensor) if tensor.shape == theirs.shape else np.zeros(theirs.shape)
        self.judge.same(what, shown, words(ours), words(theirs), sees_wrong)

    def scales(self, count):
        """Random scales around 1 and some far from it."""
        return np.exp2(self.generator.uniform(-12, 12, count)).astype(np.float32)


def tensors(judge):
    """(kind, tensor): every 16-bit pattern, structured binary32 values."""
    every = stimuli.all_16_bit()
    yield "bf16", tensor_of(every, "bf16")
    yield "fp16", tensor_of(every, "fp16")
    count = 10_000_000 if judge.args.exhaustive else 100_000
    yield "fp32", tensor_of(stimuli.structured("fp32", judge.args.seed, count), "fp32")


def elements(comparison):
    """A scale for the tensor: 0-dimensional, which keeps the tensor's type, or not."""
    for kind, tensor in tensors(comparison.judge):
        for info in CAST_TYPES + FAKE_TYPES:
            for scale in [1.0, *comparison.scales(2), 2.0**-30]:
                for shape in ((), (1,)):
                    comparison.compare(f"{kind} to {name_of(info)}, scale {scale:g} of shape {shape}", info, tensor,
                                       torch.full(shape, float(scale)), sees_wrong=kind == "fp32" and scale == 1.0)


def scalars(comparison):
    """0-dimensional tensors, which torch computes in binary64: call by call, so the wide types are for later."""
    fakes = FAKE_TYPES[:None if comparison.judge.args.exhaustive else 12]
    for info in CAST_TYPES + ([] if IS_CUDA else fakes):
        exponent, mantissa = info[:2]
        grid = np.arange(1, 1 << min(mantissa + 3, 7)) * 2.0 ** -(mantissa + 1)
        values = np.concatenate([grid, grid * 2.0**-3, comparison.generator.normal(size=60) * 3, [0, np.inf, np.nan]])
        for kind in ("fp32", "bf16"):
            for scale in (1.0, float(comparison.scales(1)[0])):
                ours, theirs = [], []
                for value in values:
                    tensor = torch.tensor(value).to(TORCH[kind])
                    theirs.append(comparison.theirs(info, tensor, torch.tensor(scale)))
                    ours.append(comparison.ours(info, tensor, torch.tensor(scale))["values"])
                what = f"0-dimensional {kind} to {name_of(info)}, scale {scale:g}"
                comparison.judge.same(what, values, words(torch.stack(ours)), words(torch.stack(theirs)),
                                      sees_wrong=False)


def block_shapes(comparison):
    """(input shape, scale shape, block size): every axis, odd lengths, empty and 0-dimensional tensors, refusals."""
    yield from [((6, 64), (6, 2), (1, 32)), ((6, 64), (6, 2), (-1, 32)), ((6, 64), (2, 64), (3, 1)),
                ((6, 64), (2, 2), (3, 32)), ((6, 64), (2, 2), (-1, -1)), ((6, 64), (2,), (32,)), ((6, 64), (64,), (1,)),
                ((4, 6, 10), (6, 5), (1, 2)), ((4, 6, 10), (2, 1, 10), (2, 6, 1)), ((4, 6, 10), (4, 1, 5), (2,)),
                ((2, 12), (2, 3), (1, 2)), ((2, 12), (2, 3), (2, 2)), ((5, 7), (5, 1), None), ((5, 7), (7,), None),
                ((5, 7), (5, 7), None), ((7,), (5, 1), None), ((5, 7), (), None), ((0,), (1,), None),
                ((0, 4), (1, 1), (1, 4)), ((3, 0), (3, 1), (1, -1)), ((), (1,), None), ((), (), None),
                ((8,), (2, 4), (1, 1)), ((8,), (8,), (1, 1)), ((8,), (3,), None), ((9,), (2,), (4,)),
                ((9,), (2,), (-1,)),
                ((13, 11), (13, 11), (1, 1)), ((8,), (2,), (0,)), ((8,), (2,), (-2,))]
    for size in (1, 2, 3, 5, 16, 31, 32, 100, 128, 1024):
        yield (3, 2 * size), (3, 2), (1, size)
        yield (2 * size, 3), (2, 3), (size, 1)


def blocks(comparison):
    for shape, scale_shape, block_size in block_shapes(comparison):
        count = int(np.prod(scale_shape, dtype=np.int64))
        scale = torch.from_numpy(comparison.scales(count)).reshape(scale_shape)
        values = comparison.generator.normal(size=shape) * 100
        for kind in TORCH:
            tensor = torch.tensor(values).to(TORCH[kind])
            fakes = (FAKE_TYPES[0], FAKE_TYPES[4], FAKE_TYPES[3])
            for info in CAST_TYPES[2], CAST_TYPES[0], *(() if IS_CUDA and shape == scale_shape == () else fakes):
                what = f"{kind} {shape} to {name_of(info)}, scales {scale_shape}, blocks {block_size}"
                comparison.compare(what, info, tensor, scale, block_size, sees_wrong=False)
    # In the small: the two halves of an encoding.
    tensor = torch.from_numpy(comparison.generator.normal(size=(64, 64)).astype(np.float32) * 50)
    scale = torch.from_numpy(comparison.scales(128)).reshape(64, 2)
    for kind in TORCH:
        typed = tensor.to(TORCH[kind])
        for info in CAST_TYPES + FAKE_TYPES[:8]:
            for part in ("quantize", "dequantize"):
                try:
                    theirs = comparison.theirs(info, typed, scale, (1, 32), part)
                except RuntimeError:
                    continue
                ours = comparison.ours(info, typed, scale, (1, 32), part)["values"]
                comparison.judge.same(f"{part} of {kind} by {name_of(info)}", words(typed), words(ours), words(theirs),
                                      sees_wrong=kind == "fp32")


def calibration(comparison):
    """maxval after compute_encodings() over two batches, and the scale the package makes of it."""
    judge, generator = comparison.judge, comparison.generator
    tiny = 2.0**-24
    batches = [[generator.normal(size=(4, 8)), generator.normal(size=(4, 8)) * 3], [np.zeros((4, 8))],
               [-generator.uniform(1, 2, (4, 8)) * tiny], [generator.uniform(0, 300, (4, 8)) * 2.0**-23],
               [generator.uniform(-300, 0, (4, 8)) * 2.0**-23], [np.full((4, 8), np.inf)],
               [np.where(np.arange(32).reshape(4, 8) == 9, np.nan, 1.0)], [generator.normal(size=(4, 8)) * 6e4],
               [generator.uniform(-1, 1, (4, 8)) * 254 * 2.0**-23 / 2], [np.full((4, 8), -0.0)]]
    layouts = [((), None), ((1,), None), ((4, 1), None), ((8,), None), ((4, 2), (1, 4)), ((2, 8), (2, 1)),
               ((2, 2), (-1, -1)), ((2, 3), (2, 2))]
    widths = [CAST_TYPES[2], CAST_TYPES[4], FAKE_TYPES[0], FAKE_TYPES[4], (5, 8, False, False), (8, 3, False, False),
              (3, 0, False, False), (5, 11, False, False)]
    for kind in TORCH:
        for info in widths:
            for shape, block_size in layouts:
                ours, theirs = [], []
                for series in batches:
                    given = [torch.tensor(batch).to(TORCH[kind]) for batch in series]
                    text = text_of("MinMaxEncodingAnalyzer", info, shape=shape, block_size=block_size)
                    try:
                        quantizer = package.FloatQuantizeDequantize(
                            *info, shape=shape, block_size=block_size,
                            encoding_analyzer=analyzers.MinMaxEncodingAnalyzer(shape, block_size))
                        with quantizer.compute_encodings():
                            for batch in given:
                                quantizer.encoding_analyzer.update_stats(batch)
                    except RuntimeError:
                        theirs.append(None)
                    seen = {}
                    try:
                        for batch in given:
                            if judge.args.wrong:
                                batch = batch * 2 + 1
                            seen = apply(text, batch, mode="compat", **seen)
                            result = seen.pop("values")
                        ours.append(result)
                    except RuntimeError:
                        ours.append(None)
                    if len(theirs) < len(ours):
                        theirs.append(quantizer.maxval.to(torch.float32))
                refused = [one is None for one in ours]
                if refused != [one is None for one in theirs]:
                    judge.same(f"refusals of {shape} {block_size}", [0], [1], [0])
                elif not any(refused):
                    judge.same(f"maxval of {kind} for {name_of(info)}, {shape} {block_size}",
                               np.zeros(torch.stack(ours).shape), words(torch.stack(ours)), words(torch.stack(theirs)))


def gradients(comparison):
    for kind, tensor in tensors(comparison.judge):
        for info in CAST_TYPES + FAKE_TYPES:
            for scale in (1.0, float(comparison.scales(1)[0]), 2.0**-60):
                for shape in ((), (1,)):
                    exponents = comparison.generator.uniform(-20, 20, tensor.numel())
                    weights = torch.tensor(np.exp2(exponents) * comparison.generator.choice([-1, 1], tensor.numel()))
                    what = f"{kind} through {name_of(info)}, scale {scale:g} of shape {shape}"
                    given = torch.full(shape, scale)
                    leaf = there(tensor.clone()).requires_grad_(True)
                    try:
                        output = comparison.theirs(info, leaf, given)
                    except RuntimeError:
                        continue
                    weights = weights.to(output.dtype)
                    output.backward(there(weights))
                    ours = comparison.ours(info, tensor, given, gradient=weights)["gradient"]
                    comparison.judge.same(what, words(tensor), words(ours), words(leaf.grad),
                                          sees_wrong=kind == "fp32" and info == CAST_TYPES[2] and scale == 1.0)


def fake_cast(comparison):
    for kind, tensor in tensors(comparison.judge):
        for info in CAST_TYPES[:1] + CAST_TYPES[4:5] + FAKE_TYPES:
            exponent, mantissa, is_fn = info[:3]
            maximum = package._finfo._finfo(*info).max
            for finite in (True, False):
                if is_fn and not finite:
                    continue
                theirs = formula.fake_cast_to_ieee_float(there(tensor), maximum, exponent, mantissa, finite)
                shift = 1 if comparison.judge.args.wrong else 0
                text = text_of("fake_cast_to_ieee_float", (exponent, mantissa - min(shift, mantissa), finite, False),
                               maxval=6 if is_fn and not shift else None)
                ours = apply(text, tensor, mode="compat")["values"]
                comparison.judge.same(f"{kind} by E{exponent}M{mantissa}, finite={finite}", words(tensor), words(ours),
                                      words(theirs), sees_wrong=mantissa > 0 and kind == "fp32")
    for kind, tensor in tensors(comparison.judge):
        quantize_to_fp8(comparison, kind, tensor[:tensor.numel() // 6 * 6].reshape(2, 3, -1))


def quantize_to_fp8(comparison, kind, tensor):
    """Eight bits, one maximum or one a channel."""
    ours = mxgold.aimet.fp_quantization.quantize_to_fp8
    for bits in range(1, 7):
        for axis, maxval in ((0, [3.0]), (0, [0.7, 448.0]), (1, [100.0, 2.0**-9, 1e4]), (-1, [1.0])):
            limit = torch.tensor(maxval)
            theirs = formula.quantize_to_fp8(there(tensor), there(limit), there(torch.tensor([float(bits)])), axis)
            given = bits if not comparison.judge.args.wrong else bits % 6 + 1
            comparison.judge.same(f"{kind} to 8 bits, {bits} of them mantissa, {maxval} along {axis}", words(tensor),
                                  words(ours(tensor, limit, given, axis, mode="compat")), words(theirs),
                                  sees_wrong=kind == "fp32")


def shown(quantizer):
    """How a quantizer prints itself; the package's copies print their sizes as torch.Size and tensors."""
    text = re.sub(r"torch\.Size\(\[(.*?)\]\)", lambda sizes: f"({sizes[1]}{'' if ',' in sizes[1] else ','})",
                  repr(quantizer))
    return re.sub(r"tensor\((-?\d+)\)", r"\1", text)


def life_of(classes, analyzer, info, arguments, batches, wrong):
    """What a quantizer tells from its making to its state's loading: a list of tensors and texts."""
    told = []
    quantizer = classes.FloatQuantizeDequantize(*info, **arguments)
    told += [shown(quantizer), quantizer.bitwidth, quantizer.is_float16(), quantizer.is_bfloat16(),
             quantizer.is_initialized(), quantizer.get_scale(), quantizer(batches[0])]
    with quantizer.compute_encodings():
        told += [quantizer(batch * 1.5 if wrong else batch) for batch in batches]
    encoding = quantizer.get_encodings()
    told += [quantizer.maxval.float(), encoding.scale, encoding.maxval.float(), encoding.granularity, encoding.bitwidth,
             encoding.mapping, quantizer(batches[0]), encoding.quantize(batches[0])]
    told += [encoding.to(torch.bfloat16).scale, encoding.to(torch.bfloat16).quantize_dequantize(batches[0])]
    # The later versions take the names of types from onnx.
    for version in ("0.6.1", "1.0.0", "2.0.0", "2.1.0")[:4 if aimet_package.has_onnx() else 2]:
        try:
            told.append(str(encoding._hint_input_shape(batches[0].shape).to_qnn_encoding_dict(version)))
        except Exception as error:
            told.append(type(error).__name__)
    copy = classes.FloatQuantizeDequantize.from_encodings(encoding)
    told += [shown(copy), copy.get_scale(), copy(batches[0])]
    other = classes.FloatQuantizeDequantize(5, 2)
    other.load_state_dict(quantizer.state_dict())
    told += [shown(other), other.maxval.float(), other(batches[0]), sorted(quantizer.state_dict())]
    told += [sorted((name, value.tolist()) for name, value in quantizer.get_extra_state().items())]
    given = batches[0].clone().requires_grad_(True)
    quantizer(given).sum().backward()
    told.append(given.grad)
    quantizer.exponent_bits = 3
    told += [quantizer.bitwidth, quantizer.get_scale()]
    return told


def refusals(classes, analyzer):
    """The classes of exceptions of calls that are refused."""
    make = classes.FloatQuantizeDequantize
    calls = [lambda: make(), lambda: make(4), lambda: make(4, dtype=torch.float16), lambda: make(dtype=torch.float32),
             lambda: make(dtype=torch.float8_e8m0fnu), lambda: make(finite=True, dtype=torch.float16),
             lambda: make(3, 2, True), lambda: make(3, 2, False, True), lambda: make(9, 2), lambda: make(8, 24),
             lambda: make(7, 0), lambda: make(8, 0), lambda: make(4, 3, shape=(4,), encoding_analyzer=analyzer((3,))),
             lambda: make(4, 3).allow_overwrite(scale=True), lambda: make(4, 3).set_legacy_encodings([{"bitwidth": 8}]),
             lambda: make.from_encodings(3), lambda: classes.FloatEncoding(3, 4, True, False, None),
             lambda: make(4, 3, shape=(3,))(torch.zeros(4)), lambda: make(4, 3, block_size=(2,))(torch.zeros(4)),
             lambda: make(dtype=torch.bfloat16)(torch.zeros(2, dtype=torch.float16)),
             lambda: classes.FloatEncoding(3, 4, True, False, torch.ones(())).to(torch.int32),
             lambda: make(4, 3).set_encodings(make(5, 2).get_encodings()),
             *(lambda bits=bits: classes.FloatEncoding(0, bits, False, False, torch.ones(())).maxval for bits in (7, 8))]
    told = []
    for call in calls:
        try:
            call()
            told.append("nothing")
        except Exception as error:
            told.append(type(error).__name__)
    return told


def classes(comparison):
    """The classes themselves, torch tensors in and out; here both sides take torch's log2 and power."""
    judge, generator = comparison.judge, comparison.generator
    mxgold.mode("compat")
    ours = mxgold.aimet.float
    ours_analyzer, theirs_analyzer = mxgold.aimet.MinMaxEncodingAnalyzer, analyzers.MinMaxEncodingAnalyzer
    layouts = [{}, {"shape": (1,)}, {"shape": (4, 1)}, {"shape": (8,)}, {"shape": (4, 2), "block_size": (1, 4)},
               {"shape": (2, 2), "block_size": (2, -1)}]
    differing = 0
    for info in CAST_TYPES + FAKE_TYPES[:9]:
        for kind in TORCH:
            for arguments in layouts:
                batches = [torch.tensor(generator.normal(size=(4, 8))).to(TORCH[kind]) for _ in range(2)]
                try:
                    theirs_told = life_of(package, theirs_analyzer, info, arguments, batches, False)
                except (RuntimeError, OverflowError) as error:
                    theirs_told = [type(error).__name__]
                try:
                    ours_told = life_of(ours, ours_analyzer, info, arguments, batches, judge.args.wrong)
                except (RuntimeError, OverflowError) as error:
                    ours_told = [type(error).__name__]
                what = f"{kind} {name_of(info)} {arguments}"
                differing += compare_told(judge, what, ours_told, theirs_told)
    ours_told, theirs_told = refusals(ours, ours_analyzer), refusals(package, theirs_analyzer)
    judge.same("refusals", np.arange(len(ours_told)), np.array([a != b for a, b in zip(ours_told, theirs_told)]) * 1,
               np.zeros(len(ours_told), dtype=int), False)
    for i, (a, b) in enumerate(zip(ours_told, theirs_told)):
        if a != b:
            print(f"    refusal {i}: mxgold {a}, the package {b}")
    differing += scales_of_changing_maxima(judge)
    if judge.args.wrong and differing == 0:
        judge.unnoticed.append("classes")


def scales_of_changing_maxima(judge):
    """Scales are kept while maxval stands: every way to change it, and the scales handed out, must be seen."""
    def fill_through_numpy(q):
        q.maxval.numpy()[0] = 9

    def give_nan(q):
        q.maxval[1] = float("nan")

    steps = [lambda q: None, lambda q: q.maxval.data.fill_(3.7), fill_through_numpy, lambda q: q.get_scale().fill_(0),
             give_nan, lambda q: setattr(q, "maxval", torch.full((2,), 5.25)),
             lambda q: setattr(q, "exponent_bits", 5)]
    pair = [module.FloatQuantizeDequantize(exponent_bits=4, mantissa_bits=3, shape=(2,))
            for module in (mxgold.aimet.float, package)]
    told = [[], []]
    for side, (quantizer, scales) in enumerate(zip(pair, told)):
        for step in steps if side or not judge.args.wrong else steps[:1] * len(steps):
            step(quantizer)
            scales.append(quantizer.get_scale().detach().clone())
    return compare_told(judge, "scales of a changing maxval", *told)


def compare_told(judge, what, ours, theirs):
    """Compares lists of tensors and texts; how many entries differ."""
    before = judge.mismatches
    judge.same(f"{what}: entries", [0], [len(ours)], [len(theirs)], False)
    for i, (one, other) in enumerate(zip(ours, theirs)):
        if torch.is_tensor(other):
            other = other.as_subclass(torch.Tensor)
            fits = torch.is_tensor(one) and one.dtype == other.dtype and one.shape == other.shape
            if fits:
                judge.same(f"{what}: entry {i}", words(one), words(one), words(other), False)
                continue
        else:
            fits = one == other
        if not fits:
            print(f"    {what}: entry {i}: mxgold {one}, the package {other}")
        judge.same(f"{what}: entry {i}", [0], [0 if fits else 1], [0], False)
    return judge.mismatches - before


SURFACES = {"elements": elements, "scalars": scalars, "blocks": blocks, "calibration": calibration,
            "gradients": gradients, "fake_cast": fake_cast, "classes": classes}


def main():
    judge = Judge("aimet-torch", f"aimet-torch 2.42.0, {versions(torch)}", tuple(SURFACES), FLAGS)
    mxgold.mode("compat", platform=PLATFORM)
    torch.set_num_threads(1)
    for name, compare in SURFACES.items():
        if not judge.wants(name):
            continue
        if IS_CUDA and name in ("calibration", "classes", "gradients"):
            print(f"  {name}: not compared on a GPU")
        else:
            compare(Comparison(judge))
    judge.finish()


if __name__ == "__main__":
    main()
