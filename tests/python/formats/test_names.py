"""Names in any spelling, keywords beside the one string, modes in threads; the names as types are those of the library."""

import contextvars
import importlib.util
import io
import contextlib
import os
import pathlib
import threading
import unittest

import numpy

import mxgold
from mxgold._mode import setting

ROOT = pathlib.Path(os.environ["MXGOLD_ROOT"])


class Spellings(unittest.TestCase):
    def test_every_format_in_any_case(self):
        for name in mxgold.formats():
            for given in (name.upper(), name.title(), name.replace("_", "-"), name.replace("_", "")):
                self.assertEqual(str(mxgold.format(given)), name, given)
        for given, name in (("E5M10", "e5m10"), ("Binary8P4se", "binary8p4se"), ("FIXED16.8", "fixed16.8")):
            self.assertEqual(str(mxgold.format(given)), name)

    def test_what_others_call_formats(self):
        for given, name in (("bfloat16", "bf16"), ("float32", "fp32"), ("FP8_E4M3", "e4m3fn"), ("half", "fp16"),
                            ("float8_e8m0fnu", "e8m0"), ("torch.float8_e5m2", "e5m2"), ("float8_e4m3", "e4m3"),
                            ("float8_e4m3b11fnuz", "e4m3b11fnuz"), ("float4_e2m1fn_x2", "e2m1fn")):
            self.assertEqual(str(mxgold.format(given)), name)

    def test_a_name_of_several_is_asked_about(self):
        for given, wanted in (("fp8", "may be e4m3fn, e5m2 or e4m3fnuz: say which"), ("MXFP8", "mxfp8_e4m3 or mxfp8_e5m2"),
                              ("fp6", "e2m3fn or e3m2fn"), ("mxfp6", "mxfp6_e2m3 or mxfp6_e3m2")):
            with self.assertRaisesRegex(ValueError, f"format '{given}' .*{wanted}"):
                mxgold.format(given)

    def test_unknown_names_are_shown_as_given(self):
        with self.assertRaisesRegex(ValueError, "unknown format 'RNE'; mxgold.formats[(][)] lists what there is$"):
            mxgold.format("RNE")
        with self.assertRaisesRegex(ValueError, "unknown unit 'h200'; mxgold.units[(][)] lists"):
            mxgold.mma([1.0], [1.0], unit="h200")
        with self.assertRaisesRegex(ValueError, "unknown layout 'tiles'; there is auto, mxgold, checkpoint, plain"):
            mxgold.load("none", layout="tiles")
        with self.assertRaisesRegex(ValueError, "unknown format 'E4M3FNN'; did you mean 'e4m3fn'"):
            mxgold.format("E4M3FNN")

    def test_policies_and_their_values(self):
        for given, wanted in (("Rounding=RNE", "rounding=ties_to_even"), ("rounding=Ties-To-Away", "rounding=ties_to_away"),
                              ("TE,OVERFLOW=sat", "profile=te,overflow=sat_finite"), ("ROUNDING=rtz", "rounding=toward_zero")):
            self.assertEqual(str(mxgold.policy(given)), wanted)
        self.assertEqual(mxgold.policy(Rounding="SR", random_bits=4), mxgold.policy("rounding=stochastic_a,random_bits=4"))
        with self.assertRaisesRegex(ValueError, "twice"):
            mxgold.policy("rounding=RNE,Rounding=RTZ")
        for nothing in (None, 3, ["rounding=up"]):
            with self.assertRaisesRegex(TypeError, "policy: a text, a Policy or a mapping"):
                mxgold.policy(nothing)


class Keywords(unittest.TestCase):
    def test_keywords_are_a_policy(self):
        x = numpy.linspace(-500, 500, 99)
        self.assertEqual(mxgold.convert(x, "e4m3fn", rounding="RTZ").tobytes(),
                         mxgold.convert(x, "e4m3fn", "rounding=toward_zero").tobytes())
        self.assertEqual(mxgold.conversion_flags(x, "e4m3fn", overflow="none_inf_or_nan"),
                         mxgold.conversion_flags(x, "e4m3fn", "overflow=none_inf_or_nan"))
        q = mxgold.quantize(x.astype("f4"), "mxfp8_e4m3", profile="te", rounding="toward_zero")
        self.assertEqual(str(q.policy), "profile=te,rounding=toward_zero")
        again = mxgold.dequantize(q.codes, q.scales, "mxfp8_e4m3", profile="te", rounding="toward_zero")
        self.assertEqual(again.tobytes(), q.dequantize().tobytes())

    def test_a_keyword_goes_before_the_text(self):
        q = mxgold.quantize([1.0], "mxfp4", "rounding=to_odd,zero_sign=keep", rounding="toward_zero", block_size=16)
        self.assertEqual(str(q.policy), "rounding=toward_zero,zero_sign=keep,block_size=16")

    def test_a_keyword_that_is_none_is_a_type_error(self):
        for call in (mxgold.convert, mxgold.conversion_flags):
            with self.assertRaisesRegex(TypeError, "unknown keyword 'sede'; did you mean 'seed'"):
                call([1.0], "e4m3fn", sede=3)
        with self.assertRaisesRegex(TypeError, "unknown keyword 'axes'; did you mean 'axis'"):
            mxgold.quantize([1.0], "mxfp4", axes=0)
        with self.assertRaisesRegex(ValueError, "policy rounding does not take 'up'"):
            mxgold.convert([1.0], "e4m3fn", rounding="up")
        q = mxgold.quantize([1.0], "mxfp4")
        with self.assertRaisesRegex(ValueError, "rounding: goes with an array of codes"):
            mxgold.dequantize(q, rounding="to_odd")


def in_a_thread():
    found = []
    thread = threading.Thread(target=lambda: found.append(setting()))
    thread.start()
    thread.join()
    return found[0]


class Modes(unittest.TestCase):
    def test_a_thread_that_is_started_inside_has_the_mode(self):
        self.assertEqual(in_a_thread(), ("strict", "x86"))
        with mxgold.mode("compat", "cuda"):
            self.assertEqual(in_a_thread(), ("compat", "cuda"))
            with mxgold.mode("strict"):
                self.assertEqual((in_a_thread(), setting()), (("strict", "x86"),) * 2)
            self.assertEqual((in_a_thread(), setting()), (("compat", "cuda"),) * 2)
        self.assertEqual((in_a_thread(), setting()), (("strict", "x86"),) * 2)

    def test_from_here_on_holds_in_threads_too(self):
        def program():
            mxgold.mode("compat")
            self.assertEqual((in_a_thread(), setting()), (("compat", "x86"),) * 2)
            mxgold.mode("strict")
            self.assertEqual((in_a_thread(), setting()), (("strict", "x86"),) * 2)

        contextvars.Context().run(program)

    def test_blocks_of_threads_do_not_meet(self):
        inside, leave, seen = threading.Event(), threading.Event(), []

        def other():
            with mxgold.mode("compat", "aarch64"):
                inside.set()
                leave.wait()
                seen.append(setting())

        with mxgold.mode("strict", "cuda"):
            thread = threading.Thread(target=other)
            thread.start()
            inside.wait()
            self.assertEqual(setting(), ("strict", "cuda"))
        leave.set()
        thread.join()
        self.assertEqual(seen, [("compat", "aarch64")])
        self.assertEqual(in_a_thread(), setting())

    def test_other_names_are_refused_and_change_nothing(self):
        for arguments in (("loose",), ("compat", "riscv")):
            with self.assertRaises(ValueError):
                mxgold.mode(*arguments)
            self.assertEqual((setting(), in_a_thread()), (("strict", "x86"),) * 2)


class Literals(unittest.TestCase):
    def test_the_types_are_the_librarys_names(self):
        spec = importlib.util.spec_from_file_location("literals", ROOT / "python" / "literals.py")
        literals = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(literals)
        with contextlib.redirect_stdout(io.StringIO()) as written:
            literals.main()
        self.assertEqual(written.getvalue(), (ROOT / "python/mxgold/_literals.py").read_text(),
                         "write it anew with python/literals.py")


if __name__ == "__main__":
    unittest.main()
