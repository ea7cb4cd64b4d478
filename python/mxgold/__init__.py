"""mxgold: a bit-exact reference for low-precision and microscaling (MX) number formats.

Formats, policies and profiles are objects that parse from and print to one string:

    mxgold.format("mxfp8_e4m3")                 formats()                 what codes mean
    mxgold.Format(exp=3, man=4, bias=5)         BlockFormat(element=...)  formats of one's own
    mxgold.policy("rounding=ties_to_away")      policies()                choices that formats leave open
    mxgold.profile("torchao-0.18:rceil")        profiles()                what a named system chose

Arrays in and out, of NumPy's and ml_dtypes' types, without a copy:

    convert(x, "e4m3fn")                        single values
    quantize(x, "mxfp8_e4m3"), dequantize(q)    blocks that share a scale
    dot(a, b)                                   dot products of blocks, every rounding named
    mma(a, b, c, unit="h100_f16")               products as the matrix unit of a device sums them
    add(x, y), fma(x, y, z), less(x, y), ...    operations of IEEE 754 between any formats; Scalar(1.5, "e4m3fn")
    q.packed(), q.scales_as("swizzle_128x4")    as matrix units take them, and Quantized.from_arrays() back
    save("w.safetensors", {"w": q}), load(...)  files, also those of checkpoints

And why:

    explain(x, "mxfp8_e4m3")                    what decided each code, step by step
    open_answers(x, "mxfp8_e4m3", "ocp-mx-1.0") which codes a profile leaves open
    diff("torchao-0.18", "te")                  where two systems part, with the smallest inputs
    identify(x, codes, "e4m3fn")                which system made these bits
    vectors                                     files of golden vectors: made, read, judged
    measure, plot                               SQNR, ulp, saturated, flushed; pictures of formats, blocks, errors

Other packages by their own names and arguments: mxgold.qtorch and its neighbours; mxgold.mode("compat") gives their
bits, "strict" what their documentation says. `help(mxgold.quantize)` has shapes, units and errors.
"""

import importlib
from types import ModuleType

from . import measure, plot, vectors
from ._arith import (add, arithmetic, arithmetic_flags, div, equal, fma, from_integer, less, less_equal, maximum, minimum,
                     mul, operations, remainder, sqrt, sub, to_integer)
from ._compare import Difference, Identification, diff, identify, telling_inputs
from ._configuration import Configuration
from ._convert import conversion_flags, convert
from ._dots import dot
from ._expanded import Expanded
from ._explain import Explanation, OpenAnswers, explain, open_answers
from ._files import load, save
from ._formats import BlockFormat, ElementFormat, format, formats
from ._hadamard import hadamard
from ._homes import bits
from . import _library
from ._library import Error
from ._judged import Comparison, Coverage, compare, coverage
from ._mode import mode
from ._packing import pack, packings, scale_layouts, swizzle, unpack, unswizzle
from ._policies import Policy, policies, policy, profile, profiles
from ._quantized import Quantized
from ._scalar import Scalar
from ._tensors import dequantize, quantize
from ._units import mma, units

#: A format of single values by its fields: mxgold.Format(exp=3, man=4, bias=5).
Format = ElementFormat

_LATER = ("aimet", "dmx", "microxcaling", "qtorch", "torch", "torchmx")


def __getattr__(name: str) -> ModuleType:
    """The packages of the emulated systems and of torch, imported when they are first asked for."""
    if name in _LATER:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__version__: str = _library.LIBRARY.mxgold_version().decode()
__all__ = ["BlockFormat", "Comparison", "Configuration", "Coverage", "Difference", "ElementFormat", "Error",
           "Expanded", "Explanation", "Format", "Identification", "OpenAnswers", "Policy", "Quantized", "Scalar",
           "__version__", "add", "arithmetic", "arithmetic_flags", "bits", "compare", "conversion_flags", "convert",
           "coverage", "dequantize", "diff", "div", "dot", "equal", "explain", "fma", "format", "formats",
           "from_integer", "hadamard", "identify", "less", "less_equal", "load", "maximum", "measure", "minimum",
           "mma", "mode", "mul", "open_answers", "operations", "pack", "packings", "plot", "policies", "policy",
           "profile", "profiles", "quantize", "remainder", "save", "scale_layouts", "sqrt", "sub", "swizzle",
           "telling_inputs", "to_integer", "units", "unpack", "unswizzle", "vectors"]
