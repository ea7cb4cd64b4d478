"""What quantizer() returns, and its autograd function."""

import numpy

from .. import _mode
from .._arrays import is_torch
from . import _cast


class QuantizeFunction:
    """Quantises values; torch tensors differentiably. Parameters: those of quantizer()."""

    def __init__(self, forward_number, backward_number, forward_rounding, backward_rounding, clamping_grad_zero,
                 backward_hooks, mode):
        self.forward_number = forward_number
        self.backward_number = backward_number
        self.forward_rounding = forward_rounding
        self.backward_rounding = backward_rounding
        self.clamping_grad_zero = clamping_grad_zero
        self.backward_hooks = backward_hooks
        self._mode = mode
        self._apply = None

    def __call__(self, x):
        if not is_torch(x):
            return self.forward(x)[0]
        if self._apply is None:
            self._apply = autograd_function(self).apply
        return self._apply(x)

    def setting(self):
        return _mode.setting(self._mode)

    def forward(self, x, random=None, setting=None):
        """(values, mask); the mask, of uint8, is None unless clamping_grad_zero."""
        setting = setting or self.setting()
        if self.forward_number is None:
            return x, _zero_mask(x) if self.clamping_grad_zero else None
        if not _cast.is_array(x):
            raise AttributeError(f"{type(x).__name__!r} object is no tensor")
        results = _cast.by_number(x, self.forward_number, self.forward_rounding, setting, random,
                                  self.clamping_grad_zero)
        return results["values"], results.get("mask")

    def backward(self, gradient, mask=None, random=None, setting=None):
        """The gradient of the input, of that of the result and the mask of forward()."""
        setting = setting or self.setting()
        acts = setting[0] == "strict" or (self.clamping_grad_zero and self.backward_number is not None)
        if acts:
            for hook in self.backward_hooks:
                gradient = hook(gradient)
        if self.backward_number is not None:
            gradient = _cast.by_number(gradient, self.backward_number, self.backward_rounding, setting,
                                       random)["values"]
        if not acts or mask is None:
            return gradient
        if is_torch(gradient):
            return gradient.masked_fill(mask.bool(), 0)
        return numpy.where(mask != 0, gradient.dtype.type(0), gradient)

    def __getstate__(self):
        return {**self.__dict__, "_apply": None}


def _zero_mask(x):
    if is_torch(x):
        return x.new_zeros(x.shape).bool()
    return numpy.zeros(numpy.shape(x), numpy.uint8)


def autograd_function(quantize):
    """A torch.autograd.Function of a QuantizeFunction. The mode is that of the forward pass."""
    import torch

    class Rounding(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.setting = quantize.setting()
            values, ctx.mask = quantize.forward(x, setting=ctx.setting)
            return values

        @staticmethod
        def backward(ctx, gradient):
            if not ctx.needs_input_grad[0]:
                return None
            return quantize.backward(gradient, ctx.mask, setting=ctx.setting)

    return Rounding
