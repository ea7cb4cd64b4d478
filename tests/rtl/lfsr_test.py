#!/usr/bin/env python3
"""mx_lfsr, simulated, against the specification (spec R5.5): distinct seeds, polynomial, hold, reset.

usage: lfsr_test.py RTL_FOLDER BENCH_SV FAULTS

A generator's word is a polynomial over GF(2), bit i the coefficient of x^i; a step divides by x modulo
x^32 + x^22 + x^2 + x + 1. Then the faults of sim/rtl/faults.txt that are of this module: each must be noticed.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import mutate

POLYNOMIAL = 1 << 32 | 1 << 22 | 1 << 2 | 1 << 1 | 1
WEYL = 0x9E3779B9
# Of 2^32 - 1.
PRIMES = (3, 5, 17, 257, 65537)

def times(a, b):
    product = 0
    while b:
        if b & 1:
            product ^= a
        b >>= 1
        a <<= 1
        if a >> 32:
            a ^= POLYNOMIAL
    return product


def power(base, exponent):
    result = 1
    while exponent:
        if exponent & 1:
            result = times(result, base)
        base = times(base, base)
        exponent >>= 1
    return result


ORDER = 2**32 - 1
WORD = power(2, ORDER - 32)  # x^-32, if the order of x is 2^32 - 1


def simulate(source, bench, width, seed, folder):
    program = Path(folder) / "lfsr"
    subprocess.run(["iverilog", "-g2012", "-s", "mx_lfsr_tb", f"-Pmx_lfsr_tb.Width={width}",
                    f"-Pmx_lfsr_tb.Seed={seed}", "-o", program, source, bench], check=True,
                   capture_output=True)
    output = subprocess.run(["vvp", "-n", program], check=True, capture_output=True, text=True).stdout
    lines = [line.split() for line in output.splitlines() if len(line.split()) == 3]
    return [(ready == "1", released == "1", word) for ready, released, word in lines]


def problem(edges, width, seed):
    """What is not the specification, or ""."""
    count = (width + 31) // 32
    start = [(seed + k * WEYL) % 2**32 or 1 for k in range(count)]
    if len(edges) != 400 or len(set(start)) != count:
        return f"{len(edges)} edges, {len(set(start))} seeds of {count}"
    state = None
    for cycle, (ready, released, word) in enumerate(edges):
        if not released:
            state = list(start)
        expected = sum(s << 32 * k for k, s in enumerate(state)) % 2**width
        if word != format(expected, f"0{(width + 3) // 4}x"):
            return f"cycle {cycle}: {word}, expected {expected:x}"
        # Edges within a reset leave the seeds; the pulse of cycle 200 is over before its edge.
        if ready and (released or cycle == 200):
            state = [times(s, WORD) for s in state]
    return ""


def main():
    if len(sys.argv) != 4:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    source, bench = Path(sys.argv[1]) / "mx_lfsr.sv", sys.argv[2]
    if power(2, ORDER) != 1 or any(power(2, ORDER // prime) == 1 for prime in PRIMES):
        print("FAIL: the polynomial is not primitive")
        return 1
    sets = [(256, 1), (72, 0xDEADBEEF), (72, 2**32 - WEYL), (1, 7)]
    with tempfile.TemporaryDirectory() as folder:
        for width, seed in sets:
            found = problem(simulate(source, bench, width, seed, folder), width, seed)
            if found:
                print(f"FAIL: Width {width}, Seed {seed:08X}: {found}")
                return 1
        faults = [fault for fault in mutate.parse(Path(sys.argv[3]).read_text()) if "lfsr" in fault[1]]
        for _, _, name, edits in faults:
            sources, lost = mutate.apply(sys.argv[1], [(1, [], name, edits)], "mx_*.sv", "1'b1")
            if lost:
                print("\n".join(lost))
                return 1
            wrong = Path(folder) / source.name
            wrong.write_text(sources[source.name])
            if not any(problem(simulate(wrong, bench, *each, folder), *each) for each in sets):
                print(f"FAIL: not noticed: {name}")
                return 1
        if not faults:
            print("FAIL: no faults of mx_lfsr")
            return 1
    print(f"PASS: {len(sets)} generators of words, {len(faults)} wrong ones noticed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
