#!/usr/bin/env python3
"""The manifests of the RTL (rtl/mxgold.core for FuseSoC, rtl/Bender.yml) list every source once, the package first,
checkers apart. With --control a copy that lacks a module, and one that names it twice, have to be refused.

usage: manifests_test.py RTL [--control]
"""

import re
import shutil
import sys
import tempfile
from pathlib import Path

MANIFESTS = ("mxgold.core", "Bender.yml")


def problems(rtl):
    sources = {str(path.relative_to(rtl)) for path in rtl.glob("**/mx_*.sv")}
    found = []
    if len(sources) < 20:
        found.append(f"{rtl}: only {len(sources)} sources")
    for name in MANIFESTS:
        listed = re.findall(r"^ *- ((?:\w+/)?mx_\w+\.sv)$", (rtl / name).read_text(), re.M)
        for source in sorted(sources | set(listed)):
            if listed.count(source) != 1 or source not in sources:
                found.append(f"{name}: {source} stands {listed.count(source)} times; there is "
                             f"{'one' if source in sources else 'no such source'}")
        if listed and listed[0] != "mx_pkg.sv":
            found.append(f"{name}: mx_pkg.sv has to be the first, the others use it")
        if listed and not listed[-1].endswith("_checker.sv"):
            found.append(f"{name}: the checkers come last, in a list of their own")
    return found


def controls(rtl):
    """Each change of a manifest has to be seen."""
    unseen = []
    for name in MANIFESTS:
        for old, new in (("mx_round.sv\n", "mx_rounds.sv\n"), ("mx_pkg.sv\n", "mx_round.sv\n")):
            with tempfile.TemporaryDirectory() as folder:
                copy = Path(folder) / "rtl"
                shutil.copytree(rtl, copy)
                text = (copy / name).read_text()
                assert old in text
                (copy / name).write_text(text.replace(old, new))
                if not problems(copy):
                    unseen.append(f"{name}: {old.strip()} became {new.strip()}, which nobody saw")
    return unseen


def main():
    rtl = Path(sys.argv[1])
    found = controls(rtl) if "--control" in sys.argv else problems(rtl)
    for line in found:
        print(line)
    return 1 if found else 0


sys.exit(main())
