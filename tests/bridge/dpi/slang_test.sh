#!/bin/bash
# The DPI-C packages in the language that all simulators share: slang elaborates packages and benches
# with warnings as errors, and objects to broken ones. UVM itself is in no package of Debian: where
# MXGOLD_UVM_HOME names a checkout of Accellera's uvm-core, slang elaborates the environment around our units;
# elsewhere that is not done, and said.
# Usage: slang_test.sh SOURCE_ROOT [VENV]; 77: no pyslang (./dev lint installs it)
set -eu
root=$1
venv=${2:-$root/build/venv-lint}
here=$root/tests/bridge/dpi
python=$venv/bin/python3
if ! "$python" -c 'import pyslang' 2>/dev/null; then
  echo "SKIP slang on the DPI-C packages and the UVM component: no pyslang in $venv; ./dev lint installs it"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
check() { "$python" "$here/slang_check.py" "$@"; }
refuse() {
  if check "$@" >"$work/refused.txt" 2>&1; then
    echo "slang takes a broken package: $*"
    exit 1
  fi
}

packages=("$root/bridge/dpi/mxgold_pkg.sv" "$root/bridge/dpi/mxgold_scoreboard_pkg.sv")
for bench in calls pipe_device; do
  check elaborate "${packages[@]}" "$here/$bench.sv"
done
sed 's/mxgold_score_count/mxgold_score_cuont/' "${packages[1]}" >"$work/mxgold_scoreboard_pkg.sv"
refuse elaborate "${packages[0]}" "$work/mxgold_scoreboard_pkg.sv" "$here/calls.sv"
# The environment around our units.
if [[ -n ${MXGOLD_UVM_HOME:-} ]]; then
  environment() {  # CHECK FOLDER [SOURCE]
    "$1" elaborate -I "$MXGOLD_UVM_HOME/src" -I "$2" +define+UVM_NO_DPI -Wno-unknown-escape-code \
      "$MXGOLD_UVM_HOME/src/uvm_pkg.sv" "${packages[@]}" "$2/mxgold_clock_if.sv" "$2/mxgold_axis_if.sv" \
      "$2/mxgold_uvm_pkg.sv" "$root/rtl/mx_pkg.sv" "${modules[@]}" "$root/tests/bridge/uvm/mx_quantizer_bench.sv" "${@:3}"
  }
  mapfile -t modules < <(find "$root/rtl" -maxdepth 1 -name 'mx_*.sv' ! -name mx_pkg.sv ! -name '*_checker.sv')
  environment check "$root/bridge/uvm"
  # The unit that the page shows.
  {
    echo 'module page; import uvm_pkg::*; import mxgold_uvm_pkg::*; `include "uvm_macros.svh"'
    sed -n '/^class my_unit/,/^endclass/p' "$root/docs/howto/uvm.md"
    echo 'endmodule'
  } >"$work/page.sv"
  grep -q 'class my_unit extends mxgold_unit' "$work/page.sv"
  environment check "$root/bridge/uvm" "$work/page.sv"
  cp -r "$root/bridge/uvm" "$work/uvm"
  sed -i 's/in_flight() != 0/in_fligth() != 0/' "$work/uvm/mxgold_env.svh"
  environment refuse "$work/uvm"
else
  echo "NOT DONE: the UVM environment was not elaborated: MXGOLD_UVM_HOME names no checkout of Accellera's uvm-core"
fi
echo "PASS slang_test"
