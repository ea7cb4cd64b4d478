"""Operations with their gradients: which tensor takes which key of a specification (spec S7.5). Needs torch.

Backward passes run in the mode that was in force in the forward pass.
"""

from __future__ import annotations

import contextlib
import functools
import math
from typing import Any, Callable, Iterator, Mapping

import torch

from .._mode import mode as in_mode
from .._mode import setting
from .elemwise_ops import quantize_elemwise_op
from .formats import ElemFormat
from .mx_ops import quantize_mx_op
from .specs import MxSpecs, get_backwards_mx_specs
from .vector_ops import (vec_add, vec_div, vec_exp, vec_mul, vec_quantize, vec_reduce_sum, vec_sqrt, vec_sub)

_NARROW = {ElemFormat.int4, ElemFormat.int2, ElemFormat.fp6_e3m2, ElemFormat.fp6_e2m3, ElemFormat.fp4}


def _as_in_forward(backward: Callable[..., Any]) -> Callable[..., Any]:
    """Runs a backward pass in the mode that its forward pass noted."""
    @functools.wraps(backward)
    def run(ctx: Any, *gradients: Any) -> Any:
        with in_mode(*ctx.setting):
            return backward(ctx, *gradients)
    return run


def _note(ctx: Any, mx_specs: MxSpecs, mode: str | None = None) -> None:
    ctx.setting = setting(mode)
    ctx.mx_specs = get_backwards_mx_specs(mx_specs)


def _elementwise(x: torch.Tensor, mx_specs: Mapping[str, Any], key: str) -> torch.Tensor:
    return quantize_elemwise_op(x, mx_specs=mx_specs, round=mx_specs[key])


def _blocks(x: torch.Tensor, mx_specs: Mapping[str, Any], format_key: str, axis: int, round_key: str) -> torch.Tensor:
    return quantize_mx_op(x, mx_specs, elem_format=mx_specs[format_key], axes=[axis], round=mx_specs[round_key])


@contextlib.contextmanager
def _precision(a: torch.Tensor, b: torch.Tensor, a_format: Any, b_format: Any) -> Iterator[None]:
    """On CUDA products of formats that bfloat16 holds may run in bfloat16; sums stay wide."""
    both = [ElemFormat.from_str(name) if isinstance(name, str) else name for name in (a_format, b_format)]
    if not (a.is_cuda and b.is_cuda and torch.cuda.is_bf16_supported() and all(name in _NARROW for name in both)):
        yield
        return
    flags = torch.backends.cuda.matmul
    before = torch.get_float32_matmul_precision(), flags.allow_bf16_reduced_precision_reduction
    flags.allow_bf16_reduced_precision_reduction = False
    torch.set_float32_matmul_precision("medium")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before[0])
        flags.allow_bf16_reduced_precision_reduction = before[1]


class QuantizeBfloatFunction(torch.autograd.Function):
    """Rounds in both directions."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, mx_specs: MxSpecs, round: str, mode: str | None = None) -> Any:
        _note(ctx, mx_specs, mode)
        ctx.round = round
        with in_mode(*ctx.setting):
            return quantize_elemwise_op(x, mx_specs=mx_specs, round=round)

    @staticmethod
    @_as_in_forward
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        return quantize_elemwise_op(gradient, mx_specs=ctx.mx_specs, round=ctx.round), None, None, None


class LinearFunction(torch.autograd.Function):
    """input (..., in), weight (out, in), bias (out): blocks along `in`, in the backward pass along what is summed."""

    @staticmethod
    def forward(ctx: Any, input: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None, mx_specs: MxSpecs,
                prequantized_weights: bool, name: str | None) -> Any:
        _note(ctx, mx_specs)
        ctx.prequantized_weights, ctx.has_bias, ctx.name = prequantized_weights, bias is not None, name
        x = _elementwise(input, mx_specs, "round_output")
        if prequantized_weights:
            assert weight.dtype == torch.bfloat16
            assert bias is None or bias.dtype == torch.bfloat16
            w, b = weight, bias
        else:
            w = _elementwise(weight, mx_specs, "round_weight")
            b = None if bias is None else _elementwise(bias, mx_specs, "round_weight")
        ctx.save_for_backward(*((x, w) if mx_specs["quantize_backprop"] else (input, weight)))
        x = _blocks(x, mx_specs, "a_elem_format", -1, "round_mx_output")
        w = _blocks(w, mx_specs, "w_elem_format", -1, "round_mx_output")
        if w.dtype == torch.bfloat16 != x.dtype:
            w = w.to(x.dtype)
        with _precision(x, w, mx_specs["a_elem_format"], mx_specs["w_elem_format"]):
            output = torch.nn.functional.linear(x, w)
        output = _elementwise(output, mx_specs, "round_output")
        return output if b is None else _elementwise(output + b, mx_specs, "round_output")

    @staticmethod
    @_as_in_forward
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        assert not ctx.prequantized_weights, "Cannot use prequantized weights when training!"
        x, w = ctx.saved_tensors
        specs, (out_features, in_features) = ctx.mx_specs, w.shape
        g = _elementwise(gradient, specs, "round_grad_input")

        x_for_w = _blocks(x, specs, "a_elem_format_bp", -2, "round_mx_input_grad_weight").reshape(-1, in_features)
        g_for_w = _blocks(g, specs, "a_elem_format_bp_ex", -2, "round_mx_grad_output_grad_weight")
        g_for_w = g_for_w.reshape(-1, out_features)
        with _precision(g_for_w, x_for_w, specs["a_elem_format_bp_ex"], specs["a_elem_format_bp"]):
            w_gradient = torch.matmul(g_for_w.transpose(0, 1), x_for_w)
        w_gradient = _elementwise(w_gradient, specs, "round_grad_weight")

        w_for_x = _blocks(w, specs, "w_elem_format_bp", 0, "round_mx_weight_grad_input")
        g_for_x = _blocks(g, specs, "a_elem_format_bp_os", -1, "round_mx_grad_output_grad_input")
        with _precision(g_for_x, w_for_x, specs["a_elem_format_bp_os"], specs["w_elem_format_bp"]):
            x_gradient = torch.matmul(g_for_x, w_for_x)
        x_gradient = _elementwise(x_gradient, specs, "round_grad_input")

        b_gradient = None
        if ctx.has_bias:
            b_gradient = _elementwise(g.reshape(-1, out_features).sum(0), specs, "round_grad_weight")
        return x_gradient, w_gradient, b_gradient, None, None, None


class MatMulFunction(torch.autograd.Function):
    """in1 (..., m, k), in2 (..., k, n): blocks along k, in the backward pass along what is summed. `modes`: for each
    operand "a" or "w", whose formats it takes; `product`: torch.matmul or torch.bmm."""

    @staticmethod
    def forward(ctx: Any, in1: torch.Tensor, in2: torch.Tensor, bias: torch.Tensor | None, mx_specs: MxSpecs,
                modes: str, product: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> Any:
        assert modes in ("aa", "aw", "wa")
        _note(ctx, mx_specs)
        ctx.modes, ctx.product = modes, product
        ctx.bias_shape = None if bias is None else list(bias.shape)
        x1, x2 = (_elementwise(x, mx_specs, "round_output") for x in (in1, in2))
        b = None if bias is None else _elementwise(bias, mx_specs, "round_weight")
        ctx.save_for_backward(*((x1, x2) if mx_specs["quantize_backprop"] else (in1, in2)))
        keys = [f"{letter}_elem_format" for letter in modes]
        x1 = _blocks(x1, mx_specs, keys[0], -1, "round_mx_output")
        x2 = _blocks(x2, mx_specs, keys[1], -2, "round_mx_output")
        with _precision(x1, x2, mx_specs[keys[0]], mx_specs[keys[1]]):
            output = product(x1, x2)
        output = _elementwise(output, mx_specs, "round_output")
        return output if b is None else _elementwise(output + b, mx_specs, "round_output")

    @staticmethod
    @_as_in_forward
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        specs, (x1, x2) = ctx.mx_specs, ctx.saved_tensors
        keys = [f"{letter}_elem_format_bp" for letter in ctx.modes]
        output_key, output_round = "a_elem_format_bp_os", "round_mx_grad_output_grad_input"
        g = _elementwise(gradient, specs, "round_grad_input")
        x1 = _blocks(x1, specs, keys[0], -2, "round_mx_input_grad_input")
        x2 = _blocks(x2, specs, keys[1], -1, "round_mx_input_grad_input")
        g_for_1 = _blocks(g, specs, output_key, -1, output_round)
        g_for_2 = _blocks(g, specs, output_key, -2, output_round)
        with _precision(g_for_1, x2, specs[output_key], specs[keys[1]]):
            gradient_1 = ctx.product(g_for_1, x2.transpose(-1, -2))
        with _precision(x1, g_for_2, specs[keys[0]], specs[output_key]):
            gradient_2 = ctx.product(x1.transpose(-1, -2), g_for_2)
        gradient_b = None
        if ctx.bias_shape is not None:
            assert math.prod(ctx.bias_shape) == g.shape[-1]
            gradient_b = g.reshape(-1, g.shape[-1]).sum(0).reshape(ctx.bias_shape)
            gradient_b = _elementwise(gradient_b, specs, "round_grad_weight")
        return (_elementwise(gradient_1, specs, "round_grad_input"),
                _elementwise(gradient_2, specs, "round_grad_input"), gradient_b, None, None, None)


def _to_shape(gradient: torch.Tensor, shape: list[int], mx_specs: MxSpecs) -> torch.Tensor:
    """The gradient of a broadcast: the sum over the axes that it added or widened, rounded before and after."""
    if list(gradient.shape) == shape:
        return gradient
    added = gradient.ndim - len(shape)
    assert added >= 0
    summed = list(range(added))
    for axis, size in enumerate(shape):
        if size == 1 != gradient.shape[added + axis]:
            summed.append(added + axis)
        elif size != gradient.shape[added + axis]:
            raise ValueError(f"a gradient of {list(gradient.shape)} is not that of a broadcast of {shape}")
    if summed:
        gradient = vec_quantize(torch.sum(vec_quantize(gradient, mx_specs), dim=summed), mx_specs)
    return gradient.view(shape)


class _Binary(torch.autograd.Function):
    """A tensor and a tensor or number, each rounded, combined and rounded. `kind`: add, sub, mul, div."""

    @staticmethod
    def forward(ctx: Any, in1: torch.Tensor, in2: Any, kind: str, mx_specs: MxSpecs) -> Any:
        assert isinstance(in1, torch.Tensor)
        _note(ctx, mx_specs)
        ctx.kind, ctx.shapes, ctx.constant = kind, [list(in1.shape)], None
        x1, x2 = vec_quantize(in1, mx_specs), in2
        if isinstance(in2, torch.Tensor):
            ctx.shapes.append(list(in2.shape))
            x2 = vec_quantize(in2, mx_specs)
        else:
            ctx.constant = in2
        output = {"add": vec_add, "sub": vec_sub, "mul": vec_mul, "div": vec_div}[kind](x1, x2, mx_specs=mx_specs)
        if kind in ("mul", "div"):
            kept = (x1, x2) if mx_specs["quantize_backprop"] else (in1, in2)
            first = output if kind == "div" and ctx.constant is None else kept[0]
            ctx.save_for_backward(*((first,) if ctx.constant is not None else (first, kept[1])))
        return output

    @staticmethod
    @_as_in_forward
    def backward(ctx: Any, g: torch.Tensor) -> Any:
        specs = ctx.mx_specs
        if ctx.kind == "sub":
            if ctx.constant is not None:
                return g, None, None, None
            first, second = g, vec_quantize(-g, specs)
        else:
            g = vec_quantize(g, specs)
            if ctx.kind == "add":
                first = second = g
            elif ctx.constant is not None:
                first = (vec_mul if ctx.kind == "mul" else vec_div)(g, ctx.constant, mx_specs=specs)
            else:
                a, b = ctx.saved_tensors
                if ctx.kind == "mul":
                    first, second = vec_mul(g, b, mx_specs=specs), vec_mul(g, a, mx_specs=specs)
                else:
                    first = vec_div(g, b, mx_specs=specs)
                    second = vec_mul(g, vec_div(-a, b, mx_specs=specs), mx_specs=specs)
        if ctx.constant is not None:
            return first, None, None, None
        return _to_shape(first, ctx.shapes[0], specs), _to_shape(second, ctx.shapes[1], specs), None, None


class _Unary(torch.autograd.Function):
    """A rounded function of a rounded tensor. `kind`: square, sqrt, exp, log."""

    @staticmethod
    def forward(ctx: Any, in1: torch.Tensor, kind: str, mx_specs: MxSpecs) -> Any:
        _note(ctx, mx_specs)
        ctx.kind = kind
        x = vec_quantize(in1, mx_specs)
        if kind == "square":
            output = vec_quantize(x**2, mx_specs)
        elif kind == "log":
            output = vec_quantize(torch.log(x), mx_specs)
        else:
            output = (vec_sqrt if kind == "sqrt" else vec_exp)(x, mx_specs=mx_specs)
        kept = x if mx_specs["quantize_backprop"] else in1
        ctx.save_for_backward(output if kind in ("sqrt", "exp") else kept)
        return output

    @staticmethod
    @_as_in_forward
    def backward(ctx: Any, g: torch.Tensor) -> Any:
        specs, (kept,) = ctx.mx_specs, ctx.saved_tensors
        g = vec_quantize(g, specs)
        if ctx.kind == "square":
            g = vec_mul(g, vec_mul(kept, 2, mx_specs=specs), mx_specs=specs)
        elif ctx.kind == "sqrt":
            g = vec_div(vec_mul(g, 0.5, mx_specs=specs), kept, mx_specs=specs)
        else:
            g = (vec_mul if ctx.kind == "exp" else vec_div)(g, kept, mx_specs=specs)
        return g, None, None


class _Split(torch.autograd.Function):
    """Two copies; their gradients are rounded, added and rounded."""

    @staticmethod
    def forward(ctx: Any, in1: torch.Tensor, mx_specs: MxSpecs) -> Any:
        _note(ctx, mx_specs)
        ctx.set_materialize_grads(False)
        return in1.clone(), in1.clone()

    @staticmethod
    @_as_in_forward
    def backward(ctx: Any, g1: torch.Tensor | None, g2: torch.Tensor | None) -> Any:
        if g1 is None or g2 is None:
            return g2 if g1 is None else g1, None
        specs = ctx.mx_specs
        return vec_add(vec_quantize(g1, specs), vec_quantize(g2, specs), mx_specs=specs), None


class _ReduceSum(torch.autograd.Function):
    """The sum over axes; its gradient is rounded and repeated."""

    @staticmethod
    def forward(ctx: Any, in1: torch.Tensor, dim: Any, keepdim: bool, mx_specs: MxSpecs) -> Any:
        _note(ctx, mx_specs)
        ctx.dim = [dim] if type(dim) is int else list(dim)
        ctx.keepdim, ctx.shape = keepdim, in1.shape
        return vec_reduce_sum(vec_quantize(in1, mx_specs), ctx.dim, keepdim=keepdim, mx_specs=mx_specs)

    @staticmethod
    @_as_in_forward
    def backward(ctx: Any, g: torch.Tensor) -> Any:
        g = vec_quantize(g, ctx.mx_specs)
        if not ctx.keepdim:
            for axis in sorted(axis % len(ctx.shape) for axis in ctx.dim):
                g = g.unsqueeze(axis)
        return g.expand(ctx.shape), None, None, None
