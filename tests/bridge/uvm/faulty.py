#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sources of rtl/ with every fault of sim/rtl/faults.txt in them; mx_fault::chosen says which one there is.

usage: faulty.py SOURCE_ROOT FOLDER     writes them, one file a module
"""

import sys
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(sys.argv[1])
sys.path.insert(0, str(ROOT / "tests/rtl"))
import mutate  # noqa: E402

PACKAGE = """// Which of the faults there is; 0: none.
package mx_fault;
  int chosen;
endpackage
"""


def main():
    faults = mutate.parse((ROOT / "sim/rtl/faults.txt").read_text())
    sources, lost = mutate.apply(ROOT / "rtl", faults, "**/mx_*.sv", "(mx_fault::chosen == {})")
    if lost:
        print("\n".join(lost))
        return 1
    folder = Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in sources.items():
        (folder / name).write_text(text)
    (folder / "mx_fault.sv").write_text(PACKAGE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
