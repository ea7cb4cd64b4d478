"""dmx's observers: what they see decides the scale and the zero point of an integer format.

They are torch.nn.Modules where torch is installed, with the package's buffers; they compute in NumPy either way.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy

from .._arrays import is_torch
from .._modules import Module, buffer, torch
from ._formats import FixedPoint, Format

if TYPE_CHECKING:
    from .._types import Array, ArrayOrTensor, ArrayOrTensorT

__all__ = ["DMXObserverBase", "DummyObserver", "HistogramObserver", "MinMaxObserver", "PercentileObserver"]

_EPS = float(numpy.finfo(numpy.float32).eps)
PER_TENSOR_AFFINE, PER_TENSOR_SYMMETRIC = "per_tensor_affine", "per_tensor_symmetric"
PER_CHANNEL_AFFINE, PER_CHANNEL_SYMMETRIC = "per_channel_affine", "per_channel_symmetric"
_SCHEMES = (PER_TENSOR_AFFINE, PER_TENSOR_SYMMETRIC, PER_CHANNEL_AFFINE, PER_CHANNEL_SYMMETRIC)


def scheme(qscheme: Any) -> Any:
    """A quantisation scheme: torch's object where torch is installed, else its name. Takes either."""
    name = scheme_name(qscheme)
    if name not in _SCHEMES:
        raise AssertionError(f"{qscheme} is none of {', '.join(_SCHEMES)}")
    return name if torch is None else getattr(torch, name)


def scheme_name(qscheme: Any) -> str:
    """Torch's own objects print as "torch.<name>"."""
    return str(qscheme).rpartition(".")[2]


def array(x: Any) -> Array:
    """A float32 NumPy array of an array or a tensor."""
    if is_torch(x):
        found: Array = x.detach().cpu().float().numpy()
        return found
    return numpy.asarray(x, dtype=numpy.float32)


def _code_range(format: Format) -> tuple[int | None, int | None]:
    """(least, most) of integer formats, None of others."""
    if not isinstance(format, FixedPoint) or format.fraction != 0 or not format.clamp:
        return None, None
    most = 2 ** (format.precision - 1) - 1
    return (-most if format.symmetric else -most - 1), most


class DMXObserverBase(Module):
    """Watches tensors and says which scale and zero point spread their values over the codes of an integer format.

    dtype: the Format (AssertionError for anything else). qscheme: per tensor or per channel (along ch_axis), affine or
    symmetric, as torch's object or its name (AssertionError for others). eps: the least scale. Buffers: eps; of those
    that watch: min_val, max_val and histogram, float32. quant_min, quant_max: the ends of the codes, None where dtype
    is no integer format. A class of one's own has forward() and calculate_qparams(), which
    _calculate_qparams(least, most) helps with.
    """

    dtype: Format
    is_dynamic: bool
    qscheme: Any
    ch_axis: int
    eps: Any
    quant_min: int | None
    quant_max: int | None

    def __init__(self, dtype: Format, qscheme: Any = PER_TENSOR_AFFINE, ch_axis: int = -1, eps: float = _EPS,
                 is_dynamic: bool = False, **_: Any) -> None:
        assert isinstance(dtype, Format), f"illegal format {dtype}"
        super().__init__()
        self.dtype = dtype
        self.is_dynamic = is_dynamic
        self.qscheme = scheme(qscheme)
        self.ch_axis = ch_axis
        self.register_buffer("eps", buffer(numpy.full(1, eps, numpy.float32)))
        self.quant_min, self.quant_max = _code_range(dtype)

    def forward(self, x: ArrayOrTensorT) -> ArrayOrTensorT:
        """Looks at x, an array or tensor of any shape, and returns it."""
        raise NotImplementedError

    def calculate_qparams(self) -> tuple[ArrayOrTensor, ArrayOrTensor]:
        """(scale, zero_point): float32 and integers (int32 of affine schemes, else int64), one entry per tensor or per
        channel."""
        raise NotImplementedError

    def _put(self, **values: Any) -> None:
        """Replaces buffers, on the device where they are."""
        for name, value in values.items():
            old = getattr(self, name)
            fresh = buffer(numpy.asarray(value, numpy.float32))
            setattr(self, name, fresh.to(old.device) if is_torch(old) else fresh)

    def _calculate_qparams(self, min_val: Any, max_val: Any) -> tuple[ArrayOrTensor, ArrayOrTensor]:
        """(scale, zero_point) of the least and the largest values, one of each channel or one."""
        scale, zero = self._qparams(array(min_val), array(max_val))
        return buffer(numpy.atleast_1d(numpy.asarray(scale, numpy.float32))), buffer(numpy.atleast_1d(zero))

    def _qparams(self, least: Array, most: Array) -> tuple[Array, Array]:
        if numpy.size(least) == 0 or numpy.any(least > most):
            return numpy.ones(1, numpy.float32), numpy.zeros(1, numpy.int64)
        if self.quant_min is None or self.quant_max is None:
            raise TypeError("unsupported operand type(s) for -: 'NoneType' and 'NoneType'")
        below = numpy.minimum(least, numpy.float32(0))
        above = numpy.maximum(most, numpy.float32(0))
        codes, eps = float(self.quant_max - self.quant_min), array(self.eps)
        if scheme_name(self.qscheme).endswith("symmetric"):
            above = numpy.maximum(-below, above)
            scale = numpy.maximum(above / numpy.float32(codes / 2), eps)
            return scale, numpy.zeros(numpy.shape(scale), numpy.int64)
        scale = numpy.maximum((above - below) / numpy.float32(codes), eps)
        zero = self.quant_min - numpy.round(below / scale).astype(numpy.int32)
        return scale, numpy.clip(zero, self.quant_min, self.quant_max)

    def extra_repr(self) -> str:
        """What the name is followed by when it is printed."""
        return f"quant_min = {self.quant_min}, quant_max = {self.quant_max}"


class _Ranged(DMXObserverBase):
    """Remembers a least and a largest value."""

    min_val: Any
    max_val: Any

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.register_buffer("min_val", buffer(numpy.array(numpy.inf, numpy.float32)))
        self.register_buffer("max_val", buffer(numpy.array(-numpy.inf, numpy.float32)))

    def _range(self) -> tuple[Array, Array]:
        return array(self.min_val), array(self.max_val)

    def reset_min_max_vals(self) -> None:
        """Forgets the values."""
        least, most = self._range()
        self._put(min_val=numpy.full_like(least, numpy.inf), max_val=numpy.full_like(most, -numpy.inf))

    def extra_repr(self) -> str:
        """What the name is followed by when it is printed."""
        return f"{super().extra_repr()}, min_val = {self.min_val}, max_val = {self.max_val}"


class DummyObserver(DMXObserverBase):
    """Watches nothing: scale 1, zero point 0."""

    def forward(self, x: ArrayOrTensorT) -> ArrayOrTensorT:
        """x."""
        return x

    def calculate_qparams(self) -> tuple[ArrayOrTensor, ArrayOrTensor]:
        """(1, 0), of one entry each."""
        return self._calculate_qparams(numpy.empty(0), numpy.empty(0))


class MinMaxObserver(_Ranged):
    """The least and the largest value seen, per tensor or per channel along ch_axis. dtype: XP[8,0](CSN) if None."""

    def __init__(self, dtype: Format | None = None, *arguments: Any, **keywords: Any) -> None:
        super().__init__(FixedPoint(8, 0) if dtype is None else dtype, *arguments, **keywords)

    def forward(self, x: ArrayOrTensorT) -> ArrayOrTensorT:
        """Takes the values of x into account, and returns it."""
        values = array(x)
        if values.size == 0:
            return x
        axes = list(range(values.ndim))
        if scheme_name(self.qscheme).startswith("per_channel"):
            axes.pop(self.ch_axis)
        least, most = self._range()
        self._put(min_val=numpy.minimum(least, values.min(axis=tuple(axes))),
                  max_val=numpy.maximum(most, values.max(axis=tuple(axes))))
        return x

    def calculate_qparams(self) -> tuple[ArrayOrTensor, ArrayOrTensor]:
        """(scale, zero_point) of the values seen, one entry per tensor or per channel; 1 and 0 before the first."""
        return self._calculate_qparams(*self._range())


class HistogramObserver(_Ranged):
    """A histogram, and the range that loses the least by squared error. Per tensor only.

    The search sums thousands of binary32 terms: where two ranges are nearly as good, the package may settle for
    another one. bins: of the histogram, evenly wide; upsample_rate: into how many parts one is cut when the range
    grows. NotImplementedError for schemes per channel.
    """

    histogram: Any
    bins: int
    upsample_rate: int

    def __init__(self, bins: int = 2048, upsample_rate: int = 128, dtype: Format | None = None,
                 qscheme: Any = PER_TENSOR_AFFINE, ch_axis: int = -1, **kwargs: Any) -> None:
        if not scheme_name(qscheme).startswith("per_tensor"):
            raise NotImplementedError("HistogramObserver is for per_tensor_symmetric and per_tensor_affine")
        super().__init__(FixedPoint(8, 0) if dtype is None else dtype, qscheme, ch_axis, **kwargs)
        self.bins = bins
        self.upsample_rate = upsample_rate
        self.register_buffer("histogram", buffer(numpy.zeros(bins, numpy.float32)))

    @staticmethod
    def _count(values: Array, bins: int, least: Any, most: Any) -> Array:
        """Counts in equal bins between the integers that cut off the limits; all values' range if those are equal."""
        low, high = float(int(least)), float(int(most))
        if low == high:
            low, high = float(values.min()), float(values.max())
            if low == high:
                low, high = low - 1, high + 1
        inside = values[(values >= low) & (values <= high)].reshape(-1)
        place = ((inside - numpy.float32(low)) * numpy.float32(bins) / numpy.float32(high - low)).astype(numpy.int64)
        return numpy.bincount(numpy.minimum(place, bins - 1), minlength=bins).astype(numpy.float32)

    def forward(self, x: ArrayOrTensorT) -> ArrayOrTensorT:
        """Counts the values of x, and returns it."""
        values = array(x)
        if values.size == 0:
            return x
        least, most = values.min(), values.max()
        seen_least, seen_most = self._range()
        if not seen_least < seen_most:
            self._put(min_val=least, max_val=most, histogram=self._count(values, self.bins, least, most))
            return x
        low, high = numpy.minimum(least, seen_least), numpy.maximum(most, seen_most)
        step = (seen_most - seen_least) / numpy.float32(self.bins * self.upsample_rate)
        rate = int(numpy.ceil((high - low) / (numpy.float32(self.bins) * step)))
        high = numpy.float32(high + (numpy.float32(rate) * (numpy.float32(self.bins) * step) - (high - low)))
        start = int(numpy.round((seen_least - low) / step))
        fresh, old = self._count(values, self.bins, low, high), array(self.histogram)
        if not (low == seen_least and high == seen_most):
            # The old counts, spread over a fine grid and gathered into the new bins.
            fine = numpy.zeros(self.bins * rate)
            fine[start:start + self.bins * self.upsample_rate] = numpy.repeat(
                old, self.upsample_rate)[:self.bins * rate - start]
            gathered = fine.reshape(self.bins, rate).sum(axis=1) / self.upsample_rate
            old = gathered.astype(numpy.float32)
        self._put(min_val=low, max_val=high, histogram=fresh + old)
        return x

    def _loss(self, start: int, end: int) -> float:
        """The squared error of quantising the histogram with the range of bins start..end."""
        format: Any = self.dtype
        levels = 2**format.precision
        width = (float(self.max_val) - float(self.min_val)) / self.bins
        level = width * (end - start + 1) / levels
        if level == 0.0:
            return 0.0
        begin = (numpy.arange(self.bins) - start) * width
        first = numpy.clip(numpy.floor(begin / level), 0, levels - 1)
        last = numpy.clip(numpy.floor((begin + width) / level), 0, levels - 1)
        density = array(self.histogram).astype(numpy.float64) / width

        def cubes(low: Any, high: Any) -> Any:
            return (high**3 - low**3) / 3

        total = cubes(begin - (first + 0.5) * level, level / 2)
        total += (last - first - 1) * cubes(-level / 2, level / 2)
        total += cubes(-level / 2, begin + width - (last + 0.5) * level)
        return float((density * total).sum())

    def calculate_qparams(self) -> tuple[ArrayOrTensor, ArrayOrTensor]:
        """(scale, zero_point) of the range that loses the least, one entry each; 1 and 0 before the first values."""
        least, most = self._range()
        if least > most:
            return self._calculate_qparams(least, most)
        sums = numpy.cumsum(array(self.histogram).astype(numpy.float64))
        step, alpha, beta, best = 1e-5, 0.0, 1.0, math.inf
        start, end = 0, self.bins - 1
        while alpha < beta:
            # The bins that hold the next quantiles; the side that moves further is cut.
            left = min(max(int(numpy.searchsorted(sums, (alpha + step) * sums[-1])), start), end)
            right = max(min(int(numpy.searchsorted(sums, (beta - step) * sums[-1], "right")) - 1, end), start)
            if left - start > end - right:
                alpha += step
                nearer = (left, end)
            else:
                beta -= step
                nearer = (start, right)
            if nearer == (start, end):
                continue
            loss = self._loss(*nearer)
            if loss > best:
                break
            best, (start, end) = loss, nearer
        width = (most - least) / numpy.float32(self.bins)
        return self._calculate_qparams(numpy.float32(least + width * numpy.float32(start)),
                                       numpy.float32(least + width * numpy.float32(end + 1)))


class PercentileObserver(HistogramObserver):
    """A HistogramObserver. The package checks `percentile` and never uses it; neither mode does."""

    def __init__(self, percentile: float = 99.99, **kwargs: Any) -> None:
        if percentile < 0 or percentile > 100:
            raise ValueError("Invalid percentile. Must be in range 0 <= percentile <= 100.")
        super().__init__(**kwargs)
        self.percentile: float = percentile

    def extra_repr(self) -> str:
        """What the name is followed by when it is printed."""
        return f"percentile = {self.percentile}"
