#!/usr/bin/env python3
"""The virtual platform gives the codes and scales of `mxgold quantize`, and refuses in words.

usage: platform_test.py MXGOLD PLATFORM
"""

import json
import os
import random
import struct
import subprocess
import sys
import tempfile


def write_npy(path, shape, values):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {tuple(shape)!r}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack(f"<{len(values)}f", *values))


def read_safetensors(path):
    data = open(path, "rb").read()
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + size])
    header.pop("__metadata__", None)
    return {name: data[8 + size :][slice(*each["data_offsets"])] for name, each in header.items()}


def run(*arguments):
    environment = {**os.environ, "SC_COPYRIGHT_MESSAGE": "DISABLE"}
    return subprocess.run(arguments, capture_output=True, text=True, env=environment, check=False)


def main():
    mxgold, platform = sys.argv[1:]
    draw = random.Random(7)
    compared = 0
    with tempfile.TemporaryDirectory() as work:
        for shape in ([37, 100], [4, 6, 64], [1000]):
            count = 1
            for size in shape:
                count *= size
            # Weights with outliers, zeros among them.
            values = [draw.gauss(0, 0.02) * (30 if draw.random() < 0.01 else 1) for _ in range(count)]
            values[::50] = [0.0] * len(values[::50])
            write_npy(f"{work}/x.npy", shape, values)
            for name, words, options in (
                ("mxfp4", "", []),
                ("mxfp8_e4m3", " rounding=toward_zero rule=rceil", ["--rounding", "toward_zero", "--rule", "rceil"]),
                ("mxint8", " rounding=stochastic_a random_bits=8", ["--rounding", "stochastic_a", "--random-bits", "8"]),
            ):
                got = run(platform, f"{work}/x.npy", f"format={name}{words}", f"{work}/out")
                assert got.returncode == 0, got.stderr
                said = run(mxgold, "quantize", f"{work}/x.npy", "--format", name, "-o", f"{work}/q.safetensors", *options)
                assert said.returncode == 0, said.stderr
                tensors = sorted(read_safetensors(f"{work}/q.safetensors").items())
                codes = [data for tensor, data in tensors if "scale" not in tensor]
                scales = [data for tensor, data in tensors if "scale" in tensor]
                assert len(codes) == 1 and len(scales) == 1 and len(codes[0]) == count, [t for t, _ in tensors]
                assert open(f"{work}/out.codes", "rb").read() == codes[0], (shape, name)
                assert open(f"{work}/out.scales", "rb").read() == scales[0], (shape, name)
                assert len(set(codes[0])) > 5
                compared += count
        # Another configuration gives others.
        run(platform, f"{work}/x.npy", "format=mxint8 rounding=toward_positive", f"{work}/other")
        assert open(f"{work}/other.codes", "rb").read() != codes[0]
        refused = run(platform, f"{work}/x.npy", "format=mxfp5", f"{work}/none")
        assert refused.returncode == 1 and "mxfp5" in refused.stderr, refused
        assert not os.path.exists(f"{work}/none.codes")
        open(f"{work}/bad.npy", "wb").write(b"\x93NUMPY\x01\x00")
        assert run(platform, f"{work}/bad.npy", "format=mxfp4", f"{work}/none").returncode == 3
    print(f"platform_test: {compared} elements are those of mxgold quantize")


if __name__ == "__main__":
    main()
