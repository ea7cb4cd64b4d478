#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rtl/buffer_nets.py: every net has at most 16 loads, each load is still driven by its net, and clock, reset and constants
keep theirs. A netlist that it did not touch is seen not to hold that.

usage: buffer_nets_test.py RTL
"""

import re
import sys


def netlist(loads):
    """A flip-flop whose output goes to `loads` inverters, each of which drives another flip-flop."""
    cells = ["  DFFPOSX1 _0_ (\n    .CLK(clk_i),\n    .D(\\in[0] ),\n    .Q(\\busy[1] )\n  );\n"]
    for i in range(loads):
        cells.append(f"  INVX1 _{i + 1}_ (\n    .A(\\busy[1] ),\n    .Y(out{i})\n  );\n")
        cells.append(f"  DFFSR \\r[{i}]  (\n    .CLK(clk_i),\n    .D(1'h1),\n    .Q(q{i}),\n    .R(rst_ni),\n    .S(1'h1)\n  );\n")
    return "module top(clk_i, rst_ni);\n" + "".join(cells) + "endmodule\n"


def problem(before, after):
    """What is not so, or ""."""
    drivers, loads = {}, {}
    for kind, name, pins in re.findall(r"^  (\w+) (\S+) +\(\n(.*?)\n  \);", after, re.M | re.S):
        nets = dict(re.findall(r"\.(\w+)\(\s*(.*?)\s*\)", pins))
        if kind == "BUFX4":
            drivers[nets["Y"]] = nets["A"]
        for pin, net in nets.items():
            if pin not in ("Q", "Y") and net not in ("clk_i", "rst_ni", "1'h1"):
                loads.setdefault(net, []).append((kind, name))
    crowded = [net for net, each in loads.items() if len(each) > 16]
    if crowded:
        return f"{crowded[0]} has {len(loads[crowded[0]])} loads"

    def source(net):
        return source(drivers[net]) if net in drivers else net

    driven = [name for net, each in loads.items() if source(net) == "\\busy[1]" for kind, name in each if kind != "BUFX4"]
    wanted = re.findall(r"^  INVX1 (\S+)", before, re.M)
    if sorted(driven) != sorted(wanted):
        return f"{len(driven)} loads of {len(wanted)}"
    return "" if after.count("(clk_i)") == before.count("(clk_i)") else "the clock is buffered"


def main():
    sys.path.insert(0, sys.argv[1])
    import buffer_nets
    for loads in (1, 15, 16, 17, 31, 32, 33, 255, 256, 257, 4097):
        before = netlist(loads)
        after = buffer_nets.buffered(before)
        wrong = problem(before, after)
        if wrong:
            print(f"FAIL: {loads} loads: {wrong}")
            return 1
        if (after == before) != (loads <= 16) or bool(problem(before, before)) != (loads > 16):
            print(f"FAIL: {loads} loads, and nothing to do there is seen wrongly")
            return 1
    broken = buffer_nets.buffered(netlist(40)).replace(".A(buffered_0_)", ".A(out1)", 1)
    if not problem(netlist(40), broken):
        print("FAIL: a load of another net is not seen")
        return 1
    print("PASS")
    return 0


if __name__ == "__main__":
    sys.exit(main())
