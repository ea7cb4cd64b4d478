#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the made reference has an entry for everything there is.

usage: reference.py ROOT MXGOLD

What there is comes from elsewhere than the pages: commands and options from --help-all, formats, policies and profiles
from the lists that people read, Python names from __all__ and C names from the headers, both as text. Each kind of
entry is then taken away once, which has to be seen.
Exits 1 and names what has no entry.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

HEADERS = ("backend/abi/mxgold.h", "bridge/model/mxgold_model.h", "sim/plugin/mxgold_device.h",
           "bridge/cuda/mxgold_cuda.h")
MODULES = ("vectors", "measure", "plot", "torch", "bench")


class Program:
    def __init__(self, path):
        self.path = path

    def lines(self, *arguments):
        end = subprocess.run([self.path, *arguments], capture_output=True, text=True, check=True)
        return end.stdout.split("\n")

    def commands(self):
        lines = self.lines("--help-all")
        below = lines[lines.index("Subcommands:") + 1:]
        return [match[1] for line in below if (match := re.match(r"  ([a-z][a-z-]*) ", line))]

    def options(self, command):
        """Each option by its last name, and the positional arguments."""
        for line in self.lines(command, "--help-all"):
            if match := re.match(r"  ((?:-\w,)?(?:--[\w-]+,)*--[\w-]+)\b", line):
                name = match[1].split(",")[-1]
                if name not in ("--help", "--help-all"):
                    yield name

    def names(self, section):
        """Names of a section of `mxgold list`: at the beginning of its lines."""
        pattern = {"policies": r"  --([\w-]+)", "profiles": r"  (\S+)$"}.get(section, r"  (\S+) ")
        found = [match[1] for line in self.lines("list", section)[1:] if (match := re.match(pattern, line))]
        return [name for name in found if name != "name"]  # the head of a table


def wanted(root, program):
    """(what it is, the page or the folder of pages, what has to stand there) of each entry."""
    for command in program.commands():
        page = f"reference/cli/{command}.md"
        yield f"command {command}", page, f"# mxgold {command}\n"
        for option in program.options(command):
            yield f"option {command} {option}", page, ("{ #" + option + " }", f"`{option}`")
    for name in program.names("formats") + program.names("blocks"):
        yield f"format {name}", "reference/formats", f"# {name}\n"
    for name in program.names("policies"):
        yield f"policy {name}", "reference/policies", f"# {name.replace('-', '_')}\n"
    for name in program.names("profiles"):
        yield f"profile {name}", "reference/profiles", f"| name | `{name}` |"
    text = (root / "python/mxgold/__init__.py").read_text(encoding="utf-8")
    for name in re.findall(r'"(\w+)"', text[text.index("__all__"):]):
        if name not in MODULES:
            yield f"Python name {name}", "reference/python", "{ #" + name.strip("_") + " }"
    for module in MODULES:
        page = f"reference/python/{module}.md"
        yield f"Python module {module}", page, f"# mxgold.{module}\n"
        path = root / f"python/mxgold/{module}.py"
        text = (path if path.is_file() else path.with_suffix("") / "__init__.py").read_text(encoding="utf-8")
        own = re.findall(r"^(?:def|class) ([A-Za-z]\w*)|^from mxgold\S* import (.*)", text, re.M)
        for name in ", ".join(defined or imported for defined, imported in own).split(", "):
            yield f"Python name {module}.{name}", page, "{ #" + name + " }"
    for header in HEADERS:
        text = re.sub(r"/\*.*?\*/", "", (root / header).read_text(encoding="utf-8"), flags=re.S)
        for name in re.findall(r"^MXGOLD_(?:API|DEVICE_EXPORT) [\w *]*?(\w+)\(", text, re.M):
            yield f"C function {name}", "reference/c", ("{ #" + name + " }", f'<a id="{name}">')


def read(folder):
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8").replace("\\_", "_")
            for path in folder.rglob("*.md")}


def missing(entries, pages):
    """What has no entry."""
    joined = {}
    for what, place, texts in entries:
        if place not in joined:
            joined[place] = "\n".join(text for uri, text in pages.items()
                                      if uri == place or uri.startswith(place + "/"))
        if not any(text in joined[place] for text in ([texts] if isinstance(texts, str) else texts)):
            yield what


def controls(entries, pages):
    """Each kind of entry, taken away once; yields those that were not missed."""
    kinds = {}
    for entry in entries:
        kinds[entry[0].split(" ")[0]] = entry  # the last of each kind
    for what, _, texts in kinds.values():
        less = dict(pages)
        for text in [texts] if isinstance(texts, str) else texts:
            less = {uri: page.replace(text, "") for uri, page in less.items()}
        if what not in missing(entries, less):
            yield f"control: {what} was taken away, and nobody missed it"


def main():
    if len(sys.argv) != 3:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    root, program = Path(sys.argv[1]).resolve(), Program(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-B", root / "package/site/reference", program.path, folder, "--no-examples"],
                       check=True)
        pages = read(Path(folder))
    entries = list(wanted(root, program))
    counts = {}
    for what, _, _ in entries:
        counts[what.split(" ")[0]] = counts.get(what.split(" ")[0], 0) + 1
    few = [kind for kind, least in (("command", 20), ("option", 300), ("format", 90), ("policy", 25), ("profile", 35),
                                    ("Python", 60), ("C", 60)) if counts.get(kind, 0) < least]
    problems = [f"{what}: no entry" for what in missing(entries, pages)] + list(controls(entries, pages))
    problems += [f"too few entries of the kind {kind}: {counts.get(kind, 0)}" for kind in few]
    for problem in problems:
        print(problem)
    print(f"reference: {len(pages)} pages, " + ", ".join(f"{count} {kind}" for kind, count in counts.items())
          + f", {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
