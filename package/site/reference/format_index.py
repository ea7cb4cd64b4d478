# SPDX-License-Identifier: Apache-2.0
"""Formats: the index, and pages of families and of a user's own formats."""

from __future__ import annotations

import re
from pathlib import Path

from block_pages import BLOCK_HEAD, add_block, block_rows
from book import Book, Entry
from catalog import Catalog
from format_pages import FORMAT_HEAD, INDEX, add_format, format_rows
from markdown import anchor, link, table

POLICIES = "reference/policies/index.md"
FAMILIES, OWN = "reference/formats/families.md", "reference/formats/your-own.md"


def sections(text: str) -> dict[str, str]:
    """What stands below each heading of the second level."""
    parts = re.split(r"^## (.+)\n", text, flags=re.M)
    return dict(zip(parts[1::2], (part.strip() for part in parts[2::2])))


def add_formats(book: Book, catalog: Catalog, root: Path) -> None:
    committed = sections((root / "docs/format-tables.md").read_text(encoding="utf-8"))
    listed = [each["name"] for each in catalog.program.listed("formats")]
    scales = [each["name"] for each in catalog.program.listed("scales") if each["name"] not in listed]
    others = [name for name in catalog.formats if name not in (*listed, *scales)]
    # The committed page has other headings; links to them lead here.
    groups = (("Formats of single values", "Element formats", listed), ("Other scale formats", "Scale formats", scales),
              ("Other elements of blocks", "elements", others))
    entries: list[Entry] = []
    parts = []
    for title, committed_title, names in groups:
        entries.append({title: [{name: add_format(book, catalog, name)} for name in names]})
        parts.append(f"## {title}\n\n{anchor(committed_title)}\n\n"
                     + table(FORMAT_HEAD, format_rows(catalog, names)))
    blocks = [{each["name"]: add_block(book, catalog, each)} for each in catalog.blocks.values()]
    entries.insert(1, {"Block formats": blocks})
    named = [each["name"] for each in catalog.blocks.values() if not each["computed"]]
    parts.insert(1, "## Block formats\n\n" + table(BLOCK_HEAD, block_rows(catalog)) + "\n\nKnown by name only: "
                 + ", ".join(catalog.format_link(name, INDEX) for name in named) + ".")
    book.add(FAMILIES, "# Families of formats",
             "A name that follows one of these patterns is a format, too. Every command takes it.",
             committed["Families"])
    book.add(OWN, "# Your own formats", committed["Your own formats"])
    entries += [{"Families": FAMILIES}, {"Your own formats": OWN}]
    book.add(INDEX, "# Formats",
             f"mxgold computes {len(listed)} formats of single values and {len(catalog.computed_blocks())} block "
             f"formats by name. {link('Families', INDEX, FAMILIES)} have many more, and you can "
             f"{link('define your own', INDEX, OWN)}.",
             "S/E/M: sign, exponent and significand bits. Each name leads to its codes, its number line and the "
             "systems that use it.", *parts,
             f"## Families\n\n{link('Patterns of names', INDEX, FAMILIES)}, such as `e5m10` or `binary8p4se`, are "
             "formats too.",
             f"## Your own formats\n\n{link('Their fields', INDEX, OWN)} stand in a file or on the command line.",
             f"## Policies\n\n{link('Policies', INDEX, POLICIES)} say what formats leave open.")
    book.section("Formats", [{"All formats": INDEX}, *entries])
