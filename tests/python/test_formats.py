"""Formats, policies and profiles: objects that parse from and print to one string."""

import unittest

import numpy

import mxgold


class Formats(unittest.TestCase):
    def test_every_name_comes_back(self):
        names = mxgold.formats()
        self.assertGreater(len(names), 80)
        for name in names:
            self.assertEqual(str(mxgold.format(name)), name)
            self.assertEqual(eval(repr(mxgold.format(name))), mxgold.format(name))
        self.assertEqual(mxgold.formats("elements") + mxgold.formats("blocks"), names)

    def test_a_format_stands_for_its_name(self):
        e4m3 = mxgold.format("e4m3fn")
        self.assertIs(mxgold.format(e4m3), e4m3)
        self.assertEqual({e4m3: 1}[mxgold.format("e4m3fn")], 1)

    def test_facts_of_elements(self):
        e4m3 = mxgold.format("e4m3fn")
        self.assertEqual((e4m3.bits, e4m3.storage_bytes, e4m3.max_code, e4m3.max), (8, 1, 0x7E, 448.0))
        self.assertEqual(e4m3.facts["bias"], 7)
        self.assertNotIn("codes", e4m3.facts)

    def test_values_of_every_code(self):
        values = mxgold.format("e2m1fn").values()
        self.assertEqual(values.tolist(), [0, .5, 1, 1.5, 2, 3, 4, 6, -0.0, -.5, -1, -1.5, -2, -3, -4, -6])
        self.assertTrue(numpy.signbit(values[8]))
        with self.assertRaisesRegex(ValueError, "32 bits"):
            mxgold.format("fp32").values()

    def test_families(self):
        self.assertEqual(mxgold.format("binary8p4se").max, 224.0)
        self.assertEqual(mxgold.format("int12").bits, 12)

    def test_facts_of_blocks(self):
        nvfp4 = mxgold.format("nvfp4_16x16")
        self.assertEqual((str(nvfp4.element), nvfp4.scale, nvfp4.block_size, nvfp4.tile_lines),
                         ("e2m1fn", "ue4m3", 16, 16))
        self.assertTrue(nvfp4.two_level)
        self.assertEqual(nvfp4.scale_shape((40, 100)), (3, 7))
        row = mxgold.format("fp8_e4m3_fp32_row")
        self.assertEqual((row.extent, row.block_size, row.scale_shape((5, 7), 0)), ("axis", None, (1, 7)))
        self.assertEqual(mxgold.format("fp8_e4m3_fp32_tensor").scale_shape((5, 7)), (1,))
        self.assertEqual(mxgold.format("fp8_e4m3_fp32_tensor").scale_shape((5, 0)), (0,))
        self.assertEqual(mxgold.quantize(numpy.zeros((5, 0)), "fp8_e4m3_fp32_tensor").scales.shape, (0,))

    def test_unknown_names_name_their_neighbours(self):
        with self.assertRaisesRegex(ValueError, "unknown format 'mxfp8_e4m4'; did you mean .*'mxfp8_e4m3'"):
            mxgold.format("mxfp8_e4m4")
        for call in (mxgold.format, lambda name: mxgold.quantize([1.0], name)):
            with self.assertRaisesRegex(ValueError, r"^format 'msfp12' is known by name only \(.*\): no text defines its "
                                                    r"bits, so nothing here computes it; mxgold.formats\('blocks'\)"):
                call("msfp12")
        with self.assertRaisesRegex(ValueError, "kind 'scales'"):
            mxgold.formats("scales")

    def test_notebooks(self):
        self.assertIn("<td>7</td>", mxgold.format("e4m3fn")._repr_html_())
        self.assertIn("e8m0", mxgold.format("mxfp4")._repr_html_())


class Policies(unittest.TestCase):
    def test_a_policy_prints_as_what_it_is_read_from(self):
        policy = mxgold.policy(" overflow=none_inf_or_nan , rounding=ties_to_away")
        self.assertEqual(str(policy), "rounding=ties_to_away,overflow=none_inf_or_nan")
        self.assertEqual(mxgold.policy(str(policy)), policy)
        self.assertEqual(eval(repr(policy)), policy)
        self.assertEqual(policy, mxgold.policy(rounding="ties_to_away", overflow="none_inf_or_nan"))
        self.assertEqual(dict(policy), {"rounding": "ties_to_away", "overflow": "none_inf_or_nan"})

    def test_notebooks(self):
        self.assertIn("<td>torchao-0.18:rceil</td>", mxgold.profile("torchao-0.18:rceil")._repr_html_())
        self.assertIn("defaults", mxgold.policy()._repr_html_())

    def test_every_value_of_every_policy(self):
        for name, values in mxgold.policies().items():
            for value in values:
                self.assertEqual(str(mxgold.policy({name: value})), f"{name}={value}")

    def test_profiles_are_policies(self):
        self.assertIn("te", mxgold.profiles())
        self.assertEqual(mxgold.profile("te"), mxgold.policy("te"))
        policy = mxgold.policy("rounding=to_odd,profile=torchao-0.18:rceil")
        self.assertEqual(str(policy), "profile=torchao-0.18:rceil,rounding=to_odd")
        self.assertEqual(policy.options, (("profile", "torchao-0.18"), ("variant", "rceil"), ("rounding", "to_odd")))

    def test_replace(self):
        policy = mxgold.policy("rounding=to_odd,zero_sign=keep")
        self.assertEqual(str(policy.replace(rounding=None, src_ftz="flush")), "zero_sign=keep,src_ftz=flush")

    def test_what_is_no_policy_is_refused(self):
        for text, words in (("roundng=to_odd", "did you mean 'rounding'"), ("rounding=up", "its values are ties_to_e"),
                            ("random_bits=33", "1..32"), ("block_size=0", "1..1024"), ("torch", "unknown profile"),
                            ("rounding=to_odd,rounding=to_odd", "twice"), ("random_bits=\u0661", "1..32")):
            with self.assertRaisesRegex(ValueError, words):
                mxgold.policy(text)


if __name__ == "__main__":
    unittest.main()
