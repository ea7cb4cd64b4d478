"""mxgold.torchmx with NumPy arrays, and with torch tensors where torch is installed."""

import contextlib
import importlib.util
import io
import logging
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

import numpy

import mxgold
from mxgold.torchmx import config, custom_float_cast, dtypes, mx_quantization_utils, ops, utils
from mxgold.torchmx import env_variables as env
from mxgold.torchmx.mx_tensor import (FromMXConstrFunc, MXTensor, NoopFwToMXBw, ToMXConstrFunc, dequantize_mx,
                                      quantize_mx)


def bf16(*values):
    """Words of bfloat16 of values that it holds exactly."""
    return (numpy.asarray(values, dtype=numpy.float32).view(numpy.uint32) >> 16).astype(numpy.uint16)


def words(array):
    return numpy.asarray(array).view(numpy.uint16).tolist()


def compat():
    return mxgold.mode("compat")


class Context:
    """What backward is given."""


class Quantize(unittest.TestCase):
    def test_scales_and_codes(self):
        x = bf16(1, -0.75, 3, 0.15625)
        expected = {"float8_e4m3": (0x78, [0x70, 0xEC, 0x7C, 0x5A]), "float6_e3m2": (0x7C, [0x18, 0x36, 0x1E, 0x0D]),
                    "float6_e2m3": (0x7E, [0x10, 0x2C, 0x1C, 0x02]), "float4_e2m1": (0x7E, [0x4B, 0x71]),
                    "int8": (0x7A, [0x20, -0x18, 0x60, 0x05])}
        for name, (byte, codes) in expected.items():
            scale, data = quantize_mx(x, name, 4, mode="compat")
            self.assertEqual((scale.tolist(), data.tolist()), ([byte], codes), name)
            self.assertEqual(data.dtype, numpy.int8 if name == "int8" else numpy.uint8)
            scale, data = quantize_mx(x, name, 4)
            self.assertEqual((scale.tolist(), data.tolist()), ([byte + 6 * (name == "int8")], codes), name)

    def test_exceptions(self):
        for call, error in ((lambda: quantize_mx(bf16(1), "e5m2", 1), KeyError),
                            (lambda: quantize_mx(numpy.float32([1]), "int8", 1), AssertionError),
                            (lambda: quantize_mx(bf16(1, 2, 3), "int8", 2), AssertionError),
                            (lambda: quantize_mx(bf16(1), "int8", 0), ZeroDivisionError),
                            (lambda: quantize_mx(bf16(1), "int8", -1), RuntimeError),
                            (lambda: quantize_mx(bf16(1).reshape(()), "int8", 1), IndexError)):
            for name in ("strict", "compat"):
                with mxgold.mode(name):
                    self.assertRaises(error, call)

    def test_the_environment_chooses_the_path(self):
        x = numpy.array([0x7FC0, 0xFA81, 0x7A81], dtype=numpy.uint16)
        self.assertEqual(quantize_mx(x, "float8_e4m3", 3, mode="compat")[1].tolist(), [0, 0, 0])
        env.MX_EXACT_QUANTIZATION = "True"
        try:
            self.assertEqual(quantize_mx(x, "float8_e4m3", 3, mode="compat")[1].tolist(), [0, 1, 1])
            self.assertEqual(quantize_mx(x, "float8_e4m3", 3)[1].tolist(), [0, 0, 0])
        finally:
            env.MX_EXACT_QUANTIZATION = "False"

    def test_the_environment_is_read_at_import(self):
        code = "from mxgold.torchmx import env_variables as e; print(e.MX_EXACT_QUANTIZATION, e.TORCHMX_LOG_LEVEL)"
        environment = dict(os.environ, MX_HARDWARE_EXACT_QUANTIZATION="True", TORCHMX_LOG_LEVEL="A", LOG_LEVEL="B")
        for before, expected in (("", "True A"), ("import mxgold; mxgold.mode('compat')\n", "True B")):
            found = subprocess.run([sys.executable, "-B", "-c", before + code], env=environment, check=True,
                                   stdout=subprocess.PIPE, universal_newlines=True).stdout
            self.assertEqual(found.strip(), expected)


class Dequantize(unittest.TestCase):
    def test_targets(self):
        data, scale = numpy.array([0xBC], dtype=numpy.uint8), numpy.array([128], dtype=numpy.uint8)
        for target, expected in (("float32", -3.0), (numpy.float32, -3.0), (numpy.float64, -3.0), ("float16", -3.0)):
            self.assertEqual(dequantize_mx(data, scale, "float8_e4m3", 1, target, 0).tolist(), [expected])
        self.assertEqual(words(dequantize_mx(data, scale, "float8_e4m3", 1, "bfloat16", 0)), [0xC040])
        self.assertRaises(TypeError, dequantize_mx, data, scale, "float8_e4m3", 1, "int32", 0)

    def test_scales_of_fp16(self):
        data, scale = numpy.array([0, 0x38], dtype=numpy.uint8), numpy.array([0x90, 0x90], dtype=numpy.uint8)
        found = dequantize_mx(data, scale, "float8_e4m3", 1, "float16", 0, mode="compat")
        self.assertTrue(numpy.isnan(found[0]) and numpy.isinf(found[1]))
        self.assertEqual(dequantize_mx(data, scale, "float8_e4m3", 1, "float16", 0)[0], 0)


class Tensors(unittest.TestCase):
    def test_padding(self):
        for name in ("strict", "compat"):
            m = MXTensor.to_mx(bf16(1, 2, 3, 4, 5), dtypes.float4_e2m1, 4, mode=name)
            self.assertEqual(m._scale_e8m0.tolist(), [0x7F, 0x7F])
            self.assertEqual(m._data.tolist(), [0x24, 0x56, 0x60])
            self.assertEqual((m.shape, m._padding, m._block_dim, m.dim()), ((5,), 3, 0, 1))
            self.assertEqual(m.to_dtype("float32").tolist(), [1, 2, 3, 4, 4])
        self.assertIn("padding: 3", repr(m))
        with compat():
            self.assertRaises(AssertionError, MXTensor.to_mx, bf16(*range(8)), dtypes.int8, 5)
        for dtype in dtypes.SUPPORTED_ELEM_DTYPES:
            self.assertEqual(MXTensor.to_mx(bf16(1, 2, 1, 2), dtype, 5).to_dtype("float32").tolist(), [1, 2, 1, 2])

    def test_moving_dimensions(self):
        x = bf16(*range(1, 25)).reshape(2, 3, 4)
        for name in ("strict", "compat"):
            for dtype in dtypes.SUPPORTED_ELEM_DTYPES:
                m = MXTensor.to_mx(x, dtype, 2, mode=name)
                values = m.to_dtype("float32")
                for dims in ((0, 1), (1, 2), (0, 2)):
                    moved = m.transpose(*dims)
                    self.assertTrue(numpy.array_equal(moved.to_dtype("float32"), values.swapaxes(*dims)))
                flat = m.view(6, 4)
                self.assertTrue(numpy.array_equal(flat.t().to_dtype("float32"), values.reshape(6, 4).T))
                self.assertTrue(numpy.array_equal(m.view(-1, 4).to_dtype("float32"), values.reshape(6, 4)))
                row = MXTensor.to_mx(x[:1, :1], dtype, 2, mode=name).expand(3, 2, 4).to_dtype("float32")
                self.assertTrue(numpy.array_equal(row, numpy.broadcast_to(values[0, 0], (3, 2, 4))))
                self.assertRaises(RuntimeError, m.view, 5, 4)

    def test_negative_dimensions(self):
        x = bf16(*range(1, 33)).reshape(4, 8)
        m = MXTensor.to_mx(x, dtypes.int8, 4)
        self.assertTrue(numpy.array_equal(m.transpose(-1, -2).to_dtype("float32"), m.to_dtype("float32").T))
        with compat():
            left = MXTensor.to_mx(x, dtypes.int8, 4).transpose(-1, -2)
            self.assertEqual(left._block_dim, 1)
            self.assertRaises(RuntimeError, left.to_dtype, "float32")

    def test_construction(self):
        scale, data = numpy.array([127], dtype=numpy.uint8), numpy.array([1, 2], dtype=numpy.uint8)
        self.assertRaises(ValueError, MXTensor, scale, data, dtypes.float8_e4m3, 3, "bfloat16")
        with compat():
            m = MXTensor(scale, data, dtypes.float8_e4m3, 3, "bfloat16")
            self.assertRaises(RuntimeError, m.to_dtype, "bfloat16")
            self.assertRaises(AssertionError, MXTensor, data.astype("i4"), data, dtypes.int8, 2, "bfloat16")
            self.assertRaises(AssertionError, MXTensor, scale, data.astype("i4"), dtypes.int8, 2, "bfloat16")
            self.assertRaises(AssertionError, MXTensor, scale, data, dtypes.float32, 2, "bfloat16")
            self.assertRaises(IndexError, MXTensor, scale, data, dtypes.int8, 2, "bfloat16", 0, 7)

    def test_gradients(self):
        m = ToMXConstrFunc.apply(bf16(1, 2, 3), dtypes.float4_e2m1, 2)
        for name in ("strict", "compat"):
            with mxgold.mode(name):
                m = ToMXConstrFunc.apply(bf16(1, 2, 3), dtypes.float4_e2m1, 2)
                ctx, gradient = Context(), bf16(1, 1, 1)
                self.assertEqual(FromMXConstrFunc.forward(ctx, m, "float32").tolist(), [1, 2, 3])
                if name == "compat":
                    self.assertRaises(ValueError, FromMXConstrFunc.backward, ctx, gradient)
                else:
                    self.assertIs(FromMXConstrFunc.backward(ctx, gradient)[0], gradient)
                self.assertIs(ToMXConstrFunc.backward(None, gradient)[0], gradient)
                x = bf16(1, 2)
                self.assertIs(NoopFwToMXBw.forward(ctx, x, dtypes.int8, 2), x)
                cast = NoopFwToMXBw.backward(ctx, bf16(1, 0.3125))[0]
                self.assertIsInstance(cast, MXTensor)
                self.assertEqual(cast.to_dtype("float32").tolist(), [1, 0.3125])

    def test_products(self):
        m = MXTensor.to_mx(bf16(1, 2, 3, 4, -1, 0.5, 0, 2).reshape(2, 4), dtypes.float8_e4m3, 4)
        expected = [0x41F0, 0x4100, 0x4100, 0x40A8]
        self.assertEqual(sum(words(ops.mm(m, m.t())), []), expected)
        self.assertEqual(sum(words(ops.linear(m, m)), []), expected)
        self.assertEqual(words(ops.addmm(numpy.float32([1, -2]), m, m.t()))[0], [0x41F8, 0x40C0])
        self.assertEqual(words(m.sum(0)), [0, 0x4020, 0x4040, 0x40C0])


class Floatx(unittest.TestCase):
    def test_special_values_and_slips(self):
        x = numpy.float32([numpy.inf, -numpy.inf, 500, -0.0, 7.9999995])
        cast = custom_float_cast.hp_to_floatx
        self.assertEqual(cast(x, 4, 3, 448.0, "truncate").tolist(), [448, -448, 448, 0, 7.5])
        with compat():
            self.assertEqual(cast(x, 4, 3, 448.0, "truncate").tolist(), [numpy.inf, -numpy.inf, 448, 0, 7])
            self.assertFalse(numpy.signbit(cast(x, 4, 3, 448.0))[3])
        self.assertTrue(numpy.signbit(cast(x, 4, 3, 448.0))[3])
        self.assertRaises(AssertionError, cast, bf16(1), 4, 3, 448.0)
        self.assertRaises(AssertionError, cast, x, 4, 3, 448.0, "nearest")
        self.assertRaises(OverflowError, cast, x, 4, 64, 448.0)
        self.assertEqual(cast(x.astype(numpy.float64), 4, 3, 448.0).dtype, numpy.float64)


class Helpers(unittest.TestCase):
    def test_types(self):
        self.assertEqual([str(dtype) for dtype in dtypes.SUPPORTED_ELEM_DTYPES],
                         ["float8_e4m3", "float6_e3m2", "float6_e2m3", "float4_e2m1", "int8"])
        self.assertEqual(dtypes.float22_e8m13.max, 2.0 ** 127 * (2 - 2.0 ** -13))
        self.assertRaises(AttributeError, setattr, dtypes.int8, "max", 3)

    def test_fields(self):
        sign, exponent, mantissa = mx_quantization_utils.unpack_bfloat16(bf16(-1.5, 0))
        self.assertEqual((sign.tolist(), exponent.tolist(), mantissa.tolist()), ([1, 0], [127, 0], [64, 0]))
        sign, exponent, mantissa = mx_quantization_utils.unpack_fp64(numpy.float64([-1.5]))
        self.assertEqual((sign.tolist(), exponent.tolist(), mantissa.tolist()), ([1], [1023], [1 << 51]))
        rounded = mx_quantization_utils.round_to_even(numpy.int32([83, 109, 5]), numpy.int32([2, 3, 1]))
        self.assertEqual(rounded.tolist(), [21, 14, 2])
        positions = mx_quantization_utils.leading_one_position(numpy.int16([0, 1, 64, 127, 128]))
        self.assertEqual(positions.tolist(), [-1, 0, 6, 6, -1])

    def test_steps(self):
        x = numpy.stack([bf16(1, 3), bf16(0.5, 0)])
        scale = mx_quantization_utils.get_e8m0_shared_exponent(x, dtypes.float8_e4m3)
        self.assertEqual(scale.tolist(), [120, 118])
        codes = mx_quantization_utils.quantize_mx_with_e8m0_shared_exponent_hw_exact(
            x, dtypes.float8_e4m3, scale[:, None])
        self.assertEqual(codes.tolist(), [[0x70, 0x7C], [0x78, 0]])
        self.assertEqual(mx_quantization_utils.get_fp_scale(scale).tolist(), [2.0 ** -7, 2.0 ** -9])
        values = mx_quantization_utils.dequantize_to_dtype(codes, dtypes.float8_e4m3, "float32")
        self.assertEqual(values.tolist(), [[128, 384], [256, 0]])
        values = mx_quantization_utils.dequantize_to_dtype(numpy.uint8([0x2F]), dtypes.float4_e2m1, "float32")
        self.assertEqual(values.tolist(), [1, -6])

    def test_packing(self):
        codes = numpy.arange(8, dtype=numpy.uint8).reshape(2, 4)
        self.assertEqual(utils.pack_uint4(codes).tolist(), [[0x01, 0x23], [0x45, 0x67]])
        self.assertEqual(utils.pack_uint4(codes, 0).tolist(), [[0x04, 0x15, 0x26, 0x37]])
        self.assertEqual(utils.pack_uint4(codes, 0, mode="compat").tolist(), [[0x01, 0x23, 0x45, 0x67]])
        for dim in (0, 1, -1):
            self.assertTrue(numpy.array_equal(utils.unpack_uint4(utils.pack_uint4(codes, dim), dim), codes))
        self.assertRaises(AssertionError, utils.pack_uint4, codes[:, :3])

    def test_configurations(self):
        self.assertRaises(ValueError, config.MXConfig, "float32")
        self.assertRaises(ValueError, config.MXConfig, "int8", 0)
        linear = config.QLinearConfig(config.MXConfig("int8"), config.MXConfig("int8", 16))
        self.assertEqual(config.QLinearConfig.load_from_dict(linear.to_dict()), linear)
        self.assertRaises(AssertionError, config.QAttentionConfig, linear, config.MXConfig("int8"))
        with compat():
            partial = config.QAttentionConfig(linear, config.MXConfig("int8"))
            self.assertFalse(partial.is_qkv_quantization_enabled)
            self.assertRaises(AttributeError, partial.to_dict)
        whole = config.QAttentionConfig(linear, *[config.MXConfig("int8")] * 4)
        self.assertTrue(whole.is_qkv_quantization_enabled)
        self.assertEqual(config.QAttentionConfig.load_from_dict(whole.to_dict()), whole)

    def test_modules_tell_their_names(self):
        for module in (mxgold.torchmx, config, custom_float_cast, dtypes, env, mx_quantization_utils, ops, utils,
                       mxgold.torchmx.mx_tensor):
            self.assertEqual([name for name in module.__all__ if not hasattr(module, name)], [], module.__name__)


class LogsAndSeeds(unittest.TestCase):
    def logged(self, level, file=None, **arguments):
        """What a logger of this level writes to the standard error."""
        before = env.TORCHMX_LOG_LEVEL, env.TORCHMX_LOG_FILE
        env.TORCHMX_LOG_LEVEL, env.TORCHMX_LOG_FILE = level, file
        told = io.StringIO()
        try:
            with contextlib.redirect_stderr(told):
                logger = utils.get_logger(self.id(), **arguments)
                logger.info("a")
                logger.warning("b")
        finally:
            env.TORCHMX_LOG_LEVEL, env.TORCHMX_LOG_FILE = before
            for handler in list(logging.getLogger(self.id()).handlers):
                logging.getLogger(self.id()).removeHandler(handler)
                handler.close()
        return told.getvalue()

    def test_a_logger_has_the_environments_level(self):
        self.assertEqual(self.logged("INFO", format_string="%(levelname)s %(message)s"), "INFO a\nWARNING b\n")
        self.assertEqual(self.logged("WARNING", format_string="%(name)s %(message)s"), f"{self.id()} b\n")
        self.assertRegex(self.logged("WARNING"), r"^\d{4}-.* - .* - WARNING - b\n$")
        with self.assertRaises(ValueError):
            self.logged("A")

    def test_a_logger_writes_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "log")
            self.assertEqual(self.logged("INFO", str(path), format_string="%(message)s"), "a\nb\n")
            self.assertEqual(path.read_text(), "a\nb\n")
            self.assertEqual(self.logged("WARNING", str(path), console_output=False, format_string="%(message)s"), "")
            self.assertEqual(path.read_text(), "a\nb\nb\n")

    def test_seeds_repeat(self):
        def drawn():
            utils.set_seed(7)
            return random.random(), float(numpy.random.rand())

        self.assertEqual(drawn(), drawn())
        self.assertEqual(drawn(), (random.Random(7).random(), float(numpy.random.RandomState(7).rand())))
        for beyond in (-1, 1 << 32):
            self.assertRaises(ValueError, utils.set_seed, beyond)


@unittest.skipIf(importlib.util.find_spec("torch") is None, "torch is not installed")
class TorchTensors(unittest.TestCase):
    def test_operators_have_the_packages_names(self):
        import torch

        quantize_mx(torch.zeros(4, dtype=torch.bfloat16), "int8", 4)  # torch's side is there from here on
        x = torch.tensor([1, -3, 0.5, 100], dtype=torch.bfloat16)
        for name in ("strict", "compat"):
            with mxgold.mode(name):
                for element in dtypes.STR_TO_SUPPORTED_ELEM_DTYPE:
                    scale, data = torch.ops.torchmx.quantize_mx(x, element, 2)
                    for found, wanted in zip((scale, data), quantize_mx(x, element, 2)):
                        self.assertTrue(torch.equal(found, wanted), (name, element))
                    values = torch.ops.torchmx.dequantize_mx(data, scale, element, 2, torch.float32, -1)
                    self.assertTrue(torch.equal(values, dequantize_mx(data, scale, element, 2, torch.float32, -1)))
                offsets = {"strict": 128, "compat": 122}  # of the scale byte of int8
                self.assertEqual(int(torch.ops.torchmx.quantize_mx(x, "int8", 2)[0][0]), offsets[name])
        self.assertRaises(KeyError, torch.ops.torchmx.quantize_mx, x, "float32", 2)
        with torch.device("meta"):
            scale, data = torch.ops.torchmx.quantize_mx(torch.empty(3, 64, dtype=torch.bfloat16), "float4_e2m1", 32)
        self.assertEqual((tuple(scale.shape), tuple(data.shape)), ((3, 2), (3, 32)))

    def test_operators_of_the_package_stay(self):
        """Another's operator torchmx::quantize_mx, registered before or after."""
        theirs = """
import torch
@torch.library.custom_op("torchmx::quantize_mx", mutates_args=())
def theirs(data_hp: torch.Tensor, elem_dtype_name: str, block_size: int) -> torch.Tensor:
    return data_hp + 1
"""
        ours = "import torch, mxgold.torchmx as ours; x = torch.zeros(4, dtype=torch.bfloat16)\n"
        told = """
print(torch.ops.torchmx.quantize_mx(x, "int8", 4).tolist())
print(ours.quantize_mx(x, "int8", 4)[0].tolist())
print(torch.ops.torchmx.dequantize_mx(x.char(), x[:1].byte() + 127, "int8", 4, torch.float32, 0).tolist())
"""
        for order in (theirs + ours, ours + theirs):
            found = subprocess.run([sys.executable, "-B", "-W", "ignore", "-c", order + told], check=True,
                                   stdout=subprocess.PIPE, universal_newlines=True).stdout
            self.assertEqual(found.split("\n"), ["[1.0, 1.0, 1.0, 1.0]", "[0]", "[0.0, 0.0, 0.0, 0.0]", ""])

    def test_random_numbers_are_torchs(self):
        import torch

        utils.set_seed(5)
        found = utils.get_uniform_random_number(-2, 6, (3, 4), torch.float32)
        torch.manual_seed(5)
        self.assertTrue(torch.equal(found, 8 * torch.rand(3, 4) - 2))

    def test_gradients_pass_through(self):
        import torch

        x = torch.arange(8, dtype=torch.bfloat16).requires_grad_()
        for name in ("strict", "compat"):
            with mxgold.mode(name):
                m = MXTensor.to_mx(x, dtypes.float8_e4m3, 4)
                self.assertIsInstance(m, MXTensor)
                self.assertIsInstance(m, torch.Tensor)
                x.grad = None
                m.to_dtype(torch.float32).backward(torch.full((8,), 0.5))
                self.assertTrue(torch.equal(x.grad, torch.full((8,), 0.5, dtype=torch.bfloat16)))
                padded = MXTensor.to_mx(x, dtypes.float4_e2m1, 6).to_dtype(torch.float32)
                if name == "compat":
                    self.assertRaises(ValueError, padded.sum().backward)
                else:
                    padded.sum().backward()

    def test_the_gradient_is_cast(self):
        import torch

        x = torch.ones(4, dtype=torch.bfloat16, requires_grad=True)
        NoopFwToMXBw.apply(x, dtypes.float8_e4m3, 4).backward(torch.tensor([1, 2, 3, 4.0], dtype=torch.bfloat16))
        self.assertIsInstance(x.grad, MXTensor)
        self.assertEqual(x.grad.to_dtype(torch.float32).tolist(), [1, 2, 3, 4])

    def test_products_are_torchs(self):
        import torch

        x = torch.randn(4, 8).bfloat16()
        m = MXTensor.to_mx(x, dtypes.int8, 4)
        values = m.to_dtype(torch.bfloat16)
        self.assertTrue(torch.equal(torch.mm(m, m.t()), torch.mm(values, values.t())))
        self.assertRaises(NotImplementedError, lambda: m + m)
        self.assertRaises(AssertionError, lambda: m.to(torch.float32))


if __name__ == "__main__":
    unittest.main()
