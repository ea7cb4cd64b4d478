"""The torch side: MXTensor as a torch.Tensor, and the gradients. spec S6.2."""

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Type

import torch

from . import _calls, _operators, _sizes, dtypes
from . import mx_tensor as _public


def _name(dtype: torch.dtype) -> str:
    return str(dtype).replace("torch.", "")


def _dtype_of(name: Any) -> torch.dtype:
    dtype: torch.dtype = getattr(torch, _calls.target_name(name))
    return dtype


def quantize_mx(data_hp: torch.Tensor, elem_dtype_name: str, block_size: int,
                mode: str) -> Tuple[torch.Tensor, torch.Tensor]:
    scale, data = _operators.quantize_mx(data_hp, elem_dtype_name, block_size, _calls.path(), mode)
    return scale, data


def dequantize_mx(data_lp: torch.Tensor, shared_exp_e8m0: torch.Tensor, elem_dtype_name: str, block_size: int,
                  target_dtype: Any, block_dim: int, mode: str) -> torch.Tensor:
    values: torch.Tensor = _operators.dequantize_mx(data_lp, shared_exp_e8m0, elem_dtype_name, block_size,
                                                    _dtype_of(target_dtype), block_dim, mode)
    return values


_allow_in_graph: Callable[[Any], Any] = torch._dynamo.allow_in_graph


@_allow_in_graph
class ToMXConstrFunc(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, data_hp: torch.Tensor, elem_dtype: dtypes.DType, block_size: int, mode: str) -> Any:
        if data_hp.dim() == 0:
            raise IndexError("tuple index out of range")
        padding = _sizes.padding_for(data_hp.shape[-1], block_size)
        scale, data = _operators.to_mx(data_hp, elem_dtype.name, block_size, _calls.path(), mode)
        return MXTensor(scale, data, elem_dtype, block_size, data_hp.dtype, padding, mode=mode)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g, None, None, None


@_allow_in_graph
class FromMXConstrFunc(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, tensor_lp: "MXTensor", target_dtype: Any) -> Any:
        ctx._padding, ctx._elem_dtype, ctx._mode = tensor_lp._padding, tensor_lp._elem_dtype, tensor_lp._mode
        return _operators.to_dtype(tensor_lp._data, tensor_lp._scale_e8m0, tensor_lp._elem_dtype.name,
                                   tensor_lp._block_size, _dtype_of(target_dtype), tensor_lp._block_dim,
                                   tensor_lp._padding, tensor_lp._mode)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return _public.FromMXConstrFunc.backward(ctx, g)


@_allow_in_graph
class NoopFwToMXBw(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, elem_dtype: dtypes.DType, block_size: int, mode: str) -> Any:
        ctx.elem_dtype, ctx.block_size, ctx.mode = elem_dtype, block_size, mode
        return x

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return (*_public.NoopFwToMXBw.backward(ctx, g), None)


_Operator = Callable[[Any, Any, Any], Any]
_OPERATORS: Dict[Any, _Operator] = {}


def _implements(*operators: Any) -> Callable[[_Operator], _Operator]:
    def register(function: _Operator) -> _Operator:
        _OPERATORS.update(dict.fromkeys(operators, function))
        return function

    return register


class MXTensor(torch.Tensor):
    """mxgold.torchmx.mx_tensor.MXTensor of torch tensors."""

    _scale_e8m0: torch.Tensor
    _data: torch.Tensor
    _elem_dtype: dtypes.DType
    _block_size: int
    _orig_dtype: torch.dtype
    _block_dim: int
    _padding: int
    _mode: str

    @staticmethod
    def __new__(cls: Type["MXTensor"], scale_e8m0_bits: torch.Tensor, data_bits: torch.Tensor, elem_dtype: dtypes.DType,
                block_size: int, orig_dtype: torch.dtype, padding: int = 0, block_dim: Optional[int] = None, *,
                mode: Optional[str] = None) -> "MXTensor":
        mode = _calls.mode_of(mode)
        block_dim = _sizes.front_dim(block_dim, data_bits.dim())
        _sizes.check_parts(_name(scale_e8m0_bits.dtype), _name(data_bits.dtype), elem_dtype)
        shape = _sizes.hp_shape(scale_e8m0_bits.shape, data_bits.shape, elem_dtype, block_size, padding, block_dim,
                                mode)
        self: MXTensor = torch.Tensor._make_wrapper_subclass(cls, shape, dtype=orig_dtype, device=data_bits.device)
        self._scale_e8m0, self._data = scale_e8m0_bits, data_bits
        self._elem_dtype, self._block_size, self._orig_dtype = elem_dtype, block_size, orig_dtype
        self._block_dim, self._padding, self._mode = block_dim, padding, mode
        return self

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    def __repr__(self) -> str:  # type: ignore[override]  # torch's own takes tensor_contents, which only it gives
        return _public.MXTensor.__repr__(self)  # type: ignore[arg-type]  # its attributes are all that is read

    def to_dtype(self, target_dtype: Any) -> torch.Tensor:
        """The values in bfloat16, float32, float16 or float64, without the padding."""
        values: torch.Tensor = FromMXConstrFunc.apply(self, _dtype_of(target_dtype))
        return values

    @staticmethod
    def to_mx(data_hp: torch.Tensor, elem_dtype: dtypes.DType, block_size: int = 32, *,
              mode: Optional[str] = None) -> "MXTensor":
        """The MXTensor of bfloat16 values."""
        found: MXTensor = ToMXConstrFunc.apply(data_hp, elem_dtype, block_size, _calls.mode_of(mode))
        return found

    def _with(self, scale: torch.Tensor, data: torch.Tensor, block_dim: int,
              orig_dtype: Optional[torch.dtype] = None) -> "MXTensor":
        return MXTensor(scale, data, self._elem_dtype, self._block_size, orig_dtype or self._orig_dtype,
                        self._padding, block_dim, mode=self._mode)

    def __tensor_flatten__(self) -> Tuple[List[str], Tuple[Any, ...]]:
        """What torch's traces take a tensor apart into."""
        return ["_scale_e8m0", "_data"], (self._elem_dtype, self._block_size, self._orig_dtype, self._padding,
                                          self._block_dim, self._mode)

    @staticmethod
    def __tensor_unflatten__(inner_tensors: Dict[str, torch.Tensor], metadata: Tuple[Any, ...], outer_size: Any,
                             outer_stride: Any) -> "MXTensor":
        """The tensor of what __tensor_flatten__() gave."""
        *parts, mode = metadata
        return MXTensor(inner_tensors["_scale_e8m0"], inner_tensors["_data"], *parts, mode=mode)

    __torch_function__: Any = torch._C._disabled_torch_function_impl

    @classmethod
    def __torch_dispatch__(  # type: ignore[override]  # torch's own lacks the parameter func
            cls, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Any = None) -> Any:
        """An operator of torch on MXTensors; NotImplementedError for those that have none here."""
        implementation = _OPERATORS.get(func)
        if implementation is None:
            raise NotImplementedError(f"MXTensor dispatch: attempting to run unimplemented operator/function: {func}")
        return implementation(func, args, kwargs or {})


torch.serialization.add_safe_globals([MXTensor])
_ATEN = torch.ops.aten


def _values(tensor: MXTensor) -> torch.Tensor:
    return tensor.to_dtype(tensor._orig_dtype)


def _require_both(a: Any, b: Any) -> None:
    if not (isinstance(a, MXTensor) and isinstance(b, MXTensor)):
        raise AssertionError("both operands must be MXTensors")


@_implements(_ATEN.mm.default, _ATEN.matmul.default, _ATEN.bmm.default)
def _multiply(function: Any, args: Any, kwargs: Any) -> Any:
    a, b = args
    _require_both(a, b)
    return function(_values(a), _values(b))


@_implements(_ATEN.linear.default)
def _linear(function: Any, args: Any, kwargs: Any) -> Any:
    _require_both(args[0], args[1])
    return function(_values(args[0]), _values(args[1]), *args[2:])


@_implements(_ATEN.addmm.default)
def _addmm(function: Any, args: Any, kwargs: Any) -> Any:
    _require_both(args[1], args[2])
    return function(args[0], _values(args[1]), _values(args[2]))


@_implements(_ATEN.sum.dim_IntList)
def _sum(function: Any, args: Any, kwargs: Any) -> Any:
    return function(_values(args[0]), *args[1:], **kwargs)


@_implements(_ATEN.detach.default)
def _detach(function: Any, args: Any, kwargs: Any) -> Any:
    old = args[0]
    return old._with(old._scale_e8m0, function(old._data), old._block_dim)


@_implements(_ATEN.t.default)
def _t(function: Any, args: Any, kwargs: Any) -> Any:
    old = args[0]
    if old._block_dim > 1:
        raise AssertionError("the block dimension must be one of the first two")
    if old._data.dim() == 1 and old._mode == "strict":
        return old._with(old._scale_e8m0, old._data, 0)
    return old._with(function(old._scale_e8m0), function(old._data), 1 - old._block_dim)


@_implements(_ATEN.transpose.int)
def _transpose(function: Any, args: Any, kwargs: Any) -> Any:
    old, dim0, dim1 = args
    return old._with(function(old._scale_e8m0, dim0, dim1), function(old._data, dim0, dim1),
                     _sizes.transposed_dim(old, dim0, dim1))


@_implements(_ATEN.view.default)
def _view(function: Any, args: Any, kwargs: Any) -> Any:
    old = args[0]
    data, scale, block_dim = _sizes.view(old, list(args[1]))
    return old._with(function(old._scale_e8m0, scale), function(old._data, data), block_dim)


@_implements(_ATEN.expand.default)
def _expand(function: Any, args: Any, kwargs: Any) -> Any:
    old = args[0]
    data, scale, block_dim = _sizes.expand(old, list(args[1]))
    return old._with(function(old._scale_e8m0, scale), function(old._data, data), block_dim)


@_implements(_ATEN._to_copy.default)
def _to_copy(function: Any, args: Any, kwargs: Any) -> Any:
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
    _allow_in_graph(_function)
