"""softmax and its layer. Needs torch. spec S7.6."""

from __future__ import annotations

from typing import Any

import torch

from ._autograd import _as_in_forward, _note
from ._vector import Specified, Specs, Vector
from .specs import MxSpecs, apply_mx_specs, mx_assert_test

__all__ = ["Softmax", "softmax"]

_LN_2 = 0.69140625  # in bfloat16


class _Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, dim: int, mx_specs: MxSpecs) -> Any:
        _note(ctx, mx_specs)
        ctx.dim = dim + x.ndim if dim < 0 else dim
        v = Vector(mx_specs)
        x = v.quantize(x)
        x = v.sub(x, x.max(ctx.dim, keepdim=True)[0])
        powers = v.exp2(x) if mx_specs["softmax_exp2"] else v.exp(x)
        output = v.div(powers, v.reduce_sum(powers, ctx.dim, keepdim=True))
        ctx.save_for_backward(output)
        return output

    @staticmethod
    @_as_in_forward
    def backward(ctx: Any, g: torch.Tensor) -> Any:
        v, (y,) = Vector(ctx.mx_specs), ctx.saved_tensors
        g = v.quantize(g)
        total = v.reduce_sum(v.mul(g, y), ctx.dim, keepdim=True)
        gradient = v.mul(y, v.sub(g, total))
        return v.mul(gradient, _LN_2) if ctx.mx_specs["softmax_exp2"] else gradient, None, None


def softmax(input: torch.Tensor, dim: int | None = -1, mx_specs: Specs = None, name: str | None = None) -> torch.Tensor:
    """Powers of e (softmax_exp2: of 2) divided by their sum along dim, every step rounded; torch's own without a
    specification."""
    mx_assert_test(mx_specs)
    if mx_specs is None:
        return torch.nn.functional.softmax(input, dim=dim)
    found: torch.Tensor = _Softmax.apply(input, dim, apply_mx_specs(mx_specs))
    return found


class Softmax(Specified, torch.nn.Softmax):
    """softmax() as a layer."""

    def __init__(self, dim: int | None = None, mx_specs: Specs = None, name: str | None = None) -> None:
        super().__init__(dim)
        self._take(mx_specs, name)

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """softmax() of a tensor of any shape."""
        return super().forward(input) if self.mx_none else softmax(input, self.dim, self.mx_specs)
