#!/usr/bin/env python3
"""Checks that every test source is built or run by something.

usage: registered.py ROOT

A C++ source under tests/ must be named by a CMakeLists.txt of its folder or of one above it, or match a pattern that
one of them collects; any other program there (shell, Python, SystemVerilog) must be named in a CMakeLists.txt or by
another test program. Exits 1 and names those that are not; exits 2 where there is nothing to check.
"""

import re
import sys
from pathlib import Path

PROGRAMS = {".sh", ".py", ".sv", ".v", ".ys"}


def is_named(source, lists):
    """Does a list of this folder, or of one above, name the source by its path from there?"""
    for folder, text in lists.items():
        if folder in source.parents:
            name = re.escape(source.relative_to(folder).as_posix())
            # Lists that name a stem only are loops over sources, which end with _test.cpp.
            stem = re.escape(source.relative_to(folder).as_posix().removesuffix("_test.cpp"))
            if re.search(rf"(?<![\w/]){name}(?![\w.])", text) or (
                    source.name.endswith("_test.cpp") and re.search(rf"^\s+{stem}\)?$", text, re.M)):
                return True
    return False


def main():
    if len(sys.argv) != 2:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    root = Path(sys.argv[1]).resolve()
    tests = root / "tests"
    lists = {path.parent: re.sub(r"#.*", "", path.read_text()) for path in tests.rglob("CMakeLists.txt")}
    collected = {path for folder, text in lists.items()
                 for pattern in re.findall(r"\$\{CMAKE_CURRENT_SOURCE_DIR\}/(\S*\*\S*?[.]cpp)\b", text)
                 for path in folder.glob(pattern)}
    compiled = sorted(p for p in tests.rglob("*") if p.suffix in {".cpp", ".c"})
    programs = sorted(p for p in tests.rglob("*") if p.suffix in PROGRAMS)
    if not compiled or not programs:
        print(f"registered: nothing to check under {tests}")
        return 2
    orphans = [p for p in compiled if p not in collected and not is_named(p, lists)]
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
