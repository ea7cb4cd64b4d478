#!/usr/bin/env python3
"""Checks the walks of docs/architecture.md: each hop is called by an earlier one, no file stands twice, the page is short.

usage: walk.py ROOT [LEAST]     (LEAST: how many hops there must be, 30 where it is not given)

A walk is a numbered list whose entries begin with a file in backticks, under a heading "## The way of ...". A header's hop must
be included by an earlier hop. Of a source's hop some earlier hop must use a function that it defines, or a name that the
header beside it declares. The page has at most WORDS words. Exits 1 and names what does not hold; exits 2 where there is nothing to check.
"""

import re
import sys
from pathlib import Path

WORDS = 1200
HOP = re.compile(r"^\d+\. `([^`]+)`: ")


def walks(page):
    """{heading: [file, ...]} of every walk."""
    found, heading = {}, None
    for line in page.read_text().splitlines():
        if line.startswith("## "):
            heading = line[3:] if line.startswith("## The way of ") else None
        hop = HOP.match(line)
        if heading and hop:
            found.setdefault(heading, []).append(hop[1])
    return found


def without_comments(text):
    return re.sub(r"//[^\n]*", "", text)


def offered(root, name):
    """Names by which others reach a source: functions that it defines, types and functions of the header beside it."""
    text = re.sub(r"^namespace \{.*?^\}  // namespace$", "", (root / name).read_text(), flags=re.M | re.S)
    names = set(re.findall(r"^(?!//)\w[^;=\n(]*\b(\w+)\(", text, re.M))
    header = root / re.sub(r"[.]cpp$", ".hpp", name)
    if header.is_file():
        text = without_comments(header.read_text())
        names |= set(re.findall(r"\b(?:class|struct|enum class|using)\s+(\w+)", text))
        names |= set(re.findall(r"\b(\w+)\(", text))
    return names


def words(text):
    """The words of a source, and those that its macros glue: ROW(run) with add_##name is add_run."""
    found = set(re.findall(r"\w+", text))
    rows = set(re.findall(r"\b[A-Z_]+\((\w+)\)", text))
    found |= {start + row for start in re.findall(r"\b(\w+)##\w", text) for row in rows}
    found |= {row + end for end in re.findall(r"\w##(\w+)", text) for row in rows}
    return found


def check(root, title, files, problems):
    seen, texts = set(), []
    for number, name in enumerate(files, 1):
        where = f"{title}, hop {number}: {name}"
        if not (root / name).is_file():
            problems.append(f"{where}: no such file")
            continue
        if name in seen:
            problems.append(f"{where}: stands twice")
        seen.add(name)
        if name.endswith(".cpp"):
            names = offered(root, name)
            if number > 1 and not any(names & words(text) for text in texts):
                problems.append(f"{where}: no earlier hop calls into it")
        elif not any(f'#include "{name}"' in text for text in texts):
            problems.append(f"{where}: no earlier hop includes it")
        texts.append(without_comments((root / name).read_text()))


def main():
    if len(sys.argv) not in (2, 3):
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    root = Path(sys.argv[1]).resolve()
    page = root / "docs/architecture.md"
    found = walks(page)
    hops = sum(len(files) for files in found.values())
    if len(found) < 2 or hops < int(sys.argv[2] if len(sys.argv) == 3 else 30):
        print("walk: nothing to check in docs/architecture.md")
        return 2
    problems = []
    if (size := len(page.read_text().split())) > WORDS:
        problems.append(f"docs/architecture.md: {size} words; {WORDS} at most")
    for title, files in found.items():
        check(root, title, files, problems)
    for problem in problems:
        print(problem)
    print(f"walk: {len(found)} walks, {hops} hops, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
