"""qtorch.quant: fixed point, block floating point and floating point quantisation of arrays and tensors.

Every function takes a NumPy array or a torch tensor of float32, of any shape and memory layout, and returns a new one
of the same shape with the quantised values as float32 (strict mode takes bfloat16 and float16 too). `rounding` is
"stochastic" (the default) or "nearest". Two keywords are added to the original's parameters: `mode`, "strict" or
"compat", goes before `mxgold.mode`; `random`, a uint32 array of one word for each element in C order, replaces the
words that stochastic rounding would draw. Which words those are: manual_seed().
"""

import sys

from .. import _mode
from .._arrays import random_words
from . import _cast, _random
from ._function import QuantizeFunction
from ._random import manual_seed  # noqa: F401 (offered to users)
from .number import FixedPoint, Number

__all__ = ["fixed_point_quantize", "block_quantize", "float_quantize", "quantizer", "Quantizer"]

_NOT_A_TENSOR = "x is not a single precision Floating Point Tensor"


def _check(x, rounding, message, more=()):
    if not _cast.is_array(x):
        raise AssertionError(_NOT_A_TENSOR)
    if rounding not in ("stochastic", "nearest", *more):
        raise AssertionError(message)


def _words(random, rounding, draw, x):
    if rounding != "stochastic":
        return None
    return draw(x) if random is None else random_words(random)


def fixed_point_quantize(x, wl, fl, clamp=True, symmetric=False, rounding="stochastic", *, mode=None, random=None):
    """Quantises to multiples of 2^-fl in a word of wl bits.

    wl: word length in bits, the sign included (strict: >= 1). fl: fractional bits, of either sign. clamp: values
    outside [-2^(wl-fl-1), 2^(wl-fl-1) - 2^-fl] become its ends. symmetric: the smallest number is dropped.
    rounding: also "doc_literal" in strict mode: the original's printed formula, ties toward -infinity.
    Random words: r = (word mod 2^24) * 2^-24; the value is floor(x * 2^fl + r) * 2^-fl.
    Raises ValueError for wl = -1 unless fl = -1, RuntimeError for a dtype that it does not take.
    """
    setting = _mode.setting(mode)
    _check(x, rounding, "", ("doc_literal",) if setting[0] == "strict" else ())
    if wl == -1 and fl != -1:
        raise ValueError(f"fixed point  wl {wl}, fl {fl}")
    text = (f"fixed_point_quantize(wl={_cast.integer(wl, 'wl')},fl={_cast.integer(fl, 'fl')},"
            f"clamp={_cast.boolean(clamp, 'clamp')},symmetric={_cast.boolean(symmetric, 'symmetric')},"
            f"rounding={rounding})")
    return _cast.run(text, x, setting, _words(random, rounding, _random.uniforms, x))["values"]


def block_quantize(x, wl, dim=-1, rounding="stochastic", *, mode=None, random=None):
    """Quantises to integers of wl bits (the sign included) with a shared exponent, that of the largest magnitude.

    dim: -1 for one exponent in the whole tensor; k for one exponent for each index of axis k; -2 and below count axes
    from the end. The codes lie in +-(2^(wl-1) - 1), the quantum is 2^(2-wl) times the power of two of the maximum.
    Random words: the low 23 - wl bits carry into the code, toward +infinity.
    Raises IndexError for an axis that is not there, RuntimeError or IndexError for an empty tensor, RuntimeError for a
    dtype that it does not take.
    """
    _check(x, rounding, f"invalid rounding mode, {rounding}")
    text = f"block_quantize(wl={_cast.integer(wl, 'wl')},dim={_cast.integer(dim, 'dim')},rounding={rounding})"
    return _cast.run(text, x, _mode.setting(mode), _words(random, rounding, _random.integers, x))["values"]


def float_quantize(x, exp, man, rounding="stochastic", *, mode=None, random=None):
    """Quantises to floats of `exp` exponent bits and `man` stored significand bits, subnormals included.

    Strict: exp >= 1, man 0..23; (4, 3), (5, 2), (5, 10), (8, 7) are the OCP and IEEE formats, in others every code is
    finite and values beyond saturate. Compat: every format saturates, at (2 - 2^-man) * 2^(2^(exp-1)).
    Random words: the low 23 - man bits carry into the magnitude.
    Raises RuntimeError for a dtype that it does not take.
    """
    _check(x, rounding, f"invalid rounding mode, {rounding}")
    text = f"float_quantize(exp={_cast.integer(exp, 'exp')},man={_cast.integer(man, 'man')},rounding={rounding})"
    return _cast.run(text, x, _mode.setting(mode), _words(random, rounding, _random.integers, x))["values"]


def quantizer(forward_number=None, backward_number=None, forward_rounding="stochastic", backward_rounding="stochastic",
              clamping_grad_zero=False, backward_hooks=[], *, mode=None):
    """A function that quantises values to forward_number and gradients to backward_number.

    forward_number, backward_number: a FixedPoint, FloatingPoint, BlockFloatingPoint, or None for the identity.
    clamping_grad_zero: gradients of values that were clamped become 0; needs a FixedPoint with clamp, or None.
    backward_hooks: functions that are applied to gradients, in order, before they are quantised.
    Strict: hooks and mask always act. Compat: without clamping_grad_zero the hooks are not called, and without a
    backward_number neither hooks nor mask act.
    The function takes torch tensors, differentiably, or NumPy arrays; its forward(x) and backward(gradient, mask) are
    the two halves.
    """
    for rounding in (forward_rounding, backward_rounding):
        if rounding not in ("stochastic", "nearest"):
            raise AssertionError("invalid rounding type {:s}".format(rounding))
    for number in (forward_number, backward_number):
        if number is not None and not isinstance(number, Number):
            raise AssertionError
    if clamping_grad_zero:
        if type(forward_number) is not FixedPoint and forward_number is not None:
            raise ValueError("zeroing clamping gradient only support fixed point.")
        if forward_number is not None and not forward_number.clamp:
            raise AssertionError("must use clamping if zeroing out clamped gradient")
    return QuantizeFunction(forward_number, backward_number, forward_rounding, backward_rounding,
                            bool(clamping_grad_zero), backward_hooks, mode)


def __getattr__(name):
    """The module class: a torch.nn.Module where there is torch, made when it is first asked for."""
    if name != "Quantizer":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        import torch

        base = torch.nn.Module
    except ImportError:
        base = object

    class Quantizer(base):
        """A module that quantises its input forward and its gradient backward: quantizer() without its last two."""

        def __init__(self, forward_number=None, backward_number=None, forward_rounding="stochastic",
                     backward_rounding="stochastic"):
            super().__init__()
            self.quantize = quantizer(forward_number, backward_number, forward_rounding, backward_rounding)

        def forward(self, x):
            return self.quantize(x)

        if base is object:
            __call__ = forward

    Quantizer.__module__, Quantizer.__qualname__ = __name__, "Quantizer"
    setattr(sys.modules[__name__], "Quantizer", Quantizer)
    return Quantizer
