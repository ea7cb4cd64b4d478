"""Two FP4 codes in a byte, the even index in the high nibble. spec S6.3 (TX-P)."""

import math

import numpy

from .._arrays import from_words, is_torch, to_words
from ._calls import mode_of


def tensor_size_hp_to_fp4x2(orig_size, packing_dim):
    """Sizes with that of `packing_dim` halved, rounded up; a list."""
    size = list(orig_size)
    size[packing_dim] = math.ceil(size[packing_dim] / 2)
    return size


def tensor_size_fp4x2_to_hp(orig_size, unpacking_dim):
    """Sizes with that of `unpacking_dim` doubled; a list."""
    size = list(orig_size)
    size[unpacking_dim] = size[unpacking_dim] * 2
    return size


def pack_uint4(uint8_data, packing_dim=-1, *, mode=None):
    """Pairs of codes below 16 along `packing_dim` as bytes: (first << 4) | second.

    uint8_data: uint8, the size of that dimension even (AssertionError otherwise). compat pairs neighbours in memory
    whatever the dimension; strict those of the dimension, as unpack_uint4 reads them.
    """
    if uint8_data.shape[packing_dim] % 2:
        raise AssertionError("an odd number of codes cannot be packed in pairs")
    codes, kind = to_words(uint8_data)
    if mode_of(mode) == "compat":
        flat = codes.reshape(-1)
        packed = (flat[::2] << 4 | flat[1::2]).reshape(tensor_size_hp_to_fp4x2(codes.shape, packing_dim))
    else:
        rows = numpy.moveaxis(codes, packing_dim, -1)
        packed = numpy.moveaxis(rows[..., ::2] << 4 | rows[..., 1::2], -1, packing_dim)
    return from_words(numpy.ascontiguousarray(packed), kind, uint8_data)


def unpack_uint4(uint8_data, packing_dim=-1):
    """Two codes for each byte along `packing_dim`, the high nibble first; uint8."""
    if is_torch(uint8_data):
        return _stacked(uint8_data, packing_dim)
    data = numpy.asarray(uint8_data)
    dim = packing_dim % data.ndim
    pairs = numpy.stack([data >> 4, data & 15], axis=dim + 1)
    return pairs.reshape(tensor_size_fp4x2_to_hp(data.shape, dim))


def _stacked(data, packing_dim):
    """The same by torch's own operations, which traces can follow."""
    import torch

    dim = packing_dim + data.dim() if packing_dim < 0 else packing_dim
    pairs = torch.stack([data >> 4, data & 15], dim=dim + 1)
    return pairs.reshape(tensor_size_fp4x2_to_hp(data.shape, dim))
