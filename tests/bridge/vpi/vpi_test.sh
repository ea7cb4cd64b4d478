#!/bin/bash
# The system functions of mxgold.vpi under Icarus, by the commands of docs/bench-calls.md.
#   calls   every call, right and refused, X and Z by the operand's name; the bench of docs/bench-calls.md
#   rtl     our quantizer under the scoreboard, and what the bench breaks
#   pipe    a device in Verilog that answers by the model: the digests of the reference
# Usage: vpi_test.sh WHAT MXGOLD SOURCE_ROOT; 77: no Icarus
set -eu
what=$1
mxgold=$2
root=$3
here=$root/tests/bridge/vpi
if ! command -v iverilog >/dev/null; then
  echo "SKIP VPI under a simulator: iverilog is not installed"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
read -r -a load < <("$mxgold" dpi --vpi)

# fails TEXT ARGUMENTS...: vvp ends with another status than 0, without PASS, and names TEXT.
fails() {
  local text=$1
  shift
  if vvp -n "${load[@]}" "$@" >failed.txt 2>&1; then
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
  iverilog -g2012 -o calls.vvp "$here/calls.sv"
  vvp -n "${load[@]}" calls.vvp >calls.txt
  grep '^PASS calls: 75 checks' calls.txt
  # What is explained is what the program prints.
  local zeros
  zeros=$(printf ' 00000000%.0s' {5..32})
  # shellcheck disable=SC2086
  "$mxgold" explain --format mxfp8_e4m3 --source fp32 40490FDB BF400000 3C000000 3A83126F $zeros \
    >explained.txt
  sed -n '/^block of 32/,/^result:/p' calls.txt | cmp - explained.txt
  [ "$(wc -l <explained.txt)" -gt 100 ]
  awk '/^module bench;/ { n++ } n == 2 { print } n == 2 && /^endmodule/ { exit }' \
    "$root/docs/bench-calls.md" >bench.sv
  iverilog -g2012 -o bench.vvp bench.sv
  vvp "${load[@]}" bench.vvp | grep -x 'scale 78 codes 2038ec7d'
  # Too few arguments, and arguments of the wrong kind, are errors before time 0.
  iverilog -g2012 -o few.vvp "$here/few.sv"
  fails 'mxgold_block: 1 arguments, but it takes 7' few.vvp
  kinds
}

kinds() {
  local kind place
  while read -r kind place; do
    iverilog -g2012 "-D$kind" -o kinds.vvp "$here/kinds.sv"
    fails "argument $place" kinds.vvp
  done <<'KINDS'
LITERAL 2 is a real number; it takes a vector
REAL 2 is a real number; it takes a vector
STRING 2 is a string; it takes a vector
ARRAY 2 is a whole array; it takes a vector
CALL 2 is a system call; it takes a vector
MODULE 2 is no value; it takes a vector
EVENT 2 is no value; it takes a vector
CONSTANT_RESULT 4 is no variable; it takes a vector that is a variable
REAL_RESULT 4 is a real number; it takes a vector that is a variable
STRING_RESULT 4 is a string; it takes a vector that is a variable
REAL_TEXT 2 is a real number; it takes a text that is a variable
KINDS
  iverilog -g2012 -o kinds.vvp "$here/kinds.sv"
  vvp -n "${load[@]}" kinds.vvp | grep -x 'PASS kinds'
}

rtl() {
  local i=0 pair
  for pair in "mxfp4 bf16" "mxfp8_e4m3 bf16" "mxfp4 fp32" "mxfp8_e4m3 fp32"; do
    # shellcheck disable=SC2086
    set -- $pair
    # Icarus needs 15 ms for a block: the first of each file, the rest generated.
    "$mxgold" gen --suite smoke --format "$1" --source "$2" --rounding ties_to_even --rule floor \
      2>/dev/null | awk '/^#/ || records++ < 100' >"s$i.tv"
    i=$((i + 1))
  done
  local file sources=()
  for file in "$root"/rtl/*.sv; do
    case $file in *mx_pkg.sv | *checker.sv) ;; *) sources+=("$file") ;; esac
  done
  iverilog -g2012 -o rtl.vvp "$root/rtl/mx_pkg.sv" "${sources[@]}" "$here/score_rtl.sv" \
    >iverilog.log 2>&1 || { tail iverilog.log; exit 1; }
  local files=(+file0=s0.tv +file1=s1.tv +file2=s2.tv +file3=s3.tv)
  vvp -n "${load[@]}" rtl.vvp +blocks=450 "${files[@]}" | tee rtl.txt
  grep -q '^PASS mx_quantizer: 450 records expected, 450 observed, 0 wrong' rtl.txt
  local few=(rtl.vvp +blocks=90 "${files[@]}")
  fails "MISMATCH record 77: code[0]: got" "${few[@]}" +fault=flip
  fails "MISMATCH record 77: code[1]: bits 2 are X or Z" "${few[@]}" +fault=x
  fails "MISMATCH record 77: code[1]: bits 2 are X or Z" "${few[@]}" +fault=z
  fails "operand source: bit 5 is X or Z" "${few[@]}" +fault=operand
  fails "this is the answer to record 78: one was lost" "${few[@]}" +fault=lost
  fails "1 answers never came, the first to record 89" "${few[@]}" +fault=lost
  fails "answer 90 came without a question" "${few[@]}" +fault=extra
  fails "nothing was asked" "${few[@]}" +fault=empty
  fails 'rounding is "up"' "${few[@]}" +fault=handle
}

# shellcheck disable=SC1091  # checked by itself
source "$root/tests/bridge/pipe_device.sh"

pipe() {
  iverilog -g2012 -o pipe.vvp "$here/pipe_device.sv"
  # shellcheck disable=SC2016  # the shell of the device sets these
  device="process:vvp -n ${load[*]} pipe.vvp +in=\$MXGOLD_IN +out=\$MXGOLD_OUT"
  local format source
  for format in mxfp4 mxfp8_e4m3; do
    for source in bf16 fp32; do
      "$mxgold" gen --suite smoke --format $format --source $source --rounding ties_to_even \
        --rule floor -o b.tv >/dev/null 2>&1
      same "format=$format source=$source" "process:$mxgold answer" --vectors b.tv
    done
  done
  same "format=nvfp4 tensor_amax=45280000" reference --format nvfp4 --suite smoke --tensor-amax 2688
  for format in mxfp4 nvfp4; do
    same "op=dot a=$format" reference --op dot --format $format --suite smoke
  done
  five_faults
}

"$what"
echo "PASS vpi_test $what"
