"""Where arrays come from: their words, and results as what they were. torch tensors give torch tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy

from . import _torch
from ._dtypes import bits_of, format_of, unsigned_of
from ._formats import element_format

if TYPE_CHECKING:
    from ._types import Array, FormatLike


class Home:
    """NumPy, JAX, lists: results are NumPy arrays."""

    def give(self, array: Array, name: str) -> Any:
        """An array of codes of a format, as the caller has arrays."""
        return array

    def give_bits(self, array: Array) -> Any:
        """The same as unsigned integers."""
        return bits_of(array)

    def give_numbers(self, array: Array) -> Any:
        """An array of integers or of others that are no codes, as the caller has arrays."""
        return array

    def words_to_fill(self, out: Any) -> Array:
        """The memory of an array that the caller gives for results."""
        if not isinstance(out, numpy.ndarray):
            told = "; of a torch tensor give a tensor for x, too" if _torch.is_torch(out) else ""
            raise TypeError(f"out: is {type(out).__name__}; give a NumPy array{told}")
        return out


class TorchHome(Home):
    """A device of torch: results are tensors there."""

    def __init__(self, device: Any) -> None:
        self.device = device

    def give(self, array: Array, name: str) -> Any:
        return _torch.tensor_of(array, name, self.device)

    def give_bits(self, array: Array) -> Any:
        return _torch.tensor_of(bits_of(array), "", self.device)

    def give_numbers(self, array: Array) -> Any:
        import torch

        return torch.from_numpy(array).to(self.device)

    def words_to_fill(self, out: Any) -> Array:
        if not _torch.is_torch(out):
            raise TypeError(f"out: is {type(out).__name__}; x is a torch tensor: give a tensor")
        if out.device.type != "cpu":
            raise ValueError(f"out: lies on {out.device}; give a tensor on the CPU")
        if not out.is_contiguous():
            raise ValueError("out: its elements do not lie side by side; give a contiguous tensor")
        return _torch.words_of_tensor(out)[0]


NUMPY = Home()


class Taken(NamedTuple):
    """What a caller gave."""

    #: A C-ordered array in the byte order of the machine; it shares memory where it can.
    words: Array
    #: The format of its codes, where its type alone does not say it; None where it does.
    source: str | None
    home: Home


def _array_of(value: Any, holds_codes: bool) -> Array:
    if hasattr(value, "__dlpack__") and not hasattr(value, "__array__"):
        array = numpy.from_dlpack(value)
    else:
        array = numpy.asarray(value)
    if array.dtype.kind in "OSUMmc":
        raise TypeError(f"x: an array, a tensor or numbers, not {type(value).__name__}"
                        + (f" of {array.dtype.name}" if hasattr(value, "dtype") else ""))
    return array.astype(numpy.float32) if not hasattr(value, "dtype") and not holds_codes else array


def taken(value: Any, source: FormatLike | None = None, holds_codes: bool = False) -> Taken:
    """What a user gives, without a copy where that can be: Python numbers and lists become float32.

    source: the format that the user names, None for none. holds_codes: numbers are codes, too, of a format that is known
    elsewhere.
    """
    home = NUMPY
    name = None if source is None else element_format(source).name
    if type(value) is not numpy.ndarray:
        if _torch.is_torch(value):
            home = TorchHome(value.device)
            value, told = _torch.words_of_tensor(value)
            name = name or told
        elif hasattr(value, "_code_words"):  # a Scalar
            value, told = value._code_words
            name = name or told
        else:
            value = _array_of(value, holds_codes or name is not None)
    if not value.flags.c_contiguous or value.dtype.byteorder == ">":
        value = numpy.array(value, dtype=value.dtype.newbyteorder("<"), order="C")
    return Taken(value, name, home)


def array_of(value: Any, source: FormatLike | None = None) -> Array:
    """The words alone."""
    return taken(value, source).words


def codes_of(value: Any, source: FormatLike | None = None) -> tuple[Array, str]:
    """(array, format name) of what a user gives."""
    words, name, _ = taken(value, source)
    return words, format_of(words.dtype, name)


def code_words(value: Any) -> Array:
    """What a user gives as codes, as unsigned integers of NumPy."""
    return bits_of(taken(value, holds_codes=True).words)


def bits(array: Any) -> Any:
    """The codes of an array as unsigned integers, sharing its memory.

    array: codes in any type, for example float8_e4m3fn or float32; a NumPy array or a torch tensor, and the result is one
    like it. Returns uint8, uint16, uint32 or uint64 of the same shape. TypeError for what holds no codes.

    >>> mxgold.bits(numpy.float32([1.0]))
    array([1065353216], dtype=uint32)
    """
    words, _, home = taken(array, holds_codes=True)
    return home.give_bits(words)


def require_out(out: Array, shape: tuple[int, ...], dtype: numpy.dtype[Any], **inputs: Array) -> None:
    """Refuses what cannot be written into.

    shape, dtype: of the result. inputs: the arrays by name that are read while out is written; of C-ordered arrays
    may_share_memory() is exact.
    """
    unsigned = unsigned_of(dtype.itemsize)
    if out.dtype not in (dtype, unsigned):
        names = dtype.name if dtype == unsigned else f"{dtype.name} or {unsigned.name}"
        raise ValueError(f"out: is an array of {out.dtype.str} ({out.dtype.name}); give one of {names} in the byte order "
                         f"of the machine")
    if out.shape != shape:
        raise ValueError(f"out: has shape {out.shape}; give an array of shape {shape}")
    if not out.flags.c_contiguous:
        raise ValueError("out: its elements do not lie side by side; give a C-ordered array")
    if not out.flags.writeable:
        raise ValueError("out: is read-only; give an array that can be written")
    for name, array in inputs.items():
        if numpy.may_share_memory(out, array):
            raise ValueError(f"out: shares memory with {name}; give an array of its own")
