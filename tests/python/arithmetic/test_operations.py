# SPDX-License-Identifier: Apache-2.0
"""Operations on arrays: NumPy's own arithmetic, exact fractions between formats, shapes, outputs and refusals."""

import fractions
import math
import unittest

import numpy
from numpy.testing import assert_array_equal

import mxgold

FLOATS = (numpy.float16, numpy.float32, numpy.float64)
OPERATIONS = {"add": numpy.add, "subtract": numpy.subtract, "multiply": numpy.multiply, "divide": numpy.divide}
RELATIONS = {"equal": numpy.equal, "less": numpy.less, "less_equal": numpy.less_equal}


def drawn(generator, dtype, count):
    """Codes of a type: any bits, numbers near 1, whole numbers."""
    size = numpy.dtype(dtype).itemsize
    words = generator.integers(0, (1 << 8 * size) - 1, count, dtype=f"u{size}", endpoint=True)
    near, whole = generator.standard_normal(count).astype(dtype), generator.integers(-9, 9, count).astype(dtype)
    kinds = generator.integers(0, 3, count)
    return numpy.where(kinds == 0, words,
                       numpy.where(kinds == 1, near.view(words.dtype), whole.view(words.dtype))).view(dtype)


def one_nan(array):
    return numpy.where(numpy.isnan(array), array.dtype.type(numpy.nan), array).view(f"u{array.dtype.itemsize}")


class AsNumPy(unittest.TestCase):
    def test_operations(self):
        generator = numpy.random.default_rng(48)
        for dtype in FLOATS:
            x, y = drawn(generator, dtype, 20000), drawn(generator, dtype, 20000)
            with numpy.errstate(all="ignore"):
                for name, theirs in OPERATIONS.items():
                    got = mxgold.arithmetic(name, x, y)
                    self.assertEqual(got.dtype, dtype)
                    assert_array_equal(one_nan(got), one_nan(theirs(x, y)), name)
                    toward_zero = mxgold.arithmetic(name, x, y, rounding="toward_zero")  # the control
                    self.assertTrue((one_nan(toward_zero) != one_nan(theirs(x, y))).any())
                assert_array_equal(one_nan(mxgold.sqrt(x)), one_nan(numpy.sqrt(x)))
                for name, theirs in RELATIONS.items():
                    assert_array_equal(getattr(mxgold, name)(x, y), theirs(x, y), name)

    def test_functions_are_the_operations_of_their_names(self):
        x, y = numpy.float32([3, 0.5]), numpy.float32([0.3, 7])
        for function, name in ((mxgold.add, "add"), (mxgold.sub, "subtract"), (mxgold.mul, "multiply"),
                               (mxgold.div, "divide"), (mxgold.remainder, "remainder"), (mxgold.minimum, "minimum"),
                               (mxgold.maximum, "maximum")):
            assert_array_equal(function(x, y), mxgold.arithmetic(name, x, y))
        assert_array_equal(mxgold.fma(x, y, x), mxgold.arithmetic("fma", x, y, x))
        assert_array_equal(mxgold.remainder(x, y), [math.remainder(a, b) for a, b in zip(x, y)])
        assert_array_equal(mxgold.minimum(x, y), numpy.minimum(x, y))
        assert_array_equal(mxgold.maximum(x, y), numpy.maximum(x, y))
        self.assertEqual(set(mxgold.operations()) & {"add", "fma", "to_integer", "select_minimum"},
                         {"add", "fma", "to_integer", "select_minimum"})

    def test_integers(self):
        x = numpy.float32([2.5, -2.5, 300, -300, numpy.nan, numpy.inf])
        for name in ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"):
            got = mxgold.to_integer(x, name)
            self.assertEqual(got.dtype, numpy.dtype(f"{name[0]}{int(name[1:]) // 8}"))
            limits = numpy.iinfo(got.dtype)
            wanted = [2, max(-2, limits.min), min(300, limits.max), max(-300, limits.min), limits.max, limits.max]
            assert_array_equal(got, numpy.array(wanted, got.dtype))
        assert_array_equal(mxgold.to_integer(x, "i16", rounding="ties_to_even")[:2], [2, -2])
        assert_array_equal(mxgold.to_integer(x, numpy.int8, out_of_range="indefinite"), [2, -2, -128, -128, -128, -128])
        assert_array_equal(mxgold.to_integer(x, "uint8", out_of_range="saturate_nan_zero"), [2, 0, 255, 0, 0, 255])
        for dtype in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"):
            limits = numpy.iinfo(dtype)
            whole = numpy.array([limits.min, limits.max, 0, 1, limits.max // 3], dtype)
            assert_array_equal(mxgold.from_integer(whole, "fp32"), whole.astype(numpy.float32))
            assert_array_equal(mxgold.from_integer(whole, "fp64"), whole.astype(numpy.float64))
        with self.assertRaisesRegex(TypeError, "array of integers, not of float64"):
            mxgold.from_integer([1.5], "fp16")
        with self.assertRaisesRegex(ValueError, "to_integer gives one of i8, u8.*not 'i7'"):
            mxgold.to_integer(x, "i7")


def nearest(value, values, codes):
    """The code of the value nearest to a fraction, an even code at a tie; values rise."""
    at = next((i for i, each in enumerate(values) if each >= value), len(values) - 1)
    below = max(at - 1, 0)
    low, high = value - values[below], values[at] - value
    if low == high:
        return codes[below] if codes[below] % 2 == 0 else codes[at]
    return codes[below] if low < high else codes[at]


class BetweenFormats(unittest.TestCase):
    def test_the_exact_result_is_rounded_once(self):
        generator = numpy.random.default_rng(49)
        e4m3 = mxgold.format("e4m3fn").values()
        codes = [code for code in range(127) if e4m3[code] < 448]
        values = [fractions.Fraction(float(e4m3[code])) for code in codes]
        x, y = drawn(generator, numpy.float32, 3000), drawn(generator, numpy.float16, 3000)
        with numpy.errstate(all="ignore"):
            kept = numpy.isfinite(x) & numpy.isfinite(y) & (numpy.abs(x * y.astype("f4")) < 400) & (x * y > 0)
        x, y = x[kept][:400], y[kept][:400]
        got = mxgold.bits(mxgold.mul(x, y, result="e4m3fn"))
        products = [fractions.Fraction(float(a)) * fractions.Fraction(float(b)) for a, b in zip(x, y)]
        want = [nearest(product, values, codes) for product in products]
        assert_array_equal(got, want)

    def test_once_is_not_twice(self):
        # above a tie of fp16, to which binary32 would round it
        x = numpy.float64([1 + 2.0**-11 + 2.0**-40])
        self.assertEqual(mxgold.add(x, 0.0, result="fp16")[0], 1 + 2.0**-10)
        self.assertEqual(mxgold.convert(mxgold.add(x, 0.0, result="fp32"), "fp16")[0], 1)

    def test_every_format_of_floats_is_a_result(self):
        for name in mxgold.formats("elements"):
            try:
                got = mxgold.add(numpy.float32([1, 0.5]), numpy.float32([1, 0.5]), result=name)
            except ValueError as error:
                self.assertIn("arithmetic takes floats", str(error))
                self.assertIn(name, ("int8", "hif8"))
                continue
            assert_array_equal(mxgold.convert(got, "fp64", source=name), [2, 1], name)

    def test_formats_of_ones_own(self):
        own = mxgold.Format(exp=3, man=4, bias=5)
        codes = mxgold.convert([1.0, 0.75], own)
        got = mxgold.add(codes, codes, source=own)
        assert_array_equal(mxgold.convert(got, "fp64", source=own), [2, 1.5])

    def test_the_format_of_the_result_is_that_of_the_operands(self):
        half, single = numpy.float16([1]), numpy.float32([1])
        self.assertEqual(mxgold.add(half, half).dtype, numpy.float16)
        self.assertEqual(mxgold.add(half, 2.5).dtype, numpy.float16)
        self.assertEqual(mxgold.add(1, 2.5).dtype, numpy.float64)
        self.assertEqual(mxgold.add([1, 2], half).dtype, numpy.float16)
        with self.assertRaisesRegex(ValueError,
                                    "operands of fp16 and fp32: name the format of the result with result="):
            mxgold.add(half, single)
        self.assertEqual(mxgold.add(half, single, result=numpy.float32).dtype, numpy.float32)
        codes = numpy.uint8([0x38])
        with self.assertRaisesRegex(TypeError, "source="):
            mxgold.add(codes, codes)
        assert_array_equal(mxgold.bits(mxgold.add(codes, codes, source="e4m3fn")), [0x40])
        assert_array_equal(mxgold.bits(mxgold.add(codes, half, source="e4m3fn", result="e4m3fn")), [0x40])
        assert_array_equal(mxgold.add(codes, codes, source=("e4m3fn", "e5m2"), result="fp32"), [1.5])
        with self.assertRaisesRegex(ValueError, "source: 3 formats for 2 operands"):
            mxgold.add(codes, codes, source=("e4m3fn",) * 3)

    def test_the_default_overflow_is_ieee_754s(self):
        most = numpy.uint8([0x7E, 0xFE])
        assert_array_equal(mxgold.bits(mxgold.add(most, most, source="e4m3fn")), [0x7F, 0xFF])
        assert_array_equal(mxgold.bits(mxgold.add(most, most, source="e4m3fn", overflow="sat_finite")), [0x7E, 0xFE])
        assert_array_equal(mxgold.bits(mxgold.mul([65504.0, -65504.0], 2, result="fp16")), [0x7C00, 0xFC00])

    def test_numbers_are_exact(self):
        # 2^24 + 1 is no binary32, and 0.1 is the binary64 one
        self.assertEqual(mxgold.sub(2**24 + 1, numpy.float32([2**24]))[0], 1)
        self.assertEqual(mxgold.sub(0.1, numpy.float32([0.1]), result="fp64")[0], 0.1 - float(numpy.float32(0.1)))
        self.assertEqual(mxgold.add(2**53, 0.0), 2.0**53)
        with self.assertRaisesRegex(ValueError, "9007199254740993 is no value of binary64"):
            mxgold.add(2**53 + 1, 0.0)
        with self.assertRaisesRegex(ValueError, "is no value of binary64"):
            mxgold.add([1, 2**53 + 1], 0.0)
        with self.assertRaisesRegex(ValueError, "1/3 is no value of binary64"):
            mxgold.add(fractions.Fraction(1, 3), 0.0)
        self.assertEqual(mxgold.add(fractions.Fraction(1, 4), 0.0), 0.25)


class Arrays(unittest.TestCase):
    def test_shapes_broadcast(self):
        x, y = numpy.arange(6, dtype=numpy.float32).reshape(2, 3), numpy.float32([[10], [20]])
        assert_array_equal(mxgold.add(x, y), x + y)
        assert_array_equal(mxgold.add(x, numpy.float32([1, 2, 3])), x + [1, 2, 3])
        assert_array_equal(mxgold.add(x.T, 1), x.T + 1)
        assert_array_equal(mxgold.add(x, numpy.float32([[5]])), x + 5)
        self.assertEqual(mxgold.add(x[:, :0], y).shape, (2, 0))
        self.assertEqual(mxgold.add(numpy.float32(1), numpy.float32(2)).shape, ())
        with self.assertRaisesRegex(ValueError, r"shapes \(2,\), \(3,\) do not broadcast"):
            mxgold.add(numpy.ones(2), numpy.ones(3))

    def test_large_arrays_are_small_ones(self):
        generator = numpy.random.default_rng(50)
        x, y, z = (drawn(generator, numpy.float16, 300_001) for _ in range(3))
        whole = mxgold.bits(mxgold.fma(x, y, z))
        for part in (slice(0, 7), slice(131_070, 131_075), slice(299_990, None)):
            assert_array_equal(whole[part], mxgold.bits(mxgold.fma(x[part], y[part], z[part])))

    def test_byte_order(self):
        x = numpy.float32([1, 2, 3])
        assert_array_equal(mxgold.add(x.astype(">f4"), x[::-1]), [4, 4, 4])

    def test_out(self):
        x = numpy.float32([1, 2])
        out = numpy.empty(2, numpy.float32)
        self.assertIs(mxgold.add(x, x, out=out), out)
        assert_array_equal(out, [2, 4])
        words = numpy.empty(2, numpy.uint32)
        mxgold.add(x, x, out=words)
        assert_array_equal(words.view(numpy.float32), [2, 4])
        marks = numpy.empty(2, bool)
        self.assertIs(mxgold.less(x, 2, out=marks), marks)
        assert_array_equal(marks, [True, False])
        for wrong, message in ((numpy.empty(3, numpy.float32), "has shape"), (numpy.empty(2), "is an array of"),
                               (x, "shares memory with operand 1"), ([1, 2], "give a NumPy array")):
            with self.assertRaisesRegex((ValueError, TypeError), message):
                mxgold.add(x, x, out=wrong)

    def test_flags(self):
        self.assertEqual(mxgold.arithmetic_flags("divide", [1.0, 0.0], 0.0), {"divide_by_zero", "invalid"})
        self.assertEqual(mxgold.arithmetic_flags("add", numpy.float16([65504]), 65504), {"overflow", "inexact"})
        self.assertEqual(mxgold.arithmetic_flags("add", [1.0], 1.0), frozenset())
        self.assertEqual(mxgold.arithmetic_flags("to_integer", [1e20], result="i8"), {"invalid"})
        self.assertEqual(mxgold.arithmetic_flags("compare_signaling_less", [float("nan")], 1.0), {"invalid"})
        self.assertEqual(mxgold.arithmetic_flags("compare_quiet_less", [float("nan")], 1.0), frozenset())

    def test_refusals(self):
        x = numpy.float32([1])
        for error, message, call in (
                (ValueError, "unknown operation 'ad'; did you mean 'add'", lambda: mxgold.arithmetic("ad", x, x)),
                (TypeError, "operation: a name, not int", lambda: mxgold.arithmetic(3, x)),
                (ValueError, "fma takes 3 operands, not 2", lambda: mxgold.arithmetic("fma", x, x)),
                (ValueError, "stochastic rounding", lambda: mxgold.add(x, x, rounding="stochastic_a")),
                (ValueError, "'profile' goes with conversions", lambda: mxgold.add(x, x, profile="te")),
                (ValueError, "'out_of_range' goes with to_integer",
                 lambda: mxgold.arithmetic("add", x, x, out_of_range="indefinite")),
                (ValueError, "gives booleans", lambda: mxgold.arithmetic("compare_quiet_less", x, x, result="fp32")),
                (ValueError, "name the format of the result", lambda: mxgold.arithmetic("from_integer", [1])),
                (ValueError, "format of blocks", lambda: mxgold.add(x, x, result="mxfp4")),
                (TypeError, "unknown keyword 'rouding'; did you mean 'rounding'",
                 lambda: mxgold.add(x, x, rouding="RNE")),
                (TypeError, "an operand: an array", lambda: mxgold.add([1, "a"], x)),
                (TypeError, "array of int32", lambda: mxgold.add(numpy.int32([1]), x)),
                (ValueError, "add of int8 and fp32 to fp32: arithmetic takes floats",
                 lambda: mxgold.add(numpy.uint8([1]), x, source="int8", result="fp32"))):
            with self.subTest(message), self.assertRaisesRegex(error, message):
                call()


if __name__ == "__main__":
    unittest.main()
