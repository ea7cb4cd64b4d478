"""The mxgold program, and what C programs and simulators load, as an installed tree.

PREFIX has bin, include, lib and share/mxgold (SystemVerilog packages in sv, the quantizer in rtl).
"""

import os
import sys

__all__ = ["MODEL_LIBRARY", "PREFIX", "PROGRAM", "main"]

# An editable install has this file in one folder and the tree in another.
PREFIX = next(folder for folder in __path__ if os.path.exists(os.path.join(folder, "bin", "mxgold")))
PROGRAM = os.path.join(PREFIX, "bin", "mxgold")
MODEL_LIBRARY = os.path.join(PREFIX, "lib", "libmxgold_model.so.1")


def main() -> None:
    """The program, in place of this process: the command `mxgold` of a Python environment."""
    os.execv(PROGRAM, [PROGRAM, *sys.argv[1:]])
