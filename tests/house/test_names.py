#!/usr/bin/env python3
"""Prints the name of every test of a build, those of GoogleTest case by case, in the form of `ctest -N`.

usage: test_names.py CTEST BUILD
"""

import json
import re
import subprocess
import sys


def cases(program):
    """Suite.Case of every case, with what it says of its parameter."""
    suite = ""
    for line in subprocess.run([program, "--gtest_list_tests"], capture_output=True, text=True, check=True).stdout.splitlines():
        if line.startswith("  "):
            yield suite + line.strip()
        elif re.match(r"\S+[.]( |$)", line):
            suite = line.split()[0]


def main():
    listing = subprocess.run([sys.argv[1], "--show-only=json-v1", "--test-dir", sys.argv[2]], capture_output=True, text=True,
                             check=True).stdout
    names, listed = [], set()
    for test in json.loads(listing)["tests"]:
        command = test.get("command", [])
        if not any(word.startswith("--gtest_output") for word in command):
            names.append(test["name"])
            continue
        program = re.sub(r"[.][0-9]+$", "", test["name"])
        if program not in listed:
            listed.add(program)
            names += [f"{program}.{case}" for case in cases(command[0])]
    for number, name in enumerate(names, 1):
        print(f"  Test #{number}: {name}")
    return 0 if names else 2


if __name__ == "__main__":
    sys.exit(main())
