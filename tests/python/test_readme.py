"""README.md: its table of systems, recomputed, and its examples."""

import doctest
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import numpy

import mxgold

PAGE = pathlib.Path(os.environ["MXGOLD_ROOT"]) / "README.md"
NUMBERS = {"Inf": numpy.inf, "NaN": numpy.nan}


def rows_of(page):
    """The table as (profile, values, format, cell), a header of profiles and a cell for each."""
    lines = [line for line in page.splitlines() if line.startswith("|")]
    start = next(i for i, line in enumerate(lines) if line.startswith("| block, to |"))
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[start:]]
    profiles = [cell.strip("`") for cell in cells[0][1:]]
    for row in cells[2:]:
        given = re.fullmatch(r"(.+) to (\w+)", row[0])
        if given is None:
            break
        values = [float(NUMBERS.get(text, text)) for text in given[1].split(", ")]
        yield from ((profile, values, given[2], cell) for profile, cell in zip(profiles, row[1:]))


def number(value):
    for name, special in NUMBERS.items():
        if value == special or (value != value and special != special):
            return name
    return f"{value:g}"


def cell_of(profile, values, name):
    """What the page should say."""
    if name not in mxgold.profile(profile).formats:
        return "not defined"
    if mxgold.open_answers(values, name, profile).elements.any():
        return "unspecified"
    q = mxgold.quantize(values, name, profile=profile)
    digits = (mxgold.format(name).element.bits + 3) // 4
    codes = " ".join(f"{code:0{digits}X}" for code in q.code_bits)
    return f"`{q.scale_bits[0]:02X}: {codes}` = {', '.join(number(value) for value in q.dequantize())}"


class Readme(unittest.TestCase):
    def wrong_cells(self, page):
        cells = list(rows_of(page))
        self.assertGreaterEqual(len(cells), 15)
        return [cell for *key, cell in cells if cell != cell_of(*key)]

    def test_the_table(self):
        page = PAGE.read_text()
        self.assertEqual(self.wrong_cells(page), [])
        self.assertEqual(len(self.wrong_cells(page.replace("`80: 77 30` = 480, 1", "`80: 77 31` = 480, 1", 1))), 1)
        self.assertEqual(len(self.wrong_cells(page.replace("unspecified", "not defined", 1))), 1)

    def test_the_examples(self):
        results = doctest.testfile(str(PAGE), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
        self.assertGreaterEqual(results.attempted, 4)
        self.assertEqual(results.failed, 0)

    def test_the_bug_is_found(self):
        if shutil.which("cc") is None:
            self.skipTest("no cc")
        commands, shown = re.search(r"\*\*Verify\*\*.*?```sh\n(.*?)```\n```text\n(.*?)```", PAGE.read_text(), re.DOTALL).groups()
        program = pathlib.Path(os.environ["MXGOLD_PROGRAM"])
        environment = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"}
        with tempfile.TemporaryDirectory() as folder:
            ran = subprocess.run(commands.replace("sim/", f"{PAGE.parent}/sim/"), shell=True, cwd=folder, env=environment,
                                 capture_output=True, text=True, check=False)
        self.assertEqual(ran.returncode, 1, ran.stderr)
        said = (ran.stdout + ran.stderr).splitlines()
        for line in shown.splitlines():
            begins = line.removesuffix(" ...")
            self.assertTrue(any(each.startswith(begins) for each in said), line)

    def test_it_is_one_screen(self):
        prose = re.sub(r"```.*?```", "", PAGE.read_text(), flags=re.DOTALL)
        self.assertLessEqual(len(re.findall(r"[A-Za-z0-9]\S*", prose)), 500)


if __name__ == "__main__":
    unittest.main()
