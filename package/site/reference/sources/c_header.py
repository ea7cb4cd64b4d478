# SPDX-License-Identifier: Apache-2.0
"""A C header as data: its themes, and in each the declarations with the comment in front of them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_THEME = re.compile(r"/\* ---- (.+?) ---- \*/")
_COMMENT = re.compile(r"/\*(.*?)\*/", re.S)
_FUNCTION = re.compile(r"\b(\w+)\((.*)\)$", re.S)
_TYPE = re.compile(r"(\w+);$")


@dataclass
class Parameter:
    name: str
    type: str

    def role(self, opaque: set[str]) -> str:
        """Who writes it, by its type."""
        if "*" not in self.type or self.type.startswith("const "):
            return "in"
        return "object" if self.type.rstrip("* ") in opaque and self.type.count("*") == 1 else "out"


@dataclass
class Declaration:
    text: str  #: as C, without the macros of the interface

    @property
    def is_function(self) -> bool:
        return not self.text.startswith(("typedef", "enum", "#define"))

    @property
    def is_opaque(self) -> bool:
        """A type of which only the name is known."""
        return self.text.startswith("typedef struct") and "{" not in self.text

    @property
    def names(self) -> list[str]:
        """What it declares: a function, a type, constants."""
        if self.text.startswith("#define"):
            return [self.text.split()[1]]
        bare = _COMMENT.sub("", self.text)
        constants = re.findall(r"\b(MXGOLD_\w+)\b(?=\s*[=,}])", bare) if "enum" in bare.split("{")[0] else []
        if self.text.startswith("enum"):
            return constants
        found = _FUNCTION.search(self.text.rstrip(";")) if self.is_function else _TYPE.search(self.text)
        return ([found[1]] if found else []) + constants

    @property
    def parameters(self) -> list[Parameter]:
        found = _FUNCTION.search(self.text.rstrip(";"))
        parts = [] if found is None or found[2] in ("", "void") else found[2].split(",")
        named = [re.fullmatch(r"(.+?[\s*])(\w+)", " ".join(part.split())) for part in parts]
        return [Parameter(each[2], each[1].strip()) for each in named if each]


@dataclass
class Group:
    """Declarations that one comment is about."""

    comment: str
    declarations: list[Declaration] = field(default_factory=list)


@dataclass
class Theme:
    title: str
    groups: list[Group] = field(default_factory=list)


@dataclass
class Header:
    introduction: str
    themes: list[Theme]

    @property
    def opaque(self) -> set[str]:
        """Types of which only the name is known."""
        return {name for theme in self.themes for group in theme.groups for each in group.declarations
                if each.is_opaque for name in each.names}


def comment_text(comment: str) -> str:
    """What a comment says, without its stars."""
    lines = [re.sub(r"^ ?\* ?", "", line) for line in comment.strip().split("\n")]
    return "\n".join(line.rstrip() for line in lines).strip("\n ")


def declaration_at(text: str, at: int) -> int:
    """Where the declaration at `at` ends."""
    if text.startswith("#define", at):
        return text.index("\n", at)
    depth = 0
    for part in re.finditer(r"/\*.*?\*/|[{};]", text[at:], re.S):
        depth += {"{": 1, "}": -1}.get(part[0], 0)
        if part[0] == ";" and depth == 0:
            return at + part.end()
    raise ValueError(f"no end: {text[at:at + 80]}")


def cleaned(text: str) -> str:
    """A declaration on lines of its own width, without MXGOLD_API and MXGOLD_NOEXCEPT."""
    text = re.sub(r"MXGOLD_(?:API|DEVICE_EXPORT) | ?MXGOLD_NOEXCEPT", "", text)
    if "{" in text or text.startswith("#"):
        return text.strip()
    text = re.sub(r"\(\s+", "(", " ".join(text.split()))
    if len(text) <= 100:
        return text
    head, _, rest = text.partition("(")
    return f"{head}(\n    " + ",\n    ".join(part.strip() for part in rest.split(","))


def parse(text: str) -> Header:
    """The parts of a header of this project."""
    start = text.index('#ifdef __cplusplus')
    first = _COMMENT.search(text)
    header = Header(comment_text(first[1]) if first else "", [Theme("")])
    body = re.sub(r"^#(?!define MXGOLD_\w+ \d+u$).*\n", "", text[start:], flags=re.M)
    body = re.sub(r'^extern "C" \{\n|^\}\n', "", body, flags=re.M)
    waiting: list[Declaration] = []
    comment: str | None = None
    at = 0
    while at < len(body):
        if body[at].isspace():
            at += 1
        elif theme := _THEME.match(body, at):
            header.themes.append(Theme(theme[1]))
            comment, at = None, theme.end()
        elif found := _COMMENT.match(body, at):
            comment, at = comment_text(found[1]), found.end()
        else:
            end = declaration_at(body, at)
            declaration = Declaration(cleaned(body[at:end]))
            groups = header.themes[-1].groups
            if comment is not None:
                groups.append(Group(comment, [*waiting, declaration]))
                waiting, comment = [], None
            elif declaration.is_opaque:
                waiting.append(declaration)  # what makes such an object is said next
            elif groups and not declaration.text.startswith("typedef"):
                groups[-1].declarations.append(declaration)
            else:
                groups.append(Group("", [declaration]))
            at = end
    return header
