#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a walk must not let pass, with this machine's shell in place of a bare system's."""

import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import source
import system
import walk

RIGHT = "```sh\necho a\n```\n```text\na\n```\n"
OTHERS = "```\nnot run\n```\n```json\n{}\n```\n"


def run_here(place, script, environment, limit):
    """As system.run, in a folder instead of a root: paths inside of the copy become paths below the folder."""
    folder = Path(f"{place}{script}").parent
    for file in folder.glob("*.sh"):
        text = file.read_text().replace("apt-get update", "true")
        for inside in ("/reader", "/walk"):
            text = text.replace(f" {inside}", f" {place}{inside}").replace(f'"{inside}', f'"{place}{inside}')
        file.write_text(text)
    return subprocess.run(["bash", f"{place}{script}"], cwd=place, env={"PATH": "/usr/bin:/bin"}, timeout=limit, check=False,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode


class Walks(unittest.TestCase):
    def walked(self, install=RIGHT, tutorial=RIGHT, least=1):
        """(problem, parts, lines) of a walk over two small pages."""
        with tempfile.TemporaryDirectory() as text:
            checkout, place = Path(text, "checkout"), Path(text, "place")
            (checkout / "docs/start").mkdir(parents=True)
            place.mkdir()
            ready = "```sh\nmkdir -p mx/bin && touch mx/bin/activate\n```\n"
            (checkout / "docs/start/install.md").write_text(ready + install)
            (checkout / "docs/start/verify.md").write_text(tutorial)
            with mock.patch.object(system, "run", run_here), \
                    mock.patch.dict(walk.LEAST_COMPARED, {"install": 1, "verify": least}):
                return walk.walk(checkout, place, "verify")

    def test_right_pages_pass(self):
        problem, parts, compared = self.walked(OTHERS + RIGHT, OTHERS + RIGHT)
        self.assertEqual((problem, compared), ("", 2))
        self.assertEqual([part.name for part in parts], ["venv", "install", "verify"])

    def test_what_root_does_comes_before_and_in_a_part_of_its_own(self):
        root = '```sh title="As root"\necho x > ready\n```\n'
        problem, parts, _ = self.walked(tutorial="```sh\ncat ready\n```\n```text\nx\n```\n" + root)
        self.assertEqual(problem, "")
        self.assertEqual([part.name for part in parts], ["venv", "install", "tools", "verify"])

    def test_sections_of_the_page_of_installing_are_for_others(self):
        section = '\n## From source\n```sh\nfalse\n```\n```sh title="As root"\nfalse\n```\n'
        self.assertEqual(self.walked(install=RIGHT + section)[0], "")
        self.assertIn("ends with 1", self.walked(tutorial=RIGHT + section)[0])

    def test_files_of_a_page_are_saved(self):
        page = '```c title="a.c"\nint x;\n```\n```sh\ncat a.c\n```\n```text\nint x;\n```\n'
        self.assertEqual(self.walked(tutorial=page)[0], "")

    def test_another_output_is_found(self):
        for place in ("install", "tutorial"):
            problem, _, _ = self.walked(**{place: RIGHT.replace("echo a", "echo b")})
            self.assertIn("-a\n+b", problem)

    def test_a_failing_block_is_found(self):
        problem, _, _ = self.walked(tutorial=RIGHT + "```sh\necho why; false\n```\n")
        self.assertIn("the block ends with 1; it printed\nwhy", problem)

    def test_too_little_compared_is_found(self):
        self.assertIn("1 lines were compared; at least 2", self.walked(least=2)[0])
        self.assertIn("0 lines were compared; at least 1", self.walked(install=OTHERS)[0])

    def test_limits(self):
        parts = [walk.Part("install", []), walk.Part("verify", [])]
        for install, whole, words in ((60, 600, ""), (60.1, 100, "installing took 60.1 s"), (60, 600.1, "the walk took 600.1 s")):
            parts[0].processor, parts[1].processor = install, whole - install
            self.assertIn(words, walk.beyond(parts))
            self.assertEqual(walk.beyond(parts) == "", words == "")

    def test_the_section_of_the_library_has_commands(self):
        page = Path(__file__).resolve().parents[2] / "docs/start/install.md"
        commands = "".join(step.commands for step in source.steps_of(page))
        self.assertIn("apt install", commands.splitlines()[0])
        self.assertIn("cmake --install", commands)


if __name__ == "__main__":
    unittest.main()
