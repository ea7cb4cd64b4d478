"""Shapes of codes and scales for shapes of values: what MXTensor's operators share. spec S6.2.

`tensor` is an MXTensor of either kind; sizes may be torch's symbolic ones.
"""

from __future__ import annotations

import math
from typing import Any, Sequence

from . import dtypes
from .utils import tensor_size_fp4x2_to_hp, tensor_size_hp_to_fp4x2


def padding_for(size: int, block_size: int) -> int:
    """Elements that the last block lacks; a negative block size is left for quantization to refuse."""
    return max(0, (block_size - size % block_size) % block_size)


def front_dim(block_dim: int | None, rank: int) -> int:
    """The block dimension counted from the front; IndexError where there is none."""
    if block_dim is None:
        return rank - 1
    block_dim = block_dim if block_dim >= 0 else block_dim + rank
    if not 0 <= block_dim < rank:
        raise IndexError("list index out of range")
    return block_dim


def check_parts(scale_dtype: str, data_dtype: str, elem_dtype: dtypes.DType) -> None:
    """AssertionError unless the types are those of scales and codes; names of types."""
    if scale_dtype != "uint8":
        raise AssertionError("unsupported")
    if elem_dtype not in dtypes.SUPPORTED_ELEM_DTYPES:
        raise AssertionError(f"unsupported elem_dtype {elem_dtype}")
    if data_dtype not in ("uint8", "int8"):
        raise AssertionError(f"torch.{data_dtype} is unsupported")


def hp_shape(scale_shape: Sequence[int], data_shape: Sequence[int], elem_dtype: dtypes.DType, block_size: int,
             padding: int, block_dim: int, mode: str) -> list[int]:
    """The shape of the values; strict: ValueError where scales and codes do not fit."""
    if block_dim >= len(scale_shape):
        raise IndexError("list index out of range")
    if mode == "compat":
        if elem_dtype != dtypes.float4_e2m1:
            return list(data_shape)
        shape = tensor_size_fp4x2_to_hp(data_shape, block_dim)
        shape[block_dim] -= padding % 2
        return shape
    shape = list(scale_shape)
    shape[block_dim] = shape[block_dim] * block_size - padding
    if block_size < 1 or padding < 0 or (padding > 0 and padding >= block_size) or shape[block_dim] < 0:
        raise ValueError("block_size must be positive and padding less than a block")
    stored = tensor_size_hp_to_fp4x2(shape, block_dim) if elem_dtype == dtypes.float4_e2m1 else shape
    if list(stored) != list(data_shape):
        raise ValueError(f"{math.prod(stored)} != {math.prod(data_shape)}: scales of shape {list(scale_shape)} do "
                         f"not fit data of shape {list(data_shape)}")
    return shape


def _scale_sizes(tensor: Any, sizes: Sequence[int], dim: int) -> list[int]:
    found = list(sizes)
    found[dim] = (sizes[dim] + tensor._padding) // tensor._block_size
    return found


def _data_sizes(tensor: Any, sizes: Sequence[int], dim: int) -> list[int]:
    infers = sizes[dim] == -1 and tensor._mode == "strict"
    if tensor._elem_dtype == dtypes.float4_e2m1 and not infers:
        return tensor_size_hp_to_fp4x2(sizes, dim)
    return list(sizes)


def view(tensor: Any, sizes: Sequence[int]) -> tuple[list[int], list[int], int]:
    """(sizes of codes, sizes of scales, block dimension) of a view."""
    rank = len(tensor._data.shape)
    behind = tensor._block_dim - rank
    if len(sizes) == 1 and tensor._padding > 0:
        raise AssertionError("View op is not supported when the tensor is padded and the new size is 1D")
    if behind < -2:
        raise AssertionError("View Op is supported only when block_dim is last/second_last dim")
    if behind == -2 and rank != 4:
        raise AssertionError("For the view op when block_dim is second last dim, the tensor must be 4D")
    dim = len(sizes) + behind
    if dim < 0:
        raise IndexError("list index out of range")
    return _data_sizes(tensor, sizes, dim), _scale_sizes(tensor, sizes, dim), dim


def expand(tensor: Any, sizes: Sequence[int]) -> tuple[list[int], list[int], int]:
    """The same of an expansion; with new leading dimensions compat looks at the wrong one."""
    dim: int = tensor._block_dim
    if tensor._mode == "strict":
        dim += len(sizes) - len(tensor._data.shape)
    return _data_sizes(tensor, sizes, dim), _scale_sizes(tensor, sizes, dim), dim


def transposed_dim(tensor: Any, dim0: int, dim1: int) -> int:
    """The block dimension after a transposition; compat compares it with the arguments as they stand."""
    if tensor._mode == "strict":
        rank = len(tensor._data.shape)
        dim0, dim1 = dim0 % rank, dim1 % rank
    dim: int = tensor._block_dim
    return dim0 if dim == dim1 else dim1 if dim == dim0 else dim
