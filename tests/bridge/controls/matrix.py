#!/usr/bin/env python3
"""Checks the table of docs/maintainers/integrations.md that says which test shows each of five faults at each bridge.

usage: matrix.py PAGE BRIDGES TESTS     (PAGE: docs/maintainers/integrations.md; BRIDGES: the folder bridge/; TESTS: what test_names.py
                                        prints of every test, - reads it from stdin)

Every cell names tests that exist, or begins with "none:" and a reason; every folder of BRIDGES stands in the first column
of a row. Exits 1 and names what is not so; 2 where there is nothing to check.
"""

import re
import sys
from pathlib import Path

HEAD = ["bridge", "flipped bit", "X", "lost answer", "empty run", "wrong handle or configuration"]
NAME = re.compile(r"`([^`]+)`")


def cells_of(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def rows_of(page):
    """The rows below the table's head; [] where there is no such table."""
    lines = page.splitlines()
    heads = [i for i, line in enumerate(lines) if line.startswith("|") and cells_of(line) == HEAD]
    rows = []
    for line in lines[heads[0] + 2:] if len(heads) == 1 else []:
        if not line.startswith("|"):
            break
        rows.append(cells_of(line))
    return rows


def problems_of_cell(place, cell, tests):
    names = NAME.findall(cell)
    if not cell:
        return [f"{place}: the cell is empty"]
    if cell.startswith("none:"):
        words = cell.removeprefix("none:").split()
        return [f"{place}: names no test and gives no reason"] if len(words) < 2 else []
    if not names:
        return [f"{place}: '{cell}' names no test and is no reason; write none: and why"]
    return [f"{place}: {name}: no such test" for name in names if name not in tests]


def problems_of(rows, folders, tests):
    problems = []
    for row in rows:
        bridge = row[0]
        if len(row) != len(HEAD):
            problems.append(f"{bridge}: {len(row)} cells, not {len(HEAD)}")
            continue
        for fault, cell in zip(HEAD[1:], row[1:]):
            problems += problems_of_cell(f"{bridge}, {fault}", cell, tests)
        if all(cell.startswith("none:") for cell in row[1:]):
            problems.append(f"{bridge}: no fault has a test")
    named = {name for row in rows for name in NAME.findall(row[0])}
    problems += [f"bridge/{folder} is in no row" for folder in sorted(folders) if f"bridge/{folder}" not in named]
    problems += [f"{name} is no folder" for name in sorted(named)
                 if name.startswith("bridge/") and name.removeprefix("bridge/") not in folders]
    return problems


def main():
    if len(sys.argv) != 4:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    rows = rows_of(Path(sys.argv[1]).read_text())
    folders = {path.name for path in Path(sys.argv[2]).iterdir() if path.is_dir()}
    listing = sys.stdin.read() if sys.argv[3] == "-" else Path(sys.argv[3]).read_text()
    tests = set(re.findall(r"^\s*Test\s+#\d+: (\S+)", listing, re.M))
    if not rows or not folders or not tests:
        print(f"matrix: nothing to check: {len(rows)} rows, {len(folders)} folders, {len(tests)} tests")
        return 2
    problems = problems_of(rows, folders, tests)
    for problem in problems:
        print(problem)
    print(f"matrix: {len(rows)} bridges, {len(folders)} folders, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
