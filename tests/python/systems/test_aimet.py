"""mxgold.aimet on NumPy arrays: the package's names, states, encodings and refusals in either mode."""

import copy
import json
import pickle
import sys
import unittest
import warnings

import numpy

import mxgold
from mxgold.aimet import FloatEncoding, FloatQuantizeDequantize, MinMaxEncodingAnalyzer, fake_cast_to_ieee_float
from mxgold.aimet import float as aimet_float
from mxgold.aimet.encoding_analyzer import EncodingAnalyzer, StatisticsNotFoundError
from mxgold.aimet.fp_quantization import quantize_to_fp8
from mxgold.aimet._encoding import _MXFP4Encoding, _NVFP4Encoding
from mxgold.aimet._quantizer import _MXFP4QuantizeDequantize, mxfp4_weight_scale

INPUT = numpy.float32([1.8998, -0.0947, -1.0891, -0.1727])
BOTH = ("strict", "compat")


class AimetQuantizer(unittest.TestCase):
    def test_documented_example(self):
        expected = {"strict": [1.8998, -0.09499, -1.13988, -0.17414832],
                    "compat": [1.8998002, -0.09499001, -1.1398801, -0.17414835]}
        for mode in BOTH:
            with mxgold.mode(mode):
                quantizer = aimet_float.FloatQuantizeDequantize(dtype="float8_e4m3fnuz")
                with quantizer.compute_encodings():
                    during = quantizer(INPUT)
                after = quantizer(INPUT)
            numpy.testing.assert_array_equal(during, after)
            numpy.testing.assert_array_equal(after, numpy.float32(expected[mode]))

    def test_mode_by_keyword(self):
        x = numpy.float32([65520])
        self.assertEqual(FloatQuantizeDequantize(dtype="float16", mode="compat")(x)[0], 65504)
        self.assertEqual(FloatQuantizeDequantize(dtype="float16", mode="strict")(x)[0], numpy.inf)
        self.assertEqual(FloatQuantizeDequantize(dtype="float16")(x)[0], numpy.inf)

    def test_arguments_exclude_each_other(self):
        for arguments in ({}, {"exponent_bits": 4}, {"exponent_bits": 4, "dtype": "float16"},
                          {"finite": True, "dtype": "float16"}, {"dtype": "float32"}):
            with self.assertRaises(ValueError):
                FloatQuantizeDequantize(**arguments)
        with self.assertRaises(RuntimeError):
            FloatQuantizeDequantize(3, 2, finite=True)
        with self.assertRaises(RuntimeError):
            FloatQuantizeDequantize(4, 3, shape=(4,), encoding_analyzer=MinMaxEncodingAnalyzer((3,)))

    def test_properties(self):
        quantizer = FloatQuantizeDequantize(dtype="float16")
        self.assertEqual((quantizer.bitwidth, quantizer.exponent_bits, quantizer.mantissa_bits), (16, 5, 10))
        self.assertTrue(quantizer.is_float16() and not quantizer.is_bfloat16() and quantizer.is_initialized())
        self.assertIsNone(quantizer.encoding_analyzer)
        quantizer.exponent_bits, quantizer.mantissa_bits = 4, 3
        self.assertEqual(quantizer.bitwidth, 8)
        self.assertEqual(quantizer.maxval, 65504)
        self.assertEqual(repr(FloatQuantizeDequantize(dtype="float8_e5m2", shape=(2, 1))),
                         "FloatQuantizeDequantize(dtype=torch.float8_e5m2, shape=(2, 1))")

    def test_integers_pass_through(self):
        x = numpy.arange(4)
        quantizer = FloatQuantizeDequantize(4, 3)
        self.assertIs(quantizer(x), x)
        with self.assertRaises(TypeError), quantizer.compute_encodings():
            quantizer(x)

    def test_blocks(self):
        x = numpy.arange(1, 17, dtype=numpy.float32).reshape(2, 8)
        for mode in BOTH:
            quantizer = FloatQuantizeDequantize(2, 1, True, shape=(2, 2), block_size=(1, 4), mode=mode)
            with quantizer.compute_encodings():
                quantizer(x)
            numpy.testing.assert_array_equal(quantizer.maxval, [[4, 8], [12, 16]])
            self.assertEqual(quantizer.get_encodings().granularity, "blockwise")
        with self.assertRaises(ValueError):
            FloatQuantizeDequantize(4, 3, shape=(2,), block_size=(1, 4))(x)
        with self.assertRaises(RuntimeError):
            FloatQuantizeDequantize(4, 3, shape=(2, 2), block_size=(1, 3), mode="strict")(x)

    def test_what_leaves_maxval_alone(self):
        quantizer = FloatQuantizeDequantize(dtype="float8_e4m3fn")
        with quantizer.compute_encodings():
            pass
        self.assertEqual(quantizer.maxval, 448)
        with self.assertRaises(KeyError), quantizer.compute_encodings():
            quantizer(INPUT)
            raise KeyError
        self.assertEqual(quantizer.maxval, 448)
        quantizer.allow_overwrite(False)
        with quantizer.compute_encodings():
            quantizer(INPUT)
        self.assertEqual(quantizer.maxval, 448)
        self.assertFalse(quantizer.is_overwrite_allowed())
        with self.assertRaises(RuntimeError):
            quantizer.allow_overwrite(scale=True)

    def test_ranges_of_batches_merge(self):
        quantizer = FloatQuantizeDequantize(dtype="float8_e4m3fn")
        with quantizer.compute_encodings():
            quantizer(numpy.float32([1, -9]))
            quantizer(numpy.float32([7]))
            quantizer(numpy.float32([]))
        self.assertEqual(quantizer.maxval, 9)

    def test_warnings(self):
        for value, text in ((numpy.nan, "Infinite or NaN"), (65000, "Extreme values")):
            quantizer = FloatQuantizeDequantize(dtype="float8_e4m3fn")
            with self.assertWarnsRegex(UserWarning, text), quantizer.compute_encodings():
                quantizer(numpy.float16([value, 1]))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with quantizer.compute_encodings():
                quantizer(INPUT)

    def test_integer_maxval(self):
        for mode, maxval in (("compat", 6), ("strict", numpy.float32(6.7))):
            with mxgold.mode(mode):
                quantizer = FloatQuantizeDequantize(4, 0)
                with quantizer.compute_encodings():
                    quantizer(numpy.float32([0.9, -6.7]))
            self.assertEqual(quantizer.maxval, maxval)


class AimetState(unittest.TestCase):
    def test_state_moves_type_shape_and_maxval(self):
        first = FloatQuantizeDequantize(dtype="float8_e4m3fn", shape=(4,))
        with first.compute_encodings():
            first(INPUT)
        second = FloatQuantizeDequantize(5, 6)
        keys = second.load_state_dict(first.state_dict())
        self.assertEqual((list(keys.missing_keys), list(keys.unexpected_keys)), ([], []))
        self.assertEqual(second.shape, (4,))
        self.assertEqual(repr(second), repr(first))
        numpy.testing.assert_array_equal(second(INPUT), first(INPUT))
        self.assertIsNot(second.maxval, first.maxval)

    def test_state_without_maxval(self):
        quantizer = FloatQuantizeDequantize(dtype="float8_e4m3fn")
        state = quantizer.state_dict()
        del state["maxval"]
        quantizer.load_state_dict(state)
        with self.assertRaises(AttributeError):
            quantizer(INPUT)
        with self.assertRaises(RuntimeError):
            quantizer.load_state_dict({"minval": 1})

    def test_legacy_encodings(self):
        quantizer = FloatQuantizeDequantize(dtype="bfloat16")
        self.assertEqual(quantizer.get_legacy_encodings(), [{"bitwidth": 16, "dtype": "float"}])
        quantizer.set_legacy_encodings([{"bitwidth": 16, "dtype": "float"}])
        self.assertTrue(quantizer.is_float16())
        with self.assertRaises(RuntimeError):
            quantizer.set_legacy_encodings([{"bitwidth": 8, "dtype": "float"}])


    def test_states_that_do_not_fit(self):
        state = FloatQuantizeDequantize(dtype="float8_e4m3fn", shape=(4,)).state_dict()
        self.assertEqual(sorted(state), ["_extra_state", "maxval"])
        quantizer = FloatQuantizeDequantize(dtype="float8_e4m3fn", shape=(4,))
        keys = quantizer.load_state_dict({**state, "minval": 1}, strict=False)
        self.assertEqual(list(keys.unexpected_keys), ["minval"])
        state["maxval"] = state["maxval"] * 2
        quantizer.load_state_dict(state, assign=True)
        self.assertIs(quantizer.maxval, state["maxval"])

    def test_copies(self):
        first = FloatQuantizeDequantize(dtype="float8_e4m3fn", mode="strict")
        with first.compute_encodings():
            first(INPUT)
        for other in (copy.deepcopy(first), pickle.loads(pickle.dumps(first))):
            numpy.testing.assert_array_equal(other(INPUT), first(INPUT))
            self.assertEqual(repr(other), repr(first))
            other.eval()
            self.assertEqual((other.training, first.training), (False, True))

    def test_an_encoding_is_set(self):
        quantizer = FloatQuantizeDequantize(4, 3, shape=(2, 1))
        encoding = FloatEncoding(1, 2, True, False, numpy.float32([0.1, 0.7]), (2,))
        with self.assertRaises(NotImplementedError):
            with mxgold.mode("compat"):
                quantizer.set_encodings(encoding)
        for wrong in (None, 3, quantizer):
            with self.assertRaises(TypeError):
                quantizer.set_encodings(wrong)
        self.assertEqual((quantizer.bitwidth, quantizer.shape), (8, (2, 1)))  # nothing was taken
        quantizer.set_encodings(encoding)
        self.assertEqual((quantizer.exponent_bits, quantizer.mantissa_bits, quantizer.shape, quantizer.block_size),
                         (2, 1, (2,), (2,)))
        numpy.testing.assert_array_equal(quantizer.get_scale(), encoding.scale)
        x = numpy.float32([0.33, 5, 0.33, 5])
        numpy.testing.assert_array_equal(quantizer(x), encoding.quantize_dequantize(x))
        quantizer.set_encodings(FloatEncoding(3, 4, True, False, numpy.float32(1)))
        self.assertEqual((quantizer.maxval, quantizer.shape, quantizer.block_size), (448, (), None))

    def test_the_scale_given_lasts_as_long_as_its_maxval(self):
        encoding = FloatEncoding(1, 2, True, False, numpy.float32(0.1), mode="strict")
        quantizer = copy.deepcopy(FloatQuantizeDequantize.from_encodings(encoding))
        self.assertEqual(quantizer.get_scale(), numpy.float32(0.1))
        quantizer.maxval[...] = 3
        self.assertEqual(quantizer.get_scale(), 0.5)


class _Clipped(EncodingAnalyzer):
    """An analyzer of a user's own."""

    def __init__(self):
        super().__init__(MinMaxEncodingAnalyzer(()).observer)

    def compute_encodings_from_stats(self, stats, num_steps, is_symmetric):
        if stats.min is None:
            raise StatisticsNotFoundError
        return numpy.maximum(stats.min, numpy.float32(-1)), numpy.minimum(stats.max, numpy.float32(1))


class AimetAnalyzer(unittest.TestCase):
    def test_ranges(self):
        analyzer = MinMaxEncodingAnalyzer((2, 1))
        with self.assertRaises(StatisticsNotFoundError):
            analyzer.compute_encodings(255, False)
        stats = analyzer.update_stats(numpy.float32([[1, 2, 3], [-4, -5, -6]]))
        numpy.testing.assert_array_equal(stats.min, [[1], [-6]])
        numpy.testing.assert_array_equal(stats.max, [[3], [-4]])
        analyzer.update_stats(numpy.float32([[-8, 0, 2], [0, 0, 0]]))
        low, high = analyzer.compute_encodings(255, False)
        numpy.testing.assert_array_equal(low, [[-8], [-6]])
        numpy.testing.assert_array_equal(high, [[3], [0]])
        # 127 steps up, 128 down, as wide as the wider side needs.
        low, high = analyzer.compute_encodings(255, True)
        numpy.testing.assert_array_equal(low, [[-8], [-6]])
        numpy.testing.assert_array_equal(high, [[7.9375], [5.953125]])
        low, high = analyzer.compute_dynamic_encodings(numpy.float32([[1], [2]]), 255, False)
        numpy.testing.assert_array_equal(high, [[1], [2]])
        self.assertEqual(low.dtype, numpy.float32)
        with self.assertRaises(ValueError):
            analyzer.compute_encodings(0, False)
        with self.assertRaises(RuntimeError):
            analyzer.update_stats(numpy.float32([1, 2, 3]))

    def test_narrow_ranges(self):
        for mode, negative in (("compat", 255 * 2.0**-23), ("strict", 0)):
            with mxgold.mode(mode):
                analyzer = MinMaxEncodingAnalyzer(())
                analyzer.update_stats(numpy.float32([0]))
                self.assertEqual(analyzer.compute_encodings(255, False)[1], 255 * 2.0**-23)
                analyzer.reset_stats()
                analyzer.update_stats(numpy.float32([-2.0**-20]))
                low, high = analyzer.compute_encodings(255, False)
                self.assertEqual((low, high), (-2.0**-20, negative))

    def test_an_analyzer_of_ones_own(self):
        quantizer = FloatQuantizeDequantize(4, 3, encoding_analyzer=_Clipped())
        with quantizer.compute_encodings():
            quantizer(numpy.float32([0.25]))
            numpy.testing.assert_array_equal(quantizer(numpy.float32([9, 0.5])), [1, 0.5])
        self.assertEqual(quantizer.maxval, 1)


class AimetEncoding(unittest.TestCase):
    def test_halves(self):
        for mode in BOTH:
            encoding = FloatEncoding(3, 4, True, False, numpy.float32(0.5), mode=mode)
            quantized = encoding.quantize(numpy.float32([1, 10, -2000, 0.3]))
            numpy.testing.assert_array_equal(quantized, [2, 20, -448, 0.625])
            numpy.testing.assert_array_equal(encoding.dequantize(quantized), [1, 10, -224, 0.3125])
            self.assertEqual(encoding.maxval, 224)
            self.assertEqual((encoding.mapping, encoding.bitwidth, encoding.granularity), ("float", 8, "pertensor"))
        with self.assertRaises(ValueError):
            FloatEncoding(3, 4, True, False, None)

    def test_json_and_back(self):
        scale = numpy.float32([[0.1, 3e-39], [7, 2**100]])
        text = FloatEncoding(1, 2, True, False, scale, (1, 4)).to_json()
        self.assertEqual(json.loads(text)["block_size"], [1, 4])
        back = FloatEncoding.from_json(text)
        numpy.testing.assert_array_equal(numpy.asarray(back.scale), scale)
        self.assertEqual((back.block_size, back.exponent_bits, back.finite), ((1, 4), 2, True))

    def test_from_encodings_keeps_scales_in_strict_only(self):
        for mode, bits in (("compat", 0x407FFFFD), ("strict", 0x40800000)):
            with mxgold.mode(mode):
                encoding = FloatEncoding(1, 2, True, False, numpy.float32(4))
                scale = FloatQuantizeDequantize.from_encodings(encoding).get_scale()
                self.assertEqual(int(numpy.asarray(scale).view(numpy.uint32)), bits)
        with self.assertRaises(TypeError):
            FloatQuantizeDequantize.from_encodings("float8")

    def test_to(self):
        encoding = FloatEncoding(3, 4, True, False, numpy.float32([0.1]))
        self.assertIs(encoding.to("float32"), encoding)
        self.assertEqual(encoding.to(dtype="float16").scale.dtype, numpy.float16)
        with self.assertRaises(RuntimeError):
            encoding.to("int32")

    def test_qnn_dictionaries(self):
        half = FloatQuantizeDequantize(dtype="float16").get_encodings()
        self.assertEqual(half.to_qnn_encoding_dict("0.6.1"), [{"bitwidth": 16, "dtype": "float"}])
        self.assertEqual(half.to_qnn_encoding_dict("1.0.0"),
                         {"dtype": "FLOAT", "bw": 16, "enc_type": "PER_TENSOR"})
        self.assertEqual(half.to_qnn_encoding_dict("2.0.0"), {})
        encoding = FloatEncoding(1, 2, True, False, numpy.float32([[1, 2], [3, 4]]), (1, 8))
        with self.assertRaises(RuntimeError):
            encoding.to_qnn_encoding_dict("1.0.0")
        with self.assertRaises(RuntimeError):
            encoding.to_qnn_encoding_dict("2.0.0")
        self.assertEqual(encoding._hint_input_shape((2, 16)).to_qnn_encoding_dict("2.0.0"),
                         {"output_dtype": "float4e2m1", "y_scale": [[1, 2], [3, 4]], "axis": -1, "block_size": 8})
        channels = FloatEncoding(3, 4, True, False, numpy.float32([[1], [3]]))._hint_input_shape((2, 16))
        self.assertEqual(channels.to_qnn_encoding_dict("2.1.0"),
                         {"output_dtype": "float8e4m3fn", "y_scale": [1, 3], "axis": -2})
        with self.assertRaises(RuntimeError):
            FloatEncoding(2, 3, False, False, numpy.float32(1)).to_qnn_encoding_dict("2.0.0")


class AimetMicroscaling(unittest.TestCase):
    def test_mxfp4(self):
        x = numpy.float32([[6.5, 1, 4.24, 0.3]])
        for mode in BOTH:
            quantizer = _MXFP4QuantizeDequantize((1, 2), (1, 2), mode=mode)
            with quantizer.compute_encodings():
                quantizer(x)
            numpy.testing.assert_array_equal(quantizer.get_scale(), [[1, 0.5]])
            numpy.testing.assert_array_equal(quantizer(x), [[6, 1, 3, 0.25]])
            again = _MXFP4QuantizeDequantize.from_encodings(quantizer.get_encodings())
            numpy.testing.assert_array_equal(again.get_scale(), [[1, 0.5]])

    def test_mxfp4_encodings_take_powers_of_two_in_blocks(self):
        scale = numpy.float32([[1, 2.0**-127]])
        made = _MXFP4Encoding._from_float_encoding(FloatEncoding(1, 2, True, False, scale, (1, 4)))
        self.assertIs(_MXFP4Encoding._from_float_encoding(made), made)
        for encoding in (FloatEncoding(1, 2, True, False, scale), FloatEncoding(3, 4, True, False, scale, (1, 4)),
                         FloatEncoding(1, 2, True, False, scale * 3, (1, 4)), 1):
            with self.assertRaises(ValueError):
                _MXFP4Encoding._from_float_encoding(encoding)

    def test_nvfp4_scales_are_float8(self):
        scale = numpy.float32([[0.5, 0.75]])
        encoding = FloatEncoding(1, 2, True, False, scale, (1, 16))
        made = _NVFP4Encoding._from_float_encoding(encoding, numpy.float32(0.25))
        self.assertEqual(made._hint_input_shape((1, 32)).meta_scale, 0.25)
        with self.assertRaises(ValueError):
            _NVFP4Encoding._from_float_encoding(encoding, numpy.float32(0.3))
        with self.assertRaises(TypeError):
            _NVFP4Encoding._from_float_encoding(made, numpy.float32(0.25))
        with self.assertRaises(RuntimeError):
            made.to_qnn_encoding_dict("2.0.0")

    def test_weight_scales(self):
        amax = numpy.float32([0, 6, 127.99999])
        numpy.testing.assert_array_equal(mxfp4_weight_scale(amax, mode="compat"), [1, 1, 32])
        numpy.testing.assert_array_equal(mxfp4_weight_scale(amax, mode="strict"), [2.0**-127, 1, 16])


class AimetFakeCast(unittest.TestCase):
    def test_formula(self):
        x = numpy.float32([2.0**-25, 2.0**-26, 3 * 2.0**-25, 1e9])
        numpy.testing.assert_array_equal(fake_cast_to_ieee_float(x, 65504, 5, 10, mode="compat"),
                                         [2.0**-25, 0, 3 * 2.0**-25, 65504])
        numpy.testing.assert_array_equal(fake_cast_to_ieee_float(x, 65504, 5, 10), [0, 0, 2.0**-23, 65504])
        self.assertEqual(fake_cast_to_ieee_float(numpy.float32(5.5), 6, 2, 1), 6)

    def test_a_maximum_and_its_neighbours_have_one_grid(self):
        grid = numpy.float32([0, 0.5, 1, 1.5, 2, 3, 4, 6])  # OCP's E2M1
        for maxval in (6, 5.9999995, 6.0000005, 4.5, 12, 3, 2.9999998, 3.0000002, 1.5):
            limit = numpy.float32(maxval)
            scaled = grid * (limit / numpy.float32(6))
            for sign in (numpy.float32(1), numpy.float32(-1)):
                for finite in (True, False):
                    numpy.testing.assert_array_equal(
                        fake_cast_to_ieee_float(sign * scaled, limit, 2, 1, finite), sign * scaled, str(maxval))
        self.assertEqual(fake_cast_to_ieee_float(numpy.float32([1]), 4.5, 2, 1)[0], 1.125)

    def test_types_without_mantissa_bits(self):
        # What aimet-torch 2.42.0 answers under torch: encodings of E7M0 have no buffer of int64, the clamp of E8M0
        # does not take its maximum.
        x = numpy.float32([1, 1.5, 3, -5, 1e30, 1e-38, numpy.inf])
        encoding = FloatEncoding(0, 7, False, False, numpy.float32([0.7]), mode="compat")
        numpy.testing.assert_array_equal(encoding.quantize(x), numpy.float32([1, 2, 4, -8, 2**63, 0, 2**63]))
        numpy.testing.assert_array_equal(encoding.quantize_dequantize(x),
                                         numpy.float32(0.7) * numpy.float32([1, 2, 4, -8, 2**63, 0, 2**63]))
        with self.assertRaises(RuntimeError):
            FloatQuantizeDequantize(7, 0, mode="compat")
        wide = FloatEncoding(0, 8, False, False, numpy.float32([0.7]), mode="compat")
        numpy.testing.assert_array_equal(wide.dequantize(x), x * numpy.float32(0.7))
        for call in (wide.quantize, wide.quantize_dequantize, lambda _: wide.maxval,
                     lambda _: FloatQuantizeDequantize(8, 0, mode="compat")):
            with self.assertRaises(OverflowError):
                call(x)
        self.assertEqual(encoding.maxval, [numpy.float32(0.7) * numpy.float32(2**63)])
        for scale, largest in ((0.5, 2.0**126), (1, 2.0**127), (2, numpy.inf)):
            self.assertEqual(FloatEncoding(0, 8, False, False, numpy.float32(scale)).maxval, largest)
        for exponent_bits in (7, 8):
            numpy.testing.assert_array_equal(
                fake_cast_to_ieee_float(numpy.float32([1.5, 0.3]), 2.0 ** (2**(exponent_bits - 1) - 1), exponent_bits,
                                        0, mode="compat"), [2, 0.25])

    def test_eight_bits(self):
        x = numpy.float32([[0.3, 300], [0.3, 300]])
        for mode in BOTH:
            for bits in (3, numpy.float32([3])):
                found = quantize_to_fp8(x, numpy.float32([240]), bits, mode=mode)
                numpy.testing.assert_array_equal(found, fake_cast_to_ieee_float(x, 240, 4, 3, mode=mode))
        for axis, limits in ((0, [[240], [120]]), (1, [[240, 120]]), (-1, [[240, 120]])):
            numpy.testing.assert_array_equal(quantize_to_fp8(x, numpy.float32([240, 120]), 3, axis),
                                             fake_cast_to_ieee_float(x, numpy.float32(limits), 4, 3))
        numpy.testing.assert_array_equal(quantize_to_fp8(x[0], numpy.float32([15, 240]), 3),
                                         fake_cast_to_ieee_float(x[0], numpy.float32([15, 240]), 4, 3))
        numpy.testing.assert_array_equal(quantize_to_fp8(x, numpy.float32(1.5), 6), fake_cast_to_ieee_float(x, 1.5, 1, 6))

    def test_other_maxima_scale_the_grid(self):
        x = numpy.float32([1, 7.5, 100, 1000, -numpy.inf])
        numpy.testing.assert_array_equal(fake_cast_to_ieee_float(x, 120, 4, 3), [1, 7.5, 96, 120, -120])
        numpy.testing.assert_array_equal(fake_cast_to_ieee_float(x, 131008, 5, 10), [1, 7.5, 100, 1000, -131008])
        with self.assertRaises(RuntimeError):
            fake_cast_to_ieee_float(x, 0, 4, 3)
        if "torch" not in sys.modules:
            with self.assertRaises(NotImplementedError):
                fake_cast_to_ieee_float(x, 100, 4, 3, mode="compat")


if __name__ == "__main__":
    unittest.main()
