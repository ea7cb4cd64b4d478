# SPDX-License-Identifier: Apache-2.0
"""Formats of one's own: named ones rebuilt, any others by a model of exact numbers, every field's limits, every use."""

import copy
import pickle
import tempfile
import unittest
from fractions import Fraction
from pathlib import Path

import numpy

import mxgold

#: Fields of the page as the constructor calls them.
CALLED = {"exp_bits": "exp", "man_bits": "man"}
FIELDS = ("kind", "bits", "storage_bits", "signed", "exp_bits", "man_bits", "bias", "frac_bits", "has_subnormal", "zero",
          "inf", "nan", "max_code", "canonical_nan_code", "parity")


def model(exp, man, bias, signed=True, has_subnormal=True, inf="none", nan="none"):
    """The value of every code: Fractions, "inf", "-inf" or "nan" (spec F6)."""
    values = []
    for code in range(1 << (exp + man + signed)):
        magnitude = code & ((1 << (exp + man)) - 1)
        sign = -1 if signed and code >> (exp + man) else 1
        field, fraction = magnitude >> man, magnitude & ((1 << man) - 1)
        top = (1 << (exp + man)) - 1
        infinite = {"ieee_top": ((1 << exp) - 1) << man, "p3109_top": top - (nan in ("outer_one_per_sign", "top_code"))}
        is_nan = {"none": False, "ieee_all": field == (1 << exp) - 1 and fraction != 0,
                  "outer_one_per_sign": magnitude == top, "neg_zero_slot": magnitude == 0 and sign < 0,
                  "top_code": magnitude == top}[nan]
        if is_nan:
            values.append("nan")
        elif magnitude == infinite.get(inf):
            values.append("inf" if sign > 0 else "-inf")
        elif field == 0 and (has_subnormal or fraction == 0):
            values.append(sign * Fraction(fraction, 1 << man) * Fraction(2) ** (1 - bias))
        elif field == 0:
            values.append(None)  # spare zeros: codes that no value becomes
        else:
            values.append(sign * (1 + Fraction(fraction, 1 << man)) * Fraction(2) ** (field - bias))
    return values


class Rebuilt(unittest.TestCase):
    def test_named_formats_by_their_facts(self):
        rebuilt = 0
        for name in mxgold.formats("elements"):
            facts = mxgold.format(name).facts
            if facts["kind"] == "tapered":
                continue
            facts["canonical_nan_code"] = facts.get("canonical_nan") if facts.get("nan") != "none" else None
            fields = {CALLED.get(field, field): facts[field] for field in FIELDS if facts.get(field) is not None}
            if facts["man_bits"] == 0 if "man_bits" in facts else True:
                fields.pop("has_subnormal", None)
            for field in ("max_code", "canonical_nan_code"):
                if isinstance(fields.get(field), str):
                    fields[field] = int(fields[field], 16)
            if facts["kind"] in ("twos_compl_fixed", "sign_mag_fixed"):
                fields = {key: fields[key] for key in ("kind", "bits", "frac_bits", "signed", "storage_bits") if key in fields}
            again = mxgold.Format(**fields)
            self.assertEqual((again, again.name), (mxgold.format(name), name))
            self.assertEqual((again.bits, again.max_code, again.dtype), (facts["bits"], mxgold.format(name).max_code,
                                                                         mxgold.format(name).dtype))
            rebuilt += 1
        self.assertGreater(rebuilt, 20)

    def test_the_familiar_ones(self):
        one_nan = {"nan": "outer_one_per_sign"}
        for name, fields in {"fp16": dict(exp=5, man=10, inf="ieee_top", nan="ieee_all"), "e4m3fn": dict(exp=4, man=3, **one_nan),
                             "e5m2": dict(bits=8, man=2, inf="ieee_top", nan="ieee_all", canonical_nan_code=0x7F),
                             "e5m2b15": dict(bits=8, man=2, inf="ieee_top", nan="ieee_all"), "e2m1fn": dict(exp=2, man=1),
                             "e4m3fnuz": dict(exp=4, man=3, nan="neg_zero_slot"), "e3m2fn": dict(bits=6, exp=3),
                             "e4m3b11fnuz": dict(exp=4, man=3, bias=11, nan="neg_zero_slot"),
                             "e8m0": dict(kind="exp_only", bits=8, nan="top_code"), "int8": dict(
                                 kind="twos_compl_fixed", bits=8, frac_bits=6), "sm4": dict(
                                     kind="sign_mag_fixed", bits=4, frac_bits=2), "ue5m3": dict(
                                         exp=5, man=3, signed=False, nan="top_code"), "e3m4b5fin": dict(exp=3, man=4, bias=5),
                             "binary8p4se": dict(exp=4, man=3, bias=8, nan="neg_zero_slot", inf="p3109_top")}.items():
            found = mxgold.Format(**fields)
            self.assertEqual((found, str(found)), (mxgold.format(name), name))
            numpy.testing.assert_array_equal(mxgold.bits(found.values()) if found.bits <= 16 else 0,
                                             mxgold.bits(mxgold.format(name).values()) if found.bits <= 16 else 0)

    def test_blocks_by_their_facts(self):
        rebuilt = 0
        for name in mxgold.formats("blocks"):
            found = mxgold.format(name)
            rule = found.facts["default_rule"]
            fields = {"element": found.element, "scale": found.scale, "rule": rule, "extent": found.extent,
                      "tile_lines": found.tile_lines, "tensor_scale": "fp32" if found.two_level else None}
            if found.block_size is not None:
                fields["block_size"] = found.block_size
            if name.startswith(("hifx4", "tt_", "bfp", "sbfp", "fbgemm", "binary")):
                continue  # their rules have numbers of their own, or bits that no field has
            again = mxgold.BlockFormat(**fields)
            self.assertEqual(again, found)
            rebuilt += 1
        self.assertGreater(rebuilt, 15)


class Exact(unittest.TestCase):
    def test_every_code_of_drawn_formats(self):
        generator = numpy.random.default_rng(48)
        layouts = [("none", "none"), ("ieee_top", "ieee_all"), ("none", "ieee_all"), ("none", "outer_one_per_sign"),
                   ("p3109_top", "outer_one_per_sign"), ("none", "neg_zero_slot"), ("p3109_top", "neg_zero_slot"),
                   ("p3109_top", "none")]
        formats = codes = refused = own = 0
        while formats < 250:
            exp, man = int(generator.integers(1, 6)), int(generator.integers(0, 5))
            inf, nan = layouts[generator.integers(len(layouts))]
            bias, subnormal = int(generator.integers(-3, 20)), bool(generator.integers(2)) and man > 0
            try:
                found = mxgold.Format(exp=exp, man=man, bias=bias, inf=inf, nan=nan, has_subnormal=subnormal)
            except ValueError as error:
                self.assertRegex(str(error), r"field '\w+'.*: .*; ")
                refused += 1
                continue
            formats += 1
            own += "=" in found.name
            for value, expected in zip(found.values().tolist(), model(exp, man, bias, True, subnormal, inf, nan)):
                if expected is None:
                    self.assertEqual(value, 0)
                elif isinstance(expected, str):
                    self.assertEqual(str(value), expected)
                else:
                    self.assertEqual(Fraction(value), expected)
                codes += 1
        self.assertGreater(codes, 10_000)
        self.assertGreater(own, 50)
        self.assertLess(refused, 250)

    def test_conversion_goes_to_the_nearest(self):
        for fields in (dict(exp=3, man=3, bias=2, has_subnormal=False), dict(exp=2, man=4, bias=5, inf="p3109_top"),
                       dict(exp=4, man=2, bias=-1, inf="p3109_top"),
                       dict(exp=4, man=1, signed=False, bias=3, has_subnormal=False)):
            found = mxgold.Format(**fields)
            self.assertIn("=", found.name)
            grid = sorted({value for value in model(**{**fields, "has_subnormal": True}) if isinstance(value, Fraction)})
            least = Fraction(2) ** (1 - fields["bias"]) if not fields.get("has_subnormal", True) else 0
            x = numpy.random.default_rng(1).standard_normal(400) * float(grid[-1]) / 2
            x = x if fields.get("signed", True) else abs(x)
            back = mxgold.convert(mxgold.convert(x, found, overflow="sat_finite"), "fp64", source=found)
            for given, got in zip(x.tolist(), back.tolist()):
                given = min(max(Fraction(given), grid[0]), grid[-1])
                best = min(abs(value - given) for value in grid)
                nearest = {value for value in grid if abs(value - given) == best}
                # Without subnormals what is rounded to one of them is zero (spec F8.1, step 9).
                self.assertIn(Fraction(got), {value if abs(value) >= least else 0 for value in nearest}, (found, given))


class Limits(unittest.TestCase):
    """Every number's limit, its neighbours and its negative."""

    def accepts(self, make, field, **fields):
        found = make(**fields)
        self.assertEqual(mxgold.format(str(found)), found, fields)

    def refuses(self, make, field, **fields):
        with self.assertRaisesRegex(ValueError, rf"field '{field}'.*; ", msg=fields):
            make(**fields)

    def test_of_elements(self):
        f = mxgold.Format
        for field, called, least, most, rest in (
                ("exp_bits", "exp", 0, 16, {"man": 3}), ("man_bits", "man", 0, 52, {"exp": 5}),
                ("bias", "bias", -65536, 65536, {"exp": 3, "man": 2}),
                ("frac_bits", "frac_bits", -1024, 1024, {"kind": "twos_compl_fixed", "bits": 8})):
            for value in (least, least + 1, most - 1, most):
                self.accepts(f, field, **{called: value}, **rest)
            for value in (least - 1, most + 1, -most - 1, 10 * most):
                self.refuses(f, field, **{called: value}, **rest)
        for bits in (2, 3, 63, 64):
            self.accepts(f, "bits", kind="twos_compl_fixed", bits=bits, frac_bits=0)
        for bits in (-8, 0, 1, 65):
            self.refuses(f, "bits", kind="twos_compl_fixed", bits=bits, frac_bits=0)
        for bits in (1, 2):
            self.accepts(f, "bits", kind="twos_compl_fixed", bits=bits, frac_bits=0, signed=False)
        for storage in (8, 16, 32, 64):
            self.accepts(f, "storage_bits", exp=3, man=2, storage_bits=storage)
        for storage in (-8, 0, 4, 7, 9, 128):
            self.refuses(f, "storage_bits", exp=3, man=2, storage_bits=storage)
        self.refuses(f, "storage_bits", exp=5, man=10, storage_bits=8)
        self.accepts(f, "max_code", exp=3, man=2, max_code=31)
        for code in (0, 30, 32, 1 << 40):
            self.refuses(f, "max_code", exp=3, man=2, max_code=code)
        self.accepts(f, "canonical_nan_code", exp=3, man=2, inf="ieee_top", nan="ieee_all", canonical_nan_code=0x3F)
        for code in (0x1C, 0x40, 1 << 63):
            self.refuses(f, "canonical_nan_code", exp=3, man=2, inf="ieee_top", nan="ieee_all", canonical_nan_code=code)
        self.refuses(f, "canonical_nan_code", exp=3, man=2, canonical_nan_code=5)
        for code in (-1, 1 << 64):
            with self.assertRaises(ValueError):
                f(exp=3, man=2, max_code=code)

    def test_of_blocks(self):
        f = mxgold.BlockFormat
        for field, least, most, rest in (("block_size", 1, 1024, {}), ("tile_lines", 1, 1024, {}),
                                         ("rule_emax", -1024, 1024, {})):
            for value in (least, least + 1, most - 1, most):
                self.accepts(f, field, element="e2m1fn", **{field: value}, **rest)
            for value in (least - 1, most + 1, -most - 1):
                self.refuses(f, field, element="e2m1fn", **{field: value}, **rest)
        for limit in (1, 2, 253, 254):
            self.accepts(f, "scale_limit", element="e2m1fn", scale_limit=limit)
        for limit in (-1, 0, 255, 1 << 32):
            self.refuses(f, "scale_limit", element="e2m1fn", scale_limit=limit)

    def test_tokens_and_types(self):
        f, b = mxgold.Format, mxgold.BlockFormat
        for field in ("nan", "inf", "zero", "parity", "kind"):
            self.refuses(f, field, exp=3, man=2, **{field: "nobody"})
        for field in ("extent", "tensor_scale", "rule"):
            self.refuses(b, field, element="e2m1fn", **{field: "nobody"})
        self.refuses(f, "unused_bits", exp=4, man=3, unused_bits="ignored")
        self.refuses(f, "man_bits", exp=3)
        self.refuses(f, "exp_bits", man=3)
        self.refuses(f, "inf", exp=0, man=3, inf="ieee_top")
        self.refuses(f, "nan", exp=3, man=3, nan="top_code")
        self.refuses(f, "zero", exp=3, man=3, zero="pos_only")
        self.refuses(f, "frac_bits", exp=3, man=3, frac_bits=2)
        self.refuses(f, "bias", kind="twos_compl_fixed", bits=8, frac_bits=2, bias=1)
        self.refuses(b, "tensor_scale", element="e2m1fn", tensor_scale="fp32")
        self.refuses(b, "element", block_size=8)
        for call, error, text in (
                (lambda: f(exp=3.0, man=2), TypeError, "exp must be a whole number, not float"),
                (lambda: f(exp="3", man=2), TypeError, "exp must be a whole number, not str"),
                (lambda: f(exp=3, man=2, signed=1), TypeError, "signed must be True or False, not 1"),
                (lambda: f(), TypeError, "a format needs a name or fields: exp=4, man=3"),
                (lambda: b(), ValueError, "a block format needs an element format"),
                (lambda: f("e4m3fn", exp=4), TypeError, "exp: goes with other fields, not with the name 'e4m3fn'"),
                (lambda: f(exp=3, man=2, nan="none,bias=5"), ValueError, "nan"),
                (lambda: f(exp=3, man=2, nan="none,bias"), ValueError, "'none,bias' is no name"),
                (lambda: f("nobody"), ValueError, "unknown format 'nobody'"),
                (lambda: f("element=e2m1fn,block_size=8"), ValueError, "a format of blocks, mxgold.BlockFormat"),
                (lambda: b("exp_bits=3,man_bits=4,bias=70"), ValueError, "block format"),
                (lambda: b(element="mxfp4"), ValueError, "mxfp4 is a format of blocks"),
                (lambda: mxgold.format("exp_bits=3"), ValueError, "field 'man_bits': missing; a float needs two of"),
                (lambda: mxgold.format("="), ValueError, "not of the form field=value")):
            with self.assertRaisesRegex(error, text):
                call()


class Used(unittest.TestCase):
    F = staticmethod(lambda: mxgold.Format(exp=3, man=4, bias=5, has_subnormal=False))
    B = staticmethod(lambda: mxgold.BlockFormat(element=Used.F(), scale=mxgold.Format(kind="exp_only", bits=6, bias=30),
                                                block_size=8, rule="ceil"))

    def test_texts_are_names(self):
        f, b = self.F(), self.B()
        self.assertEqual(str(f), "exp_bits=3,man_bits=4,bias=5,has_subnormal=false")
        self.assertEqual(str(b), f"element=({f}),scale=(signed=false,exp_bits=6,man_bits=0,bias=30,zero=none),block_size=8,"
                                 "rule=ceil")
        for made in (f, b):
            for other in (mxgold.format(str(made)), pickle.loads(pickle.dumps(made)), copy.deepcopy(made), eval(repr(made)),
                          type(made)(str(made)), mxgold.format(f" ( {made} ) ")):
                self.assertEqual((other, hash(other), str(other), type(other)), (made, hash(made), str(made), type(made)))
        self.assertEqual(mxgold.format("man_bits = 4, exp_bits = 3, has_subnormal=false, bias=5, nan=none"), f)
        self.assertNotEqual(mxgold.Format(exp=3, man=4, bias=4, has_subnormal=False), f)
        self.assertNotEqual(b, b.resized(16))
        self.assertEqual(pickle.loads(pickle.dumps(b.resized(16))), b.resized(16))
        self.assertEqual((b.element, b.scale_dtype, b.scale_bits, b.block_size), (f, numpy.uint8, 6, 8))
        self.assertEqual(mxgold.format("exp_bits=5,man_bits=10,inf=ieee_top,nan=ieee_all"), mxgold.format("fp16"))
        self.assertIn("bias", f.facts)
        self.assertIn("<table>", f._repr_html_())

    def test_in_every_call(self):
        f, b = self.F(), self.B()
        x = numpy.random.default_rng(2).standard_normal((4, 40)).astype(numpy.float32)
        codes = mxgold.convert(x, f, "rounding=toward_zero")
        self.assertEqual((codes.dtype, codes.shape), (numpy.uint8, x.shape))
        values = mxgold.convert(codes, "fp32", source=f)
        self.assertTrue((abs(values) <= abs(x)).all())
        numpy.testing.assert_array_equal(mxgold.convert(values, str(f), rounding="toward_zero"), codes)
        self.assertEqual(mxgold.conversion_flags([1.0], f), frozenset())
        q = mxgold.quantize(x, b)
        self.assertEqual((q.format, q.scales.shape), (b, (4, 5)))
        elements = mxgold.convert(q.codes, "fp64", source=f)
        scales = numpy.repeat(mxgold.convert(q.scales, "fp64", source=b.scale), 8, axis=1)
        numpy.testing.assert_array_equal(q.dequantize("fp64"), elements * scales)
        self.assertEqual(pickle.loads(pickle.dumps(q)), q)
        self.assertEqual(q, mxgold.quantize(x, str(b)))
        back = mxgold.dequantize(q.codes, q.scales, b)
        self.assertEqual(back.tobytes(), q.dequantize().tobytes())
        self.assertEqual(mxgold.Quantized.from_arrays(q.packed("byte_padded"), q.scales_as("swizzle_128x4"), b,
                                                      packing="byte_padded", scale_layout="swizzle_128x4").dequantize().tobytes(),
                         q.dequantize().tobytes())
        exact = q.dequantize("fp64") @ q.dequantize("fp64").T
        numpy.testing.assert_array_equal(mxgold.dot(q, q), exact.astype(numpy.float32))
        self.assertEqual(mxgold.dot(q, q, result=f).shape, (4, 4))
        self.assertIn(str(f), str(mxgold.explain(1.03, f)))
        self.assertIn("scale", str(mxgold.explain([1.03, 7], b)))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "w.safetensors"
            mxgold.save(path, {"w": q})
            self.assertEqual(mxgold.load(path)["w"], q)

    def test_profiles_speak_of_known_formats_alone(self):
        with self.assertRaisesRegex(ValueError, "te defines mxfp8_e4m3"):
            mxgold.quantize([1.0], self.B(), "te")
        known = mxgold.BlockFormat(element="e4m3fn")
        self.assertEqual(mxgold.quantize([480.0, 1], known, "te"), mxgold.quantize([480.0, 1], "mxfp8_e4m3", "te"))


if __name__ == "__main__":
    unittest.main()
