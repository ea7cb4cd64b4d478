# SPDX-License-Identifier: Apache-2.0
"""Files of the safetensors format: there and back, beside the program, from other systems, and damaged."""

import contextlib
import importlib.util
import io
import json
import os
import pathlib
import pickle
import subprocess
import tempfile
import unittest
from unittest import mock

import numpy

import mxgold

PROGRAM = os.environ.get("MXGOLD_PROGRAM")
ROOT = pathlib.Path(__file__).resolve().parents[3]


def numbers(*shape, seed=0):
    return numpy.random.default_rng(seed).standard_normal(shape).astype(numpy.float32)


def written(path, header, data=b"", length=None):
    """A file of a header and data, without any care."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    pathlib.Path(path).write_bytes((len(text) if length is None else length).to_bytes(8, "little") + text + data)


def header_of(path):
    raw = pathlib.Path(path).read_bytes()
    length = int.from_bytes(raw[:8], "little")
    return json.loads(raw[8:8 + length]), raw[8 + length:]


class InAFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.path = str(self.folder / "w.safetensors")

    def refused(self, text, *args, error=ValueError, **kwargs):
        with self.assertRaisesRegex(error, text):
            mxgold.load(self.path, *args, **kwargs)


class ThereAndBack(InAFolder):
    def test_a_quantized_of_every_format_comes_back_equal(self):
        x = numbers(6, 128)
        everything = {name: mxgold.quantize(x, name, seed=1) for name in mxgold.formats("blocks")}
        for codes in ("own", "bytes"):
            mxgold.save(self.path, everything, codes=codes)
            back = mxgold.load(self.path)
            self.assertEqual(sorted(back), sorted(everything))
            for name, q in everything.items():
                self.assertEqual(back[name], q, name)
                self.assertEqual(back[name].dequantize().tobytes(), q.dequantize().tobytes(), name)
                self.assertEqual(back[name].codes.dtype, q.codes.dtype)
        self.assertGreater(len(everything), 50)

    def test_policies_axes_levels_transforms(self):
        x = numbers(32, 48)
        made = {"plain": mxgold.quantize(x, "mxfp4"),
                "axis": mxgold.quantize(x, "mxfp4", axis=0),
                "te": mxgold.quantize(x, "mxfp8_e4m3", "te"),
                "variant": mxgold.quantize(x, "mxfp8_e4m3", "torchao-0.18:rceil,rounding=toward_zero"),
                "mixed": mxgold.quantize(x, "mxfp8_e4m3", "ml_dtypes-0.6,blocks_as=mxgold-default"),
                "small": mxgold.quantize(x, "mxfp6_e2m3", "block_size=8,rule=ceil"),
                "drawn": mxgold.quantize(x, "mxint8", "rounding=stochastic_a,random_bits=8", seed=3),
                "level": mxgold.quantize(x, "nvfp4", "te"),
                "scale": mxgold.quantize(x, "nvfp4", tensor_scale=0.3),
                "divides": mxgold.quantize(x, "nvfp4", "compressed-tensors-0.20"),
                "transformed": mxgold.quantize(x, "nvfp4", hadamard=0xD7E8, hadamard_signs="last"),
                "half": mxgold.quantize(x.astype(numpy.float16), "mxfp8_e5m2"),
                "codes": mxgold.quantize(mxgold.bits(mxgold.convert(x, "e5m2")), "mxfp4", source="e5m2"),
                "tile": mxgold.quantize(x, "nvfp4_16x16"),
                "one": mxgold.quantize(numpy.float32(3), "mxfp4"),
                "none": mxgold.quantize(numpy.zeros((0, 5), numpy.float32), "mxfp4"),
                "odd": mxgold.quantize(numbers(3, 5), "mxfp4"),
                "saturated": mxgold.quantize([numpy.nan, 1e30], "mxfp8_e4m3")}
        mxgold.save(self.path, made)
        for name, q in mxgold.load(self.path).items():
            self.assertEqual(q, made[name], name)
            self.assertEqual(pickle.loads(pickle.dumps(q)), made[name], name)
        for name, q in made.items():  # each alone: fields without its name
            mxgold.save(self.path, {name: q})
            self.assertEqual(mxgold.load(self.path), {name: q}, name)

    def test_the_types_of_the_format(self):
        x = numbers(4, 64)
        made = {name: mxgold.quantize(x, name) for name in ("mxfp8_e4m3", "mxfp8_e5m2", "mxfp6_e2m3", "mxfp6_e3m2", "mxfp4",
                                                            "mxint8", "nvfp4", "fp8_e4m3_fp32_row", "bfp16_32")}
        mxgold.save(self.path, made)
        header, data = header_of(self.path)
        kinds = {name: (header[f"{name}.codes"]["dtype"], header[f"{name}.scales"]["dtype"]) for name in made}
        self.assertEqual(kinds, {"mxfp8_e4m3": ("F8_E4M3", "F8_E8M0"), "mxfp8_e5m2": ("F8_E5M2", "F8_E8M0"),
                                 "mxfp6_e2m3": ("F6_E2M3", "F8_E8M0"), "mxfp6_e3m2": ("F6_E3M2", "F8_E8M0"),
                                 "mxfp4": ("F4", "F8_E8M0"), "mxint8": ("U8", "F8_E8M0"), "nvfp4": ("F4", "F8_E4M3"),
                                 "fp8_e4m3_fp32_row": ("F8_E4M3", "F32"), "bfp16_32": ("U8", "U8")})
        begin, end = header["mxfp4.codes"]["data_offsets"]
        self.assertEqual((header["mxfp4.codes"]["shape"], end - begin), ([4, 64], 128))
        self.assertEqual(data[begin:end], made["mxfp4"].packed().tobytes())
        begin, end = header["mxfp6_e2m3.codes"]["data_offsets"]
        self.assertEqual(data[begin:end], made["mxfp6_e2m3"].packed("dense6").tobytes())
        order = sorted((entry["data_offsets"][0], name) for name, entry in header.items() if name != "__metadata__")
        widths = [{"F32": 32, "F4": 4, "F6_E2M3": 6, "F6_E3M2": 6}.get(header[name]["dtype"], 8) for _, name in order]
        self.assertEqual(widths, sorted(widths, reverse=True))
        odd = mxgold.quantize(numbers(2, 33), "mxfp4")
        mxgold.save(self.path, {"odd": odd})
        self.assertEqual(header_of(self.path)[0]["odd.codes"]["dtype"], "U8")

    def test_arrays_come_back_as_they_were(self):
        arrays = {"f4": numbers(2, 3), "f8": numpy.float64([[1, 2]]), "f2": numpy.float16(3.5), "i8": numpy.int64([-1, 5]),
                  "u1": numpy.uint8([[1]]), "b": numpy.array([True, False]), "i1": numpy.int8([-3]), "u2": numpy.uint16([9]),
                  "c": numpy.complex64([1 + 2j]), "none": numpy.zeros((3, 0, 2), numpy.float32),
                  "strided": numpy.arange(12, dtype=numpy.float32).reshape(3, 4).T, "big": numpy.array([1.5], ">f4")}
        mxgold.save(self.path, arrays)
        back = mxgold.load(self.path)
        for name, array in arrays.items():
            self.assertEqual((back[name].shape, back[name].dtype), (array.shape, array.dtype.newbyteorder("=")), name)
            numpy.testing.assert_array_equal(back[name], array)
            self.assertTrue(back[name].flags.writeable)
        self.assertEqual(sorted(mxgold.load(self.path, ["c", "b"])), ["b", "c"])
        mxgold.save(self.path, {})
        self.assertEqual(mxgold.load(self.path), {})
        mxgold.save(self.path, {"x": [1, 2]}, metadata={"who": "me"})
        self.assertEqual(header_of(self.path)[0]["__metadata__"], {"who": "me"})

    def test_refusals(self):
        q = mxgold.quantize([1, 2], "mxfp4")
        for call, text in ((lambda: mxgold.save(self.path, {"w": q, "w.codes": numbers(2)}), r"w\.codes: the file has this name"),
                           (lambda: mxgold.save(self.path, {"__metadata__": numbers(2)}), "__metadata__: the file has"),
                           (lambda: mxgold.save(self.path, {"w": q}, metadata={"axis": "1"}), "metadata 'axis': says how"),
                           (lambda: mxgold.save(self.path, {"w": q}, codes="packed"), "own or bytes")):
            with self.assertRaisesRegex(ValueError, text):
                call()
        with self.assertRaises(TypeError):
            mxgold.save(self.path, {"w": "text"})
        self.assertEqual(os.listdir(self.folder), [])
        mxgold.save(self.path, {"w": q, "v": q})
        self.refused("unknown tensor 'ww'; did you mean 'w'", ["ww"])
        self.refused("unknown layout 'mxgolds'; did you mean 'mxgold'", layout="mxgolds")
        mxgold.save(self.path, {"v": numbers(2)})
        self.refused("not written by mxgold.save or mxgold quantize", layout="mxgold")
        with self.assertRaises(FileNotFoundError):
            mxgold.load(str(self.folder / "nothing"))

    def test_a_file_is_whole_or_what_it_was(self):
        mxgold.save(self.path, {"x": numbers(4)})
        before = pathlib.Path(self.path).read_bytes()
        for where in ("os.replace", "os.fsync"):
            with mock.patch(where, side_effect=KeyboardInterrupt), self.assertRaises(KeyboardInterrupt):
                mxgold.save(self.path, {"x": numbers(400)})
            self.assertEqual(pathlib.Path(self.path).read_bytes(), before)
            self.assertEqual(os.listdir(self.folder), ["w.safetensors"])
        link = self.folder / "link"
        link.symlink_to(self.path)
        mxgold.save(link, {"x": numbers(400)})
        self.assertTrue(link.is_symlink())
        self.assertEqual(mxgold.load(self.path)["x"].shape, (400,))
        with mock.patch("os.umask"):
            self.assertEqual(os.stat(self.path).st_mode & 0o111, 0)


@unittest.skipIf(PROGRAM is None, "no program was named")
class BesideTheProgram(InAFolder):
    def run_program(self, *args):
        done = subprocess.run([PROGRAM, *args], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_its_files_are_read(self):
        x = numbers(4, 96)
        source, made = str(self.folder / "x.safetensors"), self.path
        mxgold.save(source, {"x": x})
        compared = 0
        for name, policy, axis, extra in (
                ("mxfp8_e4m3", "", -1, []), ("mxfp4", "block_size=16", 0, []), ("mxfp4", "", -1, ["--packed", "split_half"]),
                ("mxfp6_e2m3", "rule=rceil", -1, ["--packed", "dense6"]),
                ("nvfp4", "te", -1, ["--packed", "nibble_high_first", "--scale-layout", "swizzle_128x4"]),
                ("nvfp4", "compressed-tensors-0.20", -1, []), ("mxfp8_e4m3", "torchao-0.18:rceil", -1, []),
                ("mxfp8_e4m3", "ml_dtypes-0.6,blocks_as=mxgold-default", -1, []),
                ("mxint8", "rounding=stochastic_a,random_bits=8", -1, ["--seed", "7"]), ("tt_bfp2", "", -1, []),
                ("nvfp4", "", -1, ["--hadamard", "d7e8"])):
            chosen = mxgold.policy(policy)
            options = [word for key, value in chosen.items() for word in (f"--{key.replace('_', '-')}", value)]
            self.run_program("quantize", source, "-o", made, "--format", name, "--axis", str(axis), *options, *extra)
            q = mxgold.quantize(x, name, policy, axis=axis, seed=7, hadamard=0xD7E8 if "--hadamard" in extra else None)
            back = mxgold.load(made)["x"]
            numpy.testing.assert_array_equal(back.code_bits, q.code_bits, name)
            numpy.testing.assert_array_equal(back.scale_bits, q.scale_bits)
            self.assertEqual(back.dequantize().tobytes(), q.dequantize().tobytes(), name)
            self.assertEqual((back.axis, back.tensor_scale, back.hadamard), (q.axis, q.tensor_scale, q.hadamard))
            again = mxgold.quantize(x, name, back.policy, axis=axis, seed=7, hadamard=q.hadamard and q.hadamard[0])
            numpy.testing.assert_array_equal(again.code_bits, q.code_bits)
            self.assertEqual(back.policy.get("profile"), chosen.get("profile"))
            compared += 1
        self.run_program("quantize", source, "-o", made, "--format", "e5m2")
        numpy.testing.assert_array_equal(mxgold.bits(mxgold.load(made)["x"]), mxgold.bits(mxgold.convert(x, "e5m2")))
        self.assertEqual(compared, 11)

    def test_its_values_are_arrays(self):
        q = mxgold.quantize(numbers(4, 96), "mxfp8_e4m3", "te")
        mxgold.save(self.path, {"x": q})
        values = str(self.folder / "values.safetensors")
        self.run_program("dequantize", self.path, "-o", values)
        self.assertEqual(mxgold.load(values)["x"].tobytes(), q.dequantize().tobytes())

    def test_it_reads_every_type(self):
        x = numbers(4, 96)
        values = str(self.folder / "values.safetensors")
        some = ["mxfp8_e4m3", "mxfp8_e5m2", "mxfp6_e2m3", "mxfp6_e3m2", "mxfp4", "nvfp4", "fp8_e4m3_fp32_row", "tt_bfp8a"]
        for codes in ("own", "bytes"):
            for name in mxgold.formats("blocks") if os.environ.get("MX_ALL") == "1" else some:
                q = mxgold.quantize(x, name)
                mxgold.save(self.path, {"x": q}, codes=codes)
                self.run_program("dequantize", self.path, "-o", values)
                self.assertEqual(mxgold.load(values)["x"].tobytes(), q.dequantize().tobytes(), name)

    def test_its_products_are_ours(self):
        q, r = mxgold.quantize(numbers(3, 64), "mxfp4"), mxgold.quantize(numbers(2, 64, seed=1), "mxfp6_e2m3")
        other, products = str(self.folder / "r.safetensors"), str(self.folder / "products.safetensors")
        mxgold.save(self.path, {"q": q})
        mxgold.save(other, {"r": r})
        self.run_program("dot", self.path, other, "-o", products)
        self.assertEqual(mxgold.load(products)["data"].tobytes(), mxgold.dot(q, r).tobytes())
        header, data = header_of(self.path)
        header["__metadata__"]["packed"] = "nobody"
        written(self.path, header, data)
        done = subprocess.run([PROGRAM, "dot", self.path, other, "-o", products], capture_output=True, text=True)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("field 'packed', value 'nobody'", done.stderr)

    def test_it_reads_one_of_several_recipes(self):
        x, y = numbers(4, 96), numbers(64, 3)
        q, r = mxgold.quantize(x, "mxfp8_e4m3", "te"), mxgold.quantize(y, "mxfp8_e5m2", axis=0)
        mxgold.save(self.path, {"x": q, "y": r})
        values = str(self.folder / "values.safetensors")
        for name, made in (("x", q), ("y", r)):
            self.run_program("dequantize", self.path, "-o", values, "--tensor", name)
            self.assertEqual(mxgold.load(values)[name].tobytes(), made.dequantize().tobytes())
        done = subprocess.run([PROGRAM, "dequantize", self.path, "-o", values], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("--tensor", done.stderr)


class OfOthers(InAFolder):
    """Files by the conventions of docs/identify.md, written here by hand."""

    def checkpoint(self, q, parts):
        tensors, data, header = parts(q), b"", {}
        for name, (kind, array) in tensors.items():
            header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [len(data), len(data) + array.nbytes]}
            data += array.tobytes()
        return header, data

    def check(self, q, tensors, name, metadata=None, **facts):
        header, data = self.checkpoint(q, lambda _: tensors)
        if metadata:
            header["__metadata__"] = metadata
        written(self.path, header, data)
        back = mxgold.load(self.path)
        self.assertEqual(list(back), [name])
        found = back[name]
        numpy.testing.assert_array_equal(found.code_bits, q.code_bits)
        numpy.testing.assert_array_equal(found.scale_bits, q.scale_bits)
        self.assertEqual((found.format, found.tensor_scale), (q.format, q.tensor_scale))
        self.assertEqual(found.dequantize().tobytes(), q.dequantize().tobytes())
        self.assertEqual(sorted(mxgold.load(self.path, layout="plain")), sorted(tensors))

    def test_compressed_tensors(self):
        x = numbers(4, 96)
        q = mxgold.quantize(x, "nvfp4", "compressed-tensors-0.20")
        self.check(q, {"a.weight_packed": ("U8", q.packed()), "a.weight_scale": ("F8_E4M3", q.scale_bits),
                       "a.weight_global_scale": ("F32", numpy.float32([q.tensor_scale]))}, "a.weight")
        for name in ("mxfp4", "mxfp6_e2m3"):
            q = mxgold.quantize(x, name, "compressed-tensors-0.20")
            self.check(q, {"a.weight_packed": ("U8", q.packed()), "a.weight_scale": ("U8", q.scale_bits)}, "a.weight")

    def test_modelopt(self):
        x = numbers(4, 96)
        q = mxgold.quantize(x, "nvfp4", "modelopt-0.47")
        self.check(q, {"a.weight": ("U8", q.packed()), "a.weight_scale": ("F8_E4M3", q.scale_bits),
                       "a.weight_scale_2": ("F32", numpy.array(q.tensor_scale, numpy.float32))}, "a.weight")
        q = mxgold.quantize(x, "mxfp4")
        self.check(q, {"a.weight": ("U8", q.packed()), "a.weight_scale": ("U8", q.scale_bits)}, "a.weight")
        q = mxgold.quantize(x, "mxfp8_e4m3")
        self.check(q, {"a.weight": ("F8_E4M3", q.code_bits), "a.weight_scale": ("U8", q.scale_bits)}, "a.weight")

    def test_single_scales_and_tiles(self):
        x = numbers(130, 260)
        q = mxgold.quantize(x, "fp8_e4m3_fp32_128x128")
        self.check(q, {"a.weight": ("F8_E4M3", q.code_bits), "a.weight_scale_inv": ("F32", q.scales)}, "a.weight")
        q = mxgold.quantize(x, "fp8_e4m3_fp32_tensor")
        self.check(q, {"a.weight": ("F8_E4M3", q.code_bits), "a.weight_scale": ("F32", q.scales.reshape(()))}, "a.weight")
        q = mxgold.quantize(x, "fp8_e4m3_fp32_row")
        self.check(q, {"a.weight": ("F8_E4M3", q.code_bits), "a.weight_scale": ("F32", q.scales.reshape(130))}, "a.weight")

    def test_gpt_oss(self):
        q = mxgold.quantize(numbers(2, 3, 64), "mxfp4")
        self.check(q, {"mlp.experts.down_proj_blocks": ("U8", q.packed().reshape(2, 3, 2, 16)),
                       "mlp.experts.down_proj_scales": ("U8", q.scale_bits)}, "mlp.experts.down_proj")

    def test_torchao(self):
        x = numbers(130, 96)
        told = {"_type": "MXTensor", "_tensor_data_names": ["qdata", "scale"], "_data": {
            "elem_dtype": {"_type": "torch.dtype", "_data": "float4_e2m1fn_x2"}, "block_size": 32,
            "orig_dtype": {"_type": "torch.dtype", "_data": "float32"}, "is_swizzled_scales": True}}
        q = mxgold.quantize(x, "mxfp4", "torchao-0.18")
        tiles = mxgold.bits(q.scales_as("swizzle_128x4")).reshape(64, 16)
        metadata = {"tensor_names": '["a.weight"]', "a.weight": json.dumps(told)}
        self.check(q, {"a._weight_qdata": ("U8", q.packed()), "a._weight_scale": ("F8_E8M0", tiles)}, "a.weight", metadata)
        told = {"_type": "NVFP4Tensor", "_data": {"block_size": 16, "is_swizzled_scales": False}}
        q = mxgold.quantize(x, "nvfp4", "torchao-0.18", tensor_scale=1)
        metadata["a.weight"] = json.dumps(told)
        parts = {"a._weight_qdata": ("U8", q.packed()), "a._weight_scale": ("F8_E4M3", q.scale_bits)}
        self.check(q, parts, "a.weight", metadata)
        q = mxgold.quantize(x, "nvfp4", "torchao-0.18")
        self.check(q, {"a._weight_qdata": ("U8", q.packed()), "a._weight_scale": ("F8_E4M3", q.scale_bits),
                       "a._weight_per_tensor_scale": ("F32", numpy.array(q.tensor_scale, numpy.float32))}, "a.weight", metadata)
        metadata["a.weight"] = "{"
        written(self.path, {**self.checkpoint(q, lambda _: parts)[0], "__metadata__": metadata},
                self.checkpoint(q, lambda _: parts)[1])
        self.assertEqual(sorted(mxgold.load(self.path)), ["a.weight"])  # by names and types alone

    def test_names_of_others(self):
        x = numbers(4, 96)
        four, eight = mxgold.quantize(x, "mxfp4"), mxgold.quantize(x, "mxfp8_e4m3")
        nvfp4 = mxgold.quantize(x, "nvfp4", tensor_scale=1)
        self.check(four, {"w1.weight": ("I8", four.packed()), "w1.scale": ("F8_E8M0", four.scale_bits)}, "w1.weight")
        self.check(eight, {"a.weight": ("F8_E4M3", eight.code_bits), "a.weight_scale_inv": ("U8", eight.scale_bits)}, "a.weight")
        self.check(four, {"a.weight": ("U32", four.packed().view("<u4")), "a.scales": ("U8", four.scale_bits)}, "a.weight")
        self.check(eight, {"a.weight": ("U32", eight.code_bits.view("<u4")), "a.scales": ("U8", eight.scale_bits)}, "a.weight")
        self.check(nvfp4, {"a.weight": ("U32", nvfp4.packed().view("<u4")), "a.scales": ("U8", nvfp4.scale_bits)}, "a.weight")
        self.check(four, {"m.w_blocks": ("U8", four.packed().reshape(4, 3, 16)), "m.w_scales": ("U8", four.scale_bits)}, "m.w")
        # A tensor that these weights never have makes others of them.
        header, data = self.checkpoint(four, lambda _: {"a.weight": ("U32", four.packed().view("<u4")),
                                                        "a.scales": ("U8", four.scale_bits), "a.biases": ("U8", four.scale_bits)})
        written(self.path, header, data)
        self.assertEqual(sorted(mxgold.load(self.path)), ["a.biases", "a.scales", "a.weight"])

    @unittest.skipUnless(PROGRAM, "MXGOLD_PROGRAM names no program")
    def test_layouts_are_those_of_the_program(self):
        spec = importlib.util.spec_from_file_location("weight_layouts", ROOT / "python" / "weight_layouts.py")
        script = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(script)
        made = io.StringIO()
        with contextlib.redirect_stdout(made):
            script.main()
        self.assertEqual(made.getvalue(), (ROOT / "python/mxgold/_weight_layouts.py").read_text(),
                         "write it anew with python/weight_layouts.py")

    def test_what_is_none_of_them_stays_as_it_is(self):
        arrays = {"a.weight": numpy.zeros((4, 5), numpy.uint8), "a.weight_scale": numpy.zeros((4, 3), numpy.uint8),
                  "b_blocks": numpy.zeros((4, 5), numpy.uint8), "c.weight": numbers(3)}
        mxgold.save(self.path, arrays)
        self.assertEqual(sorted(mxgold.load(self.path)), sorted(arrays))

    def test_parts_that_do_not_fit(self):
        q = mxgold.quantize(numbers(4, 96), "nvfp4", "modelopt-0.47")
        parts = {"a.weight": ("U8", q.packed()), "a.weight_scale": ("F8_E4M3", q.scale_bits.reshape(6, 4)),
                 "a.weight_scale_2": ("F32", numpy.float32([1]))}
        for change, text in (({}, r"'a\.weight_scale' beside 'a\.weight': shape \[6, 4\]; codes of shape \[4, 96\] have"),
                             ({"a.weight_scale": ("F8_E4M3", q.scale_bits | numpy.uint8(0x80))}, "has its sign set"),
                             ({"a.weight_scale": parts["a.weight_scale"][:1] + (q.scale_bits,),
                               "a.weight_scale_2": ("F32", numpy.float32([1, 2]))}, r"is F32 \[2\]; one F32 number"),
                             ({"a.weight_scale": ("F8_E4M3", q.scale_bits),
                               "a.weight_scale_2": ("F32", numpy.float32([-1]))}, "a.weight_scale")):
            header, data = self.checkpoint(q, lambda _: {**parts, **change})
            written(self.path, header, data)
            self.refused(text)


class OtherKinds(InAFolder):
    def write(self, name, data):
        self.path = str(self.folder / name)
        pathlib.Path(self.path).write_bytes(data)

    def test_numpy(self):
        arrays = {"w": numbers(3, 4), "n": numpy.arange(3), "one": numpy.float64(2.5)}
        self.path = str(self.folder / "a.npz")
        numpy.savez_compressed(self.path, **arrays)
        found = mxgold.load(self.path)
        self.assertEqual(list(found), list(arrays))
        for name, array in arrays.items():
            numpy.testing.assert_array_equal(found[name], array)
            self.assertEqual(found[name].dtype, numpy.asarray(array).dtype)
        self.assertEqual(list(mxgold.load(self.path, ["n"])), ["n"])
        self.refused("unknown tensor 'm'", ["m"])
        self.refused("layout 'plain' is for safetensors", layout="plain")
        raw = pathlib.Path(self.path).read_bytes()
        self.write("cut.npz", raw[:-30])
        self.refused("cut.npz")
        self.path = str(self.folder / "o.npy")
        numpy.save(self.path, numpy.array([{}], object), allow_pickle=True)
        self.refused("allow_pickle")
        numpy.save(self.path, arrays["w"])
        numpy.testing.assert_array_equal(mxgold.load(self.path)["data"], arrays["w"])

    @unittest.skipUnless(PROGRAM, "MXGOLD_PROGRAM names no program")
    def test_values_by_the_program(self):
        def text(name):
            return len(name).to_bytes(8, "little") + name

        head = b"GGUF" + (3).to_bytes(4, "little") + (1).to_bytes(8, "little") + (0).to_bytes(8, "little")
        head += text(b"w") + (1).to_bytes(4, "little") + (32).to_bytes(8, "little") + (2).to_bytes(4, "little") + bytes(8)
        block = numpy.float16(2).tobytes() + bytes([0x9A] * 16)  # Q4_0: codes 10 and 9 of 16, less 8, under the scale 2
        self.write("m.gguf", head + bytes(-len(head) % 32) + block)
        found = mxgold.load(self.path)
        numpy.testing.assert_array_equal(found["w"], numpy.float32([4.0] * 16 + [2.0] * 16))
        self.write("m.gguf", head[:20])
        self.refused("m.gguf")
        self.write("m.pt", b"PK\3\4" + bytes(40))
        self.refused("m.pt")
        self.write("m.onnx", b"")
        self.refused("m.onnx")


class Damaged(InAFolder):
    def entry(self, **changes):
        return {"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8], **changes}}

    def test_headers(self):
        data = b"\0" * 8
        for header, length, text in (
                (b"", 0, "does not start with"), (b"{}", 100_000_001, "100000001 is over 100000000"),
                (b"{}", 11, "11 bytes announced, 10 left"), (b"{]      ", None, "not JSON"), (b"{\xff}    ", None, "not JSON"),
                (b"[]      ", None, "does not start with"), (b'{"a":' * 5000, None, "not JSON"),
                (b'{"__metadata__":{"a":"b","a":"c"}}', None, "'a' is there twice"),
                ({"__metadata__": []}, None, "'__metadata__' is not an object"),
                ({"__metadata__": {"a": 1}}, None, "field 'a': not a text"), ({"w": 1}, None, "tensor 'w': not an object"),
                (self.entry(dtype=1), None, "field 'dtype': missing or not a text"),
                (self.entry(dtype="F7"), None, "value 'F7': not a type of the format; the types are BOOL"),
                (self.entry(shape=2), None, "field 'shape': missing or not a list"),
                (self.entry(shape=[True, 2]), None, r"shape\[0\]': True is not a whole number"),
                (self.entry(shape=[-2]), None, "-2 is not a whole number"), (self.entry(shape=[2.0]), None, "2.0 is not a whole"),
                (self.entry(shape=[1 << 64]), None, "is not a whole number of 0 to"),
                (self.entry(shape=[1 << 62, 0]), None, "does not fit 63 bits"),
                (self.entry(data_offsets=[0]), None, "1 numbers, 2 needed"),
                (self.entry(data_offsets=[8, 0]), None, "the end 0 lies before the begin 8"),
                (self.entry(data_offsets=[0, 9]), None, "9 lies outside the 8 data bytes"),
                (self.entry(shape=[1]), None, r"8 bytes, shape \[1\] of F32 needs 4"),
                (self.entry(dtype="F4", shape=[3]), None, "3 elements of 4 bits do not end on a byte"),
                (self.entry(shape=[1], data_offsets=[4, 8]), None, "begins at 4, but the tensors before it end at 0"),
                (self.entry(shape=[1], data_offsets=[0, 4]), None, "4 bytes follow the last tensor"),
                ({**self.entry(), "v": {"dtype": "U8", "shape": [1], "data_offsets": [7, 8]}}, None,
                 "begins at 7, but another tensor reaches to 8")):
            written(self.path, header, data, length)
            self.refused(text)
            self.refused(self.path)
        for start, text in ((b"\x93NUMPY\1\0", self.path), (b"version https://git-lfs", "git lfs pull"),
                            (b"\x89HDF\r\n\x1a\n", "h5py")):
            pathlib.Path(self.path).write_bytes(start + bytes(16))
            self.refused(text)
        pathlib.Path(self.path).write_bytes(b"\1\0\0")
        self.refused("3 bytes in the file, 8 needed")
        written(self.path, self.entry(), data)
        self.assertEqual(mxgold.load(self.path)["w"].tolist(), [0, 0])

    def test_every_byte_of_a_file_changed(self):
        """Whatever a byte becomes, the file is refused by a ValueError or read; nothing else."""
        mxgold.save(self.path, {"w": mxgold.quantize(numbers(2, 40), "nvfp4", "te"), "b": numbers(2)})
        raw = bytearray(pathlib.Path(self.path).read_bytes())
        read = refused = 0
        for at in range(len(raw)):
            changed = bytearray(raw)
            changed[at] ^= 1 << at % 8
            pathlib.Path(self.path).write_bytes(changed)
            try:
                mxgold.load(self.path)
                read += 1
            except ValueError as error:
                self.assertIn(self.path, str(error))
                refused += 1
        self.assertGreater(refused, 300)
        self.assertGreater(read, 40)

    def test_every_length_of_a_file(self):
        mxgold.save(self.path, {"w": mxgold.quantize(numbers(2, 40), "mxfp4")})
        raw = pathlib.Path(self.path).read_bytes()
        for length in range(len(raw)):
            pathlib.Path(self.path).write_bytes(raw[:length])
            self.refused(self.path)

    def test_recipes(self):
        q = mxgold.quantize(numbers(4, 96), "nvfp4")
        mxgold.save(self.path, {"w": q}, codes="bytes")
        header, data = header_of(self.path)
        good = header["__metadata__"]
        for change, text in (
                ({"format": None}, "field 'format': missing; the file must come from mxgold.save"),
                ({"format": "nvfp5"}, "field 'format', value 'nvfp5': unknown format"),
                ({"policy": "rule=nobody"}, "does not take 'nobody'"), ({"axis": "2"}, "field 'axis', value '2': outside -2..1"),
                ({"axis": "0"}, r"tensor 'w\.scales': shape \[4, 6\]; the codes need \[1, 96\]"), ({"axis": "one"}, "not a whole"),
                ({"axis.w": "7"}, r"field 'axis\.w', value '7': outside"), ({"flags.w": "wrong"}, "unknown flag 'wrong'"),
                ({"hadamard": "xyz"}, "no hexadecimal digits"), ({"hadamard": "12345"}, "outside 0..65535"),
                ({"hadamard": "1", "hadamard_signs": "both"}, "first or last"),
                ({"tensor_amax.w": "7f800000"}, "field 'tensor_amax.w'"), ({"source_dtype.w": "F7"}, ""),
                ({"packed": "dense6"}, "holds codes of 6 bits"), ({"packed": "nibble_low_first"}, "field 'shape': missing"),
                ({"packed": "nibble_low_first", "shape.w": "4,x"}, "not a list of lengths"),
                ({"packed": "nibble_low_first", "shape.w": "4,96"}, "384 bytes; 384 codes of e2m1fn"),
                ({"scale_layout": "swizzle_128x4"}, "24 bytes; scales of shape"), ({"scale_layout": "tiles"}, "unknown scale")):
            metadata = {key: value for key, value in {**good, **change}.items() if value is not None}
            written(self.path, {**header, "__metadata__": metadata}, data)
            if not text:
                self.assertEqual(mxgold.load(self.path)["w"].shape, (4, 96))
                continue
            self.refused(text)
            self.refused(self.path)
        for name, change, text in (("w.codes", {"dtype": "I8"}, "type I8; codes of e2m1fn are U8 or F4"),
                                   ("w.scales", {"dtype": "BOOL"}, "type BOOL; scales of nvfp4 are U8 or F8_E4M3"),
                                   ("w.tensor_scale", {"dtype": "I32"}, r"a tensor scale is F32 \[1\]"),
                                   ("w.tensor_scale", {"shape": []}, r"a tensor scale is F32 \[1\]"),
                                   ("w.scales", {"shape": [24]}, r"shape \[24\]; the codes need \[4, 6\]")):
            written(self.path, {**header, name: {**header[name], **change}}, data)
            self.refused(text)
        for name, text in (("w.scales", r"'w\.scales': missing beside 'w\.codes'"), ("w.tensor_scale", "missing; nvfp4 has a")):
            begin, end = header[name]["data_offsets"]
            kept = {key: value for key, value in header.items() if key != name}
            for key, value in kept.items():
                if key != "__metadata__" and value["data_offsets"][0] >= end:
                    kept[key] = {**value, "data_offsets": [at - (end - begin) for at in value["data_offsets"]]}
            written(self.path, kept, data[:begin] + data[end:])
            self.refused(text)

    def test_codes(self):
        q = mxgold.quantize(numbers(4, 96), "nvfp4")
        mxgold.save(self.path, {"w": q}, codes="bytes")
        header, data = header_of(self.path)
        for name, byte, text in (("w.codes", 16, "tensor 'w.codes', element 5: code 10 has bits above the 4 of e2m1fn"),
                                 ("w.scales", 0x80, "tensor 'w.scales', element 5: code 80 has bits above the 7 of ue4m3")):
            changed = bytearray(data)
            changed[header[name]["data_offsets"][0] + 5] = byte
            written(self.path, header, bytes(changed))
            self.refused(text)


if __name__ == "__main__":
    unittest.main()
