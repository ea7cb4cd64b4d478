#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The library from source on a bare Debian, by the commands of docs/start/install.md, and a C program linked with it.

usage: source.py CHECKOUT SCRATCH RELEASE COMPILER     RELEASE: bookworm or trixie; COMPILER: gcc or clang

The section "The library alone" has the commands; `apt install` there names g++, and clang is taken in its place where it is
asked for. Exit status 77: no bare system can be made here.
"""

import os
import subprocess
import sys
import tarfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "first_day"))

import first_day  # noqa: E402
import system  # noqa: E402
import walk  # noqa: E402

SECTION = "## The library alone"
COMPILERS = {"gcc": ("g++", "gcc", "g++"), "clang": ("clang", "clang", "clang++")}  # package, cc, c++


def steps_of(page):
    """The blocks of the section, what needs root first."""
    task = walk.blocks_to_run(walk.lines_of(page, SECTION))
    return [*task.preparing, *task.steps]


def put_sources(checkout, place):
    """What git has of the checkout, as it lies there."""
    listed = subprocess.run(["git", "-C", str(checkout), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            capture_output=True, check=True).stdout.decode()
    archive = place / "source.tar"
    with tarfile.open(archive, "w") as tar:
        for name in filter(None, listed.split("\0")):
            if (checkout / name).exists():
                tar.add(checkout / name, f"mxgold/{name}")
    with tarfile.open(archive) as tar:
        tar.extractall(place)


def main():
    if len(sys.argv) != 5 or sys.argv[4] not in COMPILERS:
        print(__doc__)
        return 2
    checkout, scratch, release, compiler = Path(sys.argv[1]), Path(sys.argv[2]).resolve(), sys.argv[3], sys.argv[4]
    package, cc, cxx = COMPILERS[compiler]
    steps = steps_of(checkout / "docs/start/install.md")
    if not any(step.shown for step in steps) or not any("apt install" in step.commands for step in steps):
        print(f"source: '{SECTION}' of docs/start/install.md shows no output, or installs nothing")
        return 2
    for step in steps:
        if "apt install" in step.commands:
            step.commands = "apt-get update\n" + step.commands.replace("g++", package)
    if os.geteuid() != 0:
        print("SKIP source: only root can make a bare system")
        return 77
    scratch.mkdir(parents=True, exist_ok=True)
    try:
        system.bring(scratch / release, release)
    except system.Unavailable as problem:
        print(f"SKIP source: {problem}")
        return 77
    with system.copy(scratch / release, scratch / f"{release}-{compiler}") as place:
        put_sources(checkout, place)
        part = walk.Part("library", steps)
        problem, compared = part.run(place, f"cd /mxgold; export CC={cc} CXX={cxx}"), 0
        if not problem:
            problem, compared = first_day.compare(steps, place / "walk" / "library")
    name = f"source {release} {compiler}"
    took = f"{part.wall:.0f} s, {part.processor:.0f} s of a processor"
    print(f"FAIL {name}: {problem}" if problem else f"PASS {name}: {compared} lines compared, {took}")
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main())
