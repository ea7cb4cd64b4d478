#!/usr/bin/env python3
"""Checks that a fuzz target calls every function that takes bytes of strangers.

usage: fuzzed.py ROOT

Those are what the C headers and the DPI-C package declare, the functions of a plugin's table, and each function of a
header below reference/, golden/, sim/, cli/ and bridge/ whose name begins with parse_ or read_ and which takes a text,
a path or a stream. A reader that no target names stands in THROUGH with the one that is fuzzed in its place. Exits 1
and names what is missing; exits 2 where there is too little to check.
"""

import re
import sys
from pathlib import Path

C_HEADERS = ["backend/abi/mxgold.h", "bridge/model/mxgold_model.h", "bridge/cuda/mxgold_cuda.h"]
DPI = "bridge/dpi/mxgold_pkg.sv"
PLUGIN = "sim/plugin/mxgold_device.h"
DEVICE = "tests/fuzz/interfaces/plugin.cpp"
MODULES = ["reference", "emulators", "golden", "sim", "cli", "bridge"]

# reader: a file that calls or defines it, and the fuzzed function by which a target gets there, or which does its work.
THROUGH = {
    "parse_bits": ("golden/explain/question.cpp", "mxgold_explain"),
    "parse_decimal": ("golden/files/reader_text.cpp", "read_records"),
    "parse_digest": ("golden/files/jsonl.cpp", "read_records"),
    "parse_family": ("reference/catalog/catalog.cpp", "parse_shorthand"),
    "parse_jsonl_configuration": ("golden/files/reader_jsonl.cpp", "read_records"),
    "parse_jsonl_header": ("golden/files/reader_jsonl.cpp", "read_records"),
    "parse_jsonl_record": ("golden/files/reader_jsonl.cpp", "read_records"),
    "parse_jsonl_trailer": ("golden/files/reader_jsonl.cpp", "read_records"),
    "parse_pattern": ("golden/certificates/scale.cpp", "parse_scale"),
    "parse_receipt": ("cli/sweep/receipt.cpp", "read_receipt"),
    "parse_token": ("golden/configuration/text.cpp", "parse_shorthand"),
    "parse_tuple": ("emulators/aimet/aimet.cpp", "make_cast"),
    "read_binary64": ("emulators/torchmx/casts.cpp", "make_cast"),
    "read_certificate": ("golden/certificates/file.cpp", "parse_certificate"),
    "read_circuit": ("sim/gates/circuit.cpp", "parse_circuit"),
    "read_index": ("golden/certificates/index.cpp", "parse_index"),
    "read_log": ("golden/identify/log_file.cpp", "parse_log"),
    "read_scale": ("golden/certificates/scale.cpp", "parse_scale"),
}

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
PROTOTYPE = re.compile(r"^\w[^;{}()]*\([^;{}]*\);", re.M)  # what stands indented is a call
READER = re.compile(r"\[\[nodiscard\]\][^;{}()]*?\b((?:parse|read)_\w+)\(\s*(?:const\s+)?"
                    r"(?:std::(?:string|string_view|istream|filesystem::path)\b|std::span<const std::(?:string|byte)>)")
MEMBER = re.compile(r"mxgold_device_status \(\*(\w+)\)|void \(\*(\w+)\)")


def code_of(path):
    return COMMENT.sub("", path.read_text())


def c_functions(root):
    """Every exported C function, with the file that declares it."""
    for header in C_HEADERS:
        for name in re.findall(r"\bMXGOLD_API [^;(]*?\b(mxgold_\w+)\(", code_of(root / header)):
            yield name, header
    for name in re.findall(r'import "DPI-C" (mxgold_dpi_\w+) =', (root / DPI).read_text()):
        yield name, DPI


def readers(root):
    """Every reader of a header, with the header."""
    for module in MODULES:
        for header in sorted((root / module).rglob("*.hpp")):
            for name in READER.findall(code_of(header)):
                yield name, header.relative_to(root).as_posix()


def through_problem(root, name, calls):
    """Why a reader without a target of its own is not reached after all, or None."""
    place = THROUGH.get(name)
    if place is None:
        return "no target of tests/fuzz calls it"
    file, fuzzed = place
    if not (root / file).is_file() or not re.search(rf"\b{name}\b", code_of(root / file)):
        return f"{file} does not call it, as fuzzed.py says"
    return None if fuzzed in calls else f"no target of tests/fuzz calls {fuzzed}, which reaches it"


def main():
    if len(sys.argv) != 2:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    root = Path(sys.argv[1]).resolve()
    sources = sorted((root / "tests/fuzz").rglob("*.cpp"))
    text = "\n".join(PROTOTYPE.sub("", code_of(path)) for path in sources)
    calls = set(re.findall(r"\w+", text))
    functions, found = list(c_functions(root)), list(readers(root))
    members = [a or b for a, b in MEMBER.findall(code_of(root / PLUGIN))]
    if not sources or not functions or not found or not members:
        print(f"fuzzed: {len(sources)} sources, {len(functions)} functions, {len(found)} readers: nothing to check")
        return 2
    problems = [f"{where}: {name}: no target of tests/fuzz calls it" for name, where in functions if name not in calls]
    plugin = code_of(root / DEVICE) if (root / DEVICE).is_file() else ""
    problems += [f"{PLUGIN}: {name}: {DEVICE} has no such function" for name in members
                 if not re.search(rf"\b{name}\(mxgold_device|\b{name}\(const char", plugin)]
    for name, where in found:
        wrong = None if name in calls else through_problem(root, name, calls)
        problems += [f"{where}: {name}: {wrong}"] if wrong else []
    names = {name for name, _ in found}
    problems += [f"fuzzed.py: {name}: no such reader" for name in THROUGH if name not in names]
    print("".join(problem + "\n" for problem in problems), end="")
    print(f"fuzzed: {len(functions)} C functions, {len(members)} of plugins, {len(found)} readers, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
