# SPDX-License-Identifier: Apache-2.0
"""SystemVerilog: a page for each package that a bench imports, from its comments."""

from __future__ import annotations

import re
from pathlib import Path

from book import Book, Entry
from markdown import block, code, link, one_line, plain, table
from sources.sv_package import Item, SystemVerilog, parse

INDEX = "reference/systemverilog/index.md"
_PACKAGES = ("bridge/dpi/mxgold_pkg", "bridge/dpi/mxgold_scoreboard_pkg", "bridge/uvm/mxgold_uvm_pkg")


def whole_text(path: Path) -> str:
    """A source with those of its folder that it includes."""
    def included(match: re.Match[str]) -> str:
        file = path.parent / match[1]
        return whole_text(file) if file.exists() else match[0]
    return re.sub(r'^ *`include "([\w.]+)"$', included, path.read_text(encoding="utf-8"), flags=re.M)


def page_of(package: str) -> str:
    return f"reference/systemverilog/{package}.md"


def anchor_of(item: Item) -> str:
    return f"{item.owner}.{item.name}" if item.owner else item.name


def paragraphs(text: str) -> str:
    parts = []
    for paragraph in re.split(r"\n\s*\n", text):
        lines = paragraph.split("\n")
        if all(line.startswith("  ") for line in lines):
            parts.append(block("\n".join(line[2:] for line in lines), "systemverilog"))
        else:
            parts.append(plain(" ".join(line.strip() for line in lines)))
    return "\n\n".join(parts)


def section(item: Item) -> str:
    level = "###" if item.owner else "##"
    heading = f"{level} {code(anchor_of(item))} {{ #{anchor_of(item)} }}"
    parts = (heading, plain(item.comment), block(item.signature, "systemverilog"))
    return "\n\n".join(part for part in parts if part)


def add_systemverilog(book: Book, root: Path) -> None:
    entries: list[Entry] = []
    parts = []
    for place in _PACKAGES:
        package: SystemVerilog = parse(whole_text(root / f"{place}.sv"))
        name = package.name
        here = page_of(name)
        book.add(here, f"# {name}", paragraphs(package.introduction), *map(section, package.items))
        entries.append({name: here})
        rows = [(link(code(anchor_of(item)), INDEX, here, anchor_of(item)), plain(one_line(item.comment)))
                for item in package.items]
        parts.append(f"## {link(name, INDEX, here)} {{ #{name} }}\n\n" + table(("name", "what it does"), rows))
    book.add(INDEX, "# SystemVerilog packages",
             "Functions and classes that a bench imports. `mxgold dpi --sv` prints where the packages are.",
             f"{link('A scoreboard by DPI-C', INDEX, 'howto/dpi.md')} shows how to use them. "
             f"{link('Calls of DPI-C and VPI', INDEX, 'bench-calls.md')} has their words and an example.", *parts)
    book.section("SystemVerilog packages", [INDEX, *entries])
