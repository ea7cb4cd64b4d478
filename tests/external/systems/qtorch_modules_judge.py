#!/usr/bin/env python3
"""mxgold.qtorch's modules beside QPyTorch's, compat mode, bit by bit: models that are lowered and trained by an OptimLP
from the same seeds, outputs, gradients, weights, momenta and accumulators after every step."""

import importlib
import itertools

import qtorch_system_judge
from diary import Diary, compare
from judge import Judge, need

torch = need("torch")
package = qtorch_system_judge.load_package()
LAYERS = ("conv", "linear", "pool", "pad", "activation", "normalization", "dropout", "loss")


class Side:
    """One side's names, and how its generator is seeded."""

    def __init__(self, root, seed):
        self.numbers = importlib.import_module(root)
        self.quant, self.optim, self.auto_low = (importlib.import_module(f"{root}.{name}")
                                                 for name in ("quant", "optim", "auto_low"))
        self.seed = seed

    def number(self, kind):
        return {"none": None, "fixed": self.numbers.FixedPoint(8, 6), "float": self.numbers.FloatingPoint(5, 2),
                "block": self.numbers.BlockFloatingPoint(8, 0)}[kind]

    def quantizer(self, kind, rounding):
        number = self.number(kind)
        return None if number is None else self.quant.quantizer(number, number, rounding, rounding)


class Shared(torch.nn.Module):
    """Layers within layers, one of them twice."""

    def __init__(self):
        super().__init__()
        act = torch.nn.ReLU()
        self.layers = torch.nn.Sequential(torch.nn.Conv1d(2, 4, 3), act, torch.nn.BatchNorm1d(4), act, torch.nn.Flatten())
        self.parts = torch.nn.ModuleDict({"drop": torch.nn.Dropout(0.0), "tanh": torch.nn.Tanh()})
        self.nothing = None
        self.last = torch.nn.Linear(24, 3)

    def forward(self, x):
        return self.last(self.parts["tanh"](self.parts["drop"](self.layers(x))))


def inputs(seed, *shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def outcome(diary, model, x):
    given = x.clone().requires_grad_()
    output = model(given)
    output.backward(torch.linspace(-2, 3, output.numel()).reshape(output.shape))
    diary.tensor("output", output)
    diary.tensor("gradient", given.grad)
    diary.gradients("gradient", model)


def lowered(side, types, kinds, rounding, seed, wrong):
    diary, x = Diary(), inputs(seed, 5, 2, 8)
    for name in ("lower", "sequential_lower"):
        torch.manual_seed(seed)
        model = Shared()
        result = getattr(side.auto_low, name)(model, list(types), *map(side.number, kinds), rounding, rounding)
        diary.text(f"{name} returns", type(result).__name__)
        lower = model if result is None else result
        diary.text("modules", [key for key, _ in lower.named_modules()])
        diary.text("state", list(lower.state_dict()))
        side.seed(seed)
        outcome(diary, lower, x * 1.5 if wrong else x)
    diary.error("another type", lambda: side.auto_low.lower(Shared(), ["transformer"]))
    return diary


def trained(side, make, kinds, scaling, rounding, seed, wrong):
    diary = Diary()
    torch.manual_seed(seed)
    model = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
    names = ("weight_quant", "grad_quant", "momentum_quant", "acc_quant")
    quantizers = {name: side.quantizer(kind, rounding) for name, kind in zip(names, kinds)}
    optimizer = side.optim.OptimLP(make(model.parameters()), grad_scaling=scaling, **quantizers)
    diary.text("repr", repr(optimizer))
    diary.text("str", str(optimizer))
    side.seed(seed)
    for step in range(4):
        optimizer.zero_grad()
        outcome(diary, model, inputs(seed + step, 7, 6) * (1.5 if wrong else 1.0))
        diary.text("step", optimizer.step())
        diary.state("weights", model)
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                for key in optimizer.momentum_keys:
                    kept = optimizer.optim.state[parameter].get(key)
                    diary.text(key, None) if kept is None else diary.tensor(key, kept)
                if kinds[3] != "none":
                    diary.tensor("accumulator", optimizer.weight_acc[parameter])
    return diary


def models(judge, sides):
    for types in ((), ("activation",), ("conv", "linear"), ("normalization", "dropout", "activation"), LAYERS):
        for kinds in itertools.product(("none", "float", "fixed", "block"), repeat=2):
            for rounding in ("nearest", "stochastic"):
                told = [lowered(side, types, kinds, rounding, judge.args.seed, wrong)
                        for side, wrong in zip(sides, (False, judge.args.wrong))]
                compare(judge, f"{types} {kinds} {rounding}", told[1], told[0])


def optimizers(judge, sides):
    makers = {"SGD": lambda p: torch.optim.SGD(p, lr=0.25), "Adam": lambda p: torch.optim.Adam(p, lr=0.25),
              "momentum": lambda p: torch.optim.SGD(p, lr=0.125, momentum=0.875, weight_decay=0.0625),
              "AdamW": lambda p: torch.optim.AdamW(p, lr=0.25)}
    quantized = (("none",) * 4, ("float", "none", "none", "none"), ("fixed", "float", "none", "fixed"),
                 ("float", "float", "float", "float"), ("block", "fixed", "block", "float"), ("none", "none", "none", "fixed"))
    for name, make in makers.items():
        for kinds in quantized:
            for scaling, rounding in ((1.0, "nearest"), (8.0, "stochastic")):
                told = [trained(side, make, kinds, scaling, rounding, judge.args.seed, wrong)
                        for side, wrong in zip(sides, (False, judge.args.wrong))]
                compare(judge, f"{name} {kinds} {rounding}", told[1], told[0])
    diaries = []
    for side in sides:
        diary = Diary()
        parameters = [torch.nn.Parameter(torch.ones(2))]
        diary.error("RMSprop", lambda: side.optim.OptimLP(torch.optim.RMSprop(parameters)))
        diary.error("no scaling", lambda: side.optim.OptimLP(torch.optim.SGD(parameters, lr=1), grad_scaling=0))
        if judge.args.wrong and diaries:
            diary.text("more", 1)
        diaries.append(diary)
    compare(judge, "refusals", diaries[1], diaries[0])


def strict(judge, sides):
    """Strict: closures are evaluated, and a layer that two others hold is quantised once; compat as the package."""
    theirs, mine = sides
    told = []
    for side, mode in ((theirs, "compat"), (mine, "compat"), (mine, "strict")):
        with package.mode(mode):
            calls = []
            weight = torch.nn.Parameter(torch.ones(3))
            (weight * 2).sum().backward()
            optimizer = side.optim.OptimLP(torch.optim.SGD([weight], lr=0.5))
            loss = optimizer.step(lambda: calls.append(torch.is_grad_enabled()) or 1.25)
            shared = torch.nn.Linear(2, 2)
            model = torch.nn.ModuleList([torch.nn.Sequential(shared), torch.nn.Sequential(shared)])
            side.seed(judge.args.seed)
            side.auto_low.lower(model, ["linear"], side.numbers.FloatingPoint(5, 2))
            draws = []
            quantize = getattr(shared.forward, "quantize", None)
            if quantize is not None:
                quantize.register_forward_hook(lambda *_: draws.append(1))
                model[0](torch.ones(1, 2))
            act = torch.nn.ReLU()
            lowered = side.auto_low.sequential_lower(torch.nn.Sequential(act, act, torch.nn.Tanh()), ["activation"])
            count = sum(isinstance(each, torch.nn.Sequential) for each in lowered)
            told.append((calls, loss, weight.detach().tolist(), len(draws), count))
    same = told[1][:3] == told[0][:3] == ([], None, [0.0, 0.0, 0.0])
    expected = ([True], 1.25, [0.0, 0.0, 0.0], 1, 3)
    judge.same("closures in compat", [0], [int(same != judge.args.wrong)], [1])
    judge.same("layers of two in compat", [0], [told[1][3] + judge.args.wrong], [2])
    judge.same("a layer twice in compat", [0], [told[1][4] + judge.args.wrong], [told[0][4]])
    judge.same("strict", [0], [int((told[2] == expected) != judge.args.wrong)], [1])


SURFACES = {"models": models, "optimizers": optimizers, "strict": strict}


def main():
    judge = Judge("qtorch modules", f"qtorch 0.3.0, torch {torch.__version__}", tuple(SURFACES))
    words = qtorch_system_judge.Words()
    package.mode("compat")

    def seed_theirs(seed):
        torch.manual_seed(seed)
        words.float_or_block(seed, 1)

    def seed_ours(seed):
        torch.manual_seed(seed)
        sides[1].quant.manual_seed(seed)

    sides = Side("qtorch", seed_theirs), Side("mxgold_package.qtorch", seed_ours)
    for name, surface in SURFACES.items():
        if judge.wants(name):
            surface(judge, sides)
    judge.finish()


if __name__ == "__main__":
    main()
