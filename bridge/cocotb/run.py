#!/usr/bin/env python3
"""Builds our RTL and runs test_quantizer.py on it by cocotb's runner; results.xml is JUnit.

usage: run.py [icarus|verilator] VECTORS.jsonl [BUILD_FOLDER]
"""

import os
import pathlib
import sys

from cocotb_tools.runner import get_runner

HERE = pathlib.Path(__file__).resolve().parent
RTL = pathlib.Path(os.environ.get("MXGOLD_RTL", HERE.parent.parent / "rtl"))


def sources():
    modules = sorted(path for path in RTL.glob("mx_*.sv") if not path.name.endswith("_checker.sv"))
    return [RTL / "mx_pkg.sv", *(path for path in modules if path.name != "mx_pkg.sv")]


def run(simulator, vectors, folder):
    """The number of failed tests."""
    runner = get_runner(simulator)
    arguments = ["-g2012"] if simulator == "icarus" else ["-Wno-fatal"]
    runner.build(sources=sources(), hdl_toplevel="mx_quantizer", build_dir=folder, build_args=arguments,
                 timescale=("1ns", "1ps"))
    results = runner.test(hdl_toplevel="mx_quantizer", test_module="test_quantizer", build_dir=folder, test_dir=folder,
                          extra_env={"MXGOLD_VECTORS": str(pathlib.Path(vectors).resolve()),
                                     "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])})
    text = pathlib.Path(results).read_text()
    return text.count("<failure") + text.count("<error") + (0 if "<testcase" in text else 1)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    chosen = arguments.pop(0) if arguments and arguments[0] in ("icarus", "verilator") else "icarus"
    if not arguments:
        sys.exit(__doc__)
    sys.exit(1 if run(chosen, arguments[0], arguments[1] if len(arguments) > 1 else "sim_build") else 0)
