"""qtorch.auto_low: a quantiser behind every layer of some types. Needs torch. spec S4.9."""

from __future__ import annotations

import copy
from typing import Any, Callable, Sequence

from torch import nn

from .._mode import setting
from .number import Number
from .quant.quant_module import Quantizer

__all__ = ["lower", "sequential_lower"]

_TYPES = {
    "conv": "Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d Unfold Fold",
    "linear": "Linear Bilinear",
    "pool": "MaxPool1d MaxPool2d MaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d AvgPool1d AvgPool2d AvgPool3d "
            "FractionalMaxPool2d LPPool1d LPPool2d AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d "
            "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d",
    "pad": "ReflectionPad1d ReflectionPad2d ReplicationPad1d ReplicationPad2d ZeroPad2d ConstantPad1d ConstantPad2d "
           "ConstantPad3d",
    "activation": "ELU Hardshrink Hardtanh LeakyReLU LogSigmoid PReLU ReLU ReLU6 RReLU SELU Sigmoid Softplus "
                  "Softshrink Softsign Tanh Tanhshrink Threshold Softmin Softmax Softmax2d LogSoftmax",
    "normalization": "BatchNorm1d BatchNorm2d BatchNorm3d GroupNorm InstanceNorm1d InstanceNorm2d InstanceNorm3d "
                     "LayerNorm LocalResponseNorm",
    "dropout": "Dropout Dropout2d Dropout3d AlphaDropout",
    "loss": "L1Loss MSELoss CrossEntropyLoss NLLLoss PoissonNLLLoss KLDivLoss BCELoss BCEWithLogitsLoss "
            "MarginRankingLoss HingeEmbeddingLoss MultiLabelMarginLoss SmoothL1Loss SoftMarginLoss "
            "MultiLabelSoftMarginLoss MultiMarginLoss TripletMarginLoss",
}


def _classes(layer_types: Sequence[str]) -> tuple[type[nn.Module], ...]:
    """The classes of names such as "conv". AssertionError for other names."""
    for name in layer_types:
        if name not in _TYPES:
            raise AssertionError(f"layer type {name!r} is none of {', '.join(_TYPES)}")
    return tuple(getattr(nn, each) for name in layer_types for each in _TYPES[name].split())


class _Lowered:
    """A layer's own forward, and the quantiser after it."""

    def __init__(self, forward: Callable[..., Any], quantize: Quantizer) -> None:
        self.forward, self.quantize = forward, quantize

    def __call__(self, *inputs: Any) -> Any:
        return self.quantize(self.forward(*inputs))


def lower(model: nn.Module, layer_types: Sequence[str] = (), forward_number: Number | None = None,
          backward_number: Number | None = None, forward_rounding: str = "stochastic",
          backward_rounding: str = "stochastic") -> None:
    """Quantises the results of a model's layers, in place.

    layer_types: of "conv", "linear", "pool", "pad", "activation", "normalization", "dropout", "loss"; AssertionError
    for another name. Layers are those of exactly torch's classes. The rest is that of quantizer().
    """
    quantize = Quantizer(forward_number, backward_number, forward_rounding, backward_rounding)
    classes = _classes(layer_types)

    def visit(module: nn.Module) -> None:
        if type(module) in classes:
            module.forward = _Lowered(module.forward, quantize)

    if setting()[0] == "compat":
        model.apply(visit)  # a layer that several others hold is quantised as often
        return
    for module in model.modules():
        visit(module)


def sequential_lower(model: nn.Module, layer_types: Sequence[str] = (), forward_number: Number | None = None,
                     backward_number: Number | None = None, forward_rounding: str = "stochastic",
                     backward_rounding: str = "stochastic") -> nn.Module:
    """A copy of a model whose layers of some types are followed by a Quantizer, the same one in an nn.Sequential each.
    Parameters: those of lower()."""
    quantize = Quantizer(forward_number, backward_number, forward_rounding, backward_rounding)
    return _followed(copy.deepcopy(model), _classes(layer_types), quantize)


def _followed(module: nn.Module, classes: tuple[type[nn.Module], ...], quantize: Quantizer) -> nn.Module:
    children = [(name, child) for name, child in module._modules.items() if child is not None]
    if not children:
        return nn.Sequential(module, quantize) if type(module) in classes else module
    if setting()[0] == "compat" and type(module) in (nn.Sequential, nn.ModuleList):
        children = children[:len(list(module.children()))]  # as many as there are different ones
    for name, child in children:
        setattr(module, name, _followed(child, classes, quantize))
    return module
