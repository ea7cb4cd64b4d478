#!/usr/bin/env python3
"""mxgold.aimet's quantizers as torch.nn.Modules beside those of aimet-torch, compat mode, bit by bit: models that are
calibrated, trained, copied, moved, saved and loaded; the tensors they return; the encoding analyzers."""

import contextlib
import copy
import io
import os
import pathlib
import pickle
import re
import subprocess
import sys
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "python"))

import numpy as np

from judge import SKIP, Judge, need
import aimet_package

warnings.filterwarnings("ignore")
torch = need("torch")
from diary import Diary, compare, words  # noqa: E402
try:
    package, formula, analyzers = aimet_package.load()
except ImportError as error:
    print(f"SKIP aimet_modules_judge.py: {error}")
    sys.exit(SKIP)

import mxgold
import mxgold.aimet.float
import mxgold.aimet.encoding_analyzer

TYPES = [(4, 3, True, False), (4, 3, True, True), (5, 2, False, False), (2, 1, True, False), (3, 2, False, False), (5, 10, False, False),
         (8, 7, False, False), (4, 3, False, False), (3, 0, False, False)]


def shown(module):
    text = re.sub(r"torch\.Size\(\[(.*?)\]\)", lambda sizes: f"({sizes[1]}{'' if ',' in sizes[1] else ','})",
                  repr(module))
    return re.sub(r"tensor\((-?\d+)\)", r"\1", text)


class Net(torch.nn.Module):
    """Two layers whose inputs, weights and results are quantized."""

    def __init__(self, classes, info, seed):
        super().__init__()
        make = classes.FloatQuantizeDequantize
        torch.manual_seed(seed)
        self.first, self.second = torch.nn.Linear(8, 16), torch.nn.Linear(16, 4)
        self.input, self.output = make(*info), make(dtype=torch.float16)
        self.channels = make(*info, shape=(16, 1))
        self.blocks = make(*info, shape=(4, 2), block_size=(1, 8))

    def forward(self, x):
        hidden = torch.nn.functional.linear(self.input(x), self.channels(self.first.weight), self.first.bias)
        return self.output(torch.nn.functional.linear(hidden.relu(), self.blocks(self.second.weight)))

    def quantizers(self):
        return [self.input, self.output, self.channels, self.blocks]


def restored(module):
    return pickle.loads(pickle.dumps(module))


def life_of(classes, info, kind, seed, wrong):
    """A model from its making to its state's loading."""
    diary, generator = Diary(), torch.Generator().manual_seed(seed)
    net = Net(classes, info, seed)
    diary.text("repr", shown(net))
    diary.text("buffers", [name for name, _ in net.named_buffers()])
    diary.text("parameters", [name for name, _ in net.named_parameters()])
    diary.state("fresh", net)
    net.to(kind)
    batches = [torch.randn(5, 8, generator=generator).to(kind) * 2 for _ in range(4)]
    with contextlib.ExitStack() as stack:
        for quantizer in net.quantizers():
            stack.enter_context(quantizer.compute_encodings())
        for batch in batches[:2]:
            diary.tensor("calibrating", net(batch * 1.5 if wrong else batch))
    diary.state("calibrated", net)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.25)
    for batch in batches:
        given = batch.clone().requires_grad_()
        optimizer.zero_grad()
        output = net(given)
        output.backward(torch.linspace(-2, 3, output.numel()).reshape(output.shape).to(output.dtype))
        diary.tensor("output", output)
        diary.tensor("gradient", given.grad)
        diary.gradients("gradient", net)
        optimizer.step()
    diary.state("trained", net)
    output = net(batches[0])
    for name, other in (("deepcopy", copy.deepcopy(net)), ("eval", copy.deepcopy(net).eval()),
                        ("half", copy.deepcopy(net).to(torch.float16).to(kind))):
        diary.tensor(name, other(batches[0]))
        diary.text(f"{name} training", [quantizer.training for quantizer in other.quantizers()])
    file = io.BytesIO()
    torch.save(net.state_dict(), file)
    file.seek(0)
    other = Net(classes, info, seed + 1).to(kind)
    diary.text("loaded", other.load_state_dict(torch.load(file)))
    diary.tensor("loaded", other(batches[0]))
    diary.tensor("loaded: the same as before", (other(batches[0]) == output).as_subclass(torch.Tensor))
    state = net.state_dict()
    del state["input.maxval"]
    diary.error("a state without maxval", lambda: other.load_state_dict(state))
    diary.text("not strict", other.load_state_dict(state, strict=False))
    state = net.state_dict()
    state["channels.maxval"] = torch.ones(3)
    diary.error("another shape", lambda: other.load_state_dict(state))
    quantizer = restored(net.channels)
    diary.tensor("pickled", quantizer(net.first.weight))
    tensors(diary, net, batches[0])
    return diary


def tensors(diary, net, batch):
    """What a quantizer's result is, and what becomes of it."""
    result = net.input(batch)
    diary.text("class", type(result).__name__)
    diary.text("prints", repr(result).split("(")[0])
    for name, value in (("quantize", result.quantize()), ("dequantize", result.dequantize()),
                        ("there and back", result.quantize().dequantize()), ("clone", result.clone()),
                        ("detach", result.detach()), ("deepcopy", copy.deepcopy(result.detach()))):
        diary.text(name, type(value).__name__)
        diary.tensor(name, value)
        diary.tensor(f"{name} scale", value.encoding.scale)
    diary.text("sum", type(result + 1).__name__)
    diary.tensor("sum", result + 1)
    diary.error("quantized_repr", result.quantized_repr)
    diary.error("quantized_repr of units", result.quantize().quantized_repr)
    integers = torch.arange(4)
    diary.text("integers", net.input(integers) is integers)
    diary.text("empty", tuple(net.input(batch[:0]).shape))


def models(judge):
    for info in TYPES:
        for kind in (torch.float32, torch.bfloat16):
            if kind == torch.bfloat16 and info[1] == 0:
                continue  # an integer maxval makes float32 of bfloat16, which a layer refuses
            arguments = info, kind, judge.args.seed
            theirs = life_of(package, *arguments, False)
            ours = life_of(mxgold.aimet.float, *arguments, judge.args.wrong)
            compare(judge, f"{info} {kind}", ours, theirs, info[1] == 3)


def exchanged(judge):
    """States of the package, loaded into mxgold's quantizers and the other way round."""
    for info in TYPES:
        theirs, ours = Net(package, info, 1), Net(mxgold.aimet.float, info, 2)
        batch = torch.randn(5, 8, generator=torch.Generator().manual_seed(judge.args.seed))
        with contextlib.ExitStack() as stack:
            for quantizer in theirs.quantizers():
                stack.enter_context(quantizer.compute_encodings())
            theirs(batch)
        ours.load_state_dict(theirs.state_dict())
        back = Net(package, info, 3)
        back.load_state_dict(ours.state_dict())
        expected = words(theirs(batch))
        given = batch * 1.5 if judge.args.wrong else batch
        judge.same(f"{info}: the package's state in mxgold", expected, words(ours(given)), expected, info[1] == 3)
        judge.same(f"{info}: and in the package again", expected, words(back(given)), expected, info[1] == 3)


def ranges_of(classes, kind, block_size, seed, wrong):
    """What an analyzer tells."""
    diary, generator = Diary(), np.random.default_rng(seed)
    shape = (4, 2) if block_size else (4, 1)
    analyzer = classes.MinMaxEncodingAnalyzer(shape, block_size)
    diary.error("nothing seen", lambda: analyzer.compute_encodings(255, False))
    diary.text("is an EncodingAnalyzer", isinstance(analyzer, classes.EncodingAnalyzer))
    for trial in range(12):
        if trial % 4 == 0:
            analyzer.reset_stats()
        spread = 2.0 ** generator.uniform(-40, 14)
        batch = torch.tensor(generator.normal(size=(4, 16)) * spread + (0, spread * 4, -spread * 9)[trial % 3])
        batch[1] = batch[1].abs()
        batch[2] = -batch[2].abs()
        batch[3] = (0, float("inf"), float("nan"), 2.0**-24)[trial // 3]
        batch = (batch * 1.5 if wrong else batch).to(kind)
        stats = analyzer.update_stats(batch)
        # Of two zeros torch's amin and amax take either: + 0.0 makes them one.
        diary.tensor("batch min", stats.min + 0.0)
        diary.tensor("batch max", stats.max + 0.0)
        for steps in (1, 2, 3, 15, 255, 1023, 2.0**16 - 1, 2.0**32 - 1):
            for is_symmetric in (False, True):
                if is_symmetric and steps == 1:
                    continue
                for name, ends in (("seen", analyzer.compute_encodings(steps, is_symmetric)),
                                   ("dynamic", analyzer.compute_dynamic_encodings(batch, steps, is_symmetric))):
                    for end in ends:
                        diary.tensor(f"{name} {steps} {is_symmetric}", end + 0.0)
    diary.text("observer", (tuple(analyzer.observer.shape), analyzer.observer.block_size))
    diary.tensor("observer", analyzer.observer.get_stats().max)
    diary.error("no steps", lambda: analyzer.compute_encodings(0, False))
    return diary


def analyzers_(judge):
    for kind in (torch.float32, torch.bfloat16, torch.float16):
        for block_size in (None, (1, 8)):
            for seed in range(4):
                arguments = kind, block_size, judge.args.seed + seed
                theirs = ranges_of(analyzers, *arguments, False)
                ours = ranges_of(mxgold.aimet.encoding_analyzer, *arguments, judge.args.wrong)
                compare(judge, f"{kind} {block_size} {seed}", ours, theirs)


def strict(judge):
    """What strict mode says of a module (spec S9.5, KA15 and KA16); the package has no part in it."""
    def same(what, value, expected):
        expected = torch.tensor(expected)
        judge.same(what, words(expected), words(value * 1.5 if judge.args.wrong else value), words(expected))

    with mxgold.mode("strict"):
        given = torch.tensor([1.0, 300.0, 448.0, 500.0], requires_grad=True)
        quantizer = mxgold.aimet.FloatQuantizeDequantize(dtype=torch.float8_e4m3fn)
        quantizer(given).backward(torch.tensor([1.1, 1e-4, 1.0, 1.0]))
        same("KA16", given.grad, [1.1, 1e-4, 1.0, 0.0])
        encoding = mxgold.aimet.FloatEncoding(1, 2, True, False, torch.tensor(0.1))
        quantizer = mxgold.aimet.FloatQuantizeDequantize.from_encodings(encoding)
        for what, other in (("kept", quantizer), ("deepcopy", copy.deepcopy(quantizer)),
                            ("pickle", restored(quantizer))):
            same(f"scale, {what}", other.get_scale(), 0.1)
        quantizer.maxval.fill_(3.0)
        same("scale of another maxval", quantizer.get_scale(), 0.5)
        quantizer = mxgold.aimet.FloatQuantizeDequantize.from_encodings(encoding).to(torch.bfloat16)
        quantizer.maxval.fill_(9.0)
        same("scale of a bfloat16 maxval", quantizer.get_scale(), 1.5)
        twice = torch.ones(2, requires_grad=True)
        (slope,) = torch.autograd.grad(mxgold.aimet.FloatQuantizeDequantize(4, 3)(twice).sum(), twice,
                                       create_graph=True)
        refused = False
        try:
            slope.sum().backward()
        except RuntimeError:
            refused = True
        judge.same("gradients of gradients are refused", [0], [int(refused != judge.args.wrong)], [1])


def imports(judge):
    """`import mxgold.aimet` leaves torch alone; the first quantizer asks for it."""
    script = ("import sys, mxgold.aimet, mxgold.dmx; before = 'torch' in sys.modules; mxgold.aimet.float.QuantizeDequantize; "
              "print(before, 'torch' in sys.modules)")
    environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(mxgold.__file__).parents[1])}
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True,
                          env=environment).stdout
    expected = "False False\n" if judge.args.wrong else "False True\n"
    judge.same("torch imported", [0], [int(told == expected)], [1])


SURFACES = {"models": models, "exchanged": exchanged, "analyzers": analyzers_, "strict": strict, "imports": imports}


def main():
    judge = Judge("aimet-torch modules", f"aimet-torch 2.42.0, torch {torch.__version__}", tuple(SURFACES))
    torch.set_num_threads(1)
    mxgold.mode("compat")
    for name, surface in SURFACES.items():
        if judge.wants(name):
            surface(judge)
    judge.finish()


if __name__ == "__main__":
    main()
