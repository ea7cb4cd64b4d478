#!/usr/bin/env python3
"""Coverage written as UCIS XML, read by pyucis: the same groups, coverpoints, bins and percentages.

usage: ucis_judge.py MXGOLD [--wrong]

With --wrong a bin's count is changed on the way, which must be reported.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

from judge import need

need("ucis")
from ucis.report.coverage_report_builder import CoverageReportBuilder
from ucis.rgy.format_rgy import FormatRgy

PROGRAM, WRONG = sys.argv[1], "--wrong" in sys.argv
SETS = [["--op", "cvt", "--source", "fp32", "--format", "e4m3fn", "--suite", "smoke"],
        ["--op", "block", "--format", "mxfp4", "--suite", "rnd", "--count", "30"],
        ["--op", "arith", "--operation", "divide", "--format", "fp16", "--suite", "rnd", "--count", "50"]]


def main():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="mxgold_ucis_"))
    files = []
    for number, options in enumerate(SETS):
        files.append(str(folder / f"{number}.tv"))
        subprocess.run([PROGRAM, "gen", *options, "-o", files[-1]], check=True, capture_output=True)
    xml, database = folder / "c.xml", folder / "c.json"
    subprocess.run([PROGRAM, "cover", *files, "--ucis", xml, "-o", database], check=True, capture_output=True)
    if WRONG:
        text = xml.read_text()
        xml.write_text(text.replace('coverageCount="0"', 'coverageCount="1"', 1))
    report = CoverageReportBuilder.build(FormatRgy.inst().getDatabaseDesc("xml").fmt_if().read(str(xml)))
    groups = [group for each in report.covergroups for group in each.covergroups]
    ours = json.loads(database.read_text())["groups"]
    different, bins = 0, 0
    if [group.name for group in groups] != [group["name"] for group in ours]:
        sys.exit("the names of the groups differ")
    for theirs, group in zip(groups, ours):
        points = {point.name: point for point in theirs.coverpoints}
        for point in group["points"]:
            counted = [(name, hits) for name, hits, *unreachable in point["bins"] if not unreachable]
            read = [(each.name, each.count) for each in points[point["name"]].bins]
            bins += len(counted)
            if counted != read:
                different += 1
                print(f"{group['name']}: {point['name']}: {[pair for pair in zip(counted, read) if pair[0] != pair[1]][:3]}")
    if bins == 0:
        sys.exit("nothing was compared")
    verdict = "FAIL" if different else "PASS"
    print(f"{verdict} ucis: {len(groups)} groups, {bins} bins, {different} coverpoints differ")
    sys.exit(1 if different else 0)


main()
