"""Single values between formats: bits, types, memory; who computes them, where the build has vectors
(vectors_needed.py). Arguments of every function that cannot act are refused by their names."""

import contextlib
import ctypes
import platform
import unittest

import numpy

import mxgold
from mxgold.bench import Model

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
        found = mxgold.convert(x, "fp16")
        self.assertEqual(found.dtype, numpy.float16)
        numpy.testing.assert_array_equal(mxgold.bits(found), mxgold.bits(wanted))

    def test_infinities_stay_where_the_destination_has_them(self):
        infinities = numpy.uint8([0x7C, 0xFC])  # of e5m2
        for name in ("fp16", "bf16", "fp32", "fp64"):
            found = mxgold.bits(mxgold.convert(infinities, name, source="e5m2"))
            wanted = mxgold.bits(mxgold.convert(infinities, name, "overflow=none_inf_or_nan", source="e5m2"))
            self.assertEqual(found.tolist(), wanted.tolist(), name)
        back = mxgold.convert(infinities, "fp32", source="e5m2")
        self.assertEqual(back.tolist(), [numpy.inf, -numpy.inf])
        limit = numpy.float32([65519, 65520, -65519, -65520, 70000])
        self.assertEqual(mxgold.bits(mxgold.convert(limit, "fp16")).tolist(),
                         [0x7BFF, 0x7C00, 0xFBFF, 0xFC00, 0x7C00])
        self.assertEqual(mxgold.bits(mxgold.convert(limit, "fp16", "overflow=sat_finite")).tolist(),
                         [0x7BFF, 0x7BFF, 0xFBFF, 0xFBFF, 0x7BFF])
        self.assertEqual(mxgold.bits(mxgold.convert([numpy.inf], "e4m3fn")).tolist(), [0x7E])
        self.assertEqual(mxgold.quantize(numpy.full(32, 61440, numpy.float32), "mxfp8_e5m2").code_bits.max(), 0x7B)

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

    def test_what_out_must_be(self):
        x = numpy.arange(1, 17, dtype=numpy.float32)
        wanted = mxgold.bits(mxgold.convert(x, "fp16"))
        for out in (numpy.empty(16, numpy.float16), numpy.empty(16, numpy.uint16)):
            self.assertIs(mxgold.convert(x, "fp16", out=out), out)
            self.assertEqual(mxgold.bits(out).tolist(), wanted.tolist())
        read_only = numpy.empty(16, numpy.uint16)
        read_only.flags.writeable = False
        for out, says in ((numpy.empty(16, ">u2"), "byte order|of uint16"), (numpy.empty(16, ">f2"), "of float16"),
                          (numpy.empty(16, numpy.int16), "of float16 or uint16"), (numpy.empty(16, "S2"), "of float16"),
                          (numpy.empty(16, [("a", "u1"), ("b", "u1")]), "of float16"), (read_only, "read-only"),
                          (numpy.empty(16, numpy.uint8), "of float16"), (numpy.empty(16, numpy.uint32), "of float16"),
                          (numpy.empty(32, numpy.uint16)[::2], "C-ordered"), (numpy.empty((), numpy.uint16), "shape"),
                          (numpy.empty((4, 4), numpy.uint16), "shape"), (numpy.empty(17, numpy.uint16), "shape")):
            before = out.tobytes()
            with self.subTest(dtype=out.dtype, shape=out.shape), self.assertRaisesRegex(ValueError, f"^out: .*{says}"):
                mxgold.convert(x, "fp16", out=out)
            self.assertEqual(out.tobytes(), before)
        # Eight bytes of what is no number: of objects they were addresses, which the interpreter then followed.
        for dtype in (object, "M8[s]", "m8[s]", "S8", "U2", ">f8", ">u8", numpy.complex64, numpy.int64):
            with self.subTest(dtype=dtype), self.assertRaisesRegex(ValueError, "^out: .*of float64 or uint64"):
                mxgold.convert(x, "fp64", out=numpy.zeros(16, dtype))
        for dtype in (bool, "S1", numpy.int8):
            with self.subTest(dtype=dtype), self.assertRaisesRegex(ValueError, "^out: .*uint8"):
                mxgold.convert(x, "e2m1fn", out=numpy.zeros(16, dtype))
        for out in ([0] * 16, bytearray(16), memoryview(bytearray(16)), 7):
            with self.subTest(type=type(out)), self.assertRaisesRegex(TypeError, "^out: .*a NumPy array"):
                mxgold.convert(x, "e2m1fn", out=out)
        one = numpy.zeros((), numpy.uint8)
        self.assertIs(mxgold.convert(numpy.float32(1), "e4m3fn", out=one), one)
        self.assertEqual(int(one), 0x38)

    def test_out_shares_no_memory_with_the_input(self):
        n = 64
        for size, name, word in ((4, "fp32", "<u4"), (1, "e4m3fn", "u1"), (8, "fp64", "<u8")):
            room = numpy.zeros(4 * n + 16 * n, numpy.uint8)
            at = 8 * n
            x = room[at:at + 4 * n].view(numpy.float32)
            x[:] = numpy.linspace(-3, 3, n)
            wanted = mxgold.bits(mxgold.convert(x.copy(), name))
            for first in (at - size * n, at + 4 * n):  # beside it
                out = room[first:first + size * n].view(word)
                mxgold.convert(x, name, out=out)
                numpy.testing.assert_array_equal(out, wanted)
            for first in (at - size * n + 1, at + 4 * n - 1, at, at + 2 * n):
                out = room[first:first + size * n].view(word)
                before = room.tobytes()
                with self.subTest(format=name, first=first - at), self.assertRaisesRegex(
                        ValueError, "^out: shares memory with x; give an array of its own"):
                    mxgold.convert(x, name, out=out)
                self.assertEqual(room.tobytes(), before)
        # What is copied first is no input any more.
        y = numpy.arange(8, dtype=numpy.float32)
        self.assertEqual(mxgold.convert(y[::2], "fp32", out=y.view(numpy.uint32)[:4]).tolist(),
                         mxgold.bits(numpy.float32([0, 2, 4, 6])).tolist())
        empty = numpy.empty(0, numpy.float32)
        mxgold.convert(empty, "fp32", out=empty)

    def test_names_end_where_they_end(self):
        for call in (lambda name: mxgold.format(name), lambda name: mxgold.convert([1.0], name),
                     lambda name: mxgold.convert(numpy.uint8([1]), "fp32", source=name),
                     lambda name: mxgold.quantize(numpy.ones(32, numpy.float32), name),
                     lambda name: mxgold.dequantize(mxgold.quantize([1.0], "mxfp4"), output=name),
                     lambda name: mxgold.convert([1.0], "e4m3fn", f"rounding={name}"),
                     lambda name: mxgold.convert([1.0], "e4m3fn", backend=name),
                     lambda name: mxgold.dot(A, A, **{"mode": name}), lambda name: mxgold.dot(A, A, **{name: "1"}),
                     lambda name: Model("op=cvt destination=e4m3fn source=fp32 " + name),
                     lambda name: Model.of_word(0, name), lambda name: mxgold.dmx.Format.from_shorthand(name)):
            for name in ("e4m3fn\0junk", "e4m3fn\0", "mxfp4\0junk", "ties_to_even\0", "cpu\0x", "exact_once\0", "\0",
                         "block_size=32\0x", "mode\0", "random_bits=8\0"):
                with self.subTest(name=name), self.assertRaises(ValueError):
                    call(name)

    @unittest.skipIf(torch is None, "torch is not installed: its tensors are not tested")
    def test_tensors_of_torch_without_memory(self):
        for emptied in (torch.ones(16), torch.ones(16, dtype=torch.bfloat16), torch.ones(4, 4).t(), torch.ones(16)[8:]):
            emptied.untyped_storage().resize_(0)
            for function, more in ((mxgold.convert, ("e4m3fn",)), (mxgold.quantize, ("mxfp4",))):
                with self.assertRaisesRegex(ValueError, "storage of 0 bytes"):
                    function(emptied, *more)
        short = torch.ones(16)
        short.untyped_storage().resize_(60)
        with self.assertRaisesRegex(ValueError, "storage of 60 bytes"):
            mxgold.convert(short, "e4m3fn")
        short.untyped_storage().resize_(64)
        mxgold.convert(short, "e4m3fn")
        emptied = torch.ones(32)
        emptied.untyped_storage().resize_(0)
        with self.assertRaisesRegex(ValueError, "storage of 0 bytes"):
            mxgold.dmx.Format.from_shorthand("XP[8,0](CSN)").cast(emptied)
        mxgold.convert(torch.empty(0), "e4m3fn")

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
            mxgold.convert([1.0], "hif8", backend="cpu")
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


ONE = numpy.ones(16, numpy.float32)
A = mxgold.quantize(ONE, "nvfp4")
ACCUMULATOR = {"group": 4, "align_bits": 10, "align_rounding": "to_odd", "order": "strided", "carry": "afterwards",
               "align": "exponent_sum", "normalize": "at_end", "acc_format": "bf16", "acc_rounding": "toward_zero",
               "acc_overflow": "sat_finite", "acc_ftz": "pre", "acc_zero_sign": "ieee"}


@contextlib.contextmanager
def flushed_subnormals():
    """The thread's arithmetic makes subnormals 0, as after torch.set_flush_denormal(True): glibc's fenv_t on x86-64 has
    MXCSR in its last word."""
    library = ctypes.CDLL(None)
    kept, changed = (ctypes.c_uint32 * 8)(), (ctypes.c_uint32 * 8)()
    library.fegetenv(kept)
    library.fegetenv(changed)
    changed[7] |= 1 << 15 | 1 << 6
    library.fesetenv(changed)
    try:
        yield
    finally:
        library.fesetenv(kept)


class Subnormals(unittest.TestCase):
    @unittest.skipIf(platform.machine() != "x86_64" or platform.libc_ver()[0] != "glibc", "this is glibc's on x86-64")
    def test_levels_are_those_given_where_the_process_flushes_them(self):
        tiny = (1e-40, numpy.float32(1e-40), numpy.float32([1e-40]))
        wanted = int(mxgold.bits(numpy.float32(1e-40)))
        steps = mxgold.explain(ONE, "nvfp4", tensor_scale=1e-40).data
        with flushed_subnormals():
            self.assertEqual(float(numpy.float32(1e-40) * numpy.float32(1)), 0, "the process flushes nothing")
            found = [int(mxgold.bits(mxgold.quantize(ONE, "nvfp4", tensor_scale=value).tensor_scale)) for value in tiny]
            again = [mxgold.explain(ONE, "nvfp4", tensor_scale=value).data for value in tiny]
        self.assertEqual(found, [wanted] * 3)
        self.assertEqual(again, [steps] * 3)


class Specials(unittest.TestCase):
    def test_the_level_of_a_tensor_with_one_is_no_profiles(self):
        for special in (numpy.inf, -numpy.inf, numpy.nan):
            x = numpy.float32([1, special])
            with self.assertRaisesRegex(ValueError, "does not model the level .* give tensor_amax or tensor_scale"):
                mxgold.quantize(x, "nvfp4", "torchao-0.18")
            mxgold.quantize(x, "nvfp4", "torchao-0.18", tensor_amax=1.0)
            self.assertEqual(int(mxgold.bits(mxgold.quantize(x, "nvfp4").tensor_scale)),
                             int(mxgold.bits(mxgold.quantize(x[:1], "nvfp4").tensor_scale)))


class Refused(unittest.TestCase):
    def refuses(self, function, *given, error=ValueError, says, **named):
        with self.subTest(function=getattr(function, "__qualname__", str(function)), given=given[1:], named=named):
            with self.assertRaisesRegex(error, says):
                function(*given, **named)

    def test_whole_numbers_out_of_their_fields(self):
        nvfp4 = mxgold.format("nvfp4")
        model = Model("op=cvt destination=e4m3fn source=fp32")
        blocks = Model("format=mxfp4 source=fp32")
        for name, bits, calls in (
                ("seed", 64, [(mxgold.convert, ONE, "e4m3fn"), (mxgold.conversion_flags, ONE, "e4m3fn"),
                              (mxgold.quantize, ONE, "mxfp4")]),
                ("tensor_index", 32, [(mxgold.convert, ONE, "e4m3fn"), (mxgold.conversion_flags, ONE, "e4m3fn"),
                                      (mxgold.quantize, ONE, "mxfp4")]),
                ("mask", 16, [(mxgold.hadamard, ONE)]), ("hadamard", 16, [(mxgold.quantize, ONE, "nvfp4")]),
                ("lanes", 32, [(Model, "op=dot a=mxfp4 b=mxfp4")]), ("tuser", 32, [(Model.of_word,)]),
                ("elements", 32, [(blocks.answer,)]), ("source", 64, [(model.answer,)])):
            for function, *given in calls:
                for value in (-1, 1 << bits, (1 << bits) + 7, -(1 << bits)):
                    self.refuses(function, *given, says=rf"^{name} {value} is not a whole number of 0 to 2\^{bits} - 1",
                                 **{name: value})
                for value in (1.0, "1"):
                    self.refuses(function, *given, error=TypeError, says=f"^{name} must be a whole number, not",
                                 **{name: value})
        for function, *given in ((mxgold.quantize, ONE, "mxfp4"), (mxgold.hadamard, ONE, 0), (nvfp4.scale_shape, (16,)),
                                 (mxgold.dequantize, A.codes, A.scales, "nvfp4")):
            more = {"tensor_scale": 1} if function is mxgold.dequantize else {}
            for value in (1, -2, 1 << 64):
                self.refuses(function, *given, axis=value, says=f"^axis {value} is out of range", **more)
            self.refuses(function, *given, axis=0.0, error=TypeError, says="^axis must be a whole number", **more)
        self.assertEqual(mxgold.bits(mxgold.convert(ONE, "e4m3fn", "rounding=stochastic_a", seed=numpy.uint64(2**64 - 1),
                                                    tensor_index=2**32 - 1)).tolist(), [0x38] * 16)

    def test_random_words_of_the_emulated_systems(self):
        from mxgold.dmx import Format
        from mxgold.qtorch.quant import float_quantize

        for words in ([-1], [1 << 32], [0.5]):
            self.refuses(float_quantize, ONE[:1], 5, 2, random=words, says="^random: a word is a whole number of 0 to 2")
            self.refuses(Format.from_shorthand("XP[8,0](CSS)").cast, ONE[:1], random=numpy.array(words),
                         says="^random: a word is")

    def test_random_words_are_as_many_as_are_read(self):
        from mxgold.dmx import Format
        from mxgold.qtorch.quant import float_quantize

        x = numpy.ones(512, numpy.float32)
        for count in (0, 511, 513, 1024):
            words = numpy.zeros(count, numpy.uint32)
            self.refuses(float_quantize, x, 5, 2, random=words, says=f"reads 512 random words, not {count}")
            self.refuses(Format.from_shorthand("XP[8,0](CSS)").cast, x, random=words,
                         says=f"reads 512 random words, not {count}")
        float_quantize(x, 5, 2, random=numpy.zeros(512, numpy.uint32))

    def test_scales_that_are_no_codes(self):
        q = mxgold.quantize(numpy.ones(64, numpy.float32), "mxfp4")
        for dtype in (bool, "S1", numpy.dtype([("a", "u1")])):
            self.refuses(mxgold.dequantize, q.codes, q.scale_bits.view(dtype), "mxfp4", error=TypeError, says="scales")

    def test_magnitudes(self):
        for name, function, *given in (("tensor_scale", mxgold.quantize, ONE, "nvfp4"),
                                       ("tensor_amax", mxgold.quantize, ONE, "nvfp4"),
                                       ("tensor_scale", mxgold.dequantize, A.codes, A.scales, "nvfp4"),
                                       ("tensor_scale", mxgold.explain, ONE, "nvfp4")):
            for value in (-2, -0.0, numpy.nan, numpy.inf, 1e39, 10**400, -1e-50, numpy.float32(-1), numpy.float16("inf")):
                self.refuses(function, *given, says=rf"^{name} .*: give a finite number of binary32, 0 or more",
                             **{name: value})
            for value in ("1", [1.0, 2.0], numpy.ones(2), True):
                if value is not True:  # which Python counts as a number
                    self.refuses(function, *given, error=TypeError, says=f"^{name} must be one number", **{name: value})
        self.refuses(mxgold.quantize, ONE, "nvfp4", tensor_scale=0, says="^tensor scale 0.0 from maximum 0.0: the rule of")
        self.refuses(mxgold.quantize, ONE, "nvfp4", tensor_scale=1, tensor_amax=2,
                     says="^tensor_scale and tensor_amax exclude each other")
        for name in ("tensor_scale", "tensor_amax"):
            self.refuses(mxgold.quantize, ONE, "mxfp4", says=f"^{name}: mxfp4 has no scale of the whole tensor", **{name: 1})
        for value in (0.1, numpy.float64(0.1), numpy.float32(0.1), numpy.float32([0.1]), 1e-40, numpy.float32(1e-40)):
            level = mxgold.quantize(ONE, "nvfp4", tensor_scale=value).tensor_scale
            self.assertEqual(mxgold.bits(level), mxgold.bits(numpy.float32(value).reshape(())))

        self.refuses(mxgold.explain, 1.0, "e4m3fn", tensor_scale=1, says="^tensor_scale: e4m3fn has no tensor scale")

    def test_a_scale_that_the_rule_does_not_take(self):
        for rule in ("nvfp4_te", "nvfp4_4over6", "nvfp4_ct"):
            self.refuses(mxgold.quantize, ONE, "nvfp4", f"rule={rule}", tensor_scale=1,
                         says="^tensor_scale: the rule does not take one, .* give tensor_amax")
            q = mxgold.quantize(ONE, "nvfp4", f"rule={rule}", tensor_amax=2)
            self.assertEqual(mxgold.dequantize(q.codes, q.scales, "nvfp4", q.policy, tensor_scale=q.tensor_scale).tobytes(),
                             q.dequantize().tobytes())
        for rule in ("nvfp4_exact", "nvfp4_torchao", "nvfp4_modelopt"):
            self.assertEqual(float(mxgold.quantize(ONE, "nvfp4", f"rule={rule}", tensor_scale=4).tensor_scale), 4)

    def test_the_way_back_of_compressed_tensors_divides(self):
        codes = numpy.tile(numpy.arange(16, dtype=numpy.uint8), (127, 1))
        scales = numpy.arange(127, dtype=numpy.uint8).reshape(127, 1)
        local = numpy.asarray(mxgold.convert(scales, "fp32", source="e4m3fn"), numpy.float32)
        elements = numpy.asarray(mxgold.convert(codes[0], "fp32", source="e2m1fn"), numpy.float32)
        for level in (3584, 2688, 6.0000005):
            values = mxgold.dequantize(codes, scales, "nvfp4", "rule=nvfp4_ct", tensor_scale=level)
            numpy.testing.assert_array_equal(values, elements * (local / numpy.float32(level)))
        # What quantize() stores is what the package stores: its global scale.
        self.assertEqual(mxgold.quantize(ONE, "nvfp4", "rule=nvfp4_ct", tensor_amax=0.75).tensor_scale, 3584)

    def test_options_that_say_nothing_of_the_format(self):
        for name in ("fp8_e4m3_fp32_row", "fp8_e4m3_fp32_tensor"):
            self.refuses(mxgold.quantize, ONE, name, "block_size=16",
                         says=f"^option 'block_size': a block of {name} is the whole axis or tensor; leave it out")
        for name, values in mxgold.policies().items():
            if name in ("rule", "scale_sat", "elem_scaling", "ratio_op", "dequant_overflow"):
                self.refuses(mxgold.convert, ONE, "e4m3fn", f"{name}={values[0]}",
                             says=f"^option '{name}' goes with formats of blocks")
        # A profile that speaks of no smaller blocks is asked for the size that was given.
        self.refuses(mxgold.quantize, ONE, "mxint8", "block_size=1,dmx-0.1.11/cpu", says="does not model mxint8")
        self.assertEqual(mxgold.quantize(ONE, "mxint8", "block_size=2,dmx-0.1.11/cpu").scales.size, 8)

    def test_a_profile_answers_for_what_it_has(self):
        self.refuses(mxgold.quantize, ONE, "mxfp8_e4m3", "onnx-ref",
                     says="^profile onnx-ref .* has no block formats; it has conversions to e4m3fn, .* add blocks_as=")
        self.refuses(mxgold.convert, ONE, "e4m3fn", "triton-kernels-3.5", says="has no conversions of single values")
        self.refuses(mxgold.policy, "onnx-ref,blocks_as=nobody", says="nobody")
        self.refuses(mxgold.quantize, ONE, "mxfp4", "onnx-ref,blocks_as=ptx-9.0", says="ptx-9.0 .* has no block formats")
        self.refuses(mxgold.quantize, ONE, "mxfp4", "blocks_as=te", says="^blocks_as needs a profile")
        mixed = mxgold.policy(blocks_as="mxgold-default", profile="onnx-ref:saturate_0", rounding="toward_zero")
        self.assertEqual(str(mixed), "profile=onnx-ref:saturate_0,blocks_as=mxgold-default,rounding=toward_zero")
        self.assertEqual(mxgold.policy(str(mixed)), mixed)
        named = mxgold.profile("onnx-ref:saturate_0+blocks-as=mxgold-default").replace(rounding="toward_zero")
        x = numpy.float32([480, 1, numpy.inf, -3.3] * 8)
        for policy in (mixed, named):
            q = mxgold.quantize(x[:2], "mxfp8_e4m3", policy)
            self.assertEqual(mxgold.bits(q.codes).tolist(), [0x7E, 0x38])
            self.assertEqual(q.dequantize().tolist(), [448, 1])
            self.assertIn("onnx-ref:saturate_0+blocks-as=mxgold-default",
                          str(mxgold.explain([480, 1], "mxfp8_e4m3", policy).data))

    def test_signs_without_a_transform(self):
        self.refuses(mxgold.quantize, ONE, "nvfp4", hadamard_signs="last", says="^hadamard_signs: goes with hadamard")
        self.refuses(mxgold.quantize, ONE, "nvfp4", hadamard="mine", error=TypeError, says="^hadamard must be a whole number")

    def test_options_of_an_accumulator_beside_another_mode(self):
        a = mxgold.quantize(ONE, "mxfp4")
        for mode in ("exact_once", "fp32_seq", "fp32_tree", "block_exact_fp32_seq"):
            for name, value in ACCUMULATOR.items():
                self.refuses(mxgold.dot, a, a, mode=mode, says=f"'{name}' goes with mode accumulator, not '{mode}'",
                             **{name: value})
            self.assertEqual(float(mxgold.dot(a, a, mode=mode, rounding="toward_zero", overflow="sat_finite")), 16)
        for name, value in ACCUMULATOR.items():
            self.assertEqual(float(mxgold.dot(a, a, mode="accumulator", **{name: value})), 16)

    def test_what_a_quantized_says_itself(self):
        for name, value in (("scales", "fp16"), ("scales", A.scales), ("format", "mxfp8_e5m2"), ("policy", "te"),
                            ("axis", 5), ("axis", -1), ("tensor_scale", 1), ("backend", "reference")):
            self.refuses(mxgold.dequantize, A, says=f"^{name}: goes with an array of codes, not with a Quantized",
                         **{name: value})
        self.assertEqual(mxgold.dequantize(A, output="fp16").dtype, numpy.float16)
        self.refuses(mxgold.dequantize, A.codes, A.scales, "nvfp4", says="^tensor_scale: nvfp4 has a scale of the whole")
        self.assertEqual(mxgold.dequantize(A.codes, A.scales, "nvfp4", tensor_scale=A.tensor_scale).tobytes(),
                         A.dequantize().tobytes())


if __name__ == "__main__":
    unittest.main()
