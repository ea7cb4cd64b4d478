#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes python/mxgold/_weight_layouts.py: how libraries store weights, as `mxgold list checkpoints` has it.

usage: PYTHONPATH=python MXGOLD_PROGRAM=... python3 python/weight_layouts.py [> python/mxgold/_weight_layouts.py]
"""

from mxgold._program import ask

HEAD = '''# SPDX-License-Identifier: Apache-2.0
"""How libraries store weights in codes and scales. Written by python/weight_layouts.py; tests/python/layouts/test_files.py
compares it with `mxgold list checkpoints`.
"""

from typing import NamedTuple


class WeightLayout(NamedTuple):
    """Names, types and layout of one kind of weights; names are endings."""

    writers: str
    #: The block format; "" where shapes say which elements share a scale.
    block: str
    codes: str
    scales: str
    #: Of the number of the tensor, "" for none.
    level: str
    #: Of the weight.
    weight: str
    codes_types: str
    scales_types: str
    packing: str
    #: "factor", "divisor" or "".
    number: str
    #: "rows", or "groups" where the bytes of a block are an axis of their own.
    form: str
    #: What stands for the last "." of the weight's name.
    joint: str
    #: The ending of a tensor that these weights do not have.
    never_with: str


LAYOUTS = (
'''


def main():
    text = HEAD
    for row in ask("list", "checkpoints")["checkpoints"]:
        if row["form"] != "ggml":
            values = [f'"{value}"' for value in row.values()]
            text += f"    WeightLayout({', '.join(values[:6])},\n                 {', '.join(values[6:])}),\n"
    print(text + ")")


if __name__ == "__main__":
    main()
