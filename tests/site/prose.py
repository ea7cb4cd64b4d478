#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that pages for users are plain English.

usage: prose.py ROOT

tests/site/prose_pages.txt lists the pages by pattern; a line with ! in front leaves pages out. In each of them:
  * no word of WORDS stands outside of code: it has a plainer one, which the message names;
  * sentences have at most MEAN words on average, and none has more than LONGEST;
  * paragraphs have at most PARAGRAPH words;
  * a page has at most PAGE words, tables and code too, unless it says in its first lines that it is generated;
  * lines have at most WIDTH characters, tables, printed output and lines of golden files apart.
Exits 1 and names page, line and remedy; exits 2 where there is nothing to check.
"""

import re
import sys
from pathlib import Path

MEAN, LONGEST, PARAGRAPH, WIDTH, PAGE = 18, 35, 80, 120, 1500
HEAD = 400  # characters of a page that may say that it is generated
LEAST_SENTENCES = 5  # fewer say nothing about an average

# What this project calls things among itself, what spelling it does not use, and what to write.
WORDS = {
    r"laws?": "specification, rule",
    r"rooms?": "module",
    r"house": "architecture",
    r"floors?": "layer (the scale rule is `floor`)",
    r"judge[sd]?|judging": "check, checker, compare with",
    r"outside judges?": "third-party implementation",
    r"ladders?": "table of breakpoints",
    r"left open|leaves? open": "unspecified",
    r"masked": "excluded from comparison",
    r"not offered": "not supported",
    r"surfaces?": "conversion",
    r"speaks? of": "define, support",
    r"drawn|draws": "random, uses random bits",
    r"there and back": "quantize and dequantize",
    r"the way back": "dequantize",
    r"with a clock": "clocked",
    r"museum": "catalog of faults",
    r"pace": "latency and throughput",
    r"at rest": "zero, default",
    r"receipts?": "result file",
    r"chunks?": "K-tile",
    r"bridges?": "integration",
    r"seed systems?": "emulated library",
    r"stands?|stood": "is",
    r"but for": "except",
    r"neighbour\w*": "neighbor",
    r"colour\w*": "color",
    r"behaviour\w*": "behavior",
    r"licence": "license",
    r"catalogues?": "catalog",
    r"centre\w*": "center",
    r"grey": "gray",
    r"analyse\w*": "analyze",
    r"modelled|modelling|labelled|labelling": "one l",
    r"\w+(?:ganis|malis|timis|tialis|ognis|hasis|imis|ronis)(?:e[sd]?|ing|ation)": "-ize",
}
FORBIDDEN = [(re.compile(rf"\b(?:{words})\b", re.I), remedy) for words, remedy in WORDS.items()]

FENCE = re.compile(r" {0,4}(```+|~~~+)(.*)")
CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")
ITEM = re.compile(r"\s*(?:[-*+]|\d+\.) +")
END = re.compile(r"(?<=[.!?])[*)\"]*\s+")
WORD = re.compile(r"[\w'^./+-]*\w")


def plain(line):
    """A line of text without its markup; code is one word."""
    line = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", CODE.sub("CODE", line))
    return re.sub(r"<!--.*?-->|\*\*?|(?<!\w)_|_(?!\w)", "", line)


class Page:
    """A page in pieces: lines outside of code, and paragraphs (line, text); an item of a list is one."""

    def __init__(self, text):
        self.lines, self.wide, self.paragraphs = [], [], []
        fence, printed, open_paragraph = "", False, None
        for number, line in enumerate(text.split("\n"), 1):
            mark = FENCE.match(line)
            table = line.lstrip().startswith("|")
            if len(line) > WIDTH and not table and not printed:
                self.wide.append(number)
            if fence or mark:
                open_paragraph = None
                if fence and mark and line.strip() == fence:
                    fence, printed = "", False
                elif not fence:
                    fence, printed = mark[1], mark[2] in ("text", "golden")
                continue
            self.lines.append((number, line))
            if not line.strip() or table or re.match(r"#|<!--|!!!", line):
                open_paragraph = None
                continue
            if open_paragraph is None or ITEM.match(line):
                open_paragraph = [number, []]
                self.paragraphs.append(open_paragraph)
            open_paragraph[1].append(plain(ITEM.sub("", line, count=1)).strip())

    def sentences(self):
        for number, lines in self.paragraphs:
            for sentence in END.split(" ".join(lines)):
                if count := len(WORD.findall(sentence)):
                    yield number, count, sentence


def problems_of(text):
    """(line, problem) of a page, and its mean sentence."""
    page = Page(text)
    problems = [(number, f"more than {WIDTH} characters") for number in page.wide]
    if (size := len(text.split())) > PAGE and not re.search("generated", text[:HEAD], re.I):
        problems.append((1, f"a page of {size} words; {PAGE} at most: give a part of it a page of its own"))
    for number, line in page.lines:
        for pattern, remedy in FORBIDDEN:
            for match in pattern.finditer(plain(line)):
                problems.append((number, f"'{match[0]}': write {remedy}"))
    for number, lines in page.paragraphs:
        if (count := len(WORD.findall(" ".join(lines)))) > PARAGRAPH:
            problems.append((number, f"a paragraph of {count} words; {PARAGRAPH} at most"))
    counts = []
    for number, count, sentence in page.sentences():
        counts.append(count)
        if count > LONGEST:
            problems.append((number, f"a sentence of {count} words; {LONGEST} at most: {sentence[:60]}..."))
    mean = sum(counts) / len(counts) if counts else 0
    if len(counts) >= LEAST_SENTENCES and mean > MEAN:
        problems.append((1, f"sentences of {mean:.1f} words on average; {MEAN} at most"))
    return sorted(problems), mean, len(counts)


def pages_of(root):
    """The listed pages; a pattern that fits no page is a FileNotFoundError."""
    chosen = {}
    for line in (root / "tests/site/prose_pages.txt").read_text().splitlines():
        if not line or line[0] == "#":
            continue
        pages = sorted(root.glob(line.lstrip("!")))
        if not pages:
            raise FileNotFoundError(line)
        for page in pages:
            chosen[page] = line[0] != "!"
    return [page for page, is_read in chosen.items() if is_read]


def main():
    if len(sys.argv) != 2:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    root = Path(sys.argv[1]).resolve()
    try:
        pages = pages_of(root)
    except FileNotFoundError as missing:
        print(f"prose: no page is {missing}")
        return 2
    found = sentences = words = 0
    for page in pages:
        problems, mean, count = problems_of(page.read_text(encoding="utf-8"))
        for number, problem in problems:
            print(f"{page.relative_to(root)}:{number}: {problem}")
        found, sentences, words = found + len(problems), sentences + count, words + mean * count
    if not sentences:
        print("prose: there are no sentences to check")
        return 2
    print(f"prose: {len(pages)} pages, {sentences} sentences of {words / sentences:.1f} words on average, {found} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
