# SPDX-License-Identifier: Apache-2.0
"""Formats and profiles, and who defines what: what several pages ask of the program's lists."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from markdown import code, file_name, link
from program import Program

DEFAULT = "mxgold-default"


@dataclass(frozen=True)
class Row:
    """One row of a profile: what it does for some formats."""

    profile: str
    facts: dict[str, Any]

    @property
    def is_modeled(self) -> bool:
        """Some rows say no more than that a system has the format."""
        return not any(mask.startswith("unmodelled") for mask in self.facts["masks"])

    @property
    def formats(self) -> list[str]:
        """Names or patterns of the formats that it is about."""
        return str(self.facts.get("destinations", self.facts.get("formats", ""))).split()

    def defines(self, name: str) -> bool:
        return any(fnmatchcase(name, pattern) for pattern in self.formats)


class Catalog:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.formats = {each["name"]: each for each in program.listed("formats")}
        self.blocks = {each["name"]: each for each in program.listed("blocks")}
        self.profiles = {each["name"]: each for each in program.listed("profiles")}
        self.policies = {each["name"]: each for each in program.listed("policies")}
        for name, facts in ((each["name"], each) for each in program.listed("scales")):
            self.formats.setdefault(name, facts)
        for block in self.computed_blocks():
            for part in ("element", "scale"):
                if block[part] not in self.formats:
                    self.formats[block[part]] = self.one(block[part])

    def computed_blocks(self) -> list[dict[str, Any]]:
        """Block formats that are more than a name."""
        return [block for block in self.blocks.values() if block["computed"]]

    @functools.lru_cache(maxsize=None)
    def one(self, name: str) -> dict[str, Any]:
        """All facts of a format, its codes too. Some scales are named by their block formats alone."""
        owner = next((block["name"] for block in self.computed_blocks()
                      if block["scale"] == name and name.startswith("sbfp_")), None)
        facts: dict[str, Any] = self.program.json("list", "format", owner or name)
        return facts["scale_format"] if owner else facts

    def value_rows(self, name: str) -> list[Row]:
        """Rows of systems that convert to a format."""
        return self._rows_for(name, "elements")

    def block_rows(self, name: str) -> list[Row]:
        """Rows of systems that quantize to a block format."""
        return self._rows_for(name, "blocks")

    def _rows_for(self, name: str, kind: str) -> list[Row]:
        return [row for row in self._rows(kind) if row.profile != DEFAULT and row.is_modeled and row.defines(name)]

    def unmodeled(self, name: str, kind: str, here: str) -> str:
        """Systems that have a format in a way that mxgold does not compute, as a sentence; "" for none."""
        rows = [row for row in self._rows(kind) if row.defines(name)]
        done = {row.profile for row in rows if row.is_modeled}
        names = [name for name in dict.fromkeys(row.profile for row in rows) if name not in done]
        links = ", ".join(self.profile_link(name, here) for name in names)
        return f"These have it too, in a way that mxgold does not model: {links}." if names else ""

    def rows_of(self, profile: str, kind: str) -> list[Row]:
        return [Row(profile, facts) for facts in self.profiles[profile][kind]]

    def _rows(self, kind: str) -> list[Row]:
        return [row for profile in self.profiles for row in self.rows_of(profile, kind)]

    def changed(self, row: Row) -> dict[str, str]:
        """The policies of a row that are not those of mxgold-default; the rule of blocks always."""
        is_block = "formats" in row.facts
        usual = self.profiles[DEFAULT]["blocks" if is_block else "elements"][0]["policies"]
        changed = {name: value for name, value in row.facts["policies"].items()
                   if name == "rule" or value != usual.get(name)}
        if not is_block and all(self.overflow_of(name) == changed.get("overflow") for name in row.formats):
            changed.pop("overflow", None)
        return changed

    def overflow_of(self, name: str) -> str | None:
        """What mxgold-default does with values beyond the largest one of a format."""
        facts = self.formats.get(name)
        if facts is None:
            return None
        return "none_inf_or_nan" if facts["inf_codes"] else "sat_finite"

    # Where things are described, and links to that.

    def format_page(self, name: str) -> str | None:
        return f"reference/formats/{file_name(name)}.md" if name in self.formats or name in self.blocks else None

    def format_link(self, name: str, here: str) -> str:
        page = self.format_page(name)
        return link(code(name), here, page) if page else code(name)

    def profile_link(self, name: str, here: str) -> str:
        return link(code(name), here, profile_page(name))

    def setting_link(self, policy: str, value: str, here: str) -> str:
        """policy=value, with a link to the policy."""
        text = code(f"{policy}={value}")
        return link(text, here, policy_page(policy)) if policy in self.policies else text


def profile_page(name: str) -> str:
    return f"reference/profiles/{file_name(name)}.md"


def policy_page(name: str) -> str:
    return f"reference/policies/{name}.md"
