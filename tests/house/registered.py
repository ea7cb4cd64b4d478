#!/usr/bin/env python3
"""Checks that every test source is built or run by something.

usage: registered.py ROOT COMPILE_COMMANDS

A C++ source under tests/ must stand in the compile commands of the build; any other program there
(shell, Python, SystemVerilog) must be named in a CMakeLists.txt or by another test program. Exits 1 and
names those that are not; exits 2 where there is nothing to check.
"""

import json
import sys
from pathlib import Path

PROGRAMS = {".sh", ".py", ".sv", ".v", ".ys"}


def main():
    if len(sys.argv) != 3:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    root = Path(sys.argv[1]).resolve()
    tests = root / "tests"
    commands = json.loads(Path(sys.argv[2]).read_text())
    built = {(Path(c["directory"]) / c["file"]).resolve() for c in commands}
    compiled = sorted(p for p in tests.rglob("*") if p.suffix in {".cpp", ".c"})
    programs = sorted(p for p in tests.rglob("*") if p.suffix in PROGRAMS)
    if not compiled or not programs:
        print(f"registered: nothing to check under {tests}")
        return 2
    orphans = [p for p in compiled if p.resolve() not in built]
    naming = {p: p.read_text() for p in [*tests.rglob("CMakeLists.txt"), *programs]}
    for program in programs:
        if not any(program.name in text for path, text in naming.items() if path != program):
            orphans.append(program)
    for orphan in orphans:
        print(f"{orphan.relative_to(root)}: belongs to no target and no test")
    print(f"registered: {len(compiled)} sources, {len(programs)} programs, {len(orphans)} orphans")
    return 1 if orphans else 0


if __name__ == "__main__":
    sys.exit(main())
