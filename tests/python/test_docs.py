"""Every example of the Python pages and of the docstrings; help() speaks of everything public."""

import ast
import doctest
import importlib.util
import inspect
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import numpy

import mxgold

ROOT = pathlib.Path(os.environ["MXGOLD_ROOT"])
PAGES = (ROOT / "docs/python.md", *sorted((ROOT / "docs/howto").glob("python-*.md")))
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
GENERAL = ("_compare", "_convert", "_dots", "_hadamard", "_homes", "_names", "_explain", "_files", "_formats", "_layouts", "_packing", "_policies", "_tensors", "measure", "vectors")


class Examples(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)

    def assert_run(self, results, least, name):
        self.assertGreaterEqual(results.attempted, least, f"{name} has lost its examples")
        self.assertEqual(results.failed, 0, f"examples of {name}")

    def test_the_pages(self):
        attempted = 0
        for page in PAGES:
            if page.stem == "python-torch" and importlib.util.find_spec("torch") is None:
                self.assertIn("fake_quantize", page.read_text())
                continue
            results = doctest.testfile(str(page), module_relative=False, optionflags=FLAGS)
            self.assert_run(results, 5, page.name)
            attempted += results.attempted
        self.assertGreaterEqual(attempted, 100)

    def test_the_page_of_the_index(self):
        results = doctest.testfile(str(ROOT / "python/README.md"), module_relative=False, optionflags=FLAGS)
        self.assert_run(results, 8, "python/README.md")

    def test_no_example_of_a_page_stands_outside_a_doctest(self):
        for page in (*PAGES, ROOT / "python/README.md"):
            for block in page.read_text().split("```python\n")[1:]:
                self.assertTrue(block.startswith(">>> "), block[:60])

    def test_the_docstrings(self):
        for name in GENERAL:
            module = importlib.import_module(f"mxgold.{name}")
            results = doctest.testmod(module, globs={"mxgold": mxgold, "numpy": numpy}, optionflags=FLAGS)
            self.assert_run(results, 1, name)

    def test_the_ten_lines(self):
        script = ROOT / "tests" / "python" / "ten_lines.py"
        self.assertEqual(len([line for line in script.read_text().splitlines() if line]), 10)
        done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
        self.assertIn("4096 scales along axis 1", done.stdout)


class Help(unittest.TestCase):
    def test_everything_public_is_explained(self):
        for name in mxgold.__all__:
            if name == "__version__":
                continue
            thing = getattr(mxgold, name)
            self.assertGreater(len(inspect.getdoc(thing) or ""), 40, name)
            if inspect.isfunction(thing):
                # Of a function whose arguments are another's, "arguments as for NAME()" says enough.
                others = re.findall(r"(?:[Aa]rguments(?: and results)?|Others) as for (\w+)\(\)", thing.__doc__)
                explained = " ".join([thing.__doc__, *(getattr(mxgold, other).__doc__ for other in others)])
                for parameter in inspect.signature(thing).parameters.values():
                    self.assertRegex(explained, rf"\b{parameter.name}\b", f"{name}() says nothing of it")
            self.assertIn(name, mxgold.__doc__ + " ".join(mxgold.__all__))

    def test_every_module_says_what_it_is_for(self):
        sources = list((ROOT / "python" / "mxgold").rglob("*.py"))
        self.assertGreater(len(sources), 80)
        for source in sources:
            if source.name != "__main__.py":
                self.assertTrue(ast.get_docstring(ast.parse(source.read_text())), source)


if __name__ == "__main__":
    unittest.main()
