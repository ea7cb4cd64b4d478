#!/usr/bin/env python3
"""Elaborates the RTL with slang, warnings as errors. usage: slang_check.py FILE.sv ...

Every top module is elaborated with its default parameters. Needs pyslang (lint-requirements.txt).
Exit status: 0 clean, 1 diagnostics, 2 usage or no design.
"""

import shlex
import sys

import pyslang.driver


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    driver = pyslang.driver.Driver()
    driver.addStandardArgs()
    # The package goes first; the default warnings are the gate (-Wextra objects to a default in unique case).
    files = sorted(sys.argv[1:], key=lambda name: (not name.endswith("_pkg.sv"), name))
    command = ["slang", "--std", "1800-2017", "-Werror", *files]
    if not driver.parseCommandLine(shlex.join(command)) or not driver.processOptions():
        return 2
    parsed = driver.parseAllSources()
    compilation = driver.createCompilation()
    driver.reportCompilation(compilation, False)
    if not driver.reportDiagnostics(False) or not parsed:
        return 1
    tops = [top.name for top in compilation.getRoot().topInstances]
    if not tops:
        print("slang: no top module was elaborated")
        return 2
    print(f"slang: {len(files)} files, top modules {', '.join(tops)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
