# SPDX-License-Identifier: Apache-2.0
"""Single values: exact values, one rounding from any number, operators, order, and what they refuse."""

import decimal
import fractions
import math
import operator
import pickle
import random
import unittest

import numpy

import mxgold

Scalar = mxgold.Scalar
Fraction = fractions.Fraction


def float_of(bits):
    return float(numpy.uint64(bits).view(numpy.float64))


class Values(unittest.TestCase):
    def test_exact_values_of_every_code(self):
        for name in ("e4m3fn", "e5m2", "e2m1fn", "e3m2fn", "e4m3fnuz", "e8m0", "ue4m3", "hif8", "int8"):
            format = mxgold.format(name)
            for code, value in enumerate(format.values().tolist()):
                x = Scalar.from_bits(code, format)
                self.assertEqual(x.bits, code)
                self.assertEqual((x.is_nan, x.is_inf, x.is_zero),
                                 (math.isnan(value), math.isinf(value), value == 0))
                if math.isfinite(value):
                    self.assertEqual(x.value, Fraction(value))
                    self.assertEqual(x.as_integer_ratio(), Fraction(value).as_integer_ratio())
                    self.assertEqual(int(x), int(value))
                if not math.isnan(value):
                    self.assertEqual(float(x), value)
                    self.assertEqual(x.is_negative, math.copysign(1, value) < 0)
                self.assertEqual(x.flags, frozenset())

    def test_values_beyond_binary64(self):
        wide = mxgold.Format(exp=16, man=2, inf="ieee_top", nan="ieee_all")
        for exponent in (1023, 1024, 20000, -1074, -1075, -20000, -32766):
            value = Fraction(5, 4) * Fraction(2) ** exponent
            x = Scalar(value, wide)
            self.assertEqual((x.value, x.flags), (value, frozenset()))
            self.assertEqual(eval(repr(x)).bits, x.bits)
            self.assertEqual(float(x), float(value) if exponent < 1024 else math.inf)
            self.assertEqual((x * x).is_inf, exponent == 20000)
            self.assertTrue(x > Scalar(value * Fraction(7, 8), wide))

    def test_special_values_have_none(self):
        with self.assertRaisesRegex(ValueError, "a NaN has no value"):
            Scalar(math.nan, "fp16").value
        with self.assertRaisesRegex(OverflowError, "an infinity has no value"):
            Scalar(math.inf, "fp16").value
        self.assertEqual(Scalar(-0.0, "fp16").bits, 0x8000)
        self.assertEqual(Scalar(-0.0, "fp16").value, 0)


class Rounding(unittest.TestCase):
    def test_fractions_as_python_divides(self):
        # n / d of Python is rounded once, to the nearest even binary64.
        source = random.Random(48)
        for _ in range(3000):
            top, bottom = source.getrandbits(source.randrange(1, 200)), source.getrandbits(source.randrange(1, 200)) | 1
            top <<= source.choice((0, 0, 900))
            value = Fraction(top, bottom << source.choice((0, 0, 1000)))
            try:
                want = value.numerator / value.denominator
            except OverflowError:
                want = math.inf
            self.assertEqual(float_of(Scalar(value, "fp64").bits), want)
            self.assertEqual(float_of(Scalar(-value, "fp64").bits), -want)

    def test_directed_roundings_bracket(self):
        source = random.Random(49)
        for name in ("e4m3fn", "fp16", "bf16", "fp64"):
            for _ in range(200):
                value = Fraction(source.randrange(1, 1 << 80), source.randrange(1, 1 << 80))
                value = min(max(value, Fraction(1, 16)), Fraction(200))
                down = Scalar(value, name, rounding="toward_negative")
                up = Scalar(value, name, rounding="toward_positive")
                self.assertTrue(down.value <= value <= up.value)
                self.assertEqual(up.bits - down.bits, "inexact" in up.flags)
                near = Scalar(value, name)
                self.assertIn(near.bits, (down.bits, up.bits))
                self.assertLessEqual(abs(near.value - value), min(abs(up.value - value), abs(down.value - value)))

    def test_beside_a_tie(self):
        # 17/16 is the middle of 1 and 9/8; a part in 10^300 beside it decides.
        tie, little = Fraction(17, 16), Fraction(1, 10**300)
        self.assertEqual([Scalar(tie + i * little, "e4m3fn").value for i in (-1, 0, 1)], [1, 1, Fraction(9, 8)])
        tie = Fraction(19, 16)
        self.assertEqual([Scalar(tie + i * little, "e4m3fn").value for i in (-1, 0, 1)],
                         [Fraction(9, 8), Fraction(5, 4), Fraction(5, 4)])
        self.assertEqual([Scalar(-tie + i * little, "e4m3fn").value for i in (-1, 0, 1)],
                         [Fraction(-5, 4), Fraction(-5, 4), Fraction(-9, 8)])

    def test_kinds_of_numbers(self):
        for value in (3, 3.0, Fraction(3), decimal.Decimal(3), numpy.float16(3), numpy.int8(3), numpy.float32([3]),
                      Scalar(3, "fp32"), True + 2):
            self.assertEqual(Scalar(value, "e4m3fn").bits, 0x44)
        self.assertEqual(Scalar(decimal.Decimal("0.1"), "fp64").bits, Scalar(0.1, "fp64").bits)
        self.assertEqual(Scalar(decimal.Decimal("-0"), "fp16").bits, 0x8000)
        self.assertTrue(Scalar(decimal.Decimal("NaN"), "fp16").is_nan)
        self.assertEqual(Scalar(decimal.Decimal("-Infinity"), "fp16").bits, 0xFC00)
        self.assertTrue(Scalar(decimal.Decimal("1e400"), "fp64").is_inf)
        self.assertEqual(Scalar(decimal.Decimal("1e-400"), "fp64", rounding="toward_positive").bits, 1)
        self.assertTrue(Scalar(10**400, "fp64").is_inf)
        self.assertEqual(Scalar(2.5).format, "fp64" and mxgold.format("fp64"))
        self.assertEqual(Scalar(Scalar(2.5, "bf16")).format, mxgold.format("bf16"))
        for wrong in ("1", None, [1, 2], numpy.float32([1, 2]), 1j, b"1"):
            with self.assertRaises(TypeError):
                Scalar(wrong, "fp16")
        with self.assertRaises(TypeError):
            Scalar(numpy.complex64(1), "fp16")

    def test_policies(self):
        self.assertEqual(Scalar(1e9, "e4m3fn").bits, 0x7E)
        self.assertEqual(Scalar(1e9, "e4m3fn", "overflow=none_inf_or_nan").bits, 0x7F)
        self.assertEqual(Scalar(1e9, "e4m3fn").flags, {"overflow", "saturated", "inexact"})
        self.assertEqual([Scalar(1.0625, "e4m3fn", rounding="stochastic_b", random_bits=4, random=word).bits
                          for word in (0, 7, 8, 15)], [0x38, 0x38, 0x39, 0x39])
        with self.assertRaisesRegex(ValueError, "give random="):
            Scalar(1, "e4m3fn", rounding="stochastic_b")
        with self.assertRaisesRegex(ValueError, r"random= below 2\^random_bits"):
            Scalar(1, "e4m3fn", rounding="stochastic_b", random_bits=4, random=16)
        with self.assertRaisesRegex(ValueError, "leave src_ftz out"):
            Scalar(1, "e4m3fn", src_ftz="flush")
        with self.assertRaisesRegex(ValueError, "more than 62 bits of precision"):
            Scalar(Fraction(1, 3), "kind=twos_compl_fixed,bits=64,frac_bits=62")
        self.assertEqual(mxgold.format("e4m3fn")(1.1, rounding="toward_positive").value, Fraction(9, 8))


class Operators(unittest.TestCase):
    def test_as_arrays(self):
        for name in ("e4m3fn", "e5m2"):
            codes = numpy.arange(0, 256, 7, dtype=numpy.uint8)
            x, y = numpy.repeat(codes, codes.size), numpy.tile(codes, codes.size)
            for operation, function in (("add", operator.add), ("subtract", operator.sub), ("multiply", operator.mul),
                                        ("divide", operator.truediv)):
                whole = mxgold.bits(mxgold.arithmetic(operation, x, y, source=name))
                pairs = [[Scalar.from_bits(int(code), name) for code in pair] for pair in zip(x, y)]
                got = [function(*pair).bits for pair in pairs]
                self.assertEqual(got, whole.tolist())

    def test_numbers_on_either_side(self):
        x = Scalar(3, "fp16")
        for got, want in ((x + 1, 4), (1 + x, 4), (x - 1, 2), (1 - x, -2), (x * 2, 6), (2.0 * x, 6), (x / 2, 1.5),
                          (6 / x, 2),
                          (+x, 3), (-x, -3), (abs(-x), 3), (x + Fraction(1, 4), 3.25), (numpy.float16(1) + x, 4),
                          (x + decimal.Decimal("0.5"), 3.5)):
            self.assertIsInstance(got, Scalar)
            self.assertEqual((float(got), got.format), (want, x.format))
        self.assertEqual((x / 0).flags, {"divide_by_zero"})
        self.assertEqual((x + 1e-9).flags, {"inexact"})  # 1e-9 stays what it is: it is not rounded to fp16 first
        with self.assertRaisesRegex(ValueError, "1/3 is no value of binary64"):
            x + Fraction(1, 3)
        for wrong in ("a", None, [1], 1j, numpy.ones(2)):
            with self.assertRaises(TypeError):
                x + wrong
            with self.assertRaises(TypeError):
                wrong - x

    def test_formats_and_policies_meet(self):
        half, brain = Scalar(1, "fp16"), Scalar(1, "bf16")
        with self.assertRaisesRegex(ValueError, "operands of bf16 and fp16: name the format"):
            half + brain
        got = mxgold.add(half, brain, result="e4m3fn")
        self.assertEqual((got.bits, got.format), (0x40, mxgold.format("e4m3fn")))
        down, up = Scalar(1, "fp16", rounding="toward_zero"), Scalar(1, "fp16", rounding="toward_positive")
        self.assertEqual((down / 3).bits, (half / 3).bits)
        self.assertEqual((up / 3).bits, (half / 3).bits + 1)
        self.assertEqual((up / half / 3).policy, up.policy)
        with self.assertRaisesRegex(ValueError, "operands under 'rounding=toward_zero' and 'rounding=toward_positive'"):
            down + up
        self.assertEqual(mxgold.add(down, up, policy="rounding=to_odd").policy, mxgold.policy("rounding=to_odd"))

    def test_functions_take_scalars(self):
        x, y = Scalar(2, "fp16"), Scalar(3, "fp16")
        self.assertEqual(mxgold.sqrt(x).bits, 0x3DA8)
        self.assertEqual(mxgold.fma(x, y, 1).value, 7)
        self.assertEqual(mxgold.arithmetic("maximum", x, y), y)
        self.assertIs(mxgold.less(x, y), True)
        self.assertIs(mxgold.equal(x, 2), True)
        self.assertEqual(mxgold.to_integer(Scalar(-2.7, "fp16"), "i8"), -2)
        self.assertEqual(mxgold.to_integer(Scalar(300, "fp16"), "u8"), 255)
        self.assertEqual(mxgold.add(x, numpy.float16([1, 2])).tolist(), [3, 4])
        self.assertEqual(mxgold.convert(Scalar(1.5, "e4m3fn"), "fp32"), 1.5)
        self.assertEqual(mxgold.bits(Scalar(1.5, "e4m3fn")), 0x3C)

    def test_signs(self):
        self.assertEqual((-Scalar(0, "fp16")).bits, 0x8000)
        self.assertEqual((-Scalar(0, "e4m3fnuz")).bits, 0)
        self.assertEqual((-Scalar(math.inf, "fp16")).bits, 0xFC00)
        self.assertEqual((-Scalar(math.nan, "fp16")).bits, 0x7E00)
        with self.assertRaisesRegex(ValueError, "ue4m3 has no value of the other sign"):
            -Scalar(1, "ue4m3")
        for code in range(1, 128):
            x = Scalar.from_bits(code, "e4m3fn")
            if not x.is_nan:
                self.assertEqual((-x).bits, code | 0x80)
                self.assertEqual(abs(-x).bits, code)


class Order(unittest.TestCase):
    def test_as_the_numbers_that_they_are(self):
        numbers = [-math.inf, -2, Fraction(-1, 3), -0.0, 0, Fraction(1, 10**400), 0.5, Fraction(1, 2), 1, 10**400,
                   math.inf,
                   math.nan, decimal.Decimal("0.5"), numpy.float32(0.5)]
        scalars = [Scalar(value, name) for name in ("fp16", "e5m2", "fp64") for value in (-math.inf, -2, -0.0, 0.5, 1,
                                                                                          math.nan)]
        relations = (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)
        for x in scalars:
            mine = float(x)
            for other in numbers + scalars:
                theirs = float(other) if isinstance(other, (Scalar, decimal.Decimal)) else other
                for relation in relations:
                    self.assertIs(bool(relation(x, other)), bool(relation(mine, theirs)), (x, relation, other))
                    self.assertIs(bool(relation(other, x)), bool(relation(theirs, mine)), (other, relation, x))
                if x == other and not isinstance(other, numpy.generic):
                    self.assertEqual(hash(x), hash(other))
        self.assertIs(Scalar(1, "fp16") == "1", False)
        with self.assertRaises(TypeError):
            Scalar(1, "fp16") < "1"
        self.assertEqual(sorted([Scalar(3, "fp16"), Scalar(1, "bf16"), 2]), [1, 2, 3])
        self.assertFalse(Scalar(-0.0, "fp16"))
        self.assertTrue(Scalar(math.nan, "fp16"))


class Texts(unittest.TestCase):
    def test_repr_is_the_same_value(self):
        for name in ("e4m3fn", "e5m2", "e8m0", "int8", "exp_bits=3,man_bits=4,has_subnormal=false"):
            format = mxgold.format(name)
            for code in range(0, 1 << format.bits, 3):
                x = Scalar.from_bits(code, format)
                made = eval(repr(x).replace("Scalar(", "mxgold.Scalar(").replace("mxgold.mxgold", "mxgold"))
                self.assertEqual((made.bits, made.format), (x.bits, x.format), repr(x))
        self.assertEqual(str(Scalar(1.5, "e4m3fn")), "1.5")
        self.assertEqual(f"{Scalar(1.5, 'e4m3fn'):.3f} {Scalar(1.5, 'e4m3fn')}", "1.500 1.5")

    def test_pickled(self):
        x = Scalar(1.1, "e4m3fn", rounding="toward_zero")
        again = pickle.loads(pickle.dumps(x))
        self.assertEqual((again.bits, again.format, again.policy, again.flags), (x.bits, x.format, x.policy, x.flags))

    def test_they_do_not_change(self):
        with self.assertRaises(AttributeError):
            Scalar(1, "fp16").bits = 3
        with self.assertRaises(AttributeError):
            Scalar(1, "fp16").other = 3

    def test_codes_are_checked(self):
        for wrong in (-1, 256, 1 << 64):
            with self.assertRaisesRegex(ValueError, r"bits .* is not a whole number of 0 to 2\^8 - 1"):
                Scalar.from_bits(wrong, "e4m3fn")
        with self.assertRaises(TypeError):
            Scalar.from_bits(1.0, "e4m3fn")
        with self.assertRaisesRegex(ValueError, "format of blocks"):
            Scalar(1, "mxfp4")


if __name__ == "__main__":
    unittest.main()
