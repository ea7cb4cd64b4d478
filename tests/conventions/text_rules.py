#!/usr/bin/env python3
"""Checks the text of every file of the project: ASCII, LF line ends, no path of some machine, no conflict of a merge; of the
product's C++, that JSON is read by golden/bytes/json_text.hpp and whole numbers of it by golden/bytes/json_whole.hpp.

usage: text_rules.py ROOT

Looks at what git tracks, or at every file where ROOT is no git checkout. Exits 1 and names file and line;
exits 2 where there is nothing to check. A file with a NUL byte counts as binary and is left alone. Files that must break a rule (a CRLF vector file, for example) are made by the
tests that need them.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

SKIPPED_FOLDERS = {"build", ".git", ".cache", ".ccache", ".venv", "__pycache__"}
MACHINE_PATH = re.compile(rb"(?<![\w.])/(?:root|home|work|farm|Users|mnt|tmp/work)/[\w.]")

# The JSON library converts reals to them, with undefined behaviour beyond their range.
INTEGER_OF_JSON = re.compile(rb"(?:\.|->)get<(?:std::)?(?:u?int(?:\d+_t)?|size_t|unsigned|long)(?: \w+)*>\(\)")
# A parser of its own reads what the one reader of the project refuses: behind a byte 00, names that are there twice.
PARSED_JSON = re.compile(rb"[jJ]son::(?:parse|sax_parse|accept|from_\w+)\(")
PRODUCT = {"backend", "bridge", "cli", "emulators", "golden", "oracle", "reference", "sim"}


def reads_json(path):
    """Is it a source of the product that may read JSON of strangers?"""
    return path.parts[0] in PRODUCT and path.suffix in {".cpp", ".hpp"} and path.name != "json_whole.hpp"


def tracked_files(root):
    """What git tracks below root; None where root is not the top of a checkout."""
    if not (root / ".git").exists():
        return None
    listing = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], capture_output=True, check=False)
    if listing.returncode != 0:
        return None
    return [root / os.fsdecode(name) for name in listing.stdout.split(b"\0") if name]


def all_files(root):
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if f not in SKIPPED_FOLDERS)
        for name in sorted(names):
            yield Path(folder) / name


def problems_of(line, path):
    if reads_json(path) and INTEGER_OF_JSON.search(line):
        yield "a whole number of JSON: read it by golden::whole<T>()"
    if reads_json(path) and path.name != "json_text.cpp" and PARSED_JSON.search(line):
        yield "JSON: read it by golden::json_of_file() or parse_json()"
    if not line.isascii():
        yield "not ASCII"
    if line.endswith(b"\r"):
        yield "CRLF line end"
    match = MACHINE_PATH.search(line)
    if match:
        yield f"path of a machine: {match[0].decode()}"
    if line.startswith((7 * b"<" + b" ", 7 * b">" + b" ")):
        yield "what a merge left"


def main():
    if len(sys.argv) != 2:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    root = Path(sys.argv[1]).resolve()
    seen = found = 0
    for path in tracked_files(root) or all_files(root):
        if not path.is_file() or path.is_symlink():
            continue
        data = path.read_bytes()
        if b"\0" in data:
            continue
        seen += 1
        for number, line in enumerate(data.split(b"\n"), 1):
            for problem in problems_of(line, path.relative_to(root)):
                found += 1
                print(f"{path.relative_to(root)}:{number}: {problem}")
    if seen == 0:
        print(f"text: no files under {root}")
        return 2
    print(f"text: {seen} files, {found} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
