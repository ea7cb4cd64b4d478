#!/usr/bin/env python3
"""Checks that a whole test run executed at least the recorded number of tests, of every area that could vanish.

usage: least_executed.py RESULTS.xml LEAST.txt CASES TIER

RESULTS.xml is what ctest --output-junit writes; CASES the folder with what each GoogleTest program wrote of its cases,
NAME.xml. TIER: default or all. LEAST.txt: lines "default COUNT" and "all COUNT", the least number of tests of the whole
run; then lines "PREFIX COUNT", the least number of those whose names begin so. Prints how many ran and names those that
were skipped. Exits 1 where too few ran, or a program ran no case at all (2: an input that cannot be read).
"""

import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path


def read_least(path, tier):
    """[(prefix, least)], the whole run first, under the prefix ""."""
    lines = [line.split() for line in Path(path).read_text().splitlines() if line.strip()]
    leasts = {name: int(least) for name, least in lines}
    whole = {each: leasts.pop(each) for each in ("default", "all") if each in leasts}
    return [("", whole[tier]), *leasts.items()]


def run_of(results, cases):
    """Names that were executed, names that were skipped, and programs with none of either."""
    executed, skipped, programs = [], [], {}
    for test in ElementTree.parse(results).getroot().findall("testcase"):
        name, details = test.get("name"), Path(cases) / f"{test.get('name')}.xml"
        if test.get("status") not in {"run", "fail"}:
            skipped.append(name)
        elif not details.is_file():
            executed.append(name)
        else:
            program = re.sub(r"[.][0-9]+$", "", name)
            before = len(executed) + len(skipped)
            for case in ElementTree.parse(details).getroot().iter("testcase"):
                full = f"{program}.{case.get('classname')}.{case.get('name')}"
                if case.get("result") == "skipped":
                    skipped.append(full)
                elif case.get("status") == "run":
                    executed.append(full)
            programs[program] = programs.get(program, 0) + len(executed) + len(skipped) - before
    return executed, skipped, [program for program, count in programs.items() if count == 0]


def main():
    if len(sys.argv) != 5:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    try:
        leasts = read_least(sys.argv[2], sys.argv[4])
        executed, skipped, empty = run_of(sys.argv[1], sys.argv[3])
    except (OSError, ElementTree.ParseError, ValueError, IndexError, KeyError) as error:
        print(f"least_executed: {error}", file=sys.stderr)
        return 2
    if skipped:
        print(f"least_executed: {len(skipped)} tests were skipped: {', '.join(skipped)}", file=sys.stderr)
    for program in empty:
        print(f"least_executed: {program} ran no case: nothing of it was tested", file=sys.stderr)
    status = 1 if empty else 0
    for prefix, least in leasts:
        count = sum(1 for name in executed if name.startswith(prefix))
        if count >= least > 0:
            continue
        which = f"tests {prefix}*" if prefix else "tests"
        print(f"least_executed: {count} {which} were executed, the recorded least is {least} ({sys.argv[2]})",
              file=sys.stderr)
        status = 1
    programs = len(ElementTree.parse(sys.argv[1]).getroot().findall("testcase"))
    print(f"least_executed: {len(executed)} tests of {programs} programs", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
