"""The names of aimet_torch.quantization.encoding_analyzer, but for the analyzers by histograms. Source: spec S8.6."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy

from .._mode import setting
from .._systems import apply
from ._finfo import FLOAT8_E4M3FN
from ._tensors import as_numpy, as_tensor, detached_copy, dtype_name, is_torch, same_kind, torch_if_imported

__all__ = ["EncodingAnalyzer", "MinMaxEncodingAnalyzer", "StatisticsNotFoundError"]

if TYPE_CHECKING:
    from .._types import Array, ArrayLike, ArrayOrTensor, Tensor
    from ._finfo import FloatInfo

_LARGEST = {"float16": 65504.0, "bfloat16": 3.3895313892515355e38, "float32": 3.4028234663852886e38}


class StatisticsNotFoundError(RuntimeError):
    """No tensor has been observed."""


class _MinMaxRange(NamedTuple):
    """The smallest and the largest values, of an observer's shape and the tensor's type; None before the first."""

    min: Any = None
    max: Any = None


class _MinMaxObserver:
    """The range of what it saw, for each scale."""

    def __init__(self, shape: int | tuple[int, ...], block_size: tuple[int, ...] | None = None) -> None:
        self.shape: tuple[int, ...] = (shape,) if isinstance(shape, int) else tuple(shape)
        self.block_size: tuple[int, ...] | None = block_size
        self.stats: _MinMaxRange = _MinMaxRange()

    def collect_stats(self, input_tensor: Any) -> _MinMaxRange:
        """The range of a tensor alone. Raises RuntimeError where it cannot be reduced to the shape."""
        return self._observed(input_tensor, FLOAT8_E4M3FN, None)[1]

    def merge_stats(self, stats: _MinMaxRange) -> None:
        """Extends the range."""
        if stats.min is None:
            return
        if self.stats.min is None:
            self.stats = _MinMaxRange(detached_copy(stats.min), detached_copy(stats.max))
            return
        seen = [same_kind(end, stats.min) for end in self.stats]
        library: Any = torch_if_imported() if is_torch(stats.min) else numpy
        self.stats = _MinMaxRange(library.minimum(seen[0], stats.min), library.maximum(seen[1], stats.max))

    def reset_stats(self) -> None:
        """Forgets the range."""
        self.stats = _MinMaxRange()

    def get_stats(self) -> _MinMaxRange:
        """The range of all that was seen."""
        return self.stats

    def _observed(self, tensor: Any, info: FloatInfo, mode: str | None) -> tuple[Any, _MinMaxRange]:
        """(maxval, range) of a tensor."""
        text = info.text("MinMaxEncodingAnalyzer", shape=self.shape, block_size=self.block_size)
        results = apply(text, as_tensor(tensor), mode=mode)
        return results["values"], _MinMaxRange(results["min"], results["max"])


class EncodingAnalyzer:
    """Gathers statistics of tensors and computes ranges from them.

    A class of one's own has an observer (with shape, collect_stats, merge_stats, reset_stats, get_stats) and
    compute_encodings_from_stats(stats, num_steps, is_symmetric) -> (min, max).
    """

    def __init__(self, observer: Any) -> None:
        self.observer: Any = observer

    def reset_stats(self) -> None:
        """Forgets what was observed."""
        self.observer.reset_stats()

    def update_stats(self, input_tensor: ArrayLike | Tensor) -> Any:
        """Adds a tensor (of floats; any shape that reduces to the observer's) to the statistics, and returns those of
        the tensor alone. Raises RuntimeError where the tensor cannot be reduced to the shape."""
        stats = self.observer.collect_stats(input_tensor)
        self.observer.merge_stats(stats)
        return stats

    def compute_encodings(self, num_steps: float, is_symmetric: bool) -> tuple[ArrayOrTensor, ArrayOrTensor]:
        """(min, max) of what was observed, of the observer's shape and the tensors' type.

        num_steps: steps of the grid, 2**bits - 1. is_symmetric: min and max are the ends of a grid that has a code
        for 0 in its middle. Raises ValueError for num_steps <= 0, StatisticsNotFoundError where nothing was observed.
        """
        return self.compute_encodings_from_stats(self.observer.get_stats(), num_steps, is_symmetric)

    def compute_dynamic_encodings(self, input_tensor: ArrayLike | Tensor, num_steps: float,
                                  is_symmetric: bool) -> tuple[ArrayOrTensor, ArrayOrTensor]:
        """compute_encodings() of one tensor, which is not remembered."""
        return self.compute_encodings_from_stats(self.observer.collect_stats(input_tensor), num_steps, is_symmetric)

    def compute_encodings_from_stats(self, stats: Any, num_steps: float,
                                     is_symmetric: bool) -> tuple[ArrayOrTensor, ArrayOrTensor]:
        """(min, max) of statistics: what compute_encodings() says of those that were gathered. A class of one's own has
        it; here it raises NotImplementedError."""
        raise NotImplementedError

    def _observe(self, tensor: Any, info: FloatInfo, mode: str | None) -> Any:
        """Adds a tensor; its own maxval for a type."""
        del mode
        return _absmax(*self.compute_encodings_from_stats(self.update_stats(tensor), 2.0**info.bitwidth - 1, False))

    def _maxval(self, info: FloatInfo, mode: str | None) -> Any:
        """maxval of all that was observed, for a type. Raises StatisticsNotFoundError where that is nothing."""
        del mode
        low, high = self.compute_encodings(2.0**info.bitwidth - 1, False)
        _warn(low, high)
        return _absmax(low, high)


class MinMaxEncodingAnalyzer(EncodingAnalyzer):
    """Remembers the smallest and the largest value for each scale.

    shape: of the scales. block_size: elements in a block along each axis of the scale, or None.

    >>> analyzer = MinMaxEncodingAnalyzer(shape=(1,))
    >>> _ = analyzer.update_stats(numpy.float32([-2.5, 1]))
    >>> analyzer.compute_encodings(num_steps=255, is_symmetric=False)
    (array([-2.5], dtype=float32), array([1.], dtype=float32))
    """

    def __init__(self, shape: int | tuple[int, ...], block_size: tuple[int, ...] | None = None) -> None:
        super().__init__(_MinMaxObserver(shape, block_size))

    def compute_encodings_from_stats(self, stats: Any, num_steps: float,
                                     is_symmetric: bool) -> tuple[ArrayOrTensor, ArrayOrTensor]:
        """The range with 0 in it, widened where its steps would be below min(2**-23, 0.01 / num_steps) (strict: only
        where it is empty), and cut to finite values. float32, bfloat16 and float16."""
        if num_steps <= 0:
            raise ValueError("The number of quantization bins cannot be less than or equal to 0.")
        if stats.min is None or stats.max is None:
            raise StatisticsNotFoundError("No statistics present to compute encodings.")
        low, high = (as_numpy(_widened(end)).astype(numpy.float32) for end in (stats.min, stats.max))
        with numpy.errstate(all="ignore"):
            low, high = _encodings(low, high, stats.min, num_steps, is_symmetric)
        largest = numpy.float32(_LARGEST[dtype_name(stats.min)])
        return (_as_type(numpy.maximum(low, -largest), stats.min), _as_type(numpy.minimum(high, largest), stats.min))

    def _observe(self, tensor: Any, info: FloatInfo, mode: str | None) -> Any:
        maxval, batch = self.observer._observed(tensor, info, mode)
        self.observer.merge_stats(batch)
        return maxval

    def _maxval(self, info: FloatInfo, mode: str | None) -> Any:
        low, high = self.observer.get_stats()
        if low is None:
            raise StatisticsNotFoundError("No statistics present to compute encodings.")
        # The ranges' own ends, seen once more, change nothing.
        text = info.text("MinMaxEncodingAnalyzer", shape=self.observer.shape)
        maxval = apply(text, low, mode=mode, min=low, max=high)["values"]
        _warn(low, high)
        return maxval


def _encodings(low: Any, high: Any, like: Any, num_steps: float, is_symmetric: bool) -> tuple[Any, Any]:
    """(min, max) in binary32, of ends in binary32 that `like`'s type holds."""
    count = numpy.float32(num_steps)
    least = numpy.float32(min(2.0**-23, 0.01 / num_steps))
    low, high = numpy.minimum(low, numpy.float32(0)), numpy.maximum(high, numpy.float32(0))
    if setting()[0] == "strict":
        is_narrow = (low == 0) & (high == 0)
    else:
        width = _rounded(high - low, like)
        is_narrow = _rounded(width / count, like) < _rounded(least, like)
    step = numpy.where(is_narrow, least, numpy.float32(0))
    if not is_symmetric:
        return low, high + count * step
    positive, negative = numpy.float32(math.floor(num_steps / 2)), numpy.float32(math.ceil(num_steps / 2))
    high, low = high + positive * step, low - negative * step
    # Of three steps one is positive, and its bin is as wide as both.
    divisor = positive + numpy.float32(num_steps == 3)
    delta = numpy.maximum(high / divisor, -low / negative)
    return -negative * delta, positive * delta


def _as_type(values: Any, like: Any) -> Any:
    """binary32 values in the type, and of the library, of `like`."""
    if is_torch(like):
        return torch_if_imported().from_numpy(numpy.array(values)).to(like.dtype)
    return numpy.asarray(values).astype(like.dtype)


def _rounded(values: Any, like: Any) -> Array:
    return as_numpy(_widened(_as_type(values, like))).astype(numpy.float32)


def _absmax(low: Any, high: Any) -> Any:
    if is_torch(low):
        return torch_if_imported().maximum(low.abs(), high.abs())
    return numpy.maximum(numpy.abs(low), numpy.abs(high))


def _warn(low: Any, high: Any) -> None:
    """The package's warnings about ranges that are not numbers, or close to the largest ones."""
    ends = numpy.stack([numpy.abs(as_numpy(_widened(end)).astype(numpy.float64)) for end in (low, high)])
    largest = _LARGEST.get(dtype_name(low), _LARGEST["float32"])
    clamped = numpy.minimum(ends, largest)
    if not numpy.all(numpy.isfinite(clamped)):
        warnings.warn("Infinite or NaN values detected within input! This may skew the associated encodings")
    if numpy.any(clamped >= 0.95 * largest):
        warnings.warn("Extreme values detected within input! This may skew the associated encodings")


def _widened(tensor: Any) -> Any:
    """bfloat16, which NumPy does not have, as float32."""
    return tensor.float() if hasattr(tensor, "float") else tensor
