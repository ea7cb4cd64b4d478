# SPDX-License-Identifier: Apache-2.0
"""Matrix units: one page with a table of all, from the program's list."""

from __future__ import annotations

from typing import Any

from book import Book
from markdown import block, code, codes, plain, table
from program import Program

PAGE = "reference/units.md"


def row_of(unit: dict[str, Any]) -> tuple[str, ...]:
    return (code(unit["name"]), plain(unit["devices"]), plain(unit["instructions"]), codes(unit["inputs"]),
            codes(unit["scales"]), plain(unit["results"]), plain(unit["sum"]), str(unit.get("group") or "-"),
            str(unit.get("fraction_bits") or "-"), plain(unit["open"]))


def add_units(book: Book, program: Program) -> None:
    units = program.listed("units")
    name = units[0]["name"]
    book.add(PAGE, "# Matrix units",
             f"`mxgold mma` and `mxgold.mma()` sum products as one of these {len(units)} units does, bit for bit.",
             block(f"mxgold gen --op mma --unit {name} --format {units[0]['inputs'][0]} -o {name}.tv", "sh"),
             table(("unit", "devices", "instructions", "operands", "scales", "result", "sum", "products in a step",
                    "fraction bits", "unspecified"), map(row_of, units)))
    book.sections.append({"Matrix units": PAGE})
