# SPDX-License-Identifier: Apache-2.0
"""Puts the explorer into its page (mkdocs.yml, `hooks`): the modules of explorer/page and what explorer/build made. Where
emscripten was missing, the page says so and how to get it."""

import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[2]
# The page with the marks, and the folder of the parts in the site.
PAGE, PARTS = "explorer.md", "explorer"
PROGRAM, LICENSES = ROOT / "build/explorer/explorer.wasm", ROOT / "build/explorer/licenses.txt"
MARKS = re.compile(r"<!-- explorer -->\n(.*?)<!-- /explorer -->\n", re.S)
LICENSES_MARK = re.compile(r"<!-- licenses -->\n")

MISSING = """!!! warning "This copy of the site was built without the explorer"

    Its program is compiled by Debian's `emscripten`, which was missing. To get it:

    1. `apt-get install emscripten`
    2. `./dev site`

"""
# Browsers load no modules from files.
SERVED = ("Browsers run this page from a server only. In the repository: python3 -m http.server -d build/site, "
          "then open http://localhost:8000/explorer.html")
STARTED = f"""<link rel="stylesheet" href="{PARTS}/explorer.css">

\\1
<script>
if (location.protocol === "file:") document.querySelector("#explorer-app p").textContent = "{SERVED}";
</script>
<script type="module" src="{PARTS}/main.js"></script>

"""
INSIDE = f"The program has parts of LLVM's C++ library and of musl in it: [their licenses]({PARTS}/licenses.txt).\\n"


def on_files(files, config):
    if PROGRAM.is_file():
        for part in [*sorted((ROOT / "explorer/page").iterdir()), PROGRAM, LICENSES]:
            files.append(File.generated(config, f"{PARTS}/{part.name}", content=part.read_bytes()))
    return files


def on_page_markdown(markdown, page, config, files):
    if page.file.src_uri != PAGE:
        return markdown
    is_there = PROGRAM.is_file()
    return LICENSES_MARK.sub(INSIDE if is_there else "", MARKS.sub(STARTED if is_there else MISSING, markdown))
