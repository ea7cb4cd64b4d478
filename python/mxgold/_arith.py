"""Operations of IEEE 754 on arrays: between any formats of floats, the exact result rounded once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Union

import numpy

from . import _native, _operations
from ._convert import flag_names
from ._homes import NUMPY, require_out
from ._names import names
from ._policies import Policy, key_of, policy as make_policy
from ._scalar import Scalar, operate

if TYPE_CHECKING:
    from ._literals import IntegerName, OperationName, OutOfRange
    from ._types import DTypeLike, FormatLike, PolicyLike, Settings, Unpack

    Source = Union[FormatLike, None, tuple[Union[FormatLike, None], ...]]


class _Call(NamedTuple):
    """An operation on arrays that broadcast to a shape."""

    operation: _native.Operation
    operands: list[_operations.Operand]
    shape: tuple[int, ...]
    result: _operations.Result


def _options(out_of_range: str | None) -> _native.Options:
    return () if out_of_range is None else (("out_of_range", str(out_of_range)),)


def _operands(name: str, values: tuple[Any, ...], source: Source) -> list[_operations.Operand]:
    if name == "from_integer":
        return [_operations.integers_of(value) for value in values]
    each = source if isinstance(source, tuple) else (source,) * len(values)
    if len(each) != len(values):
        raise ValueError(f"source: {len(each)} formats for {len(values)} operands; give one, or one for each")
    return [_operations.operand_of(value, named) for value, named in zip(values, each)]


def _call(name: str, values: tuple[Any, ...], result: Any, policy: Policy, source: Source,
          out_of_range: str | None) -> _Call:
    operands = _operands(name, values, source)
    wanted = _operations.result_of(name, operands, result)
    made = _operations.made(name, operands, wanted, policy.options + _options(out_of_range))
    shapes = [operand.words.shape for operand in operands]
    try:
        shape = numpy.broadcast_shapes(*shapes)
    except ValueError:
        raise ValueError(f"operands of shapes {', '.join(map(str, shapes))} do not broadcast") from None
    return _Call(made, operands, shape, wanted)


def operations() -> list[str]:
    """The names of the operations that arithmetic() takes."""
    return list(names("operations"))


def arithmetic(operation: OperationName | str, *operands: Any, result: Any = None, policy: PolicyLike = "",
               source: Source = None, out: Any = None, out_of_range: OutOfRange | str | None = None,
               **settings: Unpack[Settings]) -> Any:
    """An operation on every element of arrays: the exact result, rounded once to the format of the result.

    operation: one of mxgold.operations(): "add", "fma", "sqrt", "remainder", "minimum_number", ...
    operands: as many as the operation takes, of shapes that broadcast: arrays and torch tensors of any formats of
        floats, Scalars, and numbers of Python or lists of them, which stand for their exact values (binary64).
        from_integer takes arrays of integers.
    result: the format of the result; that of the operands where they have one. For to_integer a type of integers,
        "i8" to "u64", "i32" by default. Comparisons have none.
    policy, settings: as for convert(), but for stochastic roundings, staging and src_ftz. Without an overflow it is
        IEEE 754's in every format: infinity, and NaN where there is none.
    source: the format of operands whose type does not say it, codes in integers: one for all, or a tuple.
    out: an array to write into, as for convert().
    out_of_range: of to_integer, what NaN and integers beyond the type become: "saturate_nan_max" (RISC-V, the default),
        "saturate_nan_zero" (ARM) or "indefinite" (x86).

    Returns codes of the result's format, booleans of comparisons, integers of to_integer: a torch tensor where an
    operand is one, else a NumPy array; of Scalars and numbers alone a Scalar, a bool, an int. ValueError for names that
    there are not, shapes and numbers of operands that do not fit; TypeError for a type without format. Source: IEEE
    754-2019, sections 5.3 to 5.6 and 9.6.

    >>> mxgold.arithmetic("maximum", numpy.float16([1, 2]), 1.5)
    array([1.5, 2. ], dtype=float16)
    >>> mxgold.arithmetic("add", numpy.float32([1e5]), numpy.float16([0.1]), result="fp16", rounding="toward_zero")
    array([65504.], dtype=float16)
    """
    name = _operations.operation_name(operation)
    chosen = make_policy(key_of(policy, settings))
    if out is None and any(isinstance(each, Scalar) for each in operands) and all(
            isinstance(each, Scalar) or _operations.is_number(each) for each in operands):
        return operate(name, operands, result, chosen, _options(out_of_range))
    call = _call(name, operands, result, chosen, source, out_of_range)
    home = next((each.home for each in call.operands if each.home is not NUMPY), NUMPY)
    if out is None:
        results = numpy.empty(call.shape, call.result.dtype)
    else:
        results = home.words_to_fill(out)
        read = {f"operand {i + 1}": each.words for i, each in enumerate(call.operands)}
        require_out(results, call.shape, call.result.dtype, **read)
    _operations.run(call.operation, call.operands, results)
    if out is not None:
        return out
    return home.give(results, call.result.format) if call.result.format else home.give_numbers(results)


def arithmetic_flags(operation: OperationName | str, *operands: Any, result: Any = None, policy: PolicyLike = "",
                     source: Source = None, out_of_range: OutOfRange | str | None = None,
                     **settings: Unpack[Settings]) -> frozenset[str]:
    """What happened to any element of an operation: a frozenset of "inexact", "overflow", "saturated", "underflow",
    "invalid", "to_zero", "divide_by_zero".

    operation, operands, result, policy, source, out_of_range, settings: as for arithmetic().

    >>> sorted(mxgold.arithmetic_flags("divide", numpy.float32([1, 0]), 0.0))
    ['divide_by_zero', 'invalid']
    """
    chosen = make_policy(key_of(policy, settings))
    call = _call(_operations.operation_name(operation), operands, result, chosen, source, out_of_range)
    return flag_names(_operations.run(call.operation, call.operands, numpy.empty(call.shape, call.result.dtype)))


def add(x: Any, y: Any, *, result: FormatLike | None = None, policy: PolicyLike = "", source: Source = None,
        out: Any = None, **settings: Unpack[Settings]) -> Any:
    """x + y, rounded once, as arithmetic("add", x, y) does.

    x, y, result, policy, source, out, settings: as for arithmetic().

    >>> mxgold.add(numpy.float16([1, 65504]), numpy.float16([2, 65504]))
    array([ 3., inf], dtype=float16)
    """
    return arithmetic("add", x, y, result=result, policy=policy, source=source, out=out, **settings)


def sub(x: Any, y: Any, *, result: FormatLike | None = None, policy: PolicyLike = "", source: Source = None,
        out: Any = None, **settings: Unpack[Settings]) -> Any:
    """x - y, rounded once, as arithmetic("subtract", x, y) does.

    x, y, result, policy, source, out, settings: as for arithmetic().
    """
    return arithmetic("subtract", x, y, result=result, policy=policy, source=source, out=out, **settings)


def mul(x: Any, y: Any, *, result: FormatLike | None = None, policy: PolicyLike = "", source: Source = None,
        out: Any = None, **settings: Unpack[Settings]) -> Any:
    """x * y, rounded once, as arithmetic("multiply", x, y) does.

    x, y, result, policy, source, out, settings: as for arithmetic().

    >>> mxgold.mul(numpy.uint8([0x44, 0x7E]), 2.0, source="e4m3fn", result="fp32")  # 3 and 448
    array([  6., 896.], dtype=float32)
    """
    return arithmetic("multiply", x, y, result=result, policy=policy, source=source, out=out, **settings)


def div(x: Any, y: Any, *, result: FormatLike | None = None, policy: PolicyLike = "", source: Source = None,
        out: Any = None, **settings: Unpack[Settings]) -> Any:
    """x / y, rounded once, as arithmetic("divide", x, y) does.

    x, y, result, policy, source, out, settings: as for arithmetic().
    """
    return arithmetic("divide", x, y, result=result, policy=policy, source=source, out=out, **settings)


def fma(x: Any, y: Any, z: Any, *, result: FormatLike | None = None, policy: PolicyLike = "", source: Source = None,
        out: Any = None, **settings: Unpack[Settings]) -> Any:
    """x * y + z, rounded once, as arithmetic("fma", x, y, z) does.

    x, y, z, result, policy, source, out, settings: as for arithmetic().

    >>> mxgold.fma(numpy.float16([0.1]), numpy.float16([10]), numpy.float32([-1]), result="fp32")
    array([-0.00024414], dtype=float32)
    """
    return arithmetic("fma", x, y, z, result=result, policy=policy, source=source, out=out, **settings)


def sqrt(x: Any, *, result: FormatLike | None = None, policy: PolicyLike = "", source: Source = None, out: Any = None,
         **settings: Unpack[Settings]) -> Any:
    """The square root of x, rounded once, as arithmetic("sqrt", x) does.

    x, result, policy, source, out, settings: as for arithmetic().

    >>> mxgold.sqrt(numpy.float32([2, -1, -0.0]))
    array([ 1.4142135,        nan, -0.       ], dtype=float32)
    """
    return arithmetic("sqrt", x, result=result, policy=policy, source=source, out=out, **settings)


def remainder(x: Any, y: Any, *, result: FormatLike | None = None, policy: PolicyLike = "", source: Source = None,
              out: Any = None, **settings: Unpack[Settings]) -> Any:
    """x - n * y for the whole number n nearest to x / y: the remainder of IEEE 754, not Python's %.

    x, y, result, policy, source, out, settings: as for arithmetic().

    >>> mxgold.remainder([5.0, 7.0, -4.0], 4.0)
    array([ 1., -1., -0.])
    """
    return arithmetic("remainder", x, y, result=result, policy=policy, source=source, out=out, **settings)


def minimum(x: Any, y: Any, *, result: FormatLike | None = None, policy: PolicyLike = "", source: Source = None,
            out: Any = None, **settings: Unpack[Settings]) -> Any:
    """The smaller one, and NaN where one is, as arithmetic("minimum", x, y) gives it; -0 is smaller than +0.

    x, y, result, policy, source, out, settings: as for arithmetic().
    """
    return arithmetic("minimum", x, y, result=result, policy=policy, source=source, out=out, **settings)


def maximum(x: Any, y: Any, *, result: FormatLike | None = None, policy: PolicyLike = "", source: Source = None,
            out: Any = None, **settings: Unpack[Settings]) -> Any:
    """The larger one, and NaN where one is, as arithmetic("maximum", x, y) gives it; -0 is smaller than +0.

    x, y, result, policy, source, out, settings: as for arithmetic().
    """
    return arithmetic("maximum", x, y, result=result, policy=policy, source=source, out=out, **settings)


def equal(x: Any, y: Any, *, source: Source = None, out: Any = None) -> Any:
    """x == y, exactly, between any two formats; False where one is a NaN.

    x, y, source, out: as for arithmetic("compare_quiet_equal", x, y).

    >>> mxgold.equal(mxgold.convert([0.1, 0.5], "fp16"), mxgold.convert([0.1, 0.5], "fp32"))
    array([False,  True])
    """
    return arithmetic("compare_quiet_equal", x, y, source=source, out=out)


def less(x: Any, y: Any, *, source: Source = None, out: Any = None) -> Any:
    """x < y, exactly, between any two formats; False where one is a NaN.

    x, y, source, out: as for arithmetic("compare_quiet_less", x, y).
    """
    return arithmetic("compare_quiet_less", x, y, source=source, out=out)


def less_equal(x: Any, y: Any, *, source: Source = None, out: Any = None) -> Any:
    """x <= y, exactly, between any two formats; False where one is a NaN.

    x, y, source, out: as for arithmetic("compare_quiet_less_equal", x, y).
    """
    return arithmetic("compare_quiet_less_equal", x, y, source=source, out=out)


def to_integer(x: Any, type: IntegerName | DTypeLike = "i32", *, out_of_range: OutOfRange | str | None = None,
               rounding: str = "toward_zero", source: Source = None, out: Any = None) -> Any:
    """Integers of a type of the values x, as a machine's conversion makes them.

    x, out_of_range, source, out: as for arithmetic("to_integer", x).
    type: "i8" to "u64", or a type of NumPy or torch.
    rounding: as for convert(); C truncates.

    >>> mxgold.to_integer(numpy.float32([2.7, -2.7, 1e10]), "i16", out_of_range="indefinite")
    array([     2,     -2, -32768], dtype=int16)
    """
    return arithmetic("to_integer", x, result=type, out_of_range=out_of_range, source=source, out=out,
                      rounding=rounding)


def from_integer(x: Any, result: FormatLike, *, policy: PolicyLike = "", out: Any = None,
                 **settings: Unpack[Settings]) -> Any:
    """Values of a format of integers of any type, rounded once.

    x: an array of integers, or integers of Python.
    result, policy, out, settings: as for arithmetic().

    >>> mxgold.from_integer([1, 2049], "fp16")
    array([1.000e+00, 2.048e+03], dtype=float16)
    """
    return arithmetic("from_integer", x, result=result, policy=policy, out=out, **settings)
