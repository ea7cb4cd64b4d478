#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pictures of docs/pictures are what their commands draw today, byte for byte; and laws of every picture.

usage: pictures_test.py FOLDER MXGOLD
"""

import shlex
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
from pathlib import Path

LEAST = 12  # pictures
SVG = "{http://www.w3.org/2000/svg}"
DRAWN = {SVG + name for name in ("line", "rect", "circle", "polyline", "polygon", "text")}
# Calls that must be refused, and a word of the reason.
REFUSED = {
    "numberlin e2m1fn": "numberline",
    "numberline": "name a format",
    "numberline fp32": "bits",
    "numberline e2m1fn --rounding stochastic_a": "either way",
    "numberline e2m1fn --format e4m3fn": "--format",
    "block --format e4m3fn 1 2": "block format",
    "block --format mxfp4 1 nan": "finite",
    "block --format mxfp4 " + "1 " * 33: "33 inputs",
    "scales --rule floor": "--rule",
    "scales flor": "flor",
    "errors --format e4m3fn,mxfp4": "not both",
    "errors 1": "no input",
    "histogram --format mxfp4,mxfp6_e2m3": "one format",
    "histogram --blocks-as fouroversix": "--profile",
    "agreement --format e8m0 --profile te": "te",
    "pipeline --source bf16": "--source",
    "bench --profile te": "--profile",
}


def lines_of(text):
    """(arguments, file name) of each command."""
    for line in text.splitlines():
        if line and not line.startswith("#"):
            words = shlex.split(line)
            assert words[:2] + words[-2:-1] in (["mxgold", "plot", "-o"], ["mxgold", "run", "--html"]), line
            assert "/" not in words[-1], line
            yield words[1:], words[-1]


def draw(mxgold, arguments, folder):
    return subprocess.run([mxgold, *arguments], cwd=folder, capture_output=True, text=True, check=False)


def faults(svg):
    """What is wrong with a picture as such."""
    root = xml.etree.ElementTree.fromstring(svg)
    found = []
    names = [each.tag for each in root.iter()]
    if root.get("role") != "img" or root.find(SVG + "title") is None or root.find(SVG + "desc") is None:
        found.append("no role, title or description")
    if sum(name in DRAWN for name in names) < 20:
        found.append("nearly empty")
    if any(name in (SVG + "script", SVG + "image", SVG + "a", SVG + "foreignObject") for name in names):
        found.append("not a plain picture")
    if "prefers-color-scheme" not in svg or svg.count("http") != svg.count("http://www.w3.org/2000/svg"):
        found.append("one color scheme, or something from elsewhere")
    if "nan" in svg.replace("NaN", "").split("</desc>")[1].replace("anchor", "") or "inf," in svg:
        found.append("a coordinate is no number")
    return found


def differences(folder, commands, mxgold):
    """Pictures that are out of date, missing or without a command."""
    found = []
    names = set()
    with tempfile.TemporaryDirectory() as work:
        for arguments, name in lines_of(commands):
            names.add(name)
            end = draw(mxgold, arguments, work)
            made = Path(work, name)
            if end.returncode != (1 if arguments[0] == "run" else 0) or not made.is_file():
                found.append(f"{name}: {end.stderr.strip()}")
                continue
            if made.suffix == ".svg":
                found += [f"{name}: {each}" for each in faults(made.read_text())]
            kept = folder / name
            if not kept.is_file() or kept.read_bytes() != made.read_bytes():
                found.append(f"{name}: out of date; run its line of {folder}/commands.txt again")
    found += [f"{each.name}: no command makes it" for each in folder.iterdir()
              if each.name not in names and each.name != "commands.txt"]
    return found


def main():
    folder, mxgold = Path(sys.argv[1]), sys.argv[2]
    commands = (folder / "commands.txt").read_text()
    count = len(list(lines_of(commands)))
    found = differences(folder, commands, mxgold)
    if count < LEAST:
        found.append(f"only {count} pictures")
    # Controls: another rounding, a lost command, an empty picture and a script are seen.
    other = "mxgold plot numberline e2m1fn --rounding toward_positive -o e2m1-toward-zero.svg"
    for changed, said in ((other, "e2m1-toward-zero.svg: out of date"), ("", "bench.svg: no command makes it")):
        if not any(each.startswith(said) for each in differences(folder, changed, mxgold)):
            found.append(f"went unseen: {said}")
    for broken in ('<svg xmlns="http://www.w3.org/2000/svg" role="img"><title/><desc></desc></svg>',
                   (folder / "bench.svg").read_text().replace("</desc>", "</desc><script/>", 1)):
        if not faults(broken):
            found.append(f"{broken[:60]!r} passes")
    for call, reason in REFUSED.items():
        with tempfile.TemporaryDirectory() as work:
            end = draw(mxgold, ["plot", *call.split(), "-o", "x.svg"], work)
            if end.returncode != 2 or reason not in end.stderr or Path(work, "x.svg").exists():
                found.append(f"{call}: exit {end.returncode}, {end.stderr.strip()}")
    print("\n".join(found) or f"PASS: {count} pictures, {len(REFUSED)} refusals")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
