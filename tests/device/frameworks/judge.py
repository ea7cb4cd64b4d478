#!/usr/bin/env python3
"""Casts of frameworks on a GPU, captured as thresholds (capture.py), against the profiles that describe them: every word of fp32,
fp16 and bf16. A run of words with one code is compared at both ends; between them the reference's conversion is monotone, as the
certificates of golden/data/certificates prove, as long as the run has one sign and no NaN beside numbers, at which it is cut.

usage: judge.py LIBRARY [--wrong] FILE ...    exit code: 0 all agree, 1 not, 5 nothing was compared (--wrong: unnoticed)
"""

import bisect
import ctypes
import json
import sys

PROFILES = {"torch": "torch-2.11/cuda", "inductor": "torch-2.11/compiled", "triton": "triton-3.6/sm_90", "xla": "jax-0.11/gpu"}
# Where signs and classes begin: Inf, NaN, negative numbers; and how many bits a word has.
BORDERS = {"fp32": (32, 0x7F800000, 0x80000000), "fp16": (16, 0x7C00, 0x8000), "bf16": (16, 0x7F80, 0x8000)}
# What a profile leaves open, since no policy says it: -NaN of this format.
OPEN = {("xla", "e2m1fn"): 0x08}


class Library:
    def __init__(self, path):
        self.abi = ctypes.CDLL(path)

    def convert(self, words, source, destination, options):
        pairs = [(name.encode(), value.encode()) for name, value in options.items()]
        array = ((ctypes.c_char_p * 2) * len(pairs))(*((ctypes.c_char_p * 2)(*pair) for pair in pairs))
        handle, message = ctypes.c_void_p(), ctypes.create_string_buffer(200)
        if self.abi.mxgold_conversion_create(source.encode(), destination.encode(), array, ctypes.c_size_t(len(pairs)),
                                             ctypes.byref(handle), message, ctypes.c_size_t(len(message))) != 0:
            raise ValueError(message.value.decode())
        given, codes = (ctypes.c_uint64 * len(words))(*words), (ctypes.c_uint64 * len(words))()
        status = self.abi.mxgold_convert(handle, given, None, ctypes.c_size_t(len(words)), codes, None)
        self.abi.mxgold_conversion_destroy(handle)
        if status != 0:
            raise ValueError(f"mxgold_convert: status {status}")
        return list(codes)


def ends_of(source, thresholds):
    """(word, code) at both ends of every run of equal codes, cut where sign or class changes."""
    bits, infinity, negative = BORDERS[source]
    steps = [(int(word, 16), int(code, 16)) for word, code in (step.split(":") for step in thresholds.split())]
    words = [word for word, _ in steps]
    if words[:1] != [0] or words != sorted(set(words)) or words[-1] >= 1 << bits:
        raise ValueError(f"{source}: steps do not ascend from 0 to below 2^{bits}")
    cuts = {infinity, infinity + 1, negative, negative + infinity, negative + infinity + 1, 1 << bits}
    starts = sorted(cuts.union(words))
    for first, after in zip(starts, starts[1:]):
        code = steps[bisect.bisect_right(words, first) - 1][1]
        yield first, code
        yield after - 1, code


def judge(library, path, wrong):
    """How many words' codes were compared, and how many casts differ."""
    with open(path, encoding="ascii") as file:
        captured = json.load(file)
    framework, compared, differing = captured["framework"], 0, 0
    print(f"{path.rsplit('/', 1)[-1]}: {captured['device']}, {captured['versions']}, profile {PROFILES[framework]}")
    for cast, thresholds in captured["casts"].items():
        source, destination = cast.split()
        bits, infinity, negative = BORDERS[source]
        ends = list(ends_of(source, thresholds))
        options = {"profile": PROFILES[framework]}
        if wrong:
            options["rounding"] = "toward_zero"
        ours = library.convert([word for word, _ in ends], source, destination, options)
        left = OPEN.get((framework, destination))
        bad = [(word, mine, theirs) for (word, theirs), mine in zip(ends, ours)
               if mine != theirs and not (theirs == left and word > negative + infinity)]
        total = 1 << bits
        if left is not None:
            total -= negative - infinity - 1  # -NaN
        compared += total
        differing += 1 if bad else 0
        print(f"  {cast}: {total} words, {len(thresholds.split())} steps: {len(bad)} ends of runs differ"
              + (", -NaN masked by the profile and not counted" if left is not None else "")
              + "".join(f"; {word:X}: mxgold {mine:02X}, {framework} {theirs:02X}" for word, mine, theirs in bad[:3]))
    for cast in captured["refused"]:
        print(f"  {cast}: refused by {framework}, not compared")
    return compared, differing, len(captured["casts"])


def main():
    wrong = "--wrong" in sys.argv
    path, *files = [word for word in sys.argv[1:] if word != "--wrong"]
    library = Library(path)
    results = [judge(library, each, wrong) for each in files]
    compared, differing, casts = (sum(column) for column in zip(*results)) if results else (0, 0, 0)
    if compared == 0 or (wrong and differing != casts):
        print(f"FAIL frameworks: {compared} words compared, the wrong rounding seen in {differing} of {casts} casts")
        sys.exit(5)
    print(f"{'FAIL' if differing else 'PASS'} frameworks: {compared} words of {casts} casts compared, {differing} casts differ")
    sys.exit(1 if differing else 0)


if __name__ == "__main__":
    main()
