#!/usr/bin/env python3
"""Writes the examples of a page as one Python program, for type checkers.

usage: examples.py PAGE > program.py

Exits 1 where the page has none.
"""

import doctest
import pathlib
import sys


def main():
    page = pathlib.Path(sys.argv[1])
    examples = doctest.DocTestParser().get_examples(page.read_text(), page.name)
    if not examples:
        sys.exit(f"{page}: no examples")
    print(f'"""The examples of {page.name}."""\n')
    for example in examples:
        if "Traceback" not in (example.exc_msg or "") and example.exc_msg is None:
            print(f"# line {example.lineno + 1}\n{example.source}", end="")


if __name__ == "__main__":
    main()
