"""Single values from one format to another."""

from __future__ import annotations

import ctypes
import functools
import numbers
from typing import TYPE_CHECKING, Any, Iterable, NamedTuple, overload

import numpy

from . import _native
from ._dtypes import bits_of, format_of
from ._formats import ElementFormat, element_format
from ._homes import array_of, require_out, taken
from ._library import LIBRARY
from ._names import unknown
from ._policies import Policy, key_of, policy as make_policy
from ._quick import CALLS

if TYPE_CHECKING:
    from ._types import Array, ArrayLike, FormatLike, PolicyLike, Settings, TensorT, Unpack

_FLAGS = ((1, "inexact"), (2, "overflow"), (4, "saturated"), (8, "underflow"), (16, "invalid"), (32, "to_zero"),
          (64, "divide_by_zero"), (1 << 8, "scale_clamped"), (1 << 9, "zero_block"), (1 << 10, "has_inf"), (1 << 11, "has_nan"),
          (1 << 12, "nan_scale"), (1 << 13, "codes_masked"))


_CONVERT = LIBRARY.mxgold_convert_array
_quick = None if CALLS is None else CALLS.convert


class Plan(NamedTuple):
    """How arrays of one type are converted."""

    conversion: _native.Conversion
    dtype: numpy.dtype[Any]
    name: str


@functools.lru_cache(maxsize=1024)
def plan(dtype: numpy.dtype[Any], destination: ElementFormat, policy: str | Policy, source: str | None,
         backend: str = "auto") -> Plan:
    """The conversion of arrays of a type, the type of its codes, and the destination's name."""
    options = _native.computed_by(backend, make_policy(policy).options)
    return Plan(_native.conversion(format_of(dtype, source), destination.name, options), destination.dtype,
                destination.name)


@functools.lru_cache(maxsize=1024)
def flag_names(word: int) -> frozenset[str]:
    """The names of the flags in a word."""
    return frozenset(name for bit, name in _FLAGS if word & bit)


def flag_word(names: Iterable[str]) -> int:
    """The word of flags by name; ValueError for one that there is not."""
    known = {name: bit for bit, name in _FLAGS}
    word = 0
    for name in names:
        if name not in known:
            raise unknown("flag", name, tuple(known))
        word |= known[name]
    return word


@overload
def convert(x: TensorT, format: FormatLike, policy: PolicyLike = ..., *, source: FormatLike | None = ...,
            seed: int = ..., tensor_index: int = ..., out: TensorT | None = ..., backend: str = ...,
            **settings: Unpack[Settings]) -> TensorT: ...
@overload
def convert(x: ArrayLike, format: FormatLike, policy: PolicyLike = ..., *, source: FormatLike | None = ...,
            seed: int = ..., tensor_index: int = ..., out: Array | None = ..., backend: str = ...,
            **settings: Unpack[Settings]) -> Array: ...
def convert(x: Any, format: FormatLike, policy: PolicyLike = "", *, source: FormatLike | None = None, seed: int = 0,
            tensor_index: int = 0, out: Any = None, backend: str = "auto", **settings: Any) -> Any:
    """Converts every element of an array to another format, rounded once.

    x: array of any shape; float64, float32, float16, ml_dtypes types, a torch tensor (its FP8 and FP4 types, too), an
        array of JAX, or numbers (float32).
    format: the destination: an element format, its name ("e4m3fn"), or a type (torch.float8_e4m3fn, numpy.float16).
    policy, settings: choices where the formats leave one, "rounding=ties_to_away,overflow=none_inf_or_nan"
        (mxgold.policy), or as keywords: rounding="RNE", profile="te". Without one, values beyond the format and infinities are IEEE 754's where
        the format has infinities, and saturate where it has none. What a profile leaves open is not marked in the
        result: open_answers() says which codes are one choice of several.
    source: the format of x where its type does not say it, for codes in integers: convert(codes, "fp32",
        source="e4m3fn") decodes.
    seed, tensor_index: choose the random words of stochastic roundings, with the element's index in C order; 0 to
        2^64 - 1 and 0 to 2^32 - 1.
    out: an array to write into, of the kind of x: C-ordered, of the shape of x, of the type of the result or unsigned
        integers of its width, in the byte order of the machine, and sharing no memory with x.
    backend: who computes, never which bits: "auto" (the processor's vectors where they are proven), "reference" or
        "cpu" (the vectors; ValueError where there are none).

    Returns codes of the shape of x: a tensor on the device of x where x is one, else a NumPy array; in the format's own
    type where there is one, else in unsigned integers. ValueError for an unknown name, a policy that the formats do not
    take, a number out of its range, or an array that cannot be out; TypeError for a type without format.

    >>> mxgold.bits(mxgold.convert([1.0, 448.0, 1e9], "e4m3fn"))
    array([ 56, 126, 126], dtype=uint8)
    """
    if settings:
        policy = key_of(policy, settings)
    is_plain = source is out is None and backend == "auto"
    if is_plain and _quick is not None:
        found = _quick(x, format, policy, seed, tensor_index)
        if found is not NotImplemented:
            return found
    words, told, home = taken(x, source)
    made, dtype, name = plan(words.dtype, element_format(format), key_of(policy, {}), told, backend)
    if out is None:
        codes = numpy.empty(words.shape, dtype)
    else:
        codes = home.words_to_fill(out)
        require_out(codes, words.shape, dtype, x=words)
    status = _CONVERT(made.pointer, _native.address(words), words.nbytes, *_native.random_key(seed, tensor_index),
                      _native.address(codes), codes.nbytes, None)
    if status:
        _native.require(status)
    if is_plain and words is x and CALLS is not None and isinstance(policy, (str, Policy)):
        CALLS.remember(False, (words.dtype, format, policy),
                       (made.pointer.value, words.itemsize, dtype, dtype.itemsize, made))
    return home.give(codes, name) if out is None else out


def conversion_flags(x: ArrayLike, format: FormatLike, policy: PolicyLike = "", *, source: FormatLike | None = None,
                     seed: int = 0, tensor_index: int = 0, **settings: Unpack[Settings]) -> frozenset[str]:
    """What happened to any element on the way: a frozenset of "inexact", "overflow", "saturated", "underflow",
    "invalid", "to_zero".

    x, format, policy, source, seed, tensor_index, settings: as for convert().

    >>> sorted(mxgold.conversion_flags([449.0], "e4m3fn"))
    ['inexact']
    """
    words, told, _ = taken(x, source)
    made, dtype, _ = plan(words.dtype, element_format(format), key_of(policy, settings), told)
    codes = numpy.empty(words.shape, dtype)
    flags = ctypes.c_uint32()
    _native.require(_CONVERT(made.pointer, _native.address(words), words.nbytes,
                             *_native.random_key(seed, tensor_index), _native.address(codes), codes.nbytes,
                             ctypes.byref(flags)))
    return flag_names(flags.value)


def binary32(name: str, value: Any) -> int:
    """The binary32 pattern nearest to a number of 0 or more that a user gives.

    The library rounds it: the arithmetic of a process that flushes subnormals would make one of them 0.
    """
    if hasattr(value, "dtype"):
        number = array_of(value)
    else:
        try:
            number = numpy.array(float(value) if isinstance(value, numbers.Real) else None)
        except OverflowError:
            number = numpy.array(numpy.inf)
    if number.dtype.kind in "iu":
        number = number.astype(numpy.float64)
    if number.size != 1 or number.dtype.kind in "bOUS":
        raise TypeError(f"{name} must be one number, not {type(value).__name__}")
    word = int(bits_of(convert(number.reshape(1), "fp32", "overflow=none_inf_or_nan"))[0])
    if word >= 0x7F800000:
        raise ValueError(f"{name} {value}: give a finite number of binary32, 0 or more")
    return word
