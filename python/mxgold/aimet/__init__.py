"""AIMET's float quantizer (aimet-torch 2.42.0) by its own names.

A script changes its import and keeps the rest:

    from mxgold.aimet.float import FloatQuantizeDequantize        # aimet_torch.quantization.float
    import mxgold.aimet as Q                                      # aimet_torch.quantization
    qdq = Q.float.FloatQuantizeDequantize(dtype="float8_e4m3fn")

NumPy arrays and torch tensors of float32, bfloat16 and float16 go in and come out. Tensors that a quantizer holds
(maxval, scales, states) are torch's once torch has been imported, NumPy arrays otherwise. The mode is that of
`mxgold.mode`, or a quantizer's own `mode=`: "strict" (what the documentation says) or "compat" (the package bit for
bit, faults included; its scales need torch's own log2 and power, without which they are the correctly rounded ones).
Source: spec S8.
"""

from . import encoding_analyzer, float, fp_quantization
from .encoding_analyzer import MinMaxEncodingAnalyzer
from .float import FloatEncoding, FloatQuantizeDequantize, QuantizeDequantize
from .fp_quantization import fake_cast_to_ieee_float

__all__ = ["FloatEncoding", "FloatQuantizeDequantize", "MinMaxEncodingAnalyzer", "QuantizeDequantize",
           "encoding_analyzer", "fake_cast_to_ieee_float", "float", "fp_quantization"]
