#!/usr/bin/env python3
"""Runs one file of tests.

usage: run.py FILE

Exits 77, saying what is missing, where numpy is; 1 where a test fails or none ran. Skipped tests say why.
"""

import importlib.util
import pathlib
import sys
import unittest


def main():
    if len(sys.argv) != 2:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    if importlib.util.find_spec("numpy") is None:
        print("skipped: numpy is missing; on Debian, apt install python3-numpy")
        return 77
    file = pathlib.Path(sys.argv[1]).resolve()
    sys.path.insert(0, str(file.parent))
    suite = unittest.defaultTestLoader.loadTestsFromName(file.stem)
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(suite)
    if result.testsRun == len(result.skipped):
        print("nothing was run")
        return 1
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
