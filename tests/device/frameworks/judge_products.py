#!/usr/bin/env python3
"""Which matrix unit made products that products.py captured? `mxgold mma --unit any --chunk any` is asked of every set, and has to
name the unit of the device, as a whole or in chunks of K, for every framework but XLA, whose choice of kernels (and of types for
FP8) no rule here covers: its sets are reported, and counted apart.

usage: judge_products.py PROGRAM FOLDER [--wrong] [PATH ...]   --wrong: a flipped bit of each set must leave no unit
exit code: 0 all explained, 1 not, 5 nothing was judged
"""

import glob
import json
import os
import subprocess
import sys
import tempfile

UNITS = {"e4m3fn": "h100_wgmma_fp8", "e5m2": "h100_wgmma_fp8", "bf16": "h100_f16", "fp16": "h100_f16", "tf32": "h100_tf32"}
REPORTED = ("xla",)


def ask(program, stem, name, expected):
    """Names of what explains a set, and how many results it has."""
    command = [program, "mma", stem + "a.npy", stem + "b.npy", "--unit", "any", "--chunk", "any", "--expect", expected, "--json"]
    if name in ("e4m3fn", "e5m2"):
        command += ["--format", name]
    ran = subprocess.run(command, check=False, capture_output=True, text=True)
    if ran.returncode not in (0, 1):
        raise ValueError(ran.stderr)
    found = json.loads(ran.stdout)
    return found["explained_by"], sum(found["units"][0][each] for each in ("equal", "open", "different"))


def flipped(path, folder):
    """A copy of an array with the lowest bit of its last word flipped."""
    with open(path, "rb") as file:
        data = bytearray(file.read())
    data[-4] ^= 1
    copy = os.path.join(folder, "flipped.npy")
    with open(copy, "wb") as file:
        file.write(data)
    return copy


def main():
    wrong = "--wrong" in sys.argv
    program, folder, *paths = [word for word in sys.argv[1:] if word != "--wrong"]
    judged, reported, bad = 0, 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        for expected in sorted(glob.glob(os.path.join(folder, "*.d.npy"))):
            path, name, k, *_ = os.path.basename(expected).split(".")
            if paths and path not in paths:
                continue
            stem = expected.removesuffix("d.npy")
            found, count = ask(program, stem, name, flipped(expected, scratch) if wrong else expected)
            named = any(each.split()[0] == UNITS[name] for each in found)
            print(f"{path}: {name}, k {k}: {count} products: {', '.join(found) or 'no unit explains them'}", flush=True)
            if path in REPORTED and not wrong:
                reported += count
                continue
            judged += count
            bad += 1 if (found if wrong else not named) else 0
    if judged == 0 and reported == 0:
        print("FAIL products: nothing was judged")
        sys.exit(5)
    print(f"{'FAIL' if bad else 'PASS'} products: {judged} judged, {bad} sets not as they must be; {reported} reported, not judged")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
