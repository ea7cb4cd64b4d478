"""AIMET's float quantizer (aimet-torch 2.42.0) by its own names.

A script changes its import and keeps the rest:

    from mxgold.aimet.float import FloatQuantizeDequantize        # aimet_torch.quantization.float
    import mxgold.aimet as Q                                      # aimet_torch.quantization
    qdq = Q.float.FloatQuantizeDequantize(dtype="float8_e4m3fn")

NumPy arrays and torch tensors of float32, bfloat16 and float16 go in and come out. Where torch is installed the
quantizers are torch.nn.Modules (torch is imported when one of them is first named) and hold torch tensors; elsewhere
they hold NumPy arrays. The mode is that of `mxgold.mode`, or a quantizer's own `mode=`: "strict" (what the
documentation says) or "compat" (the package bit for bit, faults included; its scales need torch's own log2 and power,
without which they are the correctly rounded ones). Source: spec S8.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import encoding_analyzer, float, fp_quantization
from .encoding_analyzer import EncodingAnalyzer, MinMaxEncodingAnalyzer
from .float import FloatEncoding
from .fp_quantization import fake_cast_to_ieee_float

if TYPE_CHECKING:
    from . import tensor as tensor
    from ._quantizer import FloatQuantizeDequantize, QuantizeDequantize
    from .tensor import DequantizedTensor as DequantizedTensor
    from .tensor import QuantizedTensor as QuantizedTensor

# Imported when first asked for: name -> module.
_LATER = {"FloatQuantizeDequantize": "_quantizer", "QuantizeDequantize": "_quantizer", "DequantizedTensor": "tensor",
          "QuantizedTensor": "tensor"}

# Without what needs torch (tensor and its classes), so that `import *` does not.
__all__ = ["EncodingAnalyzer", "FloatEncoding", "FloatQuantizeDequantize", "MinMaxEncodingAnalyzer",
           "QuantizeDequantize", "encoding_analyzer", "fake_cast_to_ieee_float", "float", "fp_quantization"]


def __getattr__(name: str) -> Any:
    if name == "tensor":
        return importlib.import_module(f"{__name__}.tensor")
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_LATER[name]}"), name)
