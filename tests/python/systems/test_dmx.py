"""mxgold.dmx as a script uses it: NumPy arrays in and out, both modes."""

import abc
import copy
import pickle
import unittest

import numpy

import mxgold
from mxgold import dmx


def row(*values):
    return numpy.array(values, dtype=numpy.float32)


class Shorthands(unittest.TestCase):
    TEXTS = ["SAME", "XP[8,+4](CSN)", "XP[8,-4](__S)", "FP[1|4|3,7](_N)", "FP[0|4|4,-3](FS)", "BFP[8|8]{64}(SN)",
             "BFP[4|8]{7}(_U)", "SBFP<XP[4,0](CSN)><FP[0|4|4,7](FN)>{16}", "MXFP8[E4M3]{32}", "MXFP4[E3M0]{1}",
             "MXINT8{32}"]

    def test_repr_is_the_inverse_of_from_shorthand(self):
        for name in ("strict", "compat"):
            for text in self.TEXTS:
                self.assertEqual(repr(dmx.Format.from_shorthand(text, mode=name)), text)

    def test_every_class_reads_its_own(self):
        for text in self.TEXTS:
            kind = type(dmx.Format.from_shorthand(text))
            self.assertIs(type(kind.from_shorthand(text)), kind)

    def test_modes_refuse_differently(self):
        with mxgold.mode("compat"):
            self.assertRaises(TypeError, dmx.Format.from_shorthand, "BFP[8|7]{64}(SN)")
            self.assertRaises(KeyError, dmx.Format.from_shorthand, "XP[8,4](CSn)")
            self.assertRaises(AssertionError, dmx.Format.from_shorthand, "XP[25,4](CSN)")
            self.assertRaises(ValueError, dmx.Format.from_shorthand, "foo")
            self.assertRaises(TypeError, dmx.MXFP.from_shorthand, "MXINT8{32}")
            self.assertEqual(repr(dmx.FixedPoint.from_shorthand("xp[8,+-4](CSN)")), "XP[8,+4](CSN)")
        for text in ("BFP[8|7]{64}(SN)", "XP[8,4](CSn)", "XP[25,4](CSN)", "foo", "XP[8,+-4](CSN)"):
            self.assertRaisesRegex(ValueError, "position", dmx.Format.from_shorthand, text)

    def test_the_documented_spelling_with_an_axis(self):
        bfp = dmx.Format.from_shorthand("BFP[4|8]{2,0}(SN)")
        x = numpy.arange(6, dtype=numpy.float32).reshape(3, 2) * 1.3
        numpy.testing.assert_array_equal(bfp.cast(x), dmx.BlockFloatingPoint(4, 2).cast(x, 0))
        self.assertRaises(TypeError, dmx.BlockFloatingPoint(4, 2).cast, x)

    def test_named_formats(self):
        self.assertEqual(len(dir(dmx.format)), 76)
        self.assertEqual(repr(dmx.format.BFP16A_16), "BFP[8|8]{16}(_N)")
        with mxgold.mode("compat"):
            self.assertEqual(repr(dmx.format.BFP16A_16), "BFP[6|8]{16}(_N)")
        self.assertRaises(AttributeError, getattr, dmx.format, "BFP17_1")


class Constructors(unittest.TestCase):
    def test_checks(self):
        for make in (lambda: dmx.FixedPoint(25, 0), lambda: dmx.FloatingPoint(3, 9, 7), lambda: dmx.MXINT(1),
                     lambda: dmx.FloatingPoint(7, 8, 126), lambda: dmx.BlockFloatingPoint(8, 0), lambda: dmx.MXFP("x"),
                     lambda: dmx.ScaledBlockFloatingPoint(dmx.FixedPoint(4, 1), dmx.FloatingPoint(4, 4, 7))):
            self.assertRaises(AssertionError, make)

    def test_the_documented_default_bias(self):
        self.assertEqual(dmx.FloatingPoint(3, 4).bias, 7)
        with mxgold.mode("compat"):
            self.assertRaises(TypeError, dmx.FloatingPoint)

    def test_facts(self):
        mxfp = dmx.Format.from_shorthand("MXFP8[E4M3]{32}")
        self.assertEqual((mxfp.bit_precision, mxfp.bytes_per_elem, mxfp.bfp_id), (8.25, 1.03125, None))
        with mxgold.mode("compat"):
            self.assertRaises(AttributeError, lambda: mxfp.bit_precision)
            self.assertEqual(mxfp.bytes_per_elem, 1.03515625)
        self.assertEqual(dmx.format.BFP16_64.bfp_id, 10006)
        self.assertEqual(dmx.BFPTypeEnum["DMX_SBFP_12_16_18"].value, 10055)
        self.assertRaises(KeyError, lambda: dmx.format.BFP16A_64.bfp_id)
        self.assertEqual(dmx.FloatingPoint(2, 5, 15).largest_representable_power_of_two, 32768)
        self.assertTrue(mxfp.blocked)
        self.assertFalse(dmx.format.INT8.blocked)


    def test_descriptions(self):
        """What dmx-compressor 0.1.11 prints."""
        xp, fp = (dmx.Format.from_shorthand(text) for text in ("XP[8,+4](CSN)", "FP[0|4|3,7](FN)"))
        fixed = ("Simulated fixed point format: precision bits = 8, fraction bits = 4, \n"
                 "casting behavior: symmetric = True, clamp = True, rounding = nearest")
        floating = ("Simulated floating point format: mantissa bits = 3, exponent bits = 4, exponent bias = 7, unsigned = "
                    "True, \ncasting behavior: flush subnormal = True, rounding = nearest")
        blocks = ("precision bits = 6, block size = 2\ncasting behavior: symmetric = True, rounding = nearest")
        self.assertEqual((str(xp), str(fp)), (fixed, floating))
        for text, expected in (("SAME", "Dummy numerical format: no casting"),
                               ("BFP[6|8]{2}(SN)", f"Simulated block floating point format: {blocks}"),
                               ("MXINT6{2}", f"Simulated MXINT format: {blocks}")):
            self.assertEqual(str(dmx.Format.from_shorthand(text)), expected)
        sbfp = dmx.ScaledBlockFloatingPoint(dmx.FixedPoint(8, 0), fp, 16)
        self.assertEqual(str(sbfp), f"Simulated scaled block floating point format: block format = {sbfp.block_format}, "
                                    f"scaler format = {fp},\n block size = 16")
        mxfp = dmx.MXFP(fp, 4)
        self.assertEqual(str(mxfp), f"Simulated MXFP format: element format = {fp}, scaler format = {mxfp.scaler_format},"
                                    "\n block size = 4")

    def test_the_base_is_abstract(self):
        class Halves(dmx.Format):
            def cast(self, x, *args, **keywords):
                return x / 2

        self.assertIsInstance(dmx.Format, abc.ABCMeta)
        for format in (dmx.Format(), Halves()):
            for call in (format.__str__, lambda: format.bit_precision, lambda: format.bytes_per_elem):
                self.assertRaises(NotImplementedError, call)
            self.assertIsNone(format.bfp_id)
        self.assertRaises(NotImplementedError, dmx.Format().cast, row(1))
        self.assertEqual(Halves().cast(row(1)), row(0.5))

    def test_modules_tell_their_names(self):
        self.assertEqual([name for name in dmx.__all__ if not hasattr(dmx, name)], [])


class Casts(unittest.TestCase):
    def test_modes(self):
        mxfp, x = dmx.Format.from_shorthand("MXFP8[E4M3]{3}"), row(1.9, 1, -0.95)
        numpy.testing.assert_array_equal(mxfp.cast(x, -1), row(1.75, 1, -0.9375))
        numpy.testing.assert_array_equal(mxfp.cast(x, -1, mode="compat"), row(1.875, 1, -0.9375))
        with mxgold.mode("compat"):
            numpy.testing.assert_array_equal(mxfp.cast(x, -1), row(1.875, 1, -0.9375))

    def test_an_element_format_of_ones_own(self):
        mxfp = dmx.MXFP(dmx.FloatingPoint(3, 4, 7, flush_subnormal=False, unsigned=True), 4)
        with mxgold.mode("compat"):
            numpy.testing.assert_array_equal(mxfp.cast(row(1, -0.5), -1), row(1, 0.5))

    def test_types_and_axes(self):
        x = numpy.arange(12, dtype=numpy.float16).reshape(3, 4)
        y = dmx.BlockFloatingPoint(4, 2).cast(x, 0)
        self.assertEqual((y.dtype, y.shape), (numpy.float32, (3, 4)))
        self.assertRaises(IndexError, dmx.BlockFloatingPoint(4, 2).cast, x, 2)
        with mxgold.mode("compat"):
            self.assertRaises(RuntimeError, dmx.format.INT8.cast, x)
            self.assertRaises(RuntimeError, dmx.format.MXINT8_K32.cast, x[:0], -1)
            self.assertRaises(AssertionError, dmx.FloatingPoint(3, 4, 7, rounding="up").cast, x)

    def test_random_words_are_an_argument(self):
        fixed = dmx.FixedPoint(8, 0, rounding="stochastic")
        numpy.testing.assert_array_equal(fixed.cast(row(0.25, 0.25), random=[0xBFFFFF, 0xC00000]), row(0, 1))
        self.assertRaises(ValueError, fixed.cast, row(0.25, 0.25), random=[1])
        x = numpy.linspace(-1, 1, 200, dtype=numpy.float32)
        dmx.seed(5)
        first = dmx.Format.from_shorthand("BFP[3|8]{8}(SS)").cast(x, -1)
        dmx.seed(5)
        numpy.testing.assert_array_equal(first, dmx.Format.from_shorthand("BFP[3|8]{8}(SS)").cast(x, -1))

    def test_functions(self):
        x = row(-1.9, 1, 0.5, 0).reshape(1, 4)
        out = dmx.block_quantize(x, 4, 0, symmetric=False, rounding="nearest", mode="compat")
        numpy.testing.assert_array_equal(out, row(-1.75, 1, 0.5, 0).reshape(1, 4))
        numpy.testing.assert_array_equal(dmx.float_quantize(row(500), 4, 3, rounding="nearest"), row(448))
        numpy.testing.assert_array_equal(dmx.float_quantize(row(500), 4, 3, rounding="nearest", mode="compat"),
                                         row(480))
        numpy.testing.assert_array_equal(dmx.fixed_point_quantize(row(9, -9), 8, 4, rounding="nearest"),
                                         row(7.9375, -8))
        self.assertRaises(ValueError, dmx.fixed_point_quantize, row(1), -1, 3)
        self.assertRaises(AssertionError, dmx.float_quantize, row(1), 4, 3, rounding="up", mode="compat")
        asymmetric = dmx.BlockFloatingPoint.make_mantissa_asymmetric
        numpy.testing.assert_array_equal(asymmetric(row(-127, 64).reshape(1, 2), row(-127.6, 64).reshape(1, 2)),
                                         row(-128, 64).reshape(1, 2))

    def test_the_scaler_bias_is_determined_once(self):
        for mode in ("strict", "compat"):
            sbfp = dmx.format.SBFP12_16
            self.assertFalse(sbfp.scaler_format_exponent_bias_determined)
            sbfp.cast(row(1, 0.5), -1, mode=mode)
            self.assertTrue(sbfp.scaler_format_exponent_bias_determined)
            self.assertEqual(sbfp.scaler_format.bias, 7)  # a cast honours the bias that it is given


class ScalerBias(unittest.TestCase):
    """determine_scaler_exponent_bias_from(), in strict."""

    def bias_of(self, x, precision=4, exponent=4, mantissa=4, bias=7, **flags):
        format = dmx.ScaledBlockFloatingPoint(dmx.FixedPoint(precision, 0),
                                              dmx.FloatingPoint(mantissa, exponent, bias, **flags), 16)
        format.determine_scaler_exponent_bias_from(x)
        return format.scaler_format.bias

    def saturates(self, most, bias, exponent, mantissa, unsigned):
        """Is the scale of codes up to 7 beyond the format's largest number, by the cast itself?"""
        largest = dmx.FloatingPoint(mantissa, exponent, bias, unsigned=unsigned).cast(row(3e38))[0]
        self.assertTrue(numpy.isfinite(largest))
        return float(most) > 7 * float(largest)

    def test_the_largest_scale_just_fits(self):
        """The limit itself, and the numbers next to it on both sides."""
        for bias in (-3, 4, 7, 18, 40):
            largest = 7 * 1.9375 * 2.0 ** (15 - bias)  # 7 * (2 - 2^-4) * 2^(2^4 - 1 - bias)
            for sign in (1, -1):
                self.assertEqual(self.bias_of(row(largest / 9, sign * largest)), bias)
                self.assertEqual(self.bias_of(numpy.nextafter(row(sign * largest), row(0))), bias)
                self.assertEqual(self.bias_of(numpy.nextafter(row(sign * largest), row(sign * numpy.inf))), bias - 1)

    def test_casts_say_the_same(self):
        generator = numpy.random.default_rng(5)
        for exponent, mantissa in ((1, 2), (2, 1), (3, 2), (4, 3), (4, 4), (5, 2), (6, 0)):
            for unsigned in (False, True):
                for most in numpy.float32(2.0 ** generator.uniform(-30, 30, 8)):
                    found = self.bias_of(row(most, -most / 3), 4, exponent, mantissa, 20, unsigned=unsigned)
                    self.assertFalse(self.saturates(most, found, exponent, mantissa, unsigned))
                    for larger in range(found + 1, min(found + 4, 128)):
                        self.assertTrue(self.saturates(most, larger, exponent, mantissa, unsigned))

    def test_formats_of_standards(self):
        """Whose largest numbers lie below those of their neighbours' rule."""
        for exponent, mantissa, bias, largest, beyond in ((4, 3, 7, 448.0, 6), (5, 2, 16, 57344.0, 14),
                                                          (5, 10, 16, 65504.0, 14)):
            self.assertEqual(self.bias_of(row(largest * 7), 4, exponent, mantissa), bias)
            above = numpy.nextafter(row(largest * 7), row(numpy.inf))
            self.assertEqual(self.bias_of(above, 4, exponent, mantissa), beyond)

    def test_ends(self):
        self.assertEqual(self.bias_of(row(1e-38)), 127)
        self.assertEqual(self.bias_of(row(3e38), 2, 1, 0, 20), -126)  # none is enough
        self.assertEqual(self.bias_of(row(3), 4, 8, 7, 127), 127)
        for nothing in (row(), row(0, -0.0), row(numpy.inf, numpy.nan), row(numpy.nan).reshape(1, 1)):
            self.assertEqual(self.bias_of(nothing), 7)
        self.assertEqual(self.bias_of(row(1), precision=1), 7)  # codes of 0 alone
        self.assertEqual(self.bias_of(row(numpy.inf, 1)), self.bias_of(row(1)))
        self.assertEqual(self.bias_of([1, 2]), self.bias_of(numpy.array([[1], [2]], dtype=numpy.float64)))

    def test_the_cast_takes_it(self):
        x = row(0.001, -0.0005).reshape(1, 2)
        sbfp = dmx.Format.from_shorthand("SBFP<XP[4,0](CSN)><FP[0|4|4,7](FN)>{16}")
        numpy.testing.assert_array_equal(sbfp.cast(x, -1), [[0, 0]])  # scales below the smallest number
        sbfp.determine_scaler_exponent_bias_from(x)
        self.assertEqual(repr(sbfp), "SBFP<XP[4,0](CSN)><FP[0|4|4,28](FN)>{16}")
        self.assertLess(abs(float(sbfp.cast(x, -1)[0, 0]) - 0.001), 0.001 / 32)

    def test_compat_leaves_it(self):
        if dmx.NUMERICS_UTILS_AVAILABLE:
            self.skipTest("d-Matrix's own package numerics is installed")
        with mxgold.mode("compat"):
            self.assertEqual(self.bias_of(row(1000)), 7)


class CastTo(unittest.TestCase):
    def test_formats_and_types(self):
        x = numpy.array([1, 0.3], dtype=numpy.float16)
        y = dmx.CastTo("BFP[4|8]{2}(SN)")(x)
        self.assertEqual(y.dtype, numpy.float16)
        numpy.testing.assert_array_equal(y, numpy.array([1, 0.25], dtype=numpy.float16))

    def test_calibration_by_tensor_channel_and_group(self):
        x = row(0, 1, 2, 3, -10, 20).reshape(2, 3)
        for scheme, group, scales in (("per_tensor_affine", None, 1), ("per_channel_symmetric", None, 2),
                                      ("per_tensor_symmetric", 2, 2)):
            cast = dmx.CastTo("XP[8,0](CSN)")
            axis = -1 if group else 0
            cast.enable_calibration(True, dmx.MinMaxObserver, scheme, group, axis)
            numpy.testing.assert_array_equal(cast(x), x)
            cast.enable_calibration(False)
            self.assertEqual(len(cast.scale), scales)
            self.assertLess(float(numpy.abs(cast(x) - x).max()), float(cast.scale.max()))

    def test_groups_that_do_not_divide_the_axis(self):
        # The package's own test of them.
        cast = dmx.CastTo("XP[4,0](CSN)", dmx.MinMaxObserver, 2, qscheme="per_tensor_symmetric", ch_axis=0)
        cast.enable_observer()
        x = numpy.array([[0, 1], [3, 7], [5.1, 8], [10, 14], [0.1, 0.7]], dtype=numpy.float32)
        y = numpy.array([[0, 1], [3, 7], [6, 8], [10, 14], [0.1, 0.7]], dtype=numpy.float32)
        numpy.testing.assert_allclose(cast(x), y, rtol=0, atol=1e-6)

    def test_pre_transforms(self):
        cast = dmx.CastTo("BFP[4|8]{4}(SN)")
        x = numpy.arange(24, dtype=numpy.float32).reshape(4, 6) / 7
        cast.set_pre_transform({"format": "FP[1|5|10,15](FN)", "shaping": [("permute", (1, 0)), ("view", (3, 8))],
                                "noquant_shortcut": (slice(None), 0)})
        half = dmx.format.FLOAT16.cast(x).T.reshape(3, 8)
        expected = dmx.Format.from_shorthand("BFP[4|8]{4}(SN)").cast(half, -1)
        expected[:, 0] = x.T.reshape(3, 8)[:, 0]
        numpy.testing.assert_array_equal(cast(x), expected.reshape(6, 4).T)
        cast.set_pre_transform({"shaping": [("flatten", ())]})
        self.assertEqual(cast(x).shape, x.shape)

    def test_histograms(self):
        values = numpy.random.default_rng(3).standard_normal(20000).astype(numpy.float32)
        cast = dmx.CastTo("XP[8,0](CSN)")
        cast.enable_calibration(True, dmx.HistogramObserver)
        cast(values)
        cast(values * 2)
        cast.enable_calibration(False)
        self.assertTrue(0 < float(cast.scale[0]) < 0.1)
        self.assertRaises(ValueError, dmx.PercentileObserver, 101)

    def test_an_observer_of_ones_own(self):
        class Fixed(dmx.DMXObserverBase):
            def forward(self, x):
                return x

            def calculate_qparams(self):
                return self._calculate_qparams(row(-10), row(21))

        cast = dmx.CastTo("XP[5,0](CSN)", Fixed, qscheme="per_tensor_symmetric")
        cast.enable_observer()
        numpy.testing.assert_array_equal(cast(row(1.4 * 3, 100)), row(1.4 * 3, 21))
        self.assertEqual((float(cast.scale[0]), int(cast.zero_point[0])), (float(numpy.float32(21 / 15)), 0))
        self.assertRaises(AssertionError, Fixed, 3)

    def test_states(self):
        cast = dmx.CastTo("XP[8,0](CSN)")
        cast.enable_calibration(True, dmx.MinMaxObserver, "per_channel_symmetric", None, 0)
        x = row(0, 1, 2, 3, -10, 20).reshape(2, 3)
        cast(x)
        cast.enable_calibration(False)
        state = cast.state_dict()
        self.assertEqual(sorted(state), ["activation_post_process." + name for name in ("eps", "max_val", "min_val")] +
                         ["fake_quant_enabled", "observer_enabled", "scale", "zero_point"])
        other = dmx.CastTo("XP[8,0](CSN)", qscheme="per_channel_symmetric", ch_axis=0)
        self.assertNotEqual(other.scale.shape, cast.scale.shape)
        with self.assertRaises(RuntimeError):
            other.load_state_dict(state)
        keys = other.load_state_dict(state, strict=False)
        self.assertEqual(sorted(keys.unexpected_keys),
                         ["activation_post_process.max_val", "activation_post_process.min_val"])
        numpy.testing.assert_array_equal(other(x), cast(x))
        for copied in (copy.deepcopy(cast), pickle.loads(pickle.dumps(cast))):
            numpy.testing.assert_array_equal(copied(x), cast(x))

    def test_flags_and_how_it_prints(self):
        cast = dmx.CastTo("BFP[4|8]{2}(SN)")
        self.assertIn("format = dtype = BFP[4|8]{2}(SN), block_dim = -1 \n", repr(cast))
        cast.disable_fake_quant()
        numpy.testing.assert_array_equal(cast(row(1, 0.3)), row(1, 0.3))
        self.assertIn("fake_quant_enabled = False", cast.extra_repr())
        cast.set_format("XP[4,0](CSN)")
        cast.enable_fake_quant()
        numpy.testing.assert_array_equal(cast(row(1, 9.3)), row(1, 7))
        self.assertIn("scale = [1.], zero_point = [0]", cast.extra_repr())

    def test_get_precision(self):
        self.assertEqual(dmx.CastTo("MXINT8{32}").get_precision(), 8.25)
        same = dmx.CastTo()
        self.assertRaises(RuntimeError, same.get_precision)
        same(row(1))
        self.assertEqual(same.get_precision(), 32)


if __name__ == "__main__":
    unittest.main()
