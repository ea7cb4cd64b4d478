"""What operations of IEEE 754 take and give: operands with their formats, and the call of the library."""

from __future__ import annotations

import ctypes
import decimal
import fractions
import numbers
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy

from . import _native
from ._dtypes import format_of
from ._formats import element_format
from ._homes import NUMPY, Home, taken
from ._library import LIBRARY
from ._names import name_of, names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._types import Array, FormatLike

#: Integers up to this are values of binary64.
_WHOLE = 1 << 53


class Operand(NamedTuple):
    """What a caller gave: words, the name of their format, and where they are from."""

    words: Array
    name: str
    home: Home = NUMPY
    #: A number of Python, which stands for its exact value and chooses no format.
    is_number: bool = False


class Result(NamedTuple):
    """What an operation gives."""

    #: As the library names it: a format, an integer ("i32"), None of comparisons.
    name: str | None
    #: Of arrays of results.
    dtype: numpy.dtype[Any]
    #: The name where results are codes of it, else "".
    format: str = ""


def operation_name(given: Any) -> str:
    """An operation of the library; ValueError for a name that there is not."""
    return name_of("operation", given, names("operations"))


def is_number(value: Any) -> bool:
    """Is this one number of Python, without a type of arrays?"""
    return isinstance(value, (numbers.Real, decimal.Decimal)) and not hasattr(value, "dtype")


def _exact(value: Any) -> float:
    """A number as the binary64 that it is; ValueError where it is none."""
    try:
        made = float(value)
    except OverflowError:
        made = float("inf")
    if not isinstance(value, float) and (made in (float("inf"), -float("inf")) or fractions.Fraction(value) != made):
        raise ValueError(f"{value} is no value of binary64: round it to a format first, mxgold.Scalar(value, format)")
    return made


def _numbers(value: Any) -> Operand:
    """Numbers of Python in lists, as binary64."""
    words = numpy.asarray(value)
    if words.dtype.kind not in "fiu":
        raise TypeError(f"an operand: an array, a tensor, a Scalar or numbers, not {type(value).__name__}")
    if words.dtype.kind in "iu" and words.size and max(int(words.max()), -int(words.min())) > _WHOLE:
        for each in words.flat:
            _exact(int(each))
    return Operand(words.astype(numpy.float64), "fp64", NUMPY, True)


def operand_of(value: Any, source: FormatLike | None = None) -> Operand:
    """An array, a tensor, a Scalar or numbers. source: the format of codes in integers."""
    if is_number(value):
        return Operand(numpy.array(_exact(value)), "fp64", NUMPY, True)
    if isinstance(value, (list, tuple)):
        return _numbers(value)
    words, told, home = taken(value)
    if told is None and source is not None and words.dtype.kind in "iu":
        told = element_format(source).name
    return Operand(words, format_of(words.dtype, told), home)


def integers_of(value: Any) -> Operand:
    """Integers, by their own type; those of Python are of 64 bits."""
    words, _, home = taken(value, holds_codes=True)
    if words.dtype.kind not in "iu":
        raise TypeError(f"from_integer: an array of integers, not of {words.dtype.name}")
    return Operand(words, f"{words.dtype.kind}{8 * words.dtype.itemsize}", home)


def _common(operands: Sequence[Operand]) -> str:
    """The format of a result that nobody named."""
    found = {operand.name for operand in operands if not operand.is_number} or {"fp64"}
    if len(found) > 1:
        raise ValueError(f"operands of {' and '.join(sorted(found))}: name the format of the result with result=")
    return found.pop()


def _integer(given: Any) -> str:
    """A type of integers by its name here ("i32"), in NumPy, or as an object of NumPy or torch."""
    text = str(given if isinstance(given, str) else numpy.dtype(given) if isinstance(given, type) else given)
    name = text.rpartition(".")[2].replace("uint", "u").replace("int", "i")
    if name not in names("integers"):
        raise ValueError(f"result: to_integer gives one of {', '.join(names('integers'))}, not {given!r}")
    return name


def result_of(operation: str, operands: Sequence[Operand], given: Any) -> Result:
    """What an operation gives, of what the caller named."""
    if operation.startswith("compare_"):
        if given is not None:
            raise ValueError(f"result: {operation} gives booleans; leave it out")
        return Result(None, numpy.dtype(numpy.bool_))
    if operation == "to_integer":
        name = _integer("i32" if given is None else given)
        return Result(name, numpy.dtype(f"{name[0]}{int(name[1:]) // 8}"))
    if given is None and operation == "from_integer":
        raise ValueError("from_integer: name the format of the result with result=")
    destination = element_format(_common(operands) if given is None else given)
    return Result(destination.name, destination.dtype, destination.name)


def made(operation: str, operands: Sequence[Operand], result: Result, options: _native.Options) -> _native.Operation:
    """The operation of the library."""
    return _native.operation(operation, tuple(operand.name for operand in operands), result.name, options)


def run(operation: _native.Operation, operands: Sequence[Operand], results: Array) -> int:
    """Fills results, whose shape that of the operands broadcasts to; the word of all flags."""
    held = []
    for words, *_ in operands:
        if words.size != 1 and words.shape != results.shape:
            words = numpy.ascontiguousarray(numpy.broadcast_to(words, results.shape))
        held.append(words)
    given = (_native.Words * len(held))(*[_native.Words(_native.address(words), words.nbytes) for words in held])
    flags = ctypes.c_uint32()
    _native.require(LIBRARY.mxgold_operate(operation.pointer, given, len(held), results.size,
                                           _native.address(results), results.nbytes, None, ctypes.byref(flags)))
    return flags.value
