#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The explorer page in headless Chromium, beside the program and the Python package.

usage: explorer_test.py ROOT MXGOLD [SHOTS]     (SHOTS: a folder that gets screenshots, to be looked at)

Its answers to more than 10,000 values are those of `mxgold explain --json`, in the data and in the table that is shown;
a link gives the page back; a dropped file's errors are those of mxgold.measure; nothing is loaded once the page is
there; keys reach every cell; it fits 390 and 1280 pixels, light and dark, and 3 MB. Controls: pages with a fault each.
Exit 77 where there is no Chromium, no emscripten or no mkdocs.
"""

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import explorer_checks as checks
from cases import Case, cases_of, edges_of, program
from chromium import Chromium, found_chromium, served
from dropped import dropped_problems
from explorer_controls import control_problems
from explorer_page import asked, busy, go, lists, opened

SEED, LEAST_VALUES, SHOWN = 20261128, 10000, 60
MOST_BYTES = 3_000_000
BATCH = 40  # questions at a time
ROWS = """[...document.querySelectorAll('#explorer-app .results tbody tr')].map((row) => row.querySelector('.cell')
    ? [row.querySelector('code').textContent, row.querySelector('.value').title,
       row.querySelector('.cell > .flags').textContent]
    : [row.querySelector('td').title])"""


def all_cases(page):
    names, systems, codes = lists(page)
    cases = list(cases_of(names, systems, SEED))
    return cases + [Case("fp64", format, "mxgold-default", edges_of(values)) for format, values in codes.items()]


def answer_problems(page, cases, expected):
    """Where the page's data are not the program's, to the last character; how many values were compared, and how many
    questions both refuse."""
    problems, values, refused = [], 0, 0
    for at in range(0, len(cases), BATCH):
        part = cases[at:at + BATCH]
        for case, want, got in zip(part, expected[at:at + BATCH], asked(page, part)):
            if "problem" in want or "problem" in got:
                refused += 1
                if ("problem" in want) != ("problem" in got):
                    problems.append(f"{case}: the program: {want.get('problem')}, the page: {got.get('problem')}")
            elif got["data"] != want:
                problems.append(f"{case}: other answers")
            else:
                values += len(case.inputs)
    return problems, values, refused


def rows_of(want):
    """The rows of the table for what the program says: scale, then code, value and flags of each element."""
    block = want.get("block")
    rows = [[f"{block['scale']['code']} = {block['scale']['value']['short']}"]] if block else []
    for each in block["elements"] if block else want["values"]:
        back = each["dequantized"] if block else each["element"]
        rows.append([each["code"], back["short"], " ".join(each.get("flags", [])).replace("_", " ")])
    return rows


def shown_problems(page, cases, expected):
    """Where the table that is shown differs from the program; and the milliseconds of a processor of each answer."""
    problems, times = [], []
    page.call("Performance.enable", {"timeDomain": "threadTicks"})
    for case, want in zip(cases, expected):
        before = busy(page)
        go(page, {"source": case.source, "format": case.format, "systems": case.profile,
                  "input": " ".join(case.inputs), "element": len(case.inputs) - 1})
        times.append(busy(page) - before)
        got = page.run(ROWS)[:-1]  # the last row has the flags of all
        if got != rows_of(want):
            problems.append(f"shown of {case}: {got}, and not {rows_of(want)}")
    return problems, times


def built(root, mxgold, site):
    """Builds the explorer and the site; 0, or the exit code of this test."""
    for command in ([root / "explorer/build", root / "build/explorer"], [root / "package/site/build", site, mxgold]):
        end = subprocess.run([str(each) for each in command], capture_output=True, text=True, check=False)
        if end.returncode:
            print((end.stdout + end.stderr)[-3000:])
            return 77 if end.returncode == 77 else 1
    return 0


def looked_at(browser, root, mxgold, site, address, work, shots):
    """What is wrong, and the figures of a pass."""
    page = opened(browser, address)
    cases = all_cases(page)
    expected = [program(mxgold, case) for case in cases]
    wrong, values, refused = answer_problems(page, cases, expected)
    pairs = [pair for pair in zip(cases, expected) if "problem" not in pair[1] and len(pair[0].inputs) <= 32]
    some, wanted = (list(each) for each in zip(*pairs[::max(1, len(pairs) // SHOWN)]))
    problems, times = shown_problems(page, some, wanted)
    wrong += problems + page.complaints
    page.close()
    if values < LEAST_VALUES:
        wrong.append(f"only {values} values were compared")
    for check in (checks.link_problems, checks.refusal_problems, checks.left_out_problems, checks.key_problems,
                  checks.offline_problems):
        wrong += check(browser, address)
    wrong += checks.missing_problems(root)
    wrong += dropped_problems(lambda: opened(browser, address), work)
    wrong += checks.view_problems(browser, address, shots)
    total, strange = checks.weight(browser, address, site)
    wrong += [f"the page weighs {total} bytes, and {MOST_BYTES} are the most"] if total > MOST_BYTES else []
    wrong += [f"loaded from elsewhere: {url}" for url in strange]
    wrong += control_problems(browser, site, work, lambda page: answer_problems(page, some, wanted)[0],
                              lambda page: shown_problems(page, some, wanted)[0])
    return wrong, (f"PASS: {values:,} values in {len(cases) - refused} questions, {len(some)} of them as shown; "
                   f"{refused} refused by both; {total:,} bytes compressed; {statistics.median(times):.0f} ms of a "
                   f"processor for an answer (median), {max(times):.0f} at most")


def main():
    root, mxgold = Path(sys.argv[1]).resolve(), sys.argv[2]
    shots = Path(sys.argv[3]) if len(sys.argv) > 3 else None
    if found_chromium() is None:
        print("SKIP: no chromium; apt-get install chromium")
        return 77
    with tempfile.TemporaryDirectory() as work:
        site = Path(work, "site")
        if code := built(root, mxgold, site):
            return code
        with Chromium(work) as browser, served(site) as address:
            wrong, passed = looked_at(browser, root, mxgold, site, address, Path(work), shots)
    print("\n".join(wrong[:40]) or passed)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
