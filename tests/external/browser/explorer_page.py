# SPDX-License-Identifier: Apache-2.0
"""The explorer page as tests use it: opened in a state, moved to another one, its engine asked."""

import json
from urllib.parse import urlencode

from cases import SYSTEMS_OF

ENGINE = ("const {Engine} = await import('/explorer/engine.js');"
          " const engine = await Engine.load('/explorer/explorer.wasm');")
READY = "document.getElementById('explorer-app')?.dataset.ready"
STATES = [
    {"format": "mxfp4", "source": "fp32", "systems": "torchao-0.18,triton-kernels-3.5", "read": "numbers",
     "input": "0.3 -1 2.5 6.9", "element": 2, "system": 1},
    {"format": "nvfp4", "source": "bf16", "systems": "te,cublas-13", "read": "bits",
     "input": "3F80 40e0,\n7F7F", "element": 0, "system": 1},
    {"format": "e4m3fn", "source": "fp32", "systems": "torch-2.15/cpu,torch-2.11/cuda", "read": "numbers",
     "input": "[448, 464.5,\n1e3, nan]", "element": 2, "system": 0},
]


def opened(browser, address, state=None, width=1280, is_dark=False):
    """The page with a state, or by a whole link."""
    page = browser.page(width, 1000, is_dark)
    link = state if isinstance(state, str) else f"{address}/explorer.html" + (f"#{urlencode(state)}" if state else "")
    page.open(link)
    page.until(READY)
    return page


def go(page, state):
    """Another state in the same page, as by a link in it."""
    page.run("new Promise((done) => { addEventListener('hashchange', () => setTimeout(done, 0), {once: true});"
             f" location.hash = {json.dumps(urlencode(state))}; }})")


def with_engine(page, body):
    """What a piece of JavaScript returns that may use `engine`."""
    return page.run(f"(async () => {{ {ENGINE} {body} }})()")


def asked(page, cases):
    """What the page's engine says of each case."""
    fields = json.dumps([case.fields() for case in cases])
    return with_engine(page, f"return {fields}.map((each) => engine.ask('explain', each));")


def lists(page):
    """The names that there are, the systems of some formats, the codes of small ones."""
    names = with_engine(page, "return engine.ask('names').data;")
    systems = with_engine(page, f"""return {json.dumps(SYSTEMS_OF)}.map((format) =>
        [format, engine.ask('systems', {{format, source: 'fp32'}}).data.systems.map((each) => each.profile)]);""")
    codes = with_engine(page, """return engine.ask('names').data.formats.filter((each) => each.bits <= 8).map((each) =>
        [each.name, engine.ask('codes', {format: each.name}).data.codes]);""")
    return names, dict(systems), dict(codes)


def busy(page):
    """Milliseconds of a processor that the page has taken so far, layout and painting included."""
    found = {each["name"]: each["value"] for each in page.call("Performance.getMetrics")["metrics"]}
    return 1000 * found["TaskDuration"]
