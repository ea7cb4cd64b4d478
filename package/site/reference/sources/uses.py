# SPDX-License-Identifier: Apache-2.0
"""Which hand-written pages show a command or a function in use."""

from __future__ import annotations

import re
from pathlib import Path

from markdown import link, plain

#: Folders of docs/ whose pages teach, the most useful first.
_FOLDERS = ("start", "howto", "understand", ".")
_FENCED = re.compile(r"^ *(```+)[^\n]*\n(.*?)^ *\1", re.S | re.M)
_TITLE = re.compile(r"^# (.+)$", re.M)


class Uses:
    """The examples of the hand-written pages of a docs/ folder."""

    def __init__(self, docs: Path, made: set[str]) -> None:
        """made: pages that programs write, which teach nothing."""
        self._pages: list[tuple[str, str, str]] = []
        for folder in _FOLDERS:
            for path in sorted((docs / folder).glob("*.md")):
                uri = path.relative_to(docs).as_posix()
                text = path.read_text(encoding="utf-8")
                title = _TITLE.search(text)
                if title and uri not in made:
                    examples = "\n".join(match[2] for match in _FENCED.finditer(text))
                    self._pages.append((uri, title[1], examples))

    def of(self, pattern: str, here: str, most: int = 6) -> str:
        """A list of links to pages whose examples match; "" for none."""
        found = [(uri, title) for uri, title, examples in self._pages if re.search(pattern, examples)]
        return "\n".join(f"- {link(plain(title.replace('`', '')), here, uri)}" for uri, title in found[:most])
