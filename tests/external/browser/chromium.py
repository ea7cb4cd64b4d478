# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium driven over its DevTools protocol, by the standard library alone.

    with Chromium(folder) as browser, served(site) as address:
        page = browser.page(width=390, is_dark=True)
        page.open(f"{address}/explorer.html")
        page.run("document.title")

Every message of the page's console, every exception and every request is kept: page.complaints, page.requests.
"""

import base64
import contextlib
import fcntl
import functools
import http.server
import json
import os
import shutil
import subprocess
import threading
import time
from pathlib import Path

PATIENCE = 120  # seconds for an answer of the browser
OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe",
           "--disable-background-networking", "--disable-component-update", "--no-first-run"]
KEYS = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Tab": 9, "Enter": 13}


def found_chromium():
    """The program, or None."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Quiet(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm",
                      ".js": "text/javascript"}

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def served(folder):
    """The address of a folder, served on this machine alone."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


class Chromium:
    """The browser: messages go in and come out as JSON with a NUL, over two pipes."""

    def __init__(self, folder):
        there, self.to_browser = os.pipe()
        self.from_browser, back = os.pipe()

        def as_3_and_4():
            copies = [fcntl.fcntl(each, fcntl.F_DUPFD, 10) for each in (there, back)]
            os.dup2(copies[0], 3)
            os.dup2(copies[1], 4)

        self.process = subprocess.Popen(
            [found_chromium(), *OPTIONS, f"--user-data-dir={folder}/profile", "about:blank"], preexec_fn=as_3_and_4,
            close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(there)
        os.close(back)
        self.number, self.rest, self.pages = 0, b"", {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(Exception):
            self.call("Browser.close")
        self.process.wait(PATIENCE)
        os.close(self.to_browser)
        os.close(self.from_browser)

    def _message(self):
        while b"\0" not in self.rest:
            piece = os.read(self.from_browser, 1 << 20)
            if not piece:
                raise RuntimeError("the browser ended")
            self.rest += piece
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, parameters=None, session=None):
        """The result of a method of the protocol; events that come meanwhile go to their pages."""
        self.number += 1
        number = self.number
        message = {"id": number, "method": method, "params": parameters or {}}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to_browser, data):]
        while True:
            answer = self._message()
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            if answer.get("sessionId") in self.pages:
                self.pages[answer["sessionId"]].hear(answer)

    def page(self, width=1280, height=1000, is_dark=False):
        """A page of a visitor of its own: nothing is stored from another's visit."""
        visitor = self.call("Target.createBrowserContext")["browserContextId"]
        target = self.call("Target.createTarget", {"url": "about:blank", "browserContextId": visitor})["targetId"]
        session = self.call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        page = Page(self, session, target)
        self.pages[session] = page
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.call(f"{domain}.enable")
        page.call("Emulation.setDeviceMetricsOverride",
                  {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        scheme = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
        page.call("Emulation.setEmulatedMedia", {"features": [scheme]})
        return page


class Page:
    def __init__(self, browser, session, target):
        self.browser, self.session, self.target = browser, session, target
        self.complaints, self.requests, self.is_loaded = [], [], False

    def call(self, method, parameters=None):
        return self.browser.call(method, parameters, self.session)

    def hear(self, event):
        method, told = event["method"], event["params"]
        if method == "Page.loadEventFired":
            self.is_loaded = True
        elif method == "Network.requestWillBeSent":
            self.requests.append(told["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            details = told["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and told["type"] in ("error", "warning", "assert"):
            self.complaints.append(" ".join(str(each.get("value", each.get("description"))) for each in told["args"]))
        elif method == "Log.entryAdded" and told["entry"]["level"] in ("error", "warning"):
            self.complaints.append(f"{told['entry']['text']} {told['entry'].get('url', '')}")

    def requests_after(self, count):
        """What the page asked for since; a browser fetches the icon of a new address by itself."""
        return [url for url in self.requests[count:] if "favicon" not in url]

    def open(self, address):
        self.is_loaded = False
        self.call("Page.navigate", {"url": address})
        self.until("document.readyState === 'complete'")

    def run(self, expression):
        """The value of an expression of JavaScript; a promise is waited for."""
        told = self.call("Runtime.evaluate", {"expression": expression, "awaitPromise": True, "returnByValue": True,
                                              "userGesture": True})
        if "exceptionDetails" in told:
            details = told["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return told["result"].get("value")

    def until(self, expression, patience=PATIENCE):
        end = time.monotonic() + patience
        while not self.run(expression):
            if time.monotonic() > end:
                raise RuntimeError(f"never true: {expression}; {self.complaints}")
            time.sleep(0.02)

    def press(self, key, text=""):
        """A key, down and up: "ArrowDown", or a letter with its text."""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", {
                "type": kind, "key": key, "code": key, "text": text if kind == "keyDown" else "",
                "windowsVirtualKeyCode": KEYS.get(key, ord(key[0].upper()))})

    def type(self, text):
        self.call("Input.insertText", {"text": text})

    def drop(self, path, selector):
        """Drops a file on an element."""
        box = self.run(f"(() => {{ const place = document.querySelector({json.dumps(selector)});"
                       " place.scrollIntoView({block: 'center'}); const b = place.getBoundingClientRect();"
                       " return [b.x + b.width / 2, b.y + b.height / 2]; })()")
        data = {"items": [], "files": [str(path)], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            self.call("Input.dispatchDragEvent", {"type": kind, "x": box[0], "y": box[1], "data": data})

    def go_offline(self):
        self.call("Network.emulateNetworkConditions",
                  {"offline": True, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})

    def shot(self, path):
        """A picture of the whole page."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        picture = self.call("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": {
            "x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 6000), "scale": 1}})
        Path(path).write_bytes(base64.b64decode(picture["data"]))

    def close(self):
        self.browser.call("Target.closeTarget", {"targetId": self.target})
        self.browser.pages.pop(self.session, None)
