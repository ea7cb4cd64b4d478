"""torchmx.quant_api: models whose linear layers compute on MX tensors. Needs torch.

quantize_llm_ is not here: its attention layers are those of one version of transformers.
"""

from __future__ import annotations

from typing import Callable

import torch

from . import dtypes
from .config import MXConfig, QLinearConfig
from .layers.mx_linear import MXInferenceLinear

__all__ = ["MXInferenceLinear", "mx_dynamic_activation_mx_weights", "quantize_linear_"]


def quantize_linear_(model: torch.nn.Module, qconfig: QLinearConfig) -> None:
    """Replaces the torch.nn.Linear layers (no subclasses) within a model by MXInferenceLinear, in place.

    qconfig: a QLinearConfig. Weights have to be bfloat16 (AssertionError).
    """
    for name, child in list(model.named_children()):
        if type(child) is torch.nn.Linear:
            setattr(model, name, MXInferenceLinear.from_float(child, qconfig))
        else:
            quantize_linear_(child, qconfig)


def mx_dynamic_activation_mx_weights(
        weight_elem_dtype: dtypes.DType = dtypes.float6_e3m2, weight_block_size: int = 32,
        activation_elem_dtype: dtypes.DType = dtypes.float8_e4m3,
        activation_block_size: int = 32) -> Callable[[torch.nn.Linear], MXInferenceLinear]:
    """What torchao.quantization.quantize_ does to a linear layer: a function of a torch.nn.Linear that returns its
    MXInferenceLinear. (The package returns the layer itself, with a weight that does the same.)

    The function raises ValueError where the weight's elements are no multiple of weight_block_size.
    """
    qconfig = QLinearConfig(MXConfig(weight_elem_dtype.name, weight_block_size),
                            MXConfig(activation_elem_dtype.name, activation_block_size))

    def quantize(layer: torch.nn.Linear) -> MXInferenceLinear:
        count = layer.weight.numel()
        if count % weight_block_size:
            raise ValueError(f"Weight tensor size {count} is not divisible by block size {weight_block_size}")
        return MXInferenceLinear.from_float(layer, qconfig)

    return quantize
