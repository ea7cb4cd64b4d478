#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pictures of docs/pictures and the page of a run in a real browser: headless Chromium.

usage: pages_test.py PICTURES MXGOLD [SHOTS]     (SHOTS: a folder that gets screenshots, to be looked at)

Light and dark, 390 and 1280 pixels wide. Exit 77 where there is no Chromium (Debian's package chromium).
"""

import html
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
WIDTHS = (390, 1280)
HEIGHT = 6000
OUTER = """<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light dark">
<style>html, body {{ margin: 0 }} iframe {{ border: 0; display: block; width: {width}px; height: {height}px }}</style>
<iframe src="{inner}"></iframe><pre id="told" hidden></pre>
<script>addEventListener("message", (event) => document.getElementById("told").textContent = JSON.stringify(event.data));</script>
"""
FAILING = ["run", "--dut", "reference:ties_to_away_for_even", "--suite", "smoke", "--source", "fp32", "--threads", "1"]
COVERED = ["run", "--dut", "reference", "--suite", "smoke", "--format", "e2m1fn", "--rule", "floor", "--source", "fp32", "--threads", "1"]
RECORDS = ["run", "--dut", "reference:record_code", "--op", "cvt", "--format", "e4m3fn", "--source", "bf16", "--threads", "1"]


def told(chromium, page, width, is_dark, work, shot=None):
    """What the checker says of a page."""
    checker = f"<script>{(HERE / 'checker.js').read_text()}</script>"
    inner = Path(work, "inner.html")
    inner.write_text(page.replace("<title>", checker + "<title>", 1))
    outer = Path(work, "outer.html")
    outer.write_text(OUTER.format(width=width, height=HEIGHT if shot is None else 2400, inner="inner.html"))
    call = [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr",
            f"--user-data-dir={work}/profile", f"--blink-settings=preferredColorScheme={0 if is_dark else 1}",
            "--virtual-time-budget=4000", f"--window-size={max(width, 500)},2400"]
    if shot is not None:
        subprocess.run([*call, f"--screenshot={shot}", outer.as_uri()], capture_output=True, timeout=120, check=True)
    end = subprocess.run([*call, "--dump-dom", outer.as_uri()], capture_output=True, text=True, timeout=120, check=False)
    found = re.search(r'<pre id="told" hidden="">(.*?)</pre>', end.stdout, re.S)
    if not found or not found[1]:
        raise RuntimeError(f"the page said nothing: {end.stderr[-2000:]}")
    answer = json.loads(html.unescape(found[1]))
    answer["faults"] += [f"console: {line}" for line in end.stderr.splitlines() if ":CONSOLE" in line]
    return answer


def gallery(pictures):
    """All pictures in one page."""
    parts = "".join(f'<div style="max-width:680px;margin:8px 0">{text}</div>\n' for text in pictures)
    return ('<!doctype html>\n<html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark">'
            f'<title>pictures</title><body style="margin:8px">\n{parts}</body></html>')


def page_of(mxgold, line, work, status):
    target = Path(work, "run.html")
    end = subprocess.run([mxgold, *line, "--html", target], capture_output=True, text=True, check=False)
    if end.returncode != status:
        raise RuntimeError(f"{line}: exit {end.returncode}, {end.stderr}")
    return target.read_text()


def controls(picture, page):
    """Pages with a fault each, and a word of what must be said of them."""
    return [
        ("leaves its picture", gallery([picture.replace('<text x="24"', '<text x="640"', 1)])),
        ("texts overlap", gallery([picture.replace("</svg>", '<text x="30" y="34" font-size="18">over the title</text></svg>')])),
        ("empty picture", gallery([re.sub(r"<(line|rect|circle|polyline|polygon|text)\b.*?(/>|</\1>)", "", picture, flags=re.S)])),
        ("hard to read", gallery([picture.replace(".mxp .ink{fill:currentColor}", ".mxp .ink{fill:#808890}")])),
        ("error", page.replace("</html>", "<script>nothing.here()</script></html>")),
        ("console", page.replace("</html>", "<script>console.error('said')</script></html>")),
        ("wider than the window", page.replace("<h1>", '<div style="width:2000px">x</div><h1>', 1)),
        ("overflows", page.replace("<h1>", "<p style='white-space:nowrap;width:9rem'>" + "long " * 30 + "</p><h1>", 1)),
        ("hard to read", page.replace("<h1>", "<p style='color:#888;background:#999'>grey</p><h1>", 1)),
    ]


def main():
    folder, mxgold = Path(sys.argv[1]), sys.argv[2]
    shots = Path(sys.argv[3]) if len(sys.argv) > 3 else None
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        print("SKIP: no chromium; apt-get install chromium")
        return 77
    drawn = [each.read_text() for each in sorted(folder.glob("*.svg"))]
    wrong = []
    with tempfile.TemporaryDirectory() as work:
        # name, page, least pictures, least buttons that copy
        covered = page_of(mxgold, [*COVERED, "--cover", f"{work}/x.json"], work, 0)
        failing = page_of(mxgold, FAILING, work, 1)
        pages = [("pictures", gallery(drawn), len(drawn), 0), ("fail", failing, 5, 6), ("records", page_of(mxgold, RECORDS, work, 1), 1, 2),
                 ("pass", covered, 0, 1)]
        for name, page, least, buttons in pages:
            for width in WIDTHS:
                for is_dark in (False, True):
                    what = f"{name}-{width}-{'dark' if is_dark else 'light'}"
                    answer = told(chromium, page, width, is_dark, work, shots and shots / f"{what}.png")
                    wrong += [f"{what}: {each}" for each in answer["faults"]]
                    if answer["pictures"] < least or answer["width"] != width or answer["dark"] != is_dark or answer["copied"] < buttons:
                        wrong.append(f"{what}: {answer}")
        for i, (word, page) in enumerate(controls(drawn[0], failing)):
            said = told(chromium, page, 390, i % 2 == 1, work)["faults"]
            if not any(word in each for each in said):
                wrong.append(f"control {i}: {word!r} went unseen: {said}")
    print("\n".join(wrong) or f"PASS: {len(drawn)} pictures and {len(pages) - 1} pages, 4 ways each")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
