#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the reference of the site is made with: readers of headers, sources and packages, Markdown, links.

usage: reference_parts.py ROOT

Each reader gets a small source with everything in it, and what must not be read as something else.
"""

import json
import sys
import tempfile
import unittest
from decimal import Decimal
from pathlib import Path

ROOT = Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(ROOT / "package/site/reference"))

from book import Book  # noqa: E402
from markdown import code, file_name, link, one_line, plain, sentence, table  # noqa: E402
from policy_pages import checked_text  # noqa: E402
from policy_texts import POLICIES  # noqa: E402
from sources import c_header, docstring, python_source, sv_package  # noqa: E402
from sources.references import References  # noqa: E402
from sources.uses import Uses  # noqa: E402
from values import readable, shown_codes  # noqa: E402

HEADER = """/* What the header is for.
 */
#ifndef X_H
#ifdef __cplusplus
extern "C" {
#endif
#define MXGOLD_X_VERSION 3u
#undef MXGOLD_NOEXCEPT
/* How a call ended. */
typedef enum mxgold_end { MXGOLD_FINE = 0, MXGOLD_LATE = 1 /* {; not the end */ } mxgold_end;

/* ---- things: docs/things.md ---- */

typedef struct mxgold_thing mxgold_thing;

/* Makes a thing. MXGOLD_BAD_SIZE where it is too long. */
MXGOLD_API mxgold_end mxgold_thing_make(const char* name, uint32_t size,
                                        mxgold_thing** out) MXGOLD_NOEXCEPT;
MXGOLD_API void mxgold_thing_destroy(mxgold_thing* thing) MXGOLD_NOEXCEPT;
#ifdef __cplusplus
}
#endif
"""

PACKAGE = {
    "__init__.py": 'from ._a import both as both_of_them, Thing\nfrom . import inner\nOther = Thing\n'
                   '__all__ = ["both_of_them", "Thing", "Other", "inner", "later"]\n',
    "_a.py": 'from typing import overload\n@overload\ndef both(x: int) -> int: ...\n'
             'def both(x: int, *, y: str = "a") -> int:\n    """Both of them."""\n'
             'class Thing:\n    """A thing of a size."""\n    def __init__(self, size: int):\n'
             '        #: How large it is.\n        self.size: int = size\n        self._hidden: int = 1\n'
             '    @property\n    def name(self) -> str:\n        """Its name."""\n    def _secret(self): ...\n',
    "inner.py": '"""The inner one."""\n',
    "deep/__init__.py": "",
    "deep/_b.py": 'def later():\n    """Found below."""\n',
}

SV = """// The package.
//   code();
package demo_pkg;
  // Opens it.
  import "DPI-C" demo_c_open = function chandle demo_open(input string text);
  // Raw words.
  import "DPI-C" demo_c_cvt = function int demo_raw_cvt(
      input chandle model, input int x);
  function automatic int demo_cvt(input chandle model, input logic [31:0] x);
    return demo_raw_cvt(model, x);
  endfunction
  class board;
    local int count;
    // Makes it.
    function new(string text = "");
    endfunction
    local function void told();
    endfunction
  endclass
endpackage
"""


class Readers(unittest.TestCase):
    def test_a_header_is_read_in_themes_and_groups(self):
        header = c_header.parse(HEADER)
        self.assertEqual(header.introduction, "What the header is for.")
        self.assertEqual([theme.title for theme in header.themes], ["", "things: docs/things.md"])
        version, end = header.themes[0].groups
        self.assertEqual(version.declarations[0].names, ["MXGOLD_X_VERSION"])
        self.assertEqual(end.declarations[0].names, ["mxgold_end", "MXGOLD_FINE", "MXGOLD_LATE"])
        thing, = header.themes[1].groups
        self.assertEqual([each.names[0] for each in thing.declarations],
                         ["mxgold_thing", "mxgold_thing_make", "mxgold_thing_destroy"])
        roles = [(each.name, each.type, each.role(header.opaque)) for each in thing.declarations[1].parameters]
        self.assertEqual(roles, [("name", "const char*", "in"), ("size", "uint32_t", "in"),
                                 ("out", "mxgold_thing**", "out")])
        self.assertEqual(thing.declarations[2].parameters[0].role(header.opaque), "object")
        self.assertNotIn("MXGOLD_API", thing.declarations[1].text)

    def test_a_package_is_read_without_importing_it(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in PACKAGE.items():
                path = Path(folder, "demo", name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            package = python_source.Package(Path(folder))
            self.assertEqual(len(package.public_names("demo")), 5)
            both = package.find("demo", "both_of_them")
            self.assertEqual((both.name, both.kind, both.text), ("both_of_them", "function", "Both of them."))
            self.assertIn("y: str='a'", both.signature)
            thing = package.find("demo", "Thing")
            self.assertEqual(thing.signature, "class Thing(size: int)")
            self.assertEqual(sorted((each.name, each.kind) for each in thing.members),
                             [("name", "property"), ("size", "attribute")])
            self.assertEqual(package.find("demo", "Other").text, "Another name of Thing.")
            self.assertEqual(package.find("demo", "inner").kind, "module")
            self.assertIsNone(package.find("demo", "later"))
            self.assertEqual(package.find_below("demo", "later").text, "Found below.")
            self.assertIsNone(package.find_below("demo", "nothing"))

    def test_a_docstring_has_arguments_and_examples(self):
        text = docstring.markdown_of("Does it.\n\nx, y: what mxgold.quantize() takes\n    and more\n*rest: others\n"
                                     "Then it\nends.\n\nReturns a_b.\n\n>>> f(1)\n2\n")
        self.assertEqual(text, "Does it.\n\n- **`x, y`**: what `mxgold.quantize()` takes and more\n"
                               "- **`*rest`**: others\n\nThen it ends.\n\nReturns a\\_b.\n\n```pycon\n>>> f(1)\n2\n```")

    def test_a_systemverilog_package_is_read(self):
        package = sv_package.parse(SV)
        self.assertEqual((package.name, package.introduction), ("demo_pkg", "The package.\n  code();"))
        self.assertEqual([(each.owner, each.name, each.comment) for each in package.items],
                         [("", "demo_open", "Opens it."), ("", "demo_cvt", "Raw words."), ("", "board", ""),
                          ("board", "new", "Makes it.")])


class Pieces(unittest.TestCase):
    def test_text_stays_text(self):
        self.assertEqual(plain("a_b*c|d <e> `x_y` [f]"), r"a\_b\*c\|d \<e\> `x_y` \[f\]")
        self.assertEqual(plain("one ` alone_"), r"one \` alone\_")
        self.assertEqual(code("a|b"), r"`a\|b`")
        self.assertEqual(table(("a", "b"), [("1", "2\n3")]), "| a | b |\n|---|---|\n| 1 | 2 3 |")
        self.assertEqual((sentence("so it is"), sentence("")), ("So it is.", ""))
        self.assertEqual(one_line("First one. Second one."), "First one.")
        self.assertEqual(one_line("word " * 50, 20), "word word word word ...")
        self.assertEqual(file_name("torch-2.15/cpu"), "torch-2.15-cpu")
        self.assertEqual(link("x", "a/b.md", "a/c.md", "d"), "[x](c.md#d)")
        self.assertEqual(link("x", "b.md", "a/c.md"), "[x](a/c.md)")
        self.assertEqual((link("x", "b.md", "b.md", "d"), link("x", "b.md", "b.md")), ("[x](#d)", "x"))

    def test_values_are_exact_and_short(self):
        def shown(value):
            return readable({"decimal": format(Decimal(value), "f"), "hex": value.hex()})

        self.assertEqual((shown(2.0 ** -20), shown(-1.5 * 2.0 ** -20)), ("2^-20", "-1.5 * 2^-20"))
        self.assertEqual(shown((2 - 2.0 ** -23) * 2.0 ** 127), "(2 - 2^-23) * 2^127")
        codes = [{"code": each, "class": "normal", "decimal": value, "hex": value}
                 for each, value in (("0", "0"), ("1", "1"), ("2", "-0"), ("3", "-1"))]
        self.assertIn("Code `2` and above are the same values with a minus.", shown_codes(codes))
        codes[3]["decimal"] = "-2"
        self.assertNotIn("minus", shown_codes(codes))

    def test_a_book_has_each_page_once_and_forgets_old_ones(self):
        book = Book("1.2")
        book.add("a.md", "# A", "", "text", sought=["sat"])
        book.add("b.md", "# B", sought=["saturate"])
        with self.assertRaises(ValueError):
            book.add("a.md", "again")
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "old.md").write_text("old")
            book.write(Path(folder), References(ROOT / "docs"))
            self.assertEqual(sorted(path.name for path in Path(folder).iterdir()), ["a.md", "b.md", "made.json"])
            self.assertTrue(Path(folder, "a.md").read_text().endswith("---\n\n# A\n\ntext\n"))
            self.assertEqual(json.loads(Path(folder, "made.json").read_text())["version"], "1.2")
        # A name that another one begins with is rarer in the search, and is found first all the same.
        self.assertIn('"boost": 15', book.front("a.md"))
        self.assertIn('"boost": 3', book.front("b.md"))

    def test_pages_and_clauses_become_links_outside_of_code(self):
        with tempfile.TemporaryDirectory() as folder:
            docs = Path(folder)
            (docs / "spec").mkdir()
            (docs / "spec/formats.md").write_text('<a id="F9.4"></a>\n')
            (docs / "a_b.md").write_text("# The `page`\n\n```sh\nmxgold run --dut rtl\n```\n")
            linked = References(docs).linked
            self.assertEqual(linked("see docs/a\\_b.md (spec F9.4), spec F9.5", "x/y.md"),
                             "see [docs/a\\_b.md](../a_b.md) ([spec F9.4](../spec/formats.md#F9.4)), spec F9.5")
            for same in ("`docs/a_b.md`", "[docs/a_b.md](z.md)", "```\ndocs/a_b.md\n```", "docs/c.md", "# docs/a_b.md"):
                self.assertEqual(linked(same, "x/y.md"), same)
            uses = Uses(docs, set())
            self.assertEqual(uses.of(r"mxgold run\b", "x/y.md"), "- [The page](../a_b.md)")
            self.assertEqual(uses.of(r"mxgold gen\b", "x/y.md"), "")
            self.assertEqual(Uses(docs, {"a_b.md"}).of(r"mxgold run\b", "x/y.md"), "")

    def test_a_policy_without_words_stops_the_making(self):
        facts = {"name": "int_min", "values": list(POLICIES["int_min"].values)}
        self.assertEqual(checked_text(facts), POLICIES["int_min"])
        for wrong in ({**facts, "name": "new_one"}, {**facts, "values": [*facts["values"], "third"]},
                      {**facts, "values": facts["values"][:1]}):
            with self.assertRaises(ValueError):
                checked_text(wrong)


if __name__ == "__main__":
    unittest.main()
