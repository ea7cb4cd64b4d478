"""Measures of errors, compared with rational arithmetic over the values of the formats."""

import bisect
import math
import unittest
from fractions import Fraction

import numpy

import mxgold
from mxgold import measure

ELEMENTS = ("e4m3fn", "e5m2", "e2m1fn", "e3m2fn", "int8", "bf16", "fp16", "e4m3fnuz", "hif8", "fp32", "tf32", "int12",
            "fixed16.8")
BLOCKS = ("mxfp8_e4m3", "mxfp4", "mxint8", "nvfp4", "fp8_e4m3_fp32_row", "bfp16_16", "hifx4")


def numbers(*shape, seed=3):
    rng = numpy.random.default_rng(seed)
    return (rng.standard_normal(shape) * 2.0 ** rng.integers(-12, 12, shape)).astype("f4")


def magnitudes(name):
    values = mxgold.format(name).values()
    return sorted({abs(Fraction(float(value))) for value in values if math.isfinite(value)})


def spacing(table, magnitude):
    at = min(max(bisect.bisect_right(table, magnitude), 1), len(table) - 1)
    return table[at] - table[at - 1]


class Measures(unittest.TestCase):
    def compare(self, x, y, scales, name, found):
        element = mxgold.format(name)
        table = magnitudes(name) if element.bits <= 16 else None
        pairs = [(Fraction(float(a)), Fraction(float(b)), Fraction(float(s))) for a, b, s in zip(x, y, scales)]
        moved = [b - a for a, b, _ in pairs]
        noise, signal = sum(each ** 2 for each in moved), sum(a ** 2 for a, _, _ in pairs)
        self.assertEqual(found.elements, len(pairs))
        self.assertEqual(found.max_error, float(max(map(abs, moved))))
        self.assertEqual(found.exact, sum(each == 0 for each in moved))
        self.assertEqual(found.flushed, sum(b == 0 != a for a, b, _ in pairs))
        top = Fraction(element.max)
        self.assertEqual(found.saturated, sum(abs(b) == top * s and abs(a) > abs(b) for a, b, s in pairs))
        if noise:
            self.assertAlmostEqual(found.sqnr, 10 * math.log10(signal / noise), 9)
        self.assertTrue(math.isclose(found.mse, noise / len(pairs), rel_tol=1e-12))
        self.assertTrue(math.isclose(found.bias, sum(moved) / len(pairs), rel_tol=1e-9, abs_tol=1e-15))
        if table is not None:
            ulps = [abs(a - b) / (spacing(table, abs(a) / s) * s) if s else 0 for a, b, s in pairs]
            self.assertTrue(math.isclose(found.max_ulp, max(ulps), rel_tol=1e-12), name)

    def test_single_values(self):
        x = numbers(500)
        for name in ELEMENTS:
            for policy in ("", "rounding=toward_zero"):
                y = mxgold.convert(x, name, policy)
                found = measure.errors(x, y, name)
                self.compare(x, mxgold.convert(y, "fp64", source=name), numpy.ones(500), name, found)
                self.assertEqual((measure.sqnr(x, y, name), measure.max_ulp(x, y, name), measure.saturated(x, y, name),
                                  measure.flushed(x, y, name)),
                                 (found.sqnr, found.max_ulp, found.saturated, found.flushed))

    def test_blocks(self):
        x = numbers(4, 96)
        for name in BLOCKS:
            for axis in (0, 1):
                q = mxgold.quantize(x, name, axis=axis)
                scales = measure._scales_of(q)
                if q.format.scale == "e8m0":
                    wide = mxgold.convert(q.scales, "fp64", source="e8m0").repeat(q.format.block_size, axis)
                    self.assertEqual(wide[tuple(map(slice, x.shape))].tolist(), scales.tolist())
                self.compare(x.ravel(), q.dequantize("fp64").ravel(), scales.ravel(), q.format.element.name,
                             measure.errors(x, q))

    def test_half_an_ulp_is_the_most_of_a_rounding_to_nearest(self):
        for name in ("fp32", "tf32", "bf16", "fp16", "e4m3fn", "e2m1fn", "int8", "hif8", "fixed16.8"):
            low, high = (float(each) for each in mxgold.format(name).values()[:2]) if mxgold.format(name).bits <= 16 else (
                1.0, 1.0 + 2.0 ** (-23 if name == "fp32" else -10))
            middle = (low + high) / 2
            for x, most in ((middle, 0.5), (numpy.nextafter(middle, low), 0.5), (low, 0.0), (high, 0.0)):
                x = numpy.array([x])
                found = measure.max_ulp(x, mxgold.convert(x, name), name)
                self.assertLessEqual(found, most, (name, x))
                self.assertGreater(found, 0.49 if most else -1, (name, x))
            x = numpy.array([numpy.nextafter(middle, high)])
            self.assertGreater(measure.max_ulp(x, mxgold.convert(x, name, rounding="toward_zero"), name), 0.5 - 1e-9)

    def test_saturated_begins_above_the_largest(self):
        for x, wanted in ((448.0, 0), (numpy.nextafter(448.0, 449), 1), (-448.0, 0), (-449.0, 1), (447.0, 0)):
            x = numpy.array([x])
            self.assertEqual(measure.saturated(x, mxgold.convert(x, "e4m3fn"), "e4m3fn"), wanted)

    def test_what_is_no_number_is_left_out(self):
        x = numpy.array([1.0, numpy.nan, numpy.inf, -numpy.inf, 2.0])
        found = measure.errors(x, mxgold.convert(x, "e4m3fn"), "e4m3fn")
        self.assertEqual((found.elements, found.left_out, found.sqnr, found.exact), (2, 3, math.inf, 2))
        nothing = measure.errors(numpy.zeros(0), mxgold.convert(numpy.zeros(0), "e4m3fn"), "e4m3fn")
        self.assertEqual((nothing.elements, nothing.max_ulp, nothing.mse), (0, 0, 0))
        self.assertTrue(math.isnan(nothing.sqnr) and math.isnan(measure.sqnr([0.0], mxgold.convert([0.0], "fp16"))))

    def test_what_does_not_fit_is_refused(self):
        q = mxgold.quantize(numbers(4, 32), "mxfp4")
        with self.assertRaisesRegex(ValueError, r"x has shape \(32,\), y \(4, 32\)"):
            measure.errors(numbers(32), q)
        with self.assertRaisesRegex(ValueError, "format: goes with an array of codes"):
            measure.errors(numbers(4, 32), q, "e2m1fn")
        with self.assertRaisesRegex(TypeError, "name their format with source="):
            measure.errors(numbers(3), numpy.zeros(3, "u1"))
        with self.assertRaisesRegex(ValueError, "Hadamard"):
            measure.errors(numbers(4, 32), mxgold.quantize(numbers(4, 32), "nvfp4", hadamard=3))

    def test_it_prints(self):
        found = measure.errors([480.0, 1.0], mxgold.convert([480.0, 1.0], "e4m3fn"), "e4m3fn")
        self.assertIn("saturated  1", str(found))
        self.assertIn("<th style='text-align:left'>max ulp</th><td>1</td>", found._repr_html_())


if __name__ == "__main__":
    unittest.main()
