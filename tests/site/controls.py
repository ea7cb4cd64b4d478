#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Negative controls of links.py, built.py and prose.py: each rule is broken once and must be caught."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent


class Folder(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name).resolve()

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def expect(self, status, words, *command):
        end = subprocess.run([sys.executable, "-B", HERE / command[0], *command[1:]], capture_output=True, text=True,
                             check=False)
        self.assertEqual(end.returncode, status, end.stdout + end.stderr)
        self.assertIn(words, end.stdout)


class Links(Folder):
    """Pages in Markdown."""

    def setUp(self):
        super().setUp()
        self.write("README.md", "# The page\n\n[there](docs/a.md#two-words-a_b) [code](docs/code.c) [folder](docs)\n"
                                "\n`[no](link)`\n\n```\n[nor](this)\n# nor this\n```\n")
        self.write("docs/a.md", '# Two words, `a_b`!\n\n## Twice\n\n## Twice\n\n<a id="by-hand"></a>\n\n'
                                '[up](../README.md#the-page)\n')
        self.write("docs/code.c", "int x;\n")
        self.write("mkdocs.yml", "docs_dir: docs\n\nnav:\n  - Start:\n      - index.md\n      - A: a.md\n")
        self.write("package/site/hooks.py", 'OUTSIDE = {\n    "README.md": "index.md",\n}\n')

    def check(self, status, words, least=4):
        self.expect(status, words, "links.py", self.root, str(least))

    def test_good_links_pass(self):
        self.check(0, "2 pages, 4 links, 0 problems")
        self.check(2, "at least 5 expected", 5)

    def test_anchors_are_those_of_a_forge(self):
        self.write("README.md", "[1](docs/a.md#twice) [2](docs/a.md#twice-1) [3](docs/a.md#by-hand)\n")
        self.check(1, "README.md has no heading '#the-page'")
        self.write("README.md", "# The page\n[1](docs/a.md#twice) [2](docs/a.md#twice-1) [3](docs/a.md#by-hand)\n")
        self.check(0, "0 problems")
        self.write("README.md", "# The page\n[2](docs/a.md#twice-2)\n[](docs)\n[](docs)")
        self.check(1, "README.md:2: docs/a.md#twice-2: docs/a.md has no heading '#twice-2'")
        self.write("README.md", "# The page\n[2](#other)\n[](docs)\n[](docs)")
        self.check(1, "README.md:2: #other: README.md has no heading '#other'")

    def test_what_is_not_there_is_caught(self):
        (self.root / "docs/code.c").unlink()
        self.check(1, "README.md:3: docs/code.c: there is no docs/code.c")

    def test_links_from_the_root_are_caught(self):
        self.write("docs/a.md", "# Two words a_b\n[x](/README.md)\n")
        self.check(1, "docs/a.md:2: /README.md: a link from the root")

    def test_the_navigation_has_each_page_once(self):
        self.write("docs/b.md", "# b\n")
        self.check(1, "mkdocs.yml: b.md is not in the navigation")
        (self.root / "docs/b.md").unlink()
        self.write("mkdocs.yml", "\nnav:\n  - index.md\n  - A: a.md\n  - a.md\n  - c.md\n")
        self.check(1, "mkdocs.yml: there is no page c.md")
        self.check(1, "mkdocs.yml: a.md is there twice")


class Built(Folder):
    """Pages in HTML."""

    def setUp(self):
        super().setUp()
        names = [f"page{number}.html" for number in range(20)]
        for name in names:
            self.write(name, '<h1 id="top"></h1><a href="page1.html#top"></a><a href="#top"></a>'
                             '<a href="https://a.b/c#d"></a>'
                             '<img src="picture.svg"><link rel="stylesheet" href="style.css">')
        self.write("picture.svg", "<svg/>")
        self.write("style.css", "body { background: url(picture.svg) }")
        self.write("search/search_index.json", json.dumps({"docs": [{"location": name} for name in names]}))

    def check(self, status, words):
        self.expect(status, words, "built.py", self.root)

    def test_a_good_site_passes(self):
        self.check(0, "20 pages, 100 links, 0 problems")

    def test_no_site_is_no_pass(self):
        (self.root / "page7.html").unlink()
        self.check(2, "19 pages")

    def test_links_and_anchors_that_lead_nowhere_are_caught(self):
        for link, words in (("page20.html", "there is no such file"), ("page2.html#bottom", "there is no such anchor"),
                            ("#bottom", "there is no such anchor"), ("../page2.html", "leads out of the site")):
            self.write("page3.html", f'<a href="{link}"></a>')
            self.check(1, f"page3.html: {link}: {words}")

    def test_what_is_missing_or_fetched_is_caught(self):
        self.write("page3.html", '<img src="nothing.svg">')
        self.check(1, "page3.html: nothing.svg: there is no such file")
        for text in ('<script src="https://cdn.example/x.js"></script>',
                     '<link rel="stylesheet" href="//cdn.example/x.css">'):
            self.write("page3.html", text)
            self.check(1, "fetched from the network")
        self.write("page3.html", "")
        self.write("style.css", "body { background: url('https://cdn.example/x.png') }")
        self.check(1, "style.css: https:: fetched from the network")

    def test_pages_that_no_search_finds_are_caught(self):
        self.write("search/search_index.json",
                   json.dumps({"docs": [{"location": f"page{n}.html#top"} for n in range(19)]}))
        self.check(1, "page19.html: not in the index of the search")
        (self.root / "search/search_index.json").unlink()
        self.check(1, "search: there is no index")


class Prose(Folder):
    """What is no plain English."""

    def check(self, text, status, words):
        self.write("tests/site/prose_pages.txt", "# pages\ndocs/*.md\n")
        self.write("docs/a.md", text)
        self.expect(status, words, "prose.py", self.root)

    def test_plain_pages_pass(self):
        self.check("# A page\n\nThis is short. So is this.\n", 0,
                   "1 pages, 2 sentences of 3.0 words on average, 0 problems")
        self.check("`the law` and [a link](judge.md).\n\n```sh\nthe law " + 120 * "x" + "\n```\n", 1,
                   "docs/a.md:4: more than 120")
        self.check("`the law` and [a link](judge.md).\n\n```text\nthe law " + 120 * "x" + "\n```\n", 0, "0 problems")
        self.check("Law" + "yers, lawful and flooring in the roommate's household.\n", 0, "0 problems")

    def test_private_words_are_caught(self):
        for text, word in (("The LAW says so.", "LAW"), ("A **judge** sees it.", "judge"),
                           ("| the way back |", "the way back"), ("# A museum", "museum"),
                           ("[judged](a.md) so.", "judged"), ("It is optimised.", "optimised"),
                           ("- Our neighbours", "neighbours")):
            self.check(f"Fine.\n\n{text}\n", 1, f"docs/a.md:3: '{word}': write ")

    def test_long_sentences_are_caught(self):
        def words(count):
            return "\n".join(["word"] * count) + ".\n"

        self.check(words(35), 0, "0 problems")
        self.check(words(36), 1, "docs/a.md:1: a sentence of 36 words; 35 at most")
        self.check("- " + "word " * 20 + "\n  " + "word " * 16 + "\n", 1, "docs/a.md:1: a sentence of 36 words")
        self.check(words(18) * 4 + "\n" + words(18), 0, "18.0 words on average, 0 problems")
        self.check(words(18) * 4 + "\n" + words(19), 1, "sentences of 18.2 words on average; 18 at most")

    def test_long_paragraphs_and_lines_are_caught(self):
        self.check("\n".join(["word word word word."] * 20) + "\n", 0, "0 problems")
        self.check("\n".join(["word word word word."] * 20 + ["More."]) + "\n", 1,
                   "docs/a.md:1: a paragraph of 81 words; 80 at most")
        self.check("x" * 120 + "\n", 0, "0 problems")
        self.check("x" * 121 + "\n", 1, "docs/a.md:1: more than 120 characters")
        self.check("| " + "x" * 121 + " |\n\nText.\n", 0, "0 problems")

    def test_long_pages_are_caught(self):
        table = "| word |\n" * 499  # three words a row
        self.check(f"Fine.\n\n{table}\nMore text.\n", 0, "0 problems")
        self.check(f"Fine.\n\n{table}\nMore text here.\n", 1, "docs/a.md:1: a page of 1501 words; 1500 at most")
        self.check(f"<!-- Generated -->\n\nFine.\n\n{table}\nMore text here.\n", 0, "0 problems")

    def test_pages_that_are_left_out_exist(self):
        self.write("docs/a.md", "Fine.\n")
        self.write("docs/b.md", "The law.\n")
        for lines, status, words in (("docs/*.md\n", 1, "docs/b.md:1: 'law'"), ("docs/*.md\n!docs/b.md\n", 0, "1 pages"),
                                     ("docs/*.md\n!docs/c.md\n", 2, "no page is !docs/c.md")):
            self.write("tests/site/prose_pages.txt", lines)
            self.expect(status, words, "prose.py", self.root)

    def test_nothing_to_check_is_no_pass(self):
        self.check("# Title\n", 2, "no sentences")
        (self.root / "docs/a.md").unlink()
        self.expect(2, "no page is docs/*.md", "prose.py", self.root)


class HelpProse(Folder):
    """What a program says of itself."""

    def check(self, status, words, meaning="Print what differs", more="It compares two files.", options=200):
        described = {"commands": [{"name": "diff", "summary": "Compare files", "more": f"\n{more}\n\nExamples:\n  a law stands\n",
                                   "options": [{"names": ["--law"], "argument": "", "meaning": meaning}] * options}]}
        self.write("described.json", json.dumps(described))
        self.write("program", f"#!/bin/sh\ncat {self.root}/described.json\n")
        (self.root / "program").chmod(0o755)
        self.expect(status, words, "help_prose.py", str(self.root / "program"))

    def test_good_help_passes(self):
        self.check(0, "0 problems")
        self.check(0, "0 problems", "By --judge, or 'drawn'; rule floor")

    def test_words_and_sentences_are_caught(self):
        self.check(1, "mxgold diff --law: 'law': write specification", "Print the law")
        self.check(1, "mxgold diff: 'stands': write is", more="It stands beside it.")
        self.check(1, "mxgold diff: a sentence of 36 words", more="word " * 35 + "word.")
        self.check(0, "0 problems", more="word " * 34 + "word.")
        self.check(1, "sentences of 18.8 words on average", "word " * 18 + "word")

    def test_nothing_to_check_is_no_pass(self):
        self.check(2, "at least 200", options=150)


class Pictures(unittest.TestCase):
    """Pictures in both schemes, by the hook of the site."""

    def setUp(self):
        sys.path.insert(0, str(HERE.parents[1] / "package/site"))
        self.addCleanup(sys.path.pop, 0)
        import pictures
        self.hook = pictures

    def test_every_picture_of_the_pages_has_two_schemes(self):
        files = sorted((HERE.parents[1] / "docs/pictures").glob("*.svg"))
        self.assertGreaterEqual(len(files), 25)
        for file in files:
            light, dark = self.hook.schemes_of(file.read_text())
            self.assertNotEqual(light, dark, file.name)
            for text in (light, dark):
                self.assertNotIn("prefers-color-scheme", text, file.name)
                self.assertEqual(text.count("{"), text.count("}"), file.name)

    def test_a_page_shows_one_of_two(self):
        self.assertEqual(self.hook.in_both_schemes('<p><img alt="a" src="../b.svg" /></p>'),
                         '<p><img alt="a" src="../b.light.svg#only-light" /><img alt="a" src="../b.dark.svg#only-dark" /></p>')
        for other in ('<img src="b.png">', '<img src="https://a.b/c.svg">', "text b.svg"):
            self.assertEqual(self.hook.in_both_schemes(other), other)


if __name__ == "__main__":
    unittest.main()
