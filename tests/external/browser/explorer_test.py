#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The explorer page in headless Chromium, beside the program and the Python package.

usage: explorer_test.py ROOT MXGOLD [SHOTS]     (SHOTS: a folder that gets screenshots, to be looked at)

Its answers to more than 10,000 values are those of `mxgold explain --json`, in the data and in the table that is shown;
a link gives the page back; a dropped file's errors are those of mxgold.measure; nothing is loaded once the page is there;
keys reach every cell; it fits 390 and 1280 pixels, light and dark, and 3 MB. Controls: pages with a fault each.
Exit 77 where there is no Chromium, no emscripten or no mkdocs.
"""

import gzip
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlencode

from cases import SYSTEMS_OF, Case, cases_of, edges_of, program
from chromium import Chromium, found_chromium, served
from dropped import dropped_problems

HERE = Path(__file__).resolve().parent
SEED, LEAST_VALUES, SHOWN = 20261128, 10000, 60
MOST_BYTES = 3_000_000
ENGINE = "const {Engine} = await import('/explorer/engine.js'); const engine = await Engine.load('/explorer/explorer.wasm');"
READY = "document.getElementById('explorer-app')?.dataset.ready"
STATES = [
    {"format": "mxfp4", "source": "fp32", "systems": "torchao-0.18,triton-kernels-3.5", "read": "numbers", "input": "0.3 -1 2.5 6.9", "element": 2, "system": 1},
    {"format": "nvfp4", "source": "bf16", "systems": "te,cublas-13", "read": "bits", "input": "3F80 40e0,\n7F7F", "element": 0, "system": 1},
    {"format": "e4m3fn", "source": "fp32", "systems": "torch-2.15/cpu,torch-2.11/cuda", "read": "numbers", "input": "[448, 464.5,\n1e3, nan]", "element": 2, "system": 0},
]
REFUSED = [("1 2 frog", "'frog'"), ("3F800000", "0x3F800000"), ("", "No value"), ("0x123456789", "8 hexadecimal digits"), (" ".join(["1"] * 33), "33 inputs for a block of 32")]


def opened(browser, address, state=None, width=1280, is_dark=False):
    """The page with a state, or by a whole link."""
    page = browser.page(width, 1000, is_dark)
    link = state if isinstance(state, str) else f"{address}/explorer.html" + (f"#{urlencode(state)}" if state else "")
    page.open(link)
    page.until(READY)
    return page


def go(page, state):
    """Another state in the same page, as by a link in it."""
    page.run(f"new Promise((done) => {{ addEventListener('hashchange', () => setTimeout(done, 0), {{once: true}}); "
             f"location.hash = {json.dumps(urlencode(state))}; }})")


def asked(page, cases):
    """What the page's engine says of each case."""
    fields = json.dumps([case.fields() for case in cases])
    return page.run(f"(async () => {{ {ENGINE} return {fields}.map((each) => engine.ask('explain', each)); }})()")


def lists(page):
    names = page.run(f"(async () => {{ {ENGINE} return engine.ask('names').data; }})()")
    systems = page.run(f"(async () => {{ {ENGINE} return {json.dumps(SYSTEMS_OF)}.map((format) => [format, engine.ask('systems', "
                       "{format, source: 'fp32'}).data.systems.map((each) => each.profile)]); })()")
    codes = page.run(f"(async () => {{ {ENGINE} return engine.ask('names').data.formats.filter((each) => each.bits <= 8)"
                     ".map((each) => [each.name, engine.ask('codes', {format: each.name}).data.codes]); })()")
    return names, dict(systems), dict(codes)


def all_cases(page):
    names, systems, codes = lists(page)
    cases = list(cases_of(names, systems, SEED))
    return cases + [Case("fp64", format, "mxgold-default", edges_of(values)) for format, values in codes.items()]


def answer_problems(page, cases, expected):
    """Where the page's data are not the program's, to the last character; and how many values were compared."""
    problems, values, refused = [], 0, 0
    for at in range(0, len(cases), 40):
        for case, want, got in zip(cases[at:at + 40], expected[at:at + 40], asked(page, cases[at:at + 40])):
            if "problem" in want or "problem" in got:
                refused += 1
                if ("problem" in want) != ("problem" in got):
                    problems.append(f"{case}: the program: {want.get('problem')}, the page: {got.get('problem')}")
            elif got["data"] != want:
                problems.append(f"{case}: other answers")
            else:
                values += len(case.inputs)
    return problems, values, refused


def busy(page):
    """Milliseconds of a processor that the page has taken so far, laying out and painting included."""
    found = {each["name"]: each["value"] for each in page.call("Performance.getMetrics")["metrics"]}
    return 1000 * found["TaskDuration"]


def shown_problems(page, cases, expected):
    """Where the table that is shown has another scale, code, value or flag than the program."""
    problems, times = [], []
    page.call("Performance.enable", {"timeDomain": "threadTicks"})
    for case, want in zip(cases, expected):
        before = busy(page)
        state = {"source": case.source, "format": case.format, "systems": case.profile, "input": " ".join(case.inputs), "element": len(case.inputs) - 1}
        go(page, state)
        got = page.run("""[...document.querySelectorAll('#explorer-app .results tbody tr')].map((row) =>
            row.querySelector('.cell') ? [row.querySelector('code').textContent, row.querySelector('.value').title,
                row.querySelector('.cell > .flags').textContent] : [row.querySelector('td').title])""")
        times.append(busy(page) - before)
        block = want.get("block")
        elements = block["elements"] if block else want["values"]
        rows = [[f"{block['scale']['code']} = {block['scale']['value']['short']}"]] if block else []
        for each in elements:
            back = each["dequantized"] if block else each["element"]
            rows.append([each["code"], back["short"], " ".join(each.get("flags", [])).replace("_", " ")])
        if got[:-1] != rows:
            problems.append(f"shown of {case}: {got[:-1]}, and not {rows}")
    return problems, times


def link_problems(browser, address):
    """A link gives the same page to somebody else, and its copy is said to be made."""
    for state in STATES:
        texts, links = [], [state]
        for _ in range(2):
            page = opened(browser, address, links[-1])
            texts.append(page.run("document.querySelector('.answer').innerText"))
            links.append(page.run("document.getElementById('explorer-link').value"))
            page.run("document.querySelector('.link .copy').click()")
            page.until("document.querySelector('.link .copy').textContent === 'copied'", 10)
            yield from (f"console: {each}" for each in page.complaints)
            page.close()
        if texts[0] != texts[1] or links[1] != links[2] or state["input"].split("\n")[0].split()[0].strip("[,") not in texts[1]:
            yield f"a link does not give the page back: {links}"


def refusal_problems(browser, address):
    page = opened(browser, address)
    for text, words in REFUSED:
        go(page, {"format": "mxfp4", "input": text})
        said = page.run("document.querySelector('.answer [role=alert]')?.textContent")
        if words not in str(said):
            yield f"{text!r}: said {said!r}, and not {words!r}"
    page.close()


def key_problems(browser, address):
    """Keys alone: to the values, and from cell to cell."""
    page = opened(browser, address)
    for _ in range(60):
        if page.run("document.activeElement.id") == "explorer-values":
            break
        page.press("Tab")
    page.type(" 0.75")
    if "0.75" not in page.run("location.hash"):
        yield "typing after Tab changes nothing"
    for _ in range(60):
        if page.run("document.activeElement.matches('.cell')"):
            break
        page.press("Tab")
    page.press("ArrowDown")
    page.press("ArrowRight")
    chosen = page.run("[document.activeElement.dataset.row, document.activeElement.dataset.column]")
    if chosen != ["1", "1"]:
        yield f"arrow keys lead to {chosen}"
    page.close()


def offline_problems(browser, address):
    """Once the page is there, it works without a network, and asks for nothing."""
    page = opened(browser, address)
    page.go_offline()
    before = len(page.requests)
    for button in range(page.run("document.querySelectorAll('.examples button').length")):
        page.run(f"document.querySelectorAll('.examples button')[{button}].click()")
        if not page.run("document.querySelector('.answer .verdict')?.textContent.includes('differs')"):
            yield f"example {button} shows no difference: {page.run('document.querySelector(`.answer`).innerText')[:200]}"
    page.run("(async () => { for (const name of ['fp16', 'bf16']) { const s = document.getElementById('explorer-source');"
             " s.value = name; s.dispatchEvent(new Event('change')); } })()")
    if page.requests_after(before):
        yield f"asked the network for {page.requests_after(before)}"
    yield from (f"console: {each}" for each in page.complaints)
    page.close()


def look_problems(page):
    """What checker.js finds in the explorer: text that does not fit or cannot be read, empty pictures."""
    page.run((HERE / "checker.js").read_text() + ";0")
    return page.run("""(() => { const root = document.getElementById('explorer-app'); faults.length = 0;
        root.querySelectorAll('svg').forEach(check_picture); check_page(root);
        if (root.querySelectorAll('.lines svg').length < 1) fault('missing', 'number lines');
        return faults; })()""")


def views(browser, address, shots):
    for width in (390, 1280):
        for is_dark in (False, True):
            for number, state in enumerate([None, *STATES[1:]]):
                page = opened(browser, address, state, width, is_dark)
                name = f"explorer-{number}-{width}-{'dark' if is_dark else 'light'}"
                scheme = page.run("document.body.dataset.mdColorScheme")
                yield from (f"{name}: {each}" for each in [*look_problems(page), *page.complaints])
                if (scheme == "slate") != is_dark or page.run("innerWidth") != width:
                    yield f"{name}: {scheme}"
                if shots:
                    page.shot(shots / f"{name}.png")
                page.close()


def weight(browser, address, site):
    """Compressed bytes of all that the page loads."""
    page = opened(browser, address)
    files = {url.split("#")[0].replace(address, "").lstrip("/").split("?")[0] for url in page.requests if url.startswith(address)}
    strange = [url for url in page.requests if not url.startswith((address, "data:"))]
    page.close()
    return sum(len(gzip.compress((site / name).read_bytes(), 9)) for name in files if (site / name).is_file()), strange


def with_fault(site, work, file, old, new):
    """A copy of the site with one text of one file replaced."""
    copy = Path(work, "faulty")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(site, copy)
    text = (copy / file).read_text()
    if old not in text:
        raise RuntimeError(f"{file} has no {old!r}")
    (copy / file).write_text(text.replace(old, new))
    return copy


WITHOUT = """import pathlib, sys, types
sys.path.insert(0, "package/site")
import explorer
explorer.PROGRAM = pathlib.Path("/nowhere/explorer.wasm")
page = types.SimpleNamespace(file=types.SimpleNamespace(src_uri="explorer.md"))
assert explorer.on_files([], {}) == []
print(explorer.on_page_markdown(pathlib.Path("docs/explorer.md").read_text(), page, {}, []))"""


def missing_problems(root):
    """A site that was built without emscripten says so, and how to get it."""
    end = subprocess.run([root / "build/venv-site/bin/python3", "-B", "-c", WITHOUT], cwd=root, capture_output=True, text=True, check=False)
    if "apt-get install emscripten" not in end.stdout or "<script" in end.stdout or "explorer-app" in end.stdout:
        yield f"without emscripten the page says: {end.stdout} {end.stderr}"


def control_problems(browser, site, work, cases, expected):
    """Faults that must be seen."""
    with served(with_fault(site, work, "explorer/engine.js", "return JSON.parse(text);", r"""return JSON.parse(text.replace('"code":"7"', '"code":"6"'));""")) as address:
        page = opened(browser, address)
        if not answer_problems(page, cases, expected)[0]:
            yield "control: an answer that was altered went unseen"
        if not shown_problems(page, cases[:SHOWN], expected[:SHOWN])[0]:
            yield "control: a table that was altered went unseen"
        page.close()
    looks = [("explorer.css", "--dim: #55585f;", "--dim: #b5b8bf;", "hard to read"), ("explorer.css", "#explorer-app p { margin: 0.4rem 0; }", "#explorer-app p { width: 3rem; white-space: nowrap; }", "overflows"),
             ("numberline.js", "/ 2 + 4;", "/ 8;", "overlap")]
    for file, old, new, word in looks:
        with served(with_fault(site, work, f"explorer/{file}", old, new)) as address:
            page = opened(browser, address, STATES[2])
            said = look_problems(page)
            if not any(word in each for each in said):
                yield f"control: {word!r} went unseen: {said}"
            page.close()
    with served(with_fault(site, work, "explorer/main.js", "this.refresh();\n    place", "this.refresh(); fetch('/x'); console.error('said');\n    place")) as address:
        page = opened(browser, address)
        page.run("new Promise((go) => setTimeout(go, 300))")
        if not any("said" in each for each in page.complaints) or not any(url.endswith("/x") for url in page.requests):
            yield f"control: a request and a complaint went unseen: {page.complaints}"
        page.close()


def built(root, mxgold, site):
    """Builds the explorer and the site; the exit code of what is missing, or 0."""
    for command in ([root / "explorer/build", root / "build/explorer"], [root / "package/site/build", site, mxgold]):
        end = subprocess.run([str(each) for each in command], capture_output=True, text=True, check=False)
        if end.returncode:
            print((end.stdout + end.stderr)[-3000:])
            return 77 if end.returncode == 77 else 1
    return 0


def main():
    root, mxgold = Path(sys.argv[1]).resolve(), sys.argv[2]
    shots = Path(sys.argv[3]) if len(sys.argv) > 3 else None
    if found_chromium() is None:
        print("SKIP: no chromium; apt-get install chromium")
        return 77
    wrong = []
    with tempfile.TemporaryDirectory() as work:
        site = Path(work, "site")
        if code := built(root, mxgold, site):
            return code
        with Chromium(work) as browser, served(site) as address:
            page = opened(browser, address)
            cases = all_cases(page)
            expected = [program(mxgold, case) for case in cases]
            problems, values, refused = answer_problems(page, cases, expected)
            wrong += problems
            usable = [(case, want) for case, want in zip(cases, expected) if "problem" not in want and len(case.inputs) <= 32]
            usable = usable[::max(1, len(usable) // SHOWN)]
            problems, times = shown_problems(page, *zip(*usable))
            wrong += problems + page.complaints
            page.close()
            if values < LEAST_VALUES:
                wrong.append(f"only {values} values were compared")
            wrong += missing_problems(root)
            wrong += link_problems(browser, address)
            wrong += refusal_problems(browser, address)
            wrong += key_problems(browser, address)
            wrong += offline_problems(browser, address)
            wrong += dropped_problems(lambda: opened(browser, address), Path(work))
            wrong += views(browser, address, shots)
            total, strange = weight(browser, address, site)
            wrong += [f"the page weighs {total} bytes, and {MOST_BYTES} are the most"] if total > MOST_BYTES else []
            wrong += [f"loaded from elsewhere: {url}" for url in strange]
            few = [(case, want) for case, want in usable if "problem" not in want]
            wrong += control_problems(browser, site, work, *map(list, zip(*few)))
    print("\n".join(wrong[:40]) or f"PASS: {values:,} values in {len(cases) - refused} questions, {len(usable)} of them as they are shown; "
          f"{refused} refused by both; {total:,} bytes compressed; median {statistics.median(times):.0f} ms of a processor an answer, at most {max(times):.0f}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
