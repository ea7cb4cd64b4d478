#!/usr/bin/env python3
"""The emulated system qtorch in compat mode against QPyTorch, on the CPU or with --cuda on a GPU: every function, bit for
bit, NaNs included.
Stochastic roundings are compared by the words that the package draws: the state of its generator is set, or torch's
is seeded. The package compiles its extension when it is first imported, so this judge runs only where MX_QTORCH says
that it may."""

import ctypes
import importlib.util
import itertools
import os
import pathlib
import sys
import warnings

import numpy as np

from judge import SKIP, Judge, need
from device import FLAGS, IS_CUDA, PLATFORM, there, versions
import stimuli

warnings.filterwarnings("ignore")
# The package's module has the name of another package's: a folder of its own, and ninja, for both to compile.
os.environ.setdefault("TORCH_EXTENSIONS_DIR", os.path.join(sys.prefix, "qtorch-extension"))
os.environ["PATH"] = os.path.join(sys.prefix, "bin") + os.pathsep + os.environ["PATH"]
torch = need("torch")
if not os.environ.get("MX_QTORCH"):
    print("SKIP qtorch_system_judge.py: MX_QTORCH is not set. qtorch compiles itself (minutes) when first imported: "
          "run build/external/venv/bin/pip install --no-deps qtorch==0.3.0, then set MX_QTORCH=1")
    sys.exit(SKIP)
quant = need("qtorch.quant")
qtorch = need("qtorch")
torch.set_num_threads(1)

COMMON = [(4, 3), (5, 2), (2, 1), (2, 3), (3, 2), (5, 10), (8, 7), (8, 23), (1, 0), (1, 1), (3, 0), (6, 9), (7, 22),
          (8, 0), (8, 22), (9, 4), (12, 10), (30, 5), (4, 23), (8, 24), (5, 25), (0, 3), (-2, 4), (32, 2), (33, 7)]
NAMES = ("stochastic", "nearest")


def load_package():
    """The package python/mxgold, beside the judges' own module of that name."""
    folder = pathlib.Path(__file__).resolve().parents[3] / "python" / "mxgold"
    spec = importlib.util.spec_from_file_location("mxgold_package", folder / "__init__.py",
                                                  submodule_search_locations=[str(folder)])
    module = importlib.util.module_from_spec(spec)
    sys.modules["mxgold_package"] = module
    spec.loader.exec_module(module)
    return module


class CudaWords:
    """The random words that torch's generator of the GPU gives from a seed."""

    def float_or_block(self, seed, count):
        return self._drawn(seed, count, lambda like: torch.randint_like(like, (1 << 31) - 1, dtype=torch.int32))

    def fixed(self, seed, count):
        """In units of 2^-24. Those below one half need not be whole there, and are left out by Comparison.same."""
        return self._drawn(seed, count, torch.rand_like).astype(np.float64) * 2.0**24

    @staticmethod
    def _drawn(seed, count, draw):
        torch.manual_seed(seed)
        words = draw(there(torch.empty(count))).cpu().numpy()
        torch.manual_seed(seed)
        return words


class Words:
    """The random words of both of the package's sources, from a seed."""

    def __init__(self):
        library = ctypes.CDLL(quant.quant_function.quant_cpu.__file__)
        # std::mt19937 of libstdc++: 624 words of 64 bits, then the position.
        self._state = (ctypes.c_uint64 * 625).in_dll(library, "gen")

    @staticmethod
    def _outputs(seed, count):
        return np.random.RandomState(seed).randint(0, 1 << 32, size=count, dtype=np.uint32)

    def float_or_block(self, seed, count):
        _, key, position, *_ = np.random.RandomState(seed).get_state()
        self._state[:624] = [int(word) for word in key]
        self._state[624] = position
        return self._outputs(seed, count) >> np.uint32(1)

    def fixed(self, seed, count):
        torch.manual_seed(seed)
        return self._outputs(seed, count)


class Comparison:
    def __init__(self):
        self.judge = Judge("qtorch", f"qtorch 0.3.0, {versions(torch)}, as an emulated system",
                           ("floats", "fixed", "blocks", "gradients", "refusals", "python", "simulated"), FLAGS)
        self.package = load_package()
        self.library = importlib.import_module("mxgold_package._library")
        self.words = CudaWords() if IS_CUDA else Words()
        self.left_out = 0
        self.seed = self.judge.args.seed

    def ours(self, text, values, random=None, **operands):
        """name -> patterns; --wrong turns the rounding around."""
        if self.judge.args.wrong:
            if random is None:
                text, random = text.replace("nearest", "stochastic"), np.zeros(2 * values.size, np.uint32)
            else:
                random = random ^ np.uint32(0x7FFFFFFF)
        tensors = {"values": (values, "fp32"), **{name: (each, "fp32") for name, each in operands.items()}}
        results = self.library.Cast("qtorch:" + text, "compat", PLATFORM).apply(tensors, random=random)
        return {name: words.view(np.uint32) if kind == "fp32" else words for name, (words, kind) in results.items()}

    def same(self, text, values, theirs, random=None, sees_wrong=True):
        what, theirs, seen = f"{text} {values.shape}", patterns(theirs), ...
        if random is not None and random.dtype == np.float64:
            seen = random == np.floor(random)
            self.left_out += random.size - int(seen.sum())
        ours = self.ours(text, values, random if random is None else random.astype(np.uint32))["values"]
        self.judge.same(what, values[seen], ours[seen], theirs[seen], sees_wrong)

    def inputs(self, random_count):
        """Every bf16 and fp16 value, structured and random binary32 patterns."""
        halves = stimuli.all_16_bit()
        with np.errstate(all="ignore"):
            fp16 = halves.view(np.float16).astype(np.float32).view(np.uint32)
        return np.concatenate([halves.astype(np.uint32) << np.uint32(16), fp16,
                               stimuli.structured("fp32", self.seed, random_count)])


def floats_of(words):
    return there(torch.from_numpy(np.array(words, order="C").view(np.int32)).view(torch.float32))


def patterns(tensor):
    return tensor.detach().cpu().contiguous().view(torch.int32).numpy().view(np.uint32)


def compare_floats(c, exhaustive):
    values = c.inputs(12_000_000 if exhaustive else 400_000)
    grid = list(itertools.product(range(1, 10), range(0, 24))) if exhaustive else COMMON
    rest = c.inputs(100_000)
    for exp, man in dict.fromkeys(COMMON + grid):
        some = values if (exp, man) in COMMON else rest
        quiet = exp >= 8 and man >= 22 or man > 22 or exp < 1 or exp > 31
        text = f"float_quantize(exp={exp},man={man},rounding="
        c.same(text + "nearest)", some, quant.float_quantize(floats_of(some), exp, man, "nearest"),
               sees_wrong=not quiet)
        words = c.words.float_or_block(exp * 100 + man + 1000, some.size)
        c.same(text + "stochastic)", some, quant.float_quantize(floats_of(some), exp, man), words,
               sees_wrong=not quiet)
    if exhaustive:
        compare_scalars(c)
    for shape in [(), (0,), (3, 0), (1,), (7,), (3, 5, 2)]:
        if IS_CUDA and 0 in shape:  # a launch of no blocks fails, which a later call of torch raises
            continue
        some = np.full(shape, 0x3F912345, np.uint32)
        c.same("float_quantize(exp=5,man=2,rounding=nearest)", some,
               quant.float_quantize(floats_of(some), 5, 2, "nearest"), sees_wrong=False)


def compare_scalars(c):
    """Every bf16 and fp16 value as a 0-dimensional tensor of its own, through the three functions."""
    values = c.inputs(0)[: 2 << 16]
    tensor = floats_of(values)
    for text, call in [("float_quantize(exp=4,man=3,rounding=nearest)",
                        lambda x: quant.float_quantize(x, 4, 3, "nearest")),
                       ("fixed_point_quantize(wl=8,fl=4,rounding=nearest)",
                        lambda x: quant.fixed_point_quantize(x, 8, 4, rounding="nearest")),
                       ("block_quantize(wl=5,rounding=nearest)", lambda x: quant.block_quantize(x, 5, -1, "nearest"))]:
        theirs = torch.stack([call(each) for each in tensor])
        cast = c.library.Cast("qtorch:" + text, "compat", PLATFORM)
        ours = [cast.apply({"values": (np.array(values[i]), "fp32")})["values"][0] for i in range(values.size)]
        c.judge.same(text + " of scalars", values, np.array(ours).view(np.uint32), patterns(theirs), False)


def compare_fixed(c, exhaustive):
    values = c.inputs(12_000_000 if exhaustive else 200_000)
    small = c.inputs(100_000)
    formats = [(8, 4), (8, 0), (4, 2), (1, 0), (1, 1), (2, 8), (16, 8), (24, 12), (26, 3), (32, 16), (54, 20), (60, 2),
               (8, -3), (8, 30), (0, 4), (-1, -1), (-5, 2), (8, 120), (8, 140), (8, 160), (200, 3), (8, -120),
               (8, -140), (300, 150), (1500, 3), (8, 1100), (3, -1100), (1, -1100)]
    if exhaustive:
        formats += list(itertools.product((2, 3, 5, 7, 12, 17, 25), range(-4, 24, 3)))
    for index, (wl, fl) in enumerate(formats):
        some = values if index < 4 else small
        quiet = not -8 < fl < 31 or wl < 2
        for clamp, symmetric in itertools.product((True, False), repeat=2):
            text = f"fixed_point_quantize(wl={wl},fl={fl},clamp={clamp},symmetric={symmetric},rounding="
            c.same(text + "nearest)", some,
                   quant.fixed_point_quantize(floats_of(some), wl, fl, clamp, symmetric, "nearest"),
                   sees_wrong=not quiet)
            words = c.words.fixed(index + 77, some.size)
            c.same(text + "stochastic)", some, quant.fixed_point_quantize(floats_of(some), wl, fl, clamp, symmetric),
                   words, sees_wrong=not quiet)
        module = quant.quant_function.quant_cuda if IS_CUDA else quant.quant_function.quant_cpu
        for symmetric in (False, True):
            text = f"fixed_point_quantize_mask(wl={wl},fl={fl},symmetric={symmetric},rounding=nearest)"
            theirs, mask = module.fixed_point_quantize_nearest_mask(floats_of(small), wl, fl, symmetric)
            ours = c.ours(text, small)
            c.judge.same(text, small, ours["values"], patterns(theirs), not quiet)
            c.judge.same(text + " mask", small, ours["mask"], mask.cpu().numpy(), False)


def shaped_blocks(c, generator):
    """Tensors of many shapes, every axis."""
    shapes = [(), (1,), (7,), (64,), (1023,), (1024, 3), (3, 1024), (5, 1, 4), (4, 3, 2), (2, 3, 4, 5), (33, 65)]
    for shape in shapes:
        size = int(np.prod(shape, dtype=int))
        for kind in range(3):
            values = stimuli.random_blocks(generator, 1, size).reshape(shape)
            if kind == 1:  # around one magnitude: many codes
                fields = generator.integers(120, 128, shape).astype(np.uint32) << 23
                values = (values & np.uint32(0x807FFFFF)) | fields
            if kind == 2 and size > 4:  # infinities, NaNs, zeros
                values = values.copy()
                flat = values.reshape(-1)
                flat[generator.integers(0, size)] = generator.choice(
                    np.array([0x7F800000, 0xFF800000, 0x7FC00000, 0xFFFFFFFF, 0x7FFFFFFF, 0x80000000, 0x7F800001],
                             np.uint32))
            for dim in [-1, *range(len(shape)), *range(-len(shape), -1)]:
                yield np.asarray(values), dim


def compare_blocks(c, exhaustive):
    generator = np.random.Generator(np.random.Philox(c.seed))
    lengths = range(1, 31) if exhaustive else (1, 2, 3, 4, 8, 12, 16, 21, 22, 23, 24, 25, 26, 30)
    for round_, wl in enumerate(itertools.chain(lengths, (-3, 0, 31, 40))):
        for index, (values, dim) in enumerate(shaped_blocks(c, generator)):
            text = f"block_quantize(wl={wl},dim={dim},rounding="
            c.same(text + "nearest)", values, quant.block_quantize(floats_of(values), wl, dim, "nearest"),
                   sees_wrong=False)
            words = c.words.float_or_block(index + 1000 * round_, values.size)
            c.same(text + "stochastic)", values, quant.block_quantize(floats_of(values), wl, dim), words,
                   sees_wrong=False)
        # Every exponent of the maximum, with elements of every exponent below it: a block for each row.
        fields = np.repeat(np.arange(256, dtype=np.uint32), 2)
        size = 2049 if exhaustive else 257
        below = generator.integers(0, 30, (fields.size, size)).astype(np.int64)
        rows = np.maximum(fields[:, None].astype(np.int64) - below, 0).astype(np.uint32) << np.uint32(23)
        rows |= generator.integers(0, 1 << 23, rows.shape, dtype=np.uint32) & np.uint32(0x7FFFFF)
        rows ^= generator.integers(0, 2, rows.shape, dtype=np.uint32) << np.uint32(31)
        rows[:, 0] = (rows[:, 0] & np.uint32(0x807FFFFF)) | (fields << np.uint32(23))
        # Patterns around every rounding boundary of the length.
        rows[:, 1::2] &= np.uint32(0xFFFFFFFF) << np.uint32(max(0, min(22, 22 - wl)))
        text = f"block_quantize(wl={wl},dim=0,rounding="
        c.same(text + "nearest)", rows, quant.block_quantize(floats_of(rows), wl, 0, "nearest"),
               sees_wrong=0 < wl < 22)
        words = c.words.float_or_block(wl + 5000, rows.size)
        c.same(text + "stochastic)", rows, quant.block_quantize(floats_of(rows), wl, 0), words, sees_wrong=0 < wl < 22)


def compare_simulated(c, exhaustive):
    """The blocks that only the compiled module for GPUs has: one exponent for the tensor."""
    generator = np.random.Generator(np.random.Philox(c.seed))
    module = quant.quant_function.quant_cuda
    for round_, wl in enumerate((1, 2, 3, 4, 8, 12, 16, 22, 23, 24, 30)):
        tensors = [values for values, dim in shaped_blocks(c, generator) if dim == -1 and values.size > 0]
        tensors.append(c.inputs(1000))
        finite = tensors[-1] & np.uint32(0x7F800000)
        tensors.append(tensors[-1][finite < 0x4F800000])
        for index, values in enumerate(tensors):
            text = f"block_quantize_sim(wl={wl},rounding="
            c.same(text + "nearest)", values, module.block_quantize_sim_nearest(floats_of(values), wl),
                   sees_wrong=False)
            words = c.words.fixed(index + 1000 * round_, values.size).reshape(values.shape)
            c.same(text + "stochastic)", values, module.block_quantize_sim_stochastic(floats_of(values), wl), words,
                   sees_wrong=False)


NUMBERS = {"None": None, "FixedPoint(wl=8,fl=4)": qtorch.FixedPoint(8, 4),
           "FixedPoint(wl=4,fl=2,clamp=True,symmetric=True)": qtorch.FixedPoint(4, 2, True, True),
           "FixedPoint(wl=8,fl=3,clamp=False)": qtorch.FixedPoint(8, 3, False),
           "FloatingPoint(exp=5,man=2)": qtorch.FloatingPoint(5, 2),
           "BlockFloatingPoint(wl=6)": qtorch.BlockFloatingPoint(6),
           "BlockFloatingPoint(wl=6,dim=1)": qtorch.BlockFloatingPoint(6, 1)}


def compare_gradients(c, exhaustive):
    generator = np.random.Generator(np.random.Philox(c.seed))
    size = (64, 129 if exhaustive else 33)
    values, gradients = (generator.normal(0, 3, size).astype(np.float32).view(np.uint32) for _ in range(2))
    for (forward, theirs), (backward, number) in itertools.product(NUMBERS.items(), repeat=2):
        for clamping in (False, True):
            if clamping and theirs is not None and not getattr(theirs, "clamp", False):
                continue
            text = (f"quantizer(forward_number={forward},backward_number={backward},forward_rounding=nearest,"
                    f"backward_rounding=nearest,clamping_grad_zero={clamping})")
            x = floats_of(values).clone().requires_grad_()
            result = quant.quantizer(theirs, number, "nearest", "nearest", clamping)(x)
            result.backward(floats_of(gradients))
            ours = c.ours(text, values, gradient=gradients)
            sees = theirs is not None
            c.judge.same(text, values, ours["values"], patterns(result), sees)
            c.judge.same(text + " gradient", gradients, ours["gradient"], patterns(x.grad), number is not None)


def raised(function):
    try:
        function()
    except Exception as error:  # what is compared is which one
        return type(error).__name__
    return "none"


def compare_refusals(c, exhaustive):
    """Which exception, if any: as a count of calls that agree."""
    def compare(what, ours, theirs):
        agree = 1 if raised(ours) == raised(theirs) else 0
        c.judge.same(what, np.zeros(1), np.array([agree ^ (1 if c.judge.args.wrong else 0)]), np.ones(1, int))

    for shape in [(), (0,), (1,), (0, 3), (3, 0), (2, 0, 3), (2, 3), (2, 3, 4)]:
        values = np.zeros(shape, np.float32)
        for dim in range(-5, 5):
            compare(f"block_quantize dim {dim} of {shape}",
                    lambda: c.library.Cast(f"qtorch:block_quantize(wl=8,dim={dim},rounding=nearest)", "compat", PLATFORM).apply(
                        {"values": (values, "fp32")}),
                    lambda: quant.block_quantize(there(torch.from_numpy(values)), 8, dim, "nearest"))
    for kind in ("fp16", "fp64", "int32", "int64", "uint8", "int8"):
        dtype = {"fp16": "f2", "fp64": "f8", "int32": "i4", "int64": "i8", "uint8": "u1", "int8": "i1"}[kind]
        values = np.ones(4, dtype)
        for text, call in [("float_quantize(exp=5,man=2,rounding=nearest)",
                            lambda x: quant.float_quantize(x, 5, 2, "nearest")),
                           ("fixed_point_quantize(wl=5,fl=2,rounding=nearest)",
                            lambda x: quant.fixed_point_quantize(x, 5, 2, rounding="nearest")),
                           ("block_quantize(wl=5,rounding=nearest)",
                        lambda x: quant.block_quantize(x, 5, -1, "nearest"))]:
            compare(f"{text} of {kind}",
                    lambda: c.library.Cast("qtorch:" + text, "compat", PLATFORM).apply({"values": (values, kind)}),
                    lambda: call(there(torch.from_numpy(values))))
    for text, call in [("FixedPoint(wl=0,fl=1)", lambda: qtorch.FixedPoint(0, 1)),
                       ("FixedPoint(wl=1,fl=0)", lambda: qtorch.FixedPoint(1, 0)),
                       ("FixedPoint(wl=1,fl=1)", lambda: qtorch.FixedPoint(1, 1)),
                       ("FloatingPoint(exp=9,man=1)", lambda: qtorch.FloatingPoint(9, 1)),
                       ("FloatingPoint(exp=0,man=1)", lambda: qtorch.FloatingPoint(0, 1)),
                       ("FloatingPoint(exp=1,man=0)", lambda: qtorch.FloatingPoint(1, 0)),
                       ("FloatingPoint(exp=1,man=24)", lambda: qtorch.FloatingPoint(1, 24)),
                       ("BlockFloatingPoint(wl=0)", lambda: qtorch.BlockFloatingPoint(0)),
                       ("BlockFloatingPoint(wl=2,dim=-2)", lambda: qtorch.BlockFloatingPoint(2, -2))]:
        compare(text, lambda: c.library.Cast(f"qtorch:quantizer(forward_number={text})", "compat", PLATFORM), call)
    for number, text in NUMBERS.items():
        compare(f"clamping_grad_zero with {number}",
                lambda: c.library.Cast(f"qtorch:quantizer(forward_number={number},clamping_grad_zero=True)", "compat", PLATFORM),
                lambda: quant.quantizer(text, clamping_grad_zero=True))


def compare_python(c, exhaustive):
    """The Python functions against the package's: the same calls, the same seeds, autograd and hooks."""
    ours_qtorch = importlib.import_module("mxgold_package.qtorch")
    ours = ours_qtorch.quant
    c.package.mode("compat")
    generator = np.random.Generator(np.random.Philox(c.seed))
    x = torch.from_numpy(generator.normal(0, 4, (40, 50)).astype(np.float32))
    wrong = 1 if c.judge.args.wrong else 0

    def seeded(module, call):
        torch.manual_seed(c.seed)
        if module is quant:
            c.words.float_or_block(c.seed + wrong, 1)
        else:
            ours.manual_seed(c.seed)
        return call(module)

    def both(what, call, sees_wrong=True):
        found, theirs = (seeded(module, call) for module in (ours, quant))
        c.judge.same(what, patterns(x), patterns(found), patterns(theirs), sees_wrong)

    for values in (x, x.t(), x[::2], x.reshape(40, 5, 10).permute(2, 0, 1)):
        for exp, man in ((5, 2), (4, 3), (2, 1), (8, 7)):
            both(f"float {exp} {man}", lambda module: module.float_quantize(values, exp, man))
        for dim in (-1, 0, 1):
            both(f"block {dim}", lambda module: module.block_quantize(values, 6, dim))
        both("fixed", lambda module: module.fixed_point_quantize(values, 8, 3), False)
        both("fixed, unclamped", lambda module: module.fixed_point_quantize(values, 8, 3, clamp=False), False)

    def numbers(module):
        return ours_qtorch if module is ours else qtorch

    def trained(module, forward, backward, clamping, hooks):
        source = x.clone().requires_grad_()
        classes = numbers(module)
        made = {"none": None, "fixed": classes.FixedPoint(6, 3), "float": classes.FloatingPoint(5, 2),
                "block": classes.BlockFloatingPoint(6, 0)}
        result = module.quantizer(made[forward], made[backward], "stochastic", "stochastic", clamping, hooks)(source)
        (result * x).sum().backward()
        return torch.cat([result.detach(), source.grad])

    kinds = ("none", "fixed", "float", "block")
    for forward, backward, clamping in itertools.product(kinds, kinds, (False, True)):
        if clamping and forward in ("float", "block"):
            continue
        for hooks in ([], [lambda gradient: gradient * 3, lambda gradient: gradient + 1]):
            draws = {forward, backward} & {"float", "block"}
            both(f"quantizer {forward} {backward} {clamping} {len(hooks)} hooks",
                 lambda module: trained(module, forward, backward, clamping, hooks), bool(draws))
    for name, arguments in (("float_quantize", (2, 5)), ("block_quantize", (6, 0)),
                            ("fixed_point_quantize", (8, 3, True, False))):
        for rounding in ("nearest", "stochastic"):
            both(f"quant_cpu.{name}_{rounding}",
                 lambda module: getattr(module.quant_function.quant_cpu, f"{name}_{rounding}")(x, *arguments),
                 rounding == "stochastic" and name[:2] != "fi")
    for rounding in ("nearest", "stochastic"):
        both(f"quant_cpu.fixed_point_quantize_{rounding}_mask", lambda module: torch.cat([part.float() for part in getattr(
            module.quant_function.get_module(x), f"fixed_point_quantize_{rounding}_mask")(x, 8, 3, True)]), False)
    modules = (ours.Quantizer(ours_qtorch.FloatingPoint(4, 3), ours_qtorch.FloatingPoint(5, 2)),
               quant.Quantizer(qtorch.FloatingPoint(4, 3), qtorch.FloatingPoint(5, 2)))
    results = [seeded(module, lambda _: torch.nn.Sequential(torch.nn.ReLU(), layer)(x))
               for module, layer in zip((ours, quant), modules)]
    c.judge.same("module", patterns(x), patterns(results[0]), patterns(results[1]))
    for what, call in [
            ("list", lambda q: q.float_quantize([1.0], 5, 2)),
            ("rounding", lambda q: q.float_quantize(x, 5, 2, "up")),
            ("float exp", lambda q: q.float_quantize(x, 5.0, 2)),
            ("wide exp", lambda q: q.float_quantize(x, 1 << 40, 2)),
            ("bool exp", lambda q: q.float_quantize(x, True, 2)),
            ("no clamp", lambda q: q.fixed_point_quantize(x, 8, 2, None)),
            ("text", lambda q: q.fixed_point_quantize(x, 8, 2, symmetric="a")),
            ("wl", lambda q: q.fixed_point_quantize(x, -1, 2)),
            ("bool", lambda q: q.float_quantize(x > 0, 5, 2)),
            ("double", lambda q: q.block_quantize(x.double(), 5)),
            ("complex", lambda q: q.float_quantize(x + 1j, 5, 2)),
            ("dim", lambda q: q.block_quantize(x, 5, 2)),
            ("empty", lambda q: q.block_quantize(x[:0], 5, 1)),
            ("no number", lambda q: q.quantizer("a")),
            ("base", lambda q: q.quantizer(numbers(q).number.Number())(x)),
            ("half", lambda q: q.quantizer(numbers(q).FixedPoint(8, 2))(x.half())),
            ("fl", lambda q: numbers(q).FixedPoint(8, 0)),
            ("symmetric", lambda q: numbers(q).FixedPoint(8, 1, True, 1)),
            ("keyword", lambda q: q.Quantizer(clamping_grad_zero=True)),
            ("fixed only", lambda q: q.quantizer(numbers(q).FloatingPoint(5, 2), clamping_grad_zero=True)),
            ("clamp only", lambda q: q.quantizer(numbers(q).FixedPoint(5, 2, False), clamping_grad_zero=True))]:
        agree = raised(lambda: call(ours)) == raised(lambda: call(quant))
        c.judge.same(f"exception: {what}", np.zeros(1), np.array([int(agree) ^ wrong]), np.ones(1, int))


def main():
    comparison = Comparison()
    for surface, compare in [("floats", compare_floats), ("fixed", compare_fixed), ("blocks", compare_blocks),
                             ("gradients", compare_gradients), ("refusals", compare_refusals),
                             ("python", compare_python), ("simulated", compare_simulated)]:
        if not comparison.judge.wants(surface):
            continue
        if surface == "simulated" and not IS_CUDA:
            print("  simulated: only the package's module for GPUs has these blocks")
        elif surface == "python" and IS_CUDA:
            print("  python: mxgold's own functions draw as the CPU's do, not compared here")
        else:
            compare(comparison, comparison.judge.args.exhaustive)
    if comparison.left_out:
        print(f"  {comparison.left_out} fixed-point results not compared: their random number is no multiple of 2^-24")
    comparison.judge.finish()


if __name__ == "__main__":
    main()
