#!/usr/bin/env python3
"""The bench of docs/systemc.md is the example that is compiled, and passes.

usage: example_test.py ROOT FOLDER-OF-MXGOLD EXAMPLE
"""

import os
import subprocess
import sys
from pathlib import Path


def main():
    root, folder, example = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    page = (root / "docs/systemc.md").read_text()
    text = (root / "bridge/systemc/examples/bench.cpp").read_text()
    assert f"```cpp\n{text}```" in page, "docs/systemc.md shows another bench than bridge/systemc/examples/bench.cpp"
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
    end = subprocess.run([example], capture_output=True, text=True, env=environment, check=False)
    assert end.returncode == 0 and "dut: PASS 1000/1000 blocks" in end.stdout, end
    # Without vectors it does not pass.
    environment["PATH"] = "/nowhere"
    end = subprocess.run([example], capture_output=True, text=True, env=environment, check=False)
    assert end.returncode != 0 and "PASS" not in end.stdout, end
    print("example_test: passed")


if __name__ == "__main__":
    main()
