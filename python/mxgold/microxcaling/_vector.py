"""What activations, softmax and norms share. Needs torch."""

from __future__ import annotations

import functools
from typing import Any, Callable, Mapping, Optional

import torch

from . import vector_ops
from .specs import MxSpecs, apply_mx_specs, mx_assert_test

#: A specification or a part of one; None for none.
Specs = Optional[Mapping[str, Any]]


class Vector:
    """The operations of vector_ops under a specification: Vector(mx_specs).add(a, b) is vec_add(a, b, mx_specs)."""

    def __init__(self, mx_specs: Mapping[str, Any]) -> None:
        self.mx_specs = mx_specs

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return functools.partial(getattr(vector_ops, f"vec_{name}"), mx_specs=self.mx_specs)

    def sigmoid(self, x: Any) -> Any:
        return self.recip(self.add(self.exp(-x), 1.0))


class Specified:
    """A layer that keeps a specification.

    mx_none: it has none, and is torch's own. mx_specs: all its keys. name: what it is called, for the user alone.
    """

    name: str | None
    mx_none: bool
    mx_specs: MxSpecs

    def _take(self, mx_specs: Specs, name: str | None) -> None:
        self.name = name
        self.apply_mx_specs(mx_specs)

    def apply_mx_specs(self, mx_specs: Specs) -> None:
        """Takes another specification from here on."""
        mx_assert_test(mx_specs)
        self.mx_none = mx_specs is None
        self.mx_specs = apply_mx_specs(mx_specs)

    def append_name(self, postfix: str) -> None:
        """Adds to the name; TypeError where there is none."""
        if self.name is None:
            raise TypeError("unsupported operand type(s) for +=: 'NoneType' and 'str'")
        self.name += postfix


def returned(ctx: Any, x: torch.Tensor, values: torch.Tensor, inplace: bool) -> torch.Tensor:
    """The values, in x's memory if so asked."""
    if not inplace:
        return values
    ctx.mark_dirty(x)
    return x.copy_(values)


def masked(mask: torch.Tensor, gradient: torch.Tensor) -> torch.Tensor:
    return torch.where(mask, gradient, torch.zeros((), dtype=gradient.dtype, device=gradient.device))
