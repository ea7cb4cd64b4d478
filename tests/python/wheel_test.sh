#!/usr/bin/env bash
# Builds the wheel with pip, looks what it needs, installs it into a fresh environment of every Python at hand from
# 3.9 on, and uses it there.
#
# usage: wheel_test.sh CHECKOUT SCRATCH
#
# Exit 77 where no package index can be reached or python3-venv is missing.
set -euo pipefail
root=$1 scratch=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
skip() { echo "skipped: $*"; exit 77; }
fail() { echo "FAIL: $*"; exit 1; }
unset PYTHONPATH MXGOLD_LIBRARY MXGOLD_PROGRAM

rm -rf "$scratch/venv" "$scratch/dist"
mkdir -p "$scratch"
/usr/bin/python3 -m venv "$scratch/venv" || skip "python3 -m venv does not work; apt install python3-venv"
"$scratch/venv/bin/pip" -q install "scikit-build-core>=0.10" || skip "scikit-build-core cannot be had from the index"
# Named as in a build tree, so that ccache knows what it has compiled there.
CC=${CC:-cc} CXX=${CXX:-c++} "$scratch/venv/bin/pip" wheel -q --no-deps --no-build-isolation -w "$scratch/dist" \
  --config-settings=build-dir="$scratch/build" "$root"
wheel=$(echo "$scratch"/dist/mxgold-*-py3-none-*.whl)
[[ -f $wheel ]] || fail "no py3-none wheel in $(ls "$scratch/dist")"
echo "built $(basename "$wheel"), $(stat -c %s "$wheel") bytes"

# Nothing but the C and C++ libraries may come from outside, and nothing verilated may be inside.
rm -rf "$scratch/unpacked"
"$scratch/venv/bin/python" -m zipfile -e "$wheel" "$scratch/unpacked"
chmod +x "$scratch/unpacked/mxgold/_bin/mxgold"
for file in "$scratch"/unpacked/mxgold/libmxgold*.so "$scratch"/unpacked/mxgold/_bin/*; do
  # The package loads libmxgold.so before libmxgold_model.so, which names it so.
  foreign=$(ldd "$file" | grep -vE "$scratch/unpacked|libmxgold\.so\.1|linux-vdso|ld-linux|lib(c|m|stdc\+\+|gcc_s|dl|rt|pthread)\.so" || true)
  [[ -z $foreign ]] || fail "$file needs: $foreign"
done
"$scratch/unpacked/mxgold/_bin/mxgold" run --dut rtl --suite smoke >/dev/null 2>&1 && fail "the program has RTL inside"

used=0
for python in /usr/bin/python3 python3.9 python3.10 python3.11 python3.12 python3.13 python3.14; do
  "$python" -c 'import sys, venv; sys.exit(sys.version_info < (3, 9))' 2>/dev/null || continue
  rm -rf "$scratch/fresh"
  "$python" -m venv "$scratch/fresh"
  "$scratch/fresh/bin/pip" -q install "$wheel" || skip "numpy for $("$python" --version) cannot be had from the index"
  "$scratch/fresh/bin/python" "$here/ten_lines.py" >"$scratch/output"
  grep -q "^<mxgold.Quantized mxfp8_e4m3 of shape (256, 512), 4096 scales along axis 1>: largest error 0" "$scratch/output"
  grep -q "^<mxgold.Difference of torchao-0.18 and te" "$scratch/output"
  [[ $("$scratch/fresh/bin/python" -c 'from mxgold.bench import Model; print(Model("format=mxfp4").answer(source=[0x3F800000] * 32).results["scale"])') == "[125]" ]] ||
    fail "the models for benches"
  [[ $("$scratch/fresh/bin/mxgold" --version) == "mxgold "* ]] || fail "the program on the path of the environment"
  echo "used by $("$scratch/fresh/bin/python" --version), numpy $("$scratch/fresh/bin/python" -c 'import numpy; print(numpy.__version__)')"
  used=$((used + 1))
done
[[ $used -gt 0 ]] || fail "no Python used the wheel"
