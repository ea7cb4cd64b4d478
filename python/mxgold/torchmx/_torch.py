"""The torch side: custom operators, MXTensor as a torch.Tensor, and the gradients. spec S6.2."""

import numpy
import torch

from .._arrays import to_words
from .._systems import cast
from . import _calls, _sizes, dtypes
from . import mx_tensor as _public
from .utils import tensor_size_fp4x2_to_hp, tensor_size_hp_to_fp4x2


def _name(dtype):
    return str(dtype).replace("torch.", "")


def _dtype_of(name):
    return getattr(torch, _calls.target_name(name))


def _apply(text, data, mode, **operands):
    tensors = {"values": to_words(data)}
    tensors.update((name, to_words(operand)) for name, operand in operands.items())
    results = cast("torchmx:" + text, mode).apply(tensors)
    return {name: _calls.result_of(words, kind, data) for name, (words, kind) in results.items()}


def _require_element(name):
    if name not in dtypes.STR_TO_SUPPORTED_ELEM_DTYPE:
        raise KeyError(name)


def _require_source(data, padding, mode):
    if data.dtype != torch.bfloat16:
        raise AssertionError(f"Only torch.bfloat16 input dtype is supported, got {data.dtype}")
    if mode == "compat" and padding == 0 and not data.is_contiguous():
        raise AssertionError("unsupported")


def _quantized_like(data, elem, size, blocks):
    """Empty scales and codes of a tensor whose last dimension has `size` values in `blocks` blocks."""
    sizes = list(data.shape[:-1]) + [size]
    stored = tensor_size_hp_to_fp4x2(sizes, -1) if elem == "float4_e2m1" else sizes
    data_dtype = torch.int8 if elem == "int8" else torch.uint8
    return (data.new_empty(list(data.shape[:-1]) + [blocks], dtype=torch.uint8),
            data.new_empty(stored, dtype=data_dtype))


@torch.library.custom_op("mxgold_torchmx::quantize_mx", mutates_args=())
def _quantize_op(data_hp: torch.Tensor, elem_dtype_name: str, block_size: int, path: str,
                 mode: str) -> tuple[torch.Tensor, torch.Tensor]:
    _require_element(elem_dtype_name)
    _require_source(data_hp, 0, mode)
    results = _apply(f"quantize_mx(elem_dtype={elem_dtype_name}, block_size={block_size}, path={path}, values=none)",
                     data_hp, mode)
    return results["scale"], results["data"]


@_quantize_op.register_fake
def _(data_hp, elem_dtype_name, block_size, path, mode):
    return _quantized_like(data_hp, elem_dtype_name, data_hp.shape[-1], data_hp.shape[-1] // block_size)


@torch.library.custom_op("mxgold_torchmx::to_mx", mutates_args=())
def _to_mx_op(data_hp: torch.Tensor, elem_dtype_name: str, block_size: int, path: str,
              mode: str) -> tuple[torch.Tensor, torch.Tensor]:
    _require_element(elem_dtype_name)
    _require_source(data_hp, _sizes.padding_for(data_hp.shape[-1], block_size), mode)
    results = _apply(f"to_mx(elem_dtype={elem_dtype_name}, block_size={block_size}, path={path}, values=none)",
                     data_hp, mode)
    return results["scale"], results["data"]


@_to_mx_op.register_fake
def _(data_hp, elem_dtype_name, block_size, path, mode):
    size = data_hp.shape[-1]
    return _quantized_like(data_hp, elem_dtype_name, size, (size + block_size - 1) // block_size)


@torch.library.custom_op("mxgold_torchmx::dequantize_mx", mutates_args=())
def _dequantize_op(data_lp: torch.Tensor, shared_exp_e8m0: torch.Tensor, elem_dtype_name: str, block_size: int,
                   target_dtype: torch.dtype, block_dim: int, mode: str) -> torch.Tensor:
    _require_element(elem_dtype_name)
    text = (f"dequantize_mx(elem_dtype={elem_dtype_name}, block_size={block_size}, "
            f"target_dtype={_calls.target_name(target_dtype)}, block_dim={block_dim})")
    return _apply(text, data_lp, mode, scale=shared_exp_e8m0)["values"]


@_dequantize_op.register_fake
def _(data_lp, shared_exp_e8m0, elem_dtype_name, block_size, target_dtype, block_dim, mode):
    sizes = data_lp.shape
    if elem_dtype_name == "float4_e2m1":
        sizes = tensor_size_fp4x2_to_hp(sizes, block_dim)
        if mode == "strict":
            sizes[block_dim] = shared_exp_e8m0.shape[block_dim] * block_size
    return data_lp.new_empty(sizes, dtype=target_dtype)


@torch.library.custom_op("mxgold_torchmx::to_dtype", mutates_args=())
def _to_dtype_op(data_lp: torch.Tensor, scale: torch.Tensor, elem_dtype_name: str, block_size: int,
                 target_dtype: torch.dtype, block_dim: int, padding: int, mode: str) -> torch.Tensor:
    text = (f"to_dtype(elem_dtype={elem_dtype_name}, block_size={block_size}, "
            f"target_dtype={_calls.target_name(target_dtype)}, block_dim={block_dim}, padding={padding})")
    return _apply(text, data_lp, mode, scale=scale)["values"]


@_to_dtype_op.register_fake
def _(data_lp, scale, elem_dtype_name, block_size, target_dtype, block_dim, padding, mode):
    elem_dtype = dtypes.STR_TO_SUPPORTED_ELEM_DTYPE[elem_dtype_name]
    sizes = _sizes.hp_shape(scale.shape, data_lp.shape, elem_dtype, block_size, padding, block_dim, mode)
    return data_lp.new_empty(sizes, dtype=target_dtype)


def quantize_mx(data_hp, elem_dtype_name, block_size, mode):
    return _quantize_op(data_hp, elem_dtype_name, block_size, _calls.path(), mode)


def dequantize_mx(data_lp, shared_exp_e8m0, elem_dtype_name, block_size, target_dtype, block_dim, mode):
    return _dequantize_op(data_lp, shared_exp_e8m0, elem_dtype_name, block_size, _dtype_of(target_dtype), block_dim,
                          mode)


@torch._dynamo.allow_in_graph
class ToMXConstrFunc(torch.autograd.Function):
    @staticmethod
    def forward(ctx, data_hp, elem_dtype, block_size, mode):
        if data_hp.dim() == 0:
            raise IndexError("tuple index out of range")
        padding = _sizes.padding_for(data_hp.shape[-1], block_size)
        scale, data = _to_mx_op(data_hp, elem_dtype.name, block_size, _calls.path(), mode)
        return MXTensor(scale, data, elem_dtype, block_size, data_hp.dtype, padding, mode=mode)

    @staticmethod
    def backward(ctx, g):
        return g, None, None, None


@torch._dynamo.allow_in_graph
class FromMXConstrFunc(torch.autograd.Function):
    @staticmethod
    def forward(ctx, tensor_lp, target_dtype):
        ctx._padding, ctx._elem_dtype, ctx._mode = tensor_lp._padding, tensor_lp._elem_dtype, tensor_lp._mode
        return _to_dtype_op(tensor_lp._data, tensor_lp._scale_e8m0, tensor_lp._elem_dtype.name, tensor_lp._block_size,
                            _dtype_of(target_dtype), tensor_lp._block_dim, tensor_lp._padding, tensor_lp._mode)

    @staticmethod
    def backward(ctx, g):
        return _public.FromMXConstrFunc.backward(ctx, g)


@torch._dynamo.allow_in_graph
class NoopFwToMXBw(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, elem_dtype, block_size, mode):
        ctx.elem_dtype, ctx.block_size, ctx.mode = elem_dtype, block_size, mode
        return x

    @staticmethod
    def backward(ctx, g):
        return (*_public.NoopFwToMXBw.backward(ctx, g), None)


_OPERATORS = {}


def _implements(*operators):
    def register(function):
        _OPERATORS.update(dict.fromkeys(operators, function))
        return function

    return register


class MXTensor(torch.Tensor):
    """mxgold.torchmx.mx_tensor.MXTensor of torch tensors."""

    @staticmethod
    def __new__(cls, scale_e8m0_bits, data_bits, elem_dtype, block_size, orig_dtype, padding=0, block_dim=None, *,
                mode=None):
        mode = _calls.mode_of(mode)
        block_dim = _sizes.front_dim(block_dim, data_bits.dim())
        _sizes.check_parts(_name(scale_e8m0_bits.dtype), _name(data_bits.dtype), elem_dtype)
        shape = _sizes.hp_shape(scale_e8m0_bits.shape, data_bits.shape, elem_dtype, block_size, padding, block_dim,
                                mode)
        self = torch.Tensor._make_wrapper_subclass(cls, shape, dtype=orig_dtype, device=data_bits.device)
        self._scale_e8m0, self._data = scale_e8m0_bits, data_bits
        self._elem_dtype, self._block_size, self._orig_dtype = elem_dtype, block_size, orig_dtype
        self._block_dim, self._padding, self._mode = block_dim, padding, mode
        return self

    def __init__(self, *args, **kwargs):
        pass

    __repr__ = _public.MXTensor.__repr__

    def to_dtype(self, target_dtype):
        return FromMXConstrFunc.apply(self, _dtype_of(target_dtype))

    @staticmethod
    def to_mx(data_hp, elem_dtype, block_size=32, *, mode=None):
        return ToMXConstrFunc.apply(data_hp, elem_dtype, block_size, _calls.mode_of(mode))

    def _with(self, scale, data, block_dim, orig_dtype=None):
        return MXTensor(scale, data, self._elem_dtype, self._block_size, orig_dtype or self._orig_dtype,
                        self._padding, block_dim, mode=self._mode)

    def __tensor_flatten__(self):
        return ["_scale_e8m0", "_data"], (self._elem_dtype, self._block_size, self._orig_dtype, self._padding,
                                          self._block_dim, self._mode)

    @staticmethod
    def __tensor_unflatten__(inner_tensors, metadata, outer_size, outer_stride):
        *parts, mode = metadata
        return MXTensor(inner_tensors["_scale_e8m0"], inner_tensors["_data"], *parts, mode=mode)

    __torch_function__ = torch._C._disabled_torch_function_impl

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        implementation = _OPERATORS.get(func)
        if implementation is None:
            raise NotImplementedError(f"MXTensor dispatch: attempting to run unimplemented operator/function: {func}")
        return implementation(func, args, kwargs or {})


torch.serialization.add_safe_globals([MXTensor])
_ATEN = torch.ops.aten


def _values(tensor):
    return tensor.to_dtype(tensor._orig_dtype)


def _require_both(a, b):
    if not (isinstance(a, MXTensor) and isinstance(b, MXTensor)):
        raise AssertionError("both operands must be MXTensors")


@_implements(_ATEN.mm.default, _ATEN.matmul.default, _ATEN.bmm.default)
def _multiply(function, args, kwargs):
    a, b = args
    _require_both(a, b)
    return function(_values(a), _values(b))


@_implements(_ATEN.linear.default)
def _linear(function, args, kwargs):
    _require_both(args[0], args[1])
    return function(_values(args[0]), _values(args[1]), *args[2:])


@_implements(_ATEN.addmm.default)
def _addmm(function, args, kwargs):
    _require_both(args[1], args[2])
    return function(args[0], _values(args[1]), _values(args[2]))


@_implements(_ATEN.sum.dim_IntList)
def _sum(function, args, kwargs):
    return function(_values(args[0]), *args[1:], **kwargs)


@_implements(_ATEN.detach.default)
def _detach(function, args, kwargs):
    old = args[0]
    return old._with(old._scale_e8m0, function(old._data), old._block_dim)


@_implements(_ATEN.t.default)
def _t(function, args, kwargs):
    old = args[0]
    if old._block_dim > 1:
        raise AssertionError("the block dimension must be one of the first two")
    if old._data.dim() == 1 and old._mode == "strict":
        return old._with(old._scale_e8m0, old._data, 0)
    return old._with(function(old._scale_e8m0), function(old._data), 1 - old._block_dim)


@_implements(_ATEN.transpose.int)
def _transpose(function, args, kwargs):
    old, dim0, dim1 = args
    return old._with(function(old._scale_e8m0, dim0, dim1), function(old._data, dim0, dim1),
                     _sizes.transposed_dim(old, dim0, dim1))


@_implements(_ATEN.view.default)
def _view(function, args, kwargs):
    old = args[0]
    data, scale, block_dim = _sizes.view(old, list(args[1]))
    return old._with(function(old._scale_e8m0, scale), function(old._data, data), block_dim)


@_implements(_ATEN.expand.default)
def _expand(function, args, kwargs):
    old = args[0]
    data, scale, block_dim = _sizes.expand(old, list(args[1]))
    return old._with(function(old._scale_e8m0, scale), function(old._data, data), block_dim)


@_implements(_ATEN._to_copy.default)
def _to_copy(function, args, kwargs):
    if set(kwargs) != {"dtype"}:
        raise AssertionError("Only support dtype kwarg for autocast")
    if kwargs["dtype"] not in (torch.float16, torch.bfloat16):
        raise AssertionError("Only support floating point conversion for autocast w/ MXTensor")
    old = args[0]
    return old._with(old._scale_e8m0, old._data, old._block_dim, kwargs["dtype"])


for _type in (dtypes.float8_e4m3, dtypes.int8, dtypes.float64, dtypes.float32, dtypes.bfloat16):
    if isinstance(_type.torch_dtype, str):
        object.__setattr__(_type, "torch_dtype", getattr(torch, _type.torch_dtype))
for _function in (_public.quantize_mx, _public.dequantize_mx, _public.MXTensor.to_mx):
    torch._dynamo.allow_in_graph(_function)
