#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files as NumPy and PyTorch write them, made here byte by byte by Python's own zipfile and pickle, are read by mxgold.

usage: kinds_test.py MXGOLD

Every word must come out as it went in: `quantize --format fp32` of binary32 changes nothing.
"""

import collections
import io
import json
import os
import pickle
import struct
import subprocess
import sys
import tempfile
import types
import unittest
import zipfile
from pathlib import Path

MXGOLD = ""


def npy(descr, shape, data, order=False):
    header = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}"
    header = header.ljust((len(header) + 11 + 63) // 64 * 64 - 11) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


def floats(values):
    return struct.pack(f"<{len(values)}f", *values)


# What torch's own modules are called in a pickle; the classes do nothing.
def stand_in(name, module):
    parts = module.split(".")
    for i in range(1, len(parts)):
        sys.modules.setdefault(".".join(parts[:i]), types.ModuleType(".".join(parts[:i])))
    holder = sys.modules.setdefault(module, types.ModuleType(module))
    if not hasattr(holder, name):
        setattr(holder, name, type(name, (), {"__module__": module}))
    return getattr(holder, name)


class Call:
    """Pickled as the call of a function that is known by its name alone."""

    def __init__(self, module, name, *arguments):
        self.function, self.arguments = stand_in(name, module), arguments

    def __reduce__(self):
        return self.function, self.arguments


class Storage:
    def __init__(self, kind, key, count, module="torch"):
        self.id = ("storage", stand_in(kind, module), key, "cpu", count)


class Pickler(pickle.Pickler):
    def persistent_id(self, obj):
        return obj.id if isinstance(obj, Storage) else None


def tensor(storage, shape, strides, offset=0):
    return Call("torch._utils", "_rebuild_tensor_v2", storage, offset, shape, strides, False, collections.OrderedDict())


class Dtype:
    """An object of the module torch, pickled as its name. There is one of each name."""

    __module__ = "torch"

    def __new__(cls, name):
        known = getattr(sys.modules["torch"], name, None)
        if known is None:
            known = super().__new__(cls)
            setattr(sys.modules["torch"], name, known)
        return known

    def __init__(self, name):
        self.name = name

    def __reduce__(self):
        return self.name


def typed(storage, dtype, shape, strides):
    return Call("torch._utils", "_rebuild_tensor_v3", storage, 0, shape, strides, False, collections.OrderedDict(),
                Dtype(dtype), None)


def pickled(value, protocol=2):
    out = io.BytesIO()
    Pickler(out, protocol).dump(value)
    return out.getvalue()


def pt(value, storages, method=zipfile.ZIP_STORED, order="little", protocol=2, root="archive/"):
    out = io.BytesIO()
    data = value if isinstance(value, bytes) else pickled(value, protocol)
    with zipfile.ZipFile(out, "w", method) as archive:
        archive.writestr(root + "data.pkl", data)
        archive.writestr(root + "byteorder", order)
        for key, words in storages.items():
            archive.writestr(f"{root}data/{key}", words)
        archive.writestr(root + "version", "3\n")
    return out.getvalue()


def zipped(files, method=zipfile.ZIP_STORED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name, data):
        (self.folder / name).write_bytes(data)
        return str(self.folder / name)

    def call(self, *arguments):
        return subprocess.run([MXGOLD, *arguments], capture_output=True, text=True, timeout=60)

    def inspect(self, path, *options):
        done = self.call("inspect", path, "--json", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        return found, {each["name"]: each for each in found["tensors"]}

    def words(self, path, format="fp32", options=()):
        """The bytes of each tensor, after a conversion that changes nothing."""
        out = self.folder / "out.safetensors"
        done = self.call("quantize", path, "-o", str(out), "--format", format, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        data = out.read_bytes()
        length = struct.unpack("<Q", data[:8])[0]
        header = json.loads(data[8:8 + length])
        found = {}
        for name, entry in header.items():
            if name.endswith(".codes"):
                begin, end = entry["data_offsets"]
                found[name[:-6]] = (entry["shape"], data[8 + length + begin:8 + length + end])
        return found

    def refused(self, path, *words):
        done = self.call("inspect", path)
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for word in (Path(path).name, *words):
            self.assertIn(word, done.stderr)


class Npz(Case):
    def test_stored_and_deflated(self):
        w, v = floats(range(6)), floats([0.5] * 4000)
        for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            path = self.write("a.npz", zipped({"w.npy": npy("<f4", "(2, 3)", w), "v.npy": npy("<f4", "(4000,)", v)}, method))
            self.assertEqual(self.words(path), {"w": ([2, 3], w), "v": ([4000], v)})

    def test_the_name_of_the_file_tells_nothing(self):
        path = self.write("a.safetensors", zipped({"w.npy": npy("<f4", "(1,)", floats([1]))}))
        self.assertEqual(self.inspect(path)[0]["kind"], "NumPy archive")

    def test_other_types_are_named(self):
        path = self.write("a.npz", zipped({"w.npy": npy("<f4", "(1,)", floats([1])), "s.npy": npy("<U3", "(1,)", b"x" * 12),
                                           "i.npy": npy("<i8", "(2,)", bytes(16)), "b.npy": npy("|b1", "(2,)", bytes(2))}))
        found = self.inspect(path)[1]
        self.assertEqual({name: each["dtype"] for name, each in found.items()},
                         {"w": "F32", "s": "<U3", "i": "I64", "b": "BOOL"})
        self.assertEqual(list(self.words(path)), ["w"])

    def test_fortran_order(self):
        # Columns lie one after the other: of [[0, 1, 2], [3, 4, 5]] that is 0 3 1 4 2 5.
        file = npy("<f4", "(2, 3)", floats([0, 3, 1, 4, 2, 5]), True)
        self.assertEqual(self.words(self.write("a.npy", file)), {"data": ([2, 3], floats(range(6)))})
        self.assertEqual(self.words(self.write("a.npz", zipped({"w.npy": file}))), {"w": ([2, 3], floats(range(6)))})

    def test_damage(self):
        good = zipped({"w.npy": npy("<f4", "(400,)", floats([1.5] * 400))}, zipfile.ZIP_DEFLATED)
        self.refused(self.write("a.npz", good[:-30]), "zip archive", "truncated")
        self.refused(self.write("a.npz", good[:60] + bytes([good[60] ^ 0xFF]) + good[61:]), "w.npy", "damaged")
        at = good.index(b"PK\x01\x02")
        longer = bytearray(good)
        longer[at + 24:at + 28] = struct.pack("<I", 1 << 31)  # 2 GiB of less than 100 bytes
        self.refused(self.write("a.npz", bytes(longer)), "w.npy", "announces 2147483648 bytes")
        shorter = bytearray(good)
        shorter[at + 24:at + 28] = struct.pack("<I", 1000)
        self.refused(self.write("a.npz", bytes(shorter)), "w.npy", "does not inflate to the 1000 bytes")
        locked = bytearray(good)
        locked[at + 8] |= 1
        self.refused(self.write("a.npz", bytes(locked)), "encrypted")
        method = bytearray(good)
        method[at + 10] = 12
        self.refused(self.write("a.npz", bytes(method)), "method 12")

    def test_entries_that_share_bytes(self):
        """A small file must not stand for a large one: two entries of the directory lead to the same bytes."""
        good = zipped({"a.npy": npy("<f4", "(1,)", floats([1]))})
        at, end = good.index(b"PK\x01\x02"), good.index(b"PK\x05\x06")
        entry = good[at:end]
        tail = bytearray(good[end:])
        tail[8:12] = struct.pack("<HH", 2, 2)
        tail[12:16] = struct.pack("<I", 2 * len(entry))
        self.refused(self.write("a.npz", good[:at] + entry * 2 + bytes(tail)), "zip archive")


class Torch(Case):
    def test_state_dict(self):
        w, b = floats(range(6)), struct.pack("<2H", 0x3F80, 0x4000)
        value = collections.OrderedDict([("w", tensor(Storage("FloatStorage", "0", 6), (2, 3), (3, 1))),
                                         ("b", tensor(Storage("BFloat16Storage", "1", 2), (2,), (1,))), ("step", 7)])
        for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            for protocol in (2, 3, 4, 5):
                path = self.write("a.pt", pt(value, {"0": w, "1": b}, method, protocol=protocol))
                self.assertEqual(self.inspect(path)[0]["kind"], "PyTorch file")
                self.assertEqual(self.words(path, options=("--tensor", "w")), {"w": ([2, 3], w)})
                self.assertEqual(self.words(path, "bf16", ("--tensor", "b")), {"b": ([2], b)})

    def test_views_of_a_storage(self):
        w = floats(range(12))
        storage = Storage("FloatStorage", "0", 12)
        value = {"turned": tensor(storage, (4, 3), (1, 4)), "part": tensor(storage, (2, 2), (4, 1), 5),
                 "repeated": tensor(storage, (2, 3), (0, 1)), "one": tensor(storage, (), (), 11),
                 "nothing": tensor(storage, (0, 5), (5, 1))}
        found = self.words(self.write("a.pth", pt(value, {"0": w})))
        self.assertEqual(found["turned"], ([4, 3], floats([0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11])))
        self.assertEqual(found["part"], ([2, 2], floats([5, 6, 9, 10])))
        self.assertEqual(found["repeated"], ([2, 3], floats([0, 1, 2, 0, 1, 2])))
        self.assertEqual(found["one"], ([], floats([11])))
        self.assertEqual(found["nothing"], ([0, 5], b""))

    def test_names_lead_through_dictionaries_and_lists(self):
        inner = tensor(Storage("FloatStorage", "0", 1), (1,), (1,))
        parameter = Call("torch._utils", "_rebuild_parameter", inner, True, collections.OrderedDict())
        value = {"model": {"w": parameter}, "more": [inner, (inner,)], 3: inner}
        found = self.inspect(self.write("a.pt", pt(value, {"0": floats([1])})))[1]
        self.assertEqual(sorted(found), ["3", "model.w", "more.0", "more.1.0"])
        found = self.inspect(self.write("b.pt", pt(inner, {"0": floats([1])})))[1]
        self.assertEqual(list(found), ["data"])

    def test_tensors_that_wrap_others(self):
        """As torch.save writes the classes of torchao: parts in the attributes, classes that are names alone."""
        rebuild = stand_in("_rebuild_wrapper_subclass", "torch._utils")
        kind = stand_in("MXTensor", "torchao.prototype.mx_formats.mx_tensor")
        codes = bytes(range(64))

        def wrapped(swizzled):
            attributes = {"qdata": typed(Storage("UntypedStorage", "0", 64, "torch.storage"), "float8_e4m3fn", (2, 32), (32, 1)),
                          "scale": typed(Storage("UntypedStorage", "1", 2, "torch.storage"), "float8_e8m0fnu", (2, 1), (1, 1)),
                          "elem_dtype": Dtype("float8_e4m3fn"), "block_size": 32, "note": None,
                          "is_swizzled_scales": swizzled}
            return Call("torch._tensor", "_rebuild_from_type_v2", rebuild, kind, (kind, Dtype("bfloat16"), (2, 32)), attributes)

        path = self.write("a.pt", pt({"w": wrapped(False)}, {"0": codes, "1": b"\x7f\x80"}))
        found, tensors = self.inspect(path)
        self.assertEqual(sorted(tensors), ["w.qdata", "w.scale"])
        self.assertEqual((found["made_by"], found["weights"][0]["name"], found["weights"][0]["format"]),
                         ("torchao", "w", "mxfp8_e4m3"))
        self.assertEqual({key: found["metadata"][key] for key in ("w.block_size", "w.is_swizzled_scales", "w.elem_dtype")},
                         {"w.block_size": "32", "w.is_swizzled_scales": "0", "w.elem_dtype": "torch.float8_e4m3fn"})
        # A tensor of another class with attributes is that tensor.
        plain = tensor(Storage("FloatStorage", "0", 1), (1,), (1,))
        own = Call("torch._tensor", "_rebuild_from_type_v2", plain.function, kind, plain.arguments, {"note": 1})
        self.assertEqual(list(self.inspect(self.write("b.pt", pt({"w": own}, {"0": floats([1])})))[1]), ["w"])
        short = Call("torch._tensor", "_rebuild_from_type_v2", rebuild, kind)
        self.refused(self.write("c.pt", pt({"w": short}, {})), "w", "a tensor without its class")
        other = Call("torchaox", "anything")
        self.refused(self.write("d.pt", pt({"w": other}, {})), "torchaox.anything")

    def test_types_without_a_storage_of_their_own(self):
        names = {"float8_e4m3fn": "F8_E4M3", "float8_e5m2": "F8_E5M2", "float8_e8m0fnu": "F8_E8M0",
                 "float8_e4m3fnuz": "F8_E4M3FNUZ", "float8_e5m2fnuz": "F8_E5M2FNUZ", "float4_e2m1fn_x2": "F4"}
        storage = Storage("UntypedStorage", "0", 4, "torch.storage")
        value = {name: typed(storage, name, (2, 2), (2, 1)) for name in names}
        path = self.write("a.pt", pt(value, {"0": b"\x7f\x00\x7e\x01"}))
        found = self.inspect(path)[1]
        self.assertEqual({name: each["dtype"] for name, each in found.items()}, names)
        self.assertEqual(found["float4_e2m1fn_x2"]["shape"], [2, 4])
        # 7F is NaN, 00 is zero, 7E is 448, the greatest, 01 is subnormal.
        counts = found["float8_e4m3fn"]["statistics"]
        self.assertEqual([counts[key] for key in ("codes", "nan", "zero", "greatest", "subnormal", "infinite", "distinct")],
                         [4, 1, 1, 1, 1, 0, 4])
        # Low nibble first: F 7 0 0 E 7 1 0. 7 and F are the greatest, 0 is zero, 1 is subnormal.
        counts = found["float4_e2m1fn_x2"]["statistics"]
        self.assertEqual([counts[key] for key in ("codes", "zero", "greatest", "subnormal", "distinct")], [8, 3, 3, 1, 5])
        self.assertEqual(self.words(path, "e4m3fn", ("--tensor", "float8_e4m3fn"))["float8_e4m3fn"],
                         ([2, 2], b"\x7f\x00\x7e\x01"))
        self.assertEqual(self.words(path, "e2m1fn", ("--tensor", "float4_e2m1fn_x2"))["float4_e2m1fn_x2"],
                         ([2, 4], b"\x0f\x07\x00\x00\x0e\x07\x01\x00"))

    def test_nothing_is_run(self):
        flag = self.folder / "flag"
        harm = (b"\x80\x02cposix\nsystem\nX" + struct.pack("<I", len(f"touch {flag}")) + f"touch {flag}".encode() + b"\x85R.")
        self.refused(self.write("a.pt", pt(harm, {})), "wants 'posix.system'", "nothing of a file is run")
        self.assertFalse(flag.exists())
        self.refused(self.write("b.pt", pt(b"\x80\x04\x8c\x08builtins\x8c\x04eval\x93.", {})), "'builtins.eval'")

    def test_damage(self):
        w = floats(range(6))
        storage = Storage("FloatStorage", "0", 6)
        for name, value, storages, words in [
                ("beyond", tensor(storage, (7,), (1,)), {"0": w}, "do not lie in its storage of 24 bytes"),
                ("strides", tensor(storage, (2, 2), (5, 1)), {"0": w}, "do not lie in its storage"),
                ("offset", tensor(storage, (1,), (1,), 6), {"0": w}, "do not lie in its storage"),
                ("short", tensor(storage, (6,), (1,)), {"0": w[:-1]}, "truncated"),
                ("missing", tensor(storage, (6,), (1,)), {}, "no entry 'archive/data/0'"),
                ("often", tensor(storage, (1 << 40, 6), (0, 1)), {"0": w}, "too often"),
                ("negative", tensor(storage, (-1,), (1,)), {"0": w}, "no whole number"),
                ("axes", tensor(storage, (1,) * 65, (1,) * 65), {"0": w}, "at most 64"),
                ("twice", {"a": {"b": tensor(storage, (6,), (1,))}, "a.b": tensor(storage, (6,), (1,))}, {"0": w},
                 "two tensors are called 'a.b'")]:
            with self.subTest(name):
                self.refused(self.write("a.pt", pt(value, storages)), words)
        # Beside the limits: the last element, the last stride.
        for value in (tensor(storage, (6,), (1,)), tensor(storage, (2, 2), (4, 1)), tensor(storage, (1,), (1,), 5)):
            self.inspect(self.write("a.pt", pt(value, {"0": w})))
        self.refused(self.write("a.pt", pt(tensor(storage, (6,), (1,)), {"0": w}, order="big")), "byteorder", "little-endian")
        self.refused(self.write("a.pt", pt(b"\x80\x02]q\x00h\x00a", {})), "truncated")
        self.refused(self.write("a.pt", pt(b"\x80\x02]q\x00h\x00a.", {})), "deeper than 64")
        billion = b"\x80\x02]" + b"".join(
            b"q" + bytes([i]) + b"]h" + bytes([i]) + b"ah" + bytes([i]) + b"a" for i in range(40)) + b"."
        self.refused(self.write("a.pt", pt(billion, {})), "without end")


class Foreign(Case):
    def test_the_kind_is_named(self):
        for name, data, words in [
                ("a.pt", b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.", "pickle without a zip archive"),
                ("a.h5", b"\x89HDF\r\n\x1a\n" + bytes(64), "HDF5"),
                ("a.safetensors", b"version https://git-lfs.github.com/spec/v1\noid sha256:00\n", "git lfs pull"),
                ("a.safetensors", b"<!DOCTYPE html><html>", "web page"),
                ("a.gz", b"\x1f\x8b\x08" + bytes(20), "gunzip"),
                ("a.zip", zipped({"readme.txt": b"x"}), "zip archive with neither arrays"),
                ("a.npz", zipped({}), "zip archive")]:
            with self.subTest(name=name, words=words):
                self.refused(self.write(name, data), words, "mxgold reads .safetensors")

    def test_what_tells_nothing_is_judged_by_its_suffix(self):
        self.refused(self.write("a.npy", b"what is this?"), "not a .npy file")
        self.refused(self.write("a.bin2", b"what is this?"), "header length")
        cut = struct.pack("<Q", 0x0280) + b'{"a":'  # not a pickle, though it begins 80 02
        self.refused(self.write("a.safetensors", cut), "640 bytes announced")


class Inspect(Case):
    def test_own_files(self):
        # Floor, by hand: scale of 6 is 7F, codes 6 -> 7, 1 -> 2, 0.5 -> 1; 0 -> 0.
        path = self.write("x.npy", npy("<f4", "(1, 32)", floats([6, -6, 1, 0.5] + [0] * 28)))
        out = str(self.folder / "q.safetensors")
        done = self.call("quantize", path, "-o", out, "--format", "mxfp4", "--packed", "nibble_low_first")
        self.assertEqual(done.returncode, 0, done.stderr)
        found, tensors = self.inspect(out)
        self.assertTrue(found["made_by"].startswith("mxgold quantize"))
        self.assertEqual(found["weights"], [{"name": "data", "shape": [1, 32], "format": "mxfp4", "element": "e2m1fn",
                                             "scale": "e8m0", "block_size": 32, "axis": -1, "packing": "nibble_low_first",
                                             "scale_layout": "", "tensor_scale": False}])
        counts = tensors["data.codes"]["statistics"]
        self.assertEqual([counts[key] for key in ("codes", "zero", "greatest", "subnormal", "distinct")], [32, 28, 2, 1, 5])
        self.assertEqual(tensors["data.scales"]["format"], "e8m0")
        self.assertNotIn("statistics", self.inspect(out, "--headers")[1]["data.codes"])
        text = self.call("inspect", out).stdout
        self.assertIn("'data': mxfp4 [1, 32], blocks of 32 along axis -1; codes e2m1fn, nibble_low_first; scales e8m0", text)
        self.assertIn("32 of e2m1fn: 28 zero, 1 subnormal, 2 greatest, 0 infinite, 0 NaN; 5 different", text)

    def test_one_tensor(self):
        path = self.write("a.npz", zipped({"w.npy": npy("<f4", "(1,)", floats([1])), "v.npy": npy("<f4", "(1,)", floats([1]))}))
        self.assertEqual(list(self.inspect(path, "--tensor", "v")[1]), ["v"])
        done = self.call("inspect", path, "--tensor", "x")
        self.assertEqual((done.returncode, "tensor" in done.stderr), (2, True))

    def test_floats(self):
        words = [0x7FC00000, 0xFF800000, 0x00000001, 0x80000000, 0x7F7FFFFF, 0x3F800000]
        path = self.write("a.npy", npy("<f4", "(6,)", struct.pack("<6I", *words)))
        counts = self.inspect(path)[1]["data"]["statistics"]
        self.assertEqual([counts[key] for key in ("nan", "infinite", "subnormal", "zero", "greatest")], [1] * 5)

    def test_every_type_of_safetensors(self):
        types_of = {"F4": "e2m1fn", "F6_E2M3": "e2m3fn", "F6_E3M2": "e3m2fn", "F8_E4M3": "e4m3fn", "F8_E5M2": "e5m2",
                    "F8_E8M0": "e8m0", "F8_E4M3FNUZ": "e4m3fnuz", "F8_E5M2FNUZ": "e5m2fnuz", "U8": None, "I8": None}
        bits = {"F4": 4, "F6_E2M3": 6, "F6_E3M2": 6}
        header, data = {}, b""
        for kind in types_of:
            size = 8 * bits.get(kind, 8) // 8
            header[kind] = {"dtype": kind, "shape": [2, 4], "data_offsets": [len(data), len(data) + size]}
            data += bytes(range(1, size + 1))
        text = json.dumps(header).encode()
        path = self.write("a.safetensors", struct.pack("<Q", len(text)) + text + data)
        found = self.inspect(path)[1]
        self.assertEqual({kind: each.get("format") for kind, each in found.items()}, types_of)
        for kind, format in types_of.items():
            if format is None or kind == "F8_E8M0":
                continue
            with self.subTest(kind):
                width = bits.get(kind, 8)
                stream = int.from_bytes(bytes(range(1, width + 1)), "little")
                codes = bytes(stream >> (width * i) & ((1 << width) - 1) for i in range(8))
                # Widened to binary32 and back, as values: every code has one.
                self.assertEqual(self.words(path, format, ("--tensor", kind))[kind], ([2, 4], codes))


class Identify(Case):
    def tensors(self, name, tensors):
        header, data = {}, b""
        for key, (kind, shape, words) in tensors.items():
            header[key] = {"dtype": kind, "shape": shape, "data_offsets": [len(data), len(data) + len(words)]}
            data += words
        text = json.dumps(header).encode()
        return self.write(name, struct.pack("<Q", len(text)) + text + data)

    def judged(self, weights, checkpoint):
        return self.call("identify", "--tensors-in", self.tensors("w.safetensors", weights), "--tensors-out",
                         self.tensors("q.safetensors", checkpoint), "--json").returncode

    def test_types_that_carry_codes_and_scales(self):
        # Four rows of 4, 8, 16 and 32 in bf16. E2M1's greatest binade is that of 4: scales 7F, 80, 81, 82 and codes 6,
        # two a byte. E4M3's is that of 256: scales 79, 7A, 7B, 7C and codes 78.
        w = {"a.weight": ("BF16", [4, 32], b"".join(struct.pack("<H", 0x4080 + 0x80 * row) * 32 for row in range(4)))}
        four, eight = bytes([0x7F, 0x80, 0x81, 0x82]), bytes([0x79, 0x7A, 0x7B, 0x7C])
        for name, codes, scales in [
                (".weight_scale_inv", ("F8_E4M3", [4, 32], b"\x78" * 128), ("F8_E8M0", [4, 1], eight)),
                (".scale", ("I8", [4, 16], b"\x66" * 64), ("F8_E8M0", [4, 1], four)),
                (".weight_scale", ("F4", [4, 32], b"\x66" * 64), ("I8", [4, 1], four))]:
            with self.subTest(name):
                self.assertEqual(self.judged(w, {"a.weight": codes, "a" + name: scales}), 0)
        # The control: another code in one place.
        self.assertEqual(self.judged(w, {"a.weight": ("I8", [4, 16], b"\x66" * 63 + b"\x36"),
                                         "a.scale": ("F8_E8M0", [4, 1], four)}), 1)


if __name__ == "__main__":
    MXGOLD = os.path.abspath(sys.argv.pop(1))
    unittest.main()
