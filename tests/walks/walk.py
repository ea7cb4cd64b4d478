#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A newcomer's walk: the page of installing, then a tutorial, as they stand in docs/, on a bare Debian 12 with the wheels.

usage: walk.py CHECKOUT SCRATCH WHEELS ROLE     ROLE: a page of docs/start, for example verify

system.py makes the bare system. Blocks ```sh are run in their order, those titled "As root" of a page first; what the page shows is compared. Prints what each
part took. Fails where a block does, where an output is another, or where the processor's time passes the limits that the
pages promise: MOST seconds in all, MOST_INSTALLING of them to install mxgold. Exit status 77: no bare system can be made here.
"""

import os
import resource
import shutil
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "first_day"))

import first_day  # noqa: E402
import pages  # noqa: E402
import system  # noqa: E402

MOST, MOST_INSTALLING = 600, 60
TIME_LIMIT = 1800  # seconds of one part by the clock, on a busy machine
LEAST_COMPARED = {"install": 1, "verify": 20, "python": 10, "rtl": 10}


def lines_of(page, section=None):
    """The lines of a section of a page; without one, those above the first section."""
    lines = page.read_text(encoding="ascii").splitlines()
    first = 0 if section is None else lines.index(section) + 1
    return lines[first:next((at for at in range(first, len(lines)) if lines[at].startswith("## ")), len(lines))]


def blocks_to_run(lines):
    """The lines as a task: blocks of commands, and the outputs under them. Other blocks are for other readers."""
    task = pages.Task()
    shown_last = False
    for number, language, content in pages.blocks_of(lines):
        runs = language in ("sh", pages.PREPARING) or (language and pages.SAVED.fullmatch(language))
        if runs or (language == "text" and shown_last):
            pages.add_block(task, number, language, content)
        if language is not None:
            shown_last = bool(runs)
    return task


class Part:
    """Commands that are run together, and what they took."""

    def __init__(self, name, steps):
        self.name, self.steps, self.wall, self.processor = name, steps, 0.0, 0.0

    def run(self, place, before):
        """The problem, or "". `before`: a line of shell that takes the reader to where the part begins."""
        folder = place / "walk" / self.name
        folder.mkdir(parents=True)
        inside = Path("/walk") / self.name
        script = first_day.script_of(self.steps, folder).replace(str(folder), str(inside))
        (folder / "all.sh").write_text(f"{before}\n{script}")
        used, start = processor_seconds(), time.monotonic()
        status = system.run(place, str(inside / "all.sh"), ENVIRONMENT, TIME_LIMIT)
        self.wall, self.processor = time.monotonic() - start, processor_seconds() - used
        if status == 0:
            return ""
        last = int((folder / "last").read_text()) if (folder / "last").exists() else 0
        said = (folder / f"{last}.out").read_text(errors="replace").splitlines()[-20:]
        return "\n".join([f"line {self.steps[last].line}: the block ends with {status}; it printed", *said])


ENVIRONMENT = {"PIP_FIND_LINKS": "/wheels", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def walk(checkout, place, role):
    """(problem, parts, compared lines)."""
    start = checkout / "docs/start"
    page = {"install": blocks_to_run(lines_of((start / "install").with_suffix(".md"))),
            role: blocks_to_run((start / f"{role}.md").read_text(encoding="ascii").splitlines())}
    update = pages.Step(0, "apt-get update\n")  # a new system has no lists yet
    parts = [("venv", [update, *page["install"].preparing]), ("install", page["install"].steps),
             ("tools", page[role].preparing), (role, page[role].steps)]
    walked, compared, before = [], 0, "mkdir -p /reader && cd /reader"
    for name, steps in parts:
        if not steps:
            continue
        walked.append(part := Part(name, steps))
        if problem := part.run(place, before):
            return f"{name}: {problem}", walked, compared
        problem, lines = first_day.compare(steps, place / "walk" / name)
        if problem:
            return f"{name}: {problem}", walked, compared
        if lines < LEAST_COMPARED.get(name, 0):
            return f"{name}: {lines} lines were compared; at least {LEAST_COMPARED[name]} are promised", walked, compared
        compared += lines
        if name == "install":
            before = "cd /reader && . mx/bin/activate && mkdir -p work && cd work"
    return "", walked, compared


def beyond(parts):
    """What passes a limit, or ""."""
    installing = sum(part.processor for part in parts if part.name in ("venv", "install"))
    whole = sum(part.processor for part in parts)
    if installing > MOST_INSTALLING:
        return f"installing took {installing:.1f} s of a processor; the promise is {MOST_INSTALLING}"
    return f"the walk took {whole:.1f} s of a processor; the promise is {MOST}" if whole > MOST else ""


def main():
    if len(sys.argv) != 5 or sys.argv[4] not in LEAST_COMPARED:
        print(__doc__)
        return 2
    checkout, scratch, wheels, role = Path(sys.argv[1]), Path(sys.argv[2]).resolve(), Path(sys.argv[3]), sys.argv[4]
    files = [file for file in wheels.glob("*.whl") if "manylinux" in file.name and os.uname().machine in file.name]
    if len(files) != 2:
        print(f"walk: {wheels} has {len(files)} wheels for this machine, and two are needed; ./dev wheels makes them")
        return 2
    if os.geteuid() != 0:
        print("SKIP walk: only root can make a bare system")
        return 77
    scratch.mkdir(parents=True, exist_ok=True)
    try:
        system.bring(scratch / "bookworm")
    except system.Unavailable as problem:
        print(f"SKIP walk: {problem}")
        return 77
    with system.copy(scratch / "bookworm", scratch / role) as place:
        (place / "wheels").mkdir()
        for file in files:
            shutil.copy(file, place / "wheels")
        problem, parts, compared = walk(checkout, place, role)
    for part in parts:
        print(f"  {part.name:8} {part.wall:6.1f} s, {part.processor:6.1f} s of a processor")
    problem = problem or beyond(parts)
    print(f"FAIL walk {role}: {problem}" if problem else f"PASS walk {role}: {compared} lines compared")
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main())
