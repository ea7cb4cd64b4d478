# SPDX-License-Identifier: Apache-2.0
"""Emulated libraries: a page for each, from the tables of the repository.

docs/systems.md has a row for each of their rules, docs/known-differences.md the smallest inputs on which what a library
does (compat) and what its documentation says (strict) differ.
"""

from __future__ import annotations

import re
from pathlib import Path

from book import Book, Entry
from markdown import anchor, code, link, plain, table
from sources.differences import Differences

INDEX, INDEX_SOURCE = "systems.md", "docs/systems.md"
CHAPTER = "Emulated systems: strict and compat"
_TITLE = re.compile(r"(\w+) \((.+)\)")


def page_of(system: str) -> str:
    return f"reference/emulated/{system}.md"


def rows_for_users(text: str) -> str:
    """A table without its last column, the tests."""
    lines = []
    for line in text.split("\n"):
        cells = re.split(r"(?<!\\) \| ", line.strip()[2:-2]) if line.startswith("| ") else []
        lines.append("| " + " | ".join(cells[:-1]) + " |" if cells else re.sub(r"---\|$", "", line))
    return "\n".join(lines)


def add_emulated(book: Book, root: Path, differences: Differences) -> None:
    text = (root / INDEX_SOURCE).read_text(encoding="utf-8")
    parts = re.split(r"^## (.+)\n", text, flags=re.M)
    rows, entries = [], list[Entry]()
    for title, body in zip(parts[1::2], parts[2::2]):
        match = _TITLE.fullmatch(title)
        if match is None:
            raise ValueError(f"{INDEX_SOURCE}: no name and version: {title}")
        system, version = match[1], match[2]
        here = page_of(system)
        casts = {name: section for name, section in differences.casts.items() if name.startswith(f"{system}:")}
        shown = "\n\n".join(f"### {code(name)}\n\n{section}" for name, section in casts.items())
        book.add(
            here, f"# {system} ({plain(version)})",
            f"mxgold emulates {plain(version)}. `compat` is the library bit for bit. `strict` is what its "
            "documentation or the standard says.",
            "In Python: " + link(code(f"mxgold.{system}"), here, f"reference/python/{system}.md") + ". On the command "
            f"line: casts such as {code(next(iter(casts)))}." if casts else "",
            "## Rules\n\n" + rows_for_users(body.strip()),
            "## Smallest differences between strict and compat\n\n" + shown if shown else "",
            f"All of them: {link('Emulated systems', here, INDEX)}.", sought=[system, version])
        rows.append((anchor(title) + link(code(system), INDEX, here), plain(version), str(body.count("\n| ") - 1),
                     str(len(casts))))
        entries.append({system: here})
    book.add(INDEX, "# Emulated systems",
             "mxgold emulates these libraries by their own names and arguments. Each page has their rules, and where "
             "library and documentation differ.",
             table(("library", "version", "rules", "casts compared"), rows), differences.introduction_of(CHAPTER))
    book.section("Emulated libraries", entries)  # the overview stands beside known differences
