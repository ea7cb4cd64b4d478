#!/usr/bin/env python3
"""Checks that a whole test run executed at least the recorded number of tests.

usage: executed_floor.py RESULTS.xml FLOOR.txt

RESULTS.xml is what ctest --output-junit writes. Silent on success; otherwise says how many tests ran, which
were skipped, and exits 1 (2: an input that cannot be read).
"""

import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path


def main():
    if len(sys.argv) != 3:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    try:
        suite = ElementTree.parse(sys.argv[1]).getroot()
        floor = int(Path(sys.argv[2]).read_text().split()[0])
    except (OSError, ElementTree.ParseError, ValueError, IndexError) as error:
        print(f"executed_floor: {error}", file=sys.stderr)
        return 2
    cases = suite.findall("testcase")
    executed = sum(1 for case in cases if case.get("status") in {"run", "fail"})
    if executed >= floor and floor > 0:
        return 0
    skipped = [case.get("name") for case in cases if case.get("status") not in {"run", "fail"}]
    print(
        f"executed_floor: {executed} tests were executed, the recorded floor is {floor} "
        f"({sys.argv[2]}); not executed: {', '.join(skipped) or 'none'}",
        file=sys.stderr,
    )
    return 1


if __name__ == "__main__":
    sys.exit(main())
