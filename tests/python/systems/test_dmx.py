"""mxgold.dmx as a script uses it: NumPy arrays in and out, both modes."""

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
        sbfp = dmx.format.SBFP12_16
        self.assertFalse(sbfp.scaler_format_exponent_bias_determined)
        sbfp.cast(row(1, 0.5), -1)
        self.assertTrue(sbfp.scaler_format_exponent_bias_determined)


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
