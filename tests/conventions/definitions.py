#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that no qualified name of a type is defined twice in the product's C++.

usage: definitions.py ROOT

Two classes of one name in one program are undefined behaviour: the linker keeps one of their functions and
says nothing. So `mx::golden::Verdict` may be defined in one file only. Types in unnamed namespaces, local
types and specializations of templates are left out; a declaration without a body is no definition. So are the
sources `without_highway.cpp`, which CMake builds in place of a module whose library is not there.
Exits 1 and names the places; exits 2 where there is nothing to check.
"""

import re
import sys
from pathlib import Path

LAYERS = ("backend", "bridge", "cli", "emulators", "fast", "golden", "oracle", "reference", "sim")
SUFFIXES = {".hpp", ".cpp", ".h", ".cu", ".cuh", ".inl"}
STUB = "without_highway.cpp"

# Comments, literals and preprocessor lines: whatever may hold a brace that opens nothing.
NOISE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])\'(?:\\.|[^\'\\\n])+\''
    r"|^[ \t]*\#(?:\\\n|[^\n])*",
    re.DOTALL | re.MULTILINE,
)
NAMESPACE = re.compile(r"\bnamespace\s*(?P<name>[\w:]*)\s*$")
TYPE = re.compile(
    r"(?:^|[;{}>]|\btypedef\b)\s*(?:class|struct|union|enum(?:\s+(?:class|struct))?)\s+"
    r"(?:alignas\s*\([^)]*\)\s*|\[\[[^\]]*\]\]\s*|[A-Z][A-Z0-9]*_[A-Z0-9_]*\s+)*(?P<name>\w+(?:::\w+)*)\s*(?:final\b)?\s*(?::(?!:)[^;{}()]*)?$"
)
POLICY = re.compile(r"^MX_POLICY\((\w+),")
EXTERN_C = re.compile(r'\bextern\s*$')


def without_noise(text):
    """The text with comments, literals and directives blanked, so that every line keeps its number."""
    return NOISE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)


def definitions(text):
    """(qualified name, line) of each type that is defined at namespace scope or in such a type."""
    code = without_noise(text)
    scopes = []  # the name that each open brace adds; None: what is inside has no name of its own
    start = 0
    for brace in re.finditer(r"[{}]", code):
        if brace[0] == "}":
            if scopes:
                scopes.pop()
            start = brace.end()
            continue
        head = re.sub(r"\s+", " ", code[start : brace.start()]).strip()
        head = head[head.rfind(";") + 1 :].strip() if "(" not in head else head
        name = None
        namespace = NAMESPACE.search(head)
        found = TYPE.search(head)
        if namespace:
            name = namespace["name"] or None
        elif EXTERN_C.search(head):
            name = ""
        elif found:
            name = found["name"]
            if None not in scopes:
                qualified = "::".join([s for s in scopes if s] + [name])
                yield qualified, code.count("\n", 0, brace.start()) + 1
        scopes.append(name)
        start = brace.end()


def policies(text):
    """The enumerations that the macro MX_POLICY defines, all in namespace mx."""
    for number, line in enumerate(text.splitlines(), 1):
        match = POLICY.match(line)
        if match:
            yield f"mx::{match[1]}", number


def main():
    if len(sys.argv) != 2:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    root = Path(sys.argv[1]).resolve()
    files = sorted(p for layer in LAYERS for p in (root / layer).rglob("*") if p.suffix in SUFFIXES and p.name != STUB)
    places = {}
    for path in files:
        text = path.read_text()
        for name, line in [*definitions(text), *policies(text)]:
            places.setdefault(name, []).append(f"{path.relative_to(root)}:{line}")
    if not places:
        print(f"definitions: no type is defined under {root}")
        return 2
    twice = {name: where for name, where in places.items() if len(where) > 1}
    for name, where in sorted(twice.items()):
        print(f"{name}: defined {len(where)} times: {', '.join(where)}; rename all but one")
    print(f"definitions: {len(places)} types in {len(files)} files, {len(twice)} defined more than once")
    return 1 if twice else 0


if __name__ == "__main__":
    sys.exit(main())
