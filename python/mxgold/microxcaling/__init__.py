"""microxcaling 1.1.0 by its own names: `from mxgold.microxcaling import Linear, finalize_mx_specs` in place of
`from mx import ...`. The modules formats, specs, elemwise_ops, mx_ops, quantize, vector_ops, simd_ops, activations,
convolution and layernorm keep theirs.

The quantizers take NumPy arrays as well as torch tensors; layers, products, activations and simd operations need
torch, which is imported when one of them is first asked for. Transposed convolutions, the other norms, pooling,
recurrent layers and mx_mapping, which puts all of them into torch, are not here.

mxgold.mode("compat") gives the package's bits, faults included; the default is its documentation.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .elemwise_ops import (_quantize_bfloat, _quantize_elemwise, _quantize_elemwise_core, _quantize_fp,
                           quantize_elemwise_op)
from .formats import ElemFormat, RoundingMode, _get_format_params
from .mx_ops import _quantize_mx, quantize_mx_op
from .quantize import quantize_bfloat
from .specs import (MxSpecs, add_mx_args, apply_mx_specs, finalize_mx_specs, get_backwards_mx_specs,
                    get_default_mx_specs, get_mx_specs, mx_assert_test)
from .vector_ops import (vec_add, vec_div, vec_exp, vec_exp2, vec_mul, vec_quantize, vec_recip, vec_reduce_mean,
                         vec_reduce_sum, vec_sqrt, vec_sub, vec_tanh)

if TYPE_CHECKING:
    from ._layers import Linear, bmm, linear, matmul
    from ._softmax import Softmax, softmax
    from .activations import (GELU, LeakyReLU, ReLU, ReLU6, Sigmoid, SiLU, Tanh, gelu, leaky_relu, relu, relu6, sigmoid,
                              silu, tanh)
    from .convolution import Conv1d, Conv2d, Conv3d, conv1d, conv2d, conv3d
    from .layernorm import LayerNorm, RMSNorm, layer_norm
    from .simd_ops import (simd_add, simd_div, simd_exp, simd_log, simd_mul, simd_norm, simd_reduce_mean,
                           simd_reduce_sum, simd_split, simd_sqrt, simd_square, simd_sub)

# With torch only: name -> module.
_TORCH = {"Linear": "_layers", "linear": "_layers", "matmul": "_layers", "bmm": "_layers", "Softmax": "_softmax",
          **{name: "convolution" for name in ("Conv1d", "Conv2d", "Conv3d", "conv1d", "conv2d", "conv3d")},
          "softmax": "_softmax", "LayerNorm": "layernorm", "RMSNorm": "layernorm", "layer_norm": "layernorm",
          **{name: "activations" for name in ("GELU", "LeakyReLU", "ReLU", "ReLU6", "SiLU", "Sigmoid", "Tanh", "gelu",
                                              "leaky_relu", "relu", "relu6", "sigmoid", "silu", "tanh")},
          **{name: "simd_ops" for name in ("simd_add", "simd_sub", "simd_mul", "simd_div", "simd_split", "simd_square",
                                           "simd_sqrt", "simd_exp", "simd_log", "simd_reduce_sum", "simd_reduce_mean",
                                           "simd_norm")}}

__all__ = ["Conv1d", "Conv2d", "Conv3d", "ElemFormat", "GELU", "LayerNorm", "LeakyReLU", "Linear", "MxSpecs",
           "RMSNorm", "ReLU", "ReLU6", "RoundingMode", "SiLU", "Sigmoid", "Softmax", "Tanh", "_get_format_params",
           "_quantize_bfloat", "_quantize_elemwise", "_quantize_elemwise_core", "_quantize_fp", "_quantize_mx",
           "add_mx_args", "apply_mx_specs", "bmm", "conv1d", "conv2d", "conv3d", "finalize_mx_specs", "gelu",
           "get_backwards_mx_specs", "get_default_mx_specs", "get_mx_specs", "layer_norm", "leaky_relu", "linear",
           "matmul", "mx_assert_test", "quantize_bfloat", "quantize_elemwise_op", "quantize_mx_op", "relu", "relu6",
           "sigmoid", "silu", "simd_add", "simd_div", "simd_exp", "simd_log", "simd_mul", "simd_norm",
           "simd_reduce_mean", "simd_reduce_sum", "simd_split", "simd_sqrt", "simd_square", "simd_sub", "softmax",
           "tanh", "vec_add", "vec_div", "vec_exp", "vec_exp2", "vec_mul", "vec_quantize", "vec_recip",
           "vec_reduce_mean", "vec_reduce_sum", "vec_sqrt", "vec_sub", "vec_tanh"]


def __getattr__(name: str) -> Any:
    if name not in _TORCH:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_TORCH[name]}"), name)
