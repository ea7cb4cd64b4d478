"""What activations, softmax and norms share. Needs torch."""

import functools
from typing import Any, Mapping, Optional

import torch

from . import vector_ops
from .specs import apply_mx_specs, mx_assert_test


#: A specification or a part of one; None for none.
Specs = Optional[Mapping[str, Any]]


class Vector:
    """The operations of vector_ops under a specification: Vector(mx_specs).add(a, b) is vec_add(a, b, mx_specs)."""

    def __init__(self, mx_specs):
        self.mx_specs = mx_specs

    def __getattr__(self, name):
        return functools.partial(getattr(vector_ops, f"vec_{name}"), mx_specs=self.mx_specs)

    def sigmoid(self, x):
        return self.recip(self.add(self.exp(-x), 1.0))


class Specified:
    """A layer that keeps a specification. mx_none: it has none, and is torch's own."""

    def _take(self, mx_specs, name):
        self.name = name
        self.apply_mx_specs(mx_specs)

    def apply_mx_specs(self, mx_specs):
        """Takes another specification from here on."""
        mx_assert_test(mx_specs)
        self.mx_none = mx_specs is None
        self.mx_specs = apply_mx_specs(mx_specs)

    def append_name(self, postfix):
        self.name += postfix


def returned(ctx, x, values, inplace):
    """The values, in x's memory if so asked."""
    if not inplace:
        return values
    ctx.mark_dirty(x)
    return x.copy_(values)


def masked(mask, gradient):
    return torch.where(mask, gradient, torch.zeros((), dtype=gradient.dtype, device=gradient.device))
