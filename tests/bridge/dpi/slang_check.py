#!/usr/bin/env python3
"""The packages under slang, the strictest free IEEE 1800 front end, warnings as errors.

usage: slang_check.py elaborate [OPTION ...] FILE.sv ...   whole: sources and a top module; options of slang
       slang_check.py parse FILE.sv ...                    syntax alone, of what needs packages that are not there
Needs pyslang (.ci/lint-requirements.txt). Exit status: 0 clean, 1 diagnostics, 2 usage.
"""

import shlex
import sys

import pyslang
import pyslang.driver


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ("elaborate", "parse"):
        print(__doc__, file=sys.stderr)
        return 2
    driver = pyslang.driver.Driver()
    driver.addStandardArgs()
    files = sys.argv[2:]
    command = ["slang", "--std", "1800-2017", "-Werror", *files]
    if not driver.parseCommandLine(shlex.join(command)) or not driver.processOptions():
        return 2
    parsed = driver.parseAllSources()
    if sys.argv[1] == "parse":
        if not driver.reportParseDiags() or not parsed:
            return 1
    else:
        compilation = driver.createCompilation()
        driver.reportCompilation(compilation, False)
        if not compilation.getRoot().topInstances:
            print("slang: no top module was elaborated")
            return 1
        if not driver.reportDiagnostics(False) or not parsed:
            return 1
    count = sum(name.endswith(".sv") for name in files)
    print(f"slang: {count} files, {sys.argv[1]}: clean")
    return 0


if __name__ == "__main__":
    sys.exit(main())
