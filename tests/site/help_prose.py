#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that what the program says of itself is plain English, by the rules of prose.py.

usage: help_prose.py PROGRAM

Read are the summary, the text and the options of each command (`mxgold man --json`), and the topics of `mxgold help`.
Examples are left out. Exits 1 and names command, option and remedy; exits 2 where there is nothing to check.
"""

import json
import re
import subprocess
import sys

import prose

LEAST_SENTENCES = 200
# Names that are words of the list, too: options, the rule floor, chunks of --chunk, the files called receipts, and what
# stands in quotes.
NAMES = re.compile(r"--[a-z][a-z-]*|\brule floor\b|\bfloor(?= [|,])|\bchunk(?=, )|\breceipts?\b|'[^']*'|\"[^\"]*\"")


def answer(program, *arguments):
    return subprocess.run([program, *arguments], stdout=subprocess.PIPE, text=True, check=True).stdout


def unwrapped(text):
    """Paragraphs of a text that is wrapped at a width, each on one line; indented lines are examples or tables."""
    paragraphs, lines = [], []
    for line in text.split("\n") + [""]:
        if line.strip() and not line.startswith(" "):
            lines.append(line)
            continue
        if lines:
            paragraphs.append(" ".join(lines))
        lines = []
    return [each for each in paragraphs if not each.endswith(":") or " " in each]


def texts_of(program):
    """(where, text) of everything that a reader of the help meets."""
    for command in json.loads(answer(program, "man", "--json"))["commands"]:
        where = f"mxgold {command['name']}"
        yield where, command["summary"] + "."
        for paragraph in unwrapped(command["more"].split("\nExamples:")[0]):
            yield where, paragraph
        for option in command["options"]:
            yield f"{where} {(option['names'] or [option['argument']])[-1]}", option["meaning"]


def problems_of(text):
    """Problems of one text, and the lengths of its sentences."""
    plain = prose.plain(NAMES.sub("NAME", text))
    problems = [f"'{match[0]}': write {remedy}" for pattern, remedy in prose.FORBIDDEN for match in pattern.finditer(plain)]
    counts = []
    # Alternatives (a | b | c) are a table, and so is what a colon or a semicolon lists.
    for sentence in re.split(r"(?<=[.!?;:])\s+|\s\|\s", plain):
        if count := len(prose.WORD.findall(sentence)):
            counts.append(count)
            if count > prose.LONGEST:
                problems.append(f"a sentence of {count} words; {prose.LONGEST} at most: {sentence[:60]}...")
    return problems, counts


def main():
    if len(sys.argv) != 2:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    found, counts = 0, []
    for where, text in texts_of(sys.argv[1]):
        problems, lengths = problems_of(text)
        counts += lengths
        found += len(problems)
        for problem in problems:
            print(f"{where}: {problem}")
    if len(counts) < LEAST_SENTENCES:
        print(f"help_prose: {len(counts)} sentences; at least {LEAST_SENTENCES} are expected")
        return 2
    mean = sum(counts) / len(counts)
    if mean > prose.MEAN:
        found += 1
        print(f"help_prose: sentences of {mean:.1f} words on average; {prose.MEAN} at most")
    print(f"help_prose: {len(counts)} sentences of {mean:.1f} words on average, {found} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
