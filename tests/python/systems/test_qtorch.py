"""mxgold.qtorch with NumPy alone: what a user of QPyTorch calls. Bits are those of the rows of spec S9 and S11."""

import math
import pathlib
import sys
import unittest
from fractions import Fraction

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))

import mxgold  # noqa: E402
from mxgold import qtorch  # noqa: E402
from mxgold.qtorch import quant  # noqa: E402
from mxgold.qtorch.number import BlockFloatingPoint, FixedPoint, FloatingPoint, Number  # noqa: E402


def f32(*values):
    return numpy.array(values, numpy.float32)


class Functions(unittest.TestCase):
    def same(self, found, *expected):
        self.assertEqual(found.dtype, numpy.float32)
        self.assertEqual(found.view(numpy.uint32).tolist(), f32(*expected).view(numpy.uint32).tolist())

    def test_float(self):
        x = f32(0.25, 1.25, 5, -2.5)
        self.same(quant.float_quantize(x, 2, 1, "nearest"), 0, 1, 4, -2)
        self.same(quant.float_quantize(x, exp=2, man=1, rounding="nearest", mode="compat"), 0.5, 1.5, 6, -3)

    def test_fixed(self):
        x = f32(-3, -0.1, 0.3, 5)
        self.same(quant.fixed_point_quantize(x, 4, 2, rounding="nearest"), -2, 0, 0.25, 1.75)
        self.same(quant.fixed_point_quantize(x, 4, 2, True, True, "nearest", mode="compat"), -1.75, -0.0, 0.25, 1.75)
        self.same(quant.fixed_point_quantize(x, 4, 2, clamp=False, rounding="nearest"), -3, 0, 0.25, 5)
        self.same(quant.fixed_point_quantize(f32(0.5, -0.5), 8, 0, rounding="doc_literal"), 0, -1)

    def test_block(self):
        x = f32(1, 0.3, 16, 0.3).reshape(2, 2)
        self.same(quant.block_quantize(x, 4, rounding="nearest").reshape(-1), 0, 0, 16, 0)
        self.same(quant.block_quantize(x, 4, 1, "nearest").reshape(-1), 0, 0.3125, 16, 0.3125)

    def test_stochastic_by_words(self):
        words = numpy.array([0x7FFFF, 0x80000], numpy.uint32)
        for mode in ("strict", "compat"):
            self.same(quant.float_quantize(f32(1.0625, 1.0625), 4, 3, mode=mode, random=words), 1, 1.125)

    def test_stochastic_by_seed(self):
        x = numpy.full(1000, 0.3, numpy.float32)
        for call in (lambda: quant.float_quantize(x, 4, 3), lambda: quant.block_quantize(x, 4),
                     lambda: quant.fixed_point_quantize(x, 8, 2)):
            quant.manual_seed(7)
            first = call()
            quant.manual_seed(7)
            self.assertEqual(first.tolist(), call().tolist())
            self.assertEqual(len(set(first.tolist())), 2)
            self.assertAlmostEqual(float(first.mean()), 0.3, delta=0.01)

    def test_words_are_the_outputs_of_mt19937(self):
        # The first outputs of std::mt19937(5489).
        quant.manual_seed(5489)
        self.assertEqual(qtorch._random.outputs(3).tolist(), [3499211612, 581869302, 3890346734])

    def test_layouts(self):
        x = numpy.arange(12, dtype=numpy.float32).reshape(3, 4) / 8
        for layout in (x.T, x[::-1, ::2], numpy.asfortranarray(x), x.astype(">f4")):
            found = quant.float_quantize(layout, 8, 23, "nearest")
            self.assertEqual(found.tolist(), layout.tolist())
        self.assertEqual(quant.float_quantize(f32().reshape(0, 3), 4, 3).shape, (0, 3))
        self.assertEqual(quant.float_quantize(numpy.float32(1.3), 2, 1, "nearest").shape, ())

    def test_modes(self):
        x = f32(2.5)
        with mxgold.mode("compat"):
            self.same(quant.float_quantize(x, 2, 1, "nearest"), 3)
            self.same(quant.float_quantize(x, 2, 1, "nearest", mode="strict"), 2)
        self.same(quant.float_quantize(x, 2, 1, "nearest"), 2)
        with mxgold.mode("compat", "cuda"):
            self.same(quant.fixed_point_quantize(x, 8, 0, rounding="nearest"), 3)

    def test_refusals(self):
        x = f32(1, 2)
        for error, call in [(AssertionError, lambda: quant.float_quantize([1.0], 4, 3)),
                            (AssertionError, lambda: quant.float_quantize(x, 4, 3, "up")),
                            (AssertionError, lambda: quant.fixed_point_quantize(x, 4, 3, rounding="up")),
                            (AssertionError,
                             lambda: quant.fixed_point_quantize(x, 4, 3, rounding="doc_literal", mode="compat")),
                            (ValueError, lambda: quant.fixed_point_quantize(x, -1, 2)),
                            (TypeError, lambda: quant.float_quantize(x, 4.0, 3)),
                            (TypeError, lambda: quant.float_quantize(x, 1 << 40, 3)),
                            (TypeError, lambda: quant.fixed_point_quantize(x, 4, 3, symmetric="a")),
                            (RuntimeError, lambda: quant.float_quantize(x.astype(numpy.float64), 4, 3)),
                            (RuntimeError, lambda: quant.float_quantize(x.astype(bool), 4, 3)),
                            (RuntimeError, lambda: quant.float_quantize(x.astype(numpy.float16), 4, 3, mode="compat")),
                            (IndexError, lambda: quant.block_quantize(x, 4, 1)),
                            (RuntimeError, lambda: quant.block_quantize(x[:0], 4)),
                            (ValueError, lambda: quant.float_quantize(x, 4, 3, mode="exact")),
                            (ValueError, lambda: quant.float_quantize(x, 4, 3, random=x[:1].view(numpy.uint32)))]:
            with self.assertRaises(error):
                call()
        half = quant.float_quantize(x.astype(numpy.float16), 4, 3, "nearest")
        self.assertEqual((half.dtype, half.tolist()), (numpy.float32, [1, 2]))


class StrictIsExact(unittest.TestCase):
    """Strict mode by rational arithmetic."""

    def setUp(self):
        generator = numpy.random.RandomState(11)
        patterns = generator.randint(0, 1 << 32, size=1500, dtype=numpy.uint32)
        near = (patterns & 0x807FFFFF) | (generator.randint(110, 140, size=1500).astype(numpy.uint32) << 23)
        coarse = near & 0xFFFC0000  # ties
        values = numpy.concatenate([patterns, near, coarse]).view(numpy.float32)
        self.x = values[numpy.isfinite(values)]
        self.random = generator.randint(0, 1 << 32, size=self.x.size, dtype=numpy.uint32)

    def compare(self, found, expected):
        for x, word, result, wanted in zip(self.x.tolist(), self.random.tolist(), found.tolist(),
                                           (expected(Fraction(x), word) for x, word in
                                            zip(self.x.tolist(), self.random.tolist()))):
            self.assertEqual(result, float(numpy.float32(float(wanted))), (x, word))

    def test_fixed(self):
        for wl, fl in ((8, 4), (3, -2), (16, 12)):
            unit = Fraction(2) ** -fl
            least, most = -Fraction(2) ** (wl - fl - 1), Fraction(2) ** (wl - fl - 1) - unit

            def clamped(code):
                return min(max(code * unit, least), most)

            self.compare(quant.fixed_point_quantize(self.x, wl, fl, rounding="nearest"),
                         lambda x, word: clamped(round(x / unit)))
            self.compare(quant.fixed_point_quantize(self.x, wl, fl, random=self.random),
                         lambda x, word: clamped(math.floor(x / unit + Fraction(word % (1 << 24), 1 << 24))))

    def test_block(self):
        for wl in (2, 5, 8, 15):
            most = 2 ** (wl - 1) - 1
            with numpy.errstate(all="ignore"):
                self.x = self.x[numpy.abs(self.x) < 1000]
            self.random = self.random[: self.x.size]
            unit = Fraction(2) ** (math.frexp(float(numpy.abs(self.x).max()))[1] - 1 - wl + 2)
            bits = 23 - wl
            self.compare(quant.block_quantize(self.x, wl, rounding="nearest"),
                         lambda x, word: max(min(round(x / unit), most), -most) * unit)
            self.compare(quant.block_quantize(self.x, wl, random=self.random),
                         lambda x, word: max(min(math.floor(x / unit + Fraction(word % (1 << bits), 1 << bits)),
                                                 most), -most) * unit)

    def test_float(self):
        for exp, man, most in ((4, 3, 448), (5, 2, 57344), (2, 1, 6), (3, 4, 31)):
            emin = 2 - 2 ** (exp - 1)

            def unit(x):
                return Fraction(2) ** (max(math.frexp(float(abs(x)))[1] - 1, emin) - man)

            def rounded(x, code):
                return math.copysign(min(code * unit(x), most), x)

            self.compare(quant.float_quantize(self.x, exp, man, "nearest"),
                         lambda x, word: rounded(x, round(abs(x) / unit(x))))
            bits = 23 - man
            self.compare(quant.float_quantize(self.x, exp, man, random=self.random),
                         lambda x, word: rounded(x, math.floor(abs(x) / unit(x)
                                                               + Fraction(word % (1 << bits), 1 << bits))))


class Numbers(unittest.TestCase):
    def test_strings(self):
        self.assertEqual(str(FixedPoint(8, 4)), "FixedPoint (wl=8, fl=4)")
        self.assertEqual(repr(FloatingPoint(5, 2)), "FloatingPoint (exponent=5, mantissa=2)")
        self.assertEqual(str(BlockFloatingPoint(8)), "BlockFloatingPoint (wl=8, dim=-1)")
        self.assertTrue(issubclass(qtorch.FixedPoint, Number))

    def test_checks(self):
        for call in (lambda: FixedPoint(0, 1), lambda: FixedPoint(1, 0), lambda: FixedPoint(1, 1, symmetric=1),
                     lambda: FloatingPoint(9, 1), lambda: FloatingPoint(1, 0), lambda: FloatingPoint(1, 24),
                     lambda: BlockFloatingPoint(0), lambda: BlockFloatingPoint(2.0), lambda: BlockFloatingPoint(2, -2)):
            with self.assertRaises(AssertionError):
                call()


class Quantizers(unittest.TestCase):
    def halves(self, mode, *numbers, **options):
        function = quant.quantizer(*numbers, "nearest", "nearest", mode=mode, **options)
        values, mask = function.forward(f32(100, 0.5, 0.3))
        return values.tolist(), function.backward(f32(1, 1, 1), mask).tolist()

    def test_forward(self):
        function = quant.quantizer(FloatingPoint(5, 2), forward_rounding="nearest")
        self.assertEqual(function(f32(1.1, -3.3)).tolist(), [1, -3.5])
        x = f32(1)
        self.assertIs(quant.quantizer()(x), x)

    def test_gradients(self):
        fixed, back = FixedPoint(4, 2), FixedPoint(8, 4)
        triple = {"backward_hooks": [lambda gradient: 3 * gradient]}
        for mode, mask_alone, hook_alone in [("strict", [0, 3, 3], [3, 3, 3]), ("compat", [1, 1, 1], [1, 1, 1])]:
            found = self.halves(mode, fixed, back, clamping_grad_zero=True, **triple)
            self.assertEqual(found, ([1.75, 0.5, 0.25], [0, 3, 3]))
            self.assertEqual(self.halves(mode, fixed, None, clamping_grad_zero=True, **triple)[1], mask_alone)
            self.assertEqual(self.halves(mode, fixed, back, **triple)[1], hook_alone)

    def test_refusals(self):
        for error, call in [(ValueError, lambda: quant.quantizer(FloatingPoint(5, 2), clamping_grad_zero=True)),
                            (AssertionError, lambda: quant.quantizer(FixedPoint(5, 2, False), clamping_grad_zero=True)),
                            (AssertionError, lambda: quant.quantizer("a")),
                            (AssertionError, lambda: quant.quantizer(forward_rounding="up"))]:
            with self.assertRaises(error):
                call()

    def test_module(self):
        module = quant.Quantizer(FixedPoint(4, 2), forward_rounding="nearest")
        self.assertEqual(module(f32(100)).tolist(), [1.75])
        with self.assertRaises(TypeError):
            quant.Quantizer(clamping_grad_zero=True)

    def test_names_of_the_package(self):
        self.assertIs(qtorch.Number, Number)
        self.assertIs(quant.quant_module.Quantizer, quant.Quantizer)
        for module in (qtorch, quant, quant.quant_function, quant.quant_module, qtorch.number):
            self.assertEqual([name for name in module.__all__ if not hasattr(module, name)], [])


class Kernels(unittest.TestCase):
    """quant_function's compiled modules by their names."""

    def bits(self, values):
        return values.view(numpy.uint32).tolist()

    def both_roundings(self, kernels, function, text, *arguments):
        """Each kernel of a function gives what the function gives."""
        x = f32(0.3, -1.25, 2.75, 100, -7)
        words = numpy.arange(5, dtype=numpy.uint32) * 0x3FFFFF
        for rounding, random in (("nearest", {}), ("stochastic", {"random": words})):
            found = getattr(kernels, f"{text}_{rounding}")(x, *arguments, **random)
            self.assertEqual(self.bits(found), self.bits(function(x, rounding, **random)), (text, rounding))

    def test_of_the_cpu(self):
        cpu = quant.quant_function.quant_cpu
        for mode in ("strict", "compat"):
            with mxgold.mode(mode):
                self.both_roundings(cpu, lambda x, r, **k: quant.float_quantize(x, 5, 2, r, **k),
                                    "float_quantize", 2, 5)
                self.both_roundings(cpu, lambda x, r, **k: quant.block_quantize(x, 4, 0, r, **k),
                                    "block_quantize", 4, 0)
                self.both_roundings(cpu, lambda x, r, **k: quant.fixed_point_quantize(x, 6, 2, True, True, r, **k),
                                    "fixed_point_quantize", 6, 2, True, True)
        values, mask = cpu.fixed_point_quantize_nearest_mask(f32(0.3, 100, -100), 6, 2, True)
        self.assertEqual((values.tolist(), mask.tolist()), ([0.25, 7.75, -7.75], [0, 1, 1]))
        values, mask = cpu.fixed_point_quantize_stochastic_mask(f32(0.3, 9), 6, 2, False, random=[0, 0])
        self.assertEqual((values.tolist(), mask.tolist()), ([0.25, 7.75], [0, 1]))

    def test_which_module(self):
        module = quant.quant_function
        self.assertIs(module.get_module(f32(1)), module.quant_cpu)
        on_device = type("Tensor", (), {"is_cuda": True})()
        self.assertIs(module.get_module(on_device), module.quant_cuda)
        self.assertFalse(hasattr(module.quant_cpu, "block_quantize_sim_nearest"))
        self.assertTrue(hasattr(module.quant_cuda, "block_quantize_sim_nearest"))

    def test_each_has_its_own_bits(self):
        module = quant.quant_function
        for name, cpu, cuda in (("compat", -2, -3), ("strict", -2, -2)):  # a tie: away from zero on a device
            for platform in ("x86", "aarch64", "cuda"):
                with mxgold.mode(name, platform):
                    found = [kernels.fixed_point_quantize_nearest(f32(-2.5), 32, 0, True, False).tolist()
                             for kernels in (module.quant_cpu, module.quant_cuda)]
                    self.assertEqual(found, [[cpu], [cuda]], (name, platform))

    def test_simulated_blocks(self):
        cuda = quant.quant_function.quant_cuda
        x, words = f32(1, 1.999, 0.0078125, -0.0234375), [0, 0x00FFFFFF, 0x00900000, 1]
        with mxgold.mode("compat"):  # of whatever platform: the kernel does not clip
            self.assertEqual(cuda.block_quantize_sim_nearest(x, 8).tolist(), [1, 2, 1 / 64, -2 / 64])
            self.assertEqual(cuda.block_quantize_sim_stochastic(x, 8, random=words).tolist(), [1, 2, 1 / 64, -2 / 64])
        found = cuda.block_quantize_sim_nearest(x, 8)
        self.assertEqual(found.tolist(), [1, 127 / 64, 0, -2 / 64])
        self.assertEqual(self.bits(found), self.bits(quant.block_quantize(x, 8, -1, "nearest")))
        self.assertEqual(self.bits(cuda.block_quantize_sim_stochastic(x, 8, random=words)),
                         self.bits(quant.block_quantize(x, 8, -1, "stochastic", random=words)))

    def test_simulated_blocks_by_seed(self):
        cuda, x = quant.quant_function.quant_cuda, numpy.linspace(0.3, 1, 999, dtype=numpy.float32)
        for mode, draw in (("compat", qtorch._random.uniforms), ("strict", qtorch._random.integers)):
            with mxgold.mode(mode):
                quant.manual_seed(3)
                found = cuda.block_quantize_sim_stochastic(x, 4)
                quant.manual_seed(3)
                self.assertEqual(self.bits(found), self.bits(cuda.block_quantize_sim_stochastic(x, 4, random=draw(x))))
                self.assertNotEqual(self.bits(found), self.bits(cuda.block_quantize_sim_stochastic(x, 4)))

    def test_arguments_by_position(self):
        cuda = quant.quant_function.quant_cuda
        call = cuda.block_quantize_sim_nearest
        for wrong in (lambda: call(f32(1), wl=8), lambda: call(f32(1), 8.0), lambda: call(f32(1))):
            with self.assertRaises(TypeError):
                wrong()
        with self.assertRaises(ValueError):
            cuda.block_quantize_sim_nearest(f32(1), 0)  # strict: a word of no bits


if __name__ == "__main__":
    unittest.main()
