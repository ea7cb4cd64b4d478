"""The names of aimet_torch.quantization.float."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._encoding import FloatEncoding

if TYPE_CHECKING:
    from ._quantizer import FloatQuantizeDequantize, QuantizeDequantize

__all__ = ["FloatEncoding", "FloatQuantizeDequantize", "QuantizeDequantize"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import _quantizer

    return getattr(_quantizer, name)
