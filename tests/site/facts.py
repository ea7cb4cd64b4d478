#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks tables of pages for users against what the program says.

usage: facts.py ROOT MXGOLD

The largest values and sizes of formats and the number of systems (docs/understand/mx.md), and who uses which scale rule
and which rounding (docs/understand/rounding-and-scales.md). Each check is then repeated on a page with one fact
changed, which has to fail.
Exits 1 and names what is wrong.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

MX, SCALES = "docs/understand/mx.md", "docs/understand/rounding-and-scales.md"
BLOCKS = {("MXFP8", "E4M3"): "mxfp8_e4m3", ("MXFP8", "E5M2"): "mxfp8_e5m2", ("MXFP6", "E3M2"): "mxfp6_e3m2",
          ("MXFP6", "E2M3"): "mxfp6_e2m3", ("MXFP4", "E2M1"): "mxfp4", ("MXINT8", "INT8"): "mxint8"}


def listed(program, what):
    end = subprocess.run([program, "list", what, "--json"], capture_output=True, text=True, check=True)
    return json.loads(end.stdout)[what]


def rows(text, heading):
    """Cells of the table under a row of headings."""
    lines = text.split("\n")
    at = lines.index(heading) + 2
    while at < len(lines) and lines[at].startswith("|"):
        yield [cell.strip() for cell in lines[at].strip("|").split("|")]
        at += 1


def names_of(cell):
    return re.findall(r"`([^`]+)`", cell)


class Facts:
    def __init__(self, program):
        self.blocks = {block["name"]: block for block in listed(program, "blocks")}
        self.profiles = {profile["name"]: profile for profile in listed(program, "profiles")}
        self.largest = {each["name"]: each["max"]["decimal"] for each in listed(program, "formats")}

    def policy(self, profile, block, name):
        """What a system does by default with FP32 blocks, or "not defined"."""
        for rule in self.profiles[profile]["blocks"]:
            if block in rule["formats"].split() or rule["formats"] == "*":
                return rule["policies"][name]
        return "not defined"

    def of_formats(self, text):
        seen = set()
        for name, element, largest, bits in rows(text, "| block format | element | largest value | bits a value |"):
            block = self.blocks[BLOCKS[name, element.split(",")[0]]]
            seen.add(block["name"])
            right = (self.largest[block["element"]], block["bits_per_element"])
            if (largest, bits) != right:
                yield f"{name} {element}: {largest}, {bits} bits; it is {right[0]}, {right[1]}"
        if seen != set(BLOCKS.values()):
            yield f"the table has {sorted(seen)}"
        count = re.search(r"the rules of (\d+) systems", text)
        if not count or int(count[1]) != len(self.profiles) - 1:  # all but mxgold-default
            yield f"{count and count[1]} systems; there are {len(self.profiles) - 1}"

    def of_rules(self, text):
        for systems, fp8, fp4 in rows(text, "| system | MXFP8 (E4M3) | MXFP4 |"):
            for system in names_of(systems):
                for block, said in ("mxfp8_e4m3", fp8), ("mxfp4", fp4):
                    if said.strip("`") != (rule := self.policy(system, block, "rule")):
                        yield f"{system}, {block}: {said}; it is {rule}"
        for systems, said in rows(text, "| system | rounding of MXFP4 elements |"):
            for system in names_of(systems):
                if said.strip("`") != (rounding := self.policy(system, "mxfp4", "rounding")):
                    yield f"{system}: {said}; it is {rounding}"


def main():
    if len(sys.argv) != 3:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    root, facts = Path(sys.argv[1]), Facts(sys.argv[2])
    pages = {MX: facts.of_formats, SCALES: facts.of_rules}
    texts = {page: (root / page).read_text(encoding="utf-8") for page in pages}
    wrong = [f"{page}: {problem}" for page, check in pages.items() for problem in check(texts[page])]
    changes = [(MX, "| 448 |", "| 240 |"), (MX, "| 6.25 |", "| 6.5 |"),
               (MX, f"of {len(facts.profiles) - 1} systems", f"of {len(facts.profiles)} systems"),
               (SCALES, "| `rceil` | not defined |", "| `floor` | not defined |"),
               (SCALES, "| `midmax` |\n", "| `floor` |\n"),
               (SCALES, "| `ties_to_zero` |", "| `ties_to_away` |")]
    for page, fact, other in changes:
        if fact not in texts[page] or not list(pages[page](texts[page].replace(fact, other, 1))):
            wrong.append(f"{page}: the control '{fact}' -> '{other}' was not seen")
    for problem in wrong:
        print(problem)
    print(f"facts: {len(pages)} pages, {len(changes)} controls, {len(wrong)} problems")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
