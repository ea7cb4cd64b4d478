"""mxgold.microxcaling on NumPy arrays: names, defaults, both modes, exceptions."""

import argparse
import math
import unittest
from fractions import Fraction

import numpy as np

import mxgold
from mxgold import microxcaling as mx


def bits(values):
    return [hex(word) for word in np.asarray(values, dtype=np.float32).view(np.uint32)]


class Formats(unittest.TestCase):
    def test_parameters(self):
        self.assertEqual(mx._get_format_params("FP8_E4M3"), (4, 5, 8, 448.0, 2**-6))
        self.assertEqual(mx._get_format_params(mx.ElemFormat.int8), (0, 8, 0, 1.984375, 0))
        self.assertIs(mx.ElemFormat.from_str("fp4_e2m1"), mx.ElemFormat.fp4)
        self.assertEqual(mx.RoundingMode.string_enums(), ["nearest", "floor", "even"])
        with self.assertRaisesRegex(Exception, "Undefined elem format"):
            mx.ElemFormat.from_str("fp5")


class Blocks(unittest.TestCase):
    x = np.array([4, 0.25, 2.5, 5, -0.25, 1.75], dtype=np.float32)

    def test_roundings(self):
        for mode in ("strict", "compat"):
            found = mx._quantize_mx(self.x, 8, "fp4", axes=[-1], block_size=6, mode=mode)
            self.assertEqual(bits(found), bits([4, 0.5, 3, 6, -0.5, 2]))
            found = mx._quantize_mx(self.x, 8, "fp4", axes=-1, block_size=6, round="even", mode=mode)
            self.assertEqual(bits(found), bits([4, 0, 2, 4, -0.0, 2]))
        found = mx._quantize_mx(self.x, 8, "fp4", axes=-1, block_size=6, round="even", custom_cuda=True, mode="compat")
        self.assertEqual(bits(found), bits([4, 0, 2, 4, 0, 2]))

    def test_modes(self):
        x = np.array([0x40FFFFFF], dtype=np.uint32).view(np.float32)
        self.assertEqual(mx._quantize_mx(x, 8, "fp4", axes=0)[0], 6)
        with mxgold.mode("compat"):
            self.assertEqual(mx._quantize_mx(x, 8, "fp4", axes=0)[0], 8)
            self.assertEqual(mx._quantize_mx(x, 8, "fp4", axes=0, mode="strict")[0], 6)
        self.assertEqual(mx._quantize_mx(x, 8, "fp4", axes=0)[0], 6)

    def test_types_and_shapes(self):
        x = np.linspace(-3, 3, 5 * 7 * 3).reshape(5, 7, 3)
        for dtype in (np.float16, np.float32, np.float64):
            for axes in (0, [1], (-1,), [0, 2]):
                found = mx._quantize_mx(x.astype(dtype), 8, mx.ElemFormat.fp6_e2m3, axes=axes, block_size=4)
                self.assertEqual((found.shape, found.dtype), (x.shape, np.dtype(dtype)))
        self.assertEqual(mx._quantize_mx([1, 2, 3], 8, "int8", axes=0).dtype, np.float32)
        self.assertEqual(mx._quantize_mx(np.array([1, 3]), 8, "int2", axes=0, round="floor").tolist(), [0, 2])
        self.assertEqual(mx._quantize_mx(np.float32(7), 8, "fp4", axes=[0]).shape, ())

    def test_specification(self):
        specs = mx.finalize_mx_specs({"a_elem_format": "fp4", "block_size": 6, "round": "even"})
        found = mx.quantize_mx_op(self.x, specs, elem_format="fp4", axes=[-1])
        self.assertEqual(bits(found), bits([4, 0.5, 3, 6, -0.5, 2]))  # not the specification's rounding
        self.assertIs(mx.quantize_mx_op(self.x, specs), self.x)

    def test_refusals(self):
        call = mx._quantize_mx
        for mode in ("strict", "compat"):
            with self.assertRaises(TypeError):
                call(self.x, 8, "fp4", mode=mode)
            with self.assertRaises(AssertionError):
                call(self.x, 0, "fp4", axes=0, mode=mode)
            with self.assertRaises(IndexError):
                call(self.x, 8, "fp4", axes=1, mode=mode)
            with self.assertRaisesRegex(Exception, "Unrecognized round method x"):
                call(self.x, 8, "fp4", axes=0, round="x", mode=mode)
            with self.assertRaisesRegex(Exception, "Unrecognized shared exponent selection method x"):
                call(self.x, 8, "fp4", "x", axes=0, mode=mode)
        with self.assertRaises(RuntimeError):
            call(self.x.astype(np.float16), 8, "bfloat16", axes=0, mode="compat")
        self.assertEqual(call(self.x.astype(np.float16), 8, "bfloat16", axes=0).tolist(), self.x.tolist())

    def test_dither(self):
        np.random.seed(3)
        x = np.full(4000, 2.25 / 64, dtype=np.float32)
        x[0] = 1
        for dtype in (np.float32, np.float16, np.float64):
            found = mx._quantize_mx(x.astype(dtype), 8, "int8", axes=0, round="dither") * 64
            self.assertEqual((found.dtype, set(found[1:].tolist())), (dtype, {2, 3}))
            self.assertAlmostEqual(found[1:].mean(), 2.25, delta=0.05)


def words_of(numbers):
    """The words of dither of binary64: numbers k * 2^-53."""
    return np.array([[k >> 32, k & 0xFFFFFFFF] for k in numbers], dtype=np.uint32).reshape(-1)


class Dither(unittest.TestCase):
    MOST = (1 << 53) - 1

    def test_words_are_given(self):
        """One for each element; of blocks with their padding."""
        x = np.array([1, 0.16015625, 0.16015625, -0.16015625], dtype=np.float32)  # 10.25 steps of int8
        words = [0, 0x00BF0000, 0xFFC00000, 0x00C00000]
        for mode in ("strict", "compat"):
            given = {"round": "dither", "mode": mode, "random": words}
            for found in (mx._quantize_mx(x, 8, "int8", axes=0, **given), mx._quantize_elemwise(x, "int8", **given),
                          mx._quantize_elemwise_core(x, 8, 0, 1.984375, **given)):
                self.assertEqual((found * 64).tolist(), [64, 10, 11, -11])
            specs = {**mx.get_default_mx_specs(), "block_size": 3}
            found = mx.quantize_mx_op(x, specs, "int8", axes=[0], round="dither", mode=mode, random=words + [0, 0])
            self.assertEqual((found * 64).tolist()[:3], [64, 10, 11])
            specs = mx.finalize_mx_specs({"bfloat": 10, "round": "dither"})
            for random, expected in (([0x007F0000], 1), ([0x00800000], 1.5)):
                y = np.array([1.25], dtype=np.float32)
                self.assertEqual(mx._quantize_bfloat(y, 10, "dither", mode=mode, random=random), [expected])
                self.assertEqual(mx._quantize_fp(y, 5, 1, "dither", mode=mode, random=random), [expected])
                self.assertEqual(mx.quantize_elemwise_op(y, specs, mode=mode, random=random), [expected])

    def test_words_are_counted(self):
        for dtype, count in ((np.float32, 5), (np.float64, 10)):
            x = np.ones(5, dtype=dtype)
            for given in (count - 1, count + 1):
                with self.assertRaises(ValueError):
                    mx._quantize_elemwise(x, "int8", "dither", random=[0] * given)
            mx._quantize_elemwise(x, "int8", "dither", random=[0] * count)
            with self.assertRaises(ValueError):
                mx._quantize_elemwise(x, "int8", "even", random=[0] * count)
        for words in ([-1], [1 << 32], [0.5]):
            with self.assertRaises(ValueError):
                mx._quantize_elemwise(np.ones(1, np.float32), "int8", "dither", random=words)

    def steps(self, bits, numbers, words, mode):
        """What numbers of steps of an integer of `bits` bits become."""
        x = np.array([float(Fraction(number) / 2 ** (bits - 2)) for number in numbers])
        self.assertEqual([Fraction(value) * 2 ** (bits - 2) for value in x], [Fraction(number) for number in numbers])
        found = mx._quantize_elemwise_core(x, bits, 0, 1.75, round="dither", mode=mode, random=words_of(words))
        return [Fraction(value) * 2 ** (bits - 2) for value in found]

    def test_binary64_is_exact_in_strict_and_added_in_compat(self):
        """floor(x + u), of the exact sum or of the sum in binary64, which Python's own fractions give."""
        tiny, below = Fraction(1, 1 << 52), Fraction(3) - Fraction(1, 1 << 51)
        numbers = {8: [Fraction(1, 4), 2, below, below - tiny * 2, Fraction(1, 1 << 53), Fraction(1, 1 << 60),
                       Fraction(1) - Fraction(1, 1 << 53), Fraction(5, 1 << 1000), 64, 63 + tiny * 32],
                   54: [(1 << 52) - Fraction(1, 2), (1 << 52) + 1, (1 << 52) + 2, (1 << 51) + Fraction(1, 2), 7],
                   30: [(1 << 27) + Fraction(3, 1 << 25), (1 << 28) - Fraction(1, 1 << 25), Fraction(5, 1 << 9)]}
        words = [0, 1, (1 << 51), (1 << 52) - 1, 1 << 52, (1 << 52) + 1, self.MOST - 3, self.MOST - 1, self.MOST]
        differ = 0
        for bits, every in numbers.items():
            pairs = [(number, word) for number in every for word in words]
            sums = [Fraction(number) + Fraction(word, 1 << 53) for number, word in pairs]
            strict = [Fraction(math.floor(each)) for each in sums]
            compat = [Fraction(math.floor(Fraction(float(each)))) for each in sums]
            differ += strict != compat
            given = [number for number, _ in pairs], [word for _, word in pairs]
            self.assertEqual(self.steps(bits, *given, "strict"), strict, bits)
            self.assertEqual(self.steps(bits, *given, "compat"), compat, bits)
            negative = [-number for number in given[0]]
            self.assertEqual(self.steps(bits, negative, given[1], "compat"), [-each for each in compat], bits)
        self.assertEqual(differ, 2)  # of 8 and 54 bits some sums are rounded up to an integer

    def test_binary64_of_floats_and_blocks(self):
        x = np.array([1.375, -1.375, 3 * 2.0**-9, 5e-324, 1e300, np.inf, np.nan, 0])
        half, below = 1 << 52, (1 << 52) - (1 << 9)
        for mode in ("strict", "compat"):
            for word, expected in ((half, [1.5, -1.5, 2.0**-7, 0, np.inf]), (below, [1.25, -1.25, 2.0**-8, 0, np.inf])):
                found = mx._quantize_elemwise_core(x, 4, 4, 448.0, "dither", mode=mode, random=words_of([word] * 8))
                self.assertEqual(found[:5].tolist(), expected)
                self.assertTrue(np.isinf(found[5]) and np.isnan(found[6]) and found[7] == 0)
            x_of_block, words = np.array([1, 0.375 / 64, -0.375 / 64]) * 2.0**-1000, [0, 5 << 50, (5 << 50) - 1, 0]
            found = mx._quantize_mx(x_of_block, 11, "int8", axes=0, block_size=4, round="dither", mode=mode,
                                    random=words_of(words))
            self.assertEqual((found * 2.0**1006).tolist(), [64, 1, 0])

    def test_binary64_in_its_own_format(self):
        """54 bits and 11 of exponent: the smallest numbers keep their value but for the addition of one half."""
        x = np.array([5e-324, -1e-320, 2.0**-1022 - 5e-324, 2.0**-1022, 2.0**-1022 + 5e-324, 2.0**-1022 + 1e-323])
        nearest = x + np.array([0, 0, 0, 0, 5e-324, 0])
        even = x - np.array([0, 0, 0, 0, 0, 5e-324])
        for round, expected in (("nearest", nearest), ("floor", x), ("even", even)):
            self.assertEqual(mx._quantize_fp(x, 11, 52, round).tolist(), x.tolist())
            self.assertEqual(mx._quantize_fp(x, 11, 52, round, mode="compat").tolist(), expected.tolist(), round)


class Elements(unittest.TestCase):
    def test_formats(self):
        x = np.array([-0.0, -1e-30, 1e-30, 500, np.inf], dtype=np.float32)
        found = mx._quantize_elemwise(x, "fp8_e4m3", mode="compat")
        self.assertEqual(bits(found), bits([0, -0.0, 0, np.inf, np.inf]))
        found = mx._quantize_elemwise(x, "fp8_e4m3", saturate_normals=True)
        self.assertEqual(bits(found), bits([-0.0, -0.0, 0, 448, 448]))
        self.assertTrue(np.isnan(mx._quantize_elemwise(x, "fp8_e4m3")[3]))
        self.assertIs(mx._quantize_elemwise(x, None), x)

    def test_core_and_its_short_forms(self):
        x = np.array([1.2345678, 65519, 65520], dtype=np.float32)
        self.assertEqual(mx._quantize_elemwise_core(x, 5, 4, 448.0, saturate_normals=True).tolist(), [1.25, 448, 448])
        self.assertEqual(mx._quantize_fp(x, 5, 10).tolist(), [1.234375, 65504, np.inf])
        self.assertEqual(mx._quantize_bfloat(x, 12)[0], 1.25)
        self.assertIs(mx._quantize_bfloat(x, 32), x)
        self.assertIs(mx._quantize_fp(x), x)
        with self.assertRaises(AssertionError):
            mx._quantize_fp(x, 4, 3)

    def test_specification(self):
        x = np.array([1.2345678], dtype=np.float32)
        self.assertIs(mx.quantize_elemwise_op(x, None), x)
        specs = mx.MxSpecs(bfloat=12)
        self.assertEqual(mx.quantize_elemwise_op(x, specs)[0], 1.25)
        self.assertEqual(mx.quantize_bfloat(x, {"bfloat": 12})[0], 1.25)
        self.assertEqual(mx.vec_add(x, x, specs)[0], 2.5)
        for wrong in ({"bfloat": 9}, {"fp": 6}, {"bfloat": 16, "fp": 16}):
            with self.assertRaises(ValueError):
                mx.quantize_elemwise_op(x, mx.MxSpecs(wrong))


class Specs(unittest.TestCase):
    def test_inheritance(self):
        self.assertIsNone(mx.finalize_mx_specs({"round": "even"}))
        specs = mx.finalize_mx_specs({"w_elem_format": "fp4", "round": "even", "round_grad_input": "floor"})
        self.assertEqual(specs["w_elem_format_bp"], "fp4")
        self.assertEqual(specs["round_output"], "even")
        self.assertEqual(specs["round_mx_weight_grad_input"], "floor")
        with self.assertRaises(KeyError):
            mx.finalize_mx_specs({"bfloat": 16, "x": 1})
        with self.assertRaises(AssertionError):
            mx.MxSpecs(x=1)

    def test_an_object_inherits_in_strict_mode_only(self):
        given = {"a_elem_format": "fp4", "round": "even"}
        self.assertEqual(mx.finalize_mx_specs(mx.MxSpecs(given), mode="compat")["round_output"], "nearest")
        self.assertEqual(mx.finalize_mx_specs(mx.MxSpecs(given), mode="strict")["round_output"], "even")

    def test_backwards(self):
        specs = mx.finalize_mx_specs({"w_elem_format": "fp4", "bfloat": 16})
        self.assertEqual(mx.get_backwards_mx_specs(specs)["bfloat"], 16)
        specs["quantize_backprop"] = False
        backwards = mx.get_backwards_mx_specs(specs)
        self.assertEqual((backwards["bfloat"], backwards["w_elem_format_bp"]), (0, None))
        self.assertEqual(specs["bfloat"], 16)

    def test_command_line(self):
        parser = mx.add_mx_args(argparse.ArgumentParser())
        self.assertIsNone(mx.get_mx_specs(parser.parse_args([])))
        specs = mx.get_mx_specs(parser.parse_args(["--bfloat", "16", "--no_quantize_backprop", "--round", "even"]))
        self.assertEqual((specs["bfloat"], specs["quantize_backprop"], specs["round_weight"]), (16, False, "even"))


try:
    import torch
except ImportError:
    torch = None


@unittest.skipIf(torch is None, "torch is not installed")
class Torch(unittest.TestCase):
    def test_tensors_in_and_out(self):
        x = torch.tensor([4, 0.25, 2.5, 5, -0.25, 1.75])
        for dtype in (torch.float32, torch.bfloat16, torch.float16, torch.float64):
            found = mx._quantize_mx(x.to(dtype), 8, "fp4", axes=[-1], block_size=6)
            self.assertEqual((found.dtype, found.tolist()), (dtype, [4, 0.5, 3, 6, -0.5, 2]))

    def test_linear_and_its_gradients(self):
        specs = mx.finalize_mx_specs({"w_elem_format": "int8", "a_elem_format": "int8", "block_size": 4})
        layer = mx.Linear(4, 2, mx_specs=specs)
        with torch.no_grad():
            layer.weight.copy_(torch.tensor([[1, 2, 3, 4], [0.5, 0.25, 1, 2]]))
            layer.bias.copy_(torch.tensor([1.0, -1.0]))
        x = torch.tensor([[1, 1, 1, 1.0]], requires_grad=True)
        y = layer(x)
        self.assertEqual(y.tolist(), [[11, 2.75]])
        y.sum().backward()
        self.assertEqual(x.grad.tolist(), [[1.5, 2.25, 4, 6]])
        self.assertEqual(layer.weight.grad.tolist(), [[1, 1, 1, 1]] * 2)
        self.assertEqual(layer.bias.grad.tolist(), [1, 1])

    def test_gradients_are_those_of_the_forward_modes(self):
        x = torch.tensor([1.0], requires_grad=True)
        with mxgold.mode("compat"):
            y = mx.quantize_bfloat(x, {"bfloat": 16})
        y.backward(torch.tensor([float("-0.0")]))
        self.assertFalse(torch.signbit(x.grad).item())  # compat loses the sign of -0
        x.grad = None
        mx.quantize_bfloat(x, {"bfloat": 16}).backward(torch.tensor([float("-0.0")]))
        self.assertTrue(torch.signbit(x.grad).item())

    def test_products_and_simd(self):
        specs = {"a_elem_format": "fp8_e4m3", "bfloat": 16}
        a, b = torch.ones(2, 3, 4), torch.full((2, 4, 5), 2.0)
        self.assertEqual(mx.bmm(a, b, mx_specs=specs).unique().tolist(), [8])
        self.assertEqual(mx.matmul(a, b, mx_specs=specs).unique().tolist(), [8])
        self.assertEqual(mx.simd_add(torch.ones(2), 0.5, {"bfloat": 10}).tolist(), [1.5, 1.5])
        self.assertEqual(mx.simd_norm(torch.full((4,), 2.0), mx_specs={"bfloat": 16}).item(), 4)
        with self.assertRaises(AssertionError):
            mx.matmul(a, b, mx_specs=specs, mode_config="ww")

    def test_sparse(self):
        x = torch.tensor([[0, 1.3], [0, 0]]).to_sparse()
        with self.assertRaises(UnboundLocalError):
            mx._quantize_elemwise(x, "fp4", mode="compat")
        self.assertEqual(mx._quantize_elemwise(x, "fp4").to_dense().tolist(), [[0, 1.5], [0, 0]])


if __name__ == "__main__":
    unittest.main()
