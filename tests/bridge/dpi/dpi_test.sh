#!/bin/bash
# The DPI-C package under Verilator --binary, by the commands of docs/bench-calls.md.
#   calls      every call, right and refused; a package of another ABI
#   states     what the package finds unknown, under Icarus, which has four states but no DPI
#   rtl        our quantizer under the scoreboard, and what the bench breaks
#   device     builds a device in SystemVerilog that answers by the model, for `pipe` and tests/bridge/digest
#   pipe       that device on a pipe: the digests of the reference
#   installed  `mxgold dpi` of an installed tree, by the bench of docs/bench-calls.md
# Usage: dpi_test.sh WHAT MXGOLD SOURCE_ROOT DEVICE_FOLDER; 77: no Verilator
set -eu
what=$1
mxgold=$2
root=$3
folder=$4
here=$root/tests/bridge/dpi
if ! command -v verilator >/dev/null; then
  echo "SKIP DPI-C under a simulator: verilator is not installed"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# build TOP SOURCES...: ./TOP/VTOP
build() {
  local top=$1
  shift
  # shellcheck disable=SC2046  # the packages are two words
  verilator --binary -j 2 --timing -Wno-fatal -Wno-lint -Wno-style --Mdir "$top" --top-module "$top" \
    $("$mxgold" dpi --sv) "$@" -LDFLAGS "$("$mxgold" dpi --ldflags)" >"$top.log" 2>&1 ||
    { tail -n 20 "$top.log"; exit 1; }
}

# fails PROGRAM TEXT ARGUMENTS...: ends with another status than 0, without PASS, and names TEXT.
fails() {
  local program=$1 text=$2
  shift 2
  if "$program" "$@" >failed.txt 2>&1; then
    echo "passed, though broken: $*"
    exit 1
  fi
  if grep -q '^PASS' failed.txt || ! grep -qF -- "$text" failed.txt; then
    echo "does not name '$text', or prints PASS: $*"
    cut -c1-400 failed.txt
    exit 1
  fi
}

calls() {
  build calls "$here/calls.sv"
  ./calls/Vcalls | tee calls.txt
  grep -q '^PASS calls: 7[0-9] checks' calls.txt
  # A package of another version.
  mkdir other
  for file in $("$mxgold" dpi --sv); do
    sed 's/ABI_VERSION = 1;/ABI_VERSION = 2;/' "$file" >"other/$(basename "$file")"
  done
  verilator --binary -j 2 --timing -Wno-fatal -Wno-lint -Wno-style --Mdir old --top-module calls \
    other/mxgold_pkg.sv other/mxgold_scoreboard_pkg.sv "$here/calls.sv" \
    -LDFLAGS "$("$mxgold" dpi --ldflags)" >old.log 2>&1 || { tail old.log; exit 1; }
  fails ./old/Vcalls "mxgold_pkg is of ABI 2"
}

states() {
  if ! command -v iverilog >/dev/null; then
    echo "SKIP four states of the DPI-C package: iverilog is not installed"
    exit 77
  fi
  {
    printf 'package mxgold_pkg;\n  localparam int BUS_BITS = 2048;\n'
    sed -n '/^  function automatic .* mxgold_\(first_unknown\|unknown_text\)(/,/^  endfunction/p' \
      "$root/bridge/dpi/mxgold_pkg.sv"
    echo endpackage
  } >package.sv
  iverilog -g2012 -o states.vvp package.sv "$here/states.sv"
  vvp -n states.vvp | grep -x 'PASS states'
  # The control: a package that stops looking.
  sed 's/isunknown(value.i.)/isunknown(1)/' package.sv >broken.sv
  if cmp -s package.sv broken.sv; then exit 1; fi
  iverilog -g2012 -o broken.vvp broken.sv "$here/states.sv"
  fails vvp "states: at bit 0" -n broken.vvp
  # Every argument of four states is looked at before the call of two states gets it.
  "$here/states.py" "$root/bridge/dpi/mxgold_pkg.sv"
}

rtl() {
  local i=0 pair
  for pair in "mxfp4 bf16" "mxfp8_e4m3 bf16" "mxfp4 fp32" "mxfp8_e4m3 fp32"; do
    # shellcheck disable=SC2086
    set -- $pair
    "$mxgold" gen --suite smoke --format "$1" --source "$2" --rounding ties_to_even --rule floor \
      -o "s$i.tv" >/dev/null 2>&1
    i=$((i + 1))
  done
  # The package first; the checker module is not part of the design.
  local file sources=()
  for file in "$root"/rtl/*.sv; do
    case $file in *mx_pkg.sv | *checker.sv) ;; *) sources+=("$file") ;; esac
  done
  build score_rtl "$root/rtl/mx_pkg.sv" "${sources[@]}" "$here/score_rtl.sv"
  local files=(+file0=s0.tv +file1=s1.tv +file2=s2.tv +file3=s3.tv)
  ./score_rtl/Vscore_rtl "${files[@]}" | tee rtl.txt
  grep -q '^PASS mx_quantizer: 10000 records expected, 10000 observed, 0 wrong' rtl.txt
  local few=(+blocks=200 "${files[@]}")
  fails ./score_rtl/Vscore_rtl "MISMATCH record 77: code[0]: got" +fault=flip "${few[@]}"
  fails ./score_rtl/Vscore_rtl "MISMATCH record 77: code[1]: bits 2 are X or Z" +fault=x "${few[@]}"
  fails ./score_rtl/Vscore_rtl "this is the answer to record 78: one was lost" +fault=lost "${few[@]}"
  fails ./score_rtl/Vscore_rtl "1 answers never came, the first to record 199" +fault=lost "${few[@]}"
  fails ./score_rtl/Vscore_rtl "answer 200 came without a question" +fault=extra "${few[@]}"
  fails ./score_rtl/Vscore_rtl "nothing was asked" +fault=empty
  fails ./score_rtl/Vscore_rtl 'rounding is "up"' +fault=handle "${few[@]}"
  sed '100s/.$/f/' s0.tv >bad.tv
  cmp -s s0.tv bad.tv && { echo "bad.tv is s0.tv"; exit 1; }
  fails ./score_rtl/Vscore_rtl "the model and the golden disagree" +file0=bad.tv
}

# shellcheck disable=SC1091  # checked by itself
source "$root/tests/bridge/pipe_device.sh"

device() {
  # Verilator and make leave alone what has not changed.
  mkdir -p "$folder"
  ln -s "$folder" pipe_device
  build pipe_device "$here/pipe_device.sv"
}

pipe() {
  device="process:$folder/Vpipe_device +in=\$MXGOLD_IN +out=\$MXGOLD_OUT"
  local format source
  for format in mxfp4 mxfp8_e4m3; do
    for source in bf16 fp32; do
      "$mxgold" gen --suite smoke --format $format --source $source --rounding ties_to_even \
        --rule floor -o b.tv >/dev/null 2>&1
      same "format=$format source=$source" "process:$mxgold answer" --vectors b.tv
    done
  done
  same "format=nvfp4 tensor_amax=45280000" reference --format nvfp4 --suite smoke --tensor-amax 2688
  for format in mxfp4 mxfp8_e4m3 nvfp4; do
    same "op=dot a=$format" reference --op dot --format $format --suite smoke
  done
  five_faults
  broken 4 "the line goes on after its last field" "format=mxfp8_e4m3" wide
}

installed() {
  local library=${mxgold%/*/*}/bridge/dpi/libmxgold_dpi.so
  mkdir -p prefix/bin prefix/lib prefix/share/mxgold/sv
  cp "$mxgold" prefix/bin/mxgold
  cp "$library" prefix/lib/
  cp "$root"/bridge/dpi/*.sv prefix/share/mxgold/sv/
  mxgold=$work/prefix/bin/mxgold
  [ "$("$mxgold" dpi --ldflags)" = "-L$work/prefix/lib -lmxgold_dpi -Wl,-rpath,$work/prefix/lib" ]
  [ "$("$mxgold" dpi --cflags)" = "-I$work/prefix/include" ]
  "$mxgold" dpi --sv | grep -q "^$work/prefix/share/mxgold/sv/mxgold_pkg.sv "
  awk '/^module bench;/ { on = 1 } on { print } /^endmodule/ { exit }' "$root/docs/bench-calls.md" \
    >bench.sv
  # shellcheck disable=SC2046  # the packages are two words
  verilator --binary -j 2 --timing $("$mxgold" dpi --sv) bench.sv --top-module bench \
    -LDFLAGS "$("$mxgold" dpi --ldflags)" >bench.log 2>&1 || { tail bench.log; exit 1; }
  ./obj_dir/Vbench >bench.txt
  grep -qx 'scale 0000000000000078 codes 2038ec7d' bench.txt
  # shellcheck disable=SC2046  # 32 words
  "$mxgold" explain --format mxfp8_e4m3 --source fp32 40490FDB BF400000 3C000000 3A83126F \
    $(printf '00000000 %.0s' {5..32}) >explained.txt
  sed -n '/^block of 32/,/^result:/p' bench.txt | cmp - explained.txt
  rm prefix/lib/libmxgold_dpi.so
  status=0
  "$mxgold" dpi --ldflags >gone.txt 2>&1 || status=$?
  if [ "$status" != 3 ] || ! grep -q 'libmxgold_dpi.so is not there' gone.txt; then
    echo "exit $status"
    cat gone.txt
    exit 1
  fi
  status=0
  "$mxgold" dpi >none.txt 2>&1 || status=$?
  [ "$status" = 2 ] || { echo "exit $status without an option"; exit 1; }
}

"$what"
echo "PASS dpi_test $what"
