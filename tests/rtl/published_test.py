#!/usr/bin/env python3
"""Every set of parameters whose area rtl/README.md publishes is one that rtl/synth_report measures and that a bench of
tests/rtl/CMakeLists.txt holds to the reference. With --control a row of another set, and a bench of other parameters,
have to be refused.

usage: published_test.py RTL CMAKE_LISTS [--control]
"""

import re
import sys
from pathlib import Path

ROW = re.compile(r"^\| `([a-z0-9_]+)`: .* \| [0-9]+ \| [0-9]+ \| [0-9]+ \|$", re.M)
MEASURED = re.compile(r'^  "([a-z0-9_]+)((?: [A-Za-z]+=[0-9]+)*)"$', re.M)
BENCH = re.compile(r"mx_add_quantizer_test\((\w+)\s[^)]*?PARAMETERS\s+([^)]*?)\s*\)")


def problems(page, report, benches):
    published = ROW.findall(page)
    measured = {name: parameters.split() for name, parameters in MEASURED.findall(report)}
    tested = {name: parameters.split() for name, parameters in BENCH.findall(benches)}
    found = [] if len(published) >= 4 else [f"rtl/README.md: {len(published)} sets with published areas, 4 expected"]
    for name in published:
        if name not in measured:
            found.append(f"{name}: rtl/README.md publishes its area, rtl/synth_report does not measure it")
        elif tested.get(name) != measured[name]:
            found.append(f"{name}: measured with {measured[name]}, tested with {tested.get(name)}")
    return found


def main():
    rtl, lists = Path(sys.argv[1]), Path(sys.argv[2])
    texts = [path.read_text() for path in (rtl / "README.md", rtl / "synth_report", lists)]
    found = problems(*texts)
    if sys.argv[3:] == ["--control"]:
        page, report, benches = texts
        wrong = [(page.replace("`bf16_all`", "`bf16_none`"), report, benches),
                 (page, report.replace("RuleMask=15", "RuleMask=14"), benches),
                 (page, report, benches.replace("test(bf16_all ", "test(bf16_other ")),
                 ("", report, benches)]
        found = [f"control {i}: not refused" for i, each in enumerate(wrong) if not problems(*each)]
    print("\n".join(found) or "PASS")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
