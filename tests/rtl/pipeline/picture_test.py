#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/pictures/pipeline.svg shows what the RTL does, cycle by cycle, in Icarus.

usage: picture_test.py RTL BENCH PICTURE [--control]     (--control: a register too few must be seen)
"""

import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
from pathlib import Path

CYCLES = 17
SVG = "{http://www.w3.org/2000/svg}"


def simulated(rtl, bench):
    """For each cycle s_valid, s_ready, block offered or None, m_valid, m_ready, block given or None."""
    sources = [str(rtl / "mx_pkg.sv")]
    sources += sorted(str(each) for each in rtl.glob("mx_*.sv") if each.stem not in ("mx_pkg", "mx_lfsr", "mx_quantizer_checker"))
    with tempfile.TemporaryDirectory() as work:
        program = Path(work, "bench")
        subprocess.run(["iverilog", "-g2012", "-s", "mx_pipeline_tb", "-o", program, *sources, bench],
                       check=True, capture_output=True)
        text = subprocess.run(["vvp", program], check=True, capture_output=True, text=True).stdout
    rows = []
    for line in re.findall(r"^(\d+) ([01])([01]) (\d+) ([01])([01]) (\S+)$", text, re.M):
        _, s_valid, s_ready, offered, m_valid, m_ready, given = line
        rows.append((s_valid == "1", s_ready == "1", int(offered) if s_valid == "1" else None,
                     m_valid == "1", m_ready == "1", int(given) if m_valid == "1" else None))
    return rows


def drawn(picture):
    """The same of the picture: levels of its curves, blocks in its boxes."""
    root = xml.etree.ElementTree.parse(picture).getroot()
    bits = {"la": [], "lb": []}
    blocks = {"fa": [None] * CYCLES, "fb": [None] * CYCLES}
    left = width = 0
    clock = None
    for each in root:
        look = each.get("class")
        if each.tag == SVG + "polyline":
            points = [[float(part) for part in point.split(",")] for point in each.get("points").split()]
            if clock is None:
                clock = points  # the first curve; its ends are those of the cycles
            else:
                low = max(y for _, y in points)
                bits[look].append([y < low for _, y in points[::2]])
        elif each.tag == SVG + "rect":
            left, width = float(each.get("x", "0")), float(each.get("width"))
        elif each.tag == SVG + "text" and look in blocks and re.fullmatch(r"B\d+", each.text):
            cycle = (clock[-1][0] - clock[0][0]) / CYCLES
            first = round((left - clock[0][0]) / cycle)
            for at in range(first, first + round((width + 2) / cycle)):
                blocks[look][at] = int(each.text[1:])
    return list(zip(bits["la"][0], bits["la"][1], blocks["fa"], bits["lb"][0], bits["lb"][1], blocks["fb"]))


def main():
    rtl, bench, picture = (Path(each) for each in sys.argv[1:4])
    is_control = "--control" in sys.argv
    if is_control:  # a bench with a shorter pipeline
        text = bench.read_text().replace("mx_quantizer dut", "mx_quantizer #(.PipeLane(2)) dut")
        work = tempfile.TemporaryDirectory()
        bench = Path(work.name, bench.name)
        bench.write_text(text)
    expected, shown = simulated(rtl, bench), drawn(picture)
    wrong = [f"cycle {t}: RTL {a}, picture {b}" for t, (a, b) in enumerate(zip(expected, shown)) if a != b]
    if len(expected) != CYCLES or len(shown) != CYCLES:
        wrong.append(f"{len(expected)} and {len(shown)} cycles")
    if is_control:
        print("PASS: a shorter pipeline is another picture" if wrong else "FAIL: a shorter pipeline went unseen")
        return 0 if wrong else 1
    print("\n".join(wrong) or f"PASS: {CYCLES} cycles")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
