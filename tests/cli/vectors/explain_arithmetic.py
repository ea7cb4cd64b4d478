#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`mxgold explain --op`: codes and flags of one operation. The right ones are of reports of others (below), and of
fractions: operands at random, the exact result rounded to nearest even, underflow after rounding.

usage: explain_arithmetic.py MXGOLD
"""
import json
import random
import subprocess
import sys
from fractions import Fraction

MXGOLD = sys.argv[1]
FAILURES = []
BITS = {"e4m3fn": (4, 3, 7), "bf16": (8, 7, 127), "fp16": (5, 10, 15), "fp32": (8, 23, 127)}

# operation, format, operands, code, flags; where a report gives them.
STATED = [
    ("mul", "bf16", ["3F81", "3FB8"], "3FB9", ["inexact"], []),
    ("div", "e4m3fn", ["01", "39"], "01", None, []),
    ("div", "e4m3fn", ["02", "39"], "02", None, []),
    ("div", "e4m3fn", ["01", "3C"], "01", None, []),
    ("multiply", "bf16", ["3FB0", "40FF"], "412F", ["inexact"], []),
    ("mul", "fp32", ["00800001", "3F7FFFFE"], "00800000", ["inexact"], []),
    ("mul", "fp32", ["00800001", "3F7FFFFE"], "00800000", ["inexact", "underflow"], ["--tininess", "before_rounding"]),
    ("mul", "fp32", ["00800000", "3F7FFFFF"], "00800000", ["inexact", "underflow"], []),
    ("sqrt", "fp32", ["40000000"], "3FB504F3", ["inexact"], []),
    ("sqrt", "fp32", ["BF800000"], "7FC00000", ["invalid"], []),
    ("fma", "fp32", ["3F800001", "3F800001", "BF800002"], "28800000", [], []),
    ("sub", "fp16", ["7C00", "7C00"], "7E00", ["invalid"], []),
    ("div", "fp32", ["3F800000", "00000000"], "7F800000", ["divide_by_zero"], []),
    ("add", "fp32", ["1", "0x1p-24"], "3F800000", ["inexact"], []),
    ("add", "fp32", ["1", "0x1p-24"], "3F800001", ["inexact"], ["--rounding", "toward_positive"]),
]


def explain(operation, name, operands, options=()):
    return subprocess.run([MXGOLD, "explain", "--op", operation, "--format", name, *options, *operands],
                          capture_output=True, text=True)


def expect(what, is_so, done):
    if not is_so:
        FAILURES.append(what)
        print(f"FAILED {what}\n  exit {done.returncode}: {done.stdout[-700:]} {done.stderr[-300:]}")


def value(code, name):
    """The value of a finite code."""
    exponent_bits, man_bits, bias = BITS[name]
    sign = -1 if code >> (exponent_bits + man_bits) else 1
    field, man = code >> man_bits & (1 << exponent_bits) - 1, code & (1 << man_bits) - 1
    significand = man if field == 0 else man | 1 << man_bits
    return sign * significand * Fraction(2) ** (max(field, 1) - bias - man_bits)


def nearest(x, name):
    """The magnitude's code of a positive fraction by ties to even, and its flags; nothing where it overflows."""
    exponent_bits, man_bits, bias = BITS[name]
    exponent = 1 - bias
    while x >= Fraction(2) ** (exponent + 1):
        exponent += 1
    units = x / Fraction(2) ** (exponent - man_bits)
    whole = units.numerator // units.denominator
    rest = units - whole
    whole += rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole % 2 == 1)
    code = (exponent + bias - 1 << man_bits) + whole
    greatest = 0x7E if name == "e4m3fn" else ((1 << exponent_bits) - 1 << man_bits) - 1
    if code > greatest:
        return None
    # Tiny after rounding: rounded to man_bits + 1 bits without a least exponent, it is still below the least normal.
    fine = x / Fraction(2) ** (-bias - man_bits)
    rounded = fine.numerator // fine.denominator
    rounded += fine - rounded > Fraction(1, 2) or (fine - rounded == Fraction(1, 2) and rounded % 2 == 1)
    is_tiny = x < Fraction(2) ** (1 - bias) and rounded < 2 << man_bits
    inexact = rest != 0
    return code, (["inexact"] if inexact else []) + (["underflow"] if inexact and is_tiny else [])


def compute(operation, a, b, c):
    return {"add": a + b, "sub": a - b, "mul": a * b, "div": a / b if b else None, "fma": a * b + c}[operation]


def drawn():
    draw = random.Random(20260)
    for _ in range(150):
        name = draw.choice(list(BITS))
        exponent_bits, man_bits, _ = BITS[name]
        operation = draw.choice(["add", "sub", "mul", "div", "fma"])
        bits = exponent_bits + man_bits + 1
        digits = (bits + 3) // 4
        codes = [draw.getrandbits(bits) for _ in range(3)]
        top = (1 << exponent_bits) - 1
        if any(code >> man_bits & top == top for code in codes):
            continue
        if draw.randrange(2):  # products near the least normal number
            codes[1] = (1 << bits - 1) - 1 & (codes[1] & (1 << man_bits) - 1 | (top // 2) << man_bits)
            codes[0] &= (2 << man_bits) - 1
        values = [value(code, name) for code in codes]
        exact = compute(operation, *values)
        if exact is None or exact == 0:
            continue
        right = nearest(abs(exact), name)
        if right is None:
            continue
        operands = [f"{code:0{digits}X}" for code in codes[: 3 if operation == "fma" else 2]]
        code, flags = right[0] | (exact < 0) << bits - 1, right[1]
        yield operation, name, operands, f"{code:0{digits}X}", flags, []


def main():
    cases = STATED + list(drawn())
    for operation, name, operands, code, flags, options in cases:
        done = explain(operation, name, operands, [*options, "--json"])
        what = f"{operation} of {name} {operands} {options}"
        if done.returncode != 0:
            expect(what, False, done)
            continue
        said = json.loads(done.stdout)
        expect(f"{what}: {code} {flags}", said["code"] == code, done)
        if flags is not None:
            kept = [f for f in said["flags"] if f not in ("flushed_to_zero", "to_zero")]
            expect(f"{what}: {flags}", kept == flags, done)
    done = explain("mul", "bf16", ["3F81", "3FB8"])
    for words in ("bf16 3F81", "exact", "discarded", "code       3FB9", "flags      inexact"):
        expect(f"the text has {words}", words in done.stdout, done)
    for operands, options, words in ((["3F81"], [], "2 operands"), (["1", "2", "3"], [], "2 operands"),
                                     (["1", "2"], ["--source", "fp32"], "--source"),
                                     (["1", "2"], ["--rounding", "stochastic_a"], "stochastic")):
        done = explain("mul", "bf16", operands, options)
        expect(f"refused: {operands} {options}", done.returncode == 2 and words in done.stderr, done)
    done = explain("multipy", "bf16", ["1", "2"])
    expect("a near miss", done.returncode == 2 and "multiply" in done.stderr, done)
    done = explain("compare_quiet_less", "bf16", ["1", "2"])
    expect("what rounds nothing", done.returncode == 2 and "rounds nothing" in done.stderr, done)
    if FAILURES:
        sys.exit(f"{len(FAILURES)} failures")
    print(f"explain --op: {len(cases)} operations")


main()
