#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The site in a real browser, headless Chromium: no page is wider than its window, and the search finds what it should.

usage: browser.py SITE

Each page is looked at 390 and 1280 pixels wide. Controls: a page that is too wide, and words that nothing has.
Exits 1 and names the page; 77 where there is no Chromium (Debian's package chromium).
"""

import http.server
import json
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

HERE = Path(__file__).resolve().parent
WIDTHS = (390, 1280)
WIDE = "/too-wide.html"
SECONDS = 400
#: What people look for, and what has to be among the first results.
QUERIES = {
    "RNE": "reference/policies/rounding.html",
    "MXFP4": "reference/formats/mxfp4.html",
    "e8m0": "reference/formats/e8m0.html",
    "--stall": "reference/cli/run.html",
    "float8_e4m3fn": "reference/formats/e4m3fn.html",
    "NVFP4": "reference/formats/nvfp4.html",
    "saturate": "reference/policies/overflow.html",
    "mxgold_quantize_tensor": "reference/c/tensors.html",
    "TransformerEngine": "reference/profiles/te.html",
    "zxqwvk": None,
}
FIRST = 3


class Site(http.server.SimpleHTTPRequestHandler):
    """The folder of the site, the questions, and a place for the answer."""

    told = None
    done = threading.Event()

    def log_message(self, *_):
        pass

    def reply(self, text, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(text.encode())

    def do_GET(self):
        if self.path == "/asked.json":
            self.reply(json.dumps(self.server.asked), "application/json")
        elif self.path == "/outer.html":
            self.reply(f"<!doctype html><title>site</title><body><script>{(HERE / 'browser.js').read_text()}</script>",
                       "text/html")
        elif self.path == WIDE:
            self.reply("<!doctype html><title>wide</title><div style='width:2000px'>x</div>", "text/html")
        else:
            super().do_GET()

    def do_POST(self):
        Site.told = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.reply("", "text/plain")
        Site.done.set()


def seen(chromium, root, pages):
    """What the browser tells of the pages."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), lambda *given: Site(*given, directory=str(root)))
    server.asked = {"pages": pages, "widths": WIDTHS, "queries": list(QUERIES)}
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as work:
        browser = subprocess.Popen(
            [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={work}",
             "--remote-debugging-port=0", "--window-size=1400,2400",
             f"http://127.0.0.1:{server.server_address[1]}/outer.html"], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        try:
            Site.done.wait(SECONDS)
        finally:
            browser.terminate()
            browser.wait()
            server.shutdown()
    return Site.told or {"error": "the browser told nothing"}


def problems_of(told):
    if "error" in told:
        return [told["error"]]
    wide = [each for each in told["wide"] if each[0] != WIDE]
    problems = [f"{page}: {most} pixels wide in a window of {width}" for page, width, most in wide]
    if len(told["wide"]) - len(wide) != len(WIDTHS):
        problems.append("control: the page that is too wide was not seen")
    for query, page in QUERIES.items():
        # A page is followed by its sections.
        first = list(dict.fromkeys(each.partition("?")[0] for each in told["found"][query]))[:FIRST]
        if page is None and first:
            problems.append(f"control: '{query}' finds {first[0]}")
        elif page is not None and not any(page in each for each in first):
            problems.append(f"search '{query}': {page} is not among the first {FIRST} pages: {first}")
    return problems


def main():
    if len(sys.argv) != 2:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        print("SKIP: no chromium; apt-get install chromium")
        return 77
    root = Path(sys.argv[1]).resolve()
    pages = [f"/{path.relative_to(root).as_posix()}" for path in sorted(root.rglob("*.html"))
             if path.relative_to(root).parts[0] not in ("files", "pictures", "404.html")]
    told = seen(chromium, root, [*pages, WIDE])
    problems = problems_of(told)
    for problem in problems[:60]:
        print(problem)
    print(f"browser: {len(pages)} pages, {len(WIDTHS)} widths, {len(QUERIES)} queries, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
