#!/usr/bin/env python3
"""Each function of mxgold_pkg that takes arguments of four states looks at every one of them before it hands them to
mxgold_raw_*, and nothing else imports what it wraps under a name that a bench would call.

usage: states.py mxgold_pkg.sv
Prints a line and ends with 1 for each argument that nobody looks at, and tries itself on a package without one look.
"""

import re
import sys
from pathlib import Path


def problems(package):
    """What is wrong with the text of a package, a line each, and how many arguments were looked at."""
    found = []
    looked = 0
    function = r"function automatic \w+ (mxgold_\w+)\((.*?)\);(.*?)endfunction"
    for name, ports, body in re.findall(function, package, re.S):
        raw = f"mxgold_raw_{name.removeprefix('mxgold_')}("
        if raw not in package:
            continue
        before, _, after = body.partition(raw)
        if not after:
            found.append(f"{name}: does not call {raw[:-1]}")
        for argument in re.findall(r"input logic \[[^]]*\] (\w+)", ports):
            looked += 1
            if f"$isunknown({argument})" not in before:
                found.append(f"{name}: nobody looks whether {argument} is unknown")
        for argument in re.findall(r"input (?:int|longint|byte|bit)\b[^,]*?(\w+)\s*(?:,|$)", ports):
            found.append(f"{name}: {argument} has two states")
    for raw in re.findall(r'function \w+ (mxgold_raw_\w+)\(', package):
        if f"mxgold_{raw.removeprefix('mxgold_raw_')}(" not in package.replace(raw, ""):
            found.append(f"{raw}: no function of four states calls it")
    return found, looked


def main():
    package = Path(sys.argv[1]).read_text(encoding="utf-8")
    found, looked = problems(package)
    for line in found:
        print(line)
    for argument in ("source", "tuser", "mask"):
        if not problems(package.replace(f"$isunknown({argument})", "1'b0", 1))[0]:
            found.append(argument)
            print(f"CONTROL: a package that does not look at {argument} is taken")
    if looked < 20:
        print(f"only {looked} arguments of four states were found")
        return 1
    print(f"{'FAIL' if found else 'PASS'} states: {looked} arguments of four states")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
