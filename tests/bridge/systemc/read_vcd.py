#!/usr/bin/env python3
"""Reads a VCD strictly and counts handshakes on the output of the quantizer at rising clock edges.

usage: read_vcd.py FILE ANSWERS

Exit 1 where a declaration, identifier, width or time is wrong, or the answers are not as many.
"""

import sys


def read_header(words):
    """{identifier: (name, width)}; `words` stands behind $enddefinitions then."""
    pins = {}
    scopes = 0
    for word in words:
        body = []
        if not word.startswith("$"):
            raise ValueError(f"{word}: outside any section")
        for part in words:
            if part == "$end":
                break
            body.append(part)
        if word == "$scope":
            scopes += 1
        elif word == "$upscope":
            scopes -= 1
        elif word == "$var":
            kind, width, identifier, name = body[0], int(body[1]), body[2], body[3]
            if kind not in ("wire", "real", "integer", "reg") or width < 1 or identifier in pins:
                raise ValueError(f"$var {body}")
            pins[identifier] = (name, width)
        elif word == "$enddefinitions":
            if scopes != 0:
                raise ValueError("scopes do not close")
            return pins
    raise ValueError("no $enddefinitions")


def changes(words, pins):
    """(time, {name: value text}) for every time; what stands before the first one is of time 0."""
    time, now = 0, {}
    for word in words:
        if word.startswith("#"):
            yield time, now
            if int(word[1:]) <= time:
                raise ValueError(f"time {word[1:]} after {time}")
            time, now = int(word[1:]), {}
        elif word in ("$dumpvars", "$end", "$comment", "$dumpall"):
            if word == "$comment":
                while next(words) != "$end":
                    pass
        elif word[0] in "01xXzZ":
            name, width = pins[word[1:]]
            if width != 1:
                raise ValueError(f"{name}: one bit of {width}")
            now[name] = word[0]
        elif word[0] in "bB":
            name, width = pins[next(words)]
            if len(word) - 1 > width or set(word[1:]) - set("01xXzZ"):
                raise ValueError(f"{name}: {word}")
            now[name] = word[1:]
        else:
            raise ValueError(f"{word}: no value change")
    yield time, now


def main():
    words = iter(open(sys.argv[1]).read().split())
    pins = read_header(words)
    names = [name for name, _ in pins.values()]
    if len(names) != 16 or dict(pins.values()).get("model_s_axis_tdata") != 1024:
        raise ValueError(f"pins: {names}")
    values, answers, edges = {}, 0, 0
    for time, now in changes(words, pins):
        if now.get("clk_i") == "1" and values.get("clk_i") == "0" and time > 0:
            edges += 1
            answers += values["model_m_axis_tvalid"] == "1" and values["model_m_axis_tready"] == "1"
        values.update(now)
    print(f"read_vcd: {len(names)} pins, {edges} edges, {answers} answers")
    return 0 if answers == int(sys.argv[2]) and edges > answers else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (ValueError, KeyError, StopIteration) as error:
        sys.exit(f"read_vcd: {sys.argv[1]}: {error}")
