# SPDX-License-Identifier: Apache-2.0
"""What the explorer page promises beside its answers. Each check yields what is wrong."""

import gzip
import subprocess
from pathlib import Path

from explorer_page import STATES, go, opened

CHECKER = Path(__file__).with_name("checker.js")
REFUSED = [("1 2 frog", "'frog'"), ("3F800000", "0x3F800000"), ("", "No value"),
           ("0x123456789", "8 hexadecimal digits"), (" ".join(["1"] * 33), "33 inputs for a block of 32")]
CHANGE_SOURCE = """(() => { for (const name of ['fp16', 'bf16']) {
    const field = document.getElementById('explorer-source');
    field.value = name;
    field.dispatchEvent(new Event('change'));
} })()"""
WITHOUT = """import pathlib, sys, types
sys.path.insert(0, "package/site")
import explorer
explorer.PROGRAM = pathlib.Path("/nowhere/explorer.wasm")
page = types.SimpleNamespace(file=types.SimpleNamespace(src_uri="explorer" ".md"))
assert explorer.on_files([], {}) == []
print(explorer.on_page_markdown(pathlib.Path("docs/explorer.md").read_text(), page, {}, []))"""


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
        first = state["input"].split()[0].strip("[,")
        if texts[0] != texts[1] or links[1] != links[2] or first not in texts[1]:
            yield f"a link does not give the page back: {links}"


def refusal_problems(browser, address):
    """What is no value is named, with the remedy."""
    page = opened(browser, address)
    for text, words in REFUSED:
        go(page, {"format": "mxfp4", "input": text})
        said = page.run("document.querySelector('.answer [role=alert]')?.textContent")
        if words not in str(said):
            yield f"{text!r}: said {said!r}, and not {words!r}"
    page.close()


def left_out_problems(browser, address):
    """A system that does not define the format is named; others take its place."""
    page = opened(browser, address,
                  {"format": "mxfp4", "source": "fp32", "systems": "te,torchao-0.17", "input": "6.9 1"})
    said = page.run("document.querySelector('.answer [role=status]')?.textContent")
    if "te, torchao-0.17: no rules for mxfp4 from fp32" not in str(said):
        yield f"systems that do not define the format: said {said!r}"
    if "differ" not in page.run("document.querySelector('.verdict').textContent"):
        yield "the systems that take their place do not differ"
    page.close()


def tabbed(page, test):
    """Presses Tab until the focused element passes."""
    for _ in range(60):
        if page.run(f"document.activeElement.{test}"):
            return
        page.press("Tab")


def key_problems(browser, address):
    """Keys alone: to the values, and from cell to cell."""
    page = opened(browser, address)
    tabbed(page, "matches('#explorer-values')")
    page.type(" 0.75")
    if "0.75" not in page.run("location.hash"):
        yield "typing after Tab changes nothing"
    tabbed(page, "matches('.cell')")
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
        if not page.run("document.querySelector('.answer .verdict')?.textContent.includes('differ')"):
            yield f"example {button} shows no difference"
    page.run(CHANGE_SOURCE)
    if page.requests_after(before):
        yield f"asked the network for {page.requests_after(before)}"
    yield from (f"console: {each}" for each in page.complaints)
    page.close()


def missing_problems(root):
    """A site that was built without emscripten says so, and how to get it."""
    end = subprocess.run([root / "build/venv-site/bin/python3", "-B", "-c", WITHOUT], cwd=root, capture_output=True,
                         text=True, check=False)
    if "apt-get install emscripten" not in end.stdout or "<script" in end.stdout or "explorer-app" in end.stdout:
        yield f"without emscripten the page says: {end.stdout} {end.stderr}"


def look_problems(page):
    """What checker.js finds in the explorer: text that does not fit or cannot be read, empty pictures."""
    page.run(CHECKER.read_text() + ";0")
    return page.run("""(() => { const root = document.getElementById('explorer-app'); faults.length = 0;
        root.querySelectorAll('svg').forEach(check_picture); check_page(root);
        if (root.querySelectorAll('.lines svg').length < 1) fault('missing', 'number lines');
        return faults; })()""")


def view_problems(browser, address, shots):
    """Three states, light and dark, narrow and wide. `shots`: a folder for pictures of them, or None."""
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
    """Compressed bytes of all that the page loads, and what it loads from elsewhere."""
    page = opened(browser, address)
    own = [url for url in page.requests if url.startswith(address)]
    strange = [url for url in page.requests if not url.startswith((address, "data:"))]
    page.close()
    files = {site / url[len(address) + 1:].split("#")[0].split("?")[0] for url in own}
    return sum(len(gzip.compress(file.read_bytes(), 9)) for file in files if file.is_file()), strange
