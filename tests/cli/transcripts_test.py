#!/usr/bin/env python3
"""What pages show of a run of mxgold is what the program prints.

usage: transcripts_test.py PROGRAM ROOT PAGE...

A transcript is a command behind `$ ` in a block of code, ended by `\\` where it goes on, and the lines below it. A line
`...` stands for any number of lines, `...` within a line for any text. A command of mxgold that the page shows to fail
shows how to see it again (`replay`): that has to fail too. Transcripts of commands that read files the page does not
have are named and left out. Ends with 1 where a line is not printed, or nothing of a page was compared.
"""

import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

READS_FILES = ("identify",)


def transcripts(text):
    """[(command, [line, ...])] of the blocks of code."""
    found = []
    for block in re.findall(r"^```(?:text)?\n(.*?)^```$", text, re.M | re.S):
        command = None
        for line in block.splitlines():
            if command is not None and command.endswith("\\"):
                command = command[:-1] + line.strip()
                found[-1] = (command, [])
            elif line.startswith("$ "):
                command = line[2:].split("     #")[0]
                found.append((command, []))
            elif command is not None:
                found[-1][1].append(line)
    return [(command, lines) for command, lines in found if lines]


def first_missing(shown, printed):
    """The first line of a transcript that does not stand where it should among the printed ones."""
    at, anywhere = 0, False
    for line in shown:
        if line.strip() == "...":
            anywhere = True
            continue
        pattern = re.compile(".*".join(re.escape(part) for part in line.rstrip().split("...")) + r"\s*")
        places = range(at, len(printed)) if anywhere else range(at, min(at + 1, len(printed)))
        place = next((i for i in places if pattern.fullmatch(printed[i])), None)
        if place is None:
            return line
        at, anywhere = place + 1, False
    return None


def run(command, program, root):
    words = shlex.split(command)
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run([program, *words[1:]], cwd=root if "python3 sim/" in command else folder,
                              capture_output=True, text=True, timeout=300)


def check(command, shown, program, root):
    """What is wrong with a transcript, or None."""
    ended = run(command, program, root)
    printed = ended.stdout.splitlines()
    if (line := first_missing(shown, printed)) is not None:
        return f"the page shows, the program does not print:\n  {line}\n" + "\n".join("  | " + p for p in printed)
    for line in shown:
        if line.strip().startswith("replay "):
            again = run(line.split(None, 1)[1], program, root)
            if again.returncode != ended.returncode:
                return f"ends with {again.returncode}, not {ended.returncode}: {line.strip()}"
    return None


def check_page(page, program, root):
    """Is all of a page right, and was something compared?"""
    compared = failed = 0
    for command, shown in transcripts(page.read_text()):
        words = shlex.split(command)
        if Path(words[0]).name != "mxgold" or words[1] in READS_FILES:
            print(f"not compared: {command}")
            continue
        compared += 1
        if (wrong := check(command, shown, program, root)) is not None:
            failed += 1
            print(f"FAIL {page.name}: $ {command}\n{wrong}")
        # Negative control: a line that is not printed, and one in the wrong place, are seen.
        printed = run(command, program, root).stdout.splitlines()
        damaged = shown[:-1] + [shown[-1] + "x"] if shown[-1].strip() != "..." else shown[:-1] + ["x"]
        if first_missing(damaged, printed) is None or first_missing(printed[1:], printed) is None:
            failed += 1
            print(f"FAIL: a changed line went unseen: $ {command}")
    print(f"{compared} transcripts of {page.name} compared, {failed} wrong")
    return compared > 0 and failed == 0


def main():
    program, root = str(Path(sys.argv[1]).resolve()), sys.argv[2]
    return 0 if all([check_page(Path(page), program, root) for page in sys.argv[3:]]) and sys.argv[3:] else 1


sys.exit(main())
