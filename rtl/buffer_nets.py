#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Gives each net of a mapped netlist at most 16 loads, by trees of buffers; prints cells, area and flip-flops.

usage: buffer_nets.py LIBERTY NETLIST OUT

The netlist is one of Yosys' write_verilog -noattr -noexpr: instances with a pin a line. Yosys and ABC leave nets that a
flip-flop drives as they are, an enable with thousands of loads too. Clock and reset keep theirs: both are ideal. Area:
in um^2, and in thousands of the library's NAND2X1.
"""

import re
import sys
from pathlib import Path

MOST = 16
BUFFER, IDEAL = "BUFX4", ("clk_i", "rst_ni")
OUTPUTS = ("Q", "QN", "Y", "YC", "YS")


def areas_of(liberty):
    """Cell -> area."""
    return {name: float(area) for name, area in re.findall(r"^cell \((\w+)\) *\{.*?^ *area *: *([0-9.]+)", liberty, re.M | re.S)}


def buffered(text):
    """The netlist with buffers."""
    loads = {}  # of each net, where its name stands
    for pin in re.finditer(r"^    \.(\w+)\((.*)\),?$", text, re.M):
        net = pin.group(2)
        if pin.group(1) not in OUTPUTS and net.strip() not in IDEAL and "'" not in net:
            loads.setdefault(net, []).append(pin.span(2))
    renamed, added = {}, []

    def drive(net, places):
        """Places are spans of the text, or buffers that a level above has added."""
        while len(places) > MOST:
            drivers = []
            for first in range(0, len(places), MOST):
                wire = f"buffered_{len(added)}_"
                added.append([wire, None])
                for place in places[first:first + MOST]:
                    if isinstance(place, tuple):
                        renamed[place] = wire
                    else:
                        added[place][1] = wire
                drivers.append(len(added) - 1)
            places = drivers
        for place in places:
            if not isinstance(place, tuple):
                added[place][1] = net

    for net, places in loads.items():
        drive(net, places)
    parts, at = [], 0
    for (first, last), wire in sorted(renamed.items()):
        parts += [text[at:first], wire]
        at = last
    body = "".join([*parts, text[at:]])
    lines = [f"  wire {wire};\n  {BUFFER} {wire}cell (\n    .A({net}),\n    .Y({wire})\n  );\n" for wire, net in added]
    end = body.rindex("endmodule")
    return body[:end] + "".join(lines) + body[end:]


def main():
    areas = areas_of(Path(sys.argv[1]).read_text())
    text = buffered(Path(sys.argv[2]).read_text())
    Path(sys.argv[3]).write_text(text)
    cells = re.findall(r"^  (\w+) (?:\\\S+|\w+) \($", text, re.M)
    unknown = {cell for cell in cells if cell not in areas}
    if unknown or not cells:
        raise SystemExit(f"buffer_nets.py: no area of {', '.join(sorted(unknown)) or 'an empty netlist'}")
    area = sum(areas[cell] for cell in cells)
    print(len(cells), f"{area:.0f}", f"{area / areas['NAND2X1'] / 1000:.1f}", sum(cell.startswith("DFF") for cell in cells))


if __name__ == "__main__":
    main()
