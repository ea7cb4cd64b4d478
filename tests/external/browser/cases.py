# SPDX-License-Identifier: Apache-2.0
"""What the explorer page is asked, and what the program answers to the same."""

import json
import random
import re
import subprocess

CORNERS = ["0", "-0", "inf", "-inf", "nan", "1", "-1", "0.1", "-3e-5", "0x1.8p-3", "6.9", "448.5"]
#: Bits of a source, and the powers of two of its normal values.
SOURCES = {"fp32": (32, -126, 127), "bf16": (16, -126, 127), "fp16": (16, -14, 15), "fp64": (64, -1022, 1023),
           "tf32": (19, -126, 127)}
FAMILIES = ["binary8p3se", "binary6p3sf", "e5m10", "e3m2", "int4", "fixed8.4", "ue5m3", "exp8"]
SYSTEMS_OF = ["mxfp4", "mxfp8_e4m3", "mxfp8_e5m2", "mxfp6_e2m3", "nvfp4", "e4m3fn", "e5m2", "e2m1fn"]


class Case:
    """One question: a format from a source under a profile, with inputs as the page reads them."""

    def __init__(self, source, format, profile, inputs):
        self.source, self.format, self.profile, self.inputs = source, format, profile, inputs

    def fields(self):
        return {"source": self.source, "format": self.format, "profile": [self.profile], "input": self.inputs}

    def line(self):
        return ["explain", "--json", "--source", self.source, "--format", self.format, "--profile", self.profile, "--",
                *self.inputs]

    def __str__(self):
        return " ".join(self.line())


def program(mxgold, case):
    """The data that the program prints, or the problem that it has."""
    end = subprocess.run([mxgold, *case.line()], capture_output=True, text=True, check=False, timeout=60)
    if end.returncode:
        return {"problem": end.stderr}
    # The command line keeps -inf apart from options by a blank, which its text then has.
    return json.loads(end.stdout.replace('"text": " -', '"text": "-'))


def number(draw, low, high):
    """A number as a hexadecimal float of few or many bits, or in decimals."""
    power = draw.randint(low, high)
    bits = draw.choice((1, 2, 3, 4, 5, 9, 24))
    significand = 1 + draw.getrandbits(bits) / 2 ** bits
    value = draw.choice((-1, 1)) * significand * 2.0 ** power
    return value.hex() if draw.random() < 0.7 else repr(value)


def inputs_of(draw, source, count, near):
    """Corners, bit patterns, and numbers whose powers of two lie in `near`."""
    width, low, high = SOURCES[source]
    chosen = draw.sample(CORNERS, min(2, count))
    while len(chosen) < count:
        if draw.random() < 0.25:
            chosen.append(f"0x{draw.getrandbits(width):0{(width + 3) // 4}X}")
        else:
            chosen.append(number(draw, min(max(near[0], low), high), max(min(near[1], high), low)))
    return chosen


def cases_of(names, systems, seed):
    """All cases. `names`: the page's lists; `systems`: of each format in SYSTEMS_OF the profiles that define it."""
    draw = random.Random(seed)
    elements = [each["name"] for each in names["formats"]] + FAMILIES
    for format in elements:
        for source in SOURCES:
            yield Case(source, format, "mxgold-default", inputs_of(draw, source, 30, (-20, 18)))
    for block in names["blocks"]:
        size = block["block_size"] * block["tile_lines"] if block["extent"] == "elements" else 40
        for source in ("fp32", "bf16", "fp16"):
            near = draw.choice(((-3, 3), (-14, 14), (-130, -100), (90, 127)))
            inputs = inputs_of(draw, source, min(size, draw.choice((5, 16, 32))), near)
            if draw.random() < 0.7:  # most blocks have finite values alone
                inputs = [each for each in inputs if not re.search("inf|nan|^0x7F", each)] or ["1"]
            yield Case(source, block["name"], "mxgold-default", inputs)
    for format, profiles in systems.items():
        for profile in profiles:
            yield Case("fp32", format, profile, inputs_of(draw, "fp32", 14, (-12, 10)))


def edges_of(codes):
    """The values of a small format and the midpoints between them, as hexadecimal floats."""
    values = sorted({float.fromhex(each["hex"]) for each in codes if "0x" in each["hex"] or each["hex"] == "0"})
    middles = [(low + high) / 2 for low, high in zip(values, values[1:])]
    return [each.hex() for each in [*values, *middles]]
