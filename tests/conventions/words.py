#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One word for each thing: the table "write | not" of CONTRIBUTING.md is kept.

usage: words.py ROOT

Refuses the words on the table's right in the names of tracked files and folders, where `_`, `-` and `.` part words. A
word with an ending (`lanes.hpp`) is the whole name of a file. Words in bold are refused in every text too. Prints file
and line of each, and exits 1; exits 2 where the table says nothing.
"""

import re
import sys
from pathlib import Path

from text_rules import all_files, tracked_files

TABLE = "| write | not |"
# Histories, and data of others.
LEFT_ALONE = ("docs/maintainers/changelog.md", "CONTRIBUTING.md", "golden/data/", "tests/conventions/", "tests/site/")


def read_table(text):
    """The words refused in names, and those of them that are refused in texts, each with what to write."""
    names, texts = {}, {}
    rows = text.partition(TABLE)[2].split("\n\n")[0].split("\n")[2:]
    for row in rows:
        write, refused = [cell.strip() for cell in row.strip("|").split("|")]
        for word in refused.split(","):
            names[word.strip(" *")] = write
            if "**" in word:
                texts[word.strip(" *")] = write
    return names, texts


def problems_of_name(path, names):
    for part in path.parts:
        for word, write in names.items():
            if word == part or word in re.split(r"[_.-]", part):
                yield f"{path}: the name says '{word}'; write: {write}"


def problems_of_text(path, text, texts):
    pattern = re.compile(rf"\b(?:{'|'.join(texts)})\b", re.I)
    for number, line in enumerate(text.split("\n"), 1):
        for match in pattern.findall(line):
            yield f"{path}:{number}: '{match}'; write: {texts[match.lower()]}"


def main():
    root = Path(sys.argv[1])
    names, texts = read_table((root / "CONTRIBUTING.md").read_text())
    if not names or not texts:
        print(f"words: CONTRIBUTING.md has no words in its table '{TABLE}'", file=sys.stderr)
        return 2
    problems = []
    for file in tracked_files(root) or all_files(root):
        path = file.relative_to(root)
        problems += problems_of_name(path, names)
        if str(path).startswith(LEFT_ALONE) or not file.is_file():
            continue
        problems += problems_of_text(path, file.read_bytes().decode("utf-8", "replace"), texts)
    print("\n".join(problems) or f"words: {len(names)} words, none of them in a name, {len(texts)} in no text")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
