#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the links of Markdown pages as a forge resolves them.

usage: links.py ROOT LEAST     (LEAST: how many links must be seen at least)

Each relative link leads to a file or folder of the repository that git tracks, and its anchor to a heading, or to an
`id`, of that page. Every page below docs/ stands in the navigation of mkdocs.yml, and every page there exists.
Exits 1 and names file and line; exits 2 where there is too little to check.
"""

import posixpath
import re
import subprocess
import sys
from pathlib import Path

FENCE = re.compile(r" {0,3}(```+|~~~+)")
CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")
LINK = re.compile(r"\]\(([^()\s]+)\)")
HEADING = re.compile(r"#{1,6} +(.*?)(?: +#+)?$")
IDENTITY = re.compile(r'<[a-z]+ [^>]*\b(?:id|name)="([^"]+)"')
PAGE_OF_NAVIGATION = re.compile(r"^ +- (?:.*: )?([\w./-]+\.md)$", re.M)
# Pages of the site that stand outside docs/: package/site/hooks.py has them.
OUTSIDE = re.compile(r'^ {4}"([\w./-]+\.md)": "([\w./-]+\.md)",$', re.M)


def text_lines(text):
    """(number, line) of each line outside of fenced code."""
    fence = ""
    for number, line in enumerate(text.split("\n"), 1):
        mark = FENCE.match(line)
        if fence:
            if mark and line.strip() == fence:
                fence = ""
        elif mark:
            fence = mark[1]
        else:
            yield number, line


def slug(heading):
    """The anchor that a forge gives a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    text = re.sub(r"(\*\*|\*|(?<!\w)_|_(?!\w))", "", text)
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def anchors_of(text):
    anchors, seen = set(IDENTITY.findall(text)), {}
    for _, line in text_lines(text):
        if heading := HEADING.match(line):
            name = slug(heading[1])
            count = seen[name] = seen.get(name, -1) + 1
            anchors.add(f"{name}-{count}" if count else name)
    return anchors


def links_of(text):
    for number, line in text_lines(text):
        for match in LINK.finditer(CODE.sub("", line)):
            if not re.match(r"[a-z]+:", match[1]):
                yield number, match[1]


def tracked(root):
    """Files that git tracks, or would; every file where ROOT is no checkout."""
    listing = subprocess.run(["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                             capture_output=True, check=False) if (root / ".git").exists() else None
    if listing is not None and listing.returncode == 0:
        return {name for name in listing.stdout.decode().split("\0") if name and (root / name).is_file()}
    return {path.relative_to(root).as_posix() for path in root.rglob("*")
            if path.is_file() and not {"build", ".git"} & set(path.relative_to(root).parts)}


def problem_of(page, link, files, folders, anchors):
    """What is wrong with a link of a page, or None."""
    path, _, anchor = link.partition("#")
    target = posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page
    if path.startswith("/"):
        return "a link from the root; write it relative to the page"
    if target not in files and target not in folders:
        return f"there is no {target}"
    if anchor and target.endswith(".md") and anchor not in anchors(target):
        return f"{target} has no heading '#{anchor}'"
    return None


def navigation_problems(root, files):
    text = (root / "mkdocs.yml").read_text(encoding="utf-8")
    listed = PAGE_OF_NAVIGATION.findall(text[text.index("\nnav:"):])
    outside = {page for _, page in OUTSIDE.findall((root / "package/site/hooks.py").read_text(encoding="utf-8"))}
    there = {name[len("docs/"):] for name in files if name.startswith("docs/") and name.endswith(".md")} | outside
    for page in sorted(there - set(listed)):
        yield f"mkdocs.yml: {page} is not in the navigation"
    for page in sorted(set(listed) - there):
        yield f"mkdocs.yml: there is no page {page}"
    for page in sorted({page for page in listed if listed.count(page) > 1}):
        yield f"mkdocs.yml: {page} is there twice"


def main():
    if len(sys.argv) != 3:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    root, least = Path(sys.argv[1]).resolve(), int(sys.argv[2])
    files = tracked(root)
    folders = {str(parent) for name in files for parent in Path(name).parents}
    texts = {name: (root / name).read_text(encoding="utf-8") for name in sorted(files) if name.endswith(".md")}
    known = {}

    def anchors(name):
        if name not in known:
            known[name] = anchors_of(texts[name])
        return known[name]

    seen, problems = 0, list(navigation_problems(root, files))
    for name, text in texts.items():
        for number, link in links_of(text):
            seen += 1
            if problem := problem_of(name, link, files, folders, anchors):
                problems.append(f"{name}:{number}: {link}: {problem}")
    for problem in problems:
        print(problem)
    if seen < least:
        print(f"links: {seen} links seen, at least {least} expected")
        return 2
    print(f"links: {len(texts)} pages, {seen} links, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
