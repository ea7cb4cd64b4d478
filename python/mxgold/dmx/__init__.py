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

import enum
import re
from typing import TYPE_CHECKING

import numpy

from .. import _systems
from .._arrays import is_torch, random_words, to_words
from .._library import Cast
from .._mode import setting

__all__ = ["BFPTypeEnum", "BlockFloatingPoint", "CastTo", "DummyObserver", "FixedPoint", "FloatingPoint", "Format",
           "HistogramObserver", "MXFP", "MXINT", "MinMaxObserver", "NUMERICS_UTILS_AVAILABLE", "PercentileObserver",
           "ROUNDING_MODE", "Same", "ScaledBlockFloatingPoint", "block_quantize", "fixed_point_quantize",
           "float_quantize", "format", "seed"]

try:
    from numerics import determine_sbfp_scaler_exponent_bias_from_tensor_values as _scaler_bias_of

    NUMERICS_UTILS_AVAILABLE = True
except ImportError:
    NUMERICS_UTILS_AVAILABLE = False


class _TwoWay(dict):
    """A dictionary whose values are keys of its `inverse`."""

    @property
    def inverse(self):
        return {value: key for key, value in self.items()}


ROUNDING_MODE = _TwoWay(U="up", D="down", N="nearest", S="stochastic")


def _identifiers():
    plain = ["32_1", "24_64", "24_32", "24_16"]
    plain += [f"{bits}_{size}" for bits in (16, 14, 12) for size in (128, 64, 32, 16)]
    asymmetric = [f"{bits}A_{size}" for bits in (14, 12) for size in (128, 64, 32, 16)]
    names = [f"BFP_{name}" for name in plain + asymmetric] + [f"UBFP_{name}" for name in plain]
    names += [f"SBFP_12_16_{bias}" for bias in range(4, 19)]
    return {f"DMX_{name}": 10001 + i for i, name in enumerate(names)}


BFPTypeEnum = enum.Enum("BFPTypeEnum", _identifiers())

_GENERATOR = numpy.random.default_rng()


def seed(value):
    """Makes the words of stochastic formats without random= repeatable."""
    global _GENERATOR
    _GENERATOR = numpy.random.default_rng(value)


def _words(text, value, axis, random, mode, operands):
    """The random words of a cast: those given, or fresh ones, as many as it reads."""
    if random is not None:
        return random_words(random)
    tensors = {"values": to_words(value)}
    tensors.update((name, to_words(operand)) for name, operand in operands.items())
    count = _systems.cast("dmx:" + text, mode).random_words(tensors, axis)
    return _GENERATOR.integers(0, 1 << 31, size=count, dtype=numpy.uint32)


def _apply(text, value, axis=None, random=None, mode=None, stochastic=False, **operands):
    words = _words(text, value, axis, random, mode, operands) if stochastic else None
    return _systems.apply("dmx:" + text, value, axis, words, mode, **operands)


def _straight_through(function, value):
    """function(value) with the gradient of the identity where a torch tensor asks for one."""
    if not (is_torch(value) and value.requires_grad):
        return function(value)
    from ._autograd import StraightThrough

    return StraightThrough.apply(value, function)


class Format:
    """A number format. cast() takes a tensor to it, from_shorthand() and repr() are inverse to each other."""

    blocked = False
    _prefix = ""

    @staticmethod
    def from_shorthand(sh, mode=None):
        """The format of a shorthand such as "BFP[8|8]{64}(SN)".

        strict: the canonical spelling and documented variants; ValueError with a position otherwise. compat: what the
        package takes and raises (ValueError, TypeError, KeyError, AssertionError). Source: spec S5.2.
        """
        return _from_text(repr(Cast("dmx:" + sh, *setting(mode))))

    @classmethod
    def _own(cls, sh, mode):
        """from_shorthand() of a class: its own prefix, in compat of either case."""
        name = setting(mode)[0]
        text = sh
        if name == "compat" and sh[:len(cls._prefix)].upper() == cls._prefix:
            text = cls._prefix + sh[len(cls._prefix):]
        if not text.startswith(cls._prefix):
            if name == "compat":
                raise TypeError("'NoneType' object is not subscriptable")
            raise ValueError(f"position 0: '{cls._prefix}' is expected")
        return Format.from_shorthand(text, mode)

    def cast(self, x, *args, random=None, mode=None):
        """x in this format, as binary32 of x's shape."""
        raise NotImplementedError

    def _text(self):
        """What mxgold calls the format; repr() unless that loses something."""
        return repr(self)

    def _fact(self, name, mode=None):
        value = _systems.cast("dmx:" + self._text(), mode).properties()[name]
        if isinstance(value, Exception):
            raise value
        if value in ("None", "True", "False"):
            return {"None": None, "True": True, "False": False}[value]
        return float(value) if "." in value else 2.0 ** int(value[3:]) if value.startswith("2**") else int(value)

    @property
    def bit_precision(self):
        """Bits per element, the block's scale shared out (float; None for Same). compat MXFP: AttributeError."""
        return self._fact("bit_precision")

    @property
    def bytes_per_elem(self):
        """Bytes per element, the block's scale shared out (float; None for Same)."""
        return self._fact("bytes_per_elem")

    @property
    def bfp_id(self):
        """The identifier in BFPTypeEnum of a block format, KeyError where it has none; None for other formats."""
        return self._fact("bfp_id")

    def _is_stochastic(self):
        return False

    def _cast(self, x, axis, random, mode):
        strict = setting(mode)[0] == "strict"
        stochastic = self._is_stochastic()

        def values(tensor):
            return _apply(self._text(), tensor, axis, random, mode, stochastic)["values"]

        return _straight_through(values, x) if strict else values(x)


class Same(Format):
    """Passes its input through."""

    _prefix = "SAME"

    @classmethod
    def from_shorthand(cls, sh, mode=None):
        return cls._own(sh, mode) if setting(mode)[0] == "strict" else cls()

    def cast(self, x, *args, random=None, mode=None):
        return x.clone() if is_torch(x) else numpy.array(x)

    def __repr__(self):
        return "SAME"


class FixedPoint(Format):
    """Integers of `precision` bits (1..24) times 2^-fraction.

    clamp: limit to the representable range; symmetric: without the lowest code; rounding: "nearest", "stochastic",
    "up" (ceil) or "down" (floor). cast() takes float32 tensors in compat. Source: spec S5.5.
    """

    _prefix = "XP"

    def __init__(self, precision, fraction, clamp=True, symmetric=True, rounding="nearest"):
        assert 1 <= precision <= 24, f"highest integer precision simulated by FP32 is 25, got {precision}"
        self.precision = precision
        self.fraction = fraction
        self.clamp = clamp
        self.symmetric = symmetric
        self.rounding = rounding

    @classmethod
    def from_shorthand(cls, sh, mode=None):
        return cls._own(sh, mode)

    def cast(self, x, *args, random=None, mode=None):
        assert self.rounding in ROUNDING_MODE.values()
        if random is None and self._is_stochastic() and is_torch(x):
            # The package's own source: torch's generator, a word for each element.
            import torch

            random = (torch.rand(x.shape) * 2.0**24).numpy().astype(numpy.uint32)
        return self._cast(x, None, random, mode)

    def _is_stochastic(self):
        return self.rounding == "stochastic"

    def __repr__(self):
        fraction = "0" if self.fraction == 0 else f"{self.fraction:+d}"
        flags = ("C" if self.clamp else "_") + ("S" if self.symmetric else "_")
        return f"XP[{self.precision},{fraction}]({flags}{ROUNDING_MODE.inverse[self.rounding]})"


class FloatingPoint(Format):
    """Sign, `exponent` bits (1..8), `mantissa` stored bits (0..23), `bias`.

    flush_subnormal: results below the smallest normal value become zero; unsigned: no sign (strict: negative values
    become 0; compat: their absolute value); rounding: "nearest" or "stochastic", in strict also "up" and "down".
    bias=None stands for 2^(exponent-1) - 1; compat raises TypeError for it. Source: spec S5.1, S5.5.
    """

    _prefix = "FP"

    def __init__(self, mantissa=23, exponent=8, bias=None, flush_subnormal=True, unsigned=False, rounding="nearest"):
        assert 0 <= mantissa <= 23, f"number of mantisa bits simulatable by FP32 is between 0 and 23, got{mantissa}"
        assert 0 < exponent <= 8, f"number of exponent bits simulatable by FP32 is between 1 and 8, got {exponent}"
        if bias is None:
            if setting()[0] == "compat":
                raise TypeError("'<=' not supported between instances of 'int' and 'NoneType'")
            bias = 2 ** (exponent - 1) - 1
        least = 127 if exponent == 8 else -128 + 2**exponent
        assert least <= bias <= 127, (f"exponent bias simulatable by FP32 for {exponent}-bit exponent is constrained "
                                      f"between {least} and 127, got {bias}")
        self.mantissa = mantissa
        self.exponent = exponent
        self.bias = bias
        self.flush_subnormal = flush_subnormal
        self.unsigned = unsigned
        self.rounding = rounding

    @classmethod
    def from_shorthand(cls, sh, mode=None):
        return cls._own(sh, mode)

    def cast(self, x, *args, random=None, mode=None):
        return self._cast(x, None, random, mode)

    @property
    def largest_representable_power_of_two(self):
        """strict: of the format's values; compat: 2^(2^(exponent-1)), whatever they are."""
        return self._fact("largest_representable_power_of_two")

    def _is_stochastic(self):
        return self.rounding == "stochastic"

    def __repr__(self):
        flags = ("F" if self.flush_subnormal else "_") + ROUNDING_MODE.inverse[self.rounding]
        return f"FP[{'0' if self.unsigned else '1'}|{self.exponent}|{self.mantissa},{self.bias}]({flags})"


class BlockFloatingPoint(Format):
    """Blocks of `block_size` elements that share an 8-bit exponent, codes of `precision` bits (2..25).

    symmetric: codes of +-(2^(precision-1) - 1); otherwise -2^(precision-1) too. rounding: "nearest", "stochastic",
    "up" or "down". Source: spec S5.5.
    """

    blocked = True
    _prefix = "BFP"

    def __init__(self, precision=8, block_size=64, symmetric=True, rounding="nearest"):
        assert 2 <= precision <= 25, f"highest integer precision simulated by FP32 is 25, got {precision}"
        assert block_size > 0, f"block size has to be positive, got {block_size}"
        self.precision = precision
        self.block_size = block_size
        self.symmetric = symmetric
        self.rounding = rounding
        self.block_dim = None

    @classmethod
    def from_shorthand(cls, sh, mode=None):
        return cls._own(sh, mode)

    def cast(self, x, block_dim=None, random=None, mode=None):
        """x with blocks along axis block_dim; a short last block has an exponent of its own.

        Without block_dim along the axis that the documented spelling "BFP[8|8]{64,-1}(SN)" carries (strict only).
        """
        block_dim = self.block_dim if block_dim is None else block_dim
        if block_dim is None:
            raise TypeError("cast() missing 1 required positional argument: 'block_dim'")
        assert self.rounding in ROUNDING_MODE.values(), f"invalid rounding mode, {self.rounding}"
        return self._cast(x, block_dim, random, mode)

    @staticmethod
    def make_mantissa_asymmetric(dmx_result, fp32_inp, n_mantissa_bits=8):
        """The code -2^(n-1) where it is nearer: dmx_result a symmetric cast of fp32_inp, both matrices of blocks."""
        text = f"make_mantissa_asymmetric(n_mantissa_bits={n_mantissa_bits})"
        return _apply(text, dmx_result, fp32_inp=fp32_inp)["values"]

    def _is_stochastic(self):
        return self.rounding == "stochastic"

    def __repr__(self):
        flags = ("S" if self.symmetric else "_") + ROUNDING_MODE.inverse[self.rounding]
        return f"BFP[{self.precision}|8]{{{self.block_size}}}({flags})"


class MXINT(BlockFloatingPoint):
    """Block floating point, symmetric, nearest; precision 8 and blocks of 32 by default."""

    _prefix = "MXINT"

    def __init__(self, precision=8, block_size=32):
        super().__init__(precision=precision, block_size=block_size, symmetric=True, rounding="nearest")

    def __repr__(self):
        return f"MXINT{self.precision}{{{self.block_size}}}"


class ScaledBlockFloatingPoint(Format):
    """Blocks of fixed-point codes times a scale in a floating-point format.

    block_format: FixedPoint of fraction 0, symmetric; scaler_format: FloatingPoint. Source: spec S5.5.
    """

    blocked = True
    _prefix = "SBFP"

    def __init__(self, block_format, scaler_format, block_size=64):
        assert isinstance(block_format, FixedPoint), "block format needs to be fixed point"
        assert isinstance(scaler_format, FloatingPoint), "scaler format needs to be floating point"
        assert block_format.fraction == 0, "block format needs to have zero fraction"
        assert block_format.symmetric, "block format needs to have symmetric range"
        assert block_size > 0, f"block size has to be positive, got {block_size}"
        self.block_format = block_format
        self.scaler_format = scaler_format
        self.block_size = block_size
        self.man_scaling = 2 ** (block_format.precision - 1) - 1
        self.scaler_format_exponent_bias_determined = False

    @classmethod
    def from_shorthand(cls, sh, mode=None):
        return cls._own(sh, mode)

    def determine_scaler_exponent_bias_from(self, x):
        """Sets scaler_format.bias by the values of x where the package `numerics` is installed; else leaves it."""
        if NUMERICS_UTILS_AVAILABLE:
            self.scaler_format.bias = _scaler_bias_of(x)

    def cast(self, x, block_dim, random=None, mode=None):
        """x with blocks along axis block_dim; the first cast determines the scaler's bias."""
        if not self.scaler_format_exponent_bias_determined:
            self.determine_scaler_exponent_bias_from(x)
            self.scaler_format_exponent_bias_determined = True
        return self._cast(x, block_dim, random, mode)

    def _is_stochastic(self):
        return self.block_format._is_stochastic() or self.scaler_format._is_stochastic()

    def __repr__(self):
        return f"SBFP<{self.block_format!r}><{self.scaler_format!r}>{{{self.block_size}}}"


class MXFP(Format):
    """Blocks of floating-point elements that share a scale, a power of two.

    strict: the OCP MX rules (8-bit scales, OCP value sets where they are); compat: scales without limits, every code
    finite, elements permuted along block_dim 0 and -2. Source: spec S5.5, S2.
    """

    blocked = True
    _prefix = "MXFP"

    def __init__(self, element_format, block_size=32):
        assert isinstance(element_format, FloatingPoint), "block format needs to be floating point"
        assert block_size > 0, f"block size has to be positive, got {block_size}"
        self.element_format = element_format
        self.scaler_format = FloatingPoint(mantissa=0, exponent=8, bias=127, unsigned=True)
        self.block_size = block_size

    @classmethod
    def from_shorthand(cls, sh, mode=None):
        return cls._own(sh, mode)

    def cast(self, x, block_dim, random=None, mode=None):
        """x with blocks along axis block_dim."""
        return self._cast(x, block_dim, random, mode)

    def _is_stochastic(self):
        return self.element_format._is_stochastic()

    def _text(self):
        return f"MXFP<{self.element_format!r}>{{{self.block_size}}}"

    def __repr__(self):
        element = self.element_format
        return (f"MXFP{element.exponent + element.mantissa + 1}[E{element.exponent}M{element.mantissa}]"
                f"{{{self.block_size}}}")


_XP = r"XP\[(\d+),([+-]?\d+)\]\(([C_])([S_])([UDNS])\)"
_FP = r"FP\[([01])\|(\d+)\|(\d+),(-?\d+)\]\(([F_])([UDNS])\)"


def _from_text(text):
    """The object of a canonical text."""
    def fixed(fields):
        precision, fraction, clamp, symmetric, rounding = fields
        return FixedPoint(int(precision), int(fraction), clamp == "C", symmetric == "S", ROUNDING_MODE[rounding])

    def floating(fields):
        sign, exponent, mantissa, bias, flush, rounding = fields
        return FloatingPoint(int(mantissa), int(exponent), int(bias), flush == "F", sign == "0",
                             ROUNDING_MODE[rounding])

    def along(fields):
        precision, size, axis, symmetric, rounding = fields
        made = BlockFloatingPoint(int(precision), int(size), symmetric == "S", ROUNDING_MODE[rounding])
        made.block_dim = int(axis)
        return made

    makers = (
        ("SAME", lambda fields: Same()),
        (_XP, fixed),
        (_FP, floating),
        (r"BFP\[(\d+)\|8\]\{(\d+)\}\(([S_])([UDNS])\)",
         lambda f: BlockFloatingPoint(int(f[0]), int(f[1]), f[2] == "S", ROUNDING_MODE[f[3]])),
        (rf"SBFP<{_XP}><{_FP}>\{{(\d+)\}}",
         lambda f: ScaledBlockFloatingPoint(fixed(f[:5]), floating(f[5:11]), int(f[11]))),
        (rf"MXFP<{_FP}>\{{(\d+)\}}", lambda f: MXFP(floating(f[:6]), int(f[6]))),
        (r"MXFP\d+\[E(\d+)M(\d+)\]\{(\d+)\}",
         lambda f: MXFP(FloatingPoint(int(f[1]), int(f[0]), 2 ** (int(f[0]) - 1) - 1, False), int(f[2]))),
        (r"MXINT(\d+)\{(\d+)\}", lambda f: MXINT(int(f[0]), int(f[1]))),
        (r"BFP\[(\d+)\|8\]\{(\d+),(-?\d+)\}\(([S_])([UDNS])\)", along))
    for pattern, make in makers:
        match = re.fullmatch(pattern, text)
        if match:
            return make(match.groups())
    raise ValueError(f"position 0: {text} is no format")


class _Named:
    """The named formats: format.BFP16_64. Each access makes an object of its own."""

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return _from_text(repr(_systems.cast("dmx:format." + name)))

    def __dir__(self):
        sizes = (128, 64, 32, 16)
        names = ["SAME", "FLOAT32", "FLOAT16", "BFLOAT16", "AFLOAT8", "BFLOAT8", "INT8", "INT4", "BFP32_1", "SBFP12_16"]
        names += [f"BFP24_{size}" for size in sizes[1:]]
        names += [f"BFP{bits}{kind}_{size}" for kind in ("", "A") for bits in (16, 14, 12) for size in sizes]
        names += [f"SBFP12_16_{bias}" for bias in range(4, 19)]
        names += [f"MXFP{element}K{size}" for element in ("8_E4M3", "8_E5M2", "6_E2M3", "6_E3M2", "4_E2M1")
                  for size in sizes[:3]]
        return names + [f"MXINT{bits}_K{size}" for bits in (8, 6, 4) for size in sizes[:3]]


format = _Named()


def _function(text, x, rounding, random, mode):
    assert hasattr(x, "dtype"), "x is not a single precision Floating Point Tensor"
    return _apply(text, x, None, random, mode, stochastic=rounding == "stochastic")["values"]


def fixed_point_quantize(x, wl, fl, clamp=True, symmetric=False, rounding="stochastic", random=None, mode=None):
    """x as fixed-point numbers of wl bits, fl of them behind the point. x: float32. Source: spec S5.4, S4.3."""
    assert rounding in ROUNDING_MODE.values()
    text = f"fixed_point_quantize(wl={wl}, fl={fl}, clamp={bool(clamp)}, symmetric={bool(symmetric)}, " \
           f"rounding={rounding})"
    return _function(text, x, rounding, random, mode)


def block_quantize(x, wl, dim=-1, symmetric=True, rounding="stochastic", random=None, mode=None):
    """x in blocks of wl-bit codes: dim -1 one exponent for the tensor, else one for each index of the axis dim.

    symmetric=False is the kernel's rule, which BlockFloatingPoint used up to version 0.1.10. Source: spec S5.4.
    """
    assert rounding in ROUNDING_MODE.values(), f"invalid rounding mode, {rounding}"
    text = f"block_quantize(wl={wl}, dim={dim}, symmetric={bool(symmetric)}, rounding={rounding})"
    return _function(text, x, rounding, random, mode)


def float_quantize(x, exp, man, bias=None, flush_subnormal=True, rounding="stochastic", random=None, mode=None):
    """x as floating-point numbers of exp exponent and man stored mantissa bits. x: float32. Source: spec S5.4."""
    allowed = ("stochastic", "nearest") if setting(mode)[0] == "compat" else tuple(ROUNDING_MODE.values())
    assert rounding in allowed, f"invalid rounding mode, {rounding}"
    text = f"float_quantize(exp={exp}, man={man}, bias={bias}, flush_subnormal={bool(flush_subnormal)}, " \
           f"rounding={rounding})"
    return _function(text, x, rounding, random, mode)


if TYPE_CHECKING:
    from ._cast import CastTo, DummyObserver, HistogramObserver, MinMaxObserver, PercentileObserver

_MODULES = ("CastTo", "DummyObserver", "HistogramObserver", "MinMaxObserver", "PercentileObserver")


def __getattr__(name):
    """The modules, which import torch where it is installed, when they are first asked for."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import _cast

    return getattr(_cast, name)
