"""Two FP4 codes in a byte, the even index in the high nibble (spec S6.3, TX-P); logs, seeds and random numbers."""

from __future__ import annotations

import logging
import math
import random
import sys
from typing import TYPE_CHECKING, Any, Iterable, Sequence

import numpy

from .._arrays import from_words, is_torch, to_words
from . import env_variables
from ._calls import mode_of

if TYPE_CHECKING:
    import torch

    from .._types import ArrayOrTensorT

__all__ = ["get_logger", "get_uniform_random_number", "pack_uint4", "set_seed", "tensor_size_fp4x2_to_hp",
           "tensor_size_hp_to_fp4x2", "unpack_uint4"]


def get_logger(logger_name: str = "TORCHMX",
               format_string: str = "%(asctime)s - %(name)s - %(levelname)s - %(message)s",
               console_output: bool = True) -> logging.Logger:
    """The logger of a name, at the level of env_variables.TORCHMX_LOG_LEVEL, which tells its parents nothing.

    format_string: of its lines. console_output: to the standard error; also to env_variables.TORCHMX_LOG_FILE where
    that is set. Each call adds these outputs to the logger once more. ValueError for a level that logging does not
    know.
    """
    logger = logging.getLogger(logger_name)
    logger.setLevel(env_variables.TORCHMX_LOG_LEVEL)
    handlers: list[logging.Handler] = [logging.StreamHandler()] if console_output else []
    if env_variables.TORCHMX_LOG_FILE:
        handlers.append(logging.FileHandler(env_variables.TORCHMX_LOG_FILE))
    for handler in handlers:
        handler.setFormatter(logging.Formatter(format_string))
        logger.addHandler(handler)
    logger.propagate = False
    return logger


def get_uniform_random_number(min_val: int, max_val: int, shape: Iterable[int], dtype: torch.dtype) -> torch.Tensor:
    """Uniformly distributed numbers of [min_val, max_val), by torch's generator (torch.manual_seed). Needs torch.

    shape: sizes of the result. dtype: its type, one of floats (RuntimeError otherwise).
    """
    import torch

    return (max_val - min_val) * torch.rand(*shape, dtype=dtype) + min_val


def set_seed(seed: int) -> None:
    """Seeds the generators of random, NumPy and, where it has been imported, torch (its CPU and all CUDA devices).

    seed: 0 to 2^32 - 1; ValueError otherwise.
    """
    random.seed(seed)
    numpy.random.seed(seed)
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.random.manual_seed(seed)
        torch.cuda.manual_seed_all(seed)


def tensor_size_hp_to_fp4x2(orig_size: Sequence[int], packing_dim: int) -> list[int]:
    """Sizes with that of `packing_dim` halved, rounded up; a list."""
    size = list(orig_size)
    size[packing_dim] = math.ceil(size[packing_dim] / 2)
    return size


def tensor_size_fp4x2_to_hp(orig_size: Sequence[int], unpacking_dim: int) -> list[int]:
    """Sizes with that of `unpacking_dim` doubled; a list."""
    size = list(orig_size)
    size[unpacking_dim] = size[unpacking_dim] * 2
    return size


def pack_uint4(uint8_data: ArrayOrTensorT, packing_dim: int = -1, *, mode: str | None = None) -> ArrayOrTensorT:
    """Pairs of codes below 16 along `packing_dim` as bytes: (first << 4) | second.

    uint8_data: uint8, the size of that dimension even (AssertionError otherwise). compat pairs neighbours in memory
    whatever the dimension; strict those of the dimension, as unpack_uint4 reads them.
    """
    codes, kind = to_words(uint8_data)
    if codes.shape[packing_dim] % 2:
        raise AssertionError("an odd number of codes cannot be packed in pairs")
    if mode_of(mode) == "compat":
        flat = codes.reshape(-1)
        packed = (flat[::2] << 4 | flat[1::2]).reshape(tensor_size_hp_to_fp4x2(codes.shape, packing_dim))
    else:
        rows = numpy.moveaxis(codes, packing_dim, -1)
        packed = numpy.moveaxis(rows[..., ::2] << 4 | rows[..., 1::2], -1, packing_dim)
    found: ArrayOrTensorT = from_words(numpy.ascontiguousarray(packed), kind, uint8_data)
    return found


def unpack_uint4(uint8_data: ArrayOrTensorT, packing_dim: int = -1) -> ArrayOrTensorT:
    """Two codes for each byte along `packing_dim`, the high nibble first; uint8, that dimension twice as long."""
    codes: ArrayOrTensorT = (_stacked if is_torch(uint8_data) else _of_array)(uint8_data, packing_dim)
    return codes


def _of_array(data: Any, packing_dim: int) -> Any:
    data = numpy.asarray(data)
    dim = packing_dim % data.ndim
    pairs = numpy.stack([data >> 4, data & 15], axis=dim + 1)
    return pairs.reshape(tensor_size_fp4x2_to_hp(data.shape, dim))


def _stacked(data: Any, packing_dim: int) -> Any:
    """The same by torch's own operations, which traces can follow."""
    import torch

    dim = packing_dim + data.dim() if packing_dim < 0 else packing_dim
    pairs = torch.stack([data >> 4, data & 15], dim=dim + 1)
    return pairs.reshape(tensor_size_fp4x2_to_hp(data.shape, dim))
