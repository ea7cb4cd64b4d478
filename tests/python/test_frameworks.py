"""Arrays of other frameworks in and out, torch's and JAX's: types, memory, operators, gradients. Those of a framework that
is not installed are skipped."""

import os
import pickle
import subprocess
import sys
import unittest
import unittest.mock

import numpy

import mxgold

try:
    import torch
except ImportError:
    torch = None

try:
    import jax
    import jax.numpy as jnp
except ImportError:
    jax = None

NEEDED = unittest.skipIf(torch is None, "torch is not installed: its tensors are not tested")
#: Formats and the types of torch that hold them.
TYPES = {"fp64": "float64", "fp32": "float32", "fp16": "float16", "bf16": "bfloat16", "e4m3fn": "float8_e4m3fn",
         "e5m2": "float8_e5m2", "e4m3fnuz": "float8_e4m3fnuz", "e5m2fnuz": "float8_e5m2fnuz", "e8m0": "float8_e8m0fnu"}
UNSIGNED = {1: "uint8", 2: "uint16", 4: "uint32", 8: "uint64"}


def unsigned(tensor):
    """The words of a tensor as NumPy has them."""
    return tensor.view(getattr(torch, f"int{8 * tensor.element_size()}")).numpy().view(f"u{tensor.element_size()}")


def unsigned_tensor(tensor):
    return tensor.view(getattr(torch, f"int{8 * tensor.element_size()}"))


@NEEDED
class Types(unittest.TestCase):
    def test_every_code_of_every_type_goes_in(self):
        for name, kind in TYPES.items():
            size = mxgold.format(name).storage_bytes
            words = (numpy.arange(256) if size == 1 else numpy.arange(1 << 16) << (8 * size - 16)).astype(f"u{size}")
            tensor = torch.from_numpy(words.view(f"i{size}")).view(getattr(torch, kind))
            found = mxgold.convert(tensor, "fp64")
            self.assertEqual((found.dtype, found.shape), (torch.float64, tensor.shape), kind)
            numpy.testing.assert_array_equal(unsigned(found), mxgold.bits(mxgold.convert(words, "fp64", source=name)))

    def test_every_type_comes_out_as_torch_rounds(self):
        x = torch.linspace(0.01, 240, 4097)  # nothing overflows
        for name, kind in TYPES.items():
            found = mxgold.convert(x, name)
            self.assertIs(found.dtype, getattr(torch, kind))
            numpy.testing.assert_array_equal(unsigned(found), mxgold.bits(mxgold.convert(x.numpy(), name)), name)
            if name != "e8m0":
                self.assertTrue(torch.equal(found.double(), x.to(found.dtype).double()), name)

    def test_formats_without_a_type_are_unsigned(self):
        x = torch.linspace(-6, 6, 97)
        for name in ("e2m1fn", "e3m2fn", "e4m3", "tf32", "e5m10", "int12"):
            found = mxgold.convert(x, name)
            self.assertIs(found.dtype, getattr(torch, UNSIGNED[mxgold.format(name).storage_bytes]))
            numpy.testing.assert_array_equal(unsigned(found), mxgold.bits(mxgold.convert(x.numpy(), name)))

    def test_types_name_formats(self):
        for name, kind in TYPES.items():
            for given in (getattr(torch, kind), kind, f"torch.{kind}"):
                self.assertEqual(str(mxgold.format(given)), name)
        self.assertEqual(str(mxgold.format(torch.float4_e2m1fn_x2)), "e2m1fn")
        x = torch.tensor([1.0, 1.0625])
        self.assertIs(mxgold.convert(x, torch.float8_e4m3fn).dtype, torch.float8_e4m3fn)
        with self.assertRaisesRegex(ValueError, "unknown format 'complex64'"):
            mxgold.format(torch.complex64)

    def test_codes_of_e2m1fn_two_a_byte(self):
        packed = torch.tensor([[0x10, 0x32], [0xBA, 0xFE]], dtype=torch.uint8).view(torch.float4_e2m1fn_x2)
        found = mxgold.convert(packed, "fp32")
        self.assertEqual(found.tolist(), [[0, 0.5, 1, 1.5], [-1, -1.5, -4, -6]])
        q = mxgold.quantize(packed, "mxfp8_e4m3")
        self.assertEqual(q.dequantize().tolist(), found.tolist())

    def test_what_holds_no_codes_is_refused(self):
        with self.assertRaisesRegex(TypeError, "complex64"):
            mxgold.convert(torch.zeros(3, dtype=torch.complex64), "fp16")
        with self.assertRaisesRegex(TypeError, "int64.*astype.*source="):
            mxgold.convert(torch.arange(3), "fp16")
        with self.assertRaisesRegex(TypeError, "sparse.*to_dense"):
            mxgold.convert(torch.eye(3).to_sparse(), "fp16")
        with self.assertRaisesRegex(TypeError, "codes of e5m2"):
            mxgold.convert(torch.zeros(3).to(torch.float8_e4m3fn), "fp32", source="e5m2")


@NEEDED
class Blocks(unittest.TestCase):
    def test_all_of_a_quantized_is_of_torch(self):
        x = torch.randn(4, 96, generator=torch.Generator().manual_seed(1))
        for name, codes, scales in (("mxfp8_e4m3", torch.float8_e4m3fn, torch.float8_e8m0fnu),
                                    ("mxfp8_e5m2", torch.float8_e5m2, torch.float8_e8m0fnu),
                                    ("mxfp4", torch.uint8, torch.float8_e8m0fnu), ("nvfp4", torch.uint8, torch.uint8)):
            q, wanted = mxgold.quantize(x, name), mxgold.quantize(x.numpy(), name)
            self.assertEqual((q.codes.dtype, q.scales.dtype), (codes, scales))
            self.assertEqual((q.code_bits.dtype, q.scale_bits.dtype), (torch.uint8, torch.uint8))
            self.assertEqual((q.codes.shape, q.scales.shape), (x.shape, wanted.scales.shape))
            self.assertEqual(q.code_bits.tolist(), wanted.code_bits.tolist())
            self.assertEqual(q.scale_bits.tolist(), wanted.scale_bits.tolist())
            values = q.dequantize()
            self.assertIs(values.dtype, torch.float32)
            numpy.testing.assert_array_equal(values.numpy(), wanted.dequantize())
            self.assertIs(q.dequantize(torch.bfloat16).dtype, torch.bfloat16)
            again = mxgold.dequantize(q.codes, q.scales, name, tensor_scale=q.tensor_scale if name == "nvfp4" else None)
            self.assertTrue(torch.equal(again, values))
            self.assertIsInstance(numpy.asarray(q), numpy.ndarray)
            self.assertEqual(q.codes.data_ptr(), q.codes.data_ptr())

    def test_values_by_dlpack(self):
        q = mxgold.quantize(torch.linspace(-3, 3, 64), "mxfp4")
        self.assertTrue(torch.equal(torch.from_dlpack(q), q.dequantize()))

    def test_hadamard(self):
        x = torch.randn(3, 32, generator=torch.Generator().manual_seed(2))
        y = mxgold.hadamard(x, 0xD7E8)
        numpy.testing.assert_array_equal(y.numpy(), mxgold.hadamard(x.numpy(), 0xD7E8))
        q = mxgold.quantize(x, "nvfp4", hadamard=0xD7E8)
        self.assertIsInstance(q.dequantize(undo_hadamard=True), torch.Tensor)

    def test_layouts_and_gradients(self):
        x = torch.randn(64, 5, generator=torch.Generator().manual_seed(3))
        wanted = mxgold.quantize(x.numpy().T.copy(), "mxfp6_e2m3")
        for each in (x.t(), x.t().contiguous(), x.clone().requires_grad_().t(), -(-x).t()):
            self.assertEqual(mxgold.quantize(each, "mxfp6_e2m3").code_bits.tolist(), wanted.code_bits.tolist())
        self.assertEqual(mxgold.quantize(torch._neg_view(-x).t(), "mxfp6_e2m3").code_bits.tolist(),
                         wanted.code_bits.tolist())
        self.assertEqual(mxgold.convert(torch.tensor(1.0625), "e4m3fn").shape, ())
        self.assertEqual(mxgold.quantize(torch.empty(0, 32), "mxfp4").codes.shape, (0, 32))


@NEEDED
class Out(unittest.TestCase):
    def test_results_are_written_into_a_tensor(self):
        x = torch.linspace(-3, 3, 33)
        for kind in (torch.float8_e4m3fn, torch.uint8):
            out = torch.empty(33, dtype=kind)
            self.assertIs(mxgold.convert(x, "e4m3fn", out=out), out)
            self.assertEqual(unsigned(out).tolist(), unsigned(mxgold.convert(x, "e4m3fn")).tolist())

    def test_what_cannot_be_out_is_refused(self):
        x = torch.linspace(-3, 3, 32)
        for out, exception, wanted in (
                (numpy.empty(32, "u1"), TypeError, "give a tensor"),
                (torch.empty(31, dtype=torch.uint8), ValueError, "shape"),
                (torch.empty(64, dtype=torch.uint8)[::2], ValueError, "side by side"),
                (torch.empty(32, dtype=torch.int8), ValueError, "int8"),
                (torch.empty(32, dtype=torch.float8_e5m2), ValueError, "e5m2|uint8"),
                (x.view(torch.uint8)[:32], ValueError, "shares memory with x")):
            before = out.tolist() if not hasattr(out, "dtype") or out.dtype in (torch.uint8, torch.int8) else None
            with self.assertRaisesRegex(exception, "^out: .*" + wanted):
                mxgold.convert(x, "e4m3fn", out=out)
            if before is not None and isinstance(out, torch.Tensor):
                self.assertEqual(out.tolist(), before)
        with self.assertRaisesRegex(TypeError, "give a NumPy array; of a torch tensor give a tensor for x"):
            mxgold.convert(x.numpy(), "e4m3fn", out=torch.empty(32, dtype=torch.uint8))


@NEEDED
class Operators(unittest.TestCase):
    def setUp(self):
        import mxgold.torch

        self.ops = mxgold.torch
        self.x = torch.randn(4, 64, generator=torch.Generator().manual_seed(4))

    def test_torch_checks_them(self):
        from torch.library import opcheck

        x, ops = self.x, torch.ops.mxgold
        known = x.clone().requires_grad_()
        for op, arguments in ((ops.convert, (x, "e4m3fn", "", None, 0, 0)), (ops.convert, (x, "e2m1fn", "te", None, -1, 7)),
                              (ops.quantize, (x, "nvfp4", "", -1, None, 0, 0, None)),
                              (ops.quantize, (x, "mxfp8_e4m3", "block_size=16", 0, None, 0, 0, None)),
                              (ops.quantize, (x, "sbfp12_16_4", "", -1, None, 0, 0, None)),
                              (ops.dequantize, (*self.ops.quantize(x, "nvfp4")[:2], "nvfp4", "", -1, 0.5, "bf16")),
                              (ops.fake_quantize, (known, "mxfp4", "", -1, 0, 0, "straight_through")),
                              (ops.fake_quantize, (known, "e2m1fn", "", -1, 0, 0, "clipped")),
                              (ops.fake_quantize, (known, "e2m1fn", "", -1, 0, 0, "none"))):
            self.assertEqual(set(opcheck(op, arguments).values()), {"SUCCESS"})

    def test_they_give_what_the_functions_give(self):
        x = self.x
        words = mxgold.convert(x, "e4m3fn", "rounding=stochastic_a,random_bits=8", seed=(1 << 64) - 1, tensor_index=3)
        found = self.ops.convert(x, torch.float8_e4m3fn, rounding="SR", random_bits=8, seed=(1 << 64) - 1, tensor_index=3)
        self.assertEqual(unsigned(found).tolist(), unsigned(words).tolist())
        q = mxgold.quantize(x, "nvfp4", axis=0)
        codes, scales, level = self.ops.quantize(x, "nvfp4", axis=0)
        self.assertTrue(torch.equal(codes, q.codes) and torch.equal(scales, q.scales))
        self.assertEqual((level.dtype, level.item()), (torch.float32, float(q.tensor_scale)))
        self.assertTrue(torch.equal(self.ops.dequantize(codes, scales, "nvfp4", axis=0, tensor_scale=level.item()),
                                    q.dequantize()))
        for name in ("mxfp8_e4m3", "nvfp4"):
            self.assertTrue(torch.equal(self.ops.fake_quantize(x, name), mxgold.quantize(x, name).dequantize()))
        half = x.bfloat16()
        self.assertTrue(torch.equal(self.ops.fake_quantize(half, "mxfp4"),
                                    mxgold.quantize(half, "mxfp4").dequantize(torch.bfloat16)))
        self.assertTrue(torch.equal(self.ops.fake_quantize(x, "e4m3fn"), x.to(torch.float8_e4m3fn).float()))

    def test_a_graph_holds_them_whole(self):
        def function(x):
            codes, scales, _ = self.ops.quantize(x * 2, "mxfp8_e4m3", profile="te")
            return (self.ops.fake_quantize(x, "mxfp4", rounding="RTZ") + 1
                    + self.ops.dequantize(codes, scales, "mxfp8_e4m3") + self.ops.convert(x, torch.bfloat16))

        for dynamic in (False, True):
            compiled = torch.compile(function, backend="aot_eager", fullgraph=True, dynamic=dynamic)
            for x in (self.x, self.x[:3, :33].contiguous()):
                self.assertTrue(torch.equal(compiled(x), function(x)))

    def test_gradients(self):
        for name, given, clipped in (("e2m1fn", [100.0, 1, -7, 6, -6, 6.9, 0.1], [0.0, 1, 0, 1, 1, 0, 1]),
                                     ("mxfp8_e4m3", [480.0, 1, -448, 464, 449, -480, 3], [0.0, 1, 1, 0, 0, 0, 1])):
            for gradient, wanted in (("straight_through", [1.0] * 7), ("clipped", clipped), ("none", None)):
                x = torch.tensor(given, requires_grad=True)
                self.ops.fake_quantize(x, name, gradient=gradient).sum().backward()
                self.assertEqual(None if x.grad is None else x.grad.tolist(), wanted, (name, gradient))
        with self.assertRaisesRegex(ValueError, "gradient 'ste' is none of none, straight_through, clipped"):
            self.ops.fake_quantize(self.x, "mxfp4", gradient="ste")
        with self.assertRaisesRegex(ValueError, "unknown format"):
            self.ops.fake_quantize(self.x, "mxfp5")


@NEEDED
@unittest.skipUnless(os.environ.get("MXGOLD_CUDA_LIBRARY"), "MXGOLD_CUDA_LIBRARY names no library: its calls are not tested")
class OnADevice(unittest.TestCase):
    """The device path of tensors, by the same arithmetic on the host: what is handed to the library, and what comes back."""

    def there(self, x, name, policy="", axis=-1, key=(0, 0)):
        from mxgold import _cuda

        return _cuda.quantize_there(x, mxgold.format(name), mxgold.policy(policy), axis, key,
                                    _cuda.Run(torch, x.device, on_host=True))

    def test_codes_scales_values_and_flags(self):
        generator, count = torch.Generator().manual_seed(5), 0
        for name in mxgold.formats("blocks"):
            for kind in (torch.float32, torch.bfloat16, torch.float16):
                for policy in ("", "rounding=toward_zero,rule=ceil", "te", "rounding=stochastic_a,random_bits=8"):
                    for shape, axis in (((4, 64), -1), ((64, 5), 0), ((2, 70, 3), 1)):
                        spread = torch.exp2(torch.randint(-9, 9, shape, generator=generator).float())
                        x = (torch.randn(shape, generator=generator) * spread).to(kind)
                        try:
                            wanted = mxgold.quantize(x, name, policy, axis=axis, seed=3, tensor_index=2)
                        except ValueError:
                            continue
                        q = self.there(x, name, policy, axis, (3, 2))
                        if q is None:
                            continue
                        count += 1
                        for field in ("code_bits", "scale_bits", "codes", "scales"):
                            self.assertEqual(getattr(q, field).dtype, getattr(wanted, field).dtype)
                            self.assertTrue(torch.equal(unsigned_tensor(getattr(q, field)), unsigned_tensor(getattr(wanted, field))))
                        self.assertEqual((q.flags, q.shape, q.axis, q.tensor_scale, q.policy),
                                         (wanted.flags, wanted.shape, wanted.axis, wanted.tensor_scale, wanted.policy))
                        for output in ("fp32", "bf16", "fp16", "fp64"):
                            self.assertTrue(torch.equal(unsigned_tensor(q.dequantize(output)),
                                                        unsigned_tensor(wanted.dequantize(output))), (name, policy, output))
                        copied = pickle.loads(pickle.dumps(q))
                        self.assertEqual(copied.codes.tobytes(), numpy.asarray(wanted.code_bits).tobytes())
        self.assertGreater(count, 400)

    def test_what_has_no_path_is_left_to_the_host(self):
        x = torch.ones(4, 64)
        for given, name, policy in ((x.double(), "mxfp4", ""), (x.t(), "mxfp4", ""), (x[:0], "mxfp4", ""),
                                    (x, "fp8_e4m3_fp32_row", ""), (x / 0, "nvfp4", ""), (x, "mxfp8_e4m3", "torchao-0.18:rceil")):
            self.assertIsNone(self.there(given, name, policy))

    def test_a_device_that_is_wrong_is_found_at_its_first_use(self):
        from mxgold import _cuda

        def broken(*arguments):
            started = _start(*arguments)
            if started is not None:
                started[1].view(torch.uint8).view(-1)[17] ^= 1
            return started

        _start = _cuda._start
        _cuda._agrees.cache_clear()
        with unittest.mock.patch.object(_cuda, "_start", broken), self.assertRaisesRegex(mxgold.Error, "scales of mxfp4"):
            self.there(torch.ones(4, 64), "mxfp4", "rounding=to_odd")
        self.assertIsNotNone(self.there(torch.ones(4, 64), "mxfp4", "rounding=toward_zero"))


@NEEDED
class Imports(unittest.TestCase):
    def test_torch_is_not_imported_for_arrays(self):
        program = ("import sys, numpy, mxgold; mxgold.quantize(numpy.ones(32, 'f4'), 'mxfp4').dequantize(); "
                   "sys.exit('torch' in sys.modules)")
        self.assertEqual(subprocess.run([sys.executable, "-c", program], check=False).returncode, 0)


@unittest.skipIf(jax is None, "jax is not installed: its arrays are not tested")
class Jax(unittest.TestCase):
    def test_every_type_in_and_out(self):
        x = jnp.linspace(-200, 200, 257)
        for name, kind in (("fp32", jnp.float32), ("fp16", jnp.float16), ("bf16", jnp.bfloat16), ("e4m3fn", jnp.float8_e4m3fn),
                           ("e5m2", jnp.float8_e5m2), ("e4m3fnuz", jnp.float8_e4m3fnuz), ("e4m3", jnp.float8_e4m3)):
            self.assertEqual(str(mxgold.format(kind)), name)
            found = mxgold.convert(x, kind)
            self.assertEqual(found.dtype, jnp.dtype(kind))
            self.assertEqual(found.tobytes(), numpy.asarray(x.astype(kind)).tobytes(), name)
            back = mxgold.convert(jnp.asarray(found), "fp64")
            self.assertEqual(back.tolist(), numpy.asarray(found).astype("f8").tolist())

    def test_blocks(self):
        x = jax.random.normal(jax.random.key(0), (4, 64)).astype(jnp.bfloat16)
        q = mxgold.quantize(x, "mxfp8_e4m3")
        self.assertEqual(q.codes.tobytes(), mxgold.quantize(numpy.asarray(x), "mxfp8_e4m3").codes.tobytes())
        self.assertEqual(jnp.from_dlpack(q).tolist(), q.dequantize().tolist())


class WithoutTorch(unittest.TestCase):
    """What stands in for torch where it is missing: dlpack and types by name."""

    def test_arrays_by_dlpack_alone(self):
        class Elsewhere:
            def __init__(self, array):
                self.array = array

            def __dlpack__(self, **options):
                return self.array.__dlpack__(**options)

            def __dlpack_device__(self):
                return self.array.__dlpack_device__()

        x = numpy.linspace(-3, 3, 33).astype("f4")
        found = mxgold.convert(Elsewhere(x), "e4m3fn")
        self.assertEqual(mxgold.bits(found).tolist(), mxgold.bits(mxgold.convert(x, "e4m3fn")).tolist())
        q = mxgold.quantize(Elsewhere(x), "mxfp4")
        numpy.testing.assert_array_equal(numpy.from_dlpack(q), q.dequantize())

    def test_types_of_numpy_name_formats(self):
        for given, name in ((numpy.float16, "fp16"), (numpy.dtype("f4"), "fp32"), (numpy.float64, "fp64")):
            self.assertEqual(str(mxgold.format(given)), name)
        x = numpy.linspace(-3, 3, 9)
        self.assertEqual(mxgold.convert(x, numpy.float16).tolist(), mxgold.convert(x, "fp16").tolist())
        for given in (numpy.int8, numpy.dtype("u2")):
            with self.assertRaisesRegex(TypeError, rf"{numpy.dtype(given).name}.*fixed{8 * numpy.dtype(given).itemsize}"):
                mxgold.format(given)
        for given in (None, 8, float, x, [numpy.float16]):
            with self.assertRaisesRegex(TypeError, "format: a name, a format or a type"):
                mxgold.format(given)

    def test_nonsense_is_a_type_error(self):
        for x in (None, "1.5", ["1.5"], object(), {"a": 1}, numpy.array(["x"]), 1 + 2j):
            for call in (lambda x: mxgold.convert(x, "e4m3fn"), lambda x: mxgold.quantize(x, "mxfp4"),
                         lambda x: mxgold.conversion_flags(x, "e4m3fn"), mxgold.bits):
                with self.assertRaises(TypeError, msg=repr(x)):
                    call(x)


if __name__ == "__main__":
    unittest.main()
