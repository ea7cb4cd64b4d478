#!/usr/bin/env python3
"""Copies rtl/ with every defect of a list built in: sim/rtl/faults.txt, or stuck.txt, which has its form.

usage: mutate.py RTL_FOLDER LIST OUT_FOLDER     writes the sources; a defect without a place is left out
       mutate.py --amax RTL_FOLDER LIST OUT_FOLDER      the same of mx_amax and its modules
       mutate.py --check RTL_FOLDER LIST        exits 1 where a defect has no place, or several
       mutate.py --list WHICH LIST              numbers and names of defects, one a line; WHICH: builds or names, by commas
"""

import sys
from pathlib import Path

PACKAGE = """// The defect that is on; 0: none. From 1,000,000 on a wire of a lane that is stuck:
// 1,000,000 + point * 100,000 + lane * 1,000 + bit * 10 + value (points: stuck.txt).
package mx_mutant;
  int chosen, stuck_at;
  logic [31:0] stuck_ones, stuck_zeros;
  function automatic logic [31:0] ones(input int point, input int lane);
    ones = stuck_at == point * 100 + lane ? stuck_ones : '0;
  endfunction
  function automatic logic [31:0] zeros(input int point, input int lane);
    zeros = stuck_at == point * 100 + lane ? stuck_zeros : '0;
  endfunction
endpackage
"""
# Read once, where the simulation begins.
READ = """  import "DPI-C" function int mx_mutant_number();
  initial begin
    mx_mutant::chosen = mx_mutant_number();
    mx_mutant::stuck_at = mx_mutant::chosen / 1000 - 1000;
    mx_mutant::stuck_ones = mx_mutant::chosen % 10 == 1 ? 32'd1 << mx_mutant::chosen / 10 % 100 : 0;
    mx_mutant::stuck_zeros = mx_mutant::chosen % 10 == 0 ? 32'd1 << mx_mutant::chosen / 10 % 100 : 0;
  end

"""
READ_BEFORE = {"mx_quantizer.sv": "  // Policies that are not enabled are constant 0.\n",
               "mx_amax.sv": "  // Stage 0 has the elements' magnitudes,"}


def parse(text):
    """[(number, builds, name, [(file, old, new)])]"""
    faults = []
    field = None
    for line in text.splitlines():
        mark, rest = line[:1], line[2:]
        if mark == "#" or not line:
            field = None
        elif mark == "=":
            name, builds = rest.split(" ")
            faults.append((len(faults) + 1, builds.split(","), name, []))
        elif mark == ":":
            continue
        elif mark == "@":
            file = rest
        elif mark == "-":
            faults[-1][3].append([file, rest, ""])
            field = 1
        elif mark == "+":
            faults[-1][3][-1][2] = rest
            field = 2
        elif field:
            faults[-1][3][-1][field] += "\n" + line
        else:
            raise SystemExit(f"mutate.py: what is this line: {line}")
    return faults


def apply(folder, faults, pattern, chosen="(mx_mutant::chosen == {})"):
    """The changed sources by name, and the texts that have no single place."""
    sources = {path.name: path.read_text() for path in sorted(Path(folder).glob(pattern))}
    lost = []
    for number, _, name, edits in faults:
        changed = {}
        for file, old, new in edits:
            text = changed.get(file, sources[file])
            if text.count(old) != 1:
                lost.append(f"{name}: {file} has {text.count(old)} times, not once: {old}")
            changed[file] = text.replace(old, new.replace("FAULT", chosen.format(number)))
        if not any(entry.startswith(f"{name}: ") for entry in lost):
            sources.update(changed)
    return sources, lost


def main():
    if sys.argv[1:2] == ["--list"]:
        wanted, faults = set(sys.argv[2].split(",")), parse(Path(sys.argv[3]).read_text())
        unknown = wanted.difference(*([name, *builds] for _, builds, name, _ in faults))
        if unknown:
            raise SystemExit(f"mutate.py: no such build or defect: {', '.join(sorted(unknown))}")
        for number, builds, name, _ in faults:
            if wanted & {name, *builds}:
                print(number, name)
        return 0
    check, amax = (sys.argv[1:2] == [option] for option in ("--check", "--amax"))
    folder, rows = sys.argv[2:4] if check or amax else sys.argv[1:3]
    # Other modules beside mx_quantizer have no choice at run time: their tests put one fault at a time in.
    faults = [fault for fault in parse(Path(rows).read_text())
              if check or (fault[1] == ["amax"] if amax else not fault[1][0].startswith(("lfsr", "amax", "mx_")))]
    sources, lost = apply(folder, faults, "**/mx_*.sv" if check or amax else "mx_*.sv")
    if check:
        print("\n".join(lost) or f"PASS: each of {len(faults)} faults has its place")
        return 1 if lost or not faults else 0
    out = Path(sys.argv[-1])
    out.mkdir(parents=True, exist_ok=True)
    top = "mx_amax.sv" if amax else "mx_quantizer.sv"
    sources[top] = sources[top].replace(READ_BEFORE[top], READ + READ_BEFORE[top])
    sources["mx_mutant.sv"] = PACKAGE
    for name, text in sources.items():
        path = out / name
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
