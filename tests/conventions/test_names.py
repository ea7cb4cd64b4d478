#!/usr/bin/env python3
"""Prints the name of every test of a build, those of GoogleTest case by case, in the form of `ctest -N`.

usage: test_names.py CTEST BUILD

Exits 1 where a filter that picks the cases of a program (SAMPLE of mx_add_test) names none: a case was renamed.
"""

import json
import re
import subprocess
import sys
from fnmatch import fnmatchcase


def cases(program):
    """Suite.Case of every case, with what it says of its parameter."""
    suite = ""
    for line in subprocess.run([program, "--gtest_list_tests"], capture_output=True, text=True, check=True).stdout.splitlines():
        if line.startswith("  "):
            yield suite + line.strip()
        elif re.match(r"\S+[.]( |$)", line):
            suite = line.split()[0]


def idle_patterns(command, names):
    """The parts of the command's filter that no case has."""
    filters = [word.removeprefix("--gtest_filter=") for word in command if word.startswith("--gtest_filter=")]
    patterns = [pattern for each in filters for pattern in each.replace("-", ":", 1).split(":") if pattern]
    return [pattern for pattern in patterns if not any(fnmatchcase(name.split()[0], pattern) for name in names)]


def main():
    listing = subprocess.run([sys.argv[1], "--show-only=json-v1", "--test-dir", sys.argv[2]], capture_output=True, text=True,
                             check=True).stdout
    names, of_program, idle = [], {}, []
    for test in json.loads(listing)["tests"]:
        command = test.get("command", [])
        if not any(word.startswith("--gtest_output") for word in command):
            names.append(test["name"])
            continue
        program = re.sub(r"[.][0-9]+$", "", test["name"])
        if program not in of_program:
            of_program[program] = list(cases(command[0]))
            names += [f"{program}.{case}" for case in of_program[program]]
            idle += [f"{program}: no case is named {pattern}" for pattern in idle_patterns(command, of_program[program])]
    for problem in idle:
        print(f"test_names: {problem} (SAMPLE)", file=sys.stderr)
    if idle:
        return 1
    for number, name in enumerate(names, 1):
        print(f"  Test #{number}: {name}")
    return 0 if names else 2


if __name__ == "__main__":
    sys.exit(main())
