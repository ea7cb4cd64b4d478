"""The gradient of a quantizer (spec S8.3, rule AI-G). Needs torch."""

import torch
from torch.autograd.function import once_differentiable

from .._systems import apply


class FakeCast(torch.autograd.Function):
    """A cast by its text under a scale, and its gradient, in the mode of the forward pass.

    The scale gets no gradient, and the gradient none of its own: asking for one is torch's RuntimeError.
    """

    @staticmethod
    def forward(context, value, text, scale, mode):
        context.save_for_backward(value, scale)
        context.text, context.mode = text, mode
        return apply(text, value, mode=mode, scale=scale)["values"]

    @staticmethod
    @once_differentiable
    def backward(context, gradient):
        value, scale = context.saved_tensors
        results = apply(context.text, value, mode=context.mode, scale=scale, gradient=gradient)
        return results["gradient"], None, None, None
