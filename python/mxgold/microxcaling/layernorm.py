"""Norms over the last axis whose every operation is rounded. Needs torch. spec S7.6."""

from __future__ import annotations

from typing import Any

import torch

from .._mode import setting
from ._autograd import _as_in_forward, _note
from ._vector import Specified, Specs, Vector
from .specs import MxSpecs, apply_mx_specs, mx_assert_test

__all__ = ["LayerNorm", "RMSNorm", "layer_norm"]


def _mean(v: Vector, x: Any) -> Any:
    return v.reduce_mean(x, [-1], keepdim=True)


def _of_parameters(v: Vector, g: torch.Tensor, normalized: torch.Tensor) -> tuple[Any, Any]:
    """The gradients of weight and bias."""
    axes = list(range(g.ndim - 1))
    return v.reduce_sum(v.mul(g, normalized), axes), v.reduce_sum(g, axes)


class _LayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float,
                mx_specs: MxSpecs) -> Any:
        _note(ctx, mx_specs)
        v = Vector(mx_specs)
        x, w, b = v.quantize(x), v.quantize(weight), v.quantize(bias)
        shifted = v.sub(x, _mean(v, x))
        variance = v.add(_mean(v, v.mul(shifted, shifted)), eps)
        normalized = v.mul(shifted, v.recip(v.sqrt(variance)))
        ctx.save_for_backward(normalized, variance, w if mx_specs["quantize_backprop"] else weight)
        return v.add(v.mul(w, normalized), b)

    @staticmethod
    @_as_in_forward
    def backward(ctx: Any, g: torch.Tensor) -> Any:
        v, (normalized, variance, weight) = Vector(ctx.mx_specs), ctx.saved_tensors
        g = v.quantize(g)
        gw, gb = _of_parameters(v, g, normalized)
        scaled = v.mul(g, weight)
        deviation = v.sqrt(variance)
        first = v.mul(scaled, v.div(1.0, deviation))
        mean = _mean(v, v.mul(v.mul(scaled, normalized), deviation))
        second = v.mul(-v.mul(mean, v.div(1.0, variance)), normalized)
        gx = v.add(first, second)
        return v.add(gx, -_mean(v, gx)), gw, gb, None, None


class _RMSNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float,
                mx_specs: MxSpecs) -> Any:
        _note(ctx, mx_specs)
        v = Vector(mx_specs)
        x = v.quantize(x)
        inverse = v.recip(v.sqrt(v.add(_mean(v, v.mul(x, x)), eps)))
        normalized = v.mul(x, inverse)
        w, b = v.quantize(weight), v.quantize(bias)
        ctx.save_for_backward(normalized, inverse, w if mx_specs["quantize_backprop"] else weight)
        return v.add(v.mul(w, normalized), b)

    @staticmethod
    @_as_in_forward
    def backward(ctx: Any, g: torch.Tensor) -> Any:
        v, (normalized, inverse, weight) = Vector(ctx.mx_specs), ctx.saved_tensors
        g = v.quantize(g)
        gw, gb = _of_parameters(v, g, normalized)
        first = v.mul(v.mul(g, weight), inverse)
        second = v.mul(normalized, _mean(v, v.mul(first, normalized)))
        # The package does not round this difference.
        gx = first - second if setting()[0] == "compat" else v.sub(first, second)
        return gx, gw, gb, None, None


class LayerNorm(Specified, torch.nn.LayerNorm):
    """(x - mean) / sqrt(variance + eps) * weight + bias; torch's own without a specification."""

    def __init__(self, hidden_size: int, eps: float = 1e-12, mx_specs: Specs = None, name: str | None = None) -> None:
        super().__init__(normalized_shape=hidden_size, eps=eps)
        self._take(mx_specs, name)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """x (..., hidden_size), normed along its last axis; of the same shape."""
        if self.mx_none:
            return super().forward(x)
        found: torch.Tensor = _LayerNorm.apply(x, self.weight, self.bias, self.eps, self.mx_specs)
        return found


class RMSNorm(Specified, torch.nn.LayerNorm):
    """x / sqrt(mean of squares + eps) * weight + bias, also without a specification."""

    def __init__(self, hidden_size: int, eps: float = 1e-12, mx_specs: Specs = None, name: str | None = None) -> None:
        super().__init__(normalized_shape=hidden_size, eps=eps)
        self._take(mx_specs, name)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """x (..., hidden_size), normed along its last axis; of the same shape."""
        found: torch.Tensor = _RMSNorm.apply(x, self.weight, self.bias, self.eps, self.mx_specs)
        return found


def layer_norm(input: torch.Tensor, normalized_shape: tuple[int, ...], weight: torch.Tensor, bias: torch.Tensor,
               eps: float = 1e-12, mx_specs: Specs = None, name: str | None = None) -> torch.Tensor:
    """LayerNorm as a function. normalized_shape: that of weight (AssertionError otherwise)."""
    mx_assert_test(mx_specs)
    if mx_specs is None:
        return torch.nn.functional.layer_norm(input, list(normalized_shape), weight, bias, eps)
    assert normalized_shape == weight.shape
    found: torch.Tensor = _LayerNorm.apply(input, weight, bias, eps, apply_mx_specs(mx_specs))
    return found
