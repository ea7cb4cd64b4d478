# SPDX-License-Identifier: Apache-2.0
"""Matrix units on arrays: the program's answers for every unit, exact sums, chunks, pairs, scales, and refusals."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy
from numpy.testing import assert_array_equal

import mxgold

try:
    import torch
except ImportError:
    torch = None

#: What each unit multiplies: formats of a and b, scales and their blocks, results.
UNITS = {"v100_f16": ("fp16", "fp16"), "t4_f16": ("fp16", "fp16"), "a100_f16": ("bf16", "bf16"),
         "a100_tf32": ("fp32", "fp32"),
         "ada_f16": ("fp16", "fp16"), "ada_tf32": ("fp32", "fp32"), "ada_fp8": ("e4m3fn", "e5m2"),
         "h100_f16": ("bf16", "bf16"),
         "h100_tf32": ("fp32", "fp32"), "h100_wgmma_fp8": ("e5m2", "e4m3fn"), "h100_mma_fp8": ("e4m3fn", "e4m3fn"),
         "b200_f16": ("fp16", "fp16"), "b200_tf32": ("fp32", "fp32"), "b200_f8f6f4": ("e2m3fn", "e5m2"),
         "b200_mxf8f6f4": ("e4m3fn", "e2m1fn", "e8m0", 32), "b200_mxf4": ("e2m1fn", "e2m1fn", "ue4m3", 16),
         "mi100_f16": ("fp16", "fp16"), "mi100_bf16": ("bf16", "bf16"), "mi200_f16": ("bf16", "bf16"),
         "mi200_bf16": ("bf16", "bf16"), "mi300_f16": ("fp16", "fp16"), "mi300_xf32": ("fp32", "fp32"),
         "mi300_fp8": ("e4m3fnuz", "e5m2fnuz")}
TYPES = {"fp16": "F16", "bf16": "BF16", "fp32": "F32"}
#: A unit whose sums are others.
OTHER = {"h100_f16": "a100_f16", "ada_fp8": "h100_mma_fp8", "mi200_f16": "mi100_bf16"}


def drawn(generator, name, shape):
    """Codes whose exponents lie near each other; no NaN and no infinity."""
    format = mxgold.format(name)
    values = generator.standard_normal(shape) * 2.0 ** generator.integers(-2, 3, shape)
    return mxgold.bits(mxgold.convert(values, format, overflow="sat_finite"))


def write(path, type_name, words):
    """A file of one tensor."""
    header = json.dumps({"x": {"dtype": type_name, "shape": words.shape, "data_offsets": [0, words.nbytes]}}).encode()
    path.write_bytes(len(header).to_bytes(8, "little") + header + words.tobytes())


def answer_of_the_program(folder, unit, a, b, formats, *options, scales=None, c=None):
    names = [folder / f"{name}.safetensors" for name in ("a", "b", "sa", "sb", "c", "d")]
    for path, words, name in zip(names, (a, b), formats):
        write(path, TYPES.get(name, "U8"), words)
    command = [os.environ["MXGOLD_PROGRAM"], "mma", names[0], names[1], "--unit", unit, "-o", names[5], *options]
    if formats[0] not in TYPES:
        command += ["--format", ",".join(formats[:2])]
    if scales is not None:
        for path, words in zip(names[2:4], scales):
            write(path, "U8", words)
        command += ["--scales-a", names[2], "--scales-b", names[3], "--scale-format", formats[2]]
    if c is not None:
        write(names[4], "F32", c)
        command += ["--c", names[4]]
    subprocess.run([str(part) for part in command], check=True, capture_output=True)
    return next(iter(mxgold.load(names[5]).values()))


class EveryUnit(unittest.TestCase):
    def test_is_listed_here(self):
        self.assertEqual(mxgold.units(), list(UNITS))

    def test_answers_as_the_program(self):
        generator = numpy.random.default_rng(48)
        with tempfile.TemporaryDirectory() as folder:
            for unit, formats in UNITS.items():
                a, b = (drawn(generator, name, (rows, 64)) for name, rows in zip(formats, (5, 7)))
                scales = None
                given = {"source": tuple(formats[:2])}
                if len(formats) > 2:
                    scales = [generator.integers(50, 70, (rows, 64 // formats[3]), dtype=numpy.uint8) for rows in (5,
                                                                                                                   7)]
                    given.update(scales_a=scales[0], scales_b=scales[1], scale_format=formats[2])
                c = generator.standard_normal((5, 7)).astype(numpy.float32)
                want = answer_of_the_program(pathlib.Path(folder), unit, a, b, formats, scales=scales, c=c)
                got = mxgold.mma(a, b, c, unit=unit, **given)
                assert_array_equal(mxgold.bits(got), mxgold.bits(want), unit)
                if unit in OTHER:  # the control
                    other = mxgold.mma(a, b, c, unit=OTHER[unit], **given)
                    self.assertTrue((mxgold.bits(other) != mxgold.bits(got)).any(), unit)
            halves = [drawn(generator, "fp16", (6, 96)) for _ in range(2)]
            for options, given in ((["--pairs"], {"pairs": True}), (["--chunk", "32"], {"chunk": 32}),
                                   (["--result", "fp16"], {"result": "fp16"})):
                want = answer_of_the_program(pathlib.Path(folder), "h100_f16", *halves, ("fp16", "fp16"), *options)
                got = mxgold.mma(*halves, unit="h100_f16", source="fp16", **given)
                self.assertEqual(got.dtype, want.dtype)
                assert_array_equal(mxgold.bits(got), mxgold.bits(want), str(options))

    def test_sums_of_whole_numbers_are_exact(self):
        generator = numpy.random.default_rng(49)
        whole = [generator.integers(-2, 3, (rows, 64)).astype(numpy.float32) for rows in (4, 6)]
        for unit, formats in UNITS.items():
            codes = [mxgold.bits(mxgold.convert(x, name)) for x, name in zip(whole, formats)]
            given = {}
            if len(formats) > 2:
                one = 127 if formats[2] == "e8m0" else 0x38
                given = {f"scales_{side}": numpy.full((rows, 64 // formats[3]), one, numpy.uint8) for side, rows in
                         (("a", 4), ("b", 6))}
                given["scale_format"] = formats[2]
            got = mxgold.mma(*codes, unit=unit, source=tuple(formats[:2]), **given)
            assert_array_equal(got, whole[0] @ whole[1].T, unit)

    def test_units_differ(self):
        a = numpy.float16([1, 2**-12, 2**-12, 2**-12, 2**-12])
        self.assertEqual(mxgold.mma(a, a, unit="h100_f16"), 1 + 2.0**-22)
        self.assertEqual(mxgold.mma(a, a, unit="v100_f16"), 1)


class Operands(unittest.TestCase):
    def test_shapes(self):
        a, b = numpy.ones((2, 8), numpy.float16), numpy.ones((3, 8), numpy.float16)
        for x, y, shape in ((a, b, (2, 3)), (a[0], b, (3,)), (a, b[0], (2,)), (a[0], b[0], ()), (a[:0], b, (0, 3))):
            got = mxgold.mma(x, y, unit="h100_f16")
            self.assertEqual(got.shape, shape)
            self.assertTrue((got == 8).all())
        self.assertEqual(mxgold.mma(a, b[:2], unit="h100_f16", pairs=True).shape, (2,))
        assert_array_equal(mxgold.mma(a.T[:, :2], b.T[:, :2], unit="h100_f16"), numpy.full((8, 8), 2))

    def test_the_low_bits_of_binary32_are_dropped(self):
        x = numpy.float32([[1 + 2**-11, 1]])
        self.assertEqual(mxgold.mma(x, x, unit="a100_tf32")[0, 0], 2)
        self.assertEqual(mxgold.mma(x, x, unit="a100_tf32", source="fp32")[0, 0], 2)
        codes = mxgold.bits(x) >> 13
        self.assertEqual(mxgold.mma(codes, codes, unit="a100_tf32", source="tf32")[0, 0], 2)

    def test_quantized(self):
        generator = numpy.random.default_rng(50)
        x, y = generator.standard_normal((4, 64)).astype("f4"), generator.standard_normal((5, 64)).astype("f4")
        for name, scale in (("mxfp4", "e8m0"), ("nvfp4", "ue4m3"), ("e2m1_e8m0_k16", "e8m0")):
            a, b = mxgold.quantize(x, name), mxgold.quantize(y, name)
            got = mxgold.mma(a, b, unit="b200_mxf4")
            plain = mxgold.mma(a.code_bits, b.code_bits, unit="b200_mxf4", source="e2m1fn", scales_a=a.scale_bits,
                               scales_b=b.scale_bits, scale_format=scale, block_size=a.format.block_size)
            assert_array_equal(mxgold.bits(got), mxgold.bits(plain))
            exact = mxgold.dot(a, b) / float(a.tensor_scale) / float(b.tensor_scale)
            self.assertLess(abs(got - exact).max(), 1e-4 * abs(exact).max())
        a, b = mxgold.quantize(x, "nvfp4"), mxgold.quantize(y, "nvfp4")  # a unit does not look at the sign of ue4m3
        assert_array_equal(mxgold.mma(a.code_bits, b.code_bits, unit="b200_mxf4", source="e2m1fn",
                                      scales_a=a.scale_bits | 0x80, scales_b=b.scale_bits, scale_format="ue4m3"),
                           mxgold.mma(a, b, unit="b200_mxf4"))
        turned = mxgold.quantize(x, "mxfp4", hadamard=7), mxgold.quantize(y, "mxfp4", hadamard=7)
        self.assertEqual(mxgold.mma(*turned, unit="b200_mxf4").shape, (4, 5))
        with self.assertRaisesRegex(ValueError, "under the Hadamard transform .*, b under None"):
            mxgold.mma(turned[0], mxgold.quantize(y, "mxfp4"), unit="b200_mxf4")

    def test_refusals(self):
        a, b = numpy.ones((2, 8), numpy.float16), numpy.ones((3, 8), numpy.float16)
        x = numpy.ones((4, 64), numpy.float32)
        fours = numpy.ones((2, 64), numpy.uint8)
        one = {"unit": "h100_f16"}
        mx = {"unit": "b200_mxf4", "source": "e2m1fn"}
        for error, message, call in (
                (ValueError, "unknown unit 'h100'; did you mean", lambda: mxgold.mma(a, b, unit="h100")),
                (TypeError, "unit: a name, not NoneType", lambda: mxgold.mma(a, b, unit=None)),
                (ValueError, "a has 8 elements along its last axis, b has 7", lambda: mxgold.mma(a, b[:, :7], **one)),
                (ValueError, "h100_f16: this unit multiplies operands of one format",
                 lambda: mxgold.mma(a, mxgold.bits(b), source=("fp16", "bf16"), **one)),
                (ValueError, "h100_f16: this unit does not multiply", lambda: mxgold.mma(x, x, **one)),
                (ValueError, "gives no results of this format", lambda: mxgold.mma(a, b, result="bf16", **one)),
                (ValueError, r"c: float16 of shape \(2, 3\); give fp32 of shape \(2, 3\)",
                 lambda: mxgold.mma(a, b, numpy.ones((2, 3), numpy.float16), **one)),
                (ValueError, r"give fp32 of shape \(2, 3\)",
                 lambda: mxgold.mma(a, b, numpy.ones((3, 2), numpy.float32), **one)),
                (ValueError, "goes without c",
                 lambda: mxgold.mma(a, b, numpy.ones((2, 3), numpy.float32), chunk=4, **one)),
                (ValueError, "chunk 0: give 1 or more", lambda: mxgold.mma(a, b, chunk=0, **one)),
                (ValueError, "chunk -1: give 1 or more", lambda: mxgold.mma(a, b, chunk=-1, **one)),
                (ValueError, "chunk 18446744073709551616: ", lambda: mxgold.mma(a, b, chunk=1 << 64, **one)),
                (TypeError, "chunk must be a whole number", lambda: mxgold.mma(a, b, chunk="all", **one)),
                (ValueError, "pairs: a has rows", lambda: mxgold.mma(a, b, pairs=True, **one)),
                (ValueError, "sums no 0 products", lambda: mxgold.mma(a[:, :0], b[:, :0], **one)),
                (ValueError, "mi200_f16 sums no 6 products", lambda: mxgold.mma(a[:, :6], b[:, :6], unit="mi200_f16")),
                (ValueError, "a: has 3 dimensions", lambda: mxgold.mma(a[None], b, **one)),
                (ValueError, "a: has 0 dimensions", lambda: mxgold.mma(numpy.float16(1), b, **one)),
                (TypeError, "an array of uint8", lambda: mxgold.mma(fours, fours, unit="b200_mxf4")),
                (ValueError, "this unit takes scales with its operands", lambda: mxgold.mma(fours, fours, **mx)),
                (ValueError, "scales_a and scales_b: give both",
                 lambda: mxgold.mma(fours, fours, scales_a=fours[:, :4], **mx)),
                (ValueError, "name their format with scale_format=",
                 lambda: mxgold.mma(fours, fours, scales_a=fours[:, :4], scales_b=fours[:, :4], **mx)),
                (ValueError, "3 scales a row for 64 elements",
                 lambda: mxgold.mma(fours, fours, scales_a=fours[:, :3], scales_b=fours[:, :3], scale_format="e8m0",
                                    **mx)),
                (ValueError, r"scales_a: has shape \(1, 4\); give a row for each of a's \(2,\)",
                 lambda: mxgold.mma(fours, fours, scales_a=fours[:1, :4], scales_b=fours[:, :4], scale_format="e8m0",
                                    **mx)),
                (ValueError, "no unit takes scales of 'e8m0' for blocks of 64", lambda: mxgold.mma(
                    fours, fours, scales_a=fours[:, :1], scales_b=fours[:, :1], scale_format="e8m0", block_size=64,
                    **mx)),
                (ValueError, "both sides need scales of the same blocks",
                 lambda: mxgold.mma(mxgold.quantize(x, "mxfp4"), mxgold.quantize(x, "nvfp4"), unit="b200_mxf4")),
                (ValueError, "a brings its scales", lambda: mxgold.mma(
                    mxgold.quantize(x, "mxfp4"), mxgold.quantize(x, "mxfp4"), unit="b200_mxf4", scales_a=fours,
                    scales_b=fours)),
                (ValueError, "blocks along axis 0",
                 lambda: mxgold.mma(mxgold.quantize(x, "mxfp4", axis=0), x, unit="b200_mxf4")),
                (ValueError, "no matrix unit takes such blocks",
                 lambda: mxgold.mma(mxgold.quantize(x, "nvfp4_16x16"), x, unit="b200_mxf4"))):
            with self.subTest(message), self.assertRaisesRegex(error, message):
                call()


@unittest.skipIf(torch is None, "torch is not installed: its tensors are not tested")
class Torch(unittest.TestCase):
    def test_tensors_in_and_out(self):
        a, b = torch.randn(4, 32), torch.randn(5, 32)
        for unit, dtype in (("h100_f16", torch.bfloat16), ("h100_wgmma_fp8", torch.float8_e4m3fn),
                            ("a100_tf32", torch.float32)):
            got = mxgold.mma(a.to(dtype), b.to(dtype), torch.zeros(4, 5), unit=unit)
            self.assertIs(got.dtype, torch.float32)
            exact = a.to(dtype).double() @ b.to(dtype).double().T
            self.assertLess((got.double() - exact).abs().max().item(), 0.02)
        self.assertIs(mxgold.mma(a.half(), b.half(), unit="h100_f16", result=torch.float16).dtype, torch.float16)

    def test_operations(self):
        x = torch.tensor([1.0, 2.0], dtype=torch.bfloat16)
        for got, want in ((mxgold.add(x, 1), x + 1), (mxgold.mul(x, x), x * x), (mxgold.less(x, 2), x < 2),
                          (mxgold.to_integer(x, "i16"), x.to(torch.int16)),
                          (mxgold.add(x, numpy.float32([1, 1]), result=torch.float8_e4m3fn),
                           (x + 1).to(torch.float8_e4m3fn))):
            self.assertIs(got.dtype, want.dtype)
            self.assertTrue(torch.equal(got.double(), want.double()))
        out = torch.empty(2, dtype=torch.bfloat16)
        self.assertIs(mxgold.add(x, x, out=out), out)
        self.assertEqual(out.tolist(), [2, 4])


if __name__ == "__main__":
    unittest.main()
