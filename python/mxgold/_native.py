"""The general functions of the C interface: conversions, quantizers and dot products behind handles."""

from __future__ import annotations

import ctypes
import functools
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from ._library import LIBRARY, Error, encoded
from ._names import names as names, unknown as unknown

if TYPE_CHECKING:
    from ._types import Array

    Message = ctypes.Array[ctypes.c_char]

#: (name, value) pairs.
Options = tuple[tuple[str, str], ...]

_MESSAGE_BYTES = 1024
_OK, _NO_MEMORY, _INTERNAL = 0, 7, 8
NULL_ARGUMENT, BAD_VALUE, BAD_SIZE = 1, 4, 6


class _Option(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("value", ctypes.c_char_p)]


class FormatInfo(ctypes.Structure):
    _fields_ = [("bits", ctypes.c_uint32), ("storage_bytes", ctypes.c_uint32), ("max_code", ctypes.c_uint64)]


class BlockInfo(ctypes.Structure):
    _fields_ = [("element", ctypes.c_char_p), ("scale", ctypes.c_char_p), ("extent", ctypes.c_char_p),
                ("tensor_scale", ctypes.c_char_p), ("block_size", ctypes.c_uint32), ("tile_lines", ctypes.c_uint32),
                ("element_bits", ctypes.c_uint32), ("scale_bits", ctypes.c_uint32),
                ("element_bytes", ctypes.c_uint32), ("scale_bytes", ctypes.c_uint32)]


class Level(ctypes.Structure):
    _fields_ = [("amax", ctypes.c_uint32), ("scale", ctypes.c_uint32)]


class Rows(ctypes.Structure):
    _fields_ = [("codes", ctypes.c_void_p), ("code_bytes", ctypes.c_uint64), ("scales", ctypes.c_void_p),
                ("scale_bytes", ctypes.c_uint64), ("rows", ctypes.c_uint64)]


class Words(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("bytes", ctypes.c_uint64)]


class UnitOperands(ctypes.Structure):
    _fields_ = [("a", ctypes.c_char_p), ("b", ctypes.c_char_p), ("scale", ctypes.c_char_p),
                ("block_size", ctypes.c_uint32), ("result", ctypes.c_char_p)]


def _declare() -> None:
    size, pointer, text, status = ctypes.c_size_t, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
    u64, u32, i64, flags = ctypes.c_uint64, ctypes.c_uint32, ctypes.c_int64, ctypes.POINTER(ctypes.c_uint32)
    out = ctypes.POINTER(ctypes.c_void_p)
    options = [ctypes.POINTER(_Option), size]
    message = [text, size]
    shape = [ctypes.POINTER(u64), size, i64]
    signatures = {
        "mxgold_format": (status, [text, ctypes.POINTER(FormatInfo)]),
        "mxgold_conversion_create": (status, [text, text, *options, out, *message]),
        "mxgold_conversion_destroy": (None, [pointer]),
        "mxgold_convert_array": (status, [pointer, pointer, u64, u64, u32, pointer, u64, flags]),
        "mxgold_open_values": (status, [pointer, pointer, u64, pointer, u64, flags]),
        "mxgold_open_blocks": (status, [pointer, *shape, pointer, u64, u64, u32, pointer, u64, pointer, u64, flags]),
        "mxgold_takes_tensor_scale": (ctypes.c_int, [pointer]),
        "mxgold_quantizer_create": (status, [text, text, *options, out, *message]),
        "mxgold_quantizer_destroy": (None, [pointer]),
        "mxgold_quantizer_at_level": (status, [pointer, ctypes.POINTER(Level), out]),
        "mxgold_find_tensor_level": (status, [pointer, pointer, u64, ctypes.POINTER(Level)]),
        "mxgold_block": (status, [pointer, ctypes.POINTER(BlockInfo)]),
        "mxgold_quantize_tensor": (status, [pointer, *shape, pointer, u64, u64, u32, pointer, u64, pointer, u64,
                                            flags]),
        "mxgold_dequantize_tensor": (status, [pointer, *shape, pointer, u64, pointer, u64, text, pointer, u64]),
        "mxgold_canonical_format": (status, [text, text, size, *message]),
        "mxgold_packed_bytes": (status, [text, text, u64, u64, ctypes.POINTER(u64), *message]),
        "mxgold_pack": (status, [text, text, u64, pointer, u64, pointer, u64]),
        "mxgold_unpack": (status, [text, text, u64, pointer, u64, pointer, u64]),
        "mxgold_scale_layout_bytes": (status, [text, u64, u64, ctypes.POINTER(u64)]),
        "mxgold_lay_out_scales": (status, [text, u64, u64, pointer, u64, pointer, u64]),
        "mxgold_bring_back_scales": (status, [text, u64, u64, pointer, u64, pointer, u64]),
        "mxgold_hadamard_mask": (ctypes.c_uint16, [u64]),
        "mxgold_hadamard_tensor": (status, [text, *shape, ctypes.c_uint16, ctypes.c_int, pointer, u64, pointer, u64]),
        "mxgold_values": (status, [text, pointer, size, pointer]),
        "mxgold_round": (status, [pointer, pointer, pointer, size, pointer, flags]),
        "mxgold_operation_create": (status, [text, ctypes.POINTER(text), size, text, *options, out, *message]),
        "mxgold_operation_destroy": (None, [pointer]),
        "mxgold_operate": (status, [pointer, ctypes.POINTER(Words), size, u64, pointer, u64, pointer, flags]),
        "mxgold_unit_create": (status, [text, ctypes.POINTER(UnitOperands), u64, out, *message]),
        "mxgold_unit_destroy": (None, [pointer]),
        "mxgold_unit_multiply": (status, [pointer, u64, ctypes.POINTER(Rows), ctypes.POINTER(Rows), ctypes.c_int,
                                          pointer, u64, pointer, u64]),
        "mxgold_dot_create": (status, [pointer, pointer, *options, out, *message]),
        "mxgold_dot_destroy": (None, [pointer]),
        "mxgold_dot_rows": (status, [pointer, u64, ctypes.POINTER(Rows), ctypes.POINTER(Rows), pointer, u64, pointer,
                                     u64, flags]),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(LIBRARY, name)
        function.restype, function.argtypes = result, arguments


_declare()


def require(status: int, message: Message | None = None) -> None:
    """Raises what a status other than OK means: ValueError for what the caller can mend."""
    if status == _OK:
        return
    text = message.value.decode() if message is not None else ""
    text = text or LIBRARY.mxgold_status_text(status).decode()
    if status == _NO_MEMORY:
        raise MemoryError(text)
    if status == _INTERNAL:
        raise Error(text)
    raise ValueError(text)


def index(name: str, value: Any) -> int:
    """A whole number that a user gives, as an int."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be a whole number, not {type(value).__name__}") from None


def whole(name: str, value: Any, bits: int) -> int:
    """The same, of a field of so many bits: beyond them ctypes wraps without a word."""
    number = index(name, value)
    if number < 0 or number >> bits:
        raise ValueError(f"{name} {number} is not a whole number of 0 to 2^{bits} - 1")
    return number


def random_key(seed: Any, tensor_index: Any) -> tuple[int, int]:
    """What random words are drawn by: (seed, tensor_index)."""
    return whole("seed", seed, 64), whole("tensor_index", tensor_index, 32)


class _Handle:
    """Owns an object of the library. Objects are immutable and may be shared between threads."""

    _destroy: Callable[[ctypes.c_void_p], None]

    def __init__(self, pointer: ctypes.c_void_p) -> None:
        self.pointer = pointer

    def __del__(self) -> None:
        self._destroy(self.pointer)


class Conversion(_Handle):
    _destroy = staticmethod(LIBRARY.mxgold_conversion_destroy)


class Quantizer(_Handle):
    _destroy = staticmethod(LIBRARY.mxgold_quantizer_destroy)

    def info(self) -> BlockInfo:
        info = BlockInfo()
        require(LIBRARY.mxgold_block(self.pointer, ctypes.byref(info)))
        return info

    def at_level(self, amax: int, scale: int) -> Quantizer:
        """The same quantizer at a tensor level, two binary32 patterns."""
        handle = ctypes.c_void_p()
        level = Level(amax, scale)
        require(LIBRARY.mxgold_quantizer_at_level(self.pointer, ctypes.byref(level), ctypes.byref(handle)))
        return Quantizer(handle)


class Dot(_Handle):
    _destroy = staticmethod(LIBRARY.mxgold_dot_destroy)


class Operation(_Handle):
    _destroy = staticmethod(LIBRARY.mxgold_operation_destroy)


class Unit(_Handle):
    _destroy = staticmethod(LIBRARY.mxgold_unit_destroy)


HandleT = TypeVar("HandleT", bound=_Handle)


def _made(kind: type[HandleT], function: Any, *arguments: Any) -> HandleT:
    handle = ctypes.c_void_p()
    message = ctypes.create_string_buffer(_MESSAGE_BYTES)
    require(function(*arguments, ctypes.byref(handle), message, _MESSAGE_BYTES), message)
    return kind(handle)


def _given(options: Options) -> tuple[Any, int]:
    return (_Option * len(options))(*[_Option(encoded(name), encoded(value)) for name, value in options]), len(options)


def _create(function: Any, kind: type[HandleT], first: Any, second: Any, options: Options) -> HandleT:
    return _made(kind, function, first, second, *_given(options))


def computed_by(backend: str, options: Options) -> Options:
    """Options, and who computes under them; the library names what it does not take."""
    return options if backend == "auto" else (*options, ("backend", str(backend)))


@functools.lru_cache(maxsize=512)
def conversion(source: str, destination: str, options: Options) -> Conversion:
    """The conversion between two formats under options, (name, value) pairs; made once."""
    return _create(LIBRARY.mxgold_conversion_create, Conversion, encoded(source), encoded(destination), options)


@functools.lru_cache(maxsize=512)
def quantizer(source: str, block_format: str, options: Options) -> Quantizer:
    """The quantizer from a format to a block format under options; made once."""
    return _create(LIBRARY.mxgold_quantizer_create, Quantizer, encoded(source), encoded(block_format), options)


def dot(a: Quantizer, b: Quantizer, options: Options) -> Dot:
    """Dot products of what two quantizers give."""
    return _create(LIBRARY.mxgold_dot_create, Dot, a.pointer, b.pointer, options)


@functools.lru_cache(maxsize=512)
def operation(name: str, operands: tuple[str, ...], result: str | None, options: Options) -> Operation:
    """An operation between formats under options; made once."""
    formats = (ctypes.c_char_p * len(operands))(*map(encoded, operands))
    return _made(Operation, LIBRARY.mxgold_operation_create, encoded(name), formats, len(operands),
                 None if result is None else encoded(result), *_given(options))


@functools.lru_cache(maxsize=128)
def unit(name: str, a: str, b: str, scale: tuple[str, int] | None, result: str, chunk: int) -> Unit:
    """The products of a matrix unit; made once."""
    scale_format, block_size = scale or (None, 0)
    operands = UnitOperands(encoded(a), encoded(b), None if scale_format is None else encoded(scale_format), block_size,
                            encoded(result))
    return _made(Unit, LIBRARY.mxgold_unit_create, encoded(name), ctypes.byref(operands), chunk)


def address(array: Array) -> int:
    """Where the data of an array lies; faster than array.ctypes.data."""
    at: int = array.__array_interface__["data"][0]
    return at


@functools.lru_cache(maxsize=1024)
def shape_of(shape: tuple[int, ...]) -> ctypes.Array[ctypes.c_uint64]:
    """A shape as the library takes it; it is only read."""
    return (ctypes.c_uint64 * len(shape))(*shape)
