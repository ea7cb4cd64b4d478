"""Dot products of blocks."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy

from . import _native
from ._homes import codes_of
from ._formats import element_format
from ._library import LIBRARY
from ._quantized import Quantized

if TYPE_CHECKING:
    from ._types import FormatLike


def _rows(side: Any, name: str) -> _native.Rows:
    if not isinstance(side, Quantized):
        raise TypeError(f"{name} must be what quantize() returns, not {type(side).__name__}")
    if side._codes.ndim not in (1, 2) or side.axis != side._codes.ndim - 1:
        raise ValueError(f"{name} must have 1 or 2 dimensions and blocks along the last; it has {side._codes.ndim}, "
                         f"blocks along axis {side.axis}")
    rows = 1 if side._codes.ndim == 1 else side._codes.shape[0]
    return _native.Rows(_native.address(side._codes), side._codes.nbytes, _native.address(side._scales),
                        side._scales.nbytes, rows)


def dot(a: Quantized, b: Quantized, addend: Any = None, *, mode: str = "exact_once", result: FormatLike = "fp32",
        **options: str | int) -> Any:
    """Dot products of rows of blocks: addend + a @ b.T, every rounding on the way as `mode` says.

    a, b: Quantized of shape (M, K) and (N, K), or (K,), blocks along the last axis and of equal size.
    addend: an array of the result's shape, or None; its type is its format (float32, ...).
    mode: "exact_once" (the exact sum, rounded once), "fp32_seq", "fp32_tree", "block_exact_fp32_seq", or "accumulator"
        (a hardware accumulator that the other options describe).
    result: the format of the results, at most 32 bits.
    options: rounding, overflow; for mode "accumulator" group (1..1024 products a step), align_bits (2..56),
        align_rounding, order, carry, align, normalize, acc_format, acc_rounding, acc_overflow, acc_ftz,
        acc_zero_sign.

    Returns codes of `result`, a tensor where a is one, else a NumPy array, of shape (M, N) without the dimensions that a or b lack. ValueError where shapes, block
    sizes or options do not fit.

    >>> a = mxgold.quantize(numpy.float32([[1, 2], [3, 4]]), "mxfp8_e4m3")
    >>> mxgold.dot(a, a)
    array([[ 5., 11.],
           [11., 25.]], dtype=float32)
    """
    left, right = _rows(a, "a"), _rows(b, "b")
    if a._codes.shape[-1] != b._codes.shape[-1]:
        raise ValueError(f"a has {a._codes.shape[-1]} elements along its last axis, b has {b._codes.shape[-1]}")
    destination = element_format(result)
    settings: dict[str, str | int] = {"mode": mode, "result": destination.name, **options}
    shape = a._codes.shape[:-1] + b._codes.shape[:-1]
    words = None
    if addend is not None:
        words, settings["addend"] = codes_of(addend)
        if words.shape != shape:
            raise ValueError(f"the results have shape {shape}, the addend {words.shape}")
    made = _native.dot(a._quantizer, b._quantizer, tuple((name, str(value)) for name, value in settings.items()))
    results = numpy.empty(shape, destination.dtype)
    _native.require(LIBRARY.mxgold_dot_rows(
        made.pointer, a._codes.shape[-1], ctypes.byref(left), ctypes.byref(right),
        None if words is None else _native.address(words), 0 if words is None else words.nbytes,
        _native.address(results), results.nbytes, None))
    return a._home.give(results, destination.name)
