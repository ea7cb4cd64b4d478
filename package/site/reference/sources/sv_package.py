# SPDX-License-Identifier: Apache-2.0
"""A SystemVerilog package as data: its functions, tasks and classes with the comments in front of them."""

from __future__ import annotations

import re
from dataclasses import dataclass

_START = re.compile(r"(import \"DPI-C\"|(?:(?:virtual|static|local|protected) )*(?:function|task)\b|class\b)")
_HIDDEN = re.compile(r"\b(local|protected)\b")


@dataclass
class Item:
    owner: str  #: the class that it belongs to, "" for none
    name: str
    signature: str
    comment: str
    is_class: bool = False


@dataclass
class SystemVerilog:
    name: str
    introduction: str
    items: list[Item]


def _statement(lines: list[str], at: int) -> tuple[str, int]:
    """The text from line `at` to its semicolon, on one line; and the line behind it."""
    end = at
    while ";" not in lines[end]:
        end += 1
    text = " ".join(line.strip() for line in lines[at:end + 1])
    return text[:text.index(";")], end + 1


def _signature(text: str) -> tuple[str, str]:
    """The name that a declaration gives, and how a bench calls it."""
    text = re.sub(r'^import "DPI-C" \w+ = ', "", text).replace(" automatic", "")
    match = re.match(r"(.*?)\b(\w+)\s*(\(.*\))?$", text)
    if text.startswith("class "):
        return text.split()[1], text
    if not match:
        raise ValueError(f"no declaration: {text}")
    arguments = match[3] or "()"
    shown = f"{match[1]}{match[2]}{arguments};"
    if len(shown) > 88:
        parts = [part.strip() for part in arguments[1:-1].split(",")]
        shown = f"{match[1]}{match[2]}(\n    " + ",\n    ".join(parts) + ");"
    return match[2], shown


def parse(text: str) -> SystemVerilog:
    lines = text.split("\n")
    start = next(at for at, line in enumerate(lines) if line.startswith("package "))
    comment: list[str] = []
    items: list[Item] = []
    owner, at = "", start + 1
    while at < len(lines):
        line = lines[at].strip()
        if line.startswith("// ") and not line.startswith("// --"):
            comment.append(line[3:])
        elif _START.match(line):
            declaration, at = _statement(lines, at)
            name, signature = _signature(declaration)
            is_class = declaration.startswith("class ")
            owner = name if is_class else owner
            if not _HIDDEN.search(declaration.split("(")[0]):
                items.append(Item("" if is_class else owner, name, signature, " ".join(comment), is_class))
            comment = []
            continue
        elif line.startswith("endclass"):
            owner = ""
        if not line.startswith("// "):
            comment = []
        at += 1
    introduction = "\n".join(re.sub(r"^// ?", "", line) for line in lines[:start] if line.startswith("//"))
    introduction = re.sub(r"^SPDX-.*\n?", "", introduction)
    return SystemVerilog(lines[start].split()[1].rstrip(";"), introduction.strip("\n"), _without_raw(items))


def _without_raw(items: list[Item]) -> list[Item]:
    """Imports named mxgold_raw_* stand behind functions of four states, which have their comments."""
    raw = {item.name.replace("_raw_", "_"): item.comment for item in items if "_raw_" in item.name}
    kept = [item for item in items if "_raw_" not in item.name]
    for item in kept:
        item.comment = item.comment or raw.get(item.name, "")
    return kept
