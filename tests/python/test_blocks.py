"""Arrays in blocks: codes, scales, axes, levels; threads; dot products."""

import copy
import pickle
import threading
import time
import unittest

import numpy

import mxgold

from vectors_needed import needs_vectors


def numbers(*shape, seed=0):
    return numpy.random.default_rng(seed).standard_normal(shape).astype(numpy.float32)


class Quantize(unittest.TestCase):
    def test_the_bits_of_the_readme(self):
        q = mxgold.quantize([480, 1], "mxfp8_e4m3")
        self.assertEqual((q.scale_bits.tolist(), q.code_bits.tolist()), ([0x7F], [0x7E, 0x38]))
        self.assertEqual(q.flags, {"inexact", "overflow", "saturated"})
        te = mxgold.quantize([480, 1], "mxfp8_e4m3", "te")
        self.assertEqual((te.scale_bits.tolist(), te.code_bits.tolist()), ([0x80], [0x77, 0x30]))

    def test_blocks_along_an_axis_are_blocks_on_their_own(self):
        x = numbers(5, 70, 3)
        q = mxgold.quantize(x, "mxfp4", axis=1)
        self.assertEqual((q.codes.shape, q.scales.shape, q.axis), ((5, 70, 3), (5, 3, 3), 1))
        for i, j, k in numpy.ndindex(q.scales.shape):
            block = mxgold.quantize(x[i, 32 * j:32 * (j + 1), k], "mxfp4")
            self.assertEqual(block.scale_bits[0], q.scale_bits[i, j, k])
            numpy.testing.assert_array_equal(block.code_bits, q.code_bits[i, 32 * j:32 * (j + 1), k])

    def test_every_format_there_and_back(self):
        x = numbers(64, 96)
        for name in mxgold.formats("blocks"):
            q = mxgold.quantize(x, name)
            values = q.dequantize()
            self.assertEqual((values.dtype, values.shape), (numpy.float32, x.shape))
            self.assertEqual(q.scales.shape, q.format.scale_shape(x.shape))
            level = q.tensor_scale if q.format.two_level else None
            again = mxgold.dequantize(q.codes, q.scales, name, axis=q.axis, tensor_scale=level)
            numpy.testing.assert_array_equal(values.view(numpy.uint32), again.view(numpy.uint32), name)
            self.assertLess(abs(values - x).max(), 0.6 * abs(x).max(), name)

    def test_values_are_codes_times_scales(self):
        q = mxgold.quantize(numbers(4, 64), "mxfp8_e5m2", axis=0)
        elements = mxgold.convert(q.codes, "fp64", source="e5m2")
        scales = mxgold.convert(q.scales, "fp64", source="e8m0")
        numpy.testing.assert_array_equal(elements * numpy.repeat(scales, 4, 0), q.dequantize("fp64"))

    def test_block_size_and_policy(self):
        q = mxgold.quantize(numbers(3, 40), "mxint8", "block_size=16,rule=ceil")
        self.assertEqual((q.scales.shape, q.format.block_size), ((3, 3), 16))
        self.assertEqual(mxgold.dequantize(q.codes, q.scales, "mxint8", q.policy).tobytes(), q.dequantize().tobytes())

    def test_under_a_hadamard_transform(self):
        x = numbers(6, 32, 5)
        for signs, other in (("first", "last"), ("last", "first")):
            y = mxgold.hadamard(x, 0xD7E8, signs=signs, axis=1)
            q = mxgold.quantize(x, "nvfp4", "rule=nvfp4_te", axis=1, hadamard=0xD7E8,
                                hadamard_signs=signs)
            plain = mxgold.quantize(y, "nvfp4", "rule=nvfp4_te", axis=1)
            self.assertEqual((q.hadamard, plain.hadamard), ((0xD7E8, signs), None))
            self.assertEqual(q.codes.tobytes(), plain.codes.tobytes())
            self.assertEqual(q.scales.tobytes(), plain.scales.tobytes())
            self.assertEqual(q.tensor_scale, plain.tensor_scale)
            self.assertEqual(q.dequantize().tobytes(), plain.dequantize().tobytes())
            back = mxgold.hadamard(plain.dequantize(), 0xD7E8, signs=other, axis=1)
            copied = pickle.loads(pickle.dumps(q))
            self.assertEqual(copied.dequantize(undo_hadamard=True).tobytes(), back.tobytes())
            self.assertEqual(q.dequantize("fp16", undo_hadamard=True).tobytes(),
                             mxgold.convert(back, "fp16", "overflow=none_inf_or_nan").tobytes())
            with self.assertRaisesRegex(ValueError, "under no transform"):
                plain.dequantize(undo_hadamard=True)
        drawn = mxgold.quantize(x, "nvfp4", axis=1, hadamard="drawn", seed=3).hadamard
        self.assertEqual(drawn, mxgold.quantize(x, "nvfp4", axis=1, hadamard="drawn", seed=3).hadamard)
        self.assertNotEqual(drawn, mxgold.quantize(x, "nvfp4", axis=1, hadamard="drawn", seed=4).hadamard)
        self.assertEqual(mxgold.hadamard(numpy.float16(x), 1, axis=1).tobytes(),
                         mxgold.hadamard(numpy.float32(numpy.float16(x)), 1, axis=1).tobytes())

    def test_hadamard_transforms_refuse(self):
        x = numbers(6, 32)
        for wrong, says in (((x, 0x10000), r"2\^16 - 1"), ((x.astype(numpy.float64), 1), "not fp64"),
                            ((x[:, :20], 1), "20 elements")):
            with self.assertRaisesRegex(ValueError, says):
                mxgold.hadamard(*wrong)
        with self.assertRaisesRegex(ValueError, "first or last"):
            mxgold.hadamard(x, 1, signs="middle")

    def test_who_computes_changes_no_bit(self):
        needs_vectors(self)
        x = numbers(3, 70)
        x[0, :4] = [numpy.nan, -0.0, 1e-40, numpy.inf]
        draws = "rounding=stochastic_a"
        for name, policy, axis in (("mxfp8_e4m3", "", 0), ("mxfp8_e4m3", "rule=rceil,rounding=toward_negative", 0),
                                   ("mxfp8_e4m3", draws, 0), ("nvfp4", draws, 0), ("nvfp4", draws, 1),
                                   ("nvfp4", draws + ",rule=nvfp4_te", 1), ("nvfp4_16x16", "", 1),
                                   ("nvfp4_16x16", draws, 1)):
            fast, model = (mxgold.quantize(x, name, policy, axis=axis, seed=3, backend=backend)
                           for backend in ("cpu", "reference"))
            self.assertEqual(fast.codes.tobytes(), model.codes.tobytes())
            self.assertEqual(fast.scales.tobytes(), model.scales.tobytes())
            self.assertEqual(fast.flags, model.flags)
            self.assertEqual(fast.dequantize().tobytes(), model.dequantize().tobytes())
            level = model.tensor_scale if model.format.two_level else None
            again = mxgold.dequantize(model.codes, model.scales, name, policy, axis=axis, tensor_scale=level, backend="cpu")
            self.assertEqual(again.tobytes(), model.dequantize().tobytes())

    def test_a_backend_that_is_none_or_has_no_path_is_refused(self):
        with self.assertRaisesRegex(ValueError, "backend.*'gpu'"):
            mxgold.quantize([1.0], "mxfp4", backend="gpu")
        with self.assertRaisesRegex(ValueError, "no fast path"):
            mxgold.quantize([1.0], "mxfp4", "rule=nearest_val", backend="cpu")
        self.assertEqual(mxgold.quantize([1.0], "mxfp4", "rule=nearest_val").codes.size, 1)

    def test_two_levels(self):
        x = numbers(2, 32) * 100
        found = mxgold.quantize(x, "nvfp4")
        given = mxgold.quantize(x, "nvfp4", tensor_amax=abs(x).max())
        self.assertEqual(found.tensor_scale, given.tensor_scale)
        numpy.testing.assert_array_equal(found.code_bits, given.code_bits)
        one = mxgold.quantize(x, "nvfp4", tensor_scale=1)
        self.assertEqual(one.tensor_scale, 1)
        for wrong in ({"tensor_scale": 0.0}, {"tensor_scale": -1.0}, {"tensor_scale": numpy.inf}):
            with self.assertRaises(ValueError):
                mxgold.quantize(x, "nvfp4", **wrong)
        with self.assertRaisesRegex(ValueError, "no scale of the whole tensor"):
            mxgold.quantize(x, "mxfp4", tensor_scale=1)

    def test_shapes(self):
        for shape, scales in (((), (1,)), ((0,), (0,)), ((2, 0), (2, 0)), ((0, 40), (0, 2)), ((1,), (1,))):
            q = mxgold.quantize(numpy.ones(shape, numpy.float32), "mxfp4")
            self.assertEqual((q.codes.shape, q.scales.shape, q.dequantize().shape), (shape, scales, shape))
        for name in ("fp8_e4m3_fp32_row", "fp8_e4m3_fp32_tensor", "nvfp4_16x16"):
            q = mxgold.quantize(numpy.ones((3, 5), numpy.float32), name, axis=1)
            self.assertEqual(q.dequantize().tolist(), [[1] * 5] * 3)

    def test_sources(self):
        x = numbers(64)
        half = x.astype(numpy.float16)
        numpy.testing.assert_array_equal(mxgold.quantize(half, "mxfp6_e2m3").code_bits,
                                         mxgold.quantize(half.astype(numpy.float32), "mxfp6_e2m3").code_bits)
        words = (x.view(numpy.uint32) >> 16).astype(numpy.uint16)
        numpy.testing.assert_array_equal(mxgold.quantize(words, "mxfp4", source="bf16").code_bits,
                                         mxgold.quantize((x.view(numpy.uint32) & 0xFFFF0000).view(numpy.float32),
                                                         "mxfp4").code_bits)

    def test_what_does_not_fit_is_refused(self):
        x = numbers(4, 4)
        q = mxgold.quantize(x, "mxfp4")
        for wrong, error in ((lambda: mxgold.quantize(x, "e4m3fn"), ValueError),
                             (lambda: mxgold.quantize(x, "mxfp4", axis=2), ValueError),
                             (lambda: mxgold.quantize(x, "mxfp4", "rule=nvfp4_te"), ValueError),
                             (lambda: mxgold.quantize(x.astype(complex), "mxfp4"), TypeError),
                             (lambda: mxgold.dequantize(q.codes, q.scales[:2], "mxfp4"), ValueError),
                             (lambda: mxgold.dequantize(q.codes, q.scales.astype("u2"), "mxfp4"), ValueError),
                             (lambda: mxgold.dequantize(q.code_bits | 0x80, q.scales, "mxfp4"), ValueError),
                             (lambda: mxgold.dequantize(q.codes), TypeError)):
            with self.assertRaises(error):
                wrong()

    def test_copies_and_pickles(self):
        for name, policy in (("nvfp4", "rounding=to_odd"), ("mxfp8_e4m3", "block_size=16,te")):
            q = mxgold.quantize(numbers(3, 40), name, policy)
            for again in (pickle.loads(pickle.dumps(q)), copy.deepcopy(q)):
                self.assertEqual((again.format, again.policy, again.axis, again.tensor_scale, again.flags),
                                 (q.format, q.policy, q.axis, q.tensor_scale, q.flags))
                numpy.testing.assert_array_equal(again.dequantize(), q.dequantize())
                numpy.testing.assert_array_equal(mxgold.dot(again, q), mxgold.dot(q, q))
        self.assertNotEqual(q.format, mxgold.format("mxfp8_e4m3"))
        self.assertEqual(pickle.loads(pickle.dumps(q.format)).block_size, 16)
        self.assertEqual(pickle.loads(pickle.dumps(mxgold.format("e5m2"))), mxgold.format("e5m2"))

    def test_looks(self):
        q = mxgold.quantize(numbers(3, 40), "nvfp4", "rounding=to_odd")
        self.assertRegex(repr(q), r"^<mxgold.Quantized nvfp4 of shape \(3, 40\), 9 scales along axis 1, tensor_scale=")
        self.assertIn("<td>nvfp4</td>", q._repr_html_())
        numpy.testing.assert_array_equal(numpy.asarray(q), q.dequantize())


class Memory(unittest.TestCase):
    def test_inputs_are_not_copied_and_stay_as_they_are(self):
        import tracemalloc

        x = numbers(1 << 20)
        before = x.copy()
        mxgold.quantize(x[:64], "mxfp8_e4m3")
        tracemalloc.start()
        mxgold.quantize(x, "mxfp8_e4m3")
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        self.assertLess(peak, x.size * 1.25, "codes and scales take 1.03 bytes an element, a copy of x 4 more")
        numpy.testing.assert_array_equal(x, before)

    def test_other_threads_run_meanwhile(self):
        x = numbers(1 << 22).astype(numpy.float64)  # which the reference takes, so that it takes a while
        ticks, stop = [], threading.Event()

        def tick():
            while not stop.is_set():
                ticks.append(time.perf_counter())
                time.sleep(0.0005)

        thread = threading.Thread(target=tick)
        thread.start()
        start = time.perf_counter()
        mxgold.quantize(x, "mxfp8_e4m3")
        end = time.perf_counter()
        stop.set()
        thread.join()
        self.assertGreater(sum(start < tick < end for tick in ticks), 3)

    def test_threads_share_formats_and_quantizers(self):
        x = numbers(8, 4096)
        wanted = mxgold.quantize(x, "mxfp6_e3m2").code_bits
        found = [None] * 8

        def work(i):
            found[i] = mxgold.quantize(x[i], "mxfp6_e3m2").code_bits

        threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        numpy.testing.assert_array_equal(numpy.array(found), wanted)


class Dot(unittest.TestCase):
    def test_exact_sums_of_small_integers(self):
        x = numpy.random.default_rng(3).integers(-4, 5, (5, 70)).astype(numpy.float32)
        y = numpy.random.default_rng(4).integers(-4, 5, (7, 70)).astype(numpy.float32)
        a, b = mxgold.quantize(x, "mxfp8_e4m3"), mxgold.quantize(y, "mxfp8_e4m3")
        for mode in ("exact_once", "fp32_seq", "fp32_tree", "block_exact_fp32_seq"):
            numpy.testing.assert_array_equal(mxgold.dot(a, b, mode=mode), x @ y.T)
        addend = numpy.full((5, 7), 0.5, numpy.float32)
        numpy.testing.assert_array_equal(mxgold.dot(a, b, addend), x @ y.T + addend)
        numpy.testing.assert_array_equal(mxgold.dot(a, b, addend.astype(numpy.float16), result="fp16"),
                                         (x @ y.T + addend).astype(numpy.float16))

    def test_vectors(self):
        a = mxgold.quantize([1, 2, 3], "mxfp8_e4m3")
        b = mxgold.quantize([[1, 1, 1], [2, 0, 0]], "mxfp4")
        self.assertEqual(mxgold.dot(a, a).tolist(), 14)
        self.assertEqual(mxgold.dot(a, b).tolist(), [6, 2])
        self.assertEqual(mxgold.dot(b, a).tolist(), [6, 2])

    def test_an_accumulator_loses_what_its_model_says(self):
        a = mxgold.quantize([256, 1], "mxfp8_e4m3")
        b = mxgold.quantize([256, 1], "mxfp8_e4m3")
        self.assertEqual(float(mxgold.dot(a, b)), 65537)
        self.assertEqual(float(mxgold.dot(a, b, mode="accumulator", align_bits=10)), 65536)

    def test_two_levels_count(self):
        x = numbers(3, 64) * 1000
        a = mxgold.quantize(x, "nvfp4")
        values = a.dequantize("fp64")
        numpy.testing.assert_allclose(mxgold.dot(a, a), values @ values.T, rtol=1e-6)

    def test_what_does_not_fit_is_refused(self):
        a = mxgold.quantize(numbers(2, 32), "mxfp4")
        for wrong in (lambda: mxgold.dot(a, mxgold.quantize(numbers(2, 33), "mxfp4")),
                      lambda: mxgold.dot(a, mxgold.quantize(numbers(2, 32), "nvfp4")),
                      lambda: mxgold.dot(a, mxgold.quantize(numbers(2, 32), "mxfp4", axis=0)),
                      lambda: mxgold.dot(a, a, numpy.zeros(3, numpy.float32)),
                      lambda: mxgold.dot(a, a, mode="twice"),
                      lambda: mxgold.dot(a, a, modes="exact_once")):
            with self.assertRaises(ValueError):
                wrong()
        with self.assertRaises(TypeError):
            mxgold.dot(numbers(2, 32), a)


if __name__ == "__main__":
    unittest.main()
