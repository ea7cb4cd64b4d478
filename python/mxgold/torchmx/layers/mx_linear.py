"""torchmx.layers.mx_linear: a linear layer for inference. Needs torch. spec S6.2."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F

from ..config import MXConfig, QLinearConfig
from ..mx_tensor import MXTensor

__all__ = ["MXInferenceLinear"]


def _quantized(tensor: torch.Tensor, config: MXConfig) -> Any:
    return MXTensor.to_mx(tensor, config.elem_dtype, config.block_size)


class MXInferenceLinear(torch.nn.Linear):
    """torch.nn.Linear whose weight is an MXTensor and whose input is quantized on the way in.

    Both are dequantized to bfloat16 and multiplied by torch's own linear; nothing has a gradient. Made by from_float().
    """

    qconfig: QLinearConfig

    @classmethod
    @torch.no_grad()
    def from_float(cls, mod: torch.nn.Linear, qconfig: QLinearConfig) -> MXInferenceLinear:
        """The layer of a torch.nn.Linear (weight bfloat16, (out, in); AssertionError for other types) under a
        QLinearConfig. The bias is shared. A weight on the meta device is quantized at each call."""
        with torch.device("meta"):
            layer = cls(mod.in_features, mod.out_features, bias=False)
        layer.qconfig = qconfig
        if mod.weight.device.type != "meta":
            quantized = _quantized(mod.weight.data, qconfig.weights_config)
            layer.weight = torch.nn.Parameter(quantized, requires_grad=False)
        layer.bias = mod.bias
        return layer

    @torch.no_grad()
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """x: bfloat16, (..., in). Returns bfloat16, (..., out)."""
        x = _quantized(x, self.qconfig.activations_config)
        if isinstance(self.weight.data, MXTensor):
            return F.linear(x, self.weight, self.bias)
        weight = _quantized(self.weight.data.to(torch.bfloat16), self.qconfig.weights_config)
        return F.linear(x, weight, None if self.bias is None else self.bias.to(torch.bfloat16))

    def extra_repr(self) -> str:
        """What torch prints of the layer, and its configuration."""
        return f"{super().extra_repr()}, qconfig={self.qconfig}"
