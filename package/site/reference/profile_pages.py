# SPDX-License-Identifier: Apache-2.0
"""Profiles: a page for each system, and the index."""

from __future__ import annotations

import re
from typing import Any

from book import Book, Entry
from catalog import DEFAULT, Catalog, Row, profile_page
from markdown import anchor, block, code, codes, link, plain, sentence, table
from sources.differences import Differences
from sources.uses import Uses

INDEX = "profiles.md"
DIFFERENCES = "known-differences.md"
EMULATED = "systems.md"
_PICTURES = ("For MXFP8 and MXFP4 as pictures; `mxgold plot agreement --format NAME` draws others.\n\n"
             "![Who agrees with whom on MXFP8](pictures/agreement-mxfp8.svg)\n\n"
             "![Who agrees with whom on MXFP4](pictures/agreement-mxfp4.svg)")
_INTERESTING = ("mxfp8_e4m3", "mxfp4", "nvfp4", "e4m3fn", "e5m2", "e2m1fn")

#: How random words reach stochastic roundings, other than one for each value.
_RANDOM_SOURCES = {"amd_top_bits": "the top bits of a seed, as AMD's instructions take them",
                   "ptx_rs_shared": "words that several values share, as PTX does",
                   "fp16_staged": "added to the bits that FP16 has and the format has not"}


def variants_of(row: Row) -> str:
    return "; ".join(f"{code(each['name'])} ({codes(each['settings'].split())})" for each in row.facts["variants"])


def quirks_of(row: Row) -> list[str]:
    """What a row does that no policy says."""
    facts = row.facts
    found = []
    if facts.get("random_source", "direct") != "direct":
        found.append("random words: " + _RANDOM_SOURCES.get(facts["random_source"], code(facts["random_source"])))
    if facts.get("canonical_nan"):
        found.append(f"writes NaN as {code(str(facts['canonical_nan']))}")
    if facts.get("element"):
        found.append(f"elements of {code(str(facts['element']))}")
    return found


def rule_table(catalog: Catalog, profile: str, kind: str, here: str) -> str:
    """What a profile does, a row for each group of formats."""
    rows = []
    for row in catalog.rows_of(profile, kind):
        names = ", ".join(catalog.format_link(name, here) for name in row.formats)
        sources = codes(str(row.facts["sources"]).split())
        if not row.is_modeled:
            rows.append((names, sources, "not modeled", "-", "everything"))
            continue
        settings = [catalog.setting_link(policy, value, here) for policy, value in catalog.changed(row).items()]
        rows.append((names, sources, ", ".join(settings + quirks_of(row)) or "-", variants_of(row) or "-",
                     plain(", ".join(row.facts["open"])) or "-"))
    return table(("format", "from", "settings", "variants", "unspecified"), rows) if rows else ""


def defined_formats(catalog: Catalog, profile: str, here: str) -> str:
    """Every format that a profile defines, in two lines."""
    lines = []
    for kind, title in (("elements", "Conversions of single values to"), ("blocks", "Block formats")):
        rows = catalog.rows_of(profile, kind)
        patterns = list(dict.fromkeys(name for row in rows if row.is_modeled for name in row.formats))
        others = [name for name in dict.fromkeys(name for row in rows for name in row.formats) if name not in patterns]
        shown, named = (", ".join("all of them" if name == "*" else catalog.format_link(name, here) for name in each)
                        for each in (patterns, others))
        lines.append(f"- {title}: {shown or 'none'}" + (f"; not modeled: {named}" if named else ""))
    return "\n".join(lines)


def example(catalog: Catalog, profile: str) -> str:
    """A value under the profile and under mxgold-default."""
    for name in _INTERESTING:
        kind = "blocks" if name in catalog.blocks else "elements"
        if not any(row.defines(name) and "fp32" in row.facts["sources"] for row in catalog.rows_of(profile, kind)):
            continue
        inputs = ("480", "1") if kind == "blocks" else ("465",)
        arguments = ["explain", "--format", name, "--profile", DEFAULT, "--profile", profile, *inputs]
        if profile == DEFAULT:
            del arguments[3:5]
        try:
            shown = catalog.program.run(*arguments)
        except RuntimeError:
            continue
        return block(f"mxgold {' '.join(arguments)}", "sh") + "\n\n" + block(shown, "text")
    return ""


def neighbors(differences: Differences, profile: str, catalog: Catalog, here: str) -> str:
    """Who does the same, and on how many formats others part from it."""
    found = differences.agreements(profile)
    if not found:
        return ""
    same = [each for each in found if not each.differ]
    lines = []
    if same:
        names = [catalog.profile_link(each.other, here) + ("" if each.is_proved else " (searched)") for each in same]
        lines.append("No difference on the formats that both define: " + ", ".join(names) + ".")
    rows = [(catalog.profile_link(each.other, here), f"{each.differ} of {each.common}")
            for each in found if each.differ]
    if rows:
        lines.append("Different bits:\n\n" + table(("profile", "formats that differ"), rows))
    return "\n\n".join(lines)


def linked_table(text: str, catalog: Catalog, here: str) -> str:
    """A section of the page of known differences, its formats as links."""
    lines = []
    for line in text.split("\n"):
        if line.startswith("| ") and not line.startswith(("| setting", "|---")):
            head, _, formats = line.rstrip(" |").rpartition(" | ")
            line = f"{head} | {', '.join(catalog.format_link(name, here) for name in formats.split(', '))} |"
        lines.append(line)
    # Its first sentences repeat name and version.
    return re.sub(r"\A.*?(?=Differs on|No format)", "", "\n".join(lines), flags=re.S)


def add_profile(book: Book, catalog: Catalog, facts: dict[str, Any], differences: Differences, uses: Uses) -> str:
    name = facts["name"]
    here = profile_page(name)
    identity = table(("property", "value"), [("name", code(name)), ("system", plain(facts["system"])),
                                             ("version", plain(facts["version"])), ("source", plain(facts["source"]))])
    values, blocks = (rule_table(catalog, name, kind, here) for kind in ("elements", "blocks"))
    found = differences.of(name)
    smallest = linked_table(found, catalog, here) if found else ""
    shown, others = example(catalog, name), neighbors(differences, name, catalog, here)
    used = uses.of(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])", here)
    rule_note = "" if name == DEFAULT else ("Settings are those that differ from `mxgold-default`; of blocks the scale "
                                            "rule is always named. *Unspecified* is what the source leaves open, so "
                                            "that comparisons skip it.")
    book.add(
        here, f"# {plain(facts['system'])} ({plain(name)})" if name != facts["system"] else f"# {plain(name)}",
        sentence(plain(facts["description"])), identity,
        "## Formats it defines\n\n" + defined_formats(catalog, name, here), "## Its rules", rule_note,
        "### Single values\n\n" + values if values else "", "### Blocks\n\n" + blocks if blocks else "",
        "## Example\n\n" + shown if shown else "",
        "## Smallest differences from mxgold-default\n\n" + smallest if smallest else "",
        "## Beside other systems\n\n" + others if others else "",
        "## Pages that use it\n\n" + used if used else "",
        f"All profiles: {link('Profiles', here, INDEX)}. All differences: "
        f"{link('Known differences', here, DIFFERENCES)}.",
        sought=[name] if name == DEFAULT else [name, facts["system"]])
    return here


def add_profiles(book: Book, catalog: Catalog, differences: Differences, uses: Uses) -> None:
    rows, entries = [], list[Entry]()
    for facts in catalog.profiles.values():
        page = add_profile(book, catalog, facts, differences, uses)
        blocks = list(dict.fromkeys(name for row in catalog.rows_of(facts["name"], "blocks") if row.is_modeled
                                    for name in row.formats))
        shown = "all" if blocks == ["*"] else ", ".join(blocks[:4]) + (" ..." if len(blocks) > 4 else "")
        rows.append((anchor(facts["name"]) + catalog.profile_link(facts["name"], INDEX), plain(facts["system"]),
                     plain(facts["version"]),
                     plain(shown) or "none"))
        entries.append({facts["name"]: page})
    book.add(INDEX, "# Profiles",
             "A profile says what one version of one system does: the value of every policy, for the formats that it "
             "defines.",
             "`--profile NAME` sets all of them; other options override it. `--profile NAME:VARIANT` takes an option "
             "that the system documents; several are joined by `+`. A profile answers only for the formats that it "
             "defines. `--blocks-as NAME` asks for a mixture: conversions of one profile under the block rules of "
             "another.", table(("profile", "system", "version", "block formats"), rows))
    book.section("Profiles", [{"All profiles": INDEX}, *entries])


def add_differences(book: Book, catalog: Catalog, differences: Differences) -> None:
    """The page of known differences without what stands on the pages of the profiles."""
    systems = [name for name in catalog.profiles if differences.of(name)]
    rows = [(anchor(name) + catalog.profile_link(name, DIFFERENCES), plain(counted.group(0)) if (
        counted := re.search(r"Differs on \d+ of \d+", differences.of(name))) else "-") for name in systems]
    kept = ("The same inputs under nine systems", "Who agrees with whom")
    book.add(DIFFERENCES, "# Known differences",
             "Which system differs where, for conversions and blocks from FP32. "
             f"{link('Profiles', DIFFERENCES, INDEX)} have version and source of each.",
             "`mxgold diff-profile A B` shows every source and format of two systems. `mxgold explain --profile all` "
             "shows one input under all of them.",
             'Codes are hexadecimal. A block is written as its scale byte, a colon, its element codes. "open" or "--": '
             "unspecified, so it is not compared. An empty cell: the system does not define the format.",
             f"## {kept[0]}\n\n{differences.chapters[kept[0]]}",
             f"## {kept[1]}\n\n{_PICTURES}\n\n{differences.chapters[kept[1]]}",
             "## Each system against mxgold-default\n\nThe page of each profile has the smallest inputs that show the "
             "differences.\n\n" + table(("profile", "formats"), rows),
             f"## Emulated systems: strict and compat\n\n{link('Emulated systems', DIFFERENCES, EMULATED)} have a "
             "page each. "
             + "".join(anchor(name) for name in differences.casts))
