#!/usr/bin/env python3
"""Checks docs/testplan.md against the tests that exist.

usage: testplan.py PLAN TESTS [part]     (PLAN: the page; TESTS: what test_names.py prints; - reads it from stdin;
                                         part: of the tests, so that names of others may stand in the plan)

Every test name in the columns "tests" and "control" is a prefix of at least one test (* stands for any text), and every
test is covered by a prefix of the column "tests". A name with its parameter reads as words: no bytes, no addresses.
Exits 1 and names what is not so; exits 2 where there is nothing to check.
"""

import re
import sys
from fnmatch import fnmatchcase
from pathlib import Path

NAME = re.compile(r"`([\w.*]+)`")
LABEL = re.compile(r"label `\w+`")
# What GoogleTest writes for a type it has no printer for.
DUMP = re.compile(r"-byte object|\b0x[0-9a-f]{9,} pointing to|[(, ]0x[0-9a-f]{12}\b")


def main():
    if len(sys.argv) not in (3, 4) or sys.argv[3:] not in ([], ["part"]):
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    rows = [line.split("|")[2:4] for line in Path(sys.argv[1]).read_text().splitlines() if line.startswith("| ")]
    listing = sys.stdin.read() if sys.argv[2] == "-" else Path(sys.argv[2]).read_text()
    tests = re.findall(r"^\s*Test\s+#\d+: (\S+)", listing, re.M)
    dumps = [name for name in re.findall(r"^\s*Test\s+#\d+: (.*)", listing, re.M) if DUMP.search(name)]
    planned = {name for row in rows for name in NAME.findall(LABEL.sub("", row[0]))}
    controls = {name for row in rows for name in NAME.findall(LABEL.sub("", row[1]))}
    if not planned or not tests:
        print("testplan: nothing to check")
        return 2
    problems = [f"{name}: in the plan, but no such test" for name in sorted(planned | controls)
                if not sys.argv[3:] and not any(fnmatchcase(test, name + "*") for test in tests)]
    problems += [f"{test}: in no row of the plan" for test in tests
                 if not any(fnmatchcase(test, name + "*") for name in planned)]
    problems += [f"{name[:160]}: a parameter without a printer (tests/support/print.hpp)" for name in dumps]
    for problem in problems[:40]:
        print(problem)
    print(f"testplan: {len(rows)} rows, {len(tests)} tests, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
