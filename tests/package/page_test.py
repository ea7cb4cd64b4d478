#!/usr/bin/env python3
"""Runs the commands of docs/c.md, one block after the other, and compares what they print.

usage: page_test.py PAGE

The commands find mxgold by MXGOLD and PKG_CONFIG_PATH. Exit status: 1 where a block fails or prints something else, and
where fewer than four print anything.
"""

import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "first_day"))
from pages import blocks_of  # noqa: E402  (its folder is no package)


def main():
    page = pathlib.Path(sys.argv[1])
    blocks = [block for block in blocks_of(page.read_text().splitlines()) if block[1] in ("sh", "text")]
    compared = 0
    with tempfile.TemporaryDirectory() as folder:
        printed = ""
        for line, language, lines in blocks:
            text = "\n".join(lines)
            if language == "sh":
                done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=folder, capture_output=True, text=True,
                                      check=False)
                printed = done.stdout.rstrip("\n")
                if done.returncode != 0:
                    sys.exit(f"{page}:{line}: ends with {done.returncode}: {done.stderr[-2000:]}")
                continue
            compared += 1
            if printed != text:
                sys.exit(f"{page}:{line}: prints\n{printed}\nnot\n{text}")
    if compared < 4:
        sys.exit(f"{page}: {compared} blocks were compared")
    print(f"{compared} blocks of {page.name}")


if __name__ == "__main__":
    main()
