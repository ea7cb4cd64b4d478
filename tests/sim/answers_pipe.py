#!/usr/bin/env python3
"""A device that knows a golden file by heart: it answers each line of operands with what the file
says, and lies where it is told to.

usage: answers_pipe.py FILE.tv [LIE]

LIE: code, last_code, scale or flags (the lowest bit of the word, in every record), with :first,
:middle or :last in that record only; open (every word that the field `open` names), closed (a word
of each record that it does not name); drop (no last line), extra (one line more), swap (two
neighbours, the first that differ)."""
import re
import sys


def fields_of(header):
    text = next(line for line in header if line.startswith("# fields "))
    operands, results = text[len("# fields "):].split(" | ")
    def lanes(part):
        found = re.findall(r"([a-z_]+)(?:\[(\d+)\])?:\d+", part)
        return [name for name, count in found for _ in range(int(count or 1))]
    return lanes(operands), lanes(results)


def read_goldens(path):
    lines = [line.rstrip("\n") for line in open(path, encoding="ascii")]
    header = [line for line in lines if line.startswith("#")]
    operands, results = fields_of(header)
    table = {}
    for line in lines:
        if line.startswith("#"):
            continue
        words = line.split(" ")
        table[" ".join(words[:len(operands)])] = words[len(operands):]
    return operands, results, table


def flip(words, index):
    words[index] = words[index][:-1] + format(int(words[index][-1], 16) ^ 1, "x")


def is_open(operands, line, results, index):
    """Does the field `open` of a record name a word of its answer?"""
    words = [int(word, 16) for name, word in zip(operands, line.split(" ")) if name == "open"]
    bit = {"flags": 0, "scale": 1}.get(results[index])
    if bit is None:
        bit = 2 + index - results.index("code")
    return bool(words) and bool(words[bit // 8] >> bit % 8 & 1)


def lie_once(lie, answer, operands, line, results):
    if lie in ("open", "closed"):
        for index in range(len(answer)):
            if is_open(operands, line, results, index) == (lie == "open"):
                flip(answer, index)
                if lie == "closed":
                    return
    elif lie == "last_code":
        flip(answer, len(results) - 1 - results[::-1].index("code"))
    else:
        flip(answer, results.index(lie))


def main():
    operands, results, table = read_goldens(sys.argv[1])
    lie, _, where = (sys.argv[2] if len(sys.argv) > 2 else "").partition(":")
    lines = [line.rstrip("\n") for line in sys.stdin if not line.startswith("#")]
    strikes = {"first": [0], "middle": [len(lines) // 2], "last": [len(lines) - 1]}
    strikes = strikes.get(where, range(len(lines)))
    answers = [list(table[line]) for line in lines]
    if lie == "swap":
        at = next(i for i in range(len(lines) - 1) if answers[i] != answers[i + 1])
        answers[at], answers[at + 1] = answers[at + 1], answers[at]
    elif lie == "drop":
        answers.pop()
    elif lie == "extra":
        answers.append(answers[-1])
    elif lie:
        for i in strikes:
            lie_once(lie, answers[i], operands, lines[i], results)
    for answer in answers:
        print(" ".join(answer))


main()
