# SPDX-License-Identifier: Apache-2.0
"""Block formats: a page for each."""

from __future__ import annotations

from typing import Any

from book import Book
from catalog import Catalog, policy_page
from markdown import block, code, codes, link, plain, sentence, table

INDEX = "format-tables.md"
_NUMBERS = ("1", "-0.4", "3.1", "0.02", "5.5", "-2", "0.7", "1.3")


def introduction(facts: dict[str, Any]) -> str:
    extent = {"axis": "All elements along an axis", "tensor": "All elements of a tensor"}.get(
        facts["extent"], f"{facts['elements']} elements")
    text = f"{extent} of `{facts['element']}` share a scale of `{facts['scale']}`. "
    text += f"That is {facts['bits_per_element']} bits an element."
    if "tensor_scale" in facts:
        text += f" A second scale, of `{facts['tensor_scale']}`, belongs to the whole tensor."
    if "sublevels" in facts:
        text += f" Groups of {' and of '.join(map(str, facts['sublevels']))} elements have one more scale bit each."
    return text


def parameters(catalog: Catalog, facts: dict[str, Any], here: str) -> str:
    rule = link(code(facts["rule"]), here, policy_page("rule"))
    rows = [("elements of a block", facts["elements"]), ("element", catalog.format_link(facts["element"], here)),
            ("scale", catalog.format_link(facts["scale"], here)),
            ("scale of the tensor", code(facts["tensor_scale"]) if "tensor_scale" in facts else "none"),
            ("scale rule by default", rule), ("bits an element", facts["bits_per_element"]),
            ("defined by", plain(facts["defined_by"]))]
    return table(("property", "value"), rows)


def defined_by(catalog: Catalog, name: str, here: str) -> str:
    """Which systems quantize to it, by which rule."""
    rows = []
    for row in catalog.block_rows(name):
        changed = catalog.changed(row)
        rule = row.facts["policies"]["rule"]
        rest = [catalog.setting_link(policy, value, here) for policy, value in changed.items() if policy != "rule"]
        variants = codes(each["name"] for each in row.facts["variants"])
        rows.append((catalog.profile_link(row.profile, here), code(rule), ", ".join(rest), variants,
                     plain(", ".join(row.facts["open"]))))
    return table(("profile", "rule", "other settings", "variants", "unspecified"), rows) if rows else ""


def example(catalog: Catalog, name: str) -> str:
    try:
        shown = catalog.program.run("explain", "--format", name, "3.5", "1")
    except RuntimeError:
        return ""
    return block(f"mxgold explain --format {name} 3.5 1", "sh") + "\n\n" + block(shown, "text")


def picture(book: Book, catalog: Catalog, name: str, here: str) -> str:
    svg = catalog.program.picture("block", "--format", name, *_NUMBERS)
    if not svg:
        return ""
    uri = here.replace(".md", ".svg")
    book.picture(uri, svg)
    return f"![Eight numbers in a block of {name}]({uri.rsplit('/', 1)[1]})"


def add_named_only(book: Book, facts: dict[str, Any], here: str) -> None:
    """A format of which mxgold knows no more than the name."""
    book.add(here, f"# {plain(facts['name'])}",
             "mxgold knows this block format by name only. No text that it could follow defines the bits, "
             "so every command refuses it.",
             sentence(f"What is known: {plain(facts['known'])} (from {facts['source']})"),
             f"All formats: {link('Formats', here, INDEX)}.")


def add_block(book: Book, catalog: Catalog, facts: dict[str, Any]) -> str:
    name = facts["name"]
    here = catalog.format_page(name) or ""
    if not facts["computed"]:
        add_named_only(book, facts, here)
        return here
    others = catalog.program.names_elsewhere(name)
    systems = defined_by(catalog, name, here)
    book.add(
        here, f"# {plain(name)}", introduction(facts),
        f"Also called: {codes(others)}. Case, dashes and underscores do not matter." if others else "",
        picture(book, catalog, name, here), "## Parameters\n\n" + parameters(catalog, facts, here),
        "## Systems that define it\n\n" + systems if systems else
        "No system of the profiles defines it. `mxgold-default` quantizes to it by the rule above.",
        catalog.unmodeled(name, "blocks", here),
        "## Try it\n\n" + example(catalog, name), f"All formats: {link('Formats', here, INDEX)}.",
        sought=[name, *others])
    return here


def block_rows(catalog: Catalog) -> list[tuple[str, ...]]:
    return [(catalog.format_link(each["name"], INDEX), each["elements"], catalog.format_link(each["element"], INDEX),
             catalog.format_link(each["scale"], INDEX), code(each["rule"]), each["bits_per_element"],
             plain(each["defined_by"])) for each in catalog.computed_blocks()]


BLOCK_HEAD = ("block format", "elements", "element", "scale", "rule", "bits an element", "defined by")
