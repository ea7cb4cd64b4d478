# SPDX-License-Identifier: Apache-2.0
"""Names of pages and clauses of the specification in made pages, as links: docs/identify.md, spec F8.1."""

from __future__ import annotations

import re
from pathlib import Path

from markdown import link

_SPEC = {"F": "formats", "R": "rtl", "S": "seed-systems", "U": "accumulators", "V": "verification"}
# What is code or a link already comes first, so that it is left alone.
_MENTION = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)|\[[^\]]*\]\([^)]*\)|<[^>]*>|\bdocs/([\w/.\\-]+?\.md)|"
                      r"\bspec ([FRSUV]\d+(?:\.\d+)*)")
_FENCE = re.compile(r" *(```+)")


class References:
    def __init__(self, docs: Path) -> None:
        self._docs = docs
        self._clauses: dict[str, set[str]] = {}

    def _has_clause(self, page: str, clause: str) -> bool:
        if page not in self._clauses:
            text = (self._docs / page).read_text(encoding="utf-8")
            self._clauses[page] = set(re.findall(r'<a id="([A-Z][\d.]+)">', text))
        return clause in self._clauses[page]

    def linked(self, text: str, here: str) -> str:
        def changed(match: re.Match[str]) -> str:
            if match[2] and (self._docs / match[2].replace("\\", "")).is_file():
                return link(match[0], here, match[2].replace("\\", ""))
            if match[3] and self._has_clause(page := f"spec/{_SPEC[match[3][0]]}.md", match[3]):
                return link(match[0], here, page, match[3])
            return match[0]

        lines, fence = [], ""
        for line in text.split("\n"):
            mark = _FENCE.match(line)
            if mark and (not fence or line.strip() == fence):
                fence = "" if fence else mark[1]
            elif not fence and not line.startswith("#"):
                line = _MENTION.sub(changed, line)
            lines.append(line)
        return "\n".join(lines)
