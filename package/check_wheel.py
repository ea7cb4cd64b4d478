#!/usr/bin/env python3
"""Checks wheels before they are given to others.

usage: check_wheel.py WHEEL ... [--most BYTES]

By auditwheel: the platform that a wheel names is one whose systems have all that its libraries ask for, by symbol
versions. By itself: size; nothing but the C library is needed from outside; each shared library exports what begins
with mxgold, or is the entry of a simulator or of Python; licence texts of everything inside. Needs auditwheel and pyelftools (of PyPI).
Prints a line for each wheel, what is wrong with it, and exits 1 where something is; 2 where there is nothing to check.
"""

import argparse
import io
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

from elftools.elf.elffile import ELFFile

SYSTEM = re.compile(r"^(lib(c|m|dl|rt|pthread)\.so\.\d+|ld-linux[-\w]*\.so\.\d+|libc\.musl-\w+\.so\.1|libc\.so|libmxgold\.so\.1)$")
EXPORTED = re.compile(r"^(mxgold_\w+|MXGOLD_\d+|vlog_startup_routines|PyInit__calls)$")
LICENCES = {"mxgold": {"highway", "llvm"},
            "mxgold_tools": {"cli11", "fmt", "highway", "llvm", "nlohmann_json", "openssl", "pugixml", "tbb"}}
SHORTEST_LICENCE = 900  # bytes; what is shorter only points to a text elsewhere
LICENCES_OF_GLIBC = {"gcc"}  # its C++ library is inside; elsewhere clang's is


def elf_problems(name, data):
    """What a program or library needs from outside, or gives to others, that it should not."""
    elf = ELFFile(io.BytesIO(data))
    dynamic = elf.get_section_by_name(".dynamic")
    for tag in dynamic.iter_tags() if dynamic else ():
        if tag.entry.d_tag == "DT_NEEDED" and not SYSTEM.match(tag.needed):
            yield f"{name} needs {tag.needed}"
    if "/bin/" in name:
        return
    exported = [symbol.name for symbol in elf.get_section_by_name(".dynsym").iter_symbols()
                if symbol.entry.st_shndx != "SHN_UNDEF" and symbol.entry.st_info.bind in ("STB_GLOBAL", "STB_WEAK")]
    if not exported:
        yield f"{name} exports nothing"
    for symbol in exported:
        if not EXPORTED.match(symbol):
            yield f"{name} exports {symbol}"
            return


def platform_problems(path):
    """Does auditwheel agree with the platform in the name?"""
    platform = path.stem.split("-")[-1]
    # It looks for no library on this machine, whose own are no part of the question.
    command = [sys.executable, "-m", "auditwheel", "show", "--ldpaths", os.devnull, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(r'platform\s+tag:\s+"([^"]+)"', done.stdout)
    if not found:
        yield f"auditwheel finds no platform: {done.stdout} {done.stderr}"
        return
    granted, asked = (re.match(r"(manylinux|musllinux)_(\d+)_(\d+)_(\w+)", tag) for tag in (found[1], platform))
    if not granted or not asked or granted[1] != asked[1] or granted[4] != asked[4]:
        yield f"named {platform}, but auditwheel says {found[1]}"
    elif (int(granted[2]), int(granted[3])) > (int(asked[2]), int(asked[3])):
        yield f"named {platform}, but it asks for {found[1]}"


def problems(path, most):
    if path.stat().st_size > most:
        yield f"{path.stat().st_size} bytes are more than {most}"
    yield from platform_problems(path)
    seen = 0
    with zipfile.ZipFile(path) as wheel:
        for name in wheel.namelist():
            data = wheel.read(name)
            if data[:4] == b"\x7fELF":
                seen += 1
                yield from elf_problems(name, data)
        texts = {Path(each.filename).name for each in wheel.infolist()
                 if "/licenses/third_party/" in each.filename and each.file_size >= SHORTEST_LICENCE}
        metadata = wheel.read(next(name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))).decode()
    if not seen:
        yield "no library inside"
    wanted = LICENCES[path.name.split("-")[0]] | (LICENCES_OF_GLIBC if "manylinux" in path.name else set())
    for name in sorted(wanted - texts):
        yield f"no licence text of {name}"
    for field in ("Author", "License-Expression", "License-File", "Requires-Python", "Summary"):
        if f"\n{field}: " not in metadata:
            yield f"no {field} in the metadata"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("wheels", nargs="+", type=Path)
    parser.add_argument("--most", type=int, default=15_000_000, help="bytes that a wheel may have")
    arguments = parser.parse_args()
    bad = 0
    for path in arguments.wheels:
        found = list(problems(path, arguments.most))
        bad += bool(found)
        print(f"{path.name}: {path.stat().st_size} bytes, {'; '.join(found) or 'good'}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
