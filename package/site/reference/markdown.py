# SPDX-License-Identifier: Apache-2.0
"""Pieces of Markdown: text that stays text, tables, code, and links between pages of the site."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#])")


def plain(text: str) -> str:
    """A text that no character of changes how it is shown. What stands between backticks stays code."""
    parts = text.split("`")
    for at in range(0, len(parts), 2):
        parts[at] = _SPECIAL.sub(r"\\\1", parts[at])
    # A backtick without its partner is one character of the text.
    return "`".join(parts) if len(parts) % 2 else _SPECIAL.sub(r"\\\1", text)


def code(text: str) -> str:
    """A code span that may stand in a table."""
    if not text:
        return ""
    fence = "``" if "`" in text else "`"
    padded = f" {text} " if "`" in text else text
    return fence + padded.replace("|", "\\|") + fence


def codes(names: Iterable[str]) -> str:
    return ", ".join(code(name) for name in names)


def link(text: str, here: str, there: str, anchor: str = "") -> str:
    """A link from the page `here` to the page `there`, both by their paths in the site."""
    if here == there and not anchor:
        return text
    path = "" if here == there else posixpath.relpath(there, posixpath.dirname(here) or ".")
    return f"[{text}]({path}{'#' + anchor if anchor else ''})"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(cell.replace("\n", " ") for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def block(text: str, language: str = "") -> str:
    """Text in a box, as it is."""
    fence = "````" if "```" in text else "```"
    return f"{fence}{language}\n{text.strip(chr(10))}\n{fence}"


def sentence(text: str) -> str:
    """A text that begins with a capital and ends with a full stop."""
    text = text.strip()
    return text if not text else text[0].upper() + text[1:] + ("" if text[-1] in ".!?:" else ".")


def one_line(text: str, most: int = 160) -> str:
    """The first sentence of a text, cut at a word where it is longer than `most` characters."""
    first = re.split(r"(?<=[.!?])\s+(?=[A-Z\"(])", " ".join(text.split()), maxsplit=1)[0].rstrip(":")
    if len(first) <= most:
        return first
    return first[:most].rsplit(" ", 1)[0].rstrip(",;") + " ..."


def anchor(heading: str) -> str:
    """A place in a page that the anchor of a heading leads to, as a forge makes it of the heading."""
    words = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
    return f'<a id="{words}"></a>'


def file_name(name: str) -> str:
    """A name as a part of an address: torch-2.15/cpu is torch-2.15-cpu."""
    return re.sub(r"[^\w.-]+", "-", name).strip("-")
