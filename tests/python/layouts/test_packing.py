# SPDX-License-Identifier: Apache-2.0
"""Codes that share bytes, scales in tiles, and a Quantized of arrays that come from elsewhere."""

import unittest

import numpy

import mxgold


def codes(count, bits, seed=0):
    return numpy.random.default_rng(seed).integers(0, 1 << bits, count, dtype=numpy.uint8)


def numbers(*shape, seed=0):
    return numpy.random.default_rng(seed).standard_normal(shape).astype(numpy.float32)


def bit_string(values, width):
    """Codes after each other, low bits first, as bytes: the specification of nibble_low_first and dense6."""
    bits = [value >> bit & 1 for value in values for bit in range(width)]
    bits += [0] * (-len(bits) % 8)
    return [sum(bits[i + bit] << bit for bit in range(8)) for i in range(0, len(bits), 8)]


class Pack(unittest.TestCase):
    def test_positions_are_those_of_the_text(self):
        for count in range(1, 40):
            c = codes(count, 4, count)
            self.assertEqual(mxgold.pack(c, "e2m1fn").tolist(), bit_string(c.tolist(), 4))
            padded = numpy.append(c, numpy.uint8(0))[:count + count % 2].reshape(-1, 2)
            self.assertEqual(mxgold.pack(c, "e2m1fn", "nibble_high_first").tolist(),
                             (padded[:, 0] << 4 | padded[:, 1]).tolist())
            c = codes(count, 6, count)
            self.assertEqual(mxgold.pack(c, "e3m2fn").tolist(), bit_string(c.tolist(), 6))
            self.assertEqual(mxgold.pack(c, "e3m2fn", "byte_padded").tolist(), c.tolist())

    def test_halves_of_each_block(self):
        c = codes(96, 4).reshape(1, 96)
        packed = mxgold.pack(c, "mxfp4", "split_half")
        blocks = c.reshape(3, 2, 16)
        numpy.testing.assert_array_equal(packed.reshape(3, 16), blocks[:, 0] | blocks[:, 1] << 4)
        numpy.testing.assert_array_equal(mxgold.bits(mxgold.unpack(packed, "mxfp4", packing="split_half")), c)
        pairs = mxgold.pack(c, "e2m1fn", "split_half", group=2)
        numpy.testing.assert_array_equal(pairs, mxgold.pack(c, "e2m1fn"))
        one = mxgold.pack(c, "e2m1fn", "split_half")
        numpy.testing.assert_array_equal(one[0], c[0, :48] | c[0, 48:] << 4)

    def test_every_packing_there_and_back(self):
        formats = {"nibble_low_first": "e2m1fn", "nibble_high_first": "int4", "split_half": "e2m1fn", "dense6": "e2m3fn",
                   "byte_padded": "e4m3fn"}
        self.assertEqual(sorted(formats), sorted(mxgold.packings()))
        compared = 0
        for packing, name in formats.items():
            bits = mxgold.format(name).bits
            for shape in ((0,), (2,), (8, 8), (3, 5, 8), (2, 0), (1 << 10, 1 << 6)):
                c = codes(int(numpy.prod(shape)), bits).reshape(shape)
                packed = mxgold.pack(c, name, packing)
                self.assertEqual(packed.nbytes, c.size if packing == "byte_padded" else -(-c.size * bits // 8))
                back = mxgold.unpack(packed, name, shape, packing)
                numpy.testing.assert_array_equal(mxgold.bits(back), c)
                if c.ndim > 1:
                    self.assertEqual(packed.shape[:-1], shape[:-1])
                    self.assertEqual(mxgold.unpack(packed, name, packing=packing).shape, shape)
                    flat = mxgold.pack(c, name, packing, flat=True)
                    self.assertEqual(flat.shape, (packed.size,))
                compared += c.size
        self.assertGreater(compared, 300_000)

    def test_rows_that_do_not_end_on_a_byte(self):
        c = codes(15, 4).reshape(5, 3)
        with self.assertRaisesRegex(ValueError, "rows of 3 codes of 4 bits do not end on a byte: flat=True"):
            mxgold.pack(c, "e2m1fn")
        flat = mxgold.pack(c, "e2m1fn", flat=True)
        self.assertEqual(flat.tolist(), bit_string(c.ravel().tolist(), 4))
        numpy.testing.assert_array_equal(mxgold.bits(mxgold.unpack(flat, "e2m1fn", (5, 3))), c)
        with self.assertRaisesRegex(ValueError, "rows of 2 codes of 6 bits"):
            mxgold.pack(numpy.zeros((4, 2), numpy.uint8), "e2m3fn")
        self.assertEqual(mxgold.pack(numpy.uint8(5), "e2m1fn").tolist(), [5])
        self.assertEqual(mxgold.bits(mxgold.unpack(numpy.uint8([5]), "e2m1fn", ())).tolist(), 5)

    def test_spare_bits_are_zero_and_not_read(self):
        self.assertEqual(mxgold.pack(numpy.uint8([15]), "e2m1fn").tolist(), [0x0F])
        self.assertEqual(mxgold.bits(mxgold.unpack(numpy.uint8([0xFF]), "e2m1fn", (1,))).tolist(), [15])

    def test_refusals(self):
        c = codes(8, 4)
        for call, error, text in (
                (lambda: mxgold.pack(c, "e2m1fn", "nibble_low"), ValueError, "did you mean 'nibble_low_first'"),
                (lambda: mxgold.pack(c, "e2m1fn", "dense6"), ValueError, "holds codes of 6 bits; those of e2m1fn have 4"),
                (lambda: mxgold.pack(c.astype("u2"), "fp16", "byte_padded"), ValueError, "1 to 8 bits; those of fp16 have"),
                (lambda: mxgold.pack(c.astype("u2"), "fp16"), ValueError, "1 to 8 bits; those of fp16 have 16"),
                (lambda: mxgold.pack(c, "e2m1fn", group=4), ValueError, "group: goes with split_half"),
                (lambda: mxgold.pack(c, "e2m1fn", "split_half", group=3), ValueError, "no groups of 3"),
                (lambda: mxgold.pack(c, "e2m1fn", "split_half", group=6), ValueError, "8 codes are no groups of 6"),
                (lambda: mxgold.pack(c, "e2m1fn", "split_half", group=-2), ValueError, "group -2"),
                (lambda: mxgold.pack(c, "mxfp4", "split_half"), ValueError, "8 codes are no groups of 32"),
                (lambda: mxgold.pack(c + numpy.uint8(16), "e2m1fn"), ValueError, "bits above its format's width"),
                (lambda: mxgold.pack(numpy.float32([1]), "e2m1fn"), TypeError, "e2m1fn are held in"),
                (lambda: mxgold.unpack(c[:3], "e2m1fn", (7,)), ValueError, "3 bytes; 7 codes of e2m1fn, .* take 4"),
                (lambda: mxgold.unpack(c[:5], "e2m3fn"), ValueError, "5 bytes a row hold no whole number"),
                (lambda: mxgold.unpack(numpy.uint8(5), "e2m1fn"), ValueError, "has no axis"),
                (lambda: mxgold.unpack(c, "e2m1fn", (-16,)), ValueError, "a length is below 0"),
                (lambda: mxgold.unpack(c.astype("u2"), "e2m1fn"), TypeError, "uint16; give codes of one byte"),
                (lambda: mxgold.unpack(numpy.uint8([64]), "e2m3fn", (1,), "byte_padded"), ValueError, "bits above"),
                (lambda: mxgold.pack(c, "nobody"), ValueError, "unknown format")):
            with self.assertRaisesRegex(error, text):
                call()


class Swizzle(unittest.TestCase):
    def test_positions_are_those_of_the_formula(self):
        for shape in ((1, 1), (128, 4), (129, 5), (3, 50, 7), (5,), ()):
            scales = codes(int(numpy.prod(shape)), 8).reshape(shape)
            laid_out = mxgold.swizzle(scales)
            matrix = scales.reshape(-1, shape[-1] if shape else 1)
            rows, blocks = matrix.shape
            across = -(-blocks // 4)
            self.assertEqual(laid_out.shape, (-(-rows // 128) * across * 512,))
            expected = numpy.zeros(laid_out.size, numpy.uint8)
            for row, block in numpy.ndindex(rows, blocks):
                tile = row // 128 * across + block // 4
                expected[tile * 512 + row % 32 * 16 + row % 128 // 32 * 4 + block % 4] = matrix[row, block]
            numpy.testing.assert_array_equal(laid_out, expected)
            numpy.testing.assert_array_equal(mxgold.unswizzle(laid_out, shape), scales)
            numpy.testing.assert_array_equal(mxgold.unswizzle(laid_out.reshape(-1, 16), shape), scales)

    def test_the_plane_is_a_layout_too(self):
        scales = codes(15, 8).reshape(3, 5)
        numpy.testing.assert_array_equal(mxgold.swizzle(scales, "plane"), scales.ravel())
        numpy.testing.assert_array_equal(mxgold.unswizzle(scales.ravel(), (3, 5), "plane"), scales)

    def test_refusals(self):
        scales = codes(512, 8)
        for call, error, text in (
                (lambda: mxgold.swizzle(scales, "swizzle"), ValueError, "did you mean 'swizzle_128x4'"),
                (lambda: mxgold.swizzle(scales.astype("f4")), TypeError, "float32; give codes of one byte"),
                (lambda: mxgold.swizzle(scales != 0), TypeError, "is an array of bool"),
                (lambda: mxgold.unswizzle(scales, (129, 4)), ValueError, r"512 bytes; scales of shape .* take 1024"),
                (lambda: mxgold.unswizzle(scales[:511], (128, 4)), ValueError, "511 bytes"),
                (lambda: mxgold.unswizzle(scales, (-1, 4)), ValueError, "a length is below 0")):
            with self.assertRaisesRegex(error, text):
                call()


class Quantized(unittest.TestCase):
    def test_packed_and_back(self):
        x = numbers(6, 96)
        compared = 0
        for name in mxgold.formats("blocks"):
            q = mxgold.quantize(x, name)
            if q.format.element.bits not in (4, 6, 8) or q.codes.dtype.itemsize > 1:
                with self.assertRaisesRegex(ValueError, "holds codes of"):
                    q.packed("nibble_low_first")
                continue
            level = q.tensor_scale if q.format.two_level else None
            packed = q.packed()
            self.assertEqual(packed.shape, (6, 96 * q.format.element.bits // 8))
            back = mxgold.Quantized.from_arrays(packed, q.scales, name, packing=_default(q), tensor_scale=level)
            numpy.testing.assert_array_equal(back.code_bits, q.code_bits)
            self.assertEqual(back.dequantize().tobytes(), q.dequantize().tobytes(), name)
            compared += 1
        self.assertGreater(compared, 40)

    def test_swizzled_and_back(self):
        x = numbers(130, 160)
        for name, policy in (("mxfp8_e4m3", ""), ("mxfp4", "block_size=16"), ("nvfp4", "te"),
                             ("mxfp6_e2m3", "rule=rceil")):
            q = mxgold.quantize(x, name, policy)
            laid_out = q.scales_as("swizzle_128x4")
            numpy.testing.assert_array_equal(laid_out, mxgold.swizzle(q.scales))
            level = q.tensor_scale if q.format.two_level else None
            back = mxgold.Quantized.from_arrays(q.codes, laid_out, name, policy, scale_layout="swizzle_128x4",
                                                tensor_scale=level)
            numpy.testing.assert_array_equal(back.scale_bits, q.scale_bits)
            self.assertEqual(back.dequantize().tobytes(), q.dequantize().tobytes(), name)
            self.assertIs(q.scales_as("plane"), q.scales)

    def test_blocks_along_another_axis(self):
        x = numbers(64, 6)
        q = mxgold.quantize(x, "mxfp4", axis=0)
        with self.assertRaisesRegex(ValueError, r"swizzle_128x4 takes blocks along the last axis.*q\.blocks_last\(\)"):
            q.scales_as("swizzle_128x4")
        with self.assertRaisesRegex(ValueError, r"split_half takes blocks along the last axis"):
            q.packed("split_half")
        self.assertEqual(q.packed().shape, (64, 3))
        last, transposed = q.blocks_last(), mxgold.quantize(numpy.ascontiguousarray(x.T), "mxfp4")
        self.assertEqual((last.axis, last.shape), (1, (6, 64)))
        self.assertEqual(last, transposed)
        numpy.testing.assert_array_equal(last.dequantize(), q.dequantize().T)
        self.assertEqual(last.packed("split_half").shape, (6, 32))
        self.assertEqual(last.blocks_last(), last)
        deep = mxgold.quantize(numbers(2, 40, 3), "nvfp4", axis=1)
        numpy.testing.assert_array_equal(deep.blocks_last().dequantize(), numpy.moveaxis(deep.dequantize(), 1, -1))
        whole = mxgold.quantize(x, "fp8_e4m3_fp32_tensor", axis=0)
        numpy.testing.assert_array_equal(whole.blocks_last().dequantize(), whole.dequantize().T)

    def test_two_dimensional_tiles(self):
        q = mxgold.quantize(numbers(40, 64), "nvfp4_16x16")
        self.assertEqual(q.scales.shape, (3, 4))
        with self.assertRaisesRegex(ValueError, r"16 lines: mxgold\.swizzle\(q\.row_scales\(\)\)"):
            q.scales_as("swizzle_128x4")
        with self.assertRaisesRegex(ValueError, "nvfp4_16x16 has none"):
            q.packed("split_half")
        rows = q.row_scales()
        self.assertEqual(rows.shape, (40, 4))
        for row in range(40):
            numpy.testing.assert_array_equal(rows[row], q.scales[row // 16])
        numpy.testing.assert_array_equal(mxgold.unswizzle(mxgold.swizzle(rows), (40, 4)), rows)
        across = mxgold.quantize(numbers(40, 64), "nvfp4_16x16", axis=0)
        self.assertEqual(across.row_scales().shape, across.scales.shape)
        with self.assertRaisesRegex(ValueError, "quantize the array with its axes moved"):
            across.blocks_last()
        plain = mxgold.quantize(numbers(4, 64), "mxfp4")
        self.assertIs(plain.row_scales(), plain.scales)

    def test_scales_of_more_than_a_byte(self):
        q = mxgold.quantize(numbers(4, 128), "fp8_e4m3_fp32_1x128")
        for call in (lambda: q.scales_as("swizzle_128x4"),
                     lambda: mxgold.Quantized.from_arrays(q.codes, q.scales, q.format, scale_layout="swizzle_128x4")):
            with self.assertRaisesRegex(ValueError, "one-byte scales of blocks along one axis; fp8_e4m3_fp32_1x128 has"):
                call()

    def test_equality_is_of_bits_and_meaning(self):
        x = numbers(4, 64)
        q = mxgold.quantize(x, "nvfp4")
        self.assertEqual(q, mxgold.quantize(x, "nvfp4"))
        self.assertNotEqual(q, mxgold.quantize(x, "nvfp4", "rounding=toward_zero"))
        self.assertNotEqual(q, mxgold.quantize(x, "nvfp4", tensor_scale=1))
        self.assertNotEqual(q, mxgold.quantize(x * numpy.float32(2), "nvfp4"))
        self.assertNotEqual(q, mxgold.quantize(-x, "nvfp4"))
        self.assertNotEqual(q, x.tobytes())
        zero = mxgold.quantize(numpy.float32([0, 0]), "mxfp4")
        self.assertNotEqual(zero, mxgold.quantize(numpy.float32([0, -0.0]), "mxfp4"))
        with self.assertRaises(TypeError):
            hash(q)

    def test_arrays_of_others(self):
        x = numbers(4, 64)
        q = mxgold.quantize(x, "nvfp4", "te")
        back = mxgold.Quantized.from_arrays(q.packed(), q.scales, "nvfp4", "te", packing="nibble_low_first",
                                            tensor_scale=q.tensor_scale, shape=x.shape)
        self.assertEqual((back.shape, back.flags, back.policy), (x.shape, frozenset(), q.policy))
        for given, text in (({"shape": (4, 63)}, r"128 bytes; 252 codes of e2m1fn, nibble_low_first, take 126"),
                            ({"packing": None, "shape": (4, 64)}, r"shape \(4, 64\): the codes have \(4, 32\)"),
                            ({"tensor_scale": None}, "tensor_scale: nvfp4 has a scale of the whole tensor"),
                            ({"tensor_scale": -1.0}, "tensor_scale"),
                            ({"scale_layout": "swizzled"}, "did you mean 'swizzle_128x4'"),
                            ({"scale_layout": "swizzle_128x4"}, "16 bytes; scales of shape"),
                            ({"axis": 2}, "axis 2 is out of range"),
                            ({"axis": 0}, "have scales of shape"),
                            ({"hadamard": 1 << 16}, "hadamard 65536"),
                            ({"hadamard_signs": "both"}, "first or last"),
                            ({"source": "nobody"}, "unknown format"),
                            ({"policy": "rounding=up"}, "does not take 'up'")):
            given = {"policy": "te", "packing": "nibble_low_first", "tensor_scale": q.tensor_scale, **given}
            with self.assertRaisesRegex(ValueError, text):
                mxgold.Quantized.from_arrays(q.packed(), q.scales, "nvfp4", **given)

    def test_the_way_back_keeps_what_it_is_told(self):
        x = numbers(2, 32)
        q = mxgold.quantize(x, "nvfp4", hadamard=0x1234)
        back = mxgold.Quantized.from_arrays(q.codes, q.scales, "nvfp4", tensor_scale=q.tensor_scale, hadamard=0x1234)
        self.assertEqual(back.hadamard, (0x1234, "first"))
        self.assertEqual(back.dequantize(undo_hadamard=True).tobytes(), q.dequantize(undo_hadamard=True).tobytes())
        exact = numpy.tile(numpy.float16([1, -2, 0.5, 6]), (2, 8))
        half = mxgold.quantize(exact, "mxfp4", "block_size=8")
        self.assertEqual(half.flags, frozenset())
        again = mxgold.Quantized.from_arrays(half.codes, half.scales, "mxfp4", source="fp16", block_size=8)
        self.assertEqual(again, half)
        self.assertNotEqual(mxgold.Quantized.from_arrays(half.codes, half.scales, "mxfp4", block_size=8), half)


try:
    import torch
except ImportError:
    torch = None


@unittest.skipIf(torch is None, "torch is not installed: its tensors are not tested")
class Tensors(unittest.TestCase):
    def test_tensors_give_tensors(self):
        c = codes(96, 4).reshape(6, 16)
        packed = mxgold.pack(torch.from_numpy(c), "e2m1fn")
        self.assertIs(packed.dtype, torch.uint8)
        numpy.testing.assert_array_equal(packed.numpy(), mxgold.pack(c, "e2m1fn"))
        for given in (packed, packed.view(torch.int8), packed.view(torch.float4_e2m1fn_x2)):
            back = mxgold.unpack(given, "e2m1fn")
            self.assertIs(back.dtype, torch.uint8)
            numpy.testing.assert_array_equal(back.numpy(), c)
        self.assertIs(mxgold.unpack(packed, "e4m3fn").dtype, torch.float8_e4m3fn)
        scales = torch.from_numpy(codes(130 * 5, 8).reshape(130, 5))
        for kind in (torch.uint8, torch.float8_e8m0fnu, torch.float8_e4m3fn):
            laid_out = mxgold.swizzle(scales.view(kind))
            self.assertIs(laid_out.dtype, kind)
            numpy.testing.assert_array_equal(laid_out.view(torch.uint8).numpy(), mxgold.swizzle(scales.numpy()))
            back = mxgold.unswizzle(laid_out, (130, 5))
            self.assertIs(back.dtype, kind)
            self.assertTrue(torch.equal(back.view(torch.uint8), scales))

    def test_a_quantized_of_tensors(self):
        x = torch.from_numpy(numbers(130, 160))
        q = mxgold.quantize(x, "mxfp4")
        laid_out = q.scales_as("swizzle_128x4")
        self.assertIs(laid_out.dtype, torch.float8_e8m0fnu)
        pairs = q.packed().view(torch.float4_e2m1fn_x2)
        back = mxgold.Quantized.from_arrays(pairs, laid_out, "mxfp4", scale_layout="swizzle_128x4")
        self.assertTrue(torch.equal(back.dequantize(), q.dequantize()))
        self.assertTrue(torch.equal(back.code_bits, q.code_bits))
        self.assertIs(q.blocks_last().codes.dtype, torch.uint8)
        self.assertEqual(q, mxgold.quantize(x.numpy(), "mxfp4"))

    def test_signs_of_scales_that_have_none(self):
        q = mxgold.quantize(torch.ones(2, 32), "nvfp4", tensor_scale=1)
        scales = q.scale_bits.view(torch.float8_e4m3fn)
        back = mxgold.Quantized.from_arrays(q.codes, scales, "nvfp4", tensor_scale=1)
        self.assertTrue(torch.equal(back.scale_bits, q.scale_bits))
        scales.view(torch.uint8)[0, 1] = 0xFF
        back = mxgold.Quantized.from_arrays(q.codes, scales, "nvfp4", tensor_scale=1)
        self.assertEqual(back.scale_bits[0, 1], 0x7F)
        scales.view(torch.uint8)[1, 0] = 0x80
        with self.assertRaisesRegex(ValueError, "scales: 80, number 2, has its sign set; no scale of nvfp4 has"):
            mxgold.Quantized.from_arrays(q.codes, scales, "nvfp4", tensor_scale=1)


def _default(q):
    return {4: "nibble_low_first", 6: "dense6", 8: "byte_padded"}[q.format.element.bits]


if __name__ == "__main__":
    unittest.main()
