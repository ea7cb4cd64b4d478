#!/usr/bin/env python3
"""docs/suites.md names every class of vectors that a manifest counts.

usage: class_names_test.py PAGE PROGRAM
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SETS = ("--op cvt --format e4m3fn", "--op cvt --format e4m3fn --rounding stochastic_a --random-bits 8", "--format mxfp4",
        "--format mxfp4 --rounding stochastic_a --random-bits 8", "--format nvfp4", "--format hifx4",
        "--op dequantize --format mxfp4", "--op dequantize --format mxfp8_e4m3", "--op dot --format mxfp4",
        "--op arith --operation fma --format fp16", "--op arith --operation remainder --format fp16",
        "--op arith --operation round_to_integral --format fp16", "--op arith --operation to_integer --format fp16",
        "--op arith --operation from_integer --format fp16", "--op arith --operation compare_quiet_less --format fp16",
        "--op cast --format 'dmx:BFP[8|8]{16}(SN)' --lanes 16")
SUITES = ("--suite smoke", "--suite dir", "--suite rnd --count 64")


def classes_of(program, options, folder):
    """The names that the manifests of a set count."""
    out = Path(folder) / "set.tv"
    command = f"'{program}' gen {options} -o '{out}'"
    subprocess.run(command, shell=True, check=True, capture_output=True, timeout=300)
    names = set()
    for manifest in Path(folder).glob("*.json"):
        for each in json.loads(manifest.read_text())["coverage_summary"]["classes"]:
            names.add(each)
        manifest.unlink()
    return names


def main():
    page, program = Path(sys.argv[1]).read_text(), sys.argv[2]
    named = set(re.findall(r"`([a-z_]+)`", page[page.index("## Classes"):]))
    seen = set()
    with tempfile.TemporaryDirectory() as folder:
        for options in SETS:
            for suite in SUITES:
                seen |= classes_of(program, f"{options} {suite}", folder)
    missing = sorted(seen - named)
    print(f"{len(seen)} classes counted, {len(missing)} of them not named: {' '.join(missing)}")
    # Negative control: a page without one of them is seen.
    is_seen = seen - (named - {"walk"}) == {"walk"}
    return 0 if len(seen) >= 40 and not missing and is_seen else 1


sys.exit(main())
