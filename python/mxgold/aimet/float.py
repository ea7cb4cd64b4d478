"""The names of aimet_torch.quantization.float."""

from ._encoding import FloatEncoding

__all__ = ["FloatEncoding", "FloatQuantizeDequantize", "QuantizeDequantize"]


def __getattr__(name):
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import _quantizer

    return getattr(_quantizer, name)
