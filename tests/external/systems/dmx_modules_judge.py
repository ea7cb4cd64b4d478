#!/usr/bin/env python3
"""mxgold.dmx's CastTo and observers as torch.nn.Modules beside those of dmx-compressor, compat mode, bit by bit: models
that are calibrated, trained, copied, moved, saved and loaded."""

import copy
import io
import pathlib
import pickle
import sys
import warnings

from judge import Judge, need

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "python"))

warnings.filterwarnings("ignore")
torch = need("torch")
import dmx_package  # noqa: E402
from diary import Diary, compare, words  # noqa: E402
import mxgold  # noqa: E402
from mxgold import dmx as ours  # noqa: E402

BLOCKED = ("BFP[8|8]{4}(SN)", "BFP[4|8]{8}(_N)", "MXFP8[E4M3]{8}", "MXINT8{16}", "FP[1|4|3,7](_N)", "SAME",
           "SBFP<XP[4,0](CSN)><FP[0|4|4,7](FN)>{8}")
SCHEMES = (torch.per_tensor_affine, torch.per_tensor_symmetric, torch.per_channel_affine, torch.per_channel_symmetric)


class Side:
    """One side's classes."""

    def __init__(self, cast, observers):
        self.CastTo, self.CastToFormat, self.Format = cast.CastTo, cast.CastToFormat, cast.Format
        for name in ("DMXObserverBase", "DummyObserver", "MinMaxObserver", "HistogramObserver", "PercentileObserver"):
            setattr(self, name, getattr(observers, name))


class Net(torch.nn.Module):
    """Two layers with casts of inputs, weights and results."""

    def __init__(self, side, weights, activations, seed):
        super().__init__()
        torch.manual_seed(seed)
        self.first, self.second = torch.nn.Linear(16, 16), torch.nn.Linear(16, 4)
        self.input, self.weight = side.CastTo(format=activations), side.CastTo(format=weights)
        self.output = side.CastTo(format="FP[1|5|10,15](FN)")

    def forward(self, x):
        x = torch.nn.functional.linear(self.input(x), self.weight(self.first.weight), self.first.bias).relu()
        return self.output(torch.nn.functional.linear(x, self.weight(self.second.weight), self.second.bias))

    def widen(self):
        """Scales in float32 again."""
        for cast in self.casts():
            cast.float()
        return self

    def casts(self):
        return [self.input, self.weight, self.output]


def trained(side, weights, activations, kind, seed, wrong):
    """A model's life, without calibration but for formats that have scales."""
    diary, generator = Diary(), torch.Generator().manual_seed(seed)
    net = Net(side, weights, activations, seed).to(kind)
    batches = [torch.randn(5, 16, generator=generator).to(kind) for _ in range(3)]
    # Scales in a half type make a quotient that the package's kernels refuse.
    diary.error("scales of the tensors' type", lambda: net(batches[0]))
    net.widen()
    for cast in (net.input, net.weight):
        if cast.activation_post_process.quant_min is not None:
            cast.enable_calibration(True, side.MinMaxObserver, torch.per_tensor_symmetric)
    diary.tensor("calibrating", net(batches[0] * 1.5 if wrong else batches[0]))
    for cast in net.casts():
        cast.enable_calibration(False)
    diary.state("calibrated", net)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.25)
    for batch in batches:
        given = (batch * 1.5 if wrong else batch).clone().requires_grad_()
        optimizer.zero_grad()
        output = net(given)
        output.backward(torch.linspace(-2, 3, output.numel()).reshape(output.shape).to(output.dtype))
        diary.tensor("output", output)
        diary.tensor("gradient", given.grad)
        diary.gradients("gradient", net)
        optimizer.step()
    diary.state("trained", net)
    state = io.BytesIO()
    torch.save(net.state_dict(), state)
    state.seek(0)
    other = Net(side, weights, activations, seed + 1).to(kind).widen()
    missing = other.load_state_dict(torch.load(state), strict=False)
    diary.text("loaded", sorted(missing.missing_keys) + sorted(missing.unexpected_keys))
    # The package cannot pickle its SBFP formats.
    pickled = net if weights.startswith("SBFP") else pickle.loads(pickle.dumps(net))
    for name, each in (("loaded", other), ("deepcopy", copy.deepcopy(net)), ("pickle", pickled),
                       ("eval", copy.deepcopy(net).eval())):
        diary.tensor(name, each(batches[0]))
    net.apply(torch.ao.quantization.disable_fake_quant)
    diary.text("flags", [cast.fake_quant_enabled.tolist() for cast in net.casts()])
    diary.tensor("disabled", net(batches[0]))
    net.apply(torch.ao.quantization.enable_fake_quant)
    net.apply(torch.ao.quantization.enable_observer)
    diary.text("flags", [cast.observer_enabled.tolist() for cast in net.casts()])
    net.apply(torch.ao.quantization.disable_observer)
    net.input.set_format("BFP[4|8]{8}(SN)")
    diary.tensor("another format", net(batches[0]))
    for cast in net.casts():
        diary.error("precision", cast.get_precision)
        if not repr(cast.format).startswith("MXFP"):
            diary.text("precision", cast.get_precision())
    return diary


def calibrated(side, text, observer, scheme, group, kind, seed, wrong):
    """A cast that is calibrated twice."""
    diary, generator = Diary(), torch.Generator().manual_seed(seed)
    cast = side.CastTo(format=text, observer=getattr(side, "DummyObserver"), ch_axis=1)
    diary.text("fresh", repr(cast))
    diary.text("names", sorted(cast.state_dict()))
    diary.text("modules", [name for name, _ in cast.named_modules()])
    batches = [(torch.randn(6, 10, generator=generator) * 2.0**(i % 5) + i).to(kind) for i in range(5)]
    for times in range(2):
        cast.enable_calibration(True, getattr(side, observer), scheme, group, 1)
        for batch in batches[2 * times:2 * times + 2]:
            diary.tensor("calibrating", cast(batch * 1.5 if wrong else batch))
            diary.state("state", cast)
        cast.enable_calibration(False)
        given = batches[4].clone().requires_grad_()
        output = cast(given)
        output.backward(torch.linspace(-4, 9, output.numel()).reshape(output.shape).to(output.dtype))
        diary.tensor("output", output)
        diary.tensor("gradient", given.grad)
        if not group and observer != "PercentileObserver":
            diary.text("repr", repr(cast))
        # The channels that the observer remembers have no place in a fresh one; the scales have.
        other, state = side.CastTo(format=text, qscheme=scheme, ch_axis=1, group_size=group), cast.state_dict()
        state = {name: value for name, value in state.items() if not name.startswith("activation_post_process")}
        diary.text("loaded", sorted(other.load_state_dict(state, strict=False).missing_keys))
        diary.tensor("loaded", other(batches[4]))
        diary.tensor("scale", other.scale)
        diary.tensor("zero_point", other.zero_point)
    diary.text("observer", type(cast.activation_post_process).__name__)
    diary.text("scheme", (cast.qscheme == scheme, cast.is_per_channel, cast.ch_axis, cast.group_size))
    return diary


def models(judge, sides):
    for weights in (*BLOCKED, "XP[8,0](CSN)", "XP[4,+2](C_N)"):
        for activations in ("MXFP8[E4M3]{8}", "BFP[8|8]{16}(SN)", "XP[8,0](CSN)"):
            for kind in (torch.float32, torch.bfloat16):
                told = [trained(side, weights, activations, kind, judge.args.seed, wrong)
                        for side, wrong in zip(sides, (False, judge.args.wrong))]
                compare(judge, f"{weights} {activations} {kind}", told[1], told[0])


def calibration(judge, sides):
    for text in ("XP[8,0](CSN)", "XP[4,0](C_N)"):
        for observer in ("MinMaxObserver", "HistogramObserver", "PercentileObserver"):
            for scheme in SCHEMES:
                is_channel = scheme in SCHEMES[2:]
                if observer != "MinMaxObserver" and is_channel:
                    continue
                for group in (None, 4, 5) if not is_channel else (None,):
                    for kind in (torch.float32, torch.float16):
                        if group and kind is torch.float16 and observer != "MinMaxObserver":
                            refused(judge, sides, observer)
                            continue
                        told = [calibrated(side, text, observer, scheme, group, kind, judge.args.seed, wrong)
                                for side, wrong in zip(sides, (False, judge.args.wrong))]
                        compare(judge, f"{text} {observer} {scheme} {group} {kind}", told[1], told[0])


def refused(judge, sides, observer):
    """Histograms of groups of a half type."""
    diaries = []
    for side in sides:
        diary = Diary()
        cast = side.CastTo(format="XP[8,0](CSN)")
        cast.enable_calibration(True, getattr(side, observer), torch.per_tensor_affine, 4, 1)
        half = torch.float32 if judge.args.wrong and diaries else torch.float16
        diary.error("histogram", lambda: cast(torch.ones(3, 8, dtype=half)))
        diaries.append(diary)
    compare(judge, f"{observer} of groups", diaries[1], diaries[0])


def exchanged(judge, sides):
    """States of the package, loaded into mxgold's casts and the other way round."""
    for text in ("XP[8,0](CSN)", "XP[4,0](C_N)"):
        casts = []
        for side in sides:
            cast = side.CastTo(format=text)
            cast.enable_calibration(True, side.HistogramObserver, torch.per_tensor_affine)
            casts.append(cast)
        theirs, mine = casts
        batch = torch.randn(7, 32, generator=torch.Generator().manual_seed(judge.args.seed))
        theirs(batch)
        mine.load_state_dict(theirs.state_dict())
        theirs.enable_calibration(False)
        mine.enable_calibration(False)
        expected = words(theirs(batch))
        given = batch * 1.5 if judge.args.wrong else batch
        judge.same(f"{text}: the package's state in mxgold", expected, words(mine(given)), expected)
        theirs.scale.fill_(7.0)
        theirs.load_state_dict(mine.state_dict())
        judge.same(f"{text}: and in the package again", expected, words(theirs(given)), expected)


def strict(judge, sides):
    """What strict mode says: straight-through gradients around every format, gradients of gradients included."""
    del sides
    with mxgold.mode("strict"):
        for text in ("XP[8,0](CSN)", "MXFP8[E4M3]{8}", "FP[1|4|3,7](_N)"):
            cast = ours.CastTo(format=text)
            cast.scale = torch.tensor([0.3])
            given = torch.linspace(-9, 9, 16, requires_grad=True)
            incoming = torch.linspace(0.1, 2, 16, requires_grad=True)
            (slope,) = torch.autograd.grad(cast(given), given, incoming, create_graph=True)
            (again,) = torch.autograd.grad(slope.sum(), incoming)
            shown = slope * 1.5 if judge.args.wrong else slope
            judge.same(f"{text}: gradient", words(incoming), words(shown), words(incoming))
            judge.same(f"{text}: of the gradient", words(again), words(again), words(torch.ones(16)), False)
    cast = ours.CastTo(format="XP[8,0](CSN)")
    given, incoming = torch.ones(4, requires_grad=True), torch.ones(4, requires_grad=True)
    refused = False
    try:
        torch.autograd.grad(cast(given), given, incoming, create_graph=True)
    except RuntimeError:
        refused = True
    judge.same("compat: of the gradient, refused", [0], [int(refused != judge.args.wrong)], [1])


def formats(judge, sides):
    """Formats as they describe themselves, casts by CastToFormat with their gradients, observers of a user's own."""
    for text in (*BLOCKED, "XP[8,+4](CSN)", "XP[8,-4](__D)", "FP[0|5|2,15](FN)", "BFP[6|8]{2}(_U)", "MXFP6[E2M3]{4}"):
        diaries = []
        for side in sides:
            diary, generator = Diary(), torch.Generator().manual_seed(judge.args.seed)
            wrong = judge.args.wrong and diaries
            format = side.Format.from_shorthand(text)
            diary.text("str", str(format))
            diary.text("abstract", (type(side.Format).__name__, isinstance(format, side.Format)))
            for kind in (torch.float32, torch.bfloat16, torch.float16):
                if kind is not torch.float32 and text.startswith("XP"):
                    continue  # the package's kernels refuse these
                x = torch.randn(4, 8, generator=generator).mul(9).to(kind).requires_grad_()
                y = side.CastToFormat.apply(x * (1.5 if wrong else 1), format, -1)
                y.backward(torch.linspace(-1, 1, 32).reshape(4, 8).to(y.dtype))
                diary.tensor(f"{kind} cast", y)
                diary.tensor(f"{kind} gradient", x.grad)
            diaries.append(diary)
        compare(judge, text, diaries[1], diaries[0])
    for scheme in SCHEMES:
        diaries = []
        for side in sides:
            class Last(side.DMXObserverBase):
                """Takes the range of the last tensor alone."""

                def forward(self, x):
                    self.least, self.most = x.amin(-1), x.amax(-1)
                    return x

                def calculate_qparams(self):
                    return self._calculate_qparams(self.least, self.most)

            diary = Diary()
            observer = Last(dtype=side.Format.from_shorthand("XP[6,0](C_N)"), qscheme=scheme)
            observer(torch.randn(3, 8, generator=torch.Generator().manual_seed(judge.args.seed)))
            if judge.args.wrong and diaries:
                observer.most *= 3
            scale, zero = observer.calculate_qparams()
            diary.tensor("scale", scale)
            diary.tensor("zero point", zero.int())
            diary.text("repr", repr(observer))
            diary.error("no format", lambda: Last(dtype=3))
            diaries.append(diary)
        compare(judge, f"an observer of one's own, {scheme}", diaries[1], diaries[0])


SURFACES = {"models": models, "calibration": calibration, "exchanged": exchanged, "strict": strict, "formats": formats}


def main():
    judge = Judge("dmx modules", f"dmx-compressor 0.1.11, torch {torch.__version__}", tuple(SURFACES))
    dmx_package.load()
    numerical, observers = need("dmx.compressor.numerical.cast", "dmx.compressor.numerical.observer")
    torch.set_num_threads(1)
    mxgold.mode("compat")
    for name, surface in SURFACES.items():
        if judge.wants(name):
            surface(judge, (Side(numerical, observers), Side(ours, ours)))
    judge.finish()


if __name__ == "__main__":
    main()
