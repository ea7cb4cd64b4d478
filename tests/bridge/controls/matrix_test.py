#!/usr/bin/env python3
"""Negative controls of matrix.py: a right table passes, and each way to be wrong is named."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = """# Page

| bridge | flipped bit | X | lost answer | empty run | wrong handle or configuration |
|---|---|---|---|---|---|
| DPI-C, `bridge/dpi` | `dpi_rtl` | `dpi_rtl` | `dpi_rtl` | `dpi_rtl` | `dpi_rtl`, `dpi_calls` |
| a pipe | `pipe` | none: two states | `pipe.Lost` | `pipe` | `pipe` |

| bridge | what |
|---|---|
| other | table |
"""
TESTS = "  Test  #1: dpi_rtl\n  Test  #2: dpi_calls\n  Test #13: pipe\n  Test #14: pipe.Lost\n"


class Matrix(unittest.TestCase):
    def check(self, page=PAGE, tests=TESTS, folders=("dpi",)):
        with tempfile.TemporaryDirectory() as scratch:
            root = Path(scratch)
            (root / "page").write_text(page)
            (root / "bridge").mkdir()
            (root / "bridge" / "CMakeLists.txt").write_text("")
            for folder in folders:
                (root / "bridge" / folder).mkdir()
            done = subprocess.run([sys.executable, HERE / "matrix.py", root / "page", root / "bridge", "-"], input=tests,
                                  capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    def refused(self, words, status=1, **changes):
        code, text = self.check(**changes)
        self.assertEqual(code, status, text)
        self.assertIn(words, text)

    def test_a_right_table_passes(self):
        code, text = self.check()
        self.assertEqual(code, 0, text)
        self.assertIn("2 bridges, 1 folders, 0 problems", text)

    def test_a_test_that_is_gone(self):
        self.refused("a pipe, lost answer: pipe.Lost: no such test", tests=TESTS.replace("pipe.Lost", "pipe.lost"))

    def test_an_empty_cell(self):
        self.refused("a pipe, X: the cell is empty", page=PAGE.replace("none: two states", " "))

    def test_no_reason(self):
        self.refused("a pipe, X: names no test and gives no reason", page=PAGE.replace("none: two states", "none:"))
        self.refused("a pipe, X: 'two states' names no test", page=PAGE.replace("none: two states", "two states"))

    def test_a_cell_too_few(self):
        self.refused("a pipe: 5 cells, not 6", page=PAGE.replace("none: two states | ", ""))

    def test_a_row_without_tests(self):
        cells = " | ".join(["none: two states"] * 5)
        self.refused("a socket: no fault has a test", page=PAGE.replace("| a pipe", f"| a socket | {cells} |\n| a pipe"))

    def test_a_folder_without_a_row(self):
        self.refused("bridge/vpi is in no row", folders=("dpi", "vpi"))

    def test_a_row_without_its_folder(self):
        self.refused("bridge/dpi is no folder", folders=("vpi",))

    def test_nothing_to_check(self):
        self.refused("nothing to check: 0 rows", status=2, page="# Page\n")
        self.refused("0 folders", status=2, folders=())
        self.refused("0 tests", status=2, tests="Total Tests: 0\n")


if __name__ == "__main__":
    unittest.main()
