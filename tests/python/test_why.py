"""explain, diff, identify; the program behind them."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy

import mxgold
from mxgold.bench import Model


class Explain(unittest.TestCase):
    def test_a_value(self):
        e = mxgold.explain(1.0625, "e4m3fn")
        self.assertIn("at the midpoint, the lower neighbour is even", str(e))
        self.assertEqual(e.data["values"][0]["code"], "38")
        self.assertIn("<code>38</code>", e._repr_html_())

    def test_a_block_is_explained_as_it_is_quantized(self):
        x = numpy.random.default_rng(5).standard_normal(16).astype(numpy.float16)
        for name in ("mxfp8_e4m3", "nvfp4", "mxint8"):
            e, q = mxgold.explain(x, name), mxgold.quantize(x, name)
            self.assertEqual([int(each["code"], 16) for each in e.data["block"]["elements"]], q.code_bits.tolist())
            self.assertEqual(int(e.data["block"]["scale"]["code"], 16), q.scale_bits[0])
            self.assertEqual(e.data["source"], "fp16")
            self.assertIn("scale", e._repr_html_())

    def test_texts_policies_and_bits(self):
        self.assertEqual(mxgold.explain("0x1.1p+0", "e4m3fn", "rounding=ties_to_away").data["values"][0]["code"], "39")
        self.assertEqual(mxgold.explain(["-nan", "-inf"], "e5m2").data["values"][1]["code"], "FC")
        codes = mxgold.explain(numpy.uint16([0x3F88]), "e4m3fn", source="bf16").data["values"]
        self.assertEqual(codes[0]["input"]["bits"], "3F88")
        self.assertEqual(mxgold.explain(-0.5, "e2m1fn").data["values"][0]["code"], "9")

    def test_profiles_side_by_side(self):
        e = mxgold.explain([480, 1], "mxfp8_e4m3", profiles=["te", "torchao-0.18"])
        self.assertIn("rule rceil -&gt; floor", e._repr_html_())
        self.assertIn("torchao-0.18", str(e))

    def test_refusals(self):
        for wrong in (lambda: mxgold.explain("one", "e4m3fn"), lambda: mxgold.explain(1.0, "e4m3fx"),
                      lambda: mxgold.explain(1.0, "e4m3fn", "te", profiles=["te"])):
            with self.assertRaises(ValueError):
                wrong()


class Compare(unittest.TestCase):
    def test_profiles_that_differ(self):
        d = mxgold.diff("torchao-0.18:rceil", "torchao-0.19dev:rceil", "mxfp8_e4m3", source="fp32")
        self.assertTrue(d)
        self.assertEqual(d.surfaces[0]["differences"][0]["input"], ["00001001"])
        self.assertIn("elem_scaling", d._repr_html_())
        self.assertIn("differ", str(d))

    def test_profiles_that_agree(self):
        d = mxgold.diff("te", "te", ["e4m3fn", "e5m2"], source="bf16")
        self.assertFalse(d)
        self.assertIn("agree", d._repr_html_())

    def test_the_name_of_an_unknown_implementation(self):
        x = mxgold.telling_inputs("e4m3fn", source="fp16", count=200)
        self.assertTrue(0 < len(x) <= 200)
        self.assertEqual(x.dtype, numpy.float16)
        i = mxgold.identify(x, mxgold.convert(x, "e4m3fn", "te"), "e4m3fn")
        self.assertIn("te", i.profiles)
        y = numpy.float32([0.75, 1.25, 1.75, 2.5, 5.0])
        i = mxgold.identify(y, mxgold.convert(y, "e2m1fn", "rounding=ties_to_away"), "e2m1fn")
        self.assertNotIn("mxgold-default", i.profiles)
        self.assertIn("gfloat:ties_to_away", i.profiles)
        i = mxgold.identify(y, mxgold.convert(y, "e2m1fn", "rounding=ties_to_zero"), "e2m1fn")
        self.assertIn(("mxgold-default", {"rounding": "ties_to_zero"}), i.deviations)
        self.assertIn("line 2", i._repr_html_())
        self.assertIn("ruled out", i.details)
        self.assertEqual([line.split(":")[0] for line in str(i).splitlines()], ["who", "compared", "telling", "next"])
        self.assertEqual((i.records, i.compared), (5, 5))
        self.assertIn(i.who[0], i.profiles)
        self.assertFalse(i.readings)

    def test_values_and_missing_scales(self):
        x = numpy.float32([[0.75, 1.25, 1.75, 2.5] * 8])
        for values in (numpy.float32([0.5, 1, 1.5, 2] * 8), numpy.float64([0.5, 1, 1.5, 2] * 8)):
            self.assertIn("ggml", mxgold.identify(x[0], values, "e2m1fn").profiles)
        with self.assertRaisesRegex(ValueError, "float64 that float32 has not"):
            mxgold.identify(x[0], numpy.full(32, 0.1), "e2m1fn")
        q = mxgold.quantize(x, "mxfp4")
        whole = mxgold.identify(x, q)
        for part in (q.codes, mxgold.dequantize(q)):
            found = mxgold.identify(x, part, "mxfp4")
            self.assertLessEqual(set(whole.profiles), set(found.profiles))
            self.assertTrue(found.profiles)
        # Control: other values are nobody's.
        self.assertFalse(mxgold.identify(x, mxgold.dequantize(q) * 2, "mxfp4").profiles)

    def test_silence_and_other_readings(self):
        x = numpy.uint32([0x7FFF8C22, 0x3F800000, 0x7F800001]).view(numpy.float32)
        i = mxgold.identify(x, numpy.uint16([0x8000, 0x3F80, 0x7F80]), "bf16")
        self.assertFalse(i.profiles or i.deviations or i.readings)
        self.assertEqual([what.split(":")[0] for _, what in i.structures], ["NaN rounded as numbers are"])
        self.assertIn("microxcaling-1.1.0/py-f32", i.silent)
        self.assertEqual((i.compared, i.telling, i.profiles, i.next_input), (3, 2, [], None))
        i = mxgold.identify(numpy.float32([1, 2, -1]), numpy.uint8([0x38, 0x40, 0xB8]), "e4m3fnuz")
        self.assertTrue(i)
        self.assertIn(("te", "codes of e4m3fn (bias 7), not e4m3fnuz (bias 8)"), i.readings)
        self.assertIn("te", mxgold.identify(numpy.float32([1]), numpy.uint8([0x38]), "e4m3fn").profiles)
        self.assertIn("answers", mxgold.identify(numpy.float32([1]), numpy.uint8([0x38]), "e4m3fn").next_input)

    def test_blocks_and_logs(self):
        x = numpy.random.default_rng(6).standard_normal((8, 32)).astype(numpy.float32)
        q = mxgold.quantize(x, "mxfp8_e4m3", "torchao-0.18:rceil")
        i = mxgold.identify(x, (q.scales, q.codes), "mxfp8_e4m3")
        self.assertIn("torchao-0.18:rceil", i.profiles)
        self.assertNotIn("ocp-mx-1.0", i.profiles)
        self.assertEqual(mxgold.identify(x, q).profiles, i.profiles)
        for name, policy in (("nvfp4", "te"), ("mxfp4", "ocp-mx-1.0")):
            i = mxgold.identify(x[:, :30], mxgold.quantize(x[:, :30], name, policy))
            self.assertIn(policy, i.profiles)
        with self.assertRaises(ValueError):
            mxgold.identify(x, (q.scales[1:], q.codes), "mxfp8_e4m3")
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder, "log.txt")
            log.write_text("fp32 e2m1fn\n3f400000 1\n")
            self.assertEqual(mxgold.identify(log).profiles, mxgold.identify(log.read_text()).profiles)

    def test_nothing_explains_nonsense(self):
        i = mxgold.identify(numpy.float32([1, 2, 3]), numpy.uint8([7, 0, 7]), "e2m1fn")
        self.assertFalse(i)
        self.assertEqual(i.profiles, [])

    def test_refusals(self):
        with self.assertRaises(FileNotFoundError):
            mxgold.identify("no such file")
        for wrong in (lambda: mxgold.diff("te", "tee"),
                      lambda: mxgold.identify(numpy.float32([1]), numpy.uint8([1, 2]), "e2m1fn")):
            with self.assertRaises(ValueError):
                wrong()


class Open(unittest.TestCase):
    """What a profile leaves open, as `mxgold quantize` counts it and models of benches mark it."""

    def setUp(self):
        x = numpy.random.default_rng(3).standard_normal((6, 64)).astype(numpy.float32)
        x[0, 3], x[1, 40], x[2, :] = numpy.nan, numpy.inf, 0
        x[3, :32], x[4, 0] = 1e-40, 3e38
        self.x = x

    def test_as_the_program_counts_it(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, "x.npy")
        seen = set()
        for name, profile, options in (
                ("mxfp8_e4m3", "ocp-mx-1.0", []), ("mxfp4", "ocp-mx-1.0", ["axis=0"]), ("mxint8", "dmx-0.1.11/cpu", []),
                ("mxfp8_e4m3", "torchao-0.18:rceil", []), ("nvfp4", "te", []), ("mxfp8_e4m3", "mxgold-default", []),
                ("mxfp8_e4m3", "ocp-mx-1.0", ["rounding=stochastic_a"]), ("e4m3fn", "ocp-mx-1.0", []),
                ("e4m3fn", "te", []), ("e5m2", "onnx-op25-spec", []), ("fp8_e4m3_fp32_row", "torchao-0.18", [])):
            with self.subTest(format=name, profile=profile, options=options):
                axis = {"axis": 0} if "axis=0" in options else {}
                policy = ",".join([profile, *(each for each in options if "axis" not in each)])
                # The level of a whole tensor is asked for where it has only numbers.
                x = numpy.where(numpy.isfinite(self.x), self.x, 1).astype(numpy.float32) if name == "nvfp4" else self.x
                numpy.save(path, x)
                try:
                    found = mxgold.open_answers(x, name, policy, seed=5, **axis)
                except ValueError as error:
                    self.assertRegex(str(error), "defines .*: not |has no block formats")
                    continue
                drawn = ["--seed", 5] if "rounding=stochastic_a" in options else []
                told = mxgold._program.ask("quantize", path, "--format", name, "--profile", profile, *drawn, "-o",
                                           os.path.join(folder.name, "y.safetensors"), *(f"--{each}" for each in options))
                scales = 0 if found.scales is None else int(found.scales.sum())
                self.assertEqual((int(found.elements.sum()), scales, sorted(found.reasons)),
                                 (told["open_elements"], told["open_scales"], sorted(told["open_masks"])))
                self.assertEqual(bool(found), bool(found.elements.any() or scales))
                seen.add((name, bool(found)))
        self.assertGreaterEqual(seen, {("mxfp8_e4m3", True), ("mxfp4", True), ("mxint8", True), ("mxfp8_e4m3", False)})

    def test_as_a_model_marks_it(self):
        found = mxgold.open_answers(self.x, "mxfp8_e4m3", "ocp-mx-1.0")
        model = Model("format=mxfp8_e4m3 source=fp32 profile=ocp-mx-1.0")
        for block, words in enumerate(mxgold.bits(self.x).reshape(-1, 32)):
            is_open = model.answer(source=words.tolist()).is_open
            q = mxgold.quantize(words.view(numpy.float32), "mxfp8_e4m3", "ocp-mx-1.0")
            self.assertEqual(is_open["scale"], [bool(found.scales.ravel()[block])])
            if "codes_masked" not in q.flags:  # whose codes mean nothing, whatever the profile
                self.assertEqual(is_open["code"], found.elements.reshape(-1, 32)[block].tolist())

    def test_what_is_not_a_profile_leaves_nothing_open(self):
        for name, scales in (("mxfp8_e4m3", (6, 2)), ("e4m3fn", None)):
            found = mxgold.open_answers(self.x, name, "rounding=toward_zero")
            self.assertFalse(found or found.elements.any() or found.reasons)
            self.assertEqual(None if found.scales is None else found.scales.shape, scales)
        with self.assertRaisesRegex(ValueError, "^axis: goes with formats of blocks, not e4m3fn"):
            mxgold.open_answers(self.x, "e4m3fn", "te", axis=0)


class Program(unittest.TestCase):
    def test_the_module_is_the_program(self):
        done = subprocess.run([sys.executable, "-m", "mxgold", "--version"], capture_output=True, text=True, check=True)
        self.assertTrue(done.stdout.startswith(f"mxgold {mxgold.__version__} "), done.stdout)
        done = subprocess.run([sys.executable, "-m", "mxgold", "nothing"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)

    def test_a_missing_library_is_named(self):
        environment = {**os.environ, "MXGOLD_LIBRARY": "nowhere.so"}
        done = subprocess.run([sys.executable, "-c", "import mxgold"], capture_output=True, text=True, check=False,
                              env=environment)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("nowhere.so", done.stderr)


if __name__ == "__main__":
    unittest.main()
