#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mxgold's operations on arrays against NumPy and ml_dtypes: fp64, fp32, fp16 and narrow types, every pair of bytes. Between
formats, in five roundings and with flags, against exact rationals rounded once by MPFR (gmpy2)."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "python"))
sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1] / "judges"))

import numpy as np

from judge import Judge, need

gmpy2, ml_dtypes, mxgold = need("gmpy2", "ml_dtypes", "mxgold")

#: Types whose operations are those of binary32, rounded again: of at most 11 bits of precision twice is once.
NARROW = ("bfloat16", "float8_e5m2", "float8_e4m3", "float8_e3m4", "float8_e4m3fn", "float8_e4m3fnuz",
          "float8_e5m2fnuz",
          "float8_e4m3b11fnuz")
OPERATIONS = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide, "sqrt": np.sqrt}
RELATIONS = {"compare_quiet_equal": np.equal, "compare_quiet_less": np.less, "compare_quiet_less_equal": np.less_equal}
#: Precision, least and largest exponent as MPFR counts them (significands in [0.5, 1)), subnormals among them.
FORMATS = {"fp16": (11, -23, 16), "bf16": (8, -132, 128), "fp32": (24, -148, 128), "fp64": (53, -1073, 1024),
           "e5m2": (3, -15, 16)}
ROUNDINGS = {"ties_to_even": "RoundToNearest", "toward_zero": "RoundToZero", "toward_positive": "RoundUp",
             "toward_negative": "RoundDown", "away_from_zero": "RoundAwayZero"}

OPPOSITE = {"toward_positive": "toward_negative", "toward_negative": "toward_positive", "toward_zero": "away_from_zero"}


def one_nan(array):
    """The codes, and one for every NaN."""
    words = mxgold.bits(array).copy()
    with np.errstate(all="ignore"):
        words[np.isnan(array.astype(np.float64))] = np.iinfo(words.dtype).max
    return words


def drawn(generator, dtype, count):
    """Codes of a type: any bits, few bits, near each other, specials."""
    size = np.dtype(dtype).itemsize
    words = generator.integers(0, 1 << 8 * size, count, dtype=f"u{size}", endpoint=False)
    kinds = generator.integers(0, 4, count)
    with np.errstate(all="ignore"):
        near = (generator.standard_normal(count) * 3).astype(dtype)
        whole = generator.integers(-40, 40, count).astype(dtype)
    words = np.where(kinds == 1, mxgold.bits(near), np.where(kinds == 2, mxgold.bits(whole), words))
    return words.astype(f"u{size}").view(dtype)


def operands_of(judge, dtype):
    """Two arrays: every pair of codes of 8 bits, else drawn ones."""
    if np.dtype(dtype).itemsize == 1:
        codes = np.arange(256, dtype=np.uint8).view(dtype)
        return np.repeat(codes, 256), np.tile(codes, 256)
    generator = np.random.default_rng(judge.args.seed)
    return drawn(generator, dtype, 200_000), drawn(generator, dtype, 200_000)


def judge_types(judge):
    for dtype in [np.float64, np.float32, np.float16] + [getattr(ml_dtypes, name) for name in NARROW]:
        name = np.dtype(dtype).name
        x, y = operands_of(judge, dtype)
        for operation, theirs in OPERATIONS.items():
            given = (x,) if operation == "sqrt" else (x, y)
            with np.errstate(all="ignore"):
                want = theirs(*given)
            if want.dtype != x.dtype:
                raise ValueError(f"{name}: {operation} gives {want.dtype}")
            got = mxgold.arithmetic(operation, *given, rounding="toward_zero" if judge.args.wrong else "ties_to_even")
            judge.same(f"{name} {operation}", mxgold.bits(x), one_nan(got), one_nan(want))
        for operation, theirs in RELATIONS.items():
            with np.errstate(all="ignore"):
                want = theirs(x, y)
            got = mxgold.arithmetic(operation, *((y, x) if judge.args.wrong else (x, y)))
            judge.same(f"{name} {operation}", mxgold.bits(x), got.astype(np.uint8), want.astype(np.uint8),
                       sees_wrong=operation != "compare_quiet_equal")


def exact(value):
    return gmpy2.mpq(*float(value).as_integer_ratio())


def compute(operation, values):
    """The exact result of finite operands; of a square root 300 bits, which no rounding to 53 tells from it."""
    if operation == "add":
        return values[0] + values[1]
    if operation == "multiply":
        return values[0] * values[1]
    if operation == "divide":
        return values[0] / values[1]
    if operation == "fma":
        return values[0] * values[1] + values[2]
    with gmpy2.context(precision=300, emin=-100000, emax=100000):
        return gmpy2.mpq(gmpy2.sqrt(values[0]))


def rounded(value, name, rounding):
    """(value as a float, inexact, overflow) of a rational that MPFR rounds to a format."""
    precision, least, most = FORMATS[name]
    with gmpy2.context(precision=precision, emin=least, emax=most, subnormalize=True,
                       round=getattr(gmpy2, ROUNDINGS[rounding])) as context:
        made = gmpy2.mpfr(value)
        return float(made), context.inexact, context.overflow


def judge_formats(judge):
    generator = np.random.default_rng(judge.args.seed)
    types = {"fp16": np.float16, "bf16": ml_dtypes.bfloat16, "fp32": np.float32, "fp64": np.float64,
             "e5m2": ml_dtypes.float8_e5m2}
    counts = {"add": 2, "multiply": 2, "divide": 2, "fma": 3, "sqrt": 1}
    names = list(FORMATS)
    for operation, operands in counts.items():
        for result in names:
            for rounding in ROUNDINGS:
                given = [drawn(generator, types[names[generator.integers(len(names))]], 400) for _ in range(operands)]
                with np.errstate(all="ignore"):
                    wide = np.stack([one.astype(np.float64) for one in given])
                size = np.abs(wide)
                kept = np.isfinite(wide).all(axis=0) & (size < 1e290).all(axis=0) & (size > 1e-290).all(axis=0)
                if operation == "sqrt":
                    kept &= wide[0] >= 0
                given, wide = [one[kept] for one in given], wide[:, kept]
                want = [rounded(compute(operation, [exact(value) for value in column]), result,
                                rounding) for column in wide.T]
                nonzero = np.array([value != 0 or is_inexact for value, is_inexact,
                                    _ in want])  # the sign of an exact zero
                given, want = [one[nonzero] for one in given], [one for one, keep in zip(want, nonzero) if keep]
                asked = OPPOSITE.get(rounding, "toward_zero") if judge.args.wrong else rounding
                got = mxgold.arithmetic(operation, *given, result=result, rounding=asked)
                with np.errstate(all="ignore"):
                    theirs = np.array([value for value, _, _ in want]).astype(got.dtype)
                judge.same(f"{operation} to {result}, {rounding}", range(len(want)), mxgold.bits(got),
                           mxgold.bits(theirs),
                           sees_wrong=sum(is_inexact for _, is_inexact, _ in want) > 10)
                flags = [mxgold.arithmetic_flags(operation, *[one[i] for one in given], result=result,
                                                 rounding=rounding)
                         for i in range(0, len(want), 20)]
                ours = [("inexact" in each) + 2 * ("overflow" in each) for each in flags]
                judge.same(f"{operation} to {result}, {rounding}: inexact and overflow", range(len(ours)), ours,
                           [bool(each[1]) + 2 * bool(each[2]) for each in want[::20]], sees_wrong=False)


def main():
    surfaces = {"types": judge_types, "formats": judge_formats}
    judge = Judge("NumPy, ml_dtypes and MPFR", f"ml_dtypes {ml_dtypes.__version__}, {gmpy2.mpfr_version()}", surfaces)
    for name, surface in surfaces.items():
        if judge.wants(name):
            surface(judge)
    judge.finish()


main()
