#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checkpoints under the names and types that libraries give them, made here byte by byte, are read by mxgold.

usage: shipped_test.py MXGOLD

Values are computed here in binary64, where products of a code, a scale and a number are exact, and rounded to binary32
by struct. Quotients are rounded twice, which is harmless from 53 bits to 24.
"""

import json
import random
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

MXGOLD = ""
E2M1 = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]


def e2m1(code):
    return -E2M1[code & 7] if code & 8 else E2M1[code & 7]


def small_float(code, exponent_bits, fraction_bits, has_infinity):
    """A code of eight bits at most: E4M3FN, E5M2, E2M3."""
    sign = -1.0 if code >> (exponent_bits + fraction_bits) & 1 else 1.0
    bias = (1 << (exponent_bits - 1)) - 1
    exponent = code >> fraction_bits & ((1 << exponent_bits) - 1)
    fraction = code & ((1 << fraction_bits) - 1)
    if has_infinity and exponent == (1 << exponent_bits) - 1:
        return float("nan") if fraction else sign * float("inf")
    if exponent_bits == 4 and code & 0x7F == 0x7F:
        return float("nan")
    if exponent == 0:
        return sign * fraction * 2.0 ** (1 - bias - fraction_bits)
    return sign * (1 + fraction * 2.0**-fraction_bits) * 2.0 ** (exponent - bias)


def e4m3(code):
    return small_float(code, 4, 3, False)


def e5m2(code):
    return small_float(code, 5, 2, True)


def e2m3(code):
    return small_float(code, 2, 3, False)


def e8m0(code):
    return float("nan") if code == 255 else 2.0 ** (code - 127)


def int8(code):
    return float(code - 256 if code > 127 else code)


def single(value):
    """Rounded to binary32."""
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def bits(value):
    return 0x7FC00000 if value != value else struct.unpack("<I", struct.pack("<f", value))[0]


def nibbles(codes):
    return bytes(codes[i] | codes[i + 1] << 4 for i in range(0, len(codes), 2))


def sixes(codes):
    """Four codes of six bits in three bytes, low bits first."""
    out = bytearray()
    for i in range(0, len(codes), 4):
        word = sum(code << 6 * j for j, code in enumerate(codes[i:i + 4]))
        out += word.to_bytes(3, "little")
    return bytes(out)


def safetensors(tensors, metadata=None):
    """tensors: name -> (type, shape, bytes)."""
    header, data = {}, b""
    if metadata:
        header["__metadata__"] = metadata
    for name, (kind, shape, raw) in tensors.items():
        header[name] = {"dtype": kind, "shape": list(shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def tensors_of(path):
    data = Path(path).read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + length])
    header.pop("__metadata__", None)
    return {name: (entry["dtype"], tuple(entry["shape"]), data[8 + length + entry["data_offsets"][0]:
                                                              8 + length + entry["data_offsets"][1]])
            for name, entry in header.items()}


class Shipped(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.random = random.Random(7)

    def path(self, name):
        return str(Path(self.folder.name) / name)

    def write(self, tensors, name="m.safetensors", metadata=None):
        Path(self.path(name)).write_bytes(safetensors(tensors, metadata))
        return self.path(name)

    def run_mxgold(self, *arguments, status=0):
        done = subprocess.run([MXGOLD, *arguments], capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def values(self, path, *more):
        out = self.path("out.safetensors")
        self.run_mxgold("dequantize", path, "-o", out, *more)
        return tensors_of(out)

    def codes(self, count, bits_of_each):
        """Every code, then any."""
        codes = list(range(1 << bits_of_each)) + [self.random.randrange(1 << bits_of_each) for _ in range(count)]
        return codes[:count]

    def check(self, path, name, shape, expected):
        kind, found_shape, raw = self.values(path)[name]
        self.assertEqual((kind, found_shape), ("F32", tuple(shape)))
        words = list(struct.unpack(f"<{len(raw) // 4}I", raw))
        theirs = [bits(value) for value in expected]
        self.assertEqual(len(words), len(theirs))
        if words == theirs:
            return
        i = next(i for i, (ours, value) in enumerate(zip(words, theirs)) if ours != value)
        self.fail(f"{name}, element {i}: {words[i]:08X} for {expected[i]}")

    def weights(self, path):
        return json.loads(self.run_mxgold("inspect", path, "--json").stdout)

    def test_blocks(self):
        """Every layout of a block format: its names, types, blocks and packing."""
        rows, columns = 4, 128
        level = struct.pack("<f", 0.007)
        number = single(0.007)
        four = self.codes(rows * columns, 4)
        eight = self.codes(rows * columns, 8)
        six = self.codes(rows * columns, 6)
        powers = [0, 255, 1, 254] + [self.random.randrange(90, 150) for _ in range(rows * columns // 32 - 4)]
        floats = [1, 8, 126, 127] + [self.random.randrange(1, 127) for _ in range(rows * columns // 16 - 4)]
        power = ("U8", (rows, columns // 32), bytes(powers))
        power_own = ("F8_E8M0", *power[1:])
        small = ("F8_E4M3", (rows, columns // 16), bytes(floats))
        packed = ("U8", (rows, columns // 2), nibbles(four))
        own4 = ("F4", (rows, columns), nibbles(four))
        words = ("U32", (rows, columns // 8), nibbles(four))
        scalar = ("F32", (), level)
        e4 = ("F8_E4M3", (rows, columns), bytes(eight))

        def of(codes, value, scales, scale, size, factor=None):
            out = []
            for i, code in enumerate(codes):
                s = scale(scales[i // size])
                out.append(single(value(code) * single(s if factor is None else factor(s))))
            return out

        mx4 = of(four, e2m1, powers, e8m0, 32)
        mx8 = of(eight, e4m3, powers, e8m0, 32)
        nv = of(four, e2m1, floats, e4m3, 16)
        nv_times = of(four, e2m1, floats, e4m3, 16, lambda s: s * number)
        nv_over = of(four, e2m1, floats, e4m3, 16, lambda s: s / number)
        cases = [
            ("compressed-tensors", "nvfp4", {"a.weight_packed": packed, "a.weight_scale": small,
                                             "a.weight_global_scale": ("F32", (1,), level)}, "a.weight", nv_over),
            ("compressed-tensors", "mxfp4", {"a.weight_packed": packed, "a.weight_scale": power}, "a.weight", mx4),
            ("compressed-tensors", "mxfp6_e2m3", {"a.weight_packed": ("U8", (rows, columns * 3 // 4), sixes(six)),
                                                  "a.weight_scale": power}, "a.weight", of(six, e2m3, powers, e8m0, 32)),
            ("ModelOpt", "nvfp4", {"a.weight": packed, "a.weight_scale": small, "a.weight_scale_2": scalar}, "a.weight",
             nv_times),
            ("ModelOpt", "nvfp4", {"a.weight": own4, "a.weight_scale": small, "a.weight_scale_2": scalar}, "a.weight",
             nv_times),
            ("ModelOpt or Quark", "mxfp4", {"a.weight": packed, "a.weight_scale": power_own}, "a.weight", mx4),
            ("ModelOpt or compressed-tensors", "mxfp8_e4m3", {"a.weight": e4, "a.weight_scale": power}, "a.weight", mx8),
            ("ModelOpt or compressed-tensors", "mxfp8_e5m2",
             {"a.weight": ("F8_E5M2", (rows, columns), bytes(eight)), "a.weight_scale": power_own}, "a.weight",
             of(eight, e5m2, powers, e8m0, 32)),
            ("omlx", "mxfp8_e4m3", {"a.weight": e4, "a.weight_scale_inv": power}, "a.weight", mx8),
            ("DeepSeek-V4", "mxfp4", {"w1.weight": ("I8", *packed[1:]), "w1.scale": power_own}, "w1.weight", mx4),
            ("gpt-oss", "mxfp4", {"x.gate_up_proj_blocks": ("U8", (rows, columns // 32, 16), nibbles(four)),
                                  "x.gate_up_proj_scales": power}, "x.gate_up_proj", mx4),
            ("gpt-oss", "mxfp4", {"block.0.mlp.mlp1_weight.blocks": ("U8", (rows, columns // 32, 16), nibbles(four)),
                                  "block.0.mlp.mlp1_weight.scales": power}, "block.0.mlp.mlp1_weight", mx4),
            ("MLX", "mxfp4", {"a.weight": words, "a.scales": power}, "a.weight", mx4),
            ("MLX", "nvfp4", {"a.weight": words, "a.scales": ("U8", *small[1:])}, "a.weight", nv),
            ("MLX", "mxfp8_e4m3", {"a.weight": ("U32", (rows, columns // 4), bytes(eight)), "a.scales": power}, "a.weight",
             mx8),
            ("torchao", "mxfp4", {"a._weight_qdata": packed, "a._weight_scale": power_own}, "a.weight", mx4),
            ("torchao", "nvfp4", {"a._weight_qdata": packed, "a._weight_scale": small,
                                  "a._weight_per_tensor_scale": scalar}, "a.weight", nv_times),
            ("torchao", "nvfp4", {"a._weight_qdata": packed, "a._weight_scale": small}, "a.weight", nv),
            ("torchao", "mxfp8_e4m3", {"a.weight.qdata": e4, "a.weight.scale": power_own}, "a.weight", mx8),
        ]
        for writers, block, tensors, name, expected in cases:
            with self.subTest(writers=writers, block=block, names=list(tensors)):
                shape = (rows, columns)
                path = self.write(tensors | {"n.bias": ("BF16", (2,), b"\x80\x3f\x00\x40")})
                self.check(path, name, shape, expected)
                self.assertEqual(self.values(path)["n.bias"], ("BF16", (2,), b"\x80\x3f\x00\x40"))
                seen = self.weights(path)
                self.assertEqual(seen["made_by"], writers)
                weight, = seen["weights"]
                self.assertEqual((weight["name"], weight["format"], tuple(weight["shape"])), (name, block, shape))

    def test_scales_by_shape(self):
        """E4M3, E5M2 and whole numbers under floats: of a tensor, of rows, of tiles whose last one is short."""
        rows, columns = 130, 134
        codes = self.codes(rows * columns, 8)
        for scale_shape, tile, stored in (((), (rows, columns), "F32"), ((1,), (rows, columns), "BF16"),
                                          ((rows,), (1, columns), "F32"), ((rows, 1), (1, columns), "F16"),
                                          ((2, 2), (128, 128), "F32"), ((2, 1, 2, 1), (128, 128), "F32"),
                                          ((rows, 67), (1, 2), "F32"), ((2, 2), (128, 128), "F8_E8M0")):
            count = 1
            for length in scale_shape:
                count *= length
            if stored == "F32":
                raw = b"".join(struct.pack("<f", self.random.uniform(0.001, 2)) for _ in range(count))
                scales = [value for value, in struct.iter_unpack("<f", raw)]
            elif stored == "BF16":
                words = [self.random.randrange(0x3C00, 0x4000) for _ in range(count)]
                raw = struct.pack(f"<{count}H", *words)
                scales = [struct.unpack("<f", struct.pack("<I", word << 16))[0] for word in words]
            elif stored == "F16":
                raw = b"".join(struct.pack("<e", self.random.uniform(0.001, 2)) for _ in range(count))
                scales = [value for value, in struct.iter_unpack("<e", raw)]
            else:
                raw = bytes(self.random.randrange(110, 140) for _ in range(count))
                scales = [e8m0(code) for code in raw]
            across = -(-columns // tile[1])
            for kind, value in (("F8_E4M3", e4m3), ("F8_E5M2", e5m2), ("I8", int8)):
                for ending in (".weight_scale", ".weight_scale_inv", ".scale"):
                    if ending != ".weight_scale" and (kind != "F8_E4M3" or tile != (128, 128)):
                        continue
                    with self.subTest(scales=scale_shape, stored=stored, kind=kind, ending=ending):
                        path = self.write({"a.weight": (kind, (rows, columns), bytes(codes)),
                                           "a" + ending: (stored, scale_shape, raw)})
                        expected = [single(value(code) * scales[i // columns // tile[0] * across
                                                                + i % columns // tile[1]])
                                    for i, code in enumerate(codes)]
                        self.check(path, "a.weight", (rows, columns), expected)
                        weight, = self.weights(path)["weights"]
                        self.assertEqual(tuple(weight["tile"]), tile)

    def test_experts(self):
        """Three axes: tiles in each expert, and a number of each."""
        experts, rows, columns = 3, 4, 32
        four = self.codes(experts * rows * columns, 4)
        floats = [self.random.randrange(1, 127) for _ in range(experts * rows * columns // 16)]
        numbers = [single(0.1), single(0.3), single(7.7)]
        raw = struct.pack("<3f", *numbers)
        path = self.write({"e.weight": ("U8", (experts, rows, columns // 2), nibbles(four)),
                           "e.weight_scale": ("F8_E4M3", (experts, rows, columns // 16), bytes(floats)),
                           "e.weight_scale_2": ("F32", (experts, 1, 1), raw)})
        expected = [single(e2m1(code) * single(e4m3(floats[i // 16]) * numbers[i // (rows * columns)]))
                    for i, code in enumerate(four)]
        self.check(path, "e.weight", (experts, rows, columns), expected)
        eight = self.codes(experts * rows * columns, 8)
        path = self.write({"e.weight": ("F8_E4M3", (experts, rows, columns), bytes(eight)),
                           "e.weight_scale": ("F32", (experts,), raw)})
        self.check(path, "e.weight", (experts, rows, columns),
                   [single(e4m3(code) * numbers[i // (rows * columns)]) for i, code in enumerate(eight)])

    def test_swizzled(self):
        """Tiles of 128 x 4: where the size alone shows them, and where the file says it."""
        rows, columns = 130, 160
        eight = self.codes(rows * columns, 8)
        across = columns // 32
        powers = [self.random.randrange(100, 140) for _ in range(rows * across)]
        plane = bytearray(256 * 8)
        for row in range(rows):
            for block in range(across):
                tile = row // 128 * 2 + block // 4
                plane[tile * 512 + row % 32 * 16 + row % 128 // 32 * 4 + block % 4] = powers[row * across + block]
        expected = [single(e4m3(code) * e8m0(powers[i // 32])) for i, code in enumerate(eight)]
        path = self.write({"a.weight": ("F8_E4M3", (rows, columns), bytes(eight)),
                           "a.weight_scale": ("U8", (256, 8), bytes(plane))})
        self.check(path, "a.weight", (rows, columns), expected)
        self.assertEqual(self.weights(path)["weights"][0]["scale_layout"], "swizzle_128x4")
        # Whole tiles have the size of scales in order: torchao says in its metadata which they are.
        rows, columns = 128, 128
        powers = [self.random.randrange(100, 140) for _ in range(rows * 4)]
        plane = bytearray(512)
        for row in range(rows):
            for block in range(4):
                plane[row % 32 * 16 + row // 32 * 4 + block] = powers[row * 4 + block]
        codes = bytes(eight[:rows * columns])
        tensors = {"a._weight_qdata": ("F8_E4M3", (rows, columns), codes),
                   "a._weight_scale": ("F8_E8M0", (rows, 4), bytes(plane))}
        for flag, order in ((True, powers), (False, list(plane))):
            path = self.write(tensors, metadata={"a.weight": json.dumps({"_data": {"is_swizzled_scales": flag}})})
            self.check(path, "a.weight", (rows, columns),
                       [single(e4m3(code) * e8m0(order[i // 32])) for i, code in enumerate(codes)])

    def test_identify_swizzled(self):
        """Scales of whole tiles, which no shape shows: the order in which something explains them is named."""
        rows, columns = 128, 128
        words = b"".join(struct.pack("<H", self.random.randrange(0x3B00, 0x4080) | self.random.getrandbits(1) << 15)
                         for _ in range(rows * columns))
        original = self.write({"k.weight": ("BF16", (rows, columns), words)}, "w.safetensors")
        made = self.path("q.safetensors")
        self.run_mxgold("quantize", original, "-o", made, "--format", "mxfp8_e4m3", "--profile", "te")
        parts = tensors_of(made)
        scales = parts["k.weight.scales"][2]
        self.assertGreater(len(set(scales)), 1)
        plane = bytearray(512)
        for row in range(rows):
            for block in range(4):
                plane[row % 32 * 16 + row // 32 * 4 + block] = scales[row * 4 + block]
        for name, raw, says, status in (("in order", scales, False, 0), ("swizzled", bytes(plane), True, 0),
                                        ("reversed", scales[::-1], False, 1)):
            with self.subTest(name):
                path = self.write({"k.weight": ("F8_E4M3", (rows, columns), parts["k.weight.codes"][2]),
                                   "k.weight_scale": ("F8_E8M0", (rows, 4), raw)})
                done = self.run_mxgold("identify", "--tensors-in", original, "--tensors-out", path, "--count", "20",
                                       status=status)
                self.assertEqual("swizzled, in tiles of 128 x 4" in done.stdout, says, done.stdout)
                self.assertEqual("te" in done.stdout.split("compared:")[0], status == 0, done.stdout)

    def test_configuration(self):
        """config.json names the library and the tile, hf_quant_config.json the algorithm."""
        codes = bytes(self.codes(192 * 128, 8))
        scales = struct.pack("<4f", 1, 2, 3, 4)
        path = self.write({"a.weight": ("F8_E4M3", (192, 128), codes), "a.weight_scale_inv": ("F32", (2, 2), scales)})
        beside = Path(self.path("config.json"))
        for size, tile in (([128, 64], [128, 64]), ([96, 64], [96, 64]), (None, [128, 64]), ([-1, "x"], [128, 64]),
                           ([0, 1.5], [128, 64]), ([96], [128, 64]), ([2**64, 64], [128, 64])):
            beside.write_text(json.dumps({"quantization_config": {"quant_method": "fp8", "weight_block_size": size}}))
            seen = self.weights(path)
            self.assertEqual(seen["weights"][0]["tile"], tile)
            self.assertIn("DeepSeek", seen["made_by"])
            self.check(path, "a.weight", (192, 128),
                       [single(e4m3(code) * (1 + i // 128 // tile[0] * 2 + i % 128 // 64)) for i, code in enumerate(codes)])
        beside.write_text("{")
        self.assertIn("config.json: line 1, column", self.run_mxgold("inspect", path, status=3).stderr)
        for nothing in ("[]", '{"quantization_config": 3}', "{}"):
            beside.write_text(nothing)
            self.assertTrue(self.weights(path)["made_by"].startswith("DeepSeek-V3"))
        Path(self.path("hf_quant_config.json")).write_text('{"quantization": {"quant_algo": "FP8"}}')
        self.assertEqual(self.weights(path)["made_by"], "ModelOpt (FP8)")

    def test_one_weight_of_pieces(self):
        """A weight by its name out of a model in pieces, and types that values are rounded to."""
        codes = bytes(self.codes(64, 8))
        for name, scale in (("a", 1.5), ("b", 3.0)):
            self.write({f"{name}.weight": ("F8_E4M3", (2, 32), codes),
                        f"{name}.weight_scale": ("F32", (), struct.pack("<f", scale))}, f"{name}.safetensors")
        index = Path(self.path("model.safetensors.index.json"))
        index.write_text(json.dumps({"weight_map": {f"{name}.{part}": f"{name}.safetensors"
                                                    for name in "ab" for part in ("weight", "weight_scale")}}))
        self.assertEqual(set(self.values(str(index))), {"a.weight", "b.weight"})
        found = self.values(str(index), "--tensor", "b.weight", "--to", "f16")
        self.assertEqual(set(found), {"b.weight"})
        for i, (half,) in enumerate(struct.iter_unpack("<e", found["b.weight"][2])):
            if e4m3(codes[i]) == e4m3(codes[i]):
                self.assertEqual(half, e4m3(codes[i]) * 3)
        out = self.path("no.safetensors")
        done = self.run_mxgold("dequantize", str(index), "-o", out, "--tensor", "c.weight", status=2)
        self.assertIn("'a.weight'", done.stderr)
        self.assertIn("--profile", self.run_mxgold("dequantize", str(index), "-o", out, "--profile", "te", status=2).stderr)

    def test_folder(self):
        """A folder stands for its index or its only file; of several there is a question."""
        codes = bytes(self.codes(64, 8))
        tensors = {"a.weight": ("F8_E4M3", (2, 32), codes), "a.weight_scale": ("F32", (), struct.pack("<f", 1.5))}
        done = self.run_mxgold("inspect", self.folder.name, status=3)
        self.assertIn("0 files of safetensors", done.stderr)
        self.write(tensors, "model.safetensors")
        self.assertEqual(self.weights(self.folder.name)["weights"][0]["name"], "a.weight")
        self.check(self.folder.name, "a.weight", (2, 32), [single(e4m3(code) * 1.5) for code in codes])
        Path(self.path("out.safetensors")).unlink()
        self.write(tensors, "other.safetensors")
        self.assertIn("2 files of safetensors", self.run_mxgold("inspect", self.folder.name, status=3).stderr)
        Path(self.path("model.safetensors.index.json")).write_text(
            json.dumps({"weight_map": {name: "other.safetensors" for name in tensors}}))
        self.assertEqual(len(self.weights(self.folder.name)["weights"]), 1)
        Path(self.path("b.index.json")).write_text("{}")
        self.assertIn("2 indexes", self.run_mxgold("inspect", self.folder.name, status=3).stderr)

    def test_refused(self):
        """Shapes that fit nothing, and two weights of one name: an error, and no file."""
        codes = ("U8", (4, 32), bytes(128))
        out = self.path("no.safetensors")
        for tensors, why in (
                ({"a.weight_packed": codes, "a.weight_scale": ("U8", (4, 3), bytes(12))}, "fit in no way"),
                ({"a.weight_packed": codes, "a.weight_scale": ("U8", (4, 2), bytes(8)),
                  "a.weight": ("U8", (4, 32), bytes(128))}, "two tensors would be called 'a.weight'"),
                ({"a.weight": codes, "a.weight_scale": ("F8_E4M3", (4, 4), bytes(16)),
                  "a.weight_scale_2": ("F32", (2,), bytes(8))}, "fit in no way"),
                ({"a.weight": codes, "a.weight_scale": ("F8_E4M3", (4, 4), bytes(16)),
                  "a.weight_scale_2": ("F16", (1,), bytes(2))}, "fit in no way"),
                ({"a.weight": ("F8_E4M3", (5, 7), bytes(35)), "a.weight_scale": ("F32", (2, 3), bytes(24))},
                 "fit in no way"),
                ({"a.gate_blocks": ("U8", (4,), bytes(4)), "a.gate_scales": ("U8", (4,), bytes(4))}, "fit in no way")):
            with self.subTest(why=why, names=list(tensors)):
                path = self.write(tensors)
                done = self.run_mxgold("dequantize", path, "-o", out, status=3)
                self.assertIn(why, done.stderr)
                self.assertFalse(Path(out).exists())
                self.run_mxgold("inspect", path)

    def test_nothing(self):
        """No elements, no axes: tensors of no length, and files of none of these."""
        path = self.write({"a.weight_packed": ("U8", (0, 16), b""), "a.weight_scale": ("U8", (0, 1), b"")})
        self.check(path, "a.weight", (0, 32), [])
        path = self.write({"a.weight": ("F32", (2,), bytes(8)), "n.weight_scale": ("F32", (1,), bytes(4))})
        done = self.run_mxgold("dequantize", path, "-o", self.path("no.safetensors"), status=3)
        self.assertIn("not written by mxgold quantize", done.stderr)

    def test_codes_without_scales(self):
        """A tensor of codes alone has the values of its type; others are named."""
        codes = bytes(range(256))
        path = self.write({"x": ("F8_E4M3", (256,), codes), "four": ("F4", (512,), codes), "n": ("I64", (1,), bytes(8)),
                           "bytes": ("U8", (4,), bytes(4))})
        words = struct.unpack("<256I", self.values(path)["x"][2])  # a NaN keeps its sign here
        self.assertEqual(list(words), [bits(e4m3(code)) | (code & 0x80) << 24 for code in codes])
        self.check(path, "four", (512,), [e2m1(half) for code in codes for half in (code & 15, code >> 4)])
        self.assertEqual(set(self.values(path)), {"x", "four"})


if __name__ == "__main__":
    MXGOLD = sys.argv.pop(1)
    unittest.main()
