"""Single values between formats: bits, types, memory."""

import unittest

import numpy

import mxgold

from vectors_needed import needs_vectors

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None
try:
    import torch
except ImportError:
    torch = None


class Convert(unittest.TestCase):
    def test_the_bits_of_the_guide(self):
        # docs/vector-format.md: 1.0, the tie at 1.0625, one ulp above.
        source = numpy.uint32([0x3F800000, 0x3F880000, 0x3F880001])
        self.assertEqual(mxgold.bits(mxgold.convert(source, "e4m3fn", source="fp32")).tolist(), [0x38, 0x38, 0x39])
        away = mxgold.convert(source.view(numpy.float32), "e4m3fn", "rounding=ties_to_away")
        self.assertEqual(mxgold.bits(away).tolist(), [0x38, 0x39, 0x39])

    def test_fp16_as_numpy_rounds(self):
        rng = numpy.random.default_rng(1)
        x = rng.integers(0, 1 << 32, 300000, numpy.uint64).astype(numpy.uint32).view(numpy.float32)
        x = x[~numpy.isnan(x)]
        with numpy.errstate(over="ignore"):
            wanted = x.astype(numpy.float16)
        found = mxgold.convert(x, "fp16", "overflow=none_inf_or_nan")
        self.assertEqual(found.dtype, numpy.float16)
        numpy.testing.assert_array_equal(mxgold.bits(found), mxgold.bits(wanted))

    def test_every_code_goes_there_and_back(self):
        for name in ("e4m3fn", "e5m2", "e3m2fn", "e2m3fn", "e2m1fn", "int8", "e4m3fnuz", "binary8p4se"):
            format = mxgold.format(name)
            values = format.values()
            number = ~numpy.isnan(values)
            codes = mxgold.bits(mxgold.convert(values, name, "int_min=allow,overflow=none_inf_or_nan"))
            numpy.testing.assert_array_equal(codes[number], numpy.arange(len(values))[number], name)

    def test_shapes_and_types(self):
        for shape in ((), (0,), (3, 0), (2, 3, 4)):
            self.assertEqual(mxgold.convert(numpy.ones(shape, numpy.float16), "fp64").shape, shape)
        self.assertEqual(mxgold.convert(1, "fp16").dtype, numpy.float16)
        self.assertEqual(mxgold.convert([[1, 2]], "int12").dtype, numpy.dtype("<u2"))
        transposed = numpy.arange(6, dtype=numpy.float32).reshape(2, 3).T
        numpy.testing.assert_array_equal(mxgold.convert(transposed, "fp64"), transposed)
        numpy.testing.assert_array_equal(mxgold.convert(numpy.arange(4, dtype=">f4"), "fp64"), [0, 1, 2, 3])

    def test_out_is_written_in_place(self):
        out = numpy.empty(3, numpy.uint8)
        self.assertIs(mxgold.convert([1, 2, 3], "e5m2", out=out), out)
        self.assertEqual(out.tolist(), [0x3C, 0x40, 0x42])
        for wrong in (numpy.empty(4, numpy.uint8), numpy.empty(3, numpy.uint16), numpy.empty(6, numpy.uint8)[::2]):
            with self.assertRaises(ValueError):
                mxgold.convert([1, 2, 3], "e5m2", out=wrong)
        out.flags.writeable = False
        with self.assertRaises(ValueError):
            mxgold.convert([1, 2, 3], "e5m2", out=out)

    def test_stochastic_roundings_follow_the_seed(self):
        x = numpy.full(10000, 1.03125, numpy.float32)  # a quarter of an ulp above 1
        policy = "rounding=stochastic_a,random_bits=16"
        first = mxgold.bits(mxgold.convert(x, "e4m3fn", policy, seed=1))
        numpy.testing.assert_array_equal(first, mxgold.bits(mxgold.convert(x, "e4m3fn", policy, seed=1)))
        self.assertTrue((first != mxgold.bits(mxgold.convert(x, "e4m3fn", policy, seed=2))).any())
        self.assertTrue((first != mxgold.bits(mxgold.convert(x, "e4m3fn", policy, seed=1, tensor_index=1))).any())
        self.assertAlmostEqual((first == 0x39).mean(), 0.25, delta=0.03)

    def test_who_computes_changes_no_bit(self):
        needs_vectors(self)
        words = numpy.arange(1 << 16, dtype=numpy.uint16)
        for policy in ("", "rounding=toward_negative,overflow=none_inf_or_nan", "rounding=stochastic_a"):
            fast, model = (mxgold.convert(words, "e4m3fn", policy, source="bf16", seed=5, backend=backend)
                           for backend in ("cpu", "reference"))
            self.assertEqual(mxgold.bits(fast).tobytes(), mxgold.bits(model).tobytes())
        with self.assertRaisesRegex(ValueError, "no fast path"):
            mxgold.convert([1.0], "fp64", backend="cpu")
        with self.assertRaisesRegex(ValueError, "backend.*'best'"):
            mxgold.convert([1.0], "e4m3fn", backend="best")

    def test_flags(self):
        self.assertEqual(mxgold.conversion_flags([1.0], "e4m3fn"), frozenset())
        self.assertEqual(mxgold.conversion_flags([1.0, 1e9], "e4m3fn"), {"inexact", "overflow", "saturated"})

    def test_what_has_no_format_is_refused(self):
        with self.assertRaisesRegex(TypeError, "int64"):
            mxgold.convert(numpy.arange(3), "e4m3fn")
        with self.assertRaisesRegex(TypeError, "codes of e4m3fn"):
            mxgold.convert(numpy.arange(3), "fp32", source="e4m3fn")
        with self.assertRaisesRegex(TypeError, "codes of bf16"):
            mxgold.convert(numpy.float16([1]), "fp32", source="bf16")
        with self.assertRaisesRegex(ValueError, "above its format's width"):
            mxgold.convert(numpy.uint8([0x10]), "fp32", source="e2m1fn")
        with self.assertRaisesRegex(ValueError, "format of blocks"):
            mxgold.convert([1.0], "mxfp4")

    @unittest.skipIf(ml_dtypes is None, "ml_dtypes is not installed: its types are not tested")
    def test_types_of_ml_dtypes(self):
        x = numpy.linspace(-400, 400, 4097, dtype=numpy.float32)
        for name, dtype in (("bf16", "bfloat16"), ("e4m3fn", "float8_e4m3fn"), ("e5m2", "float8_e5m2"),
                            ("e2m1fn", "float4_e2m1fn"), ("e2m3fn", "float6_e2m3fn")):
            found = mxgold.convert(x, name)
            self.assertEqual(found.dtype.name, dtype)
            inside = abs(x) <= float(mxgold.format(name).max)
            numpy.testing.assert_array_equal(mxgold.bits(found)[inside], mxgold.bits(x.astype(found.dtype))[inside])
            numpy.testing.assert_array_equal(mxgold.convert(found, "fp32"), found.astype(numpy.float32))

    @unittest.skipIf(torch is None, "torch is not installed: its tensors are not tested")
    def test_tensors_of_torch(self):
        x = torch.linspace(-400, 400, 4097)
        numpy.testing.assert_array_equal(mxgold.bits(mxgold.convert(x, "e4m3fn")),
                                         x.to(torch.float8_e4m3fn).view(torch.uint8).numpy())
        half = x.to(torch.bfloat16)
        q = mxgold.quantize(half.reshape(17, 241), "mxfp8_e4m3")
        wanted = mxgold.quantize(half.float().numpy().reshape(17, 241), "mxfp8_e4m3")
        numpy.testing.assert_array_equal(q.code_bits, wanted.code_bits)
        numpy.testing.assert_array_equal(mxgold.convert(half.t(), "fp32"), half.float().numpy())


if __name__ == "__main__":
    unittest.main()
