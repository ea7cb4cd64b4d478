# SPDX-License-Identifier: Apache-2.0
"""Gives each picture of the site the scheme that the reader chose (mkdocs.yml, `hooks`).

A picture of `mxgold plot` follows the system's scheme, as a forge wants it. The site has a switch. So a page gets two
pictures, of which the theme shows one: NAME.light.svg without the rules of the dark scheme, NAME.dark.svg with them always.
"""

import re
from pathlib import Path

DARK = re.compile(r"@media\s*\(prefers-color-scheme:\s*dark\)\s*\{((?:[^{}]*\{[^{}]*\})*)\s*\}")
IMAGE = re.compile(r'<img ([^>]*?)src="([^":]+)\.svg"([^>]*)>')


def in_both_schemes(html):
    """The HTML with two images for each picture."""
    def twice(match):
        before, path, after = match.groups()
        return "".join(f'<img {before}src="{path}.{scheme}.svg#only-{scheme}"{after}>' for scheme in ("light", "dark"))

    return IMAGE.sub(twice, html)


def schemes_of(picture):
    """(light, dark) of a picture's text; the same text where it knows one scheme alone."""
    return DARK.sub("", picture), DARK.sub(lambda match: match[1], picture)


def on_page_content(html, page, config, files):
    return in_both_schemes(html)


def on_post_build(config):
    for file in Path(config["site_dir"]).rglob("*.svg"):
        if file.suffixes[-2:-1] in ([".light"], [".dark"]) or "assets" in file.parts:
            continue
        for scheme, text in zip(("light", "dark"), schemes_of(file.read_text(encoding="utf-8"))):
            file.with_suffix(f".{scheme}.svg").write_text(text, encoding="utf-8")
