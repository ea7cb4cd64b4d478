"""Writes the tensors that big_endian.sh gives to both programs: every class of words, float64, float16, bfloat16.

usage: tensors.py FOLDER
"""

import json
import pathlib
import random
import struct
import sys


def npy(path, dtype, shape, content):
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + content)


def safetensors(path, tensors):
    """`tensors`: (name, dtype, shape, bytes), little-endian as the format has it."""
    header, data = {}, b""
    for name, dtype, shape, content in tensors:
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def upper_halves(words32):
    return b"".join(words32[i + 2 : i + 4] for i in range(0, len(words32), 4))


def main(folder):
    rng = random.Random(11)
    words = [rng.getrandbits(32) for _ in range(6 * 70)]
    words[:8] = [0, 0x80000000, 1, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F7FFFFF, 0x00800000]
    words32 = struct.pack(f"<{len(words)}I", *words)
    near = [rng.gauss(0, 1) for _ in range(4 * 96)]
    near32 = struct.pack(f"<{len(near)}f", *near)
    far = [rng.gauss(0, 3) for _ in range(5 * 96)]
    npy(folder / "words32.npy", "<f4", (6, 70), words32)
    npy(folder / "near64.npy", "<f8", (4, 96), struct.pack(f"<{len(near)}d", *near))
    npy(folder / "near32.npy", "<f4", (4, 96), near32)
    npy(folder / "near16.npy", "<f2", (4, 96), struct.pack(f"<{len(near)}e", *near))
    npy(folder / "far32.npy", "<f4", (5, 96), struct.pack(f"<{len(far)}f", *far))
    safetensors(folder / "three.safetensors", [("b", "BF16", [6, 70], upper_halves(words32)),
                                               ("f", "F32", [4, 96], near32),
                                               ("g", "BF16", [4, 96], upper_halves(near32))])


main(pathlib.Path(sys.argv[1]))
