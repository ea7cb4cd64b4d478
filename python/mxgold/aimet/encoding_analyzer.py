"""The names of aimet_torch.quantization.encoding_analyzer. Source: spec S8.6."""

import warnings

import numpy

from .._systems import apply
from ._finfo import FLOAT8_E4M3FN
from ._tensors import as_numpy, as_tensor, same_kind


class StatisticsNotFoundError(RuntimeError):
    """No tensor has been observed."""


class _Observer:
    """What an analyzer looks at: a range for each scale, of blocks if there are any."""

    def __init__(self, shape, block_size):
        self.shape = (shape,) if isinstance(shape, int) else tuple(shape)
        self.block_size = block_size


class MinMaxEncodingAnalyzer:
    """Remembers the smallest and the largest value for each scale.

    shape: of the scales. block_size: elements in a block along each axis of the scale, or None.
    """

    def __init__(self, shape, block_size=None):
        self.observer = _Observer(shape, block_size)
        self.reset_stats()

    def reset_stats(self):
        """Forgets what was observed."""
        self._seen = None

    def update_stats(self, input_tensor):
        """Extends the ranges by a tensor; returns those of the tensor alone, as {"min": ..., "max": ...}.

        Raises RuntimeError where the tensor cannot be reduced to the shape.
        """
        _, batch = self._ranges(input_tensor, FLOAT8_E4M3FN, None, {})
        self._extend(input_tensor, FLOAT8_E4M3FN, None, batch)
        return batch

    def _ranges(self, tensor, info, mode, seen):
        """(maxval, ranges) of a tensor and of what was seen before."""
        tensor = as_tensor(tensor)
        text = info.text("MinMaxEncodingAnalyzer", shape=self.observer.shape, block_size=self.observer.block_size)
        before = {name: same_kind(words, tensor) for name, words in seen.items()}
        results = apply(text, tensor, mode=mode, **before)
        return results.pop("values"), results

    def _extend(self, tensor, info, mode, batch):
        self._seen = self._ranges(tensor, info, mode, self._seen)[1] if self._seen else batch

    def _observe(self, tensor, info, mode):
        """Extends the ranges by a tensor; its own maxval for a type."""
        maxval, batch = self._ranges(tensor, info, mode, {})
        self._extend(tensor, info, mode, batch)
        return maxval

    def _maxval(self, info, mode):
        """maxval of all that was observed, for a type. Raises StatisticsNotFoundError where that is nothing."""
        if self._seen is None:
            raise StatisticsNotFoundError("No statistics present to compute encodings.")
        # The ranges' own ends, seen once more, change nothing.
        low, high = self._seen["min"], self._seen["max"]
        text = info.text("MinMaxEncodingAnalyzer", shape=self.observer.shape)
        maxval = apply(text, low, mode=mode, min=low, max=high)["values"]
        _warn(low, high)
        return maxval


def _warn(low, high):
    """The package's warnings about ranges that are not numbers, or close to the largest ones."""
    ends = numpy.stack([numpy.abs(as_numpy(_widened(end)).astype(numpy.float64)) for end in (low, high)])
    kind = str(low.dtype).rpartition(".")[2]
    largest = {"float16": 65504.0, "bfloat16": 3.3895313892515355e38}.get(kind, 3.4028234663852886e38)
    clamped = numpy.minimum(ends, largest)
    if not numpy.all(numpy.isfinite(clamped)):
        warnings.warn("Infinite or NaN values detected within input! This may skew the associated encodings")
    if numpy.any(clamped >= 0.95 * largest):
        warnings.warn("Extreme values detected within input! This may skew the associated encodings")


def _widened(tensor):
    """bfloat16, which NumPy does not have, as float32."""
    return tensor.float() if hasattr(tensor, "float") else tensor


EncodingAnalyzer = MinMaxEncodingAnalyzer

__all__ = ["EncodingAnalyzer", "MinMaxEncodingAnalyzer", "StatisticsNotFoundError"]
