# SPDX-License-Identifier: Apache-2.0
"""What the program says of itself."""

from __future__ import annotations

import functools
import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any


def as_written(folded: str) -> str:
    """A name without case and underscores as its users write it: RNE, float8_e4m3fn, roundTiesToEven."""
    if len(folded) <= 3 and folded[0] in "rs" and folded != "sat":
        return folded.upper()
    if match := re.fullmatch(r"((?:float|fp|f|mxfp|nvfp)\d)(e\d.*?)(x2)?", folded):
        return "_".join(part for part in match.groups() if part)
    words = re.findall(r"round|nearest|ties|toward|to|even|away|zero", folded)
    return words[0] + "".join(map(str.capitalize, words[1:])) if "".join(words) == folded else folded


class Program:
    def __init__(self, path: Path, has_examples: bool = True) -> None:
        """has_examples: False leaves out what takes most of the time, explanations and pictures."""
        self._path, self._has_examples = path, has_examples

    def run(self, *arguments: str) -> str:
        """What it prints. Raises RuntimeError where it fails."""
        if arguments[0] in ("explain", "plot") and not self._has_examples:
            raise RuntimeError("no examples are wanted")
        environment = {**os.environ, "NO_COLOR": "1", "LC_ALL": "C"}
        end = subprocess.run([str(self._path), *arguments], capture_output=True, text=True, check=False,
                             env=environment)
        if end.returncode != 0:
            raise RuntimeError(f"mxgold {' '.join(arguments)}: exit code {end.returncode}: {end.stderr.strip()}")
        return end.stdout

    @functools.lru_cache(maxsize=None)
    def json(self, *arguments: str) -> Any:
        return json.loads(self.run(*arguments, "--json"))

    def listed(self, what: str) -> list[dict[str, Any]]:
        """A section of `mxgold list`."""
        rows: list[dict[str, Any]] = self.json("list", what)[what]
        return rows

    def manual(self) -> dict[str, Any]:
        """The commands, topics and exit codes."""
        manual: dict[str, Any] = self.json("man")
        return manual

    def version(self) -> str:
        return str(self.manual()["version"])

    def names_elsewhere(self, here: str) -> list[str]:
        """What others call one of our names."""
        return [as_written(each["elsewhere"]) for each in self.manual()["names"] if each["here"] == here]

    def picture(self, *arguments: str) -> bytes | None:
        """A picture of `mxgold plot`, None where it has none to show."""
        try:
            return self.run("plot", *arguments, "-o", "-").encode()
        except RuntimeError:
            return None
