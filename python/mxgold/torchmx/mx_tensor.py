"""MX blocks: quantization, its inverse, and tensors of codes that know their scales. spec S6.2 to S6.4.

Scale bytes are E8M0: 2^(byte - 127), FF is NaN; there are no zeros and no infinities. float4_e2m1 has two codes a
byte, the even index in the high nibble; six-bit codes lie in the low bits of a byte each.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Union, overload

import numpy

from .._arrays import is_torch
from . import _calls, _sizes, dtypes
from ._calls import mode_of

if TYPE_CHECKING:
    from .._types import Array, DTypeLike, Tensor, TensorT
    from ._torch import MXTensor as _TorchMXTensor

    #: An MXTensor of arrays, or of torch tensors.
    AnyMXTensor = Union["MXTensor", _TorchMXTensor]

__all__ = ["FromMXConstrFunc", "MXTensor", "NoopFwToMXBw", "ToMXConstrFunc", "dequantize_mx", "quantize_mx"]


def _torch_side() -> Any:
    from . import _torch

    return _torch


@overload
def quantize_mx(data_hp: TensorT, elem_dtype_name: str, block_size: int, *,
                mode: str | None = ...) -> tuple[TensorT, TensorT]: ...
@overload
def quantize_mx(data_hp: Array, elem_dtype_name: str, block_size: int, *,
                mode: str | None = ...) -> tuple[Array, Array]: ...
def quantize_mx(data_hp: Any, elem_dtype_name: str, block_size: int, *, mode: str | None = None) -> tuple[Any, Any]:
    """(scale, data): bfloat16 values in blocks along the last dimension as scale bytes and codes.

    data_hp: bfloat16, (..., n), n a multiple of `block_size`; torch tensors contiguous in compat. elem_dtype_name: a
    name of dtypes.SUPPORTED_ELEM_DTYPES. scale: uint8, (..., n / block_size). data: uint8 (int8: int8), (..., n);
    float4_e2m1 (..., n / 2).

    KeyError for another name, AssertionError for another type, an n that is no multiple, and in compat for FP4 with
    an odd n. The path is that of env_variables.MX_EXACT_QUANTIZATION.
    """
    if is_torch(data_hp):
        found: tuple[Any, Any] = _torch_side().quantize_mx(data_hp, elem_dtype_name, block_size, mode_of(mode))
        return found
    if elem_dtype_name not in dtypes.STR_TO_SUPPORTED_ELEM_DTYPE:
        raise KeyError(elem_dtype_name)
    text = f"quantize_mx(elem_dtype={elem_dtype_name}, block_size={block_size}, path={_calls.path()}, values=none)"
    results = _calls.apply(text, data_hp, mode)
    return results["scale"], results["data"]


@overload
def dequantize_mx(data_lp: TensorT, shared_exp_e8m0: Tensor, elem_dtype_name: str, block_size: int,
                  target_dtype: DTypeLike, block_dim: int, *, mode: str | None = ...) -> TensorT: ...
@overload
def dequantize_mx(data_lp: Array, shared_exp_e8m0: Array, elem_dtype_name: str, block_size: int,
                  target_dtype: DTypeLike, block_dim: int, *, mode: str | None = ...) -> Array: ...
def dequantize_mx(data_lp: Any, shared_exp_e8m0: Any, elem_dtype_name: str, block_size: int, target_dtype: DTypeLike,
                  block_dim: int, *, mode: str | None = None) -> Any:
    """The values of codes under scale bytes, in `target_dtype`, in the shape of the (unpacked) codes.

    data_lp, shared_exp_e8m0: as quantize_mx returns them, blocks along `block_dim`. target_dtype: bfloat16, float32,
    float16 or float64, as a type of torch or NumPy or by name.

    KeyError for another element type, AssertionError for data that is not uint8 (int8 for int8), IndexError for a
    dimension that is not there, RuntimeError where shapes do not fit; strict: ValueError for codes with bits above
    the element's.
    """
    if is_torch(data_lp):
        return _torch_side().dequantize_mx(data_lp, shared_exp_e8m0, elem_dtype_name, block_size, target_dtype,
                                           block_dim, mode_of(mode))
    if elem_dtype_name not in dtypes.STR_TO_SUPPORTED_ELEM_DTYPE:
        raise KeyError(elem_dtype_name)
    text = (f"dequantize_mx(elem_dtype={elem_dtype_name}, block_size={block_size}, "
            f"target_dtype={_calls.target_name(target_dtype)}, block_dim={block_dim})")
    return _calls.apply(text, numpy.asarray(data_lp), mode, scale=numpy.asarray(shared_exp_e8m0))["values"]


class _Kind(type):
    """MXTensor(...) of torch tensors is a torch.Tensor of its own class, which counts as an MXTensor."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        data = args[1] if len(args) > 1 else kwargs.get("data_bits")
        if is_torch(data):
            return _torch_side().MXTensor(*args, **kwargs)
        return super().__call__(*args, **kwargs)

    def __instancecheck__(cls, instance: object) -> bool:
        side = sys.modules.get(__package__ + "._torch")
        return super().__instancecheck__(instance) or (side is not None and isinstance(instance, side.MXTensor))


class MXTensor(metaclass=_Kind):
    """Codes and scale bytes of a tensor, in blocks along one dimension.

    scale_e8m0_bits: uint8. data_bits: uint8 or int8, as quantize_mx() returns them. elem_dtype: an element type.
    block_size: elements of a block. orig_dtype: the type that operators compute in. padding: elements that the last
    block lacks. block_dim: the dimension of the blocks, None the last.

    Of torch tensors it is a torch.Tensor, with the operators linear, mm, matmul, bmm, addmm, sum (on the values in
    the original type) and t, transpose, view, expand, detach, to(float16 or bfloat16). Of NumPy arrays it has t,
    transpose, view, expand, sum, to_dtype; products are in mxgold.torchmx.ops.

    AssertionError for other types, IndexError for a dimension that is not there; strict: ValueError where numbers of
    scales and codes do not fit.
    """

    def __init__(self, scale_e8m0_bits: Any, data_bits: Any, elem_dtype: dtypes.DType, block_size: int, orig_dtype: Any,
                 padding: int = 0, block_dim: int | None = None, *, mode: str | None = None) -> None:
        self._mode = mode_of(mode)
        scale, data = numpy.asarray(scale_e8m0_bits), numpy.asarray(data_bits)
        block_dim = _sizes.front_dim(block_dim, data.ndim)
        _sizes.check_parts(scale.dtype.name, data.dtype.name, elem_dtype)
        self.shape: tuple[int, ...] = tuple(_sizes.hp_shape(scale.shape, data.shape, elem_dtype, block_size, padding,
                                                            block_dim, self._mode))
        self._scale_e8m0: Array = scale
        self._data: Array = data
        self._elem_dtype, self._block_size, self._orig_dtype = elem_dtype, block_size, orig_dtype
        self._block_dim, self._padding = block_dim, padding

    @overload
    @staticmethod
    def to_mx(data_hp: Tensor, elem_dtype: dtypes.DType, block_size: int = ..., *,
              mode: str | None = ...) -> _TorchMXTensor: ...
    @overload
    @staticmethod
    def to_mx(data_hp: Array, elem_dtype: dtypes.DType, block_size: int = ..., *,
              mode: str | None = ...) -> MXTensor: ...
    @staticmethod
    def to_mx(data_hp: Any, elem_dtype: dtypes.DType, block_size: int = 32, *, mode: str | None = None) -> Any:
        """The MXTensor of bfloat16 values, padded with zeros to whole blocks along the last dimension.

        data_hp: bfloat16 of any shape but (). compat: AssertionError where an odd block size needs padding. torch:
        the gradient passes through unchanged.
        """
        return ToMXConstrFunc.apply(data_hp, elem_dtype, block_size, mode)

    def to_dtype(self, target_dtype: DTypeLike) -> Array:
        """The values in bfloat16, float32, float16 or float64, without the padding.

        torch: the gradient passes through unchanged; compat: its backward raises ValueError for padded float4_e2m1.
        """
        values: Array = FromMXConstrFunc.apply(self, target_dtype)
        return values

    def __repr__(self) -> str:
        padding = f", padding: {self._padding}" if self._padding > 0 else ""
        return (f"MXTensor: _elem_dtype: {self._elem_dtype}, _scale_e8m0: {self._scale_e8m0}, _data: {self._data}, "
                f"d_hp: {self.to_dtype(self._orig_dtype)}{padding}")

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    def dim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    def _with(self, scale: Array, data: Array, block_dim: int) -> MXTensor:
        return MXTensor(scale, data, self._elem_dtype, self._block_size, self._orig_dtype, self._padding, block_dim,
                        mode=self._mode)

    def t(self) -> MXTensor:
        """Both dimensions swapped; AssertionError for blocks along a third."""
        if self._block_dim > 1:
            raise AssertionError("the block dimension must be one of the first two")
        if self.ndim > 2:
            raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {self.ndim}D")
        if self.ndim == 1 and self._mode == "strict":
            return self
        return self._with(self._scale_e8m0.T, self._data.T, 1 - self._block_dim)

    def transpose(self, dim0: int, dim1: int) -> MXTensor:
        """Two dimensions swapped; in compat blocks stay behind where a dimension is negative."""
        return self._with(self._scale_e8m0.swapaxes(dim0, dim1), self._data.swapaxes(dim0, dim1),
                          _sizes.transposed_dim(self, dim0, dim1))

    def view(self, *size: Any) -> MXTensor:
        """Another shape of the same values: AssertionError unless blocks lie along the last dimension, or the second
        last of four, and for padded tensors as one dimension."""
        data, scale, block_dim = _sizes.view(self, _listed(size))
        return self._with(_reshaped(self._scale_e8m0, scale), _reshaped(self._data, data), block_dim)

    def expand(self, *size: Any) -> MXTensor:
        """Dimensions of size 1 repeated; -1 keeps a size."""
        data, scale, block_dim = _sizes.expand(self, _listed(size))
        return self._with(_expanded(self._scale_e8m0, scale), _expanded(self._data, data), block_dim)

    def detach(self) -> MXTensor:
        """The same codes and scales."""
        return self._with(self._scale_e8m0, self._data, self._block_dim)

    def sum(self, dim: int | tuple[int, ...], keepdim: bool = False) -> Array:
        """Sums of values along a dimension or several, rounded once to the original type."""
        from .ops import _rounded, _wide

        return _rounded(_wide(self).sum(axis=dim, keepdims=keepdim), self._orig_dtype)


def _listed(size: Any) -> list[int]:
    return list(size[0]) if len(size) == 1 and not isinstance(size[0], int) else list(size)


def _reshaped(array: Array, sizes: list[int]) -> Array:
    try:
        return array.reshape(sizes)
    except ValueError:
        raise RuntimeError(f"shape '{sizes}' is invalid for input of size {array.size}") from None


def _expanded(array: Array, sizes: list[int]) -> Array:
    own = (1,) * (len(sizes) - array.ndim) + array.shape
    try:
        return numpy.broadcast_to(array, [old if new == -1 else new for old, new in zip(own, sizes)])
    except ValueError:
        raise RuntimeError(f"{list(array.shape)} cannot be expanded to {sizes}") from None


class ToMXConstrFunc:
    """The cast to MX. apply(data_hp, elem_dtype, block_size) is MXTensor.to_mx; its gradient passes through."""

    @staticmethod
    def apply(data_hp: Any, elem_dtype: dtypes.DType, block_size: int, mode: str | None = None) -> Any:
        """The MXTensor of data_hp: what MXTensor.to_mx() returns and raises."""
        if is_torch(data_hp):
            return _torch_side().ToMXConstrFunc.apply(data_hp, elem_dtype, block_size, mode_of(mode))
        return ToMXConstrFunc.forward(None, data_hp, elem_dtype, block_size, mode)

    @staticmethod
    def forward(ctx: Any, data_hp: Any, elem_dtype: dtypes.DType, block_size: int, mode: str | None = None) -> Any:
        """apply() without its gradient; ctx is what torch.autograd.Function gives."""
        if is_torch(data_hp):
            return _torch_side().ToMXConstrFunc.forward(ctx, data_hp, elem_dtype, block_size, mode_of(mode))
        data, _ = _calls.words_of(data_hp)
        padding = _sizes.padding_for(_last_size(data), block_size)
        if elem_dtype.name not in dtypes.STR_TO_SUPPORTED_ELEM_DTYPE:
            raise KeyError(elem_dtype.name)
        text = f"to_mx(elem_dtype={elem_dtype}, block_size={block_size}, path={_calls.path()}, values=none)"
        results = _calls.apply(text, data_hp, mode)
        return MXTensor(results["scale"], results["data"], elem_dtype, block_size, "bfloat16", padding, mode=mode)

    @staticmethod
    def backward(ctx: Any, g: Any) -> tuple[Any, None, None]:
        """The gradients of apply()'s first three parameters: g, which passes through."""
        return g, None, None


def _last_size(data: Array) -> int:
    if data.ndim == 0:
        raise IndexError("tuple index out of range")
    return int(data.shape[-1])


class FromMXConstrFunc:
    """The way back. apply(tensor_lp, target_dtype) is tensor_lp.to_dtype(target_dtype)."""

    @staticmethod
    def apply(tensor_lp: AnyMXTensor, target_dtype: DTypeLike) -> Any:
        """The values: what MXTensor.to_dtype() returns and raises."""
        if is_torch(tensor_lp):
            return _torch_side().FromMXConstrFunc.apply(tensor_lp, target_dtype)
        return FromMXConstrFunc.forward(None, tensor_lp, target_dtype)

    @staticmethod
    def forward(ctx: Any, tensor_lp: AnyMXTensor, target_dtype: DTypeLike) -> Any:
        """apply() without its gradient; ctx is what torch.autograd.Function gives."""
        if is_torch(tensor_lp):
            return _torch_side().FromMXConstrFunc.forward(ctx, tensor_lp, target_dtype)
        if ctx is not None:
            ctx._padding, ctx._elem_dtype, ctx._mode = tensor_lp._padding, tensor_lp._elem_dtype, tensor_lp._mode
        text = (f"to_dtype(elem_dtype={tensor_lp._elem_dtype}, block_size={tensor_lp._block_size}, "
                f"target_dtype={_calls.target_name(target_dtype)}, block_dim={tensor_lp._block_dim}, "
                f"padding={tensor_lp._padding})")
        return _calls.apply(text, tensor_lp._data, tensor_lp._mode, scale=tensor_lp._scale_e8m0)["values"]

    @staticmethod
    def backward(ctx: Any, g: Any) -> tuple[Any, None, None]:
        """The gradients of apply()'s parameters. compat: ValueError for padded float4_e2m1."""
        if ctx._mode == "compat" and ctx._padding > 0 and ctx._elem_dtype == dtypes.float4_e2m1:
            raise ValueError("Padding is not supported in the backward pass for float4_e2m1")
        return g, None, None


class NoopFwToMXBw:
    """apply(x, elem_dtype, block_size) is x; its gradient is quantized to MX, without padding."""

    @staticmethod
    def apply(x: Any, elem_dtype: dtypes.DType, block_size: int, mode: str | None = None) -> Any:
        """x, an array or tensor of any shape, as it is."""
        if is_torch(x):
            return _torch_side().NoopFwToMXBw.apply(x, elem_dtype, block_size, mode_of(mode))
        return x

    @staticmethod
    def forward(ctx: Any, x: Any, elem_dtype: dtypes.DType, block_size: int, mode: str | None = None) -> Any:
        """apply() without its gradient; ctx is what torch.autograd.Function gives."""
        ctx.elem_dtype, ctx.block_size, ctx.mode = elem_dtype, block_size, mode_of(mode)
        return x

    @staticmethod
    def backward(ctx: Any, g: Any) -> tuple[Any, None, None]:
        """The gradients of apply()'s first three parameters: g as an MXTensor. Raises what quantize_mx() raises."""
        scale, data = quantize_mx(g, ctx.elem_dtype.name, ctx.block_size, mode=ctx.mode)
        gradient = MXTensor(scale, data, ctx.elem_dtype, ctx.block_size, getattr(g, "dtype", None), mode=ctx.mode)
        return gradient, None, None


if "torch" in sys.modules:
    _torch_side()  # so that traces meet what they may take into graphs
