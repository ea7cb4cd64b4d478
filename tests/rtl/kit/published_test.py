#!/usr/bin/env python3
"""Every set of parameters whose area rtl/README.md publishes is one that rtl/synth_report measures and that a bench of
tests/rtl holds to the reference: those of the quantizer and of mx_amax in CMakeLists.txt,
those of other units in units/. With --control a row of another set, and a bench of other parameters,
have to be refused. docs/rtl-figures.md has
the sets that rtl/synth_report --page measures.

usage: published_test.py RTL TESTS [--control]
"""

import re
import sys
from pathlib import Path

ROW = re.compile(r"^\| `([a-z0-9_]+)`: .* \| [0-9]+ \| [0-9]+ \| [0-9]+ \|$", re.M)
MEASURED = re.compile(r'^  "([a-z0-9_]+)(?: mx_\w+)?((?: [A-Za-z]+=[0-9]+)*)"$', re.M)
BENCH = re.compile(r"mx_add_(?:quantizer|amax)_test\((\w+)\s[^)]*?PARAMETERS\s+([^)]*?)\s*\)")


DEFAULTS = {"amax_full": ["Lanes=32"], "deq_full": ["Lanes=32"], "nv_full": ["InFmtMask=3"]}
BUILD = re.compile(r'"(?:mx_\w+,)?((?:[A-Za-z]+=[0-9]+,?)+)"')


def figures_problems(report, figures):
    """docs/rtl-figures.md has a row of figures, and one of parameters, for each set of the page."""
    paged = re.search(r"^paged=\((.*)\)$", report, re.M).group(1).split()
    rows = re.findall(r"^\| `(\w+)` (?:\| -?[0-9.]+ ){9}\|$", figures, re.M)
    told = dict(re.findall(r"^\| `(\w+)` \| `(?:mx_\w+ ?)([^`]*)` \|$", figures, re.M))
    measured = {name: parameters.split() for name, parameters in MEASURED.findall(report)}
    found = [] if rows == paged else [f"docs/rtl-figures.md: rows {rows}, sets of the page {paged}"]
    return found + [f"docs/rtl-figures.md: {name}: {told.get(name)}, measured with {measured[name]}"
                    for name in paged if told.get(name, "-").split() != measured[name]]


def problems(page, report, benches, builds):
    published = ROW.findall(page)
    measured = {name: parameters.split() for name, parameters in MEASURED.findall(report)}
    tested = {name: parameters.split() for name, parameters in BENCH.findall(benches)}
    back = [build.split(",") for build in BUILD.findall(builds)]
    found = [] if len(published) >= 9 else [f"rtl/README.md: {len(published)} sets with published areas, 9 expected"]
    for name in published:
        if name not in measured:
            found.append(f"{name}: rtl/README.md publishes its area, rtl/synth_report does not measure it")
        elif name.startswith(("deq_", "nv_", "dot_")):
            if (measured[name] or DEFAULTS[name]) not in back:
                found.append(f"{name}: measured with {measured[name]}, no build of the unit's test")
        elif tested.get(name) != (measured[name] or DEFAULTS.get(name)):
            found.append(f"{name}: measured with {measured[name]}, tested with {tested.get(name)}")
    return found


def main():
    rtl, tests = Path(sys.argv[1]), Path(sys.argv[2])
    texts = [path.read_text() for path in (rtl / "README.md", rtl / "dequantizer" / "README.md",
                                           rtl / "nvfp4" / "README.md", rtl / "dot" / "README.md",
                                           rtl / "amax" / "README.md", rtl / "synth_report", tests / "CMakeLists.txt",
                                           tests / "units/dequantizer_test.cpp", tests / "units/nvfp4_test.cpp", tests / "units/dot_test.cpp")]
    texts[-3:] = ["".join(texts[-3:])]
    texts[:5] = ["".join(texts[:5])]
    figures = (rtl.parent / "docs/rtl-figures.md").read_text()
    found = problems(*texts) + figures_problems(texts[1], figures)
    if sys.argv[3:] == ["--control"]:
        page, report, benches, builds = texts
        wrong = [(page.replace("`bf16_all`", "`bf16_none`"), report, benches, builds),
                 (page, report.replace("RuleMask=15", "RuleMask=14"), benches, builds),
                 (page, report, benches.replace("test(bf16_all ", "test(bf16_other "), builds),
                 (page, report, benches, builds.replace("FmtMask=16", "FmtMask=17")),
                 ("", report, benches, builds)]
        found = [f"control {i}: not refused" for i, each in enumerate(wrong) if not problems(*each)]
        for changed in (figures.replace("| `bf16_e2m1fn` |", "| `bf16_e2m2fn` |", 1), figures.replace("FmtMask=16", "FmtMask=17")):
            found += [] if figures_problems(report, changed) else ["docs/rtl-figures.md: a change is not refused"]
    print("\n".join(found) or "PASS")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
