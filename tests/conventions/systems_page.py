#!/usr/bin/env python3
"""The page of the emulated systems: each row of the checklists (spec S11) and quirks (spec S9) with its verdicts and
its test, made of docs/systems/*.rows.

usage: systems_page.py ROOT write|check

A line of a .rows file is: id | what | compat | strict | test. Fails for a row of the specification without a line, a line
without a row, and a test that does not exist; `check` also where docs/systems.md is not what `write` writes. A system
without a .rows file is named as missing.
"""

import re
import sys
from pathlib import Path

# Of each system: its checklist's letter, its quirks' prefix, the named version.
SYSTEMS = {
    "dmx": ("D", "KD", "dmx-compressor 0.1.11"),
    "torchmx": ("T", "KT", "torchmx 0.1.0"),
    "qtorch": ("Q-", "KQ", "qtorch 0.3.0"),
    "aimet": ("A", "KA", "aimet-torch 2.42.0"),
    "microxcaling": ("M", "KM", "microxcaling 1.1.0"),
}
# Rows of the specification that the specification itself puts outside the project.
OUTSIDE = {"A15"}
TEST = re.compile(r"^\s*(?:TEST|TEST_F|TEST_P)\((\w+),\s*(\w+)\)", re.M)
PYTHON_TEST = re.compile(r"^class (\w+)|^    def (test_\w+)", re.M)


def ids_of_the_law(law, prefixes):
    """The ids of a system in the order of the specification; quirks after the checklist."""
    found = []
    for prefix in prefixes:
        found += re.findall(rf"^\| ({re.escape(prefix)}\d+) \|", law, re.M)
    return list(dict.fromkeys(found))


def tests_of(root, system):
    """Names of the system's tests: Suite.Name, and Class.test_name of Python."""
    names = set()
    shared = root / "tests/emulators/common/cuda_test.cpp"
    for path in [*sorted((root / "tests/emulators" / system).glob("*.cpp")), *([shared] if shared.exists() else [])]:
        names |= {f"{suite}.{name}" for suite, name in TEST.findall(path.read_text())}
    python = root / f"tests/python/systems/test_{system}.py"
    owner = ""
    for cls, name in PYTHON_TEST.findall(python.read_text() if python.exists() else ""):
        owner = cls or owner
        if name:
            names.add(f"{owner}.{name}")
    return names


def read_rows(path):
    rows = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split(" | ")]
        if len(cells) != 5 or not all(cells):
            raise ValueError(f"{path.name}:{number}: five cells are expected, id | what | compat | strict | test")
        rows.append(cells)
    return rows


def problems_of(root, system, rows):
    law = (root / "docs/spec/seed-systems.md").read_text()
    letter, quirks, _ = SYSTEMS[system]
    wanted = ids_of_the_law(law, (letter, quirks))
    told = {row[0] for row in rows}
    problems = [f"{system}: no line for row {name} of the specification" for name in wanted if name not in told | OUTSIDE]
    problems += [f"{system}: the specification has no row {name}" for name in sorted(told - set(wanted))]
    tests = tests_of(root, system)
    problems += [f"{system}: row {row[0]}: no test {row[4]}" for row in rows
                 if row[4] not in tests and row[0] not in OUTSIDE]
    return problems


def page_of(all_rows):
    lines = ["# The emulated systems, row by row", "",
             "Generated from docs/systems/*.rows by tests/conventions/systems_page.py; do not edit. The rows are those of",
             "the checklists and quirks of docs/spec/seed-systems.md (spec S9, S11); `compat` is the named version bit for bit, `strict` its",
             "documentation or the standard.", ""]
    for system, rows in all_rows.items():
        lines += [f"## {system} ({SYSTEMS[system][2]})", "", "| row | what | compat | strict | test |", "|---|---|---|---|---|"]
        lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row[:4]) + f" | `{row[4]}` |" for row in rows]
        lines.append("")
    return "\n".join(lines)


def main():
    if len(sys.argv) != 3 or sys.argv[2] not in ("write", "check"):
        print(__doc__, file=sys.stderr)
        return 2
    root = Path(sys.argv[1])
    all_rows, problems = {}, []
    for system in SYSTEMS:
        path = root / f"docs/systems/{system}.rows"
        if not path.exists():
            problems.append(f"{system}: docs/systems/{system}.rows is missing")
            continue
        try:
            all_rows[system] = read_rows(path)
            problems += problems_of(root, system, all_rows[system])
        except ValueError as error:
            problems.append(str(error))
    page = root / "docs/systems.md"
    if sys.argv[2] == "write":
        page.write_text(page_of(all_rows))
    elif not page.exists() or page.read_text() != page_of(all_rows):
        problems.append("docs/systems.md is out of date: tests/conventions/systems_page.py . write")
    for problem in problems:
        print(problem)
    print(f"systems: {sum(map(len, all_rows.values()))} lines, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
