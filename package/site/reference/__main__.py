# SPDX-License-Identifier: Apache-2.0
"""Makes the reference pages of the site from the program, the headers and the sources of the Python package.

usage: python3 package/site/reference MXGOLD FOLDER [--no-examples]

MXGOLD: the program that was built from these sources. FOLDER: where the Markdown goes, with the pictures and
made.json, which has version and navigation. --no-examples leaves out what the program computes and draws, which takes
most of the time.
Needs Python 3.9 and nothing else.
"""

from __future__ import annotations

import sys
from pathlib import Path

from book import Book
from c_pages import add_c
from catalog import Catalog
from command_line import add_command_line
from emulated_pages import add_emulated
from format_index import add_formats
from markdown import link, table
from policy_pages import add_policies
from profile_pages import add_differences, add_profiles
from program import Program
from python_pages import add_python
from sources.differences import Differences
from sources.references import References
from sources.uses import Uses
from sv_pages import add_systemverilog
from unit_pages import add_units

ROOT = Path(__file__).resolve().parents[3]
OVERVIEW = "reference/index.md"
SECTIONS = (
    ("Command line", "reference/cli/index.md", "a page for each command: every option with values and default"),
    ("Python API", "reference/python/index.md", "functions and classes of `mxgold` by theme, with examples"),
    ("C API", "reference/c/index.md", "functions, types and errors of the C headers"),
    ("SystemVerilog packages", "reference/systemverilog/index.md", "DPI-C functions, scoreboards, a UVM component"),
    ("Formats", "format-tables.md", "a page for each format: number line, special codes, values, who uses it"),
    ("Policies", "reference/policies/index.md", "a page for each setting: what its values do to the same inputs"),
    ("Profiles", "profiles.md", "a page for each system: formats, rules, smallest differences from others"),
    ("Emulated systems", "systems.md", "a page for each library that mxgold emulates by its own names"),
    ("Matrix units", "reference/units.md", "how each unit sums products"),
)
#: Pages in docs/ that programs write.
MADE = {"format-tables.md", "profiles.md", "known-differences.md", "systems.md"}


def reference(program: Program, root: Path) -> Book:
    """Every page of the reference."""
    book, catalog, uses = Book(program.version()), Catalog(program), Uses(root / "docs", MADE)
    differences = Differences(root / "docs/known-differences.md")
    add_command_line(book, program, uses)
    add_python(book, root, uses)
    add_c(book, root)
    add_systemverilog(book, root)
    add_formats(book, catalog, root)
    add_policies(book, catalog, uses)
    add_profiles(book, catalog, differences, uses)
    add_differences(book, catalog, differences)
    add_emulated(book, root, differences)
    add_units(book, program)
    add_overview(book)
    return book


def add_overview(book: Book) -> None:
    """The first page: what there is, and where."""
    rows = [(link(title, OVERVIEW, page), purpose) for title, page, purpose in SECTIONS]
    book.add(OVERVIEW, "# Reference",
             "These pages are made from the program, its headers and its sources, so they say what this version does. "
             "The search finds each name: try `RNE`, `MXFP4`, `--stall` or `mxgold_convert`.",
             table(("section", "what it has"), rows))
    book.sections.insert(0, OVERVIEW)


def main() -> int:
    arguments = [each for each in sys.argv[1:] if each != "--no-examples"]
    if len(arguments) != 2:
        print((__doc__ or "").split("\n\n")[1], file=sys.stderr)
        return 2
    book = reference(Program(Path(arguments[0]).resolve(), len(sys.argv) == 3), ROOT)
    book.write(Path(arguments[1]), References(ROOT / "docs"))
    print(f"reference: {sum(isinstance(text, str) for text in book.pages.values())} pages, "
          f"{sum(isinstance(text, bytes) for text in book.pages.values())} pictures")
    return 0


if __name__ == "__main__":
    sys.exit(main())
