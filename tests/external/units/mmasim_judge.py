#!/usr/bin/env python3
"""mxgold's matrix units against mmasim 2.1.1, another model of them: random dot products.

Codes of every exponent, subnormals and specials among them, C near the products, at both ends and zero.
Left out, and said: FP8 by mma.sync of Hopper and B200, which mmasim does not model; on MI300's FP8 dot products with a NaN, or with a C that is infinite, which its rule for a small C drops where the products
are large. --wrong: every set under another unit.
"""

import argparse
import sys

import numpy as np

import unit_program

SETS, COUNT = 4, 2000
E_BITS = {"fp16": (5, 10), "bf16": (8, 7), "tf32": (8, 23), "e4m3fn": (4, 3), "e5m2": (5, 2), "e4m3fnuz": (4, 3),
          "e5m2fnuz": (5, 2), "fp32": (8, 23), "e3m2fn": (3, 2), "e2m3fn": (2, 3), "e2m1fn": (2, 1), "e8m0": (8, 0),
          "ue4m3": (4, 3)}


def need():
    try:
        import torch
        from mmasim.arithmetic import fdpa, ftz_mul_add
    except ImportError as error:
        print(f"SKIP mmasim_judge.py: {error}; install it with ./dev external-setup")
        sys.exit(77)
    return torch, fdpa, ftz_mul_add


def rows(fdpa, tree):
    """(unit, formats, result, K, mmasim's operation, a unit that is wrong)."""
    def t_fdpa(f, rho, group, zero, name):
        return fdpa.MMA_T_FDPA(f, rho, group, zero, name, name)

    fp16 = [("v100", 23, 4, -19, "h100"), ("t4", 24, 8, -20, "v100"), ("a100", 24, 8, -20, "v100"),
            ("ada", 24, 8, -20, "v100"), ("h100", 25, 16, -21, "a100"), ("b200", 25, 16, -21, "a100")]
    for name, f, group, zero, wrong in fp16:
        yield f"{name}_f16", "fp16", "fp16", 2 * group, t_fdpa(f, "RNE-FP16", group, zero, "f16"), f"{wrong}_f16"
        yield f"{name}_f16", "fp16", "fp32", 2 * group, t_fdpa(f, "RZ-FP32", group, zero - 112, "f16"), f"{wrong}_f16"
        if name in ("v100", "t4"):
            continue
        other = "h100" if wrong == "v100" else wrong
        yield f"{name}_f16", "bf16", "fp32", 2 * group, t_fdpa(f, "RZ-FP32", group, zero - 112, "bf16"), f"{other}_f16"
        yield (f"{name}_tf32", "tf32", "fp32", group, t_fdpa(f, "RZ-FP32", group // 2, zero - 112, "tf32"),
               f"{other}_tf32")
    for name in ("e4m3fn", "e5m2"):
        yield "ada_fp8", name, "fp32", 32, t_fdpa(13, "RZ-E8M13", 16, -132, name[:4]), "h100_wgmma_fp8"
        yield "ada_fp8", name, "fp16", 32, t_fdpa(13, "RNE-FP16", 16, -20, name[:4]), "h100_mma_fp8"
        yield "h100_wgmma_fp8", name, "fp32", 64, t_fdpa(13, "RZ-E8M13", 32, -133, name[:4]), "ada_fp8"
        yield "h100_wgmma_fp8", name, "fp16", 64, t_fdpa(13, "RNE-FP16", 32, -21, name[:4]), "h100_mma_fp8"
        yield "b200_f8f6f4", name, "fp32", 64, t_fdpa(25, "RZ-FP32", 32, -133, name[:4]), "ada_fp8"
    yield "mi100_f16", "fp16", "fp32", 8, fdpa.MMA_E_FDPA(4), "mi200_f16"
    yield "mi100_bf16", "bf16", "fp32", 8, fdpa.MMA_E_FDPA(2), "mi200_f16"
    yield "mi200_f16", "fp16", "fp32", 8, tree.MMA_FTZ_MUL_ADD(4), "mi100_f16"
    yield "mi200_f16", "bf16", "fp32", 8, tree.MMA_FTZ_MUL_ADD(4), "mi200_bf16"
    yield "mi200_bf16", "bf16", "fp32", 8, tree.MMA_FTZ_MUL_ADD(2), "mi200_f16"
    tr = {"F": 24, "F2": 31, "rho": "RNE-FP32"}
    for name in ("fp16", "bf16"):
        yield "mi300_f16", name, "fp32", 16, fdpa.MMA_TR_FDPA(L_max=8, **tr), "mi200_f16"
    yield "mi300_xf32", "tf32", "fp32", 8, fdpa.MMA_TR_FDPA(L_max=4, **tr), "a100_tf32"
    for name in ("e4m3fnuz", "e5m2fnuz"):
        yield "mi300_fp8", name, "fp32", 32, fdpa.MMA_GTR_FDPA(L_max=16, **tr), None


def scaled_rows(fdpa):
    """(unit, format, K, scale format, block, mmasim's operation, what turns codes into its operands)."""
    for name, ptx, shift in (("e4m3fn", "e4m3", 0), ("e5m2", "e5m2", 0), ("e3m2fn", "e3m2", 0), ("e2m3fn", "e2m3", 0),
                             ("e2m1fn", "e2m1", 2)):
        yield "b200_f8f6f4", name, 32, None, 32, fdpa.MMA_T_FDPA(25, "RZ-FP32", 32, -133, ptx, ptx), shift
        operation = fdpa.MMA_ST_FDPA(F=25, rho="RZ-FP32", L_max=32, e_zero=-133, a_type_ptx=ptx, b_type_ptx=ptx)
        yield "b200_mxf8f6f4", name, 32, "e8m0", 32, operation, shift
    for scale, block in (("e8m0", 32), ("e8m0", 16), ("ue4m3", 16)):
        operation = fdpa.MMA_GST_FDPA(G=16, F=35, rho="RZ-FP32", L_max=64, e_zero=-139)
        yield "b200_mxf4", "e2m1fn", 64, scale, block, operation, None


def codes(random, name, shape, kind):
    """Exponents of a kind: near each other, all, low, high; specials in all."""
    exponent_bits, man_bits = E_BITS[name]
    top = (1 << exponent_bits) - 1
    bias = top // 2
    ends = {"near": (bias - 4, bias + 4), "all": (0, top + 1), "low": (0, 3), "high": (top - 3, top)}[kind]
    field = random.integers(max(ends[0], 0), min(ends[1], top + 1), shape, dtype=np.uint64)
    fraction = random.integers(0, 1 << man_bits, shape, dtype=np.uint64)
    fraction &= np.uint64(0xFFFFFFFFFFFFFFFF) << random.integers(0, man_bits + 1, shape, dtype=np.uint64)
    fraction &= np.uint64((1 << man_bits) - 1)
    sign = random.integers(0, 2, shape, dtype=np.uint64) << np.uint64(exponent_bits + man_bits)
    found = sign | field << np.uint64(man_bits) | fraction
    if name == "tf32":
        found &= np.uint64(0xFFFFE000)
    return found.astype({1: np.uint8, 2: np.uint16, 4: np.uint32}[unit_program.TYPES[name][1]])


def tensor(torch, name, array):
    dtype = {"fp16": torch.float16, "bf16": torch.bfloat16, "tf32": torch.float32, "fp32": torch.float32,
             "e4m3fn": torch.float8_e4m3fn, "e5m2": torch.float8_e5m2, "e4m3fnuz": torch.float8_e4m3fnuz,
             "e5m2fnuz": torch.float8_e5m2fnuz}[name]
    signed = {1: np.uint8, 2: np.int16, 4: np.int32}[array.dtype.itemsize]
    return torch.from_numpy(array.view(signed).copy()).view(dtype)


def addends(random, result, a_kind):
    kind = {"near": "near", "all": "all", "low": "low", "high": "high"}[a_kind]
    found = codes(random, result, (COUNT,), kind)
    found[::5] = codes(random, result, found[::5].shape, "all")
    found[::7] = 0
    return found


def operand(torch, name, array, shift):
    """FP6 as mmasim stores it, FP4 as values where `shift` is None."""
    if name in ("e4m3fn", "e5m2"):
        return tensor(torch, name, array)
    if shift is not None:
        return torch.from_numpy(array << shift)
    values = [0, 0.5, 1, 1.5, 2, 3, 4, 6]
    return torch.tensor(values + [-value for value in values], dtype=torch.float16)[torch.from_numpy(array).int()]


def judge_scaled(torch, fdpa, random, tally):
    """C near the products under their scales, at both ends, zero."""
    for unit, name, k, scale, block, operation, shift in scaled_rows(fdpa):
        sums = {"equal": 0, "open": 0, "different": 0}
        for kind in ("near", "all", "low", "high"):
            a, b = (codes(random, name, (COUNT, k), "all") for _ in "ab")
            c = addends(random, "fp32", kind)
            scales = None
            operands = [operand(torch, name, each, shift) for each in (a, b)] + [tensor(torch, "fp32", c)]
            if scale:
                scales = [codes(random, scale, (COUNT, k // block), kind) & 0xFF for _ in "ab"]
                dtype = torch.float8_e8m0fnu if scale == "e8m0" else torch.float8_e4m3fn
                operands += [torch.from_numpy(each.copy()).view(dtype) for each in scales]
            d = operation.dpa(*operands).contiguous().view(torch.int32).numpy().view(np.uint32)
            found = unit_program.verdict(unit, a, b, c, d, (name, name), "fp32", scales and (*scales, scale))
            for field in ("equal", "open", "different"):
                sums[field] += found[field]
            if found["different"]:
                sums["first_different"] = (kind, found["first_different"])
        tally.add(f"{unit} {name}{f' by {scale}/{block}' if scale else ''} to fp32", sums)


def judge(is_wrong):
    torch, fdpa, tree = need()
    tally = unit_program.Tally(is_wrong)
    random = np.random.default_rng(20261127)
    skipped = 0
    for unit, name, result, k, operation, wrong in rows(fdpa, tree):
        if is_wrong and wrong is None:
            continue
        sums = {"equal": 0, "open": 0, "different": 0}
        for kind in ("near", "all", "low", "high"):
            a, b = (codes(random, name, (COUNT, k), kind) for _ in "ab")
            c = addends(random, result, kind)
            if unit == "mi300_fp8":
                plain = ~(tensor(torch, name, a).float().isnan().any(1) | tensor(torch, name, b).float().isnan().any(1))
                plain = (plain & tensor(torch, result, c).isfinite()).numpy()
                skipped += int((~plain).sum())
                a, b, c = a[plain], b[plain], c[plain]
            got = operation.dpa(tensor(torch, name, a), tensor(torch, name, b), tensor(torch, result, c))
            d = got.contiguous().view(torch.int16 if result == "fp16" else torch.int32).numpy()
            d = d.view(np.uint16 if result == "fp16" else np.uint32)
            found = unit_program.verdict(wrong if is_wrong else unit, a, b, c, d, (name, name), result)
            for field in ("equal", "open", "different"):
                sums[field] += found[field]
            if found["different"]:
                sums["first_different"] = (kind, found["first_different"])
        tally.add(f"{unit} {name} to {result}{f' by {wrong}' if is_wrong else ''}", sums)
    if not is_wrong:
        judge_scaled(torch, fdpa, random, tally)
    print(f"not compared: FP8 by mma.sync of Hopper and B200; {skipped} dot products of MI300's"
          " FP8 with a NaN or an infinite C")
    return tally.end()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--wrong", action="store_true")
    sys.exit(judge(parser.parse_args().wrong))
