"""qtorch.quant.quant_module: quantisation as a layer. Imports torch where it is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..._modules import Module
from .._function import QuantizeFunction
from ..number import Number
from .quant_function import quantizer

if TYPE_CHECKING:
    from ..._types import ArrayOrTensorT

__all__ = ["Quantizer"]


class Quantizer(Module):
    """A layer that quantises its input forward and its gradient backward: quantizer() without its last two parameters.

    forward_number, backward_number: a FixedPoint, FloatingPoint, BlockFloatingPoint, or None for the identity;
    AssertionError for anything else. forward_rounding, backward_rounding: "stochastic" or "nearest". `quantize` is the
    function that quantizer() returns. A torch.nn.Module where torch is installed.
    """

    def __init__(self, forward_number: Number | None = None, backward_number: Number | None = None,
                 forward_rounding: str = "stochastic", backward_rounding: str = "stochastic") -> None:
        super().__init__()
        self.quantize: QuantizeFunction = quantizer(forward_number, backward_number, forward_rounding,
                                                    backward_rounding)

    def forward(self, x: ArrayOrTensorT) -> ArrayOrTensorT:
        """x, a tensor or an array of any shape, quantised; what it is given it gives."""
        return self.quantize(x)
