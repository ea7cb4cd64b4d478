"""Single values of a format, with operators."""

from __future__ import annotations

import ctypes
import fractions
import functools
import numbers
import operator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy

from . import _native, _numbers, _operations
from ._convert import flag_names
from ._dtypes import bits_of
from ._formats import ElementFormat, element_format
from ._homes import NUMPY
from ._library import LIBRARY
from ._policies import Policy, key_of, policy as make_policy

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._types import Array, FormatLike, PolicyLike, Settings, Unpack


_DEFAULT = make_policy()


class Scalar:
    """One value of a format: a code, what it means, and operators that round once.

    `x + y` is a Scalar of the format of both, under the policy of both; a number of Python stands for its exact value.
    Values of different formats need a format for the result: mxgold.add(x, y, result="fp32"). Scalars compare and hash
    as the numbers that they are. They do not change.

    >>> x = mxgold.Scalar(1.1, "e4m3fn")
    >>> x, x.value, sorted(x.flags)
    (mxgold.Scalar(1.125, 'e4m3fn'), Fraction(9, 8), ['inexact'])
    >>> x * x, float(x * x), hex((x * x).bits)
    (mxgold.Scalar(1.25, 'e4m3fn'), 1.25, '0x3a')
    """

    __slots__ = ("_bits", "_flags", "_format", "_policy")
    _bits: int
    _flags: int
    _format: ElementFormat
    _policy: Policy
    #: Arrays of NumPy leave operators to Scalars, which refuse arrays: mxgold.add() takes both.
    __array_ufunc__ = None

    def __init__(self, value: Any, format: FormatLike | None = None, policy: PolicyLike = "", *,
                 random: int | None = None, **settings: Unpack[Settings]) -> None:
        """The value of a format nearest to a number, as its policy has it.

        value: a number: int, float, fractions.Fraction, decimal.Decimal, a Scalar, or one of NumPy, ml_dtypes or torch.
            It is rounded once, from its exact value.
        format: a format of single values; that of a Scalar, and fp64, by default.
        policy, settings: as for convert(); operations take them too, but for stochastic roundings. Where they name no
            overflow, this conversion is convert()'s and operations are IEEE 754's.
        random: the random word of a stochastic rounding, 0 to 2^random_bits - 1.

        ValueError for names that there are not; TypeError for what is no number.
        """
        chosen = make_policy(key_of(policy, settings))
        if isinstance(value, Scalar):
            format = value._format if format is None else format
            number = _numbers.number_of_code(value._format.name, value._bits)
        else:
            number = _numbers.number_of(value)
        self._format = element_format("fp64" if format is None else format)
        self._policy = chosen
        self._bits, self._flags = _numbers.rounded(number, self._format.name, chosen.options, random)

    @classmethod
    def from_bits(cls, bits: int, format: FormatLike, policy: PolicyLike = "", **settings: Unpack[Settings]) -> Scalar:
        """The value of a code. ValueError where it has bits above the format's.

        >>> mxgold.Scalar.from_bits(0x38, "e4m3fn")
        mxgold.Scalar(1.0, 'e4m3fn')
        """
        found = element_format(format)
        code = _native.whole("bits", bits, found.bits)
        return _made(code, found, make_policy(key_of(policy, settings)), 0)

    @property
    def bits(self) -> int:
        """The code."""
        return self._bits

    @property
    def format(self) -> ElementFormat:
        """The format that the code is of."""
        return self._format

    @property
    def policy(self) -> Policy:
        """The policy that operations round under."""
        return self._policy

    @property
    def flags(self) -> frozenset[str]:
        """What happened when this value was made: "inexact", "overflow", "saturated", "underflow", "invalid",
        "to_zero", "divide_by_zero"."""
        return flag_names(self._flags)

    @property
    def value(self) -> fractions.Fraction:
        """The exact value. ValueError for a NaN, OverflowError for an infinity; both zeros are 0."""
        number = self._number
        if number.kind == _numbers.NAN:
            raise ValueError("a NaN has no value")
        if number.kind == _numbers.INFINITE:
            raise OverflowError("an infinity has no value")
        return _numbers.fraction_of(number)

    @property
    def is_nan(self) -> bool:
        """Is it a NaN?"""
        return bool(self._number.kind == _numbers.NAN)

    @property
    def is_inf(self) -> bool:
        """Is it an infinity?"""
        return bool(self._number.kind == _numbers.INFINITE)

    @property
    def is_zero(self) -> bool:
        """Is it a zero of either sign?"""
        return bool(self._number.kind == _numbers.ZERO)

    @property
    def is_negative(self) -> bool:
        """Has it the sign of negative values? So has -0."""
        return bool(self._number.is_negative)

    @property
    def _number(self) -> _numbers.Number:
        return _numbers.number_of_code(self._format.name, self._bits)

    @property
    def _code_words(self) -> tuple[Array, str]:
        """The code as an array without dimensions, and the name of its format."""
        return numpy.array(self._bits, f"u{self._format.storage_bytes}"), self._format.name

    def to(self, format: FormatLike, policy: PolicyLike = "", *, random: int | None = None,
           **settings: Unpack[Settings]) -> Scalar:
        """The same value rounded to another format, as convert() does.

        >>> mxgold.Scalar(1.1, "fp32").to("e2m1fn")
        mxgold.Scalar(1.0, 'e2m1fn')
        """
        return Scalar(self, format, policy, random=random, **settings)

    def __add__(self, other: Any) -> Any:
        return _operator("add", self, other)

    def __radd__(self, other: Any) -> Any:
        return _operator("add", other, self)

    def __sub__(self, other: Any) -> Any:
        return _operator("subtract", self, other)

    def __rsub__(self, other: Any) -> Any:
        return _operator("subtract", other, self)

    def __mul__(self, other: Any) -> Any:
        return _operator("multiply", self, other)

    def __rmul__(self, other: Any) -> Any:
        return _operator("multiply", other, self)

    def __truediv__(self, other: Any) -> Any:
        return _operator("divide", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _operator("divide", other, self)

    def __pos__(self) -> Scalar:
        return self

    def __neg__(self) -> Scalar:
        """The value of the other sign, exact; a NaN stays. ValueError where the format has none."""
        return self._signed(not self.is_negative)

    def __abs__(self) -> Scalar:
        return self._signed(False)

    def _signed(self, is_negative: bool) -> Scalar:
        number = self._number
        if number.kind == _numbers.NAN or bool(number.is_negative) == is_negative:
            return self
        number.is_negative = is_negative
        options = (("overflow", "none_inf_or_nan"), ("int_min", "allow"))
        code, flags = _numbers.rounded(number, self._format.name, options, None)
        if flags:
            raise ValueError(f"{self!r}: {self._format} has no value of the other sign")
        return _made(code, self._format, self._policy, 0)

    def __eq__(self, other: object) -> Any:
        return _compare(operator.eq, self, other)

    def __lt__(self, other: Any) -> Any:
        return _compare(operator.lt, self, other)

    def __le__(self, other: Any) -> Any:
        return _compare(operator.le, self, other)

    def __gt__(self, other: Any) -> Any:
        return _compare(operator.gt, self, other)

    def __ge__(self, other: Any) -> Any:
        return _compare(operator.ge, self, other)

    def __bool__(self) -> bool:
        return not self.is_zero

    def __hash__(self) -> int:
        return hash(_exact(self._number))

    def __float__(self) -> float:
        """The nearest value of binary64, an infinity beyond it."""
        number = self._number
        code, _ = _numbers.rounded(number, "fp64", (("overflow", "none_inf_or_nan"),), None)
        return float(numpy.array(code, numpy.uint64).view(numpy.float64))

    def __int__(self) -> int:
        return int(self.value)

    def as_integer_ratio(self) -> tuple[int, int]:
        """The exact value as a numerator and a denominator without a common factor."""
        return self.value.numerator, self.value.denominator

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        """The code in the type of the format's arrays, without dimensions."""
        array = self._code_words[0].view(self._format.dtype)
        return array if dtype is None else array.astype(dtype)

    def __format__(self, spec: str) -> str:
        return float(self).__format__(spec) if spec else str(self)

    def __str__(self) -> str:
        return repr(float(self))

    def __repr__(self) -> str:
        number = float(self)
        is_told = not self.is_nan and (self.is_inf or abs(number) != float("inf")) and (self.is_zero or number != 0)
        if is_told and Scalar(number, self._format, overflow="none_inf_or_nan")._bits == self._bits:
            return f"mxgold.Scalar({number!r}, {str(self._format)!r})" if not self.is_inf else (
                f"mxgold.Scalar(float({str(number)!r}), {str(self._format)!r})")
        return f"mxgold.Scalar.from_bits({self._bits:#x}, {str(self._format)!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._bits, str(self._format), str(self._policy), self._flags)


def _made(bits: int, format: ElementFormat, policy: Policy, flags: int) -> Scalar:
    made = Scalar.__new__(Scalar)
    made._bits, made._format, made._policy, made._flags = bits, format, policy, flags
    return made


def _restored(bits: int, format: str, policy: str, flags: int) -> Scalar:
    """What was pickled."""
    return _made(bits, element_format(format), make_policy(policy), flags)


def _exact(number: _numbers.Number) -> fractions.Fraction | float:
    """What a number compares and hashes as."""
    if number.kind == _numbers.NAN:
        return float("nan")
    if number.kind == _numbers.INFINITE:
        return float("-inf" if number.is_negative else "inf")
    return _numbers.fraction_of(number)


def _compare(relation: Callable[[Any, Any], bool], x: Scalar, other: Any) -> Any:
    """The relation of exact values, whatever has them; one to a NaN holds never."""
    if isinstance(other, Scalar):
        return relation(_exact(x._number), _exact(other._number))
    if not _operations.is_number(other) and not isinstance(other, numpy.generic):
        return NotImplemented
    is_exact = isinstance(other, numbers.Rational) and not isinstance(other, numpy.generic)
    return relation(_exact(x._number), other if is_exact else _exact(_numbers.number_of(other)))


def _policy_of(values: tuple[Any, ...]) -> Policy:
    """The policy of operands: that of those that have one."""
    found: Policy | None = None
    for value in values:
        given = value._policy if isinstance(value, Scalar) else None
        if given and found and found != given:
            raise ValueError(f"operands under {str(found)!r} and {str(given)!r}: give policy= to mxgold.arithmetic()")
        found = given or found
    return _DEFAULT if found is None else found


def _operator(name: str, *values: Any) -> Any:
    if all(isinstance(value, Scalar) or _operations.is_number(value) or isinstance(value, numpy.generic)
           for value in values):
        return operate(name, values, None, _policy_of(values), ())
    return NotImplemented


class _Plan(NamedTuple):
    """An operation on single values."""

    operation: _native.Operation
    size: int
    #: None where the result is a bool or an integer, of `dtype`.
    format: ElementFormat | None
    dtype: numpy.dtype[Any]


@functools.lru_cache(maxsize=512)
def _plan(name: str, formats: tuple[tuple[str, bool], ...], result: Any, policy: Policy,
          options: _native.Options) -> _Plan:
    none = numpy.empty(0)
    operands = [_operations.Operand(none, each, NUMPY, is_number) for each, is_number in formats]
    wanted = _operations.result_of(name, operands, result)
    return _Plan(_operations.made(name, operands, wanted, policy.options + options), wanted.dtype.itemsize,
                 element_format(wanted.format) if wanted.format else None, wanted.dtype)


def _code_of(value: Any) -> tuple[int, int, tuple[str, bool]]:
    """The code of an operand, its bytes, and its format: (name, is it a number of Python?)."""
    if isinstance(value, Scalar):
        return value._bits, value._format.storage_bytes, (value._format.name, False)
    operand = _operations.operand_of(value)
    return int(bits_of(operand.words)[()]), operand.words.itemsize, (operand.name, operand.is_number)


def operate(name: str, values: tuple[Any, ...], result: Any, policy: Policy, options: _native.Options) -> Any:
    """An operation on Scalars and numbers: a Scalar, a bool of a comparison, an int of to_integer."""
    operands = [_code_of(value) for value in values]
    plan = _plan(name, tuple([operand[2] for operand in operands]), result, policy, options)
    words = (ctypes.c_uint64 * (len(operands) + 1))(*[operand[0] for operand in operands])
    at = ctypes.addressof(words)
    given = (_native.Words * len(operands))(
        *[_native.Words(at + 8 * i, operand[1]) for i, operand in enumerate(operands)])
    flags = ctypes.c_uint32()
    _native.require(LIBRARY.mxgold_operate(plan.operation.pointer, given, len(operands), 1, at + 8 * len(operands),
                                           plan.size, None, ctypes.byref(flags)))
    code = words[len(operands)]
    if plan.format is not None:
        return _made(code, plan.format, policy, flags.value)
    return bool(code) if plan.dtype.kind == "b" else int(numpy.uint64(code).astype(plan.dtype))
