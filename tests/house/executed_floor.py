#!/usr/bin/env python3
"""Checks that a whole test run executed at least the recorded number of tests, of every area that could vanish.

usage: executed_floor.py RESULTS.xml FLOOR.txt

RESULTS.xml is what ctest --output-junit writes. FLOOR.txt: the least number of tests; then lines "PREFIX COUNT", the
least number of those whose names begin so. Names the tests that were skipped, also where that is enough. Exits 1 where
too few ran (2: an input that cannot be read).
"""

import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path


def read_floors(path):
    """[(prefix, least)], the whole run first, under the prefix ""."""
    lines = [line.split() for line in Path(path).read_text().splitlines() if line.strip()]
    return [("", int(lines[0][0]))] + [(prefix, int(least)) for prefix, least in lines[1:]]


def main():
    if len(sys.argv) != 3:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    try:
        suite = ElementTree.parse(sys.argv[1]).getroot()
        floors = read_floors(sys.argv[2])
    except (OSError, ElementTree.ParseError, ValueError, IndexError) as error:
        print(f"executed_floor: {error}", file=sys.stderr)
        return 2
    executed, skipped = [], []
    for case in suite.findall("testcase"):
        (executed if case.get("status") in {"run", "fail"} else skipped).append(case.get("name"))
    if skipped:
        print(f"executed_floor: {len(skipped)} tests were skipped: {', '.join(skipped)}", file=sys.stderr)
    status = 0
    for prefix, least in floors:
        count = sum(1 for name in executed if name.startswith(prefix))
        if count >= least > 0:
            continue
        which = f"tests {prefix}*" if prefix else "tests"
        print(f"executed_floor: {count} {which} were executed, the recorded floor is {least} ({sys.argv[2]})",
              file=sys.stderr)
        status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
