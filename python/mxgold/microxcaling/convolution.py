"""Convolutions whose operands are quantized in blocks along the axis that is summed. Needs torch. spec S7.7."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence, Union

import torch
from torch.nn import functional, grad

from ._autograd import _as_in_forward, _elementwise, _note
from ._vector import Specified, Specs
from .mx_ops import quantize_mx_op
from .specs import MxSpecs, apply_mx_specs, mx_assert_test

if TYPE_CHECKING:
    from torch.nn.modules.conv import _ConvNd
else:
    _ConvNd = object

__all__ = ["Conv1d", "Conv2d", "Conv3d", "conv1d", "conv2d", "conv3d"]

_Sizes = Union[int, Sequence[int]]


def _blocks(x: torch.Tensor, mx_specs: MxSpecs, format_key: str, axis: int) -> torch.Tensor:
    return quantize_mx_op(x, mx_specs, elem_format=mx_specs[format_key], axes=[axis])


class _Convolution(torch.autograd.Function):
    """input (batch, in, ...), weight (out, in / groups, ...), bias (out), of one to three further dimensions."""

    @staticmethod
    def forward(ctx: Any, input: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None, stride: Any,
                padding: Any, dilation: Any, groups: int, mx_specs: MxSpecs) -> Any:
        _note(ctx, mx_specs)
        assert 1 <= input.ndim - 2 <= 3 and input.shape[1] % groups == 0
        ctx.has_bias = bias is not None
        ctx.keywords = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
        x = _elementwise(input, mx_specs, "round_output")
        w = _elementwise(weight, mx_specs, "round_weight")
        b = None if bias is None else _elementwise(bias, mx_specs, "round_weight")
        ctx.save_for_backward(*((x, w) if mx_specs["quantize_backprop"] else (input, weight)))
        convolve = getattr(functional, f"conv{input.ndim - 2}d")
        output = convolve(_blocks(x, mx_specs, "a_elem_format", 1), _blocks(w, mx_specs, "w_elem_format", 1), b,
                          **ctx.keywords)
        return _elementwise(output, mx_specs, "round_output")

    @staticmethod
    @_as_in_forward
    def backward(ctx: Any, g: torch.Tensor) -> Any:
        (x, w), specs, name = ctx.saved_tensors, ctx.mx_specs, f"conv{g.ndim - 2}d"
        g = _elementwise(g, specs, "round_grad_input")
        weight_gradient = getattr(grad, f"{name}_weight")(
            _blocks(x, specs, "a_elem_format", 0), w.shape, _blocks(g, specs, "a_elem_format", 0), **ctx.keywords)
        input_gradient = getattr(grad, f"{name}_input")(
            x.shape, _blocks(w, specs, "w_elem_format", 0), _blocks(g, specs, "a_elem_format", 1), **ctx.keywords)
        bias_gradient = None
        if ctx.has_bias:
            bias_gradient = _elementwise(g.sum([0, *range(2, g.ndim)]), specs, "round_grad_weight")
        return (_elementwise(input_gradient, specs, "round_grad_input"),
                _elementwise(weight_gradient, specs, "round_grad_weight"), bias_gradient, None, None, None, None, None)


def _convolve(name: str, input: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None, stride: Any,
              padding: Any, dilation: Any, groups: int, mx_specs: Specs) -> torch.Tensor:
    mx_assert_test(mx_specs)
    found: torch.Tensor
    if mx_specs is None:
        found = getattr(functional, name)(input, weight, bias, stride, padding, dilation, groups)
    else:
        found = _Convolution.apply(input, weight, bias, stride, padding, dilation, groups, apply_mx_specs(mx_specs))
    return found


def conv1d(input: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None, stride: _Sizes = 1,
           padding: _Sizes | str = 0, dilation: _Sizes = 1, groups: int = 1, mx_specs: Specs = None,
           name: str | None = None) -> torch.Tensor:
    """torch's conv1d of (batch, in, size) under a specification; torch's own without."""
    return _convolve("conv1d", input, weight, bias, stride, padding, dilation, groups, mx_specs)


def conv2d(input: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None, stride: _Sizes = 1,
           padding: _Sizes | str = 0, dilation: _Sizes = 1, groups: int = 1, mx_specs: Specs = None,
           name: str | None = None) -> torch.Tensor:
    """torch's conv2d of (batch, in, height, width) under a specification; torch's own without."""
    return _convolve("conv2d", input, weight, bias, stride, padding, dilation, groups, mx_specs)


def conv3d(input: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None, stride: _Sizes = 1,
           padding: _Sizes | str = 0, dilation: _Sizes = 1, groups: int = 1, mx_specs: Specs = None,
           name: str | None = None) -> torch.Tensor:
    """torch's conv3d of (batch, in, depth, height, width) under a specification; torch's own without."""
    return _convolve("conv3d", input, weight, bias, stride, padding, dilation, groups, mx_specs)


class _Layer(Specified, _ConvNd):
    """A layer of torch's under a specification; padding is with zeros."""

    def __init__(self, in_channels: int, out_channels: int, kernel_size: _Sizes, stride: _Sizes = 1,
                 padding: _Sizes | str = 0, dilation: _Sizes = 1, groups: int = 1, bias: bool = True,
                 mx_specs: Specs = None, name: str | None = None) -> None:
        initialize: Any = super().__init__  # that of torch's layer, which is the next class
        initialize(in_channels, out_channels, kernel_size, stride=stride, padding=padding, dilation=dilation,
                   groups=groups, bias=bias)
        self._take(mx_specs, name)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """The convolution of inputs (batch, in_channels, ...)."""
        if self.mx_none:
            plain: torch.Tensor = super().forward(inputs)
            return plain
        return _convolve(f"conv{len(self.kernel_size)}d", inputs, self.weight, self.bias, self.stride, self.padding,
                         self.dilation, self.groups, self.mx_specs)


class Conv1d(_Layer, torch.nn.Conv1d):
    """conv1d() as a layer."""


class Conv2d(_Layer, torch.nn.Conv2d):
    """conv2d() as a layer."""


class Conv3d(_Layer, torch.nn.Conv3d):
    """conv3d() as a layer."""
