"""Custom operators of torch, with fake tensors for traces. spec S6.2.

mxgold_torchmx::* name the path and the mode; mxgold.torchmx calls these. torchmx::quantize_mx and
torchmx::dequantize_mx have the package's names and schemas, and run in the mode in force. A process that has imported
the package before keeps the package's; one that imports it later gets them.
"""

from typing import Any, Callable, Dict, Tuple

import torch

from .._arrays import to_words
from .._mode import setting
from .._systems import cast
from . import _calls, _sizes, dtypes
from .utils import tensor_size_fp4x2_to_hp, tensor_size_hp_to_fp4x2


def _apply(text: str, data: torch.Tensor, mode: str, **operands: torch.Tensor) -> Dict[str, torch.Tensor]:
    tensors = {"values": to_words(data)}
    tensors.update((name, to_words(operand)) for name, operand in operands.items())
    results = cast("torchmx:" + text, mode).apply(tensors)
    return {name: _calls.result_of(words, kind, data) for name, (words, kind) in results.items()}


def _require_element(name: str) -> None:
    if name not in dtypes.STR_TO_SUPPORTED_ELEM_DTYPE:
        raise KeyError(name)


def _require_source(data: torch.Tensor, padding: int, mode: str) -> None:
    if data.dtype != torch.bfloat16:
        raise AssertionError(f"Only torch.bfloat16 input dtype is supported, got {data.dtype}")
    if mode == "compat" and padding == 0 and not data.is_contiguous():
        raise AssertionError("unsupported")


def _quantized_like(data: torch.Tensor, elem: str, size: int, blocks: int) -> Tuple[torch.Tensor, torch.Tensor]:
    """Empty scales and codes of a tensor whose last dimension has `size` values in `blocks` blocks."""
    sizes = list(data.shape[:-1]) + [size]
    stored = tensor_size_hp_to_fp4x2(sizes, -1) if elem == "float4_e2m1" else sizes
    data_dtype = torch.int8 if elem == "int8" else torch.uint8
    return (data.new_empty(list(data.shape[:-1]) + [blocks], dtype=torch.uint8),
            data.new_empty(stored, dtype=data_dtype))


def _quantize(data_hp: torch.Tensor, elem_dtype_name: str, block_size: int, path: str,
              mode: str) -> Tuple[torch.Tensor, torch.Tensor]:
    _require_element(elem_dtype_name)
    _require_source(data_hp, 0, mode)
    results = _apply(f"quantize_mx(elem_dtype={elem_dtype_name}, block_size={block_size}, path={path}, values=none)",
                     data_hp, mode)
    return results["scale"], results["data"]


def _quantize_fake(data_hp: torch.Tensor, elem_dtype_name: str, block_size: int, path: str,
                   mode: str) -> Tuple[torch.Tensor, torch.Tensor]:
    return _quantized_like(data_hp, elem_dtype_name, data_hp.shape[-1], data_hp.shape[-1] // block_size)


def _to_mx(data_hp: torch.Tensor, elem_dtype_name: str, block_size: int, path: str,
           mode: str) -> Tuple[torch.Tensor, torch.Tensor]:
    _require_element(elem_dtype_name)
    _require_source(data_hp, _sizes.padding_for(data_hp.shape[-1], block_size), mode)
    results = _apply(f"to_mx(elem_dtype={elem_dtype_name}, block_size={block_size}, path={path}, values=none)",
                     data_hp, mode)
    return results["scale"], results["data"]


def _to_mx_fake(data_hp: torch.Tensor, elem_dtype_name: str, block_size: int, path: str,
                mode: str) -> Tuple[torch.Tensor, torch.Tensor]:
    size = data_hp.shape[-1]
    return _quantized_like(data_hp, elem_dtype_name, size, (size + block_size - 1) // block_size)


def _dequantize(data_lp: torch.Tensor, shared_exp_e8m0: torch.Tensor, elem_dtype_name: str, block_size: int,
                target_dtype: torch.dtype, block_dim: int, mode: str) -> torch.Tensor:
    _require_element(elem_dtype_name)
    text = (f"dequantize_mx(elem_dtype={elem_dtype_name}, block_size={block_size}, "
            f"target_dtype={_calls.target_name(target_dtype)}, block_dim={block_dim})")
    return _apply(text, data_lp, mode, scale=shared_exp_e8m0)["values"]


def _dequantize_fake(data_lp: torch.Tensor, shared_exp_e8m0: torch.Tensor, elem_dtype_name: str, block_size: int,
                     target_dtype: torch.dtype, block_dim: int, mode: str) -> torch.Tensor:
    sizes = list(data_lp.shape)
    if elem_dtype_name == "float4_e2m1":
        sizes = tensor_size_fp4x2_to_hp(sizes, block_dim)
        if mode == "strict":
            sizes[block_dim] = shared_exp_e8m0.shape[block_dim] * block_size
    return data_lp.new_empty(sizes, dtype=target_dtype)


def _to_dtype(data_lp: torch.Tensor, scale: torch.Tensor, elem_dtype_name: str, block_size: int,
              target_dtype: torch.dtype, block_dim: int, padding: int, mode: str) -> torch.Tensor:
    text = (f"to_dtype(elem_dtype={elem_dtype_name}, block_size={block_size}, "
            f"target_dtype={_calls.target_name(target_dtype)}, block_dim={block_dim}, padding={padding})")
    return _apply(text, data_lp, mode, scale=scale)["values"]


def _to_dtype_fake(data_lp: torch.Tensor, scale: torch.Tensor, elem_dtype_name: str, block_size: int,
                   target_dtype: torch.dtype, block_dim: int, padding: int, mode: str) -> torch.Tensor:
    elem_dtype = dtypes.STR_TO_SUPPORTED_ELEM_DTYPE[elem_dtype_name]
    sizes = _sizes.hp_shape(scale.shape, data_lp.shape, elem_dtype, block_size, padding, block_dim, mode)
    return data_lp.new_empty(sizes, dtype=target_dtype)


def _operator(name: str, function: Callable[..., Any], fake: Callable[..., Any]) -> Any:
    """A custom operator: torch.ops.<name>, which is taken back when nobody holds the result."""
    operator = torch.library.custom_op(name, function, mutates_args=())
    operator.register_fake(fake)
    return operator


quantize_mx = _operator("mxgold_torchmx::quantize_mx", _quantize, _quantize_fake)
to_mx = _operator("mxgold_torchmx::to_mx", _to_mx, _to_mx_fake)
dequantize_mx = _operator("mxgold_torchmx::dequantize_mx", _dequantize, _dequantize_fake)
to_dtype = _operator("mxgold_torchmx::to_dtype", _to_dtype, _to_dtype_fake)


# The package's operators, which know no mode: it is the one in force when they run.


def _quantize_in_mode(data_hp: torch.Tensor, elem_dtype_name: str,
                      block_size: int) -> Tuple[torch.Tensor, torch.Tensor]:
    return _quantize(data_hp, elem_dtype_name, block_size, _calls.path(), setting()[0])


def _quantize_in_mode_fake(data_hp: torch.Tensor, elem_dtype_name: str,
                           block_size: int) -> Tuple[torch.Tensor, torch.Tensor]:
    return _quantize_fake(data_hp, elem_dtype_name, block_size, "", "")


def _dequantize_in_mode(data_lp: torch.Tensor, shared_exp_e8m0: torch.Tensor, elem_dtype_name: str, block_size: int,
                        target_dtype: torch.dtype, block_dim: int) -> torch.Tensor:
    return _dequantize(data_lp, shared_exp_e8m0, elem_dtype_name, block_size, target_dtype, block_dim, setting()[0])


def _dequantize_in_mode_fake(data_lp: torch.Tensor, shared_exp_e8m0: torch.Tensor, elem_dtype_name: str,
                             block_size: int, target_dtype: torch.dtype, block_dim: int) -> torch.Tensor:
    return _dequantize_fake(data_lp, shared_exp_e8m0, elem_dtype_name, block_size, target_dtype, block_dim,
                            setting()[0])


if not hasattr(torch.ops.torchmx, "quantize_mx"):
    package_quantize_mx = _operator("torchmx::quantize_mx", _quantize_in_mode, _quantize_in_mode_fake)
if not hasattr(torch.ops.torchmx, "dequantize_mx"):
    package_dequantize_mx = _operator("torchmx::dequantize_mx", _dequantize_in_mode, _dequantize_in_mode_fake)
