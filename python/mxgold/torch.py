"""mxgold inside programs of torch: operators that torch.compile sees through, and gradients.

    import mxgold.torch
    y = mxgold.torch.fake_quantize(x, "mxfp8_e4m3", profile="te")     # values rounded, gradients straight through
    codes, scales, level = mxgold.torch.quantize(x, "nvfp4")          # tensors alone, as a graph holds them

mxgold.convert() and mxgold.quantize() take and return tensors, too, and need no import of this module. These are for
graphs: each is one operator (torch.ops.mxgold.*) with a shape function. Tensors of a device are copied to the CPU and
back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Optional, TypeVar

import torch
from torch import Tensor

from . import _formats, _policies, _tensors
from ._convert import convert as _convert
from ._torch import torch_type
from ._dtypes import dtype_of, unsigned_of

if TYPE_CHECKING:
    from ._types import FormatLike, PolicyLike, Settings, Unpack

__all__ = ["convert", "dequantize", "fake_quantize", "quantize"]

_GRADIENTS = ("none", "straight_through", "clipped")


def _type_of(name: str, storage_bytes: int) -> Any:
    """The type of tensors of a format's codes."""
    return torch_type(name) or getattr(torch, unsigned_of(storage_bytes).name)


def _word(number: int) -> int:
    """64 bits as operators hold them, in two's complement."""
    return number - (1 << 64) if number >> 63 else number


@torch.library.custom_op("mxgold::convert", mutates_args=())
def _convert_op(x: Tensor, format: str, policy: str, source: Optional[str], seed: int, tensor_index: int) -> Tensor:
    result: Tensor = _convert(x, format, policy, source=source, seed=seed % (1 << 64), tensor_index=tensor_index)
    return result


@_convert_op.register_fake
def _(x: Tensor, format: str, policy: str, source: Optional[str], seed: int, tensor_index: int) -> Tensor:
    found = _formats.element_format(format)
    return torch.empty(_shape_of(x), dtype=_type_of(found.name, found.storage_bytes), device=x.device)


def _shape_of(x: Tensor) -> list[Any]:
    """The shape of the elements of x: two of a byte of torch.float4_e2m1fn_x2."""
    shape: list[Any] = list(x.shape)
    if str(x.dtype) == "torch.float4_e2m1fn_x2":
        shape[-1] *= 2
    return shape


@torch.library.custom_op("mxgold::quantize", mutates_args=())
def _quantize_op(x: Tensor, format: str, policy: str, axis: int, source: Optional[str], seed: int, tensor_index: int,
                 tensor_scale: Optional[float]) -> tuple[Tensor, Tensor, Tensor]:
    q = _tensors.quantize(x, format, policy, axis=axis, source=source, seed=seed % (1 << 64), tensor_index=tensor_index,
                          tensor_scale=tensor_scale)
    return q.codes, q.scales, torch.tensor(float(q.tensor_scale), dtype=torch.float32, device=x.device)


@_quantize_op.register_fake
def _(x: Tensor, format: str, policy: str, axis: int, source: Optional[str], seed: int, tensor_index: int,
      tensor_scale: Optional[float]) -> tuple[Tensor, Tensor, Tensor]:
    block = _block_of(format, policy)
    shape = _shape_of(x)
    codes = torch.empty(shape, dtype=_type_of(block.element.name, block.element.storage_bytes), device=x.device)
    kind = dtype_of(block.scale, block.scale_bytes)
    scale = block.scale if kind == block.scale_dtype else ""
    scales = torch.empty(block.scales_of(tuple(shape), axis), dtype=_type_of(scale, block.scale_bytes), device=x.device)
    return codes, scales, torch.empty((), dtype=torch.float32, device=x.device)


def _block_of(format: str, policy: str) -> _formats.BlockFormat:
    """The format of blocks, of the size that a policy gives."""
    block = _formats.block_format(format)
    size = _policies.policy(policy).get("block_size")
    return block if size is None else block.resized(int(size))


@torch.library.custom_op("mxgold::dequantize", mutates_args=())
def _dequantize_op(codes: Tensor, scales: Tensor, format: str, policy: str, axis: int, tensor_scale: Optional[float],
                   output: str) -> Tensor:
    result: Tensor = _tensors.dequantize(codes, scales, format, policy, axis=axis, tensor_scale=tensor_scale,
                                         output=output)
    return result


@_dequantize_op.register_fake
def _(codes: Tensor, scales: Tensor, format: str, policy: str, axis: int, tensor_scale: Optional[float],
      output: str) -> Tensor:
    found = _formats.element_format(output)
    return torch.empty(codes.shape, dtype=_type_of(found.name, found.storage_bytes), device=codes.device)


@torch.library.custom_op("mxgold::fake_quantize", mutates_args=())
def _fake_quantize_op(x: Tensor, format: str, policy: str, axis: int, seed: int, tensor_index: int,
                      gradient: str) -> tuple[Tensor, Tensor]:
    """The values, and which of them were clipped (of no elements where the gradient does not ask)."""
    seed %= 1 << 64
    found = _formats.format(format)
    if isinstance(found, _formats.BlockFormat):
        q = _tensors.quantize(x, found, policy, axis=axis, seed=seed, tensor_index=tensor_index)
        codes, values, element = q.code_bits, q.dequantize(x.dtype), q.format.element
    else:
        made = _convert(x, found, policy, seed=seed, tensor_index=tensor_index)
        values, element = _convert(made, x.dtype, source=found), found
        codes = made.view(getattr(torch, unsigned_of(found.storage_bytes).name))
    return values, _clipped(x, codes, values, element) if gradient == "clipped" else x.new_empty(0, dtype=torch.bool)


def _clipped(x: Tensor, codes: Tensor, values: Tensor, element: _formats.ElementFormat) -> Tensor:
    """Where the code is the largest of its sign, and the value lies within x."""
    magnitudes = codes.to(torch.int64) & ((1 << (element.bits - 1)) - 1)
    return (magnitudes == element.max_code) & (x.abs() > values.abs())


@_fake_quantize_op.register_fake
def _(x: Tensor, format: str, policy: str, axis: int, seed: int, tensor_index: int,
      gradient: str) -> tuple[Tensor, Tensor]:
    clipped = torch.empty(x.shape if gradient == "clipped" else (0,), dtype=torch.bool, device=x.device)
    return torch.empty(x.shape, dtype=x.dtype, device=x.device), clipped


def _save(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
    ctx.gradient = inputs[-1]
    ctx.save_for_backward(output[1])


def _backward(ctx: Any, of_values: Tensor, _: Any) -> tuple[Any, ...]:
    of_x: Any = None
    if ctx.gradient != "none":
        of_x = of_values.masked_fill(ctx.saved_tensors[0], 0) if ctx.gradient == "clipped" else of_values
    return of_x, None, None, None, None, None, None


_fake_quantize_op.register_autograd(_backward, setup_context=_save)


CallableT = TypeVar("CallableT", bound=Callable[..., str])


def _once(function: CallableT) -> CallableT:
    """What names mean is found once, when a graph is made."""
    decorate: Any = torch.compiler.assume_constant_result
    found: CallableT = decorate(function)
    return found


@_once
def _text(policy: PolicyLike, settings: tuple[tuple[str, Any], ...]) -> str:
    return str(_policies.policy(_policies.key_of(policy, dict(settings))))


@_once
def _name(format: FormatLike) -> str:
    return str(_formats.format(format))


@_once
def _element(format: FormatLike) -> str:
    return str(_formats.element_format(format))


@_once
def _block(format: FormatLike) -> str:
    return str(_formats.block_format(format))


def convert(x: Tensor, format: FormatLike, policy: PolicyLike = "", *, source: FormatLike | None = None, seed: int = 0,
            tensor_index: int = 0, **settings: Unpack[Settings]) -> Tensor:
    """mxgold.convert() of a tensor, as the operator torch.ops.mxgold.convert.

    x, format, policy, source, seed, tensor_index, settings: as there. Returns a tensor of codes of the shape of x.

    >>> mxgold.torch.convert(torch.tensor([1.0625]), "e4m3fn", rounding="RNE").dtype
    torch.float8_e4m3fn
    """
    name = None if source is None else _element(source)
    result: Tensor = torch.ops.mxgold.convert(x, _element(format), _text(policy, tuple(settings.items())), name,
                                              _word(seed), tensor_index)
    return result


def quantize(x: Tensor, format: FormatLike, policy: PolicyLike = "", *, axis: int = -1,
             source: FormatLike | None = None, seed: int = 0, tensor_index: int = 0, tensor_scale: float | None = None,
             **settings: Unpack[Settings]) -> tuple[Tensor, Tensor, Tensor]:
    """mxgold.quantize() of a tensor, as the operator torch.ops.mxgold.quantize.

    x, format, policy, axis, source, seed, tensor_index, tensor_scale, settings: as there.

    Returns (codes, scales, scale of the whole tensor): the last is float32 without dimensions, 1 where the format has one
    level.
    """
    name = None if source is None else _element(source)
    result: tuple[Tensor, Tensor, Tensor] = torch.ops.mxgold.quantize(
        x, _block(format), _text(policy, tuple(settings.items())), axis, name, _word(seed), tensor_index, tensor_scale)
    return result


def dequantize(codes: Tensor, scales: Tensor, format: FormatLike, policy: PolicyLike = "", *, axis: int = -1,
               tensor_scale: float | None = None, output: FormatLike = "fp32", **settings: Unpack[Settings]) -> Tensor:
    """mxgold.dequantize() of tensors, as the operator torch.ops.mxgold.dequantize.

    codes, scales, format, policy, axis, tensor_scale, output, settings: as there. Returns a tensor of the shape of codes.
    """
    result: Tensor = torch.ops.mxgold.dequantize(codes, scales, _block(format),
                                                 _text(policy, tuple(settings.items())), axis, tensor_scale,
                                                 _element(output))
    return result


def fake_quantize(x: Tensor, format: FormatLike, policy: PolicyLike = "", *, axis: int = -1, seed: int = 0,
                  tensor_index: int = 0, gradient: str = "straight_through", **settings: Unpack[Settings]) -> Tensor:
    """x rounded to a format and back: what a network sees whose tensors are quantized.

    x: a tensor of float32, float64, float16 or bfloat16. Values that its type cannot hold are rounded to it.
    format: a format of blocks or of single values. policy, axis, seed, tensor_index, settings: as for mxgold.quantize();
        the axis is that of blocks.
    gradient: "straight_through" (as if nothing had been rounded), "clipped" (the same, but zero where the element became
        the largest of the format and lost magnitude), or "none" (zero everywhere).

    Returns a tensor of the type and shape of x. ValueError for another gradient.

    >>> mxgold.torch.fake_quantize(torch.tensor([480.0, 1.0]), "mxfp8_e4m3")
    tensor([448.,   1.])
    """
    if gradient not in _GRADIENTS:
        raise ValueError(f"gradient {gradient!r} is none of {', '.join(_GRADIENTS)}")
    values: Tensor = torch.ops.mxgold.fake_quantize(x, _name(format), _text(policy, tuple(settings.items())), axis,
                                                    _word(seed), tensor_index, gradient)[0]
    return values
