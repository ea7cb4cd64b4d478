"""The gradients of dmx's casts. Needs torch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable

import numpy
import torch

from .. import _systems
from .._mode import mode as in_mode
from .._mode import setting

if TYPE_CHECKING:
    from ._cast import CastTo
    from ._formats import Format

__all__ = ["CastToFormat"]


class StraightThrough(torch.autograd.Function):
    """function(x) with the gradient of the identity."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, function: Callable[[Any], Any]) -> Any:
        ctx.type = x.dtype
        return function(x)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        return gradient.to(ctx.type), None


class CastToFormat(torch.autograd.Function):
    """CastToFormat.apply(x, fmt, block_dim): fmt.cast(x, block_dim) of a tensor, with the gradient of the identity."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, fmt: Format, block_dim: int) -> Any:
        """The cast, as apply() has it; ctx is what torch gives."""
        ctx.set_materialize_grads(False)
        return fmt.cast(x.detach(), block_dim)

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor | None) -> Any:
        """The gradients of apply()'s parameters: g, which passes through."""
        return g, None, None


class Boundary(torch.autograd.Function):
    """What a CastTo does to x. Its gradient is that of the identity; compat around a FixedPoint multiplies it by the
    scale and divides it again, as the package's operations do, in the mode of the forward pass."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, cast: CastTo, random: Any) -> Any:
        ctx.setting, ctx.operands, ctx.text = setting(cast.mode), cast._operands(), cast._text()
        ctx.is_stochastic = cast.format._is_stochastic()
        ctx.save_for_backward(x)
        return cast._results(x, random)["values"]

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        if ctx.setting[0] == "strict" or not ctx.operands:
            return gradient, None, None
        if gradient.requires_grad:
            raise RuntimeError("compat has no gradient of this gradient")
        (x,) = ctx.saved_tensors
        # The same cast once more, for the way back; a stochastic one needs words, whatever they are.
        words = numpy.zeros(x.numel(), numpy.uint32) if ctx.is_stochastic else None
        with in_mode(*ctx.setting):
            results = _systems.apply("dmx:" + ctx.text, x, None, words, gradient=gradient.contiguous(), **ctx.operands)
        return results["gradient"], None, None
