#!/usr/bin/env python3
"""Checks the walks of docs/architecture.md: each hop is called by an earlier one, and no file stands twice.

usage: walk.py ROOT BUILD [LEAST]     (LEAST: how many hops there must be, 30 where it is not given)

A walk is a table whose second column names a file in backticks, under a heading "## The way of ...". A source's hop is
checked in the object files of BUILD (compile_commands.json says which): some earlier hop's object must refer to a symbol
that this object defines. A header's hop must be included by an earlier hop. Exits 1 and names what does not hold; exits
2 where there is nothing to check.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

ROW = re.compile(r"^\| (\d+) \| `([^`]+)` \|")


def walks(page):
    """{heading: [file, ...]} of every walk."""
    found, heading = {}, None
    for line in page.read_text().splitlines():
        if line.startswith("## "):
            heading = line[3:] if line.startswith("## The way of ") else None
        row = ROW.match(line)
        if heading and row:
            found.setdefault(heading, []).append(row[2])
    return found


def objects(root, build):
    """{source relative to root: object file}."""
    found = {}
    for command in json.loads((build / "compile_commands.json").read_text()):
        source = (Path(command["directory"]) / command["file"]).resolve()
        output = re.search(r" -o (\S+)", command["command"])
        if root in source.parents and output:
            found.setdefault(source.relative_to(root).as_posix(), Path(command["directory"]) / output[1])
    return found


def symbols(path):
    """(defined, needed) names of an object file: those of the project's namespace."""
    listing = subprocess.run(["nm", str(path)], capture_output=True, text=True, check=True).stdout
    defined, needed = set(), set()
    for line in listing.splitlines():
        kind, name = line.split()[-2:]
        if "2mx" in name:
            (needed if kind == "U" else defined).add(name)
    return defined, needed


def check(root, object_of, title, files, problems):
    needed, seen, texts = set(), set(), []
    for number, name in enumerate(files, 1):
        where = f"{title}, hop {number}: {name}"
        if not (root / name).is_file():
            problems.append(f"{where}: no such file")
            continue
        if name in seen:
            problems.append(f"{where}: stands twice")
        seen.add(name)
        if name.endswith(".cpp"):
            if name not in object_of or not object_of[name].is_file():
                problems.append(f"{where}: nothing builds it")
                continue
            defined, wanted = symbols(object_of[name])
            if number > 1 and not defined & needed:
                problems.append(f"{where}: no earlier hop calls into it")
            needed |= wanted
        elif not any(f'#include "{name}"' in text for text in texts):
            problems.append(f"{where}: no earlier hop includes it")
        texts.append((root / name).read_text())


def main():
    if len(sys.argv) not in (3, 4):
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    root, build = (Path(a).resolve() for a in sys.argv[1:3])
    found = walks(root / "docs/architecture.md")
    hops = sum(len(files) for files in found.values())
    if len(found) < 2 or hops < int(sys.argv[3] if len(sys.argv) == 4 else 30):
        print("walk: nothing to check in docs/architecture.md")
        return 2
    problems = []
    object_of = objects(root, build)
    for title, files in found.items():
        check(root, object_of, title, files, problems)
    for problem in problems:
        print(problem)
    print(f"walk: {len(found)} walks, {hops} hops, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
