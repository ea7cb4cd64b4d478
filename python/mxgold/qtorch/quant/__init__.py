"""qtorch.quant: fixed point, block floating point and floating point quantisation of arrays and tensors.

Every function takes a NumPy array or a torch tensor of float32, of any shape and memory layout, and returns a new one
of the same shape with the quantised values as float32 (strict mode takes bfloat16 and float16 too). `rounding` is
"stochastic" (the default) or "nearest". Two keywords are added to the original's parameters: `mode`, "strict" or
"compat", goes before `mxgold.mode`; `random`, a uint32 array of one word for each element in C order, replaces the
words that stochastic rounding would draw. Which words those are: manual_seed().

Quantizer is a torch.nn.Module where torch is installed, which is imported when Quantizer is first named.
`quant_function` has the functions of the original's compiled modules, too. Source: spec S4.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import quant_function
from .._random import manual_seed
from .quant_function import block_quantize, fixed_point_quantize, float_quantize, quantizer

if TYPE_CHECKING:
    from .quant_module import Quantizer

__all__ = ["Quantizer", "block_quantize", "fixed_point_quantize", "float_quantize", "manual_seed", "quant_function",
           "quantizer"]


def __getattr__(name: str) -> Any:
    if name not in ("Quantizer", "quant_module"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = importlib.import_module(f"{__name__}.quant_module")
    return module if name == "quant_module" else module.Quantizer
