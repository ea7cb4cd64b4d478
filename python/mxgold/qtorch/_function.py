"""What quantizer() returns, and its autograd function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Iterable, overload

import numpy

from .. import _mode
from .._arrays import is_torch
from . import _cast

if TYPE_CHECKING:
    from .._types import Array, ArrayOrTensor, ArrayOrTensorT, FloatArray
    from .number import Number


class QuantizeFunction:
    """Quantises values; torch tensors differentiably. Parameters: those of quantizer()."""

    def __init__(self, forward_number: Number | None, backward_number: Number | None, forward_rounding: str,
                 backward_rounding: str, clamping_grad_zero: bool, backward_hooks: Iterable[Callable[[Any], Any]],
                 mode: str | None) -> None:
        self.forward_number: Number | None = forward_number
        self.backward_number: Number | None = backward_number
        self.forward_rounding: str = forward_rounding
        self.backward_rounding: str = backward_rounding
        self.clamping_grad_zero: bool = clamping_grad_zero
        self.backward_hooks: Iterable[Callable[[Any], Any]] = backward_hooks
        self._mode = mode
        self._apply: Callable[[Any], Any] | None = None

    @overload
    def __call__(self, x: ArrayOrTensorT) -> ArrayOrTensorT: ...
    @overload
    def __call__(self, x: numpy.generic) -> FloatArray: ...
    def __call__(self, x: Any) -> Any:
        if not is_torch(x):
            return self.forward(x)[0]
        if self._apply is None:
            self._apply = autograd_function(self).apply
        return self._apply(x)

    def setting(self) -> tuple[str, str]:
        """(mode, platform) that its own mode, or the one in force, gives."""
        return _mode.setting(self._mode)

    def forward(self, x: ArrayOrTensor, random: Array | None = None,
                setting: tuple[str, str] | None = None) -> tuple[Any, Any]:
        """(values, mask); the mask, of uint8, is None unless clamping_grad_zero."""
        setting = setting or self.setting()
        if self.forward_number is None:
            return x, _zero_mask(x) if self.clamping_grad_zero else None
        if not _cast.is_array(x):
            raise AttributeError(f"{type(x).__name__!r} object is no tensor")
        results = _cast.by_number(x, self.forward_number, self.forward_rounding, setting, random,
                                  self.clamping_grad_zero)
        return results["values"], results.get("mask")

    def backward(self, gradient: ArrayOrTensor, mask: Any = None, random: Array | None = None,
                 setting: tuple[str, str] | None = None) -> Any:
        """The gradient of the input, of that of the result and the mask of forward()."""
        setting = setting or self.setting()
        found: Any = gradient
        acts = setting[0] == "strict" or (self.clamping_grad_zero and self.backward_number is not None)
        if acts:
            for hook in self.backward_hooks:
                found = hook(found)
        if self.backward_number is not None:
            found = _cast.by_number(found, self.backward_number, self.backward_rounding, setting, random)["values"]
        if not acts or mask is None:
            return found
        if is_torch(found):
            return found.masked_fill(mask.bool(), 0)
        return numpy.where(mask != 0, found.dtype.type(0), found)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_apply": None}


def _zero_mask(x: Any) -> Any:
    if is_torch(x):
        return x.new_zeros(x.shape).bool()
    return numpy.zeros(numpy.shape(x), numpy.uint8)


def autograd_function(quantize: QuantizeFunction) -> Any:
    """A torch.autograd.Function of a QuantizeFunction. The mode is that of the forward pass."""
    import torch

    class Rounding(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> Any:
            ctx.setting = quantize.setting()
            values, ctx.mask = quantize.forward(x, setting=ctx.setting)
            return values

        @staticmethod
        def backward(ctx: Any, gradient: torch.Tensor) -> Any:
            if not ctx.needs_input_grad[0]:
                return None
            return quantize.backward(gradient, ctx.mask, setting=ctx.setting)

    return Rounding
