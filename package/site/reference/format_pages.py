# SPDX-License-Identifier: Apache-2.0
"""Formats of single values and of scales: a page for each."""

from __future__ import annotations

from typing import Any

from book import Book
from catalog import Catalog
from markdown import block, code, codes, link, plain, table
from values import ranges, readable, shown_codes

INDEX = "format-tables.md"

_KINDS = {"float": "floating-point format", "exp_only": "power-of-two format",
          "twos_compl_fixed": "two's complement format", "sign_mag_fixed": "sign-and-magnitude format",
          "tapered": "floating-point format with fields of varying width"}


def introduction(facts: dict[str, Any]) -> str:
    kind = _KINDS.get(facts["kind"], "format")
    text = f"`{facts['name']}` is a {facts['bits']}-bit {kind}"
    if facts["kind"] == "float":
        parts = (["1 sign bit"] if facts["signed"] else []) + [f"{facts['exp_bits']} exponent bits",
                                                              f"{facts['man_bits']} significand bits"]
        text += f": {', '.join(parts)}. Its bias is {facts['bias']}"
    elif facts["kind"] == "exp_only":
        text += f". A code means 2 to the power of the code less {facts['bias']}"
    elif "frac_bits" in facts:
        text += f". A step is 2^{-facts['frac_bits']}"
    has = [word for word, key in (("infinities", "inf_codes"), ("NaN", "nan_codes")) if facts[key]]
    lacks = [word for word in ("infinities", "NaN") if word not in has]
    said = (["It has " + " and ".join(has)] if has else []) + (["It has no " + " and no ".join(lacks)] if lacks else [])
    return ". ".join([text, *said]) + "."


def parameters(facts: dict[str, Any]) -> str:
    rows = [("bits", str(facts["bits"])), ("stored in", f"{facts['storage_bits']} bits")]
    for key, title in (("exp_bits", "exponent bits"), ("man_bits", "significand bits, without the hidden one"),
                       ("frac_bits", "fraction bits"), ("bias", "bias"), ("emin", "smallest exponent"),
                       ("emax", "largest exponent")):
        if key in facts:
            rows.append((title, str(facts[key])))
    rows.append(("largest value", f"{readable(facts['max'])} (code {code(facts['max_code'])})"))
    for key, title in (("min_normal", "smallest normal value"), ("min_subnormal", "smallest subnormal value"),
                       ("min_positive", "smallest positive value")):
        if key in facts:
            rows.append((title, readable(facts[key])))
    return table(("property", "value"), [(name, plain(value) if "`" not in value else value) for name, value in rows])


def special_codes(facts: dict[str, Any]) -> str:
    rows = [("1.0", code(facts.get("one_code", ""))), ("-0", code(facts.get("negative_zero_code", ""))),
            ("infinity", ranges(facts["inf_codes"])), ("NaN", ranges(facts["nan_codes"])),
            ("NaN that is written", code(facts.get("canonical_nan", "")))]
    return table(("value", "code"), [(name, found or "none") for name, found in rows if found or name != "1.0"])


def used_by(catalog: Catalog, name: str, here: str) -> str:
    """Which block formats have it as element or scale."""
    parts = []
    for role in ("element", "scale"):
        found = [each["name"] for each in catalog.computed_blocks() if each[role] == name]
        if found:
            parts.append(f"As {role} of: {', '.join(catalog.format_link(each, here) for each in found)}.")
    return "\n\n".join(parts)


def defined_by(catalog: Catalog, name: str, here: str) -> str:
    """Which systems convert to it, and what they do otherwise than mxgold-default."""
    rows = []
    for row in catalog.value_rows(name):
        settings = [catalog.setting_link(policy, value, here) for policy, value in catalog.changed(row).items()]
        rows.append((catalog.profile_link(row.profile, here), codes(str(row.facts["sources"]).split()),
                     ", ".join(settings) or "as `mxgold-default`", plain(", ".join(row.facts["open"]))))
    return table(("profile", "from", "settings", "unspecified"), rows) if rows else ""


def example(catalog: Catalog, name: str) -> str:
    """A conversion, step by step; "" for formats that are no destination."""
    try:
        shown = catalog.program.run("explain", "--format", name, "1.1")
    except RuntimeError:
        return ""
    return block(f"mxgold explain --format {name} 1.1", "sh") + "\n\n" + block(shown, "text")


def add_format(book: Book, catalog: Catalog, name: str) -> str:
    here = catalog.format_page(name) or ""
    facts = catalog.one(name)
    others = catalog.program.names_elsewhere(name)
    picture = catalog.program.picture("numberline", name)
    shown = ""
    if picture:
        uri = here.replace(".md", ".svg")
        book.picture(uri, picture)
        shown = f"![The values of {name}]({uri.rsplit('/', 1)[1]})"
    users, systems = used_by(catalog, name, here), defined_by(catalog, name, here)
    book.add(
        here, f"# {plain(name)}", introduction(facts),
        f"Also called: {codes(others)}. Case, dashes and underscores do not matter." if others else "",
        shown, "## Parameters\n\n" + parameters(facts), "## Special codes\n\n" + special_codes(facts),
        "## Values\n\n" + shown_codes(facts["codes"]) if facts.get("codes") else "",
        "## Block formats\n\n" + users if users else "",
        "## Systems that convert to it\n\n" + systems if systems else "",
        catalog.unmodeled(name, "elements", here),
        "## Try it\n\n" + example(catalog, name) if systems or users else "",
        f"All formats: {link('Formats', here, INDEX)}.", sought=[name, *others])
    return here


def format_rows(catalog: Catalog, names: list[str]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for name in names:
        facts = catalog.formats[name]
        parts = f"{int(facts['signed'])}/{facts['exp_bits']}/{facts['man_bits']}" if "exp_bits" in facts else "-"
        rows.append((catalog.format_link(name, INDEX), str(facts["bits"]), parts, str(facts.get("bias", "-")),
                     plain(readable(facts["max"])), plain(readable(facts["min_positive"])),
                     "yes" if facts["inf_codes"] else "no", "yes" if facts["nan_codes"] else "no",
                     codes(catalog.program.names_elsewhere(name)[:3])))
    return rows


FORMAT_HEAD = ("format", "bits", "S/E/M", "bias", "largest", "smallest", "Inf", "NaN", "also called")
