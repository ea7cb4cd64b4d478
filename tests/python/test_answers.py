"""What the library answers without the program: the same as the program, policies in full, arrays judged and covered."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

import numpy

import mxgold
from mxgold import _program

FORMATS = ("e4m3fn", "e2m1fn", "fp16", "int8", "mxfp8_e4m3", "mxfp4", "nvfp4", "mxint8")


def told(*arguments, text=None):
    """(data, text) of the program."""
    accepted = (_program.PASS, _program.MISMATCH)
    return (_program.ask(*arguments, text=text, accepted=accepted),
            _program.run(arguments, text, accepted)[1].rstrip("\n"))


class AsTheProgram(unittest.TestCase):
    """Both ask the same functions."""

    def same(self, answer, *arguments, text=None):
        data, lines = told(*arguments, text=text)
        self.assertEqual(answer.data, data)
        # Where more is to be had is said in words of each.
        self.assertEqual(str(answer), lines.removesuffix("\nmore: --verbose"))

    def test_explanations(self):
        for name in FORMATS:
            self.same(mxgold.explain(["1.3", "-0x1p-9", "nan"], name), "explain", "--source", "fp32", "--format", name, "--",
                      "1.3", "-0x1p-9", "nan")
            self.same(mxgold.explain(["480", "1"], name, profiles="all"), "explain", "--source", "fp32", "--format", name, "--profile", "all", "480",
                      "1")

    def test_facts(self):
        for name in FORMATS:
            facts = told("list", "format", name)[0]
            for each in (facts, facts.get("element_format", {}), facts.get("scale_format", {})):
                each.pop("codes", None)
            self.assertEqual(mxgold.format(name).facts, facts)

    def test_differences_and_identifications(self):
        for a, b, name in (("torchao-0.18", "te", "e4m3fn"), ("mxgold-default", "ggml", "e2m1fn")):
            self.same(mxgold.diff(a, b, name, source="bf16"), "diff-profile", a, b, "--format", name, "--source", "bf16")
        for log in ("fp32 e2m1fn\n3f400000 1\n3fa00000 2\n", "bf16 e4m3fn\n3f80 38\n3f88 39\n3f98 3a\n",
                    "fp32 e2m1fn\n3f400000 7\n"):
            self.same(mxgold.identify(log), "identify", "-", text=log)

    def test_what_it_refuses(self):
        for ask in (lambda: mxgold.explain("x", "e4m3fn"), lambda: mxgold.explain(1, "e4m3fn", "rule=floor"),
                    lambda: mxgold.identify("fp32 e4m3fn\n3f80000 38\n"), lambda: mxgold.diff("te", "tee"),
                    lambda: mxgold.explain([1] * 33, "mxfp8_e4m3")):
            with self.assertRaises(ValueError) as refused:
                ask()
            self.assertNotIn("--", str(refused.exception))  # the words of a library

    def test_without_the_program(self):
        script = ("import mxgold, numpy; x = numpy.float32([1.3, 2]); e = mxgold.convert(x, 'e4m3fn')\n"
                  "str(mxgold.explain(1, 'e4m3fn')), mxgold.format('nvfp4').facts, mxgold.diff('te', 'te', 'e4m3fn')\n"
                  "mxgold.identify(x, e, 'e4m3fn'), mxgold.telling_inputs('e2m1fn', count=3), mxgold.compare(x, e, 'e4m3fn')\n"
                  "mxgold.coverage(x, 'e4m3fn'), mxgold.policy('te').expanded('mxfp8_e4m3'), mxgold.profile('te').formats")
        environment = {**os.environ, "MXGOLD_PROGRAM": "/nonexistent", "MXGOLD_MODEL_LIBRARY": "/nonexistent"}
        subprocess.run([sys.executable, "-c", script], env=environment, check=True)


class Expanded(unittest.TestCase):
    def test_a_profile_in_full_gives_its_bits(self):
        rng = numpy.random.default_rng(7)
        x = (rng.standard_normal(256) * 2.0 ** rng.integers(-20, 20, 256)).astype(numpy.float32)
        x[:6] = [0, -0.0, numpy.inf, -numpy.inf, numpy.nan, 480]
        count, changed = 0, 0
        for profile in mxgold.profiles():
            for name in ("e4m3fn", "e5m2", "e2m1fn", "mxfp8_e4m3", "mxfp4", "mxint8"):
                try:
                    full = mxgold.policy(profile).expanded(name)
                except ValueError:
                    continue
                if full.beyond or "stochastic" in full["rounding"]:
                    continue
                count += 1
                changed += bool(full.changed)
                if isinstance(mxgold.format(name), mxgold.BlockFormat):
                    a, b = (mxgold.quantize(x, name, policy) for policy in (profile, full))
                    self.assertEqual(a.scale_bits.tolist(), b.scale_bits.tolist(), (profile, name))
                    self.assertEqual(a.code_bits.tolist(), b.code_bits.tolist(), (profile, name))
                else:
                    a, b = (mxgold.bits(mxgold.convert(x, name, policy)) for policy in (profile, full))
                    self.assertEqual(a.tolist(), b.tolist(), (profile, name))
        self.assertGreater(count, 60)
        self.assertGreater(changed, 30)

    def test_every_policy_is_there(self):
        full = mxgold.policy("torchao-0.18:rceil,zero_sign=flush_positive,block_size=16").expanded("mxfp8_e4m3", source="bf16")
        self.assertEqual(set(full), {*mxgold.policies(), "block_size"})
        self.assertEqual((full["rule"], full["zero_sign"], full["block_size"]), ("rceil_log2f", "flush_positive", "16"))
        self.assertEqual(full.changed["zero_sign"], ("flush_positive", "keep"))
        self.assertIn("int_min", full.idle)
        self.assertNotIn("rule", full.idle)
        self.assertEqual(mxgold.policy(str(full)), full)
        self.assertIn("decides nothing here", repr(full))
        self.assertIn("<td style='text-align:left'>rceil_log2f</td>", full._repr_html_())
        elements = mxgold.policy("").expanded("e4m3fn")
        self.assertNotIn("rule", elements)
        self.assertFalse(elements.changed)
        self.assertFalse(elements.open)
        self.assertIn("nan_block", mxgold.policy("ocp-mx-1.0").expanded("mxfp8_e4m3").open)

    def test_what_it_refuses(self):
        for ask, says in ((lambda: mxgold.policy("te").expanded("mxfp6_e2m3"),
                           "^profile te defines mxfp8_e4m3, mxfp8_e5m2, nvfp4, nvfp4_16x16: not mxfp6_e2m3"),
                          (lambda: mxgold.policy("te").expanded("e4m3fn", source="fp64"),
                           "^profile te defines e4m3fn from fp32, bf16, fp16: not from fp64"),
                          (lambda: mxgold.policy("block_size=16").expanded("e4m3fn"), "^block_size: e4m3fn has no blocks"),
                          (lambda: mxgold.policy("rule=floor").expanded("e4m3fn"), "^rule: a policy of blocks"),
                          (lambda: mxgold.policy("te").expanded("mxfp9"), "mxfp9")):
            with self.assertRaisesRegex(ValueError, says):
                ask()

    def test_what_a_profile_defines(self):
        self.assertEqual(mxgold.profile("te").formats["nvfp4"], ("fp32", "bf16", "fp16"))
        self.assertEqual(mxgold.policy("").formats, {"*": ("*",)})
        te = mxgold.profile("te").formats
        self.assertEqual((te["nvfp4"].direction, te["e4m3fn"].direction), ("both", "to"))
        self.assertIn("TransformerEngine", te["nvfp4"].source)
        x = numpy.float32([1, 2])
        listed = 0
        for profile in mxgold.profiles():
            formats = mxgold.profile(profile).formats
            for name, sources in formats.items():
                if name in ("*", "binary*") or "fp32" not in sources:
                    continue
                format = mxgold.format(name)
                policy = mxgold.policy(profile)
                listed += 1
                if isinstance(format, mxgold.BlockFormat):
                    continue  # those of a row may be smaller than a profile takes
                mxgold.convert(x, name, policy)
            if "*" not in formats and "e3m2fn" not in formats:
                with self.assertRaisesRegex(ValueError, "defines|has no conversions|does not model"):
                    mxgold.convert(x, "e3m2fn", profile)
        self.assertGreater(listed, 150)
        mixture = mxgold.policy("ml_dtypes-0.6,blocks_as=te").formats
        self.assertIn("mxfp8_e4m3", mixture)
        self.assertIn("e3m4", mixture)


class Compared(unittest.TestCase):
    def setUp(self):
        rng = numpy.random.default_rng(8)
        self.x = (rng.standard_normal((6, 64)) * 2.0 ** rng.integers(-12, 9, (6, 64))).astype(numpy.float32)
        self.x[0, :5] = [numpy.nan, numpy.inf, -numpy.inf, -0.0, 1.0625]

    def test_nothing_differs_from_itself(self):
        for name in ("e4m3fn", "e2m1fn", "fp16", "int8", "exp_bits=3,man_bits=4"):
            c = mxgold.compare(self.x, mxgold.convert(self.x, name), name)
            self.assertTrue(c)
            self.assertEqual((c.differences, c.causes, c.data["codes"]["agree"]), ([], [], self.x.size))
        for name in ("mxfp8_e4m3", "nvfp4", "mxint8", "tt_bfp8a", "fp8_e4m3_fp32_row"):
            for axis in (0, 1):
                c = mxgold.compare(self.x, mxgold.quantize(self.x, name, axis=axis), name, axis=axis)
                self.assertTrue(c, (name, axis))
                self.assertFalse(c.differ.any() or c.scales_differ.any())

    def test_every_rounding_is_found_as_the_cause(self):
        for rounding in mxgold.policies()["rounding"]:
            if rounding == "ties_to_even":
                continue
            policy = f"rounding={rounding}"
            codes = mxgold.convert(self.x, "e4m3fn", policy, seed=3)
            c = mxgold.compare(self.x, codes, "e4m3fn", seed=3)
            wrong = mxgold.bits(codes) != mxgold.bits(mxgold.convert(self.x, "e4m3fn"))
            self.assertEqual(c.differ.tolist(), wrong.tolist())
            self.assertEqual(bool(c), not wrong.any())
            if wrong.any() and "stochastic" not in rounding:
                explained = {cause["to"]: cause["explained"] for cause in c.data["causes"] if "policy" in cause}
                self.assertEqual(explained.get(rounding), min(200, wrong.sum()), (rounding, explained))

    def test_one_wrong_code_has_no_cause(self):
        codes = mxgold.bits(mxgold.convert(self.x, "e4m3fn"))
        codes[2, 7] ^= 1
        c = mxgold.compare(self.x, codes, "e4m3fn")
        self.assertFalse(c)
        self.assertEqual(numpy.argwhere(c.differ).tolist(), [[2, 7]])
        self.assertEqual(c.differences[0]["index"], 2 * 64 + 7)
        self.assertEqual(int(c.differences[0]["seen"]["code"], 16), codes[2, 7])
        self.assertIn("1 of 384 codes differ, 383 agree", str(c))
        self.assertIn("no single policy and no profile gives what was seen", str(c))
        self.assertIn(c.differences[0]["decision"].split(":")[0], c._repr_html_())

    def test_blocks(self):
        q = mxgold.quantize(self.x, "mxfp8_e4m3", "te")
        c = mxgold.compare(self.x, q, "mxfp8_e4m3", "rule=floor,inf_block=scale_max,amax_over=ignore_nan")
        floor = mxgold.quantize(self.x, "mxfp8_e4m3", "rule=floor,inf_block=scale_max,amax_over=ignore_nan")
        self.assertEqual(c.scales_differ.tolist(), (q.scale_bits != floor.scale_bits).tolist())
        self.assertTrue(c.scales_differ.any())
        self.assertIn("rule rceil for floor", c.causes)
        self.assertIn("profile te", c.causes)
        self.assertEqual(c.data["scales"]["differ"], int(c.scales_differ.sum()))
        first = c.differences[0]
        self.assertTrue(first["scale"]["differs"])
        self.assertEqual(len(c.differences), min(10, c.data["scales"]["differ"]))
        self.assertEqual(len(mxgold.compare(self.x, q, "mxfp8_e4m3", "rule=floor", most=1).differences), 1)
        pair = mxgold.compare(self.x, (q.scales, q.codes), "mxfp8_e4m3", "te")
        self.assertTrue(pair)

    def test_what_is_not_compared(self):
        x = numpy.float32([[numpy.nan] + [1] * 31, [1] * 32])
        q = mxgold.quantize(x, "mxfp8_e4m3")
        codes = mxgold.bits(q.codes).copy()
        codes[0, 3] ^= 1  # under a NaN scale
        c = mxgold.compare(x, (q.scales, codes), "mxfp8_e4m3")
        self.assertTrue(c)
        self.assertEqual(c.data["codes"]["dont_care"], 32)
        self.assertFalse(c.compared[0].any())
        self.assertTrue(c.compared[1].all())
        c = mxgold.compare(x, (q.scales, codes), "mxfp8_e4m3", "ocp-mx-1.0")
        self.assertEqual(c.data["scales"]["open"], 1)
        codes[1, 3] ^= 1
        self.assertFalse(mxgold.compare(x, (q.scales, codes), "mxfp8_e4m3"))
        opened = mxgold.open_answers(x, "e4m3fn", "onnx-op25-spec").elements
        c = mxgold.compare(x, mxgold.convert(x, "e4m3fn"), "e4m3fn", "onnx-op25-spec")
        self.assertEqual((~c.compared).tolist(), opened.tolist())
        # Agreement of nothing is none.
        self.assertFalse(mxgold.compare(numpy.float32([]), numpy.uint8([]), "e4m3fn"))

    def test_what_it_refuses(self):
        codes = mxgold.bits(mxgold.convert(self.x, "e2m1fn"))
        q = mxgold.quantize(self.x, "mxfp4")
        for ask, says in ((lambda: mxgold.compare(self.x, codes[:, 1:], "e2m1fn"), "^codes: has shape"),
                          (lambda: mxgold.compare(self.x, codes | 0x10, "e2m1fn"), "bits above its format's width"),
                          (lambda: mxgold.compare(self.x, codes, "e2m1fn", axis=0), "^axis: goes with formats of blocks"),
                          (lambda: mxgold.compare(self.x, codes, "e2m1fn", most=-1), "^most -1"),
                          (lambda: mxgold.compare(self.x, (q.scales[1:], q.codes), "mxfp4"), "^scales: has shape"),
                          (lambda: mxgold.compare(self.x, q, "mxfp4", axis=2), "axis 2 is out of range"),
                          (lambda: mxgold.compare(self.x, q, "mxfp4", tensor_scale=1), "^tensor_scale: mxfp4 has no")):
            with self.assertRaisesRegex(ValueError, says):
                ask()
        for wide in (codes.astype(numpy.uint16), codes.astype(numpy.int64), codes.tolist()):
            self.assertTrue(mxgold.compare(self.x, wide, "e2m1fn"))
        for wide in (codes.astype(numpy.uint16) | 256, codes.astype(numpy.int64) - 1):
            with self.assertRaisesRegex(ValueError, "^codes: integers of 0 to 255 are codes"):
                mxgold.compare(self.x, wide, "e2m1fn")
        for ask in (lambda: mxgold.compare(self.x, self.x, "e2m1fn"), lambda: mxgold.compare(self.x, q.codes, "mxfp4"), lambda: mxgold.compare(None, codes, "e2m1fn")):
            with self.assertRaises(TypeError):
                ask()


class Definitions(unittest.TestCase):
    """Formats of one's own, which have commas in their names, in every question."""

    def test_every_question(self):
        x = numpy.linspace(-3, 3, 16).astype(numpy.float32)
        element = mxgold.Format(exp=2, man=2)
        block = mxgold.BlockFormat(element=element, block_size=8)
        for format, made in ((element, mxgold.convert(x, element)), (block, mxgold.quantize(x, block))):
            self.assertTrue(mxgold.compare(x, made, format))
            self.assertEqual(mxgold.coverage(x, format).data["format"], str(format))
            self.assertEqual(mxgold.identify(x, made, format).profiles, ["mxgold-default"])
            self.assertEqual(mxgold.policy().expanded(format).data["format"], str(format))
            self.assertIn(str(format), str(mxgold.explain([1.0], format)))
            self.assertFalse(mxgold.diff("te", "torchao-0.18", format).surfaces)
        self.assertEqual(len(mxgold.diff("te", "torchao-0.18", ["mxfp8_e4m3", "e4m3fn"], source="bf16").surfaces), 2)


class Covered(unittest.TestCase):
    def as_the_program(self, format, *options, policy=""):
        """The bins of a suite, by the library and by `mxgold cover`, which reads the answers of a file."""
        with tempfile.TemporaryDirectory() as folder:
            path, out = (os.path.join(folder, name) for name in ("suite.bin", "out.json"))
            mxgold.vectors.generate(path, format, policy, suite="smoke")
            file = mxgold.vectors.read(path)
            _program.run(["cover", path, "-o", out], accepted=(0, 5))
            with open(out, encoding="utf-8") as text:
                group = json.load(text)["groups"][0]
        return file, group

    def test_conversions_cover_what_the_program_says(self):
        for name, policy in (("e4m3fn", ""), ("e2m1fn", "rounding=toward_zero"), ("e5m2", "onnx-op25-spec")):
            file, group = self.as_the_program(name, policy=policy)
            c = mxgold.coverage(file.records["source"], name, policy, source="fp32")
            self.assertEqual(c.data["samples"], group["samples"])
            self.assertEqual([[point["name"], point["bins_hit"]] for point in c.data["points"]],
                             [[point["name"], point["bins"]] for point in group["points"]])

    def test_blocks_cover_what_the_program_says(self):
        for name in ("mxfp4", "mxint8"):
            file, group = self.as_the_program(name)
            records = file.records
            full = records if "elements" not in records.dtype.names else records[records["elements"] == 32]
            c = mxgold.coverage(full["source"], name, source="fp32")
            hits = {point["name"]: dict(each[:2] for each in point["bins"]) for point in group["points"]}
            for point in c.data["points"]:
                if point["name"] == "length":
                    continue
                self.assertEqual([each[0] for each in point["bins_hit"]], list(hits[point["name"]]))
                for bin, count, *_ in point["bins_hit"]:
                    self.assertLessEqual(count, hits[point["name"]][bin], (point["name"], bin))

    def test_everything_is_covered_by_everything(self):
        words = numpy.arange(1 << 16).astype(numpy.uint16)
        for name in ("e4m3fn", "e2m1fn"):
            c = mxgold.coverage(words, name, source="bf16")
            self.assertTrue(c, c.holes)
            self.assertEqual((c.percent, c.holes), (100.0, {}))
            self.assertEqual(sum(c.hits("code").values()), mxgold.coverage(words, name, source="bf16").data["samples"])
            part = mxgold.coverage(words[:100], name, source="bf16")
            self.assertFalse(part)
            self.assertIn("source_class", part.holes)
        self.assertIn("<td>", c._repr_html_())
        with self.assertRaises(KeyError):
            c.hits("nothing")

    def test_pieces_add_up(self):
        words = numpy.tile(numpy.arange(1 << 16).astype(numpy.uint16), 5)
        once, often = (mxgold.coverage(each, "e4m3fn", source="bf16") for each in (words[:1 << 16], words))
        self.assertEqual({name: 5 * count for name, count in once.hits("flags").items()}, often.hits("flags"))

    def test_draws(self):
        x = numpy.full(4096, 1.03125, numpy.float32)
        c = mxgold.coverage(x, "e4m3fn", "rounding=stochastic_a,random_bits=4", seed=1)
        self.assertTrue(all(c.hits("random").values()), c.hits("random"))
        self.assertEqual(mxgold.coverage(x, "e4m3fn", "rounding=stochastic_a,random_bits=4", seed=1).data, c.data)

    def test_what_it_refuses(self):
        with self.assertRaisesRegex(ValueError, "^axis: goes with"):
            mxgold.coverage([1.0], "e4m3fn", axis=0)
        with self.assertRaisesRegex(ValueError, "out of range"):
            mxgold.coverage([1.0], "mxfp4", axis=3)
        self.assertEqual(mxgold.coverage(numpy.float32([]), "e4m3fn").percent, 0.0)


if __name__ == "__main__":
    unittest.main()
