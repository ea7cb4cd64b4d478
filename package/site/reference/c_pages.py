# SPDX-License-Identifier: Apache-2.0
"""C: a page for each theme of the headers, from their comments."""

from __future__ import annotations

import re
from pathlib import Path

from book import Book, Entry
from markdown import block, code, file_name, link, one_line, plain, sentence, table
from sources import c_header
from sources.c_header import Declaration, Group, Theme

INDEX = "reference/c/index.md"
#: Header, where its pages stand, the title of what has no theme, and what the header is for.
_HEADERS = (
    ("backend/abi/mxgold.h", "", "Versions, status and names",
     "the reference: conversions, blocks, tensors, questions"),
    ("bridge/model/mxgold_model.h", "model", "Models by a line of text", "models that a bench opens by a line of text"),
    ("sim/plugin/mxgold_device.h", "device", "Devices as plugins", "devices that `mxgold run` loads as plugins"),
    ("bridge/cuda/mxgold_cuda.h", "cuda", "CUDA streams", "quantization on CUDA streams"),
)
_NAME = re.compile(r"\b(mxgold_\w+|MXGOLD_[A-Z0-9_]+)(\(\))?")


class Places:
    """Where each name of the headers is described."""

    def __init__(self) -> None:
        self._uri: dict[str, str] = {}
        self._anchor: dict[str, str] = {}

    def add(self, group: Group, uri: str) -> None:
        names = [name for each in group.declarations for name in each.names]
        for name in names:
            self._uri.setdefault(name, uri)
            self._anchor.setdefault(name, anchor_of(group))

    def linked(self, text: str, here: str) -> str:
        """Prose in which the names of the interface are links."""
        parts, at = [], 0
        for match in _NAME.finditer(text):
            name = match[1]
            parts.append(plain(text[at:match.start()]))
            spelled = code(match[0])
            parts.append(link(spelled, here, self._uri[name], self._anchor[name]) if name in self._uri else spelled)
            at = match.end()
        return "".join([*parts, plain(text[at:])])


def title_names(group: Group) -> list[str]:
    """The names in the heading of a group: its functions, else its types, else its first constant."""
    functions = [each.names[0] for each in group.declarations if each.is_function]
    types = [each.names[0] for each in group.declarations if each.text.startswith("typedef")]
    return functions or types or group.declarations[0].names[:1]


def anchor_of(group: Group) -> str:
    return title_names(group)[0]


def paragraphs(text: str, places: Places, here: str) -> str:
    parts = []
    for paragraph in re.split(r"\n\s*\n", text):
        lines = paragraph.split("\n")
        if all(line.startswith("  ") for line in lines):
            parts.append(block("\n".join(line[2:] for line in lines), "c"))
        else:
            parts.append(items(lines, places, here))
    return "\n\n".join(parts)


def items(lines: list[str], places: Places, here: str) -> str:
    """A paragraph, and the list that may be in it."""
    found: list[str] = [""]
    for line in lines:
        if line.lstrip().startswith("- "):
            found.append(line.strip()[2:])
        else:
            found[-1] += " " + line.strip()
    prose, *rest = (places.linked(text.strip(), here) for text in found)
    return "\n\n".join(part for part in (prose, "\n".join(f"- {text}" for text in rest)) if part)


def parameter_table(declaration: Declaration, opaque: set[str]) -> str:
    rows = [(code(each.name), code(each.type), each.role(opaque)) for each in declaration.parameters]
    return table(("parameter", "type", "in or out"), rows) if rows else ""


def described(group: Group, opaque: set[str], places: Places, here: str) -> str:
    names = title_names(group)
    anchors = "".join(f'<a id="{name}"></a>' for each in group.declarations for name in each.names
                      if name != names[0])
    functions = [each for each in group.declarations if each.is_function]
    parts = [f"## {', '.join(code(name) for name in names)} {{ #{names[0]} }}", anchors,
             paragraphs(group.comment, places, here) if group.comment else "",
             block("\n".join(each.text for each in group.declarations), "c")]
    # Those of the first function stand for its siblings: create and destroy, lay out and bring back.
    parts.append(parameter_table(functions[0], opaque) if functions else "")
    if any(each.text.startswith("mxgold_status ") for each in functions):
        said = sorted(set(re.findall(r"MXGOLD_(?:NO|BAD|OVER|UNKNOWN|INTERNAL|NULL)_?\w*", group.comment)))
        errors = ", ".join(places.linked(name, here) for name in said)
        own = f"; its own errors: {errors}." if said else "."
        parts.append(f"Returns a {places.linked('mxgold_status', here)}{own}")
    return "\n\n".join(part for part in parts if part)


def page_of(folder: str, theme: Theme, title: str) -> str:
    name = file_name((theme.title.split(":")[0] or title).lower().replace(",", ""))
    return f"reference/c/{folder + '-' if folder else ''}{name}.md"


def add_c(book: Book, root: Path) -> None:
    places = Places()
    headers = [(c_header.parse((root / path).read_text(encoding="utf-8")), path, folder, title, purpose)
               for path, folder, title, purpose in _HEADERS]
    for header, _, folder, title, _ in headers:
        for theme in header.themes:
            for group in theme.groups:
                places.add(group, page_of(folder, theme, title))
    entries: list[Entry] = []
    parts = []
    for header, path, folder, title, purpose in headers:
        rows = []
        for theme in header.themes:
            uri, shown = page_of(folder, theme, title), sentence(theme.title or title).rstrip(".")
            shown = shown.split(":")[0]
            intro = paragraphs(header.introduction, places, uri) if theme is header.themes[0] else ""
            book.add(uri, f"# {plain(shown)}", f"From `{path.rsplit('/', 1)[1]}`: {purpose}.", intro,
                     *(described(group, header.opaque, places, uri) for group in theme.groups))
            entries.append({shown: uri})
            for group in theme.groups:
                name = title_names(group)[0]
                rows.append((link(code(name), INDEX, uri, name), places.linked(one_line(group.comment), INDEX),
                             link(plain(shown), INDEX, uri)))
        parts.append(f"## {path.rsplit('/', 1)[1]}\n\n{sentence(purpose)}\n\n"
                     + table(("name", "what it does", "theme"), rows))
    book.add(INDEX, "# C API",
             "Functions, types and constants of the C headers. They compile as C11, C++17 and C++20.",
             f"{link('mxgold in C and C++', INDEX, 'c.md')} has whole programs.", *parts)
    book.section("C API", [INDEX, *entries])
