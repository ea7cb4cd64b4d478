"""The names of aimet_torch.quantization.float."""

from ._encoding import FloatEncoding
from ._quantizer import FloatQuantizeDequantize, QuantizeDequantize

__all__ = ["FloatEncoding", "FloatQuantizeDequantize", "QuantizeDequantize"]
