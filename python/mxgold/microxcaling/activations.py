"""Activations whose every operation is rounded to the bfloat or fp format of a specification; torch's own without one.
Gradients are of the rounded results and rounded, too. Needs torch. spec S7.6.

Functions take torch tensors of any shape; `inplace` writes into the input. Layers take the same arguments when made.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F

from ._autograd import _as_in_forward, _note
from ._vector import Specified, Specs, Vector, masked, returned
from .specs import MxSpecs, apply_mx_specs, mx_assert_test

__all__ = ["GELU", "LeakyReLU", "ReLU", "ReLU6", "SiLU", "Sigmoid", "Tanh", "gelu", "leaky_relu", "relu", "relu6",
           "sigmoid", "silu", "tanh"]


class _Sigmoid(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, mx_specs: MxSpecs) -> Any:
        _note(ctx, mx_specs)
        v = Vector(mx_specs)
        output = v.sigmoid(v.quantize(x))
        ctx.save_for_backward(output)
        return output

    @staticmethod
    @_as_in_forward
    def backward(ctx: Any, g: torch.Tensor) -> Any:
        v, (y,) = Vector(ctx.mx_specs), ctx.saved_tensors
        g = v.quantize(g)
        return v.mul(v.mul(y, v.sub(1, y)), g), None


class _Tanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, mx_specs: MxSpecs) -> Any:
        _note(ctx, mx_specs)
        v = Vector(mx_specs)
        output = v.tanh(v.quantize(x))
        ctx.save_for_backward(output)
        return output

    @staticmethod
    @_as_in_forward
    def backward(ctx: Any, g: torch.Tensor) -> Any:
        v, (y,) = Vector(ctx.mx_specs), ctx.saved_tensors
        g = v.quantize(g)
        return v.mul(v.sub(1, v.mul(y, y)), g), None


class _Clipped(torch.autograd.Function):
    """relu, and relu6 with the limit 6: a selection, rounded afterwards."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, inplace: bool, limit: float | None, mx_specs: MxSpecs) -> Any:
        _note(ctx, mx_specs)
        plain = torch.relu(x) if limit is None else F.relu6(x)
        output = returned(ctx, x, Vector(mx_specs).quantize(plain), inplace)
        mask = output > 0
        ctx.save_for_backward(mask if limit is None else mask & (output < limit))
        return output

    @staticmethod
    @_as_in_forward
    def backward(ctx: Any, g: torch.Tensor) -> Any:
        return Vector(ctx.mx_specs).quantize(masked(ctx.saved_tensors[0], g)), None, None, None


class _LeakyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, negative_slope: float, inplace: bool, mx_specs: MxSpecs) -> Any:
        _note(ctx, mx_specs)
        ctx.negative_slope = negative_slope
        v = Vector(mx_specs)
        values = v.quantize(F.leaky_relu(v.quantize(x), negative_slope=negative_slope))
        output = returned(ctx, x, values, inplace)
        ctx.save_for_backward(output > 0)
        return output

    @staticmethod
    @_as_in_forward
    def backward(ctx: Any, g: torch.Tensor) -> Any:
        v, (mask,) = Vector(ctx.mx_specs), ctx.saved_tensors
        g = v.quantize(g)
        return torch.where(mask, g, v.mul(g, ctx.negative_slope)), None, None, None


class _SiLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, inplace: bool, mx_specs: MxSpecs) -> Any:
        _note(ctx, mx_specs)
        v = Vector(mx_specs)
        q = v.quantize(x)
        s = v.sigmoid(q)
        output = returned(ctx, x, v.mul(q, s), inplace)
        ctx.save_for_backward(output, s)
        return output

    @staticmethod
    @_as_in_forward
    def backward(ctx: Any, g: torch.Tensor) -> Any:
        v, (y, s) = Vector(ctx.mx_specs), ctx.saved_tensors
        g = v.quantize(g)
        return v.mul(v.add(s, v.mul(y, v.sub(1.0, s))), g), None, None


class _GELU(torch.autograd.Function):
    """x * sigmoid(z), z = 1.703125 x (first order) or 1.59375 (x + 0.044677734 x^3): coefficients in bfloat16."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, first_order: bool, mx_specs: MxSpecs) -> Any:
        _note(ctx, mx_specs)
        ctx.first_order = first_order
        v = Vector(mx_specs)
        q = v.quantize(x)
        if first_order:
            z = v.mul(1.703125, q)
        else:
            cube = v.mul(v.mul(q, q), q)
            z = v.mul(1.59375, v.add(v.mul(0.044677734, cube), q))
        phi = v.sigmoid(z)
        ctx.save_for_backward(q if mx_specs["quantize_backprop"] else x, phi)
        return v.mul(q, phi)

    @staticmethod
    @_as_in_forward
    def backward(ctx: Any, g: torch.Tensor) -> Any:
        v, (x, phi) = Vector(ctx.mx_specs), ctx.saved_tensors
        g = v.quantize(g)
        slope = v.mul(phi, v.sub(1, phi))
        if ctx.first_order:
            slope = v.mul(1.703125, slope)
        else:
            slope = v.mul(v.add(1.59375, v.mul(0.21386719, v.mul(x, x))), slope)
        return v.mul(v.add(phi, v.mul(x, slope)), g), None, None


def _specs_of(mx_specs: Specs) -> MxSpecs | None:
    """The whole specification, or None."""
    mx_assert_test(mx_specs)
    return None if mx_specs is None else apply_mx_specs(mx_specs)


def _applied(function: type[torch.autograd.Function], *arguments: Any) -> torch.Tensor:
    found: torch.Tensor = function.apply(*arguments)
    return found


def sigmoid(input: torch.Tensor, mx_specs: Specs = None, name: str | None = None) -> torch.Tensor:
    """1 / (1 + e^-x)."""
    specs = _specs_of(mx_specs)
    return torch.sigmoid(input) if specs is None else _applied(_Sigmoid, input, specs)


def tanh(input: torch.Tensor, mx_specs: Specs = None, name: str | None = None) -> torch.Tensor:
    """The hyperbolic tangent."""
    specs = _specs_of(mx_specs)
    return torch.tanh(input) if specs is None else _applied(_Tanh, input, specs)


def relu(input: torch.Tensor, inplace: bool = False, mx_specs: Specs = None, name: str | None = None) -> torch.Tensor:
    """x where it is positive, else 0."""
    specs = _specs_of(mx_specs)
    return F.relu(input, inplace=inplace) if specs is None else _applied(_Clipped, input, inplace, None, specs)


def relu6(input: torch.Tensor, inplace: bool = False, mx_specs: Specs = None, name: str | None = None) -> torch.Tensor:
    """relu(), at most 6."""
    specs = _specs_of(mx_specs)
    return F.relu6(input, inplace=inplace) if specs is None else _applied(_Clipped, input, inplace, 6, specs)


def leaky_relu(input: torch.Tensor, negative_slope: float = 0.01, inplace: bool = False, mx_specs: Specs = None,
               name: str | None = None) -> torch.Tensor:
    """x where it is positive, else x * negative_slope."""
    specs = _specs_of(mx_specs)
    if specs is None:
        return F.leaky_relu(input, negative_slope=negative_slope, inplace=inplace)
    return _applied(_LeakyReLU, input, negative_slope, inplace, specs)


def silu(input: torch.Tensor, inplace: bool = False, mx_specs: Specs = None, name: str | None = None) -> torch.Tensor:
    """x times its sigmoid."""
    specs = _specs_of(mx_specs)
    return F.silu(input, inplace=inplace) if specs is None else _applied(_SiLU, input, inplace, specs)


def gelu(input: torch.Tensor, mx_specs: Specs = None, first_order_gelu: bool = False, approximate: str | None = None,
         name: str | None = None) -> torch.Tensor:
    """The tanh approximation, or the first-order one; `approximate` is not read."""
    specs = _specs_of(mx_specs)
    if specs is None and not first_order_gelu:
        return F.gelu(input, approximate="tanh")
    return _applied(_GELU, input, first_order_gelu, apply_mx_specs(mx_specs))


class Sigmoid(Specified, torch.nn.Sigmoid):
    """sigmoid() as a layer."""

    def __init__(self, mx_specs: Specs = None, name: str | None = None) -> None:
        super().__init__()
        self._take(mx_specs, name)

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """The function of a tensor of any shape."""
        return sigmoid(input, None if self.mx_none else self.mx_specs)


class Tanh(Specified, torch.nn.Tanh):
    """tanh() as a layer."""

    def __init__(self, mx_specs: Specs = None, name: str | None = None) -> None:
        super().__init__()
        self._take(mx_specs, name)

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """The function of a tensor of any shape."""
        return tanh(input, None if self.mx_none else self.mx_specs)


class ReLU(Specified, torch.nn.ReLU):
    """relu() as a layer."""

    def __init__(self, inplace: bool = False, mx_specs: Specs = None, name: str | None = None) -> None:
        super().__init__(inplace=inplace)
        self._take(mx_specs, name)

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """The function of a tensor of any shape."""
        return relu(input, self.inplace, None if self.mx_none else self.mx_specs)


class ReLU6(Specified, torch.nn.ReLU6):
    """relu6() as a layer."""

    def __init__(self, inplace: bool = False, mx_specs: Specs = None, name: str | None = None) -> None:
        super().__init__(inplace=inplace)
        self._take(mx_specs, name)

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """The function of a tensor of any shape."""
        return relu6(input, self.inplace, None if self.mx_none else self.mx_specs)


class LeakyReLU(Specified, torch.nn.LeakyReLU):
    """leaky_relu() as a layer."""

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False, mx_specs: Specs = None,
                 name: str | None = None) -> None:
        super().__init__(negative_slope=negative_slope, inplace=inplace)
        self._take(mx_specs, name)

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """The function of a tensor of any shape."""
        return leaky_relu(input, self.negative_slope, self.inplace, None if self.mx_none else self.mx_specs)


class SiLU(Specified, torch.nn.SiLU):
    """silu() as a layer."""

    def __init__(self, inplace: bool = False, mx_specs: Specs = None, name: str | None = None) -> None:
        super().__init__(inplace=inplace)
        self._take(mx_specs, name)

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """The function of a tensor of any shape."""
        return silu(input, self.inplace, None if self.mx_none else self.mx_specs)


class GELU(Specified, torch.nn.GELU):
    """gelu() as a layer."""

    def __init__(self, mx_specs: Specs = None, first_order_gelu: bool = False, approximate: str | None = None,
                 name: str | None = None) -> None:
        super().__init__(approximate="tanh")
        self._take(mx_specs, name)
        self.first_order_gelu: bool = first_order_gelu

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """The function of a tensor of any shape."""
        return gelu(input, None if self.mx_none else self.mx_specs, self.first_order_gelu)
