#!/usr/bin/env bash
# The wheel mxgold-tools of a release beside mxgold: built, checked, installed by `pip install mxgold[tools]`, and used
# from where pip put it: the program, models, vector files, and two simulators by the paths that it prints.
#
# usage: tools_test.sh CHECKOUT SCRATCH
#
# Exit 77 where no package index can be reached or python3-venv is missing. A simulator that is missing is said.
set -euo pipefail
root=$1 scratch=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
skip() { echo "skipped: $*"; exit 77; }
fail() { echo "FAIL: $*"; exit 1; }
unset PYTHONPATH MXGOLD_LIBRARY MXGOLD_PROGRAM MXGOLD_MODEL_LIBRARY
export MXGOLD_WHEELS=$scratch/wheels

mkdir -p "$scratch"
rm -rf "$scratch/fresh" "$scratch/unpacked" "$MXGOLD_WHEELS/dist"
python3 -m venv "$scratch/fresh" || skip "python3 -m venv does not work; apt install python3-venv"
"$scratch/fresh/bin/pip" -q install numpy || skip "numpy cannot be had from the index"
"$root/package/wheels" library:x86_64-manylinux tools:x86_64-manylinux
"$scratch/fresh/bin/pip" -q install --no-index --find-links "$MXGOLD_WHEELS/dist" 'mxgold[tools]'
"$scratch/fresh/bin/python" "$here/use.py" "$root/python/README.md" --tools

program=$scratch/fresh/bin/mxgold
"$program" run --dut rtl --suite smoke >/dev/null 2>&1 && fail "the program has RTL inside"
"$program" run --dut cpu --suite smoke >/dev/null || fail "the program does not run a device"
for simulator in vpi dpi; do
  status=0
  "$root/tests/bridge/$simulator/${simulator}_test.sh" calls "$program" "$root" "$scratch" || status=$?
  [[ $status == 0 || $status == 77 ]] || fail "$simulator under a simulator"
done

# Controls: without a model library, and without a package, what needs it fails by its name.
tools=$("$scratch/fresh/bin/python" -c 'import mxgold_tools; print(mxgold_tools.PREFIX)')
rm "$tools/lib/libmxgold_model.so.1" "$tools/share/mxgold/sv/mxgold_scoreboard_pkg.sv"
said=$("$scratch/fresh/bin/python" "$here/use.py" "$root/python/README.md" --tools 2>&1) && fail "used what is not there"
[[ $said == *"mxgold_scoreboard_pkg.sv is not there"* ]] || fail "not named: $said"
said=$("$scratch/fresh/bin/python" -c 'from mxgold.bench import Model; Model("format=mxfp4")' 2>&1) && fail "a model of nothing"
[[ $said == *libmxgold_model.so.1* ]] || fail "not named: $said"
echo "the tools: used, and what was taken away is named"
