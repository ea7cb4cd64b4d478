"""mxgold: a bit-exact reference for low-precision and microscaling (MX) number formats.

Formats, policies and profiles are objects that parse from and print to one string:

    mxgold.format("mxfp8_e4m3")                 formats()                 what codes mean
    mxgold.policy("rounding=ties_to_away")      policies()                choices that formats leave open
    mxgold.profile("torchao-0.18:rceil")        profiles()                what a named system chose

Arrays in and out, of NumPy's and ml_dtypes' types, without a copy:

    convert(x, "e4m3fn")                        single values
    quantize(x, "mxfp8_e4m3"), dequantize(q)    blocks that share a scale
    dot(a, b)                                   dot products of blocks, every rounding named

And why:

    explain(x, "mxfp8_e4m3")                    what decided each code, step by step
    open_answers(x, "mxfp8_e4m3", "ocp-mx-1.0") which codes a profile leaves open
    diff("torchao-0.18", "te")                  where two systems part, with the smallest inputs
    identify(x, codes, "e4m3fn")                which system made these bits
    vectors                                     files of golden vectors: made, read, judged

Other packages by their own names and arguments: mxgold.qtorch and its neighbours; mxgold.mode("compat") gives their
bits, "strict" what their documentation says. `help(mxgold.quantize)` has shapes, units and errors.
"""

import importlib

from . import vectors
from ._compare import Difference, Identification, diff, identify, telling_inputs
from ._convert import conversion_flags, convert
from ._dots import dot
from ._dtypes import bits
from ._expanded import Expanded
from ._explain import Explanation, OpenAnswers, explain, open_answers
from ._formats import BlockFormat, ElementFormat, format, formats
from ._library import LIBRARY, Error
from ._mode import mode
from ._policies import Policy, policies, policy, profile, profiles
from ._tensors import Quantized, dequantize, hadamard, quantize

_SYSTEMS = ("aimet", "dmx", "microxcaling", "qtorch", "torchmx")


def __getattr__(name):
    """The packages of the emulated systems, imported when they are first asked for."""
    if name in _SYSTEMS:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__version__ = LIBRARY.mxgold_version().decode()
__all__ = ["BlockFormat", "Difference", "ElementFormat", "Error", "Expanded", "Explanation", "Identification", "OpenAnswers",
           "Policy", "Quantized", "__version__", "bits", "conversion_flags", "convert", "dequantize", "diff", "dot",
           "explain", "format", "formats", "hadamard", "identify", "mode", "open_answers", "policies", "policy",
           "profile", "profiles", "quantize", "telling_inputs", "vectors"]
