# SPDX-License-Identifier: Apache-2.0
"""The page of known differences in parts: its sections, and who agrees with whom.

`mxgold diff-profile --all --markdown` writes that page, and a test of the repository compares. It takes half a minute,
so that the site reads the committed page.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Agreement:
    """Another system beside one: on how many of their common formats they differ."""

    other: str
    differ: int
    common: int  #: 0 where the page does not say it: "=" and "~"
    is_proved: bool


class Differences:
    def __init__(self, path: Path) -> None:
        text = path.read_text(encoding="utf-8")
        parts = re.split(r"^## (.+)\n", text, flags=re.M)
        self.chapters = dict(zip(parts[1::2], (part.strip() for part in parts[2::2])))
        self._systems = self._sections("Each system against mxgold-default")
        self.casts = self._sections("Emulated systems: strict and compat")

    def _sections(self, chapter: str) -> dict[str, str]:
        parts = re.split(r"^### (.+)\n", self.chapters[chapter], flags=re.M)
        return dict(zip((name.strip("`") for name in parts[1::2]), (part.strip() for part in parts[2::2])))

    def introduction_of(self, chapter: str) -> str:
        return re.split(r"^### ", self.chapters[chapter], flags=re.M)[0].strip()

    def of(self, profile: str) -> str:
        """The section of a profile, "" for none."""
        return self._systems.get(profile, "")

    def agreements(self, profile: str) -> list[Agreement]:
        """Every other system that has formats in common with one, those that agree first."""
        rows = [[cell.strip() for cell in line.strip("|").split("|")]
                for line in self.chapters["Who agrees with whom"].split("\n") if re.match(r"\| \d+ \|", line)]
        names = [row[1] for row in rows]
        if profile not in names:
            return []
        found = []
        for other, cell in zip(names, rows[names.index(profile)][2:]):
            match = re.fullmatch(r"(\d+)/(\d+)", cell)
            if other != profile and (match or cell in "=~"):
                differ, common = (int(match[1]), int(match[2])) if match else (0, 0)
                found.append(Agreement(other, differ, common, cell == "="))
        return sorted(found, key=lambda each: each.differ / each.common if each.common else 0)
