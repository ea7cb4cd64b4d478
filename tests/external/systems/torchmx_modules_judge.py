#!/usr/bin/env python3
"""mxgold.torchmx's linear layers beside torchmx's, compat mode, bit by bit: models that quantize_linear_ and
mx_dynamic_activation_mx_weights change, their outputs, states and refusals."""

import io
import logging
import os
import subprocess
import sys

import torchmx_system_judge
from diary import Diary, compare
from judge import Judge, need

torch = need("torch")
import mxgold  # noqa: E402
import mxgold.torchmx.layers.mx_linear  # noqa: E402
import mxgold.torchmx.quant_api  # noqa: E402

config, quant_api, mx_linear, dtypes, mx_tensor = need("torchmx.config", "torchmx.quant_api", "torchmx.layers.mx_linear",
                                                       "torchmx.dtypes", "torchmx.mx_tensor")
ELEMENTS = torchmx_system_judge.ELEMENTS


class Side:
    def __init__(self, config, quant_api, linear, dtypes, tensor):
        self.config, self.quant_api, self.dtypes = config, quant_api, dtypes
        self.MXInferenceLinear, self.MXTensor = linear.MXInferenceLinear, tensor.MXTensor

    def qconfig(self, weights, activations, size):
        return self.config.QLinearConfig(self.config.MXConfig(weights, size), self.config.MXConfig(activations, size))


def net(seed, inputs, bias=True):
    torch.manual_seed(seed)
    shared = torch.nn.Linear(48, 48, bias)
    return torch.nn.Sequential(torch.nn.Linear(inputs, 48, bias), torch.nn.ReLU(),
                               torch.nn.ModuleDict({"a": shared, "b": shared})["a"],
                               torch.nn.Sequential(torch.nn.Tanh(), torch.nn.Linear(48, 5, bias))).to(torch.bfloat16)


def inputs_of(seed, *shape):
    return (torch.randn(*shape, generator=torch.Generator().manual_seed(seed)) * 3).to(torch.bfloat16)


def tell(diary, side, model, x):
    diary.tensor("output", model(x))
    diary.tensor("output of three dimensions", model(x.reshape(2, -1, x.shape[-1])))
    diary.text("gradient", model(x.clone().requires_grad_()).requires_grad)
    for name, layer in model.named_modules():
        weight = getattr(layer, "weight", None)
        if weight is not None:
            diary.text(name, (type(layer).__name__, tuple(weight.shape), weight.requires_grad, str(weight.dtype)))
        if isinstance(layer, side.MXInferenceLinear):
            diary.tensor(f"{name} scale", weight.data._scale_e8m0)
            diary.tensor(f"{name} data", weight.data._data)
            diary.text(f"{name} repr", repr(layer))


def layers(judge, sides):
    for weights in ELEMENTS:
        for activations in ELEMENTS:
            for size, inputs in ((32, 64), (16, 40), (8, 30)):
                for bias in (True, False):
                    diaries = []
                    for side in sides:
                        diary = Diary()
                        model = net(judge.args.seed, inputs, bias)
                        side.quant_api.quantize_linear_(model, side.qconfig(weights, activations, size))
                        x = inputs_of(judge.args.seed, 6, inputs)
                        tell(diary, side, model, x * 1.25 if judge.args.wrong and diaries else x)
                        diaries.append(diary)
                    compare(judge, f"{weights} {activations} {size} {bias}", diaries[1], diaries[0])


def dynamic(judge, sides):
    for weights in ELEMENTS:
        for activations in ELEMENTS:
            diaries = []
            for side in sides:
                diary = Diary()
                torch.manual_seed(judge.args.seed)
                layer = torch.nn.Linear(64, 24).to(torch.bfloat16)
                change = side.quant_api.mx_dynamic_activation_mx_weights(
                    getattr(side.dtypes, weights), 32, getattr(side.dtypes, activations), 16)
                changed = change(layer)
                x = inputs_of(judge.args.seed, 6, 64)
                with torch.no_grad():
                    diary.tensor("output", changed(x * 1.25 if judge.args.wrong and diaries else x))
                diary.error("no multiple", lambda: change(torch.nn.Linear(3, 5).to(torch.bfloat16)))
                diary.error("float32", lambda: change(torch.nn.Linear(32, 32)))
                diaries.append(diary)
            compare(judge, f"dynamic {weights} {activations}", diaries[1], diaries[0])


def refusals(judge, sides):
    diaries = []
    for side in sides:
        diary = Diary()
        qconfig = side.qconfig("float8_e4m3", "float4_e2m1", 32)
        diary.error("float32 weights", lambda: side.quant_api.quantize_linear_(torch.nn.Sequential(
            torch.nn.Linear(32, 32)), qconfig))
        layer = side.MXInferenceLinear.from_float(torch.nn.Linear(32, 32).to(torch.bfloat16), qconfig)
        diary.error("float32 input", lambda: layer(torch.zeros(2, 32)))
        diary.error("another width", lambda: layer(torch.zeros(2, 31, dtype=torch.bfloat16)))
        alone = torch.nn.Linear(32, 32).to(torch.bfloat16)
        side.quant_api.quantize_linear_(alone, qconfig)
        diary.text("a layer alone", type(alone).__name__)
        meta = side.MXInferenceLinear.from_float(torch.nn.Linear(32, 32, bias=False, device="meta"), qconfig)
        torch.manual_seed(judge.args.seed)
        meta.weight = torch.nn.Parameter(torch.randn(32, 32) * (1.25 if judge.args.wrong and diaries else 1.0))
        diary.tensor("meta", meta(inputs_of(judge.args.seed, 4, 32)))
        state = io.BytesIO()
        diary.text("state", list(layer.state_dict()))
        diary.error("saved", lambda: torch.save(layer.state_dict(), state))
        diaries.append(diary)
    compare(judge, "refusals", diaries[1], diaries[0])


BOTH = """
import sys, torch
for name in sys.argv[1:]:
    __import__(name)
x = torch.linspace(-9, 3, 8).to(torch.bfloat16)
scale, data = torch.ops.torchmx.quantize_mx(x, "int8", 4)
print(torch.ops.torchmx.quantize_mx.default._schema, torch.ops.torchmx.dequantize_mx.default._schema, scale.tolist(),
      data.tolist(), torch.ops.torchmx.dequantize_mx(data, scale, "int8", 4, torch.float32, -1).tolist(),
      sys.modules["torchmx.mx_tensor"].MXTensor.to_mx(x, sys.modules["torchmx.dtypes"].int8, 4)._data.tolist())
"""


def operators(judge, sides):
    """torch.ops.torchmx.*: the package's in a process that has both, in either order of import."""
    mx_imports = ("torchmx.mx_tensor", "mxgold.torchmx.mx_tensor")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}

    def told(*names):
        diary = Diary()
        code = BOTH.replace("linspace(-9, 3", "linspace(-9, 4") if judge.args.wrong and len(names) > 1 else BOTH
        diary.text("operators", subprocess.run([sys.executable, "-W", "ignore", "-c", code, *names], env=environment,
                                               check=True, stdout=subprocess.PIPE, text=True).stdout)
        return diary

    alone = told(mx_imports[0])
    for order in (mx_imports, mx_imports[::-1]):
        compare(judge, " before ".join(order), told(*order), alone)


SURFACES = {"layers": layers, "dynamic": dynamic, "refusals": refusals, "operators": operators}


def main():
    judge = Judge("torchmx modules", f"torchmx 0.1.0, torch {torch.__version__}", tuple(SURFACES))
    logging.disable(logging.CRITICAL)
    mxgold.mode("compat")
    torch.set_num_threads(1)
    ours = mxgold.torchmx
    sides = (Side(config, quant_api, mx_linear, dtypes, mx_tensor),
             Side(ours.config, ours.quant_api, ours.layers.mx_linear, ours.dtypes, ours.mx_tensor))
    for name, surface in SURFACES.items():
        if judge.wants(name):
            surface(judge, sides)
    judge.finish()


if __name__ == "__main__":
    main()
