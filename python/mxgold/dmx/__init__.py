"""dmx-compressor's number formats (dmx.compressor.numerical.format, .quant and the names of dmx.compressor.format).

Change the import, keep the script:

    from mxgold.dmx import Format, BlockFloatingPoint, CastTo, format
    y = Format.from_shorthand("MXFP8[E4M3]{32}").cast(x, -1)

x is a NumPy array or a torch tensor; results are binary32 of the same shape and of the same library. The mode in force
(mxgold.mode, or the keyword mode=) says whose numbers they are: "strict" those of the documentation, "compat" the bits
of dmx-compressor 0.1.11. Stochastic formats take their words as random=, a uint32 array in the order in which the
package draws them; without it fresh words are drawn (seed() makes them repeatable).

CastTo and the observers are torch.nn.Modules where torch is installed; it is imported when one of them is first named.
Elsewhere they hold NumPy arrays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._blocks import MXFP, MXINT, NUMERICS_UTILS_AVAILABLE, BlockFloatingPoint, ScaledBlockFloatingPoint
from ._formats import FixedPoint, FloatingPoint, Format, Same
from ._functions import block_quantize, fixed_point_quantize, float_quantize
from ._identifiers import BFPTypeEnum
from ._parts import ROUNDING_MODE, seed
from ._shorthand import format

if TYPE_CHECKING:
    from ._autograd import CastToFormat as CastToFormat
    from ._cast import CastTo
    from ._observers import DMXObserverBase, DummyObserver, HistogramObserver, MinMaxObserver, PercentileObserver

__all__ = ["BFPTypeEnum", "BlockFloatingPoint", "CastTo", "DMXObserverBase", "DummyObserver", "FixedPoint",
           "FloatingPoint", "Format", "HistogramObserver", "MXFP", "MXINT", "MinMaxObserver",
           "NUMERICS_UTILS_AVAILABLE", "PercentileObserver", "ROUNDING_MODE", "Same", "ScaledBlockFloatingPoint",
           "block_quantize", "fixed_point_quantize", "float_quantize", "format", "seed"]

_MODULES = ("CastTo", "DMXObserverBase", "DummyObserver", "HistogramObserver", "MinMaxObserver", "PercentileObserver")


def __getattr__(name: str) -> Any:
    """The modules, which import torch where it is installed, when they are first asked for; CastToFormat needs it."""
    if name == "CastToFormat":
        from ._autograd import CastToFormat

        return CastToFormat
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import _cast, _observers

    return _cast.CastTo if name == "CastTo" else getattr(_observers, name)
