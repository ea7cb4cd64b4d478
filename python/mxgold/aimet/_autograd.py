"""The gradient of a quantizer (spec S8.3, rule AI-G). Needs torch."""

from __future__ import annotations

from typing import Any

import torch
from torch.autograd.function import once_differentiable

from .._systems import apply


class FakeCast(torch.autograd.Function):
    """A cast by its text under a scale, and its gradient, in the mode of the forward pass.

    The scale gets no gradient, and the gradient none of its own: asking for one is torch's RuntimeError.
    """

    @staticmethod
    def forward(context: Any, value: torch.Tensor, text: str, scale: torch.Tensor, mode: str) -> Any:
        context.save_for_backward(value, scale)
        context.text, context.mode = text, mode
        return apply(text, value, mode=mode, scale=scale)["values"]

    @staticmethod
    @once_differentiable
    def backward(context: Any, gradient: torch.Tensor) -> Any:
        value, scale = context.saved_tensors
        results = apply(context.text, value, mode=context.mode, scale=scale, gradient=gradient)
        return results["gradient"], None, None, None
