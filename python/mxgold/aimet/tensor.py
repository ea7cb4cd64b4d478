"""The names of aimet_torch.quantization.tensor: tensors that carry their encoding. Needs torch. Source: spec S8.1."""

from __future__ import annotations

import copy
from typing import Any

import torch

from ._encoding import FloatEncoding


class EncodingError(RuntimeError):
    """A tensor without an encoding was to be quantized or dequantized."""


class QuantizedTensorBase(torch.Tensor):
    """A torch.Tensor with an attribute `encoding`: a FloatEncoding, or None.

    Copies and detached tensors keep the encoding. What operations make of it are plain tensors; in the package views,
    products and quotients of a per-tensor encoding keep one.
    """

    #: What the values were quantized by.
    encoding: FloatEncoding | None

    # Operations see a plain tensor, and give plain tensors.
    __torch_function__: Any = torch._C._disabled_torch_function_impl

    @staticmethod
    def __new__(cls, data: torch.Tensor, encoding: FloatEncoding | None = None) -> QuantizedTensorBase:
        self: QuantizedTensorBase = _plain(data).as_subclass(cls)
        self.encoding = encoding
        return self

    def clone(self, *, memory_format: Any = torch.preserve_format) -> Any:
        """A copy with the encoding."""
        return type(self)(_plain(self).clone(memory_format=memory_format), encoding=self.encoding)

    def detach(self) -> Any:
        """The same values without their gradient, with the encoding."""
        return type(self)(_plain(self).detach(), encoding=self.encoding)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if not self.is_leaf:
            raise RuntimeError("only tensors that no operation made can be deep-copied; detach() them first")
        copied = type(self)(_plain(self.detach()).clone(), encoding=copy.deepcopy(self.encoding, memo))
        memo[id(self)] = copied.requires_grad_(self.requires_grad)
        return copied

    def _known(self) -> FloatEncoding:
        if self.encoding is None:
            raise EncodingError("Encoding does not exist")
        return self.encoding


class QuantizedTensor(QuantizedTensorBase):
    """Values in units of their scale."""

    def quantize(self) -> QuantizedTensor:
        """Itself."""
        return self

    def dequantize(self) -> DequantizedTensor:
        """The values times the scale, as a DequantizedTensor. Raises EncodingError without an encoding."""
        encoding = self._known()
        return DequantizedTensor(encoding.dequantize(_plain(self)), encoding=encoding)

    def quantized_repr(self) -> Any:
        """AttributeError: floats have no integers that they are stored as."""
        encoding: Any = self._known()
        return _plain(self).to(encoding.dtype)


class DequantizedTensor(QuantizedTensorBase):
    """What a quantizer returns: values that are multiples of their scale."""

    def quantize(self) -> QuantizedTensor:
        """The values before the scale was multiplied, as a QuantizedTensor, without gradient. Raises EncodingError
        without an encoding."""
        encoding = self._known()
        return QuantizedTensor(encoding.quantize(_plain(self)), encoding=encoding)

    def dequantize(self) -> DequantizedTensor:
        """Itself."""
        return self

    def quantized_repr(self) -> Any:
        """AttributeError: floats have no integers that they are stored as."""
        return self.quantize().quantized_repr()


def _plain(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.as_subclass(torch.Tensor)


__all__ = ["DequantizedTensor", "EncodingError", "QuantizedTensor", "QuantizedTensorBase"]
