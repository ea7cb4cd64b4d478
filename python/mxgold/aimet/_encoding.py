"""Encodings: an element type and scales. Source: spec S8.1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

import numpy

from .._mode import setting
from .._systems import apply
from . import _json
from ._finfo import FLOAT4_E2M1FN, FLOAT8_E4M3FN, HALVES, FloatInfo
from ._tensors import (as_numpy, as_tensor, dtype_name, is_torch, native, quantize_dequantize, same_kind,
                       torch_if_imported)

if TYPE_CHECKING:
    from .._types import ArrayLike, ArrayOrTensor, ArrayOrTensorT, Tensor


class FloatEncoding:
    """An element type and the scales under which a tensor is quantized to it.

    mantissa_bits, exponent_bits (in this order), finite, unsigned_zero: the type; `finite` means that it has no
    infinities. scale: an array or tensor, of any shape that broadcasts to the inputs, or of as many elements as there
    are blocks of block_size, a size for each axis of the scale (-1: as many elements as there are).
    producer: who made it, for the user alone. mode: "strict" or "compat"; None is the mode in force at each call.
    ValueError for no scale.
    """

    def __init__(self, mantissa_bits: int, exponent_bits: int, finite: bool, unsigned_zero: bool,
                 scale: ArrayLike | Tensor, block_size: Sequence[int] | None = None, *, producer: Any = None,
                 mode: str | None = None) -> None:
        if scale is None:
            raise ValueError("scale cannot be None for FloatEncoding")
        self._finfo = FloatInfo(exponent_bits, mantissa_bits, finite, unsigned_zero)
        self.scale: ArrayOrTensor = as_tensor(scale)
        self.block_size: tuple[int, ...] | None = (tuple(block_size) or None) if block_size is not None else None
        self.producer: Any = producer
        self.mode: str | None = mode
        self._input_shape_hint: tuple[int, ...] | None = None

    @property
    def mapping(self) -> str:
        """"float"."""
        return "float"

    @property
    def mantissa_bits(self) -> int:
        """Stored significand bits of the type."""
        return self._finfo.mantissa_bits

    @property
    def exponent_bits(self) -> int:
        """Exponent bits of the type."""
        return self._finfo.exponent_bits

    @property
    def finite(self) -> bool:
        """True where the type has no infinities."""
        return self._finfo.finite

    @property
    def unsigned_zero(self) -> bool:
        """True where the type has no negative zero."""
        return self._finfo.unsigned_zero

    @property
    def bitwidth(self) -> int:
        """1 + exponent bits + mantissa bits."""
        return self._finfo.bitwidth

    @property
    def maxval(self) -> ArrayOrTensor:
        """scale * the type's largest value, in the scale's type and shape. compat: OverflowError for that of E8M0."""
        scale: Any = self.scale
        if self._finfo.max >= 2**64 and isinstance(self._finfo.max, int) and setting(self.mode)[0] == "compat":
            raise OverflowError("int too big to convert")
        largest = float(self._finfo.max)
        if is_torch(scale):
            found: ArrayOrTensor = scale * largest
            return found
        with numpy.errstate(over="ignore"):
            return numpy.asarray(scale * scale.dtype.type(largest))

    @property
    def granularity(self) -> str:
        """"pertensor", "blockwise", "perchannel" or "unknown", by the shape of the scale and the blocks."""
        if len(self.scale.shape) == 0:
            return "pertensor"
        if self.block_size is not None:
            return "blockwise"
        return "perchannel" if sum(size > 1 for size in self.scale.shape) <= 1 else "unknown"

    def _clone_with(self, scale: Any) -> FloatEncoding:
        return FloatEncoding(*self._type(), scale, self.block_size, mode=self.mode)

    def _type(self) -> tuple[int, int, bool, bool]:
        return self.mantissa_bits, self.exponent_bits, self.finite, self.unsigned_zero

    def to(self, *args: Any, **kwargs: Any) -> FloatEncoding:
        """The encoding with scales of another type of floats (a dtype, or what torch's `to` takes); itself where they
        have it.

        Raises RuntimeError for types of integers.
        """
        scale: Any = self.scale
        dtype = kwargs.get("dtype", args[0] if args else None)
        if dtype is not None and not is_torch(scale):
            dtype = dtype_name(dtype)
        kind = dtype_name(dtype) if dtype is not None and not _is_device(dtype) else ""
        if kind and not kind.startswith(("float", "bfloat")):
            raise RuntimeError(f"Cannot change encoding data dtype to {dtype}, only floating point data types are "
                               "supported")
        if is_torch(scale):
            moved = scale.to(*args, **kwargs)
            return self if moved is scale else self._clone_with(moved)
        if not kind or kind == dtype_name(scale):
            return self
        if kind == "bfloat16":
            import ml_dtypes

            return self._clone_with(scale.astype(ml_dtypes.bfloat16))
        return self._clone_with(scale.astype(kind))

    def _text(self, function: str) -> str:
        return self._finfo.text(function, block_size=self.block_size)

    def _half(self, function: str, value: Any) -> Any:
        value = as_tensor(value)
        return apply(self._text(function), value, mode=self.mode, scale=same_kind(self.scale, value))["values"]

    def quantize(self, input: ArrayOrTensorT) -> ArrayOrTensorT:
        """input / scale rounded to the type; the values before they are multiplied by the scale again.

        input: an array or tensor of float32, bfloat16 or float16, of a shape that takes the scale's. compat: the result
        is float32 where the scale is not 0-dimensional. RuntimeError for blocks that do not fit, ValueError for shapes.
        """
        values: ArrayOrTensorT = self._half("quantize", input)
        return values

    def dequantize(self, input: ArrayOrTensorT) -> ArrayOrTensorT:
        """input * scale; types, shapes and errors as those of quantize()."""
        values: ArrayOrTensorT = self._half("dequantize", input)
        return values

    def quantize_dequantize(self, input: ArrayOrTensorT) -> ArrayOrTensorT:
        """quantize(), then dequantize(); torch tensors that want a gradient get it."""
        value = as_tensor(input)
        values: ArrayOrTensorT = quantize_dequantize(self._text("FloatQuantizeDequantize"), value,
                                                     same_kind(self.scale, value), setting(self.mode)[0])
        return values

    def to_json(self) -> str:
        """The encoding as JSON text that from_json reads back exactly."""
        return _json.write(self._finfo, as_numpy(self.scale), self.block_size)

    @classmethod
    def from_json(cls, text: str | bytes) -> FloatEncoding:
        """The encoding of to_json's text; its scales are float32. ValueError for any other text."""
        (exponent_bits, mantissa_bits, finite, unsigned_zero), scale, block_size = _json.read(text)
        return FloatEncoding(mantissa_bits, exponent_bits, finite, unsigned_zero, native(scale), block_size)

    def _hint_input_shape(self, input_shape: Sequence[int]) -> FloatEncoding:
        self._input_shape_hint = tuple(input_shape)
        return self

    def to_qnn_encoding_dict(self, encoding_version: str | None = None) -> Any:
        """The encoding as QNN writes it.

        encoding_version: "0.6.1" and "1.0.0" know float16 and bfloat16 with scale 1 only; "2.0.0" and "2.1.0" give
        {} for these, else output_dtype, y_scale, axis and block_size. Raises RuntimeError for what a version cannot
        say, AssertionError for other versions.
        """
        is_half = self._finfo in HALVES
        if encoding_version not in ("2.0.0", "2.1.0") and not (is_half and numpy.all(as_numpy(self.scale) == 1)):
            reason = "got non-1 scale" if is_half else f"got dtype={self._finfo.name}"
            raise RuntimeError(f"v{encoding_version} floating point encoding only supports float16/bfloat16 with "
                               f"scale=1; {reason}")
        if encoding_version == "0.6.1":
            return [{"bitwidth": self.bitwidth, "dtype": "float"}]
        if encoding_version == "1.0.0":
            return {"dtype": "FLOAT", "bw": self.bitwidth, "enc_type": "PER_TENSOR"}
        if encoding_version not in ("2.0.0", "2.1.0"):
            raise AssertionError(f"Export encoding version {encoding_version} not supported.")
        if is_half:
            return {}
        if self._finfo.onnx_name is None:
            raise RuntimeError(f"{self._finfo.name} has no ONNX type")
        return self._qnn_2()

    def _qnn_2(self) -> dict[str, Any]:
        scale = as_numpy(self.scale)
        result: dict[str, Any] = {"output_dtype": self._finfo.onnx_name, "y_scale": numpy.squeeze(scale).tolist()}
        if self.granularity == "pertensor":
            return result
        channel_axis, block_axis = self._axes()
        if block_axis is not None and self.block_size is not None:
            result.update(y_scale=scale.tolist(), axis=block_axis, block_size=self.block_size[block_axis])
        elif channel_axis is not None:
            result.update(y_scale=scale.flatten().tolist(), axis=channel_axis)
        return result

    def _axes(self) -> tuple[int | None, int | None]:
        """(axis of channels, axis of blocks), counted from the end; None where there is none."""
        if self._input_shape_hint is None:
            raise RuntimeError("the axes of channels and blocks are unknown without the input's shape; call "
                               "_hint_input_shape first")
        sizes = concretize_block_size(self._input_shape_hint, tuple(self.scale.shape), self.block_size or ())
        several = [axis for axis, count in enumerate(self.scale.shape) if count > 1]
        blocks = [axis for axis in several if sizes[axis] > 1]
        channels = [axis for axis in several if sizes[axis] <= 1]
        if len(blocks) > 1 or len(channels) > 1 or (blocks and not channels):
            raise RuntimeError(f"no unique axes: blocks along {blocks}, channels along {channels}")
        rank = len(self.scale.shape)
        return channels[0] - rank if channels else None, blocks[0] - rank if blocks else None


def _is_device(value: Any) -> bool:
    torch = torch_if_imported()
    return isinstance(value, str) and torch is not None and value.split(":")[0] in ("cpu", "cuda") \
        or torch is not None and isinstance(value, torch.device)


def concretize_block_size(input_shape: tuple[int, ...], scale_shape: tuple[int, ...],
                          block_size: tuple[int, ...]) -> tuple[int, ...]:
    """A size for each axis of the scale: block_size right-aligned, -1 as many as fit."""
    if len(input_shape) < len(scale_shape):
        raise ValueError(f"Input shape {input_shape} must have at least as many dimensions as scale shape "
                         f"{scale_shape}.")
    if len(scale_shape) < len(block_size):
        raise ValueError(f"Scale shape {scale_shape} must have at least as many dimensions as block size "
                         f"{block_size}.")
    missing = len(scale_shape) - len(block_size)
    sizes = [1 if size > 1 else -1 for size in scale_shape[:missing]] + list(block_size)
    inputs = input_shape[len(input_shape) - len(scale_shape):]
    return tuple(whole // count if size == -1 else size for size, whole, count in zip(sizes, inputs, scale_shape))


def _require_blocks_of_e2m1fn(encoding: FloatEncoding, name: str) -> None:
    if encoding.block_size is None:
        raise ValueError(f"Cannot create {name} encoding from a FloatEncoding with no block size")
    if encoding._finfo != FLOAT4_E2M1FN:
        raise ValueError(f"Cannot create {name} encoding from {encoding._finfo.name} encoding")


class _MXFP4Encoding(FloatEncoding):
    """float4_e2m1fn under scales that are powers of two, 2^-127..2^127."""

    def __init__(self, scale: Any, block_size: Sequence[int] | None = None, *, producer: Any = None,
                 mode: str | None = None) -> None:
        super().__init__(1, 2, True, False, scale, block_size, producer=producer, mode=mode)

    def _clone_with(self, scale: Any) -> FloatEncoding:
        return _MXFP4Encoding(scale, self.block_size, producer=self.producer, mode=self.mode)

    @classmethod
    def _from_float_encoding(cls, encoding: Any) -> _MXFP4Encoding:
        """Raises ValueError for other types, for encodings without blocks and for other scales."""
        if isinstance(encoding, _MXFP4Encoding):
            return encoding
        if not isinstance(encoding, FloatEncoding):
            raise ValueError(f"Only FloatEncoding can be converted to MXFP4 encoding; got {type(encoding)}")
        _require_blocks_of_e2m1fn(encoding, "MXFP4")
        mantissa, exponent = numpy.frexp(as_numpy(encoding.scale))
        if not (numpy.all(mantissa == 0.5) and -126 <= exponent.min() and exponent.max() <= 128):
            raise ValueError("Cannot create MXFP4 encoding from a FloatEncoding with a scale that cannot be "
                             "represented in float8e8m0")
        return cls(encoding.scale, encoding.block_size, producer=encoding.producer, mode=encoding.mode)


class _NVFP4Encoding(FloatEncoding):
    """float4_e2m1fn under scales that float8_e4m3fn holds in units of meta_scale, which is no part of the
    arithmetic."""

    def __init__(self, scale: Any, meta_scale: Any, block_size: Sequence[int] | None, *, producer: Any = None,
                 mode: str | None = None) -> None:
        super().__init__(1, 2, True, False, scale, block_size, producer=producer, mode=mode)
        self.meta_scale: ArrayOrTensor = as_tensor(meta_scale)

    def _clone_with(self, scale: Any) -> FloatEncoding:
        return _NVFP4Encoding(scale, self.meta_scale, self.block_size, producer=self.producer, mode=self.mode)

    def _scales_as_e4m3fn(self, function: str) -> Any:
        text = FLOAT8_E4M3FN.text(function)
        return apply(text, self.scale, mode="compat", scale=same_kind(self.meta_scale, self.scale))["values"]

    def to_qnn_encoding_dict(self, encoding_version: str | None = None) -> Any:
        """Version "2.1.0" only (RuntimeError): y_scale holds the scales in float8_e4m3fn and their unit."""
        if encoding_version != "2.1.0":
            raise RuntimeError(f"NVFP4 encoding is only supported in 2.1.0 encoding; got {encoding_version}")
        result = super().to_qnn_encoding_dict(encoding_version)
        result["y_scale"] = {"x": as_numpy(self._scales_as_e4m3fn("quantize")).tolist(),
                             "x_scale": as_numpy(self.meta_scale).tolist(), "input_dtype": "float8e4m3fn"}
        return result

    @classmethod
    def _from_float_encoding(cls, encoding: Any, meta_scale: Any) -> _NVFP4Encoding:
        """Raises TypeError for other encodings, ValueError for scales that float8_e4m3fn does not hold."""
        if not isinstance(encoding, FloatEncoding) or isinstance(encoding, _NVFP4Encoding):
            raise TypeError("Cannot create NVFP4 encoding from another NVFP4 encoding")
        _require_blocks_of_e2m1fn(encoding, "NVFP4")
        made = cls(encoding.scale, meta_scale, encoding.block_size, producer=encoding.producer, mode=encoding.mode)
        if not numpy.allclose(as_numpy(made.scale), as_numpy(made._scales_as_e4m3fn("FloatQuantizeDequantize"))):
            raise ValueError("Cannot create NVFP4 encoding from a FloatEncoding with a scale that cannot be "
                             "represented in float8e4m3fn")
        return made


