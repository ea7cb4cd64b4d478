# SPDX-License-Identifier: Apache-2.0
"""Command line: a page for each subcommand, from the options that the program parses."""

from __future__ import annotations

import re
from typing import Any

from book import Book, Entry
from markdown import block, code, codes, link, one_line, plain, sentence, table
from program import Program
from sources.uses import Uses

INDEX = "reference/cli/index.md"
EXIT_CODES = "reference/cli/exit-codes.md"
#: Topics of `mxgold help` that have no better page in the reference.
_TOPICS = ("devices", "files")
_PROVIDED = ("-h,--help", "--help-all")


def page_of(command: str) -> str:
    return f"reference/cli/{command}.md"


def anchor_of(option: dict[str, Any]) -> str:
    """--output of -o,--output OUT; the name of a positional argument."""
    return str(option["names"][-1] if option["names"] else option["argument"]).strip("[]. ")


def signature_of(option: dict[str, Any]) -> str:
    return " ".join(part for part in (", ".join(option["names"]), option["argument"]) if part)


def policy_of(option: dict[str, Any], policies: dict[str, str]) -> str | None:
    """The policy that an option sets."""
    return next((policies[name] for name in option["names"] if name in policies), None)


def spoken(meaning: str) -> str:
    """What an option means, as a sentence; a list of values stays as it is."""
    is_list = " | " in meaning and ":" not in meaning.split(" | ")[0]
    return plain(meaning) if is_list else sentence(plain(meaning))


def bare(option: dict[str, Any]) -> str:
    """What an option means, without the values that it takes."""
    return str(option["meaning"].split(": " + (option["values"] or ["\0"])[0])[0])


def described(option: dict[str, Any], here: str) -> str:
    """One option, as a section."""
    facts = [spoken(option["meaning"])]
    if option["names"] and anchor_of(option) in ("--format", "--source"):
        facts.append(f"Takes names of {link('formats', here, 'format-tables.md')}.")
    elif "--profile" in option["names"] or "--blocks-as" in option["names"]:
        facts.append(f"Takes names of {link('profiles', here, 'profiles.md')}.")
    rows = []
    if option["range"]:
        rows.append(f"- Range: {plain(option['range'])}")
    if option["default"]:
        usual = option["default"]
        rows.append(f"- Default: {plain(usual) if ' ' in usual else code(usual)}")
    if option["required"]:
        rows.append("- Required")
    text = f"### {code(signature_of(option))} {{ #{anchor_of(option)} }}\n\n{' '.join(facts)}"
    return text + ("\n\n" + "\n".join(rows) if rows else "")


def policy_table(options: list[dict[str, Any]], policies: dict[str, str], here: str) -> str:
    """Options that set policies, in a table: each has a page of its own."""
    rows = []
    for option in options:
        name = policy_of(option, policies) or ""
        page = link(code(name), here, f"reference/policies/{name}.md")
        rows.append((codes(option["names"]), page, plain(bare(option)), codes(option["values"])))
    return table(("option", "policy", "what it decides", "values"), rows)


def option_sections(command: dict[str, Any], policies: dict[str, str], here: str) -> list[str]:
    parts: list[str] = []
    groups = list(dict.fromkeys(option["group"] for option in command["options"]))
    for group in groups:
        options = [option for option in command["options"] if option["group"] == group]
        options = [option for option in options if ",".join(option["names"]) not in _PROVIDED]
        of_policies = [option for option in options if policy_of(option, policies)]
        if not options:
            continue
        title = "Arguments" if group == "Positionals" else group
        parts.append(f"## {plain(title)}")
        parts += [described(option, here) for option in options if option not in of_policies]
        if of_policies:
            parts.append(policy_table(of_policies, policies, here))
    return parts


def paragraphs(text: str) -> str:
    """Prose as paragraphs; indented lines as they are."""
    parts: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text.strip("\n")):
        prose: list[str] = []
        fixed: list[str] = []
        for line in paragraph.split("\n"):
            (fixed if line.startswith("  ") else prose).append(line)
        if prose:
            parts.append(plain(" ".join(prose)))
        if fixed:
            parts.append(block("\n".join(line[2:] for line in fixed), "text"))
    return "\n\n".join(part for part in parts if part)


def split_footer(more: str) -> tuple[str, str, str]:
    """What stands behind the options: prose, what exit codes mean, examples."""
    before, _, behind = more.partition("Examples:\n")
    examples, *after = re.split(r"\n\s*\n", behind)
    parts = re.split(r"\n\s*\n", before.strip("\n")) + after
    exits = [part for part in parts if part.startswith("Exit code")]
    prose = [part for part in parts if part not in exits]
    lines = [line[2:] if line.startswith("  ") else line for line in examples.split("\n")]
    return "\n\n".join(prose), "\n\n".join(exits), "\n".join(lines).strip("\n")


def first_table(command: dict[str, Any], policies: dict[str, str], here: str) -> str:
    """The options of a first look, with links to what is said of them below."""
    rows = []
    for option in command["options"]:
        if not option["first"]:
            continue
        name = policy_of(option, policies)
        there = f"reference/policies/{name}.md" if name else here
        anchor = "" if name else anchor_of(option)
        rows.append((link(code(signature_of(option)), here, there, anchor),
                     plain(one_line(bare(option) if name else option["meaning"], 90)), plain(option["default"])))
    return table(("option", "meaning", "default"), rows) if rows else ""


def add_command(book: Book, command: dict[str, Any], policies: dict[str, str], uses: Uses) -> None:
    here = page_of(command["name"])
    prose, exits, examples = split_footer(command["more"])
    codes_link = link("All exit codes", here, EXIT_CODES)
    first = first_table(command, policies, here)
    shown = uses.of(rf"(?m)\bmxgold {re.escape(command['name'])}\b", here)
    book.add(
        here, f"# mxgold {command['name']}", sentence(plain(command["summary"])),
        block(command["usage"].removeprefix("Usage: "), "text"),
        "## Examples\n\n" + block(examples, "sh") if examples else "",
        "## Most used\n\n" + first if first else "",
        *option_sections(command, policies, here),
        "## Notes\n\n" + paragraphs(prose) if prose else "",
        "## Exit codes { #exit-codes }\n\n" + (sentence(paragraphs(exits)) + " " if exits else "") + codes_link + ".",
        "## Pages that use it\n\n" + shown if shown else "", sought=[f"mxgold {command['name']}"])


def add_exit_codes(book: Book, program: Program) -> None:
    manual = program.manual()
    topic = next(each for each in manual["topics"] if each["name"] == "exit-codes")
    rows = [(code(str(number)), plain(meaning)) for number, meaning in enumerate(manual["exit_codes"])]
    rest = topic["text"].strip().split("\n\n")[-1]
    book.add(EXIT_CODES, "# Exit codes", "The exit code says how a command ended.", table(("code", "meaning"), rows),
             plain(" ".join(rest.split("\n"))))


def add_topics(book: Book, program: Program) -> list[Entry]:
    entries: list[Entry] = []
    for topic in program.manual()["topics"]:
        if topic["name"] in _TOPICS:
            # What this machine lacks is no fact of the program.
            text = re.sub(r"\n +\(not here:[^)]*\)", "", topic["text"])
            uri = page_of(f"topic-{topic['name']}")
            book.add(uri, f"# {topic['name'].capitalize()}", sentence(topic["summary"]),
                     f"`mxgold help {topic['name']}` prints this text.", block(text, "text"))
            entries.append({topic["name"].capitalize(): uri})
    return entries


def add_command_line(book: Book, program: Program, uses: Uses) -> None:
    manual = program.manual()
    policies = {policy["option"]: policy["name"] for policy in program.listed("policies")}
    roles = list(dict.fromkeys(command["role"] for command in manual["commands"]))
    parts, entries = [], list[Entry]()
    for role in roles:
        commands = [command for command in manual["commands"] if command["role"] == role]
        rows = [(link(code(f"mxgold {each['name']}"), INDEX, page_of(each["name"])), plain(each["summary"]))
                for each in commands]
        parts.append(f"## {role}\n\n" + table(("command", "what it does"), rows))
        entries.append({role: [{each["name"]: page_of(each["name"])} for each in commands]})
        for each in commands:
            add_command(book, each, policies, uses)
    add_exit_codes(book, program)
    topics = add_topics(book, program)
    entries += [{"Exit codes": EXIT_CODES}, *topics]
    links = ", ".join([link("exit codes", INDEX, EXIT_CODES)] +
                      [link(str(title).lower(), INDEX, str(uri)) for entry in topics if isinstance(entry, dict)
                       for title, uri in entry.items()])
    book.add(INDEX, "# Command line",
             f"The program `mxgold` {plain(manual['version'])} has {len(manual['commands'])} commands. "
             "Each has a page with every option.",
             "`mxgold help COMMAND` shows the most used options, and `mxgold COMMAND --help-all` shows all.",
             *parts, f"More: {links}.")
    book.section("Command line", [INDEX, *entries])
