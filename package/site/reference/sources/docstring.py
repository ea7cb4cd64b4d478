# SPDX-License-Identifier: Apache-2.0
"""A docstring as Markdown: its paragraphs, what it says of each argument, its examples."""

from __future__ import annotations

import re
import textwrap

from markdown import block, code, plain

_ARGUMENT = re.compile(r"(\*{0,2}\w+(?:, \*{0,2}\w+)*): (.*)")
_CALL = re.compile(r"(?<![`\w])((?:mxgold\.)?\w+(?:\.\w+)*\(\))|\b(mxgold\.\w+(?:\.\w+)*)")


def prose(text: str) -> str:
    """Text whose calls and dotted names are code."""
    parts, at = [], 0
    for match in _CALL.finditer(text):
        parts += [plain(text[at:match.start()]), code(match[0])]
        at = match.end()
    return "".join([*parts, plain(text[at:])])


def _spoken(lines: list[str]) -> str:
    """A paragraph: what it says of arguments as a list, and the sentences behind it."""
    items: list[list[str]] = []
    rest: list[str] = []
    for line in lines:
        match = _ARGUMENT.fullmatch(line) if not rest else None
        if match:
            items.append([match[1], match[2]])
        elif line.startswith("    ") and items and not rest:
            items[-1][1] += " " + line.strip()
        else:
            rest.append(line.strip())
    listed = "\n".join(f"- **{code(name)}**: {prose(text)}" for name, text in items)
    return "\n\n".join(part for part in (listed, prose(" ".join(rest))) if part)


def markdown_of(text: str) -> str:
    """The whole of a docstring."""
    parts: list[str] = []
    for paragraph in re.split(r"\n[ \t]*\n", text.strip("\n")):
        lines = paragraph.split("\n")
        if lines[0].startswith(">>>"):
            parts.append(block(paragraph, "pycon"))
        elif all(line.startswith("    ") for line in lines):
            is_session = lines[0].strip().startswith(">>>")
            parts.append(block(textwrap.dedent(paragraph), "pycon" if is_session else "python"))
        else:
            # A session may follow its sentence without a blank line.
            start = next((at for at, line in enumerate(lines) if line.startswith(">>>")), len(lines))
            parts.append(_spoken(lines[:start]))
            if start < len(lines):
                parts.append(block("\n".join(lines[start:]), "pycon"))
    return "\n\n".join(part for part in parts if part)
