# SPDX-License-Identifier: Apache-2.0
"""Sites with one fault each, which the checks of the explorer page must see."""

import shutil
from pathlib import Path

from chromium import served
from explorer_checks import look_problems
from explorer_page import STATES, opened

ALTERED = ("engine.js", "return JSON.parse(text);", """return JSON.parse(text.replace('"code":"7"', '"code":"6"'));""")
TALKING = ("main.js", "this.refresh();\n    place", "this.refresh(); fetch('/x'); console.error('said');\n    place")
LOOKS = [
    ("hard to read", ("explorer.css", "--dim: #55585f;", "--dim: #b5b8bf;")),
    ("overflows", ("explorer.css", "#explorer-app p { margin: 0.4rem 0; }",
                   "#explorer-app p { width: 3rem; white-space: nowrap; }")),
    ("overlap", ("numberline.js", "/ 2 + 4;", "/ 8;")),
]


def with_fault(site, work, fault):
    """A copy of the site with one text of one file replaced."""
    file, old, new = fault
    copy = Path(work, "faulty")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(site, copy)
    place = copy / "explorer" / file
    if old not in place.read_text():
        raise RuntimeError(f"{file} has no {old!r}")
    place.write_text(place.read_text().replace(old, new))
    return copy


def control_problems(browser, site, work, compared, shown):
    """`compared` and `shown` give the problems that they find in the answers of a page."""
    with served(with_fault(site, work, ALTERED)) as address:
        page = opened(browser, address)
        if not compared(page):
            yield "control: an answer that was altered went unseen"
        if not shown(page):
            yield "control: a table that was altered went unseen"
        page.close()
    for word, fault in LOOKS:
        with served(with_fault(site, work, fault)) as address:
            page = opened(browser, address, STATES[2])
            said = look_problems(page)
            if not any(word in each for each in said):
                yield f"control: {word!r} went unseen: {said}"
            page.close()
    with served(with_fault(site, work, TALKING)) as address:
        page = opened(browser, address)
        page.run("new Promise((go) => setTimeout(go, 300))")
        if not any("said" in each for each in page.complaints) or not any(url.endswith("/x") for url in page.requests):
            yield f"control: a request and a complaint went unseen: {page.complaints}"
        page.close()
