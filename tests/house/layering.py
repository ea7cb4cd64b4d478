#!/usr/bin/env python3
"""Checks that includes and link lines point one way only: reference -> golden -> sim -> cli, fast -> sim,
reference (descriptors) -> oracle -> cli.

usage: layering.py ROOT

Prints each arrow that points back and exits 1; exits 2 where there is nothing to check. The rules:
  * a layer includes and links itself and the layers below it (ALLOWED);
  * fast/ sees the format descriptors and policies of the reference, never its rounding code;
  * reference/ uses the C++ standard library only, and no host floating point;
  * oracle/ sees the descriptors, policies and names of formats, links nothing of the reference and
    reaches none of its rounding code, not even through another header;
  * nothing includes tests/; RTL includes nothing.
"""

import re
import sys
from pathlib import Path

ALLOWED = {
    "reference": {"reference"},
    "golden": {"reference", "golden"},
    "sim": {"reference", "golden", "fast", "sim"},
    "fast": {"reference", "fast"},
    "oracle": {"reference", "oracle"},
    "cli": {"reference", "golden", "sim", "fast", "oracle", "cli"},
}
DESCRIPTORS = {"reference/format/format.hpp", "reference/format/rows.hpp", "reference/format/table.hpp", "reference/policy/policy.hpp"}
# What a layer may include of the reference, where that is not everything.
# The oracle also shares names and what other models are described by, as data.
ORACLE_SEES = {"reference/catalog/catalog.hpp", "reference/dot/model.hpp", "reference/p3109/operation.hpp"}
SEES = {"fast": DESCRIPTORS, "oracle": DESCRIPTORS | ORACLE_SEES}
ROUNDING_CODE = {
    "reference/number/unpacked.hpp",
    "reference/element/encode.hpp",
    "reference/number/rounding.hpp",
    "reference/block/quantizer.hpp",
    "reference/tensor/tensor.hpp",
}
FORBIDDEN_STANDARD = {"cmath", "math.h", "cfenv", "fenv.h", "iostream", "random", "complex"}
SOURCES = {".hpp", ".h", ".cpp", ".c", ".cu", ".cuh"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
LINK = re.compile(r"target_link_libraries\s*\(([^)]*)\)", re.S)


def sources(folder):
    return sorted(p for p in folder.rglob("*") if p.suffix in SOURCES and p.is_file())


def includes(path):
    """(quoted?, name) of every include line."""
    return [(m[1] == '"', m[2]) for m in INCLUDE.finditer(path.read_text())]


def layer_of(root, path, name):
    """The layer that a quoted include names; None for a header that belongs to no layer (generated)."""
    beside = (path.parent / name).resolve()
    if beside.is_file() and root in beside.parents:
        return beside.relative_to(root).parts[0]
    match = re.match(r"mx/(golden|sim|fast|oracle|cli)/", name)
    if match:
        return match[1]
    return "reference" if name.startswith("mx/") or name == "mxgold.h" else None


def check_layer(root, layer, problems):
    files = sources(root / layer)
    for path in files:
        shown = path.relative_to(root)
        for quoted, name in includes(path):
            if not quoted:
                if layer == "reference" and ("/" in name or name in FORBIDDEN_STANDARD):
                    problems.append(f"{shown}: <{name}> (reference/ is standard library and integers only)")
                continue
            target = layer_of(root, path, name)
            if target is not None and target not in ALLOWED[layer]:
                problems.append(f'{shown}: "{name}" belongs to {target}/, which {layer}/ may not use')
            if layer in SEES and target == "reference" and name not in SEES[layer]:
                problems.append(f'{shown}: "{name}" ({layer}/ sees only {", ".join(sorted(SEES[layer]))})')
        if layer == "reference":
            code = COMMENT_OR_STRING.sub(" ", path.read_text())
            for word in sorted(set(re.findall(r"\b(?:float|double)\b", code))):
                problems.append(f"{shown}: {word} (reference/ computes with integers only)")
    return len(files)


def check_links(root, layer, problems):
    for path in sorted((root / layer).rglob("CMakeLists.txt")):
        for call in LINK.finditer(path.read_text()):
            for target in re.findall(r"\bmx_(reference|golden|sim|fast|oracle|cli)\w*", call[1]):
                shown = path.relative_to(root)
                if target not in ALLOWED[layer]:
                    problems.append(f"{shown}: links a library of {target}/, which {layer}/ may not use")
                if (layer, target) == ("oracle", "reference"):
                    problems.append(f"{shown}: links the reference (the oracle takes its headers only)")


def header_path(root, includer, name):
    """The file of a quoted include, or None if it is not in the tree."""
    candidates = [includer.parent / name]
    candidates += [folder / name for folder in root.glob("*/include")]
    candidates += [folder / name for folder in root.glob("*/*/include")]
    candidates.append(root / "tests" / "support" / name)
    return next((c.resolve() for c in candidates if c.is_file()), None)


def check_oracle(root, problems):
    for path in sources(root / "oracle"):
        chains = [[path]]
        seen = set()
        while chains:
            chain = chains.pop()
            for quoted, name in includes(chain[-1]):
                if not quoted:
                    continue
                if name in ROUNDING_CODE:
                    via = " -> ".join(str(p.relative_to(root)) for p in chain)
                    problems.append(f"{via}: {name} (the oracle shares only descriptors with the reference)")
                    continue
                header = header_path(root, chain[-1], name)
                if header is not None and header not in seen and root in header.parents:
                    seen.add(header)
                    chains.append(chain + [header])


def check_nothing_uses_tests(root, problems):
    for layer in [*ALLOWED, "bench"]:
        for path in sources(root / layer) if (root / layer).is_dir() else []:
            for quoted, name in includes(path):
                target = (path.parent / name).resolve()
                if quoted and (root / "tests") in target.parents:
                    problems.append(f"{path.relative_to(root)}: {name} (nothing uses tests/)")
    for path in sorted((root / "rtl").glob("*.sv")):
        if re.search(r"^\s*`include", path.read_text(), re.M):
            problems.append(f"{path.relative_to(root)}: `include (RTL uses packages and modules by name)")


def main():
    if len(sys.argv) != 2:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    root = Path(sys.argv[1]).resolve()
    problems = []
    counts = {}
    for layer in ALLOWED:
        counts[layer] = check_layer(root, layer, problems)
        check_links(root, layer, problems)
    check_oracle(root, problems)
    check_nothing_uses_tests(root, problems)
    for problem in problems:
        print(problem)
    empty = [name for name, count in counts.items() if count == 0]
    if empty:
        print(f"layering: nothing to check in {', '.join(empty)}")
        return 2
    shown = ", ".join(f"{name} {count}" for name, count in counts.items())
    print(f"layering: {len(problems)} arrows back; files: {shown}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
