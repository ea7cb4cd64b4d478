#!/usr/bin/env python3
"""docs/not-verified.md and docs/not-verified-systems.md speak of every rounding, scale rule, format, profile and matrix unit that the program has.

usage: not_verified_test.py MXGOLD PAGE...

Exits 1 and names what is missing; also where a page without one of the names would pass (the control).
"""

import json
import re
import subprocess
import sys
from pathlib import Path


def names(program, what):
    listing = json.loads(subprocess.run([program, "list", what, "--json"], capture_output=True, text=True,
                                        check=True).stdout)
    rows = listing[what] if isinstance(listing, dict) else listing
    return [row if isinstance(row, str) else row["name"] for row in rows]


def missing(page, wanted):
    spoken = set(re.findall(r"`([^`]+)`", page))
    return [name for name in wanted if name not in spoken]


def main():
    program, page = sys.argv[1], "".join(Path(name).read_text() for name in sys.argv[2:])
    wanted = [name for what in ("roundings", "rules", "formats", "profiles", "units") for name in names(program, what)]
    lost = missing(page, wanted)
    for name in lost:
        print(f"{name}: not in {sys.argv[2]}; say who outside has confirmed it, or that nobody has")
    control = missing(page.replace("`even_down`", "").replace("`hif8`", "").replace("`t4_f16`", ""), wanted)
    if not {"even_down", "hif8", "t4_f16"} <= set(control):
        print("the control passed: a page without three names")
        return 1
    print(f"{len(wanted)} names, {len(lost)} missing")
    return 1 if lost or len(wanted) < 80 else 0


if __name__ == "__main__":
    sys.exit(main())
