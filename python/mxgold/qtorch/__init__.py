"""QPyTorch's quantisers: `import qtorch` becomes `from mxgold import qtorch`, and nothing else changes.

`qtorch.quant` holds the functions, this module the numbers; `qtorch.optim` (OptimLP) and `qtorch.auto_low` (lower,
sequential_lower) need torch. The answers are those of `mxgold.mode`: strict by default, compat for the bits of qtorch
0.3.0.
"""

from __future__ import annotations

from . import quant
from .number import BlockFloatingPoint, FixedPoint, FloatingPoint, Number

__all__ = ["BlockFloatingPoint", "FixedPoint", "FloatingPoint", "Number", "quant"]
