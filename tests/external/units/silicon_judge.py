#!/usr/bin/env python3
"""mxgold's matrix units against measured results of NVIDIA devices: 48 sets of 5,000 dot products.

The data are those of north-numerical-computing/MATLAB-tensor-core (docs/spec/accumulators.md), folder
model_validation; MX_TENSOR_CORE names a checkout. --wrong: every set under a unit of another generation.
"""

import argparse
import os
import sys
from pathlib import Path

import numpy as np

import unit_program

UNITS = {"V100": "v100", "A100": "a100", "A2": "a100", "Ada": "ada", "L40S": "ada", "H100": "h100", "H200": "h100",
         "B200": "b200"}
FORMATS = {"fp16": "fp16", "bf16": "bf16", "tf32": "tf32", "E4M3": "e4m3fn", "E5M2": "e5m2"}
WRONG = {"v100": "a100", "a100": "v100", "ada": "h100", "h100": "a100", "b200": "a100"}


def unit_of(device, name, result):
    """FP8 of B200 was measured through mma.sync, and so was that of Hopper to binary16; to binary32 through wgmma."""
    family = UNITS[device]
    if name in ("E4M3", "E5M2"):
        if family == "h100" and result == "fp32":
            return "h100_wgmma_fp8"
        return "ada_fp8" if family == "ada" else "h100_mma_fp8"
    return f"{family}_{'tf32' if name == 'tf32' else 'f16'}"


def wrong_unit(unit, name, result):
    """One that takes the operands and sums otherwise; none where the set tells no two units apart."""
    if result == "fp16" and name == "fp16":
        return None if unit.startswith("v100") else "v100_f16"
    if name in ("E4M3", "E5M2"):
        return "h100_wgmma_fp8" if unit == "h100_mma_fp8" else "h100_mma_fp8"
    other = WRONG[unit.split("_")[0]]
    if other == "v100" and name != "fp16":
        other = "h100"
    return f"{other}_{unit.split('_')[1]}"


def words(path):
    return np.array([[int(word, 16) for word in line.split()] for line in path.read_text().splitlines()], dtype=np.uint32)


def column(path):
    return np.array([int(line.strip(), 2) for line in path.read_text().splitlines()], dtype=np.uint32)


def fp16_of(patterns):
    """binary16 codes of binary32 patterns, to the nearest."""
    return patterns.view(np.float32).astype(np.float16).view(np.uint16)


def codes_of(patterns, name):
    """Codes of values that the format holds exactly, by its value table."""
    if name == "tf32":
        return patterns
    if name == "bf16":
        return patterns >> 16
    if name == "fp16":
        return fp16_of(patterns)
    man_bits, bias = (3, 7) if name == "e4m3fn" else (2, 15)
    table = {}
    for code in range(0x7F if name == "e4m3fn" else 0x7C):
        field, fraction = code >> man_bits, code & ((1 << man_bits) - 1)
        significand = fraction + ((1 << man_bits) if field else 0)
        value = np.float32(significand * 2.0 ** (max(field, 1) - bias - man_bits))
        table[int(value.view(np.uint32))] = code
        table[int(value.view(np.uint32)) | 0x80000000] = code | 0x80
    return np.array([[table[int(word)] for word in row] for row in patterns], dtype=np.uint8)


def judge(folder, is_wrong):
    tally = unit_program.Tally(is_wrong)
    for path in sorted(folder.glob("*/*/d_*.txt")):
        device, name = path.parts[-3], path.parts[-2]
        result = path.stem.split("_")[-1]
        a = codes_of(words(path.with_name(f"a_{device}_{name}.txt")), FORMATS[name])
        b = codes_of(words(path.with_name(f"b_{device}_{name}.txt")), FORMATS[name])
        c, d = column(path.with_name(f"c_{device}_fp32.txt")), column(path)
        # C of Hopper's FP8 to binary32 is zero, and the file is not used.
        if name.startswith("E") and device in ("H100", "H200") and result == "fp32":
            c = np.zeros_like(c)
        if result == "fp16":
            c, d = fp16_of(c), fp16_of(d)
        unit = unit_of(device, name, result)
        if is_wrong:
            unit = wrong_unit(unit, name, result)
        if unit is None:
            continue
        found = unit_program.verdict(unit, a, b, c, d, (FORMATS[name],) * 2, result)
        tally.add(f"{device} {name} to {result} by {unit}", found)
    return tally.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--wrong", action="store_true")
    given = parser.parse_args()
    folder = Path(os.environ.get("MX_TENSOR_CORE") or os.environ["MX_TENSOR_CORE_DEFAULT"]) / "model_validation"
    if not folder.is_dir():
        print(f"SKIP silicon_judge.py: no {folder}; MX_TENSOR_CORE names a checkout of MATLAB-tensor-core")
        return 77
    return judge(folder, given.wrong)


if __name__ == "__main__":
    sys.exit(main())
