#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The instances of docs/howto/rtl-instances.md are ones that Verilator lints without a warning, Icarus elaborates and Yosys
reads; each unit of rtl/ has one. With --control a port too many, a port too few and a unit without one have to be seen.

usage: instances_test.py RTL PAGE TOOLS [--control]      TOOLS: of verilator, iverilog and yosys, by commas
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

UNITS = ("mx_quantizer", "mx_dequantizer", "mx_nvfp4_quantizer", "mx_amax", "mx_dot")


def problem_of(page, rtl, tools):
    """What is wrong with the blocks of a page, or ""."""
    blocks = re.findall(r"^```systemverilog\n(.*?)^```$", page, re.M | re.S)
    missing = [unit for unit in UNITS if not any(f"  {unit} #(" in block for block in blocks)]
    if missing:
        return f"no instance of {', '.join(missing)}"
    sources = sorted(str(path) for path in rtl.glob("**/mx_*.sv")
                     if path.stem not in ("mx_pkg", "mx_lfsr", "mx_quantizer_checker"))
    sources.insert(0, str(rtl / "mx_pkg.sv"))
    for block in blocks:
        name = re.match(r"module (\w+) ", block).group(1)
        with tempfile.TemporaryDirectory() as work:
            file = Path(work, f"{name}.sv")
            file.write_text(block)
            files = [*sources, str(file)]
            for command in (["verilator", "--lint-only", "-Wall", "-Wno-PINCONNECTEMPTY", "-Wno-UNUSEDSIGNAL",
                             "--top-module", name, *files],
                            ["iverilog", "-g2012", "-t", "null", "-s", name, *files],
                            ["yosys", "-q", "-p", f"read_verilog -sv {' '.join(files)}; hierarchy -check -top {name}"]):
                if command[0] not in tools:
                    continue
                end = subprocess.run(command, capture_output=True, text=True, check=False)
                if end.returncode != 0:
                    return f"{command[0]} refuses {name}: {(end.stderr + end.stdout)[-600:]}"
    return ""


def main():
    rtl, page = Path(sys.argv[1]), Path(sys.argv[2]).read_text()
    tools = sys.argv[3].split(",")
    if sys.argv[4:] != ["--control"]:
        problem = problem_of(page, rtl, tools)
        print(problem or "PASS")
        return 1 if problem else 0
    wrong = [page.replace("      .rnd_ready_o  (),\n", "      .rnd_ready_o  (),\n      .rnd_valid_i  (1'b1),\n"),
             page.replace("      .s_axis_tlast (in_last_i),\n", "", 1), page.replace("  mx_dot #(", "  mx_dots #(")]
    unseen = [i for i, each in enumerate(wrong) if each == page or not problem_of(each, rtl, tools)]
    print(f"controls not seen: {unseen}" if unseen else "PASS")
    return 1 if unseen else 0


if __name__ == "__main__":
    sys.exit(main())
