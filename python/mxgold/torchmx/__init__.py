"""torchmx 0.1.0, emulated bit for bit: MX quantization of bfloat16 tensors to codes and scale bytes.

The modules have the names and functions of the package, so that a user changes only the import:

    from mxgold.torchmx import dtypes
    from mxgold.torchmx.mx_tensor import MXTensor, dequantize_mx, quantize_mx

    x_mx = MXTensor.to_mx(x, dtypes.float8_e4m3, block_size=32)
    y = x_mx.to_dtype(x.dtype)

Arrays are torch tensors (torch tensors come back, gradients as in the package) or NumPy arrays: bfloat16 ones have
ml_dtypes' type, or are uint16 words where it is not installed. Every function takes `mode=`: "strict" (the default:
OCP MX and the package's documentation) or "compat" (the package's bits, faults included); mxgold.mode() sets it for
unchanged scripts. The differences, one by one: spec S9.3. Semantics: spec S6. The modules quant_api and
layers.mx_linear (quantize_linear_, MXInferenceLinear) need torch. Its operators torch.ops.torchmx.quantize_mx and
dequantize_mx are there where torch was imported before this module, else from the first tensor on; those of the package
itself are left alone.
"""

from __future__ import annotations

from . import config, custom_float_cast, dtypes, env_variables, mx_quantization_utils, mx_tensor, ops, utils
from .config import MXConfig, QAttentionConfig, QLinearConfig
from .custom_float_cast import hp_to_floatx
from .mx_tensor import FromMXConstrFunc, MXTensor, NoopFwToMXBw, ToMXConstrFunc, dequantize_mx, quantize_mx

__all__ = ["FromMXConstrFunc", "MXConfig", "MXTensor", "NoopFwToMXBw", "QAttentionConfig", "QLinearConfig",
           "ToMXConstrFunc", "config", "custom_float_cast", "dequantize_mx", "dtypes", "env_variables",
           "hp_to_floatx", "mx_quantization_utils", "mx_tensor", "ops", "quantize_mx", "utils"]
