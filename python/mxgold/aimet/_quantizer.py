"""Quantizers: a type, the largest magnitudes seen, and the scales that follow. Source: spec S8.1, S8.3, S8.6.

They are torch.nn.Modules where torch is installed; importing this file imports torch then.
"""

from __future__ import annotations

import collections
import contextlib
import math
from typing import TYPE_CHECKING, Any, Iterator, overload

import numpy

from .._arrays import to_words
from .._mode import setting
from .._modules import Module
from .._systems import apply, cast
from ._encoding import FloatEncoding, _MXFP4Encoding, _NVFP4Encoding
from ._finfo import FLOAT4_E2M1FN, FloatInfo
from ._tensors import (as_numpy, as_tensor, dequantized, detached_copy, elements, have_equal_bits, is_floating,
                       is_torch, native, overwrite, quantize_dequantize, same_kind, torch_if_imported)
from .encoding_analyzer import MinMaxEncodingAnalyzer, StatisticsNotFoundError

if TYPE_CHECKING:
    from .._types import Array, ArrayLike, ArrayOrTensor, Tensor
    from .encoding_analyzer import EncodingAnalyzer
    from .tensor import DequantizedTensor


def _is_expandable(source: tuple[int, ...], target: tuple[int, ...]) -> bool:
    pairs = zip(reversed(source), reversed(target))
    return len(source) <= len(target) and all(size in (1, wanted) for size, wanted in pairs)


def _bits_of(tensor: Any) -> tuple[str, tuple[int, ...], bytes]:
    """What two tensors have in common if and only if type, shape and every bit are the same."""
    words, kind = to_words(tensor)
    return kind, words.shape, words.tobytes()


class FloatQuantizeDequantize(Module):
    """Quantizes tensors to a type of floats and dequantizes them again: x -> round(clamp(x / scale)) * scale.

    Where torch is installed this is a torch.nn.Module with one buffer, `maxval`, and no parameters: a member of
    models, which its state, .to(), copies and pickles go with. Torch tensors get the gradient of spec S8.3, once;
    maxval gets none. Elsewhere it holds NumPy arrays and keeps its methods.

    exponent_bits, mantissa_bits: the type, 1..8 (compat 0..8) and 0..23 bits. finite: the type has no infinities;
    unsigned_zero: it has no negative zero; both only with the bits of torch's own types and of float4_e2m1fn.
    dtype: the type instead of these four, as torch's dtype or its name.
    shape: of the scales, () for one; the analyzer's if None. block_size: elements that share a scale, along each axis
    of the scale from the right; -1: as many as there are.
    encoding_analyzer: what calibrates the scales within compute_encodings(). By default types of less than 16 bits
    have a MinMaxEncodingAnalyzer, and others keep the scale 1.
    mode: "strict" or "compat"; None is the mode in force at each call.

    Raises ValueError where neither or both of dtype and bits are given, RuntimeError for types that cannot be
    simulated and for analyzers of another shape.

    >>> qdq = FloatQuantizeDequantize(dtype="float8_e4m3fnuz")
    >>> with qdq.compute_encodings():
    ...     _ = qdq(numpy.float32([1.8998, -0.0947, -1.0891, -0.1727]))
    >>> qdq(numpy.float32([1.8998, -0.0947, -1.0891, -0.1727]))
    array([ 1.8998    , -0.09499   , -1.13988   , -0.17414832], dtype=float32)
    """

    #: The largest magnitudes, of the quantizer's shape: float32 (compat, no mantissa bits: int64).
    maxval: Any
    #: Its own mode, or None.
    mode: str | None
    #: The shape of the scales.
    shape: tuple[int, ...]
    #: Elements that share a scale, along each axis of the scale; None without blocks.
    block_size: tuple[int, ...] | None
    #: What calibrates the scales; None where nothing does.
    encoding_analyzer: EncodingAnalyzer | None

    def __init__(self, exponent_bits: int | None = None, mantissa_bits: int | None = None, finite: bool | None = None,
                 unsigned_zero: bool | None = None, dtype: Any = None, shape: int | tuple[int, ...] | None = None,
                 block_size: tuple[int, ...] | None = None, encoding_analyzer: EncodingAnalyzer | None = None, *,
                 mode: str | None = None) -> None:
        if dtype is None:
            if exponent_bits is None or mantissa_bits is None:
                raise ValueError('Neither "dtype" nor "exponent/mantissa_bits" was specified.')
            info = FloatInfo(exponent_bits, mantissa_bits, bool(finite), bool(unsigned_zero))
        elif any(each is not None for each in (exponent_bits, mantissa_bits, finite, unsigned_zero)):
            raise ValueError('Argument "dtype" is mutually exclusive with '
                             '"exponent/mantissa_bits/finite/unsigned_zero".')
        else:
            info = FloatInfo.of_dtype(dtype)
        super().__init__()
        self.mode = mode
        self._finfo = info
        if shape is None:
            shape = encoding_analyzer.observer.shape if encoding_analyzer else ()
        self.shape = (shape,) if isinstance(shape, int) else tuple(shape)
        self.block_size = block_size
        if self.bitwidth < 16 and encoding_analyzer is None:
            encoding_analyzer = MinMaxEncodingAnalyzer(self.shape, block_size)
        self.encoding_analyzer = encoding_analyzer
        if encoding_analyzer and not _is_expandable(encoding_analyzer.observer.shape, self.shape):
            raise RuntimeError(f"Encoding analyzer of shape {encoding_analyzer.observer.shape} is incompatible with "
                               f"quantizer of shape {self.shape}.")
        cast(self._finfo.text("FloatQuantizeDequantize"), mode)  # refuses what cannot be simulated
        self._given: Any = None  # what from_encodings() took: type, bits of maxval, scales
        self._known_scale: Any = None  # the last ones: type, maxval, scales
        self._is_overwrite_allowed: dict[str, bool] = collections.OrderedDict(maxval=True)
        is_integer = isinstance(self._finfo.max, int) and self._mode() == "compat"
        if is_integer and self._finfo.max >= 2**63:  # what torch says of its buffer
            raise RuntimeError("value cannot be converted to type int64_t without overflow") \
                if self._finfo.max == 2**63 else OverflowError("int too big to convert")
        filled = numpy.full(self.shape, self._finfo.max, numpy.int64 if is_integer else numpy.float32)
        self.register_buffer("maxval", native(filled))

    def _mode(self) -> str:
        return setting(self.mode)[0]

    @property
    def exponent_bits(self) -> int:
        """Exponent bits of the type; setting them keeps maxval, so that the scale changes."""
        return self._finfo.exponent_bits

    @exponent_bits.setter
    def exponent_bits(self, exponent_bits: int) -> None:
        self._finfo = self._finfo._replace(exponent_bits=exponent_bits)

    @property
    def mantissa_bits(self) -> int:
        """Mantissa bits of the type; setting them keeps maxval, so that the scale changes."""
        return self._finfo.mantissa_bits

    @mantissa_bits.setter
    def mantissa_bits(self, mantissa_bits: int) -> None:
        self._finfo = self._finfo._replace(mantissa_bits=mantissa_bits)

    @property
    def bitwidth(self) -> int:
        """1 + exponent bits + mantissa bits."""
        return self._finfo.bitwidth

    def is_float16(self) -> bool:
        """Is the type IEEE 754's binary16?"""
        return self._finfo.dtype == "float16"

    def is_bfloat16(self) -> bool:
        """Is the type bfloat16?"""
        return self._finfo.dtype == "bfloat16"

    def is_initialized(self) -> bool:
        """True: a quantizer that was not calibrated has the scale 1."""
        return True

    def allow_overwrite(self, *args: bool, **kwargs: bool) -> None:
        """allow_overwrite(False) lets compute_encodings() observe nothing. Raises RuntimeError for names of other
        parameters than maxval."""
        mode = kwargs.get("mode", args[0] if args else None)
        allowed = dict.fromkeys(self._is_overwrite_allowed, mode) if mode is not None else dict(kwargs)
        unexpected = sorted(allowed.keys() - self._is_overwrite_allowed.keys())
        if unexpected:
            raise RuntimeError(f"'allow_overwrite' expected param names ['maxval']; got unexpected parameter names "
                               f"{unexpected}")
        self._is_overwrite_allowed.update(allowed)

    def is_overwrite_allowed(self, name: str | None = None) -> bool:
        """May compute_encodings() replace maxval?"""
        return any(self._is_overwrite_allowed.values()) if name is None else self._is_overwrite_allowed[name]

    def get_scale(self) -> ArrayOrTensor:
        """The scales: strict maxval / max, rounded once; compat 2**(log2(maxval) - log2(max)) as torch computes it."""
        if self.maxval is None:
            raise AttributeError("'NoneType' object has no attribute 'abs'")
        torch = torch_if_imported()
        if self._mode() == "compat":
            if torch is not None:
                by_torch: ArrayOrTensor = self._torch_scale(torch)
                return by_torch
        elif self._given is not None and self._given[:2] == (self._finfo, _bits_of(self.maxval)):
            kept: ArrayOrTensor = self._given[2]
            return kept
        given = as_numpy(self.maxval)
        maxval = given.astype(numpy.float32)
        if given.dtype == numpy.int64:
            maxval = numpy.where(given < 0, numpy.float32("nan"), maxval)
        scale = apply(self._scale_text(), numpy.asarray(maxval), mode=self.mode)["values"]
        found: ArrayOrTensor = same_kind(scale, self.maxval)
        return found

    def _torch_scale(self, torch: Any) -> Any:
        """2**(log2(maxval) - log2(max)), computed again only where maxval or the type is another than last time."""
        maxval = native(self.maxval)
        if maxval.requires_grad:
            return 2 ** self._log2_scale(torch)
        known = self._known_scale
        if known is None or known[0] != self._finfo or not have_equal_bits(known[1], maxval):
            known = self._known_scale = self._finfo, maxval.detach().clone(), 2 ** self._log2_scale(torch)
        return known[2].clone()

    def _log2_scale(self, torch: Any) -> Any:
        return torch.log2(native(self.maxval).abs()) - math.log2(self._finfo.max)

    def _scale_text(self) -> str:
        return self._finfo.text("get_scale")

    def get_encodings(self) -> FloatEncoding:
        """The type and the scales, as a FloatEncoding."""
        return FloatEncoding(self.mantissa_bits, self.exponent_bits, *self._finfo[2:], self.get_scale(),
                             block_size=self.block_size, producer=self, mode=self.mode)

    get_encoding = get_encodings

    def set_encodings(self, encodings: FloatEncoding) -> None:
        """Takes over an encoding's type, scales and blocks. compat: NotImplementedError, as in the package.

        Raises TypeError for anything but a FloatEncoding.
        """
        if self._mode() == "compat":
            raise NotImplementedError
        other = type(self).from_encodings(encodings)
        self._finfo, self.shape, self.block_size = other._finfo, other.shape, other.block_size
        self.maxval, self._given = other.maxval, other._given

    @classmethod
    def from_encodings(cls, encodings: FloatEncoding) -> FloatQuantizeDequantize:
        """A quantizer of an encoding's type and scales; compat, as the package, recomputes the scales from maxval.

        Raises TypeError for anything but a FloatEncoding.
        """
        if not isinstance(encodings, FloatEncoding):
            raise TypeError(f"Expected {FloatEncoding}; got {type(encodings)}")
        quantizer = cls(*encodings._finfo, shape=tuple(encodings.scale.shape), block_size=encodings.block_size,
                        mode=encodings.mode)
        if elements(encodings.scale) != 1 or as_numpy(encodings.scale).reshape(()) != 1:
            quantizer.maxval = detached_copy(native(encodings.maxval))
            quantizer._given = quantizer._finfo, _bits_of(quantizer.maxval), encodings.scale
        return quantizer

    def get_legacy_encodings(self) -> list[dict[str, Any]]:
        """[{"bitwidth": ..., "dtype": "float"}]."""
        return [{"bitwidth": self.bitwidth, "dtype": "float"}]

    def set_legacy_encodings(self, encodings: list[dict[str, Any]]) -> None:
        """Makes the type's bits those of binary16. Raises RuntimeError for other bitwidths than 16."""
        if encodings[0]["bitwidth"] != 16:
            raise RuntimeError(f"{type(self)} can only import 16-bit legacy encodings.")
        self.exponent_bits, self.mantissa_bits = 5, 10

    @overload
    def forward(self, input: Tensor) -> DequantizedTensor: ...
    @overload
    def forward(self, input: ArrayLike) -> Array: ...
    def forward(self, input: Any) -> Any:
        """The tensor quantized and dequantized; tensors of integers are returned as they are.

        input: an array or tensor whose shape takes the scales'. compat: the result is float32 where the scale is not
        0-dimensional. strict: it is of the input's type. A torch result is a DequantizedTensor.
        """
        value = as_tensor(input)
        if not is_floating(value):
            return input
        encoding = self.get_encodings()
        output = quantize_dequantize(encoding._text("FloatQuantizeDequantize"), value,
                                     same_kind(encoding.scale, value), self._mode())
        return dequantized(output, encoding) if is_torch(output) else output

    @contextlib.contextmanager
    def compute_encodings(self) -> Iterator[None]:
        """Within it, each call quantizes under the range of its own input, and the ranges are remembered; at its end
        maxval is that of all of them. An exception within leaves maxval as it was.

        Raises TypeError for tensors of integers. Warns of ranges that are not numbers and of extreme ones.
        """
        if not self.encoding_analyzer or not self.is_overwrite_allowed():
            yield
            return
        analyzer = self.encoding_analyzer
        analyzer.reset_stats()
        setattr(self, "forward", self._observe_and_forward)
        try:
            yield
        finally:
            delattr(self, "forward")
        try:
            maxval = analyzer._maxval(self._finfo, self.mode)
        except StatisticsNotFoundError:
            return
        self._store(maxval)

    def _observe_and_forward(self, input: Any) -> Any:
        value = as_tensor(input)
        forward = type(self).forward
        if elements(value) == 0:
            return forward(self, value)
        if not is_floating(value):
            raise TypeError(f"torch.finfo() requires a floating point input type, not {value.dtype}")
        kept, given, analyzer = self.maxval, self._given, self.encoding_analyzer
        assert analyzer is not None  # compute_encodings() saw to it
        maxval = analyzer._observe(value, self._finfo, self.mode)
        try:
            self.maxval, self._given = self._as_maxval(maxval), None
            return forward(self, value)
        finally:
            self.maxval, self._given = kept, given

    def _as_maxval(self, values: Any) -> Any:
        """The maxval of an analyzer, expanded to the quantizer's shape and cast to what maxval is."""
        if is_torch(self.maxval):
            return native(values).to(dtype=self.maxval.dtype, device=self.maxval.device).expand_as(self.maxval)
        with numpy.errstate(invalid="ignore"):
            return numpy.broadcast_to(as_numpy(values).astype(self.maxval.dtype), self.maxval.shape)

    def _store(self, values: Any) -> None:
        """Overwrites maxval in its place."""
        overwrite(self.maxval, self._as_maxval(values))
        self._given = None

    def get_extra_state(self) -> dict[str, Any]:
        """The type's bits and flags and the block size, as 0- and 1-dimensional tensors."""
        state = {name: native(numpy.asarray(value)) for name, value in self._finfo._asdict().items()}
        sizes: tuple[int, ...] = self.block_size or ()
        state["block_size"] = native(numpy.asarray(sizes, dtype=numpy.int64 if sizes else numpy.float32))
        return state

    def set_extra_state(self, state: dict[str, Any]) -> None:
        """Takes over what get_extra_state() gave; what is missing stays."""
        block_size = tuple(int(size) for size in state.get("block_size", self.block_size or ()))
        self.block_size = block_size or None
        facts = {**self._finfo._asdict(), **state}
        self._finfo = FloatInfo(int(facts["exponent_bits"]), int(facts["mantissa_bits"]), bool(facts["finite"]),
                                bool(facts["unsigned_zero"]))
        self._given = None

    def load_state_dict(self, state_dict: Any, *args: Any, **kwargs: Any) -> Any:
        """Takes over type, blocks, shape and maxval of a state. Returns the missing and the unexpected keys.

        A state without maxval leaves the quantizer without one: the next call is an AttributeError. Other arguments
        are those of torch.nn.Module.load_state_dict (strict, assign). Raises RuntimeError for unexpected keys if
        strict. Loaded as part of a model, a state must have maxval, of the quantizer's shape.
        """
        state = dict(state_dict)
        state.setdefault("_extra_state", {})
        maxval = state.get("maxval")
        if maxval is None:
            state.pop("maxval", None)
            self.maxval = None
        elif self.maxval is None or self.maxval.shape != maxval.shape:
            self.maxval = detached_copy(maxval)
        keys = super().load_state_dict(state, *args, **kwargs)
        if self.maxval is not None:
            self.shape = tuple(self.maxval.shape)
        return keys

    def extra_repr(self) -> str:
        """What the type's name is followed by when it is printed."""
        if self._finfo.dtype:
            parts = [f"dtype=torch.{self._finfo.dtype}"]
        else:
            parts = [f"{name}={value}" for name, value in self._finfo._asdict().items()]
        parts += [f"shape={self.shape}"] if self.shape else []
        parts += [f"block_size={self.block_size}"] if self.block_size else []
        return ", ".join(parts)


class QuantizeDequantize(FloatQuantizeDequantize):
    """Alias of FloatQuantizeDequantize."""


class _MXFP4QuantizeDequantize(FloatQuantizeDequantize):
    """float4_e2m1fn under scales that are the powers of two nearest to maxval / 6, in the logarithm."""

    def __init__(self, shape: int | tuple[int, ...] | None, block_size: tuple[int, ...] | None, *,
                 mode: str | None = None) -> None:
        super().__init__(*FLOAT4_E2M1FN, shape=shape, block_size=block_size, mode=mode)

    def _log2_scale(self, torch: Any) -> Any:
        return torch.round(super()._log2_scale(torch))

    def _scale_text(self) -> str:
        return "aimet:get_mxfp4_scale"

    def get_encodings(self) -> _MXFP4Encoding:
        """The scales, as an _MXFP4Encoding."""
        return _MXFP4Encoding(self.get_scale(), self.block_size, producer=self, mode=self.mode)

    @classmethod
    def from_encodings(cls, encodings: FloatEncoding) -> _MXFP4QuantizeDequantize:
        """Raises TypeError for anything but an _MXFP4Encoding."""
        if not isinstance(encodings, _MXFP4Encoding):
            raise TypeError(f"Expected {_MXFP4Encoding}; got {type(encodings)}")
        quantizer = cls(tuple(encodings.scale.shape), encodings.block_size, mode=encodings.mode)
        quantizer._store(encodings.maxval)
        return quantizer


class _NVFP4QuantizeDequantize(FloatQuantizeDequantize):
    """float4_e2m1fn under scales whose unit, meta_scale, is no part of the arithmetic."""

    #: The unit of the scales: float32, 0-dimensional.
    meta_scale: Any

    def __init__(self, shape: int | tuple[int, ...] | None, block_size: tuple[int, ...] | None, *,
                 mode: str | None = None) -> None:
        super().__init__(*FLOAT4_E2M1FN, shape=shape, block_size=block_size, mode=mode)
        self.register_buffer("meta_scale", native(numpy.ones((), dtype=numpy.float32)))

    def get_encodings(self) -> _NVFP4Encoding:
        """The scales and their unit, as an _NVFP4Encoding."""
        return _NVFP4Encoding(self.get_scale(), self.meta_scale, self.block_size, producer=self, mode=self.mode)

    @classmethod
    def from_encodings(cls, encodings: FloatEncoding) -> _NVFP4QuantizeDequantize:
        """Raises TypeError for anything but an _NVFP4Encoding."""
        if not isinstance(encodings, _NVFP4Encoding):
            raise TypeError(f"Expected {_NVFP4Encoding}; got {type(encodings)}")
        quantizer = cls(tuple(encodings.scale.shape), encodings.block_size, mode=encodings.mode)
        quantizer._store(encodings.maxval)
        overwrite(quantizer.meta_scale, native(encodings.meta_scale))
        return quantizer


def mxfp4_weight_scale(amax: Any, *, mode: str | None = None) -> Any:
    """The scales that set_weight_quantizer_to_mxfp4_int8() gives blocks of these largest magnitudes.

    amax: float32. compat: 2**floor(log2(amax / 4)) with binary32's logarithm, 1 for a block of zeros. strict: the OCP
    rule, 2**-127 for a block of zeros.
    """
    return apply("aimet:mxfp4_weight_scale", as_tensor(amax), mode=mode)["values"]


def nvfp4_weight_scale(scale_q: Any, meta_scale: Any) -> Any:
    """The scales that set_weight_quantizer_to_nvfp4_int8() gives: scale_q * meta_scale, in float32."""
    return as_tensor(scale_q) * as_tensor(meta_scale)
