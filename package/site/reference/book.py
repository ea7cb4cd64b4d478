# SPDX-License-Identifier: Apache-2.0
"""The pages that are made, and where they stand in the navigation of the site."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Union

from sources.references import References

#: A page by its path, a page with a title, or a titled list of these: as mkdocs writes a navigation.
Entry = Union[str, dict[str, Any]]


@dataclass
class Book:
    #: The version that the pages are of.
    version: str
    #: Sections of the reference, in their order.
    sections: list[Entry] = field(default_factory=list)
    #: Path in the site -> Markdown, or the bytes of a picture.
    pages: dict[str, str | bytes] = field(default_factory=dict)
    sought: dict[str, list[str]] = field(default_factory=dict)

    def add(self, uri: str, *parts: str, sought: Sequence[str] = ()) -> None:
        """Adds a page; empty parts are left out. sought: names by which the search finds it before all others."""
        if uri in self.pages:
            raise ValueError(f"two pages are {uri}")
        self.sought[uri] = [name for name in sought if name]
        self.pages[uri] = "\n\n".join(part.strip("\n") for part in parts if part) + "\n"

    def picture(self, uri: str, svg: bytes) -> None:
        self.pages[uri] = svg

    def section(self, title: str, entries: list[Entry]) -> None:
        self.sections.append({title: entries})

    def front(self, uri: str) -> str:
        """What the search is told of a page. A name that others begin with needs more, for rarer words count more."""
        others = {name.lower() for page, names in self.sought.items() if page != uri for name in names}
        own = {name.lower() for name in self.sought[uri]} - others
        is_beginning = any(other.startswith(name) for name in own for other in others)
        facts = {"search": {"boost": 15 if is_beginning else 3}, "tags": self.sought[uri]}
        return f"---\n{json.dumps(facts)}\n---\n\n"

    def write(self, folder: Path, references: References) -> None:
        """Writes what is new or has changed, and takes away what is no page any more."""
        folder.mkdir(parents=True, exist_ok=True)
        content: dict[str, str | bytes] = {
            uri: text if isinstance(text, bytes) else self.front(uri) + references.linked(text, uri)
            for uri, text in self.pages.items()}
        content["made.json"] = json.dumps({"version": self.version, "sections": self.sections}, indent=1)
        for uri, text in content.items():
            path, data = folder / uri, text if isinstance(text, bytes) else text.encode()
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.is_file() or path.read_bytes() != data:
                path.write_bytes(data)
        for path in folder.rglob("*"):
            if path.is_file() and path.relative_to(folder).as_posix() not in content:
                path.unlink()
