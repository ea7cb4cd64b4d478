"""Single values from one format to another."""

import ctypes

import numpy

from . import _native
from ._dtypes import codes_of
from ._formats import element_format
from ._library import LIBRARY
from ._policies import policy as make_policy

_FLAGS = ((1, "inexact"), (2, "overflow"), (4, "saturated"), (8, "underflow"), (16, "invalid"), (32, "to_zero"),
          (1 << 8, "scale_clamped"), (1 << 9, "zero_block"), (1 << 10, "has_inf"), (1 << 11, "has_nan"),
          (1 << 12, "nan_scale"), (1 << 13, "codes_masked"))


def flag_names(word):
    """The names of the flags in a word."""
    return frozenset(name for bit, name in _FLAGS if word & bit)


def convert(x, format, policy="", *, source=None, seed=0, tensor_index=0, out=None):
    """Converts every element of an array to another format, rounded once.

    x: array of any shape; float64, float32, float16, ml_dtypes types, a CPU torch tensor, or numbers (float32).
    format: the destination, an element format or its name ("e4m3fn").
    policy: choices where the formats leave one, "rounding=ties_to_away,overflow=none_inf_or_nan" (mxgold.policy).
    source: the format of x where its type does not say it, for codes in integers: convert(codes, "fp32",
        source="e4m3fn") decodes.
    seed, tensor_index: choose the random words of stochastic roundings, with the element's index in C order.
    out: an array to write into, C-ordered, of the shape of x and the width of the format's codes.

    Returns codes of the shape of x, in the format's own NumPy type where there is one, else in unsigned integers.
    ValueError for an unknown name, or a policy that the formats do not take; TypeError for a type without format.

    >>> mxgold.bits(mxgold.convert([1.0, 448.0, 1e9], "e4m3fn"))
    array([ 56, 126, 126], dtype=uint8)
    """
    destination = element_format(format)
    words, name = codes_of(x, None if source is None else str(source))
    made = _native.conversion(name, destination.name, make_policy(policy).options)
    if out is None:
        out = numpy.empty(words.shape, destination.dtype)
    elif out.shape != words.shape or out.dtype.itemsize != destination.storage_bytes or not out.flags.c_contiguous:
        raise ValueError(f"out must be C-ordered, of shape {words.shape} and {destination.storage_bytes} bytes an "
                         f"element")
    elif not out.flags.writeable:
        raise ValueError("out is read-only")
    _native.require(LIBRARY.mxgold_convert_array(made.pointer, _native.address(words), words.nbytes, seed,
                                                 tensor_index, _native.address(out), out.nbytes, None))
    return out


def conversion_flags(x, format, policy="", *, source=None, seed=0, tensor_index=0):
    """What happened to any element on the way: a frozenset of "inexact", "overflow", "saturated", "underflow",
    "invalid", "to_zero". Arguments are those of convert().

    >>> sorted(mxgold.conversion_flags([449.0], "e4m3fn"))
    ['inexact']
    """
    destination = element_format(format)
    words, name = codes_of(x, None if source is None else str(source))
    made = _native.conversion(name, destination.name, make_policy(policy).options)
    codes = numpy.empty(words.shape, destination.dtype)
    flags = ctypes.c_uint32()
    _native.require(LIBRARY.mxgold_convert_array(made.pointer, _native.address(words), words.nbytes, seed,
                                                 tensor_index, _native.address(codes), codes.nbytes,
                                                 ctypes.byref(flags)))
    return flag_names(flags.value)
