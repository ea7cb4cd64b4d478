#!/bin/bash
# The DPI-C packages in the language that all simulators share: slang elaborates packages and benches
# with warnings as errors, parses the UVM component, and objects to broken ones. UVM itself is in no
# package of Debian and Verilator 5.006 cannot elaborate it (spec V13): where MX_UVM names a checkout of
# Accellera's uvm-core, slang elaborates the component in a test of UVM's; elsewhere that is not done,
# and said.
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
check parse "$root/bridge/dpi/mxgold_uvm_pkg.sv"
sed 's/mxgold_score_count/mxgold_score_cuont/' "${packages[1]}" >"$work/mxgold_scoreboard_pkg.sv"
refuse elaborate "${packages[0]}" "$work/mxgold_scoreboard_pkg.sv" "$here/calls.sv"
sed 's/endfunction/endfunctoin/' "$root/bridge/dpi/mxgold_uvm_pkg.sv" >"$work/uvm.sv"
refuse parse "$work/uvm.sv"
# The component in a test of UVM's own, elaborated against UVM's sources.
if [[ -n ${MX_UVM:-} ]]; then
  uvm=(-I "$MX_UVM/src" +define+UVM_NO_DPI -Wno-unknown-escape-code "$MX_UVM/src/uvm_pkg.sv" "${packages[@]}")
  check elaborate "${uvm[@]}" "$root/bridge/dpi/mxgold_uvm_pkg.sv" "$here/uvm_bench.sv"
  sed 's/uvm_report_error(/uvm_report_eror(/' "$root/bridge/dpi/mxgold_uvm_pkg.sv" >"$work/uvm.sv"
  refuse elaborate "${uvm[@]}" "$work/uvm.sv" "$here/uvm_bench.sv"
else
  echo "NOT DONE: mxgold_uvm_pkg.sv was parsed, not elaborated: MX_UVM names no checkout of Accellera's uvm-core"
fi
echo "PASS slang_test"
