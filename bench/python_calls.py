#!/usr/bin/env python3
"""What a call from Python costs, in turns with packages that do the same.

usage: python_calls.py LIBRARY_FOLDER      (where libmxgold.so and _calls.abi3.so lie; PYTHONPATH names python/)

Prints processor time in microseconds: of mxgold.convert() of float32 to e4m3fn, of mxgold.quantize() to mxfp8_e4m3 and nvfp4, the short way
(python/calls) and through ctypes alone, and of what ml_dtypes, VeriFloat and gfloat have for it where they are installed.
Codes are compared first. Each figure is the median of rounds in which all of a row take turns. Exits 1 where codes
differ; a package that is missing is named.
"""

import functools
import os
import pathlib
import random
import statistics
import sys
import time

ROUNDS = 101


@functools.lru_cache(maxsize=None)
def optional(name):
    try:
        return __import__(name)
    except ImportError:
        print(f"{name} is not installed: its column is empty")
        return None


def medians(functions, calls):
    """Microseconds of a call of each function: the median of rounds in which they take turns, each first in some. They are of
    processor time, all threads together, which other programs on the machine hardly change."""
    times = [[] for _ in functions]
    for turn in range(ROUNDS):
        order = list(zip(functions, times))
        random.Random(turn).shuffle(order)
        for function, found in order:
            start = time.process_time_ns()
            for _ in range(calls):
                function()
            found.append((time.process_time_ns() - start) / calls / 1000)
    return [statistics.median(found) for found in times]


class Ways:
    """mxgold's two ways: with the extension of small calls, and through ctypes alone."""

    def __init__(self):
        from mxgold import _convert, _tensors

        self._modules = (_convert, _tensors)
        self._quick = [module._quick for module in self._modules]
        self.is_short = None not in self._quick

    def through_ctypes(self, function):
        """The same call without the extension."""
        def call():
            for module in self._modules:
                module._quick = None
            function()
            for module, quick in zip(self._modules, self._quick):
                module._quick = quick

        return call


def conversions(numpy, x):
    """name -> a function that converts float32 to codes of e4m3fn, one a byte."""
    import mxgold

    ml_dtypes, verifloat, gfloat = (optional(name) for name in ("ml_dtypes", "verifloat", "gfloat"))
    found = {"mxgold": lambda: mxgold.convert(x, "e4m3fn").view("u1")}
    if ml_dtypes is not None:
        found["ml_dtypes"] = lambda: x.astype(ml_dtypes.float8_e4m3fn).view("u1")
    if verifloat is not None:
        form = verifloat.E4M3
        found["VeriFloat"] = lambda: form.array(x)
    if gfloat is not None:
        from gfloat.formats import format_info_ocp_e4m3

        wide = x.astype(numpy.float64)
        found["gfloat"] = lambda: gfloat.round_ndarray(format_info_ocp_e4m3, wide)
    return found


def row(title, functions, calls):
    found = medians(list(functions.values()), calls)
    print(f"{title:<28}" + "".join(f" {name} {value:.2f}" for name, value in zip(functions, found)))


def main():
    if len(sys.argv) != 2:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    library = pathlib.Path(sys.argv[1]).resolve()
    os.environ.setdefault("MXGOLD_LIBRARY", str(library / "libmxgold.so"))
    import numpy

    import mxgold

    ways = Ways()
    print(f"Python {sys.version.split()[0]}, numpy {numpy.__version__}; microseconds of processor time a call, the median of "
          f"{ROUNDS} rounds{'' if ways.is_short else '; the extension is not there, both ways are ctypes'}")
    for count, calls in ((1, 300), (32, 300), (1 << 20, 1)):
        x = numpy.random.default_rng(1).standard_normal(count).astype(numpy.float32)
        functions = conversions(numpy, x)
        if "ml_dtypes" in functions and functions["mxgold"]().tobytes() != functions["ml_dtypes"]().tobytes():
            print("mxgold and ml_dtypes have other codes")
            return 1
        functions = {"mxgold": functions.pop("mxgold"), "ctypes": ways.through_ctypes(lambda x=x: mxgold.convert(x, "e4m3fn")),
                     **functions}
        row(f"convert {count} to e4m3fn", functions, calls)
        for name in ("mxfp8_e4m3", "nvfp4"):
            quantize = (lambda x=x, name=name: mxgold.quantize(x, name))
            row(f"quantize {count} to {name}", {"mxgold": quantize, "ctypes": ways.through_ctypes(quantize)}, calls)
    return 0


if __name__ == "__main__":
    sys.exit(main())
