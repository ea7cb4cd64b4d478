# SPDX-License-Identifier: Apache-2.0
"""Policies: a page for each, with what its values do to the same inputs."""

from __future__ import annotations

from typing import Any

from book import Book, Entry
from catalog import DEFAULT, Catalog, policy_page
from markdown import block, code, codes, link, plain, sentence, table
from policy_texts import POLICIES, Example, Policy
from sources.uses import Uses

INDEX = "reference/policies/index.md"
#: In front of the policies of blocks in the program's list.
_FIRST_OF_BLOCKS = "rule"
_RANDOM = ("--random-bits", "3", "--random", "4")


def bits_of(answer: dict[str, Any]) -> str:
    """The codes of an explanation, and what they mean: scale first where there is one."""
    if "elements" in answer:  # dequantized
        values = [each["value"] for each in answer["elements"]]
        return " ".join(f"{code(value['bits'])} ({short(value['value'])})" for value in values)
    each = answer["block"]["elements"] if "block" in answer else answer["values"]
    shown = " ".join("-" if value.get("masked") else code(str(value["code"])) for value in each)
    means = ", ".join(short((value.get("dequantized") or value["element"])["short"]) for value in each)
    front = f"scale {code(answer['block']['scale']['code'])}, codes " if "block" in answer else ""
    return f"{front}{shown} ({means})"


def short(decimal: str) -> str:
    return plain(decimal if len(decimal) <= 12 else f"{float(decimal.replace('...', '')):.6g}")


def flags_of(answer: dict[str, Any]) -> list[str]:
    each = answer["block"]["elements"] if "block" in answer else answer.get("values", [])
    return sorted({flag for value in each for flag in value.get("flags", [])})


def answer_of(catalog: Catalog, option: str, value: str, example: Example) -> dict[str, Any] | None:
    """What a value of a policy makes of an example; None where it does not go with it."""
    random = _RANDOM if value.startswith("stochastic") or value == "stoch_exp" else ()
    try:
        answer: dict[str, Any] = catalog.program.json("explain", "--format", example.format, *example.options, option,
                                                      value, *random, *example.inputs)
    except RuntimeError:
        return None
    return answer


def example_section(catalog: Catalog, facts: dict[str, Any], values: list[str], example: Example) -> str:
    """The same inputs under each value."""
    rows = []
    for value in values:
        answer = answer_of(catalog, facts["option"], value, example)
        if answer is not None:
            rows.append((code(value), bits_of(answer), plain(", ".join(flags_of(answer))) or "-"))
    if len(rows) < 2:
        return ""
    command = " ".join(["mxgold explain --format", example.format, *example.options, facts["option"],
                        rows[0][0].strip("`"), *example.inputs])
    is_random = any(row[0].startswith(("`stochastic", "`stoch_exp")) for row in rows)
    note = "\n\nRandom ones are shown with 3 random bits and the random number 4." if is_random else ""
    has_flags = any(row[2] != "-" for row in rows)
    head = ("value", "codes, and what they mean") + (("flags",) if has_flags else ())
    target = catalog.format_link(example.format, policy_page(facts["name"]))
    return (f"{', '.join(map(code, example.inputs))} in {target}"
            f":\n\n{table(head, [row[:len(head)] for row in rows])}{note}\n\n" + block(command, "sh"))


def value_table(catalog: Catalog, facts: dict[str, Any], text: Policy) -> str:
    rows = [(code(value), codes(catalog.program.names_elsewhere(value)), text.values[value])
            for value in facts["values"]]
    if any(row[1] for row in rows):
        return table(("value", "also called", "what it does"), rows)
    return table(("value", "what it does"), [(row[0], row[2]) for row in rows])


def who_sets_it(catalog: Catalog, name: str, here: str) -> str:
    """Which profiles have which value, for which formats, where it is not the default."""
    found: dict[str, dict[str, list[str]]] = {}
    for profile in catalog.profiles:
        for kind in ("elements", "blocks"):
            for row in catalog.rows_of(profile, kind) if profile != DEFAULT else ():
                value = catalog.changed(row).get(name) if row.is_modeled else None
                if value is not None:
                    found.setdefault(value, {}).setdefault(profile, []).extend(row.formats)
    rows = []
    for value, profiles in sorted(found.items()):
        for profile, formats in profiles.items():
            names = list(dict.fromkeys(formats))
            shown = ", ".join("all" if each == "*" else catalog.format_link(each, here) for each in names[:6])
            rows.append((code(value), catalog.profile_link(profile, here), shown + (" ..." if len(names) > 6 else "")))
    return table(("value", "profile", "for"), rows) if rows else ""


def checked_text(facts: dict[str, Any]) -> Policy:
    """The words for a policy; they have to be of exactly its values."""
    text = POLICIES.get(facts["name"])
    if text is None:
        raise ValueError(f"package/site/reference/policy_texts.py has no text for the policy {facts['name']}")
    if set(text.values) != set(facts["values"]):
        raise ValueError(f"package/site/reference/policy_texts.py: the policy {facts['name']} has the values "
                         f"{', '.join(facts['values'])}")
    return text


def spelled(facts: dict[str, Any]) -> str:
    """How each interface says it."""
    name = facts["name"]
    value = facts["values"][0] if facts["values"] else "8"
    rows = [("command line", code(f"{facts['option']} {value}")),
            ("Python", code(f'policy="{name}={value}"') + " or " + code(f'{name}="{value}"')),
            ("C", code(f'{{"{name}", "{value}"}}')), ("line of a model", code(f"{name}={value}"))]
    return table(("interface", "how it is written"), rows)


def sought_of(catalog: Catalog, facts: dict[str, Any]) -> list[str]:
    """The values of a policy and what others call them, where no other policy has the same ones."""
    names = [] if facts["name"].startswith("scale_") else [value for value in facts["values"] if "_" in value]
    return names + [other for value in names for other in catalog.program.names_elsewhere(value)]


def add_policy(book: Book, catalog: Catalog, facts: dict[str, Any], uses: Uses) -> None:
    name, text = facts["name"], checked_text(facts)
    here = policy_page(name)
    values = facts["values"] or ["2", "4", "8", "16"]
    examples = [example_section(catalog, facts, values, each) for each in text.examples]
    shown = ""
    svg = catalog.program.picture(*text.picture) if text.picture else None
    if svg:
        book.picture(f"reference/policies/{name}.svg", svg)
        shown = f"![{facts['meaning']}]({name}.svg)"
    default = code(str(facts["default"]))
    if "default_with_infinities" in facts:
        default += f"; single values to a format with infinities: {code(facts['default_with_infinities'])}"
    who, used = who_sets_it(catalog, name, here), uses.of(rf"{facts['option']}\b|\b{name}=", here)
    book.add(here, f"# {name}", text.about, f"Default: {default}.",
             "## Values\n\n" + value_table(catalog, facts, text) if facts["values"] else "", shown,
             "## Example\n\n" + "\n\n".join(each for each in examples if each) if any(examples) else "",
             "## How it is written\n\n" + spelled(facts),
             "## Systems that set it\n\n" + who if who else "",
             "## Pages that use it\n\n" + used if used else "",
             f"All policies: {link('Policies', here, INDEX)}.", sought=[name, *sought_of(catalog, facts)])


def add_policies(book: Book, catalog: Catalog, uses: Uses) -> None:
    listed = list(catalog.policies.values())
    if not any(each["name"] == "random_bits" for each in listed):
        listed.insert(1 + [each["name"] for each in listed].index("rounding"), {
            "name": "random_bits", "option": "--random-bits", "meaning": "N of the stochastic roundings, 1 to 32",
            "default": "16", "values": []})
    of_blocks = set(catalog.profiles[DEFAULT]["blocks"][0]["policies"]) - set(
        catalog.profiles[DEFAULT]["elements"][0]["policies"])
    parts, entries = [], list[Entry]()
    for title, chosen in (("Of single values and elements", [each for each in listed if each["name"] not in of_blocks]),
                          ("Of blocks", [each for each in listed if each["name"] in of_blocks])):
        rows = []
        for facts in chosen:
            add_policy(book, catalog, facts, uses)
            rows.append((link(code(facts["name"]), INDEX, policy_page(facts["name"])),
                         sentence(plain(facts["meaning"])), codes([facts["default"]]), str(len(facts["values"]) or "")))
        entries.append({title: [{each["name"]: policy_page(each["name"])} for each in chosen]})
        parts.append(f"## {title}\n\n" + table(("policy", "what it decides", "default", "values"), rows))
    book.add(INDEX, "# Policies",
             "A policy is one setting of a conversion. A profile sets all of them; an option changes one.",
             "Each page shows what the values do to the same inputs.", *parts)
    book.section("Policies", [INDEX, *entries])
