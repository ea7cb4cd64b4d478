#!/usr/bin/env python3
"""Checks that what the project cites exists: docs/spec/README.md, "How it is cited".

usage: citations.py ROOT LEAST     (LEAST: how many citations must be seen at least)

`spec F8.1` names an anchor of docs/spec; the name of a page names a file, and a section after it one of that file; each
heading of docs/spec stands under the anchor of its number; each policy token and field stands in docs/spec/formats.md.
Looks at what git tracks, or at every file where ROOT is no git checkout. Exits 1 and names file, line and remedy; exits
2 where there is too little to check.
"""

import posixpath
import re
import sys
from pathlib import Path

from text_rules import all_files, tracked_files

NUMBER = r"\d+(?:\.\d+)?"
SECTION = rf"[FSVRU]{NUMBER}"
GAP = r"\s+(?:(?://[/!]?<?|#)\s*)?"  # a blank, or a line end inside a comment
STEPS = rf"(?:{GAP}(?:steps?|items?) \d+(?:(?:,| to| and) \d+)*)?"
MORE = rf"(?:,{GAP}and{GAP}|,{GAP}|{GAP}and{GAP}|{GAP}to{GAP})"
CITATION = re.compile(rf"\bspec{GAP}({SECTION}{STEPS}(?:{MORE}{SECTION}{STEPS})*)\b")
INSIDE = re.compile(r"(?<![\w.])([FSVRU]\d+\.\d+)\b")  # docs/spec leaves the word out; F8 may be a code there

PAGE = re.compile(r"[\w./${}:~-]*\w\.md\b")
ELSEWHERE = re.compile(r"https?://|[\w.-]+/[\w.-]+:|\$")  # an address, owner/name:page, $work/page
ROOT = re.compile(r"^(\$root|\$\{\w+_SOURCE_DIR\})/")
LIST = rf"[FSVRU]?{NUMBER}(?:(?:, and |, | and | to )[FSVRU]?{NUMBER})*(?![\w%])"
MARKS = r"""[\s"'{},:]*"""  # between the strings of a manifest: document, section
AFTER_PAGE = re.compile(rf"(?:#|`? (?=[\dFSVRU])|{MARKS}sections?{MARKS})(?P<list>{LIST})")

# They name pages by where the site has them, or none that exist; tests/site/links.py checks the navigation.
OF_THE_SITE = ("mkdocs.yml", "package/site/", "tests/site/")

ANCHOR = re.compile(r'^<a id="([^"]+)"></a>$', re.M)
HEADING = re.compile(r"^#+ ([FSVRU]?\d+(?:\.\d+)*)[. ]", re.M)
ANCHORED = re.compile(r'^<a id="([^"]+)"></a>\n\n#+ (\S+?)\.? ', re.M)
TOKEN = re.compile(r'(?:\bX\(|\bMaskFacts\{)k\w+,\s*"(\w+)"|\bfield<&\w+::\w+>\("(\w+)"')


def read_texts(root):
    """The text of every file below root, by its path relative to root."""
    texts = {}
    for path in tracked_files(root) or all_files(root):
        if path.is_file() and not path.is_symlink() and b"\0" not in (data := path.read_bytes()):
            texts[path.relative_to(root).as_posix()] = data.decode(errors="replace")
    return texts


def line_of(text, match):
    return text.count("\n", 0, match.start()) + 1


def spec_citations(texts, anchors):
    """Every `spec F8.1`: where it stands, and what is wrong with it."""
    for name, text in texts.items():
        pattern = INSIDE if name.startswith("docs/spec/") else CITATION
        for match in pattern.finditer(text):
            for section in re.findall(SECTION, match[1]):
                wrong = None if section in anchors else "no such anchor in docs/spec; cite a section that exists"
                yield name, line_of(text, match), f"spec {section}", wrong


def file_of(name, page, text, texts):
    """The file that `name` means on `page`, or None."""
    folder = page.rpartition("/")[0]
    places = [name, posixpath.normpath(f"{folder}/{name}")]
    if re.search(r'spec_refs\\?"', text):  # data of schema version 1, and the code that writes it
        places.append(f"docs/spec/{name}")
    return next((place for place in places if place in texts), None)


def page_citations(texts):
    """Every page that is named, with the sections that follow it: where it stands, and what is wrong with it."""
    sections = {name: set(HEADING.findall(text)) for name, text in texts.items() if name.endswith(".md")}
    for page, text in texts.items():
        if page.startswith(OF_THE_SITE):
            continue
        made = set(re.findall(r'\bwrite\("([^"]+)"', text))  # a test's own example files
        for match in PAGE.finditer(text):
            name = ROOT.sub("", match[0])
            if ELSEWHERE.match(name) or name in made:
                continue
            target = file_of(name, page, text, texts)
            wrong = None if target else "no such file; name it from the root of the repository"
            yield page, line_of(text, match), name, wrong
            after = AFTER_PAGE.match(text, match.end())
            if not target or not after:
                continue
            letter = re.match(r"# ([FSVRU])\. ", texts[target])
            for section in re.findall(rf"[FSVRU]?{NUMBER}", after["list"]):
                whole = section if not letter or section[0].isalpha() else letter[1] + section
                wrong = None if whole in sections[target] else f"no such section in {target}; its headings say which"
                yield page, line_of(text, match), f"{name} {section}", wrong


def anchor_problems(texts):
    """Anchors that stand twice, and headings of docs/spec whose number is not their anchor."""
    first = {}
    for name, text in texts.items():
        if not name.startswith("docs/spec/"):
            continue
        for match in ANCHOR.finditer(text):
            place = f"{name}:{line_of(text, match)}"
            if match[1] in first:
                yield f"{place}: anchor {match[1]}: stands at {first[match[1]]} already; give one a number of its own"
            first.setdefault(match[1], place)
        paired = dict((number, anchor) for anchor, number in ANCHORED.findall(text))
        for match in HEADING.finditer(text):
            if paired.get(match[1]) != match[1]:
                yield (f'{name}:{line_of(text, match)}: heading {match[1]}: write <a id="{match[1]}"></a> and an '
                       "empty line above it")


def token_problems(texts):
    """Policy tokens and fields, and masks of profiles, that docs/spec/formats.md does not name."""
    words = set(re.findall(r"\w+", texts["docs/spec/formats.md"]))
    for name in [name for name in texts if name.startswith(("reference/policy/", "reference/profiles/masks."))]:
        found = list(TOKEN.finditer(texts[name]))
        for match in found:
            token = match[1] or match[2]
            if token not in words:
                place = f"{name}:{line_of(texts[name], match)}"
                yield f"{place}: {token}: no word of docs/spec/formats.md; say there what it means"


def main():
    if len(sys.argv) != 3:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    texts = read_texts(Path(sys.argv[1]).resolve())
    anchors = {a for name, text in texts.items() if name.startswith("docs/spec/") for a in ANCHOR.findall(text)}
    seen = [*spec_citations(texts, anchors), *page_citations(texts)]
    if len(seen) < max(1, int(sys.argv[2])) or "docs/spec/formats.md" not in texts:
        print(f"citations: {len(seen)} citations in {len(texts)} files: too little to check")
        return 2
    problems = [f"{name}:{line}: {citation}: {wrong}" for name, line, citation, wrong in seen if wrong]
    problems += [*anchor_problems(texts), *token_problems(texts)]
    print("".join(problem + "\n" for problem in problems), end="")
    print(f"citations: {len(seen)} citations, {len(anchors)} anchors, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
