#!/usr/bin/env python3
"""Checks that includes and link lines point one way only, layer by layer and module by module.

usage: layering.py ROOT [MODULES.txt]

The diagram of docs/architecture.md draws what a layer uses, above --> below; ALLOWED is what its arrows reach. Modules, the
folders of a layer: their order stands in modules.txt beside this script. Prints each arrow that points back and exits 1;
exits 2 where there is nothing to check. The rules:
  * a file includes and links its own layer and the layers below it (ALLOWED); on its own layer its module and those
    before it in modules.txt;
  * every arrow of the diagram has an include line, and every module a row in docs/maintainers/modules.md;
  * every source stands in a module, every module in modules.txt, and no module holds more than MOST files;
  * fast/ sees the format descriptors and policies of the reference, never its rounding code;
  * reference/ and emulators/ use the C++ standard library only, and no host floating point;
  * of emulators/ the rest sees emulators/casts/ alone, and only where a program offers casts (OFFERS_CASTS);
  * oracle/ sees the descriptors, policies and names of formats, links nothing of the reference and
    reaches none of its rounding code, not even through another header;
  * golden/, oracle/ and emulators/, which write and judge expected answers, reach no module of the reference that uses
    reference/bulk/, not even through another module: the plain kernel answers for them;
  * what backend/ reaches of golden/, which answers the questions of the C library, uses the C++ standard library only,
    whatever header leads there and the sources beside those;
  * bridge/ takes of backend/ what the C interfaces share, never its paths: it answers by the reference;
  * the sources of a library are named, by module or one by one, and chosen by no regular expression (mx_sources());
  * nothing includes tests/; RTL includes nothing.
"""

import re
import sys
from pathlib import Path

ALLOWED = {}  # {layer: what it may use}, which main() reads from the diagram
MOST = 20
# What a layer may include of the reference, where that is not everything: modules and single headers. The oracle also
# shares names and what other models are described by, as data.
DESCRIPTORS = {"reference/policy/policy.hpp", "reference/policy/checked.hpp", "reference/format/"}
ORACLE_SEES = {"reference/catalog/catalog.hpp", "reference/dot/model.hpp", "reference/unit/unit.hpp",
               "reference/policy/operation.hpp", "reference/policy/integer.hpp", "reference/p3109/operation.hpp"}
SEES = {("fast", "reference"): DESCRIPTORS, ("oracle", "reference"): DESCRIPTORS | ORACLE_SEES, ("bridge", "backend"): {"backend/abi/"},
        ("backend", "golden"): {"golden/text/", "golden/bytes/error.hpp", "golden/names/", "golden/explain/", "golden/identify/", "golden/makers/", "golden/questions/"}}
ROUNDING_CODE = ("reference/number/", "reference/element/", "reference/bulk/", "reference/arithmetic/",
                 "reference/block/", "reference/tensor/")
BULK = "bulk"  # the module of the reference whose loops answer faster, and are compared with the kernel
WITHOUT_BULK = ("golden", "oracle", "emulators")
CASTS = "emulators/casts/"
OFFERS_CASTS = ("backend/abi/", "bridge/model/", "cli/")
INTEGERS_ONLY = ("reference", "emulators")
FORBIDDEN_STANDARD = {"cmath", "math.h", "cfenv", "fenv.h", "iostream", "random", "complex"}
SOURCES = {".hpp", ".h", ".cpp", ".c", ".cu", ".cuh"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
FILTERED = re.compile(r"list\(FILTER\s+(mx_\w+)")
LINK = re.compile(r"target_link_libraries\s*\(([^)]*)\)", re.S)


def read_rooms(path):
    """{layer: [module, ...]}, lowest module first."""
    modules = {}
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            layer, names = line.split(":")
            modules[layer] = names.split()
    return modules


def arrows_of(page):
    """(above, below) of every arrow of the page's diagram, whose lines are chains: cli --> sim --> golden."""
    diagram = re.search(r"^```text\n(.*?)^```$", page, re.M | re.S)
    chains = [re.split(r" -+> ", line.strip()) for line in (diagram[1] if diagram else "").splitlines()]
    return {pair for chain in chains for pair in zip(chain, chain[1:])}


def reach(layer, arrows):
    """The layer and what its arrows lead to."""
    found = {layer}
    while more := {below for above, below in arrows if above in found} - found:
        found |= more
    return found


def sources(folder):
    return sorted(p for p in folder.rglob("*") if p.suffix in SOURCES and p.is_file())


def includes(path):
    """(quoted?, name) of every include line."""
    return [(m[1] == '"', m[2]) for m in INCLUDE.finditer(path.read_text())]


def target_of(root, path, name):
    """Where a quoted include leads, from the root; None for a header that belongs to no layer (generated)."""
    beside = (path.parent / name).resolve()
    if beside.is_file() and root in beside.parents:
        return beside.relative_to(root).as_posix()
    if name == "mxgold.h":
        return "backend/abi/mxgold.h"
    return name if name.split("/")[0] in ALLOWED else None


def check_include(shown, layer, target, modules, problems):
    parts = target.split("/")
    if parts[0] not in ALLOWED[layer]:
        problems.append(f'{shown}: "{target}" belongs to {parts[0]}/, which {layer}/ may not use')
    elif parts[0] == layer:
        order = modules.get(layer, [])
        here, there = shown.parts[1], parts[1]
        if here in order and there in order and order.index(there) > order.index(here):
            problems.append(f'{shown}: "{target}" is in a module above {layer}/{here}')
    elif parts[0] == "emulators" and not (target.startswith(CASTS) and shown.as_posix().startswith(OFFERS_CASTS)):
        problems.append(f'{shown}: "{target}" (of emulators/ only {CASTS} is seen, by {", ".join(OFFERS_CASTS)})')
    elif (layer, parts[0]) in SEES:
        seen_here = SEES[layer, parts[0]]
        if not any(target == seen or (seen.endswith("/") and target.startswith(seen)) for seen in seen_here):
            problems.append(f'{shown}: "{target}" ({layer}/ sees only {", ".join(sorted(seen_here))})')


def check_arrows(root, arrows, problems):
    """Each arrow of the diagram is that of an include line, and none leads back."""
    for above, below in sorted(arrows):
        if above in reach(below, arrows):
            problems.append(f"docs/architecture.md: {above} --> {below}: leads back")
        targets = (target_of(root, path, name) for path in sources(root / above) for quoted, name in includes(path) if quoted)
        if not any(target is not None and target.startswith(below + "/") for target in targets):
            problems.append(f"docs/architecture.md: {above} --> {below}: no include line says so")


def check_rows(root, modules, problems):
    """Each module has a row of the page of modules; a row's later modules are named without their layer."""
    named = set()
    for row in re.findall(r"^\| (`[^|]*) \|", (root / "docs/maintainers/modules.md").read_text(), re.M):
        layer = ""
        for name in re.findall(r"`([^`]+)`", row):
            layer = name.split("/")[0] if "/" in name else layer
            named.add(name if "/" in name else f"{layer}/{name}")
    for layer, names in modules.items():
        for name in names:
            if (root / layer / name).is_dir() and f"{layer}/{name}" not in named:
                problems.append(f"docs/maintainers/modules.md: no row for {layer}/{name}")


def check_floor(root, layer, modules, problems):
    files = sources(root / layer)
    for path in files:
        shown = path.relative_to(root)
        if len(shown.parts) < 3:
            problems.append(f"{shown}: stands in no module")
        elif shown.parts[1] not in modules.get(layer, []):
            problems.append(f"{shown}: {layer}/{shown.parts[1]} is no module of modules.txt")
        for quoted, name in includes(path):
            if quoted:
                target = target_of(root, path, name)
                if target is not None and not target.startswith("tests/"):
                    check_include(shown, layer, target, modules, problems)
            elif layer in INTEGERS_ONLY and ("/" in name or name in FORBIDDEN_STANDARD):
                problems.append(f"{shown}: <{name}> ({layer}/ is standard library and integers only)")
        if layer in INTEGERS_ONLY:
            code = COMMENT_OR_STRING.sub(" ", path.read_text())
            for word in sorted(set(re.findall(r"\b(?:float|double)\b", code))):
                problems.append(f"{shown}: {word} ({layer}/ computes with integers only)")
    return len(files)


def check_room_sizes(root, problems):
    """Modules of sources: the layers' and those of tests/."""
    for layer in [*ALLOWED, "tests"]:
        for folder in [p for p in sorted((root / layer).rglob("*")) if p.is_dir() and p.name != "__pycache__"]:
            count = sum(1 for p in folder.iterdir() if p.suffix in SOURCES | {".sh", ".py", ".sv"})
            if count > MOST:
                problems.append(f"{folder.relative_to(root)}: {count} files in one module (at most {MOST})")


def check_links(root, layer, problems):
    for path in sorted((root / layer).rglob("CMakeLists.txt")):
        for name in FILTERED.findall(path.read_text()):
            problems.append(f"{path.relative_to(root)}: {name} are chosen by a regular expression (name them to mx_sources())")
        for call in LINK.finditer(path.read_text()):
            for target in re.findall(r"\bmx_(reference|emulators|golden|sim|fast|backend|oracle|cli|explorer)\w*", call[1]):
                shown = path.relative_to(root)
                if target not in ALLOWED[layer]:
                    problems.append(f"{shown}: links a library of {target}/, which {layer}/ may not use")
                if (layer, target) == ("oracle", "reference"):
                    problems.append(f"{shown}: links the reference (the oracle takes its headers only)")


def check_oracle(root, problems):
    """No chain of includes from the oracle ends in rounding code."""
    for path in sources(root / "oracle"):
        chains = [[path]]
        seen = set()
        while chains:
            chain = chains.pop()
            for quoted, name in includes(chain[-1]):
                target = target_of(root, chain[-1], name) if quoted else None
                if target is None:
                    continue
                if target.startswith(ROUNDING_CODE):
                    via = " -> ".join(str(p.relative_to(root)) for p in chain)
                    problems.append(f"{via}: {target} (the oracle shares only descriptors with the reference)")
                elif (root / target).is_file() and target not in seen:
                    seen.add(target)
                    chains.append(chain + [root / target])


def check_plain(root, problems):
    """No chain of headers from the C library, or source beside one, ends in a library from outside."""
    chains = [[path] for path in sources(root / "backend")]
    seen = set()
    while chains:
        chain = chains.pop()
        for quoted, name in includes(chain[-1]):
            target = target_of(root, chain[-1], name) if quoted else None
            if not quoted and "/" in name and target is None and chain[-1].relative_to(root).parts[0] == "golden":
                via = " -> ".join(str(p.relative_to(root)) for p in chain)
                problems.append(f"{via}: <{name}> (what the C library reaches of golden/ uses the standard library only)")
            if target is None or not target.startswith("golden/"):
                continue
            for path in (root / target, (root / target).with_suffix(".cpp")):
                if path.is_file() and path not in seen:
                    seen.add(path)
                    chains.append(chain + [path])


def rooms_with_bulk(root):
    """The modules of the reference that use reference/bulk/, each with the module that leads there."""
    uses = {}
    for path in sources(root / "reference"):
        module = path.relative_to(root).parts[1]
        for quoted, name in includes(path):
            target = target_of(root, path, name) if quoted else None
            if target is not None and target.startswith("reference/"):
                uses.setdefault(module, set()).add(target.split("/")[1])
    found = {BULK: BULK}
    while True:
        more = {module: min(seen & found.keys()) for module, seen in uses.items() if module not in found and seen & found.keys()}
        if not more:
            return found
        found.update(more)


def check_without_bulk(root, problems):
    """Expected answers come from the plain kernel: no source of golden/ and oracle/ uses a module with bulk loops."""
    found = rooms_with_bulk(root)
    for layer in WITHOUT_BULK:
        for path in sources(root / layer):
            for quoted, name in includes(path):
                target = target_of(root, path, name) if quoted else None
                module = target.split("/")[1] if target is not None and target.startswith("reference/") else None
                if module in found:
                    via = "" if module == BULK else f", which uses reference/{found[module]}"
                    problems.append(f"{path.relative_to(root)}: {target}{via} (expected answers come from the plain kernel)")


def check_nothing_uses_tests(root, problems):
    for layer in [*ALLOWED, "bench"]:
        for path in sources(root / layer) if (root / layer).is_dir() else []:
            for quoted, name in includes(path):
                target = (path.parent / name).resolve()
                if quoted and (name.startswith("tests/") or (root / "tests") in target.parents):
                    problems.append(f"{path.relative_to(root)}: {name} (nothing uses tests/)")
    for path in sorted((root / "rtl").glob("*.sv")):
        if re.search(r"^\s*`include", path.read_text(), re.M):
            problems.append(f"{path.relative_to(root)}: `include (RTL uses packages and modules by name)")


def main():
    if len(sys.argv) not in (2, 3):
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    root = Path(sys.argv[1]).resolve()
    modules = read_rooms(Path(sys.argv[2]) if len(sys.argv) == 3 else Path(__file__).with_name("modules.txt"))
    arrows = arrows_of((root / "docs/architecture.md").read_text())
    ALLOWED.update((layer, reach(layer, arrows)) for layer in sorted({layer for arrow in arrows for layer in arrow}))
    problems = []
    counts = {}
    check_arrows(root, arrows, problems)
    check_rows(root, modules, problems)
    for layer in ALLOWED:
        counts[layer] = check_floor(root, layer, modules, problems)
        check_links(root, layer, problems)
    check_room_sizes(root, problems)
    check_oracle(root, problems)
    check_without_bulk(root, problems)
    check_plain(root, problems)
    check_nothing_uses_tests(root, problems)
    for problem in problems:
        print(problem)
    empty = [name for name in modules if counts.get(name, 0) == 0]
    if empty:
        print(f"layering: nothing to check in {', '.join(empty)}")
        return 2
    shown = ", ".join(f"{name} {count}" for name, count in counts.items())
    print(f"layering: {len(problems)} arrows back; files: {shown}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
