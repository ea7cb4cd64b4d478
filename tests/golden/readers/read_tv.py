#!/usr/bin/env python3
"""Reads a .tv file of mxgold with the standard library only, and checks counts and digests.

Usage: read_tv.py FILE. Prints the count and both digests; exits 1 if the file is not whole.
"""
import hashlib
import re
import sys


def fields_of(text):
    """'tuser:8 source[32]:4' -> [('tuser', 1, 8), ('source', 32, 4)]."""
    found = re.findall(r"(\w+)(?:\[(\d+)\])?:(\d+)", text)
    return [(name, int(lanes or 1), int(digits)) for name, lanes, digits in found]


def read_tv(path):
    """The header as a dict, and every record as a dict of lists of integers.

    header["config"] is a list: what each of several configurations has of its own.
    """
    with open(path, newline="") as file:
        lines = file.read().split("\n")
    assert lines.pop() == "", "no line feed at the end"
    header = {"config": []}
    while "count" not in header:
        key, value = lines.pop(0).removeprefix("# ").split(" ", 1)
        if key != "config":
            header[key] = value
            continue
        number, own = value.split(" ", 1)
        assert int(number) == len(header["config"]), "configurations out of order"
        header["config"].append(dict(pair.split("=", 1) for pair in own.split("; ")))
    assert header["mxgold-vectors"] == "2", "not schema 2"
    configurations = int(header["configurations"])
    assert len(header["config"]) == (configurations if configurations > 1 else 0)
    operand_text, result_text = header["fields"].split(" | ")
    operands, results = fields_of(operand_text), fields_of(result_text)
    trailer = dict(line.removeprefix("# ").split(" ") for line in lines[-3:])
    assert int(trailer["end"]) == int(header["count"]) == len(lines) - 3, "counts differ"

    operand_words = sum(lanes for _, lanes, _ in operands)
    hashes = {"operands": hashlib.sha256(), "records": hashlib.sha256()}
    records = []
    for line in lines[:-3]:
        words = line.split(" ")
        record, at = {}, 0
        for name, lanes, digits in operands + results:
            part = words[at:at + lanes]
            assert all(len(word) == digits for word in part), "wrong width"
            record[name] = [int(word, 16) for word in part]  # lane 0 first
            at += lanes
        assert at == len(words), "wrong number of words"
        assert record.get("config", [0])[0] < configurations, "no such configuration"
        # The digested stream: every word as little-endian bytes.
        little = [bytes.fromhex(word)[::-1] for word in words]
        hashes["operands"].update(b"".join(little[:operand_words]))
        hashes["records"].update(b"".join(little))
        records.append(record)
    for name, value in hashes.items():
        assert value.hexdigest() == trailer[name], f"the digest of the {name} differs"
    return header, records


if __name__ == "__main__":
    try:
        head, vectors = read_tv(sys.argv[1])
    except (AssertionError, ValueError, KeyError, IndexError) as error:
        sys.exit(f"{sys.argv[1]}: {error!r}")
    print(f"{head['op']}, {head['configurations']} configurations: {len(vectors)} vectors")
