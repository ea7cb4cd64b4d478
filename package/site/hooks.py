# SPDX-License-Identifier: Apache-2.0
"""What mkdocs cannot do by itself for a repository whose pages are read in a forge, too (mkdocs.yml, `hooks`).

* Pages outside docs/ (README.md, CONTRIBUTING.md, ...) become pages of the site.
* The reference is made by package/site/reference before, in the folder that MXGOLD_REFERENCE names. Its pages take the
  place of those in docs/ that have the same name: the forge shows one long page, the site a page for each entry.
* Links to other files of the repository lead to a copy in the site, below files/; links to folders to a list.
* A list right below a line of text gets the blank line that Python-Markdown wants.
"""

import json
import os
import posixpath
import re
import subprocess
from pathlib import Path

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[2]
DOCS = "docs"

# Pages outside docs/, by their path in the repository, and where they stand in the site.
OUTSIDE = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "bench/README.md": "bench.md",
    "rtl/README.md": "rtl.md",
    "rtl/dequantizer/README.md": "rtl-dequantizer.md",
    "rtl/nvfp4/README.md": "rtl-nvfp4.md",
    "rtl/dot/README.md": "rtl-dot.md",
    "rtl/amax/README.md": "rtl-amax.md",
}
MADE = "made.json"
STYLE, SEARCH = "site.css", "search.js"
#: The section of the navigation that the made pages stand in.
REFERENCE = "Reference"
ORIGINS = {page: path for path, page in OUTSIDE.items()}

LINK = re.compile(r"(\]\()([^()\s]+)(\))")
CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")
FENCE = re.compile(r" {0,3}(```+|~~~+)")
ITEM = re.compile(r"(?:[-*+]|\d+\.) ")
NO_TEXT = re.compile(r"\s|[-*+] |\d+\. |[#|>]|!!!|$")


def origin_of(uri):
    """Path in the repository of a page of the site."""
    return ORIGINS.get(uri, f"{DOCS}/{uri}")


def page_of(path):
    """The page of the site that a path of the repository has, or None. It need not exist."""
    if path in OUTSIDE:
        return OUTSIDE[path]
    return path[len(DOCS) + 1:] if path.startswith(f"{DOCS}/") else None


def target_of(path):
    """Where a link to `path`, a file or folder of the repository, leads: a page of the site, or a path below files/."""
    if page_of(path) is not None:
        return page_of(path)
    place = ROOT / path
    if place.is_dir():
        readme = page_of(f"{path}/README.md")
        return readme or f"files/{path}/index.md"
    # Browsers show what ends with .txt, and offer the rest for saving.
    return f"files/{path}.txt" if place.is_file() else None


def split_lines(text):
    """(is it code, line) of each line."""
    fence = ""
    for line in text.split("\n"):
        mark = FENCE.match(line)
        if fence:
            yield True, line
            if mark and line.strip() == fence:
                fence = ""
        elif mark:
            fence = mark[1]
            yield True, line
        else:
            yield False, line


def spaced(text):
    """The text with a blank line in front of each list that follows a line of a paragraph."""
    lines, before = [], ""
    for code, line in split_lines(text):
        if not code and ITEM.match(line) and not NO_TEXT.match(before):
            lines.append("")
        lines.append(line)
        before = line
    return "\n".join(lines)


def outside_code(line, change):
    """The line, with `change` made of what is no code span."""
    parts, at = [], 0
    for span in CODE.finditer(line):
        parts += [change(line[at:span.start()]), span[0]]
        at = span.end()
    return "".join([*parts, change(line[at:])])


def rewritten(text, uri, wanted):
    """The text of page `uri` with its links as the site has them; files that it needs are added to `wanted`."""
    folder = posixpath.dirname(origin_of(uri))

    def relink(match):
        link, _, anchor = match[2].partition("#")
        if not link or re.match(r"[a-z]+:", link):
            return match[0]
        path = posixpath.normpath(posixpath.join(folder, link))
        target = None if path.startswith("..") else target_of(path)
        if target is None:
            return match[0]
        if target.startswith("files/"):
            wanted.add(path)
        there = posixpath.relpath(target, posixpath.dirname(uri) or ".")
        return match[1] + there + ("#" + anchor if anchor else "") + match[3]

    return "\n".join(line if code else outside_code(line, lambda part: LINK.sub(relink, part))
                     for code, line in split_lines(text))


def listing(path):
    """A page that lists a folder of the repository, with links to its files; these are returned, too."""
    entries = [entry for entry in (ROOT / path).iterdir() if entry.is_file()]
    names = sorted(entry.name for entry in entries if not entry.name.startswith("."))
    lines = [f"# {path}", ""] + [f"- [{name}]({name}.txt)" for name in names]
    return "\n".join(lines) + "\n", [f"{path}/{name}" for name in names]


def add_repository_files(files, config, wanted):
    for path in sorted(wanted):
        place = ROOT / path
        copies = [path]
        if place.is_dir():
            text, copies = listing(path)
            files.append(File.generated(config, f"files/{path}/index.md", content=text))
        for copy in copies:
            uri = f"files/{copy}.txt"
            if files.get_file_from_path(uri) is None:
                files.append(File.generated(config, uri, content=(ROOT / copy).read_bytes()))


def reference_folder():
    folder = os.environ.get("MXGOLD_REFERENCE")
    if not folder or not (Path(folder) / MADE).is_file():
        raise SystemExit("MXGOLD_REFERENCE names no folder that package/site/reference has made; use ./dev site")
    return Path(folder)


def commit():
    """", commit 561cfd6d"; "" where this is no checkout."""
    end = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"], capture_output=True, text=True,
                         check=False)
    return f", commit {end.stdout.strip()}" if end.returncode == 0 else ""


def pages_of(entry):
    """The pages of a part of a navigation."""
    if isinstance(entry, str):
        return [entry]
    return [page for each in (entry.values() if isinstance(entry, dict) else entry) for page in pages_of(each)]


def on_config(config):
    """Puts the made sections first into the reference, in place of pages of the same name."""
    facts = json.loads((reference_folder() / MADE).read_text(encoding="utf-8"))
    made = facts["sections"]
    section = next(entry for entry in config["nav"] if isinstance(entry, dict) and REFERENCE in entry)
    rest = [entry for entry in section[REFERENCE] if not set(pages_of(entry)) & set(pages_of(made))]
    section[REFERENCE] = made + rest
    config["copyright"] = f"These pages describe mxgold {facts['version']}{commit()}."
    config["extra_css"].append(STYLE)
    config["extra_javascript"].append(SEARCH)
    return config


def add_reference(files, config):
    folder = reference_folder()
    for path in sorted(folder.rglob("*")):
        uri = path.relative_to(folder).as_posix()
        if not path.is_file() or uri == MADE:
            continue
        if (committed := files.get_file_from_path(uri)) is not None:
            files.remove(committed)
        content = path.read_bytes()
        files.append(File.generated(config, uri, content=content.decode() if uri.endswith(".md") else content))


def on_files(files: Files, config):
    # What is in docs/ for programs is no part of the site: tables of rows.
    for file in list(files):
        if os.path.splitext(file.src_uri)[1] not in (".md", ".svg", ".png", ".css", ".html", ".js", ".wasm"):
            files.remove(file)
    for path, page in OUTSIDE.items():
        files.append(File.generated(config, page, content=(ROOT / path).read_text(encoding="utf-8")))
    add_reference(files, config)
    for name in (STYLE, SEARCH):
        files.append(File.generated(config, name, content=(ROOT / "package/site" / name).read_text(encoding="utf-8")))
    wanted = set()
    for file in list(files):
        if file.src_uri.endswith(".md"):
            rewritten(file.content_string, file.src_uri, wanted)
    add_repository_files(files, config, wanted)
    return files


def on_page_markdown(markdown, page, config, files):
    if page.file.src_uri.startswith("files/"):
        return markdown
    return spaced(rewritten(markdown, page.file.src_uri, set()))
