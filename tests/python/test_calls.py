"""The short way of small calls gives what the long way gives, and leaves to it what is not plain."""

import gc
import os
import subprocess
import sys
import threading
import unittest

import numpy

import mxgold
from mxgold import _quick

CALLS = _quick.CALLS
NEEDED = unittest.skipIf(CALLS is None, "the short way is not there: this Python or this build lacks it")


def short(x, name, policy="", seed=0, tensor=0):
    return CALLS.convert(x, name, policy, seed, tensor)


@NEEDED
class Short(unittest.TestCase):
    def test_it_is_gone_from_the_second_call_on(self):
        x = numpy.linspace(-500, 500, 77).astype("f4")
        policy = mxgold.policy("rounding=toward_zero,overflow=sat_finite")
        self.assertIs(short(x, "e3m4", policy), NotImplemented)
        wanted = mxgold.convert(x, "e3m4", policy)
        found = short(x, "e3m4", policy)
        self.assertEqual((found.dtype, found.tobytes()), (wanted.dtype, wanted.tobytes()))

    def test_every_shape_as_the_long_way(self):
        rng = numpy.random.default_rng(5)
        for shape in ((), (0,), (1,), (31,), (32,), (33,), (3, 40), (2, 0, 5), (4, 5, 6), (1,) * 30, (8192,), (3, 4097)):
            x = rng.standard_normal(shape).astype("f4")
            for name in ("e4m3fn", "fp16", "e2m1fn"):
                first, again = mxgold.convert(x, name), short(x, name)
                wanted = mxgold.convert(x, name, backend="reference")
                for found in (first, again):
                    self.assertEqual((found.shape, found.dtype, found.tobytes()),
                                     (wanted.shape, wanted.dtype, wanted.tobytes()))
            for name in ("mxfp8_e4m3", "nvfp4", "nvfp4_16x16", "fp8_e4m3_fp32_row", "fp8_e4m3_fp32_tensor", "tt_bfp4"):
                for axis in range(-max(1, x.ndim), max(1, x.ndim)):
                    mxgold.quantize(x, name, axis=axis)
                    found = mxgold.quantize(x, name, axis=axis)
                    wanted = mxgold.quantize(x, name, axis=axis, backend="reference")
                    for field in ("codes", "scales"):
                        ours, theirs = getattr(found, field), getattr(wanted, field)
                        self.assertEqual((ours.shape, ours.dtype, ours.tobytes()),
                                         (theirs.shape, theirs.dtype, theirs.tobytes()), (name, shape, axis, field))
                    self.assertEqual((found.flags, found.axis, found.tensor_scale, found.policy),
                                     (wanted.flags, wanted.axis, wanted.tensor_scale, wanted.policy))
                    self.assertEqual(found.dequantize().tobytes(), wanted.dequantize().tobytes())

    def test_all_that_is_not_plain_goes_the_long_way(self):
        x = numpy.linspace(-3, 3, 64).astype("f4")
        wanted = mxgold.convert(x, "e4m3fn")

        class Derived(numpy.ndarray):
            pass

        for other in (x[::2], x.reshape(8, 8).T, x.astype(">f4"), x.view(Derived), x.tolist(), 1.5, x.astype("i4"), None):
            self.assertIs(short(other, "e4m3fn"), NotImplemented)
            self.assertIs(CALLS.quantize(other, "mxfp4", "", -1, 0, 0), NotImplemented)
        for seed, tensor in ((-1, 0), (1 << 64, 0), (0, -1), (0, 1 << 32), (1.0, 0), (None, 0), (True, 0), (0, numpy.int64(3))):
            self.assertIs(short(x, "e4m3fn", "", seed, tensor), NotImplemented)
            self.assertIs(CALLS.quantize(x, "mxfp4", "", -1, seed, tensor), NotImplemented)
        for seed, tensor in (((1 << 64) - 1, 0), (0, (1 << 32) - 1)):
            self.assertEqual(short(x, "e4m3fn", "", seed, tensor).tobytes(), wanted.tobytes())
        for policy in ({}, ["x"], None, {"rounding": "to_odd"}):
            self.assertIs(short(x, "e4m3fn", policy), NotImplemented)
        mxgold.quantize(x, "mxfp4")
        for axis in (1, -2, 1 << 63, -(1 << 63) - 1, 0.0, None):
            self.assertIs(CALLS.quantize(x, "mxfp4", "", axis, 0, 0), NotImplemented)
        for arguments in ((), (x,), (x, "e4m3fn", "", 0, 0, 0, 0)):
            self.assertIs(CALLS.convert(*arguments), NotImplemented)
            self.assertIs(CALLS.quantize(*arguments), NotImplemented)

    def test_what_the_library_refuses_is_said_by_the_long_way(self):
        codes = numpy.full(40, 0xFFFFFFFF, "u4")
        mxgold.convert(numpy.zeros(3, "u2"), "fp32", source="e5m10")
        with self.assertRaisesRegex(ValueError, "above its format's width"):
            mxgold.convert(codes, "fp16", source="tf32")
        x = numpy.ones(32, "f4")
        mxgold.quantize(x, "nvfp4", "torchao-0.18")
        x[3] = numpy.inf
        with self.assertRaisesRegex(ValueError, "does not model the level"):
            mxgold.quantize(x, "nvfp4", "torchao-0.18")

    def test_random_words_follow_seed_and_tensor(self):
        x, policy = numpy.full(4096, 1.03125, "f4"), "rounding=stochastic_a,random_bits=16"
        seen = set()
        for seed, tensor in ((0, 0), (0, 0), (1, 0), (0, 1), ((1 << 64) - 1, (1 << 32) - 1)):
            found = mxgold.convert(x, "e4m3fn", policy, seed=seed, tensor_index=tensor)
            wanted = mxgold.convert(x, "e4m3fn", policy, seed=seed, tensor_index=tensor, backend="reference")
            self.assertEqual(found.tobytes(), wanted.tobytes())
            seen.add(found.tobytes())
        self.assertEqual(len(seen), 4)

    def test_nothing_is_kept_of_arrays(self):
        x, n = numpy.ones(4096, "f4"), numpy.ones(4096, "f4")
        for _ in range(3):
            mxgold.convert(x, "e4m3fn"), mxgold.quantize(x, "mxfp8_e4m3"), mxgold.quantize(n, "nvfp4")
        gc.collect()
        before = [sys.getrefcount(each) for each in (x, n, x.dtype, "e4m3fn")], len(gc.get_objects())
        for _ in range(200):
            mxgold.convert(x, "e4m3fn"), mxgold.quantize(x, "mxfp8_e4m3"), mxgold.quantize(n, "nvfp4")
        gc.collect()
        after = [sys.getrefcount(each) for each in (x, n, x.dtype, "e4m3fn")], len(gc.get_objects())
        self.assertEqual(before[0], after[0])
        self.assertLess(after[1] - before[1], 100)
        codes = mxgold.convert(x, "e4m3fn")
        self.assertEqual(sys.getrefcount(codes), 2)
        self.assertTrue(codes.flags.owndata and codes.flags.writeable)

    def test_many_plans_do_not_pile_up(self):
        x = numpy.ones(3, "f4")
        for bits in range(1, 33):
            for seed in range(40):
                policy = mxgold.policy(rounding="stochastic_a", random_bits=bits)
                mxgold.convert(x, f"e{2 + seed % 7}m{1 + seed % 9}", policy, seed=seed)
        self.assertEqual(mxgold.bits(mxgold.convert(x, "e4m3fn")).tolist(), [56] * 3)

    def test_threads(self):
        x = numpy.linspace(-3, 3, 1 << 15).astype("f4")
        wanted = {name: mxgold.quantize(x, name).codes.tobytes() for name in ("mxfp8_e4m3", "mxfp4", "nvfp4")}
        wrong = []

        def work(name):
            wrong.extend(name for _ in range(40) if mxgold.quantize(x, name).codes.tobytes() != wanted[name])

        threads = [threading.Thread(target=work, args=(name,)) for name in list(wanted) * 3]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_it_looks_where_numpy_has_its_fields(self):
        x = numpy.zeros((3, 5), "f4")
        at = x.__array_interface__["data"][0]
        self.assertTrue(CALLS.check(x, at, (3, 5), (20, 4), x.dtype, True))
        for wrong in ((at + 4, (3, 5), (20, 4), x.dtype, True), (at, (3, 4), (20, 4), x.dtype, True),
                      (at, (3, 5), (16, 4), x.dtype, True), (at, (3, 5), (20, 4), numpy.dtype("f8"), True),
                      (at, (3, 5), (20, 4), x.dtype, False)):
            self.assertFalse(CALLS.check(x, *wrong))

    def test_bad_setups_are_refused(self):
        with self.assertRaisesRegex(RuntimeError, "once"):
            CALLS.setup(numpy.ndarray, numpy.empty, (0,) * 5)
        for key, plan in (((1, 2), (1, 2, 3, 4)), ((1, 2, 3), (1, 2, 3))):
            with self.assertRaisesRegex(ValueError, "a key of three and a plan"):
                CALLS.remember(False, key, plan)
        with self.assertRaises(ValueError):
            CALLS.remember(True, (1, 2, 3), (1,) * 7)


class Without(unittest.TestCase):
    def test_ctypes_alone_gives_the_same(self):
        program = ("import numpy, mxgold; from mxgold import _quick; assert _quick.CALLS is None\n"
                   "x = numpy.linspace(-500, 500, 4099).astype('f4')\n"
                   "for _ in range(2):\n"
                   "    q = mxgold.quantize(x, 'nvfp4'); c = mxgold.convert(x, 'e4m3fn')\n"
                   "print(q.codes.tobytes().hex(), q.scales.tobytes().hex(), sorted(q.flags), c.tobytes().hex())")
        done = subprocess.run([sys.executable, "-c", program], env={**os.environ, "MXGOLD_CALLS": "off"},
                              capture_output=True, text=True, check=True)
        x = numpy.linspace(-500, 500, 4099).astype("f4")
        for _ in range(2):
            q, c = mxgold.quantize(x, "nvfp4"), mxgold.convert(x, "e4m3fn")
        self.assertEqual(done.stdout.split("\n")[0],
                         f"{q.codes.tobytes().hex()} {q.scales.tobytes().hex()} {sorted(q.flags)} {c.tobytes().hex()}")


if __name__ == "__main__":
    unittest.main()
