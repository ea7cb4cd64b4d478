# SPDX-License-Identifier: Apache-2.0
"""Python: a page for each theme, from the docstrings and annotations of the package."""

from __future__ import annotations

import re
from pathlib import Path

from book import Book, Entry
from markdown import block, code, link, one_line, plain, table
from sources.docstring import markdown_of, prose
from sources.python_source import Name, Package
from sources.uses import Uses

INDEX = "reference/python/index.md"

#: Themes of what `import mxgold` gives: page, title, what it is about, the modules that define it.
_THEMES = (
    ("casts", "Casts of single values", "Convert arrays from one format to another.",
     ("_convert", "_homes")),
    ("blocks", "Blocks with a shared scale", "Quantize tensors in blocks, and dequantize them.",
     ("_tensors", "_quantized", "_hadamard")),
    ("layouts", "Packing and scale layouts", "Bring codes and scales into the layout that a matrix unit takes.",
     ("_packing", "_layouts")),
    ("formats", "Formats", "Look up a format, or define one.", ("_formats", "_define")),
    ("policies", "Policies and profiles", "Choose what a format leaves open.", ("_policies", "_expanded")),
    ("products", "Dot products and matrix units", "Multiply blocks, every rounding named.", ("_dots", "_units")),
    ("arithmetic", "Arithmetic", "Compute operations of IEEE 754 in any format.", ("_arith", "_scalar")),
    ("explain", "Explain and compare", "Ask what decided each code, and compare an implementation with the reference.",
     ("_explain", "_judged")),
    ("identify", "Identify systems", "Ask which system made a tensor, and where two systems differ.", ("_compare",)),
    ("files", "Tensor files", "Read and write tensors in files.", ("_files",)),
    ("package", "The package", "Its version, its errors, and how the emulated libraries answer.", ()),
)
#: Modules with a page of their own, and the emulated libraries, whose names are those of the originals.
_MODULES = ("vectors", "measure", "plot", "torch", "bench")
_EMULATED = ("aimet", "dmx", "microxcaling", "qtorch", "torchmx")


def page_of(name: str) -> str:
    return f"reference/python/{name}.md"


def anchor_of(name: Name) -> str:
    """Underscores around a name would make it bold."""
    return name.name.strip("_")


def theme_of(name: Name) -> str:
    module = name.module.rpartition(".")[2]
    return next((theme[0] for theme in _THEMES if module in theme[3]), "package")


def place_in(text: str, name: str) -> int:
    """Where a text first calls a function; behind the text where it does not."""
    match = re.search(rf"\b{re.escape(name)}\(", text)
    return match.start() if match else len(text)


def signature(name: Name, prefix: str) -> str:
    """As one would write it, an argument a line where it is long."""
    text = name.signature if name.kind == "class" else prefix + name.signature
    if len(text) <= 88 or "(" not in text:
        return text
    head, _, rest = text.partition("(")
    inside, depth, start, arguments = rest, 0, 0, []
    end = 0
    for at, letter in enumerate(inside):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(letter, 0)
        if depth < 0:
            end = at
            break
        if letter == "," and depth == 0:
            arguments.append(inside[start:at].strip())
            start = at + 1
    arguments.append(inside[start:end].strip())
    return f"{head}(\n    " + ",\n    ".join(each for each in arguments if each) + ",\n)" + inside[end + 1:]


def member_section(member: Name, owner: str) -> str:
    heading = f"### {code(f'{owner}.{member.name}')} {{ #{owner}.{member.name} }}"
    return "\n\n".join(part for part in (heading, block(member.signature, "python"), markdown_of(member.text)) if part)


def attribute_table(members: list[Name]) -> str:
    """Attributes and properties in a table: name, type and meaning."""
    rows = []
    for member in members:
        _, _, kind = member.signature.partition(": ")
        rows.append((code(member.name), code(kind), prose(" ".join(member.text.split()))))
    return table(("attribute", "type", "meaning"), rows)


def section(name: Name, prefix: str) -> str:
    """A function or a class with its members."""
    parts = [f"## {code(prefix + name.name)} {{ #{anchor_of(name)} }}"]
    if name.signature:
        parts.append(block(signature(name, prefix), "python"))
    parts.append(markdown_of(name.text))
    attributes = [member for member in name.members if member.kind in ("attribute", "property")]
    # What is longer than a cell of a table has a section of its own.
    long = [member for member in attributes if ">>>" in member.text or len(member.text) > 300]
    short = [member for member in attributes if member not in long]
    if short:
        parts.append(attribute_table(short))
    parts += [member_section(member, name.name) for member in name.members if member not in short]
    return "\n\n".join(part for part in parts if part)


def row(name: Name, prefix: str, uri: str) -> tuple[str, str]:
    return (link(code(prefix + name.name), INDEX, uri, anchor_of(name)), prose(one_line(name.text)))


def add_module(book: Book, package: Package, module: str) -> list[tuple[str, str]]:
    """A page for a public module; its rows for the index."""
    dotted, uri = f"mxgold.{module}", page_of(module)
    found = [(each, package.find_below(dotted, each)) for each in package.public_names(dotted)]
    names = [name for _, name in found if name is not None and name.kind != "module"]
    inner = [name.name for _, name in found if name is not None and name.kind == "module"]
    prefix = f"{dotted}."
    more = f"Modules: {', '.join(code(prefix + each) for each in inner)}." if inner else ""
    needs = "It needs PyTorch." if module == "torch" else ""
    book.add(uri, f"# {dotted}", markdown_of(package.docstring(dotted)), needs, more,
             *(section(name, prefix) for name in names))
    return [row(name, prefix, uri) for name in names]


def add_python(book: Book, root: Path, uses: Uses) -> None:
    package = Package(root / "python")
    public = [(each, package.find("mxgold", each)) for each in package.public_names("mxgold")]
    missing = [each for each, name in public if name is None]
    if missing:
        raise ValueError(f"python/mxgold: no definition of {', '.join(missing)}")
    names = [name for _, name in public if name is not None and name.kind != "module"]
    names.sort(key=lambda name: (name.kind == "class", place_in(package.docstring("mxgold"), name.name)))
    entries: list[Entry] = []
    parts: list[str] = []
    for theme, title, purpose, _ in _THEMES:
        of_theme = [name for name in names if theme_of(name) == theme]
        uri = page_of(theme)
        listed = "\n".join(f"- {link(code('mxgold.' + name.name), uri, uri, anchor_of(name))}" for name in of_theme)
        calls = "|".join(re.escape(name.name) for name in of_theme)
        shown = uses.of(rf"\bmxgold\.({calls})\(", uri) if calls else ""
        book.add(uri, f"# {title}", purpose, listed, *(section(name, "mxgold.") for name in of_theme),
                 "## Pages that use it\n\n" + shown if shown else "")
        entries.append({title: uri})
        parts.append(f"## {link(title, INDEX, uri)} {{ #{theme} }}\n\n"
                     + table(("name", "what it is"), [row(name, "mxgold.", uri) for name in of_theme]))
    for module in _MODULES:
        rows = add_module(book, package, module)
        parts.append(f"## {link(code(f'mxgold.{module}'), INDEX, page_of(module))} {{ #{module} }}\n\n"
                     + table(("name", "what it is"), rows))
        entries.append({f"mxgold.{module}": page_of(module)})
    emulated: list[Entry] = []
    rows = []
    for module in _EMULATED:
        add_module(book, package, module)
        rows.append((link(code(f"mxgold.{module}"), INDEX, page_of(module)),
                     plain(one_line(package.docstring(f"mxgold.{module}")))))
        emulated.append({f"mxgold.{module}": page_of(module)})
    entries.append({"Emulated libraries": emulated})
    parts.append("## Emulated libraries { #emulated }\n\n" + table(("module", "what it is"), rows))
    book.add(INDEX, "# Python API", "Names, arguments and examples of the package `mxgold`.",
             f"{link('Python', INDEX, 'python.md')} introduces them.", *parts)
    book.section("Python API", [INDEX, *entries])
