#!/usr/bin/env python3
"""FP32 -> MXFP4 (floor, ties_to_even, sat_finite) as a pipe DUT: docs/howto/pipe.md."""
import math
import struct
import sys

VALUES = [0, 0.5, 1, 1.5, 2, 3, 4, 6, 8]  # e2m1fn by code; 8 stands for overflow


def answer(words):
    x = [struct.unpack(">f", bytes.fromhex(word))[0] for word in words]
    if not all(map(math.isfinite, x)):
        return [0xFF] + [0] * 32 + [4 * any(map(math.isinf, x)) | 8 * any(map(math.isnan, x))]
    amax = max(map(abs, x))
    wanted = math.frexp(amax)[1] - 1 + 127 - 2
    flags = 2 if amax == 0 else int(wanted < 0)
    scale, codes = max(wanted, 0) if amax else 0, []
    for v in x:
        m = math.ldexp(abs(v), 127 - scale)
        code = min(range(9), key=lambda k: (abs(VALUES[k] - m), k % 2))
        flags |= 16 * (code == 0 and v != 0) | 32 * (code == 8)
        codes.append(min(code, 7) | 8 * (math.copysign(1, v) < 0))
    return [scale, *codes, flags]


for line in sys.stdin:
    if not line.startswith("#"):
        print(" ".join(f"{byte:02x}" for byte in answer(line.split()[-32:])), flush=True)
