#!/usr/bin/env python3
"""The manifests of the RTL (rtl/mxgold.core for FuseSoC, Bender.yml in the root) list every source once, the package
first, checkers apart; each target of the core has the parameters of its module, all of them. With --control a copy that
lacks a module, one that names it twice, and one that lacks a parameter have to be refused.

usage: manifests_test.py RTL [--control]
"""

import re
import shutil
import sys
import tempfile
from pathlib import Path

CORE, BENDER = "mxgold.core", "Bender.yml"
TARGETS = ("default", "dequantizer", "nvfp4_quantizer", "dot", "amax")


def manifests(rtl):
    """Name, file, and what stands in front of the path of a source."""
    return ((CORE, rtl / CORE, ""), (BENDER, rtl.parent / BENDER, "rtl/"))


def parameters_of(source):
    return re.findall(r"^ +parameter +int (\w+) +=", source.read_text(), re.M)


def targets_of(core):
    """[(target, module, parameters)] of those that say them."""
    text = core.read_text().partition("\ntargets:\n")[2]
    row = r"^  (\w+):[^\n]*\n    filesets: [^\n]*\n    toplevel: (\w+)\n    parameters: \[([^]]*)\]"
    return [(name, module, re.split(r",\s+", names)) for name, module, names in re.findall(row, text, re.M)]


def problems(rtl):
    paths = sorted(rtl.glob("**/mx_*.sv"))
    sources = {str(path.relative_to(rtl)) for path in paths}
    found = []
    if len(sources) < 20:
        found.append(f"{rtl}: only {len(sources)} sources")
    for name, file, prefix in manifests(rtl):
        listed = re.findall(rf"^ *- {prefix}((?:\w+/)?mx_\w+\.sv)$", file.read_text(), re.M)
        for source in sorted(sources | set(listed)):
            if listed.count(source) != 1 or source not in sources:
                found.append(f"{name}: {source} stands {listed.count(source)} times; there is "
                             f"{'one' if source in sources else 'no such source'}")
        if listed and listed[0] != "mx_pkg.sv":
            found.append(f"{name}: mx_pkg.sv has to be the first, the others use it")
        if listed and not listed[-1].endswith("_checker.sv"):
            found.append(f"{name}: the checkers come last, in a list of their own")
    by_module = {path.stem: path for path in paths}
    targets = targets_of(rtl / CORE)
    if tuple(name for name, _, _ in targets) != TARGETS:
        found.append(f"{CORE}: targets {', '.join(name for name, _, _ in targets)}; expected: {', '.join(TARGETS)}")
    declared = re.findall(r"^  (\w+):\n    datatype: int$", (rtl / CORE).read_text(), re.M)
    for name, module, parameters in targets:
        wanted = parameters_of(by_module[module])
        if parameters != wanted:
            found.append(f"{CORE}: target {name} has parameters {', '.join(parameters)}; {module} has {', '.join(wanted)}")
        found += [f"{CORE}: no parameter {each}" for each in wanted if each not in declared]
    return found


def controls(rtl):
    """Each change of a manifest has to be seen."""
    changes = [(name, *change) for name, _, _ in manifests(rtl)
               for change in (("mx_round.sv\n", "mx_rounds.sv\n"), ("mx_pkg.sv\n", "mx_round.sv\n"))]
    changes += [(CORE, ", AlignBits]", "]"), (CORE, "  OutSkid:\n", "  OutSkids:\n"), (CORE, "  amax: &amax", "  amox: &amax")]
    unseen = []
    for name, old, new in changes:
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "rtl"
            shutil.copytree(rtl, copy)
            shutil.copy(rtl.parent / BENDER, folder)
            file = next(path for each, path, _ in manifests(copy) if each == name)
            text = file.read_text()
            assert old in text, old
            file.write_text(text.replace(old, new))
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
