#!/usr/bin/env python3
"""Writes python/mxgold/_literals.py: the names that the library lists, as types for editors and type checkers.

usage: PYTHONPATH=python MXGOLD_LIBRARY=... python3 python/literals.py [> python/mxgold/_literals.py]
"""

import textwrap

from mxgold._names import names
from mxgold._policies import setting_names

HEAD = '''"""The names that the library lists, as types. Written by python/literals.py; tests/python/test_names.py compares."""

from __future__ import annotations

from typing import Literal, TypedDict, Union
'''


def literal(name, values):
    listed = textwrap.fill(", ".join(f'"{value}"' for value in values), 115, initial_indent="    ",
                           subsequent_indent="    ", break_on_hyphens=False)
    return f"\n{name} = Literal[\n{listed},\n]\n"


def spelt(name):
    return "".join(part.capitalize() for part in name.split("_"))


def main():
    text = HEAD
    text += literal("ElementName", names("formats")) + literal("BlockName", names("blocks"))
    text += literal("OperationName", names("operations")) + literal("IntegerName", names("integers"))
    text += literal("OutOfRange", names("out_of_range")) + literal("UnitName", names("units"))
    fields = []
    for name in setting_names():
        values = names(name)
        if values:
            text += literal(spelt(name), values)
        fields.append(f"    {name}: {f'Union[{spelt(name)}, str]' if values else 'Union[int, str]' if name in ('random_bits', 'block_size') else 'str'}\n")
    text += '\n\nclass Settings(TypedDict, total=False):\n    """The keywords of a policy."""\n\n' + "".join(fields)
    print(text, end="")


if __name__ == "__main__":
    main()
