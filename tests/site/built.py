#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the site as it was built: what a reader's browser would find.

usage: built.py FOLDER

Each link of each page leads to a file of the site, and its anchor is there; pictures, scripts and styles are files of
the site, so that nothing is fetched from the network; every page is in the index of the search.
Exits 1 and names the page; exits 2 where there is no site.
"""

import json
import posixpath
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LEAST_PAGES = 20
FETCHED = re.compile(r"url\(['\"]?(https?:)?//[^)]*\)|@import\s+['\"]https?:")
LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src", "object": "data"}


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loads = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.anchors.update(given[name] for name in ("id", "name") if given.get(name))
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if given.get(LOADED.get(tag, "")):
            self.loads.append(given[LOADED[tag]])


def problems_of_link(name, link, pages, root):
    """What is wrong with a link of page `name`, in words."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return
    path = posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(parts.path))) if parts.path else name
    if path.startswith(".."):
        yield f"{link}: leads out of the site"
    elif not (root / path).is_file() and not (root / path / "index.html").is_file():
        yield f"{link}: there is no such file in the site"
    elif parts.fragment and path in pages and unquote(parts.fragment) not in pages[path].anchors:
        yield f"{link}: there is no such anchor"


def problems_of(name, page, pages, root):
    for link in page.links:
        yield from problems_of_link(name, link, pages, root)
    for load in page.loads:
        if load.startswith("data:"):
            continue
        if urlsplit(load).netloc:
            yield f"{load}: fetched from the network"
        else:
            yield from problems_of_link(name, load, pages, root)


def problems_of_search(root, names):
    index = root / "search" / "search_index.json"
    if not index.is_file():
        return [("search", "there is no index")]
    found = {entry["location"].partition("#")[0] for entry in json.loads(index.read_text(encoding="utf-8"))["docs"]}
    # What mxgold made, the page of a run for one, is shown beside the pictures and is no page of the site.
    pages = [name for name in names if not name.startswith("pictures/")]
    return [(name, "not in the index of the search") for name in pages if name not in found and f"{name}/" not in found]


def main():
    if len(sys.argv) != 2:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    root = Path(sys.argv[1]).resolve()
    pages = {path.relative_to(root).as_posix(): Page(path.read_text(encoding="utf-8"))
             for path in sorted(root.rglob("*.html"))}
    pages.pop("404.html", None)  # served at any address, so that its links begin with /
    if len(pages) < LEAST_PAGES:
        print(f"site: {len(pages)} pages in {root}, and at least {LEAST_PAGES} are expected")
        return 2
    wrong = [(name, problem) for name, page in pages.items() for problem in problems_of(name, page, pages, root)]
    wrong += problems_of_search(root, pages)
    for style in sorted(root.rglob("*.css")):
        for address in FETCHED.findall(style.read_text(encoding="utf-8")):
            wrong.append((style.relative_to(root).as_posix(), f"{address or '@import'}: fetched from the network"))
    for name, problem in wrong[:60]:
        print(f"{name}: {problem}")
    links = sum(len(page.links) + len(page.loads) for page in pages.values())
    print(f"site: {len(pages)} pages, {links} links, {len(wrong)} problems")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
