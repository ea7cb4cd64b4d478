#!/usr/bin/env bash
# `mxgold run --dut systemc`: verdict and digest of the RTL and of the reference, on several threads,
# with stalls and resets; what it says where the process is missing, foreign, dead, and where an answer
# is changed or lost on its way.
#
# usage: dut_test.sh MXGOLD PYTHON SPOIL_PINS
set -euo pipefail
mxgold=$1 python=$2 spoil=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { printf 'dut_test: %s\n' "$@" >&2; exit 1; }
digest_of() { sed -n 's/.* sha256:\([0-9a-f]*\)$/\1/p' "$1" | tail -n 1; }

options=(--suite smoke --format "mxfp4,mxfp8_e5m2,mxint8" --source "fp32,bf16" --random-bits 8)
for dut in systemc rtl reference; do
  "$mxgold" run --dut "$dut" "${options[@]}" --threads 2 >"$work/$dut.txt" 2>&1 ||
    fail "--dut $dut: exit $?" "$(cat "$work/$dut.txt")"
done
wanted=$(digest_of "$work/rtl.txt")
[[ ${#wanted} -eq 64 ]] || fail "no digest: $(tail -n 1 "$work/rtl.txt")"
for dut in systemc reference; do
  [[ $(digest_of "$work/$dut.txt") == "$wanted" ]] || fail "$dut: another digest than the RTL's"
done
# The same cycles, stalls, resets and words, too.
verdict() { sed -n 's/; suite smoke, .*//; s/^PASS //p' "$1"; }
[[ -n $(verdict "$work/systemc.txt") ]] || fail "no verdict"
[[ $(verdict "$work/systemc.txt") == "$(verdict "$work/rtl.txt")" ]] ||
  fail "verdicts differ" "$(verdict "$work/systemc.txt")" "$(verdict "$work/rtl.txt")"
"$mxgold" run --dut systemc --suite smoke --format mxfp4 --stall heavy --reset sweep >"$work/heavy.txt" 2>&1 ||
  fail "heavy stalls: $(cat "$work/heavy.txt")"
grep -Eq 'PASS .* [1-9][0-9,]* resets' "$work/heavy.txt" || fail "no resets: $(cat "$work/heavy.txt")"

# Beside another program stands another mxgold_systemc_dut, or none.
cp "$mxgold" "$work/mxgold"
# ends STATUS PATTERN OPTIONS...: the exit code, no PASS, and the pattern.
ends() {
  local status=0 wanted=$1 pattern=$2
  shift 2
  "$work/mxgold" run --dut systemc --suite smoke --format mxfp4 --errors 1 "$@" >"$work/out.txt" 2>&1 || status=$?
  [[ $status -eq $wanted ]] || fail "exit $status, expected $wanted" "$(cat "$work/out.txt")"
  grep -Eq -- "$pattern" "$work/out.txt" || fail "no \"$pattern\" in" "$(cat "$work/out.txt")"
  if grep -q '^PASS' "$work/out.txt"; then fail "PASS with $*" "$(cat "$work/out.txt")"; fi
}
expect() { ends 4 "$@"; }
replace() {
  printf '#!/bin/sh\n%s\n' "$1" >"$work/mxgold_systemc_dut"
  chmod +x "$work/mxgold_systemc_dut"
}
real=$(dirname "$mxgold")/mxgold_systemc_dut
expect 'libsystemc-dev'
replace 'echo sorry >&2; exit 3'
expect 'systemc.*ended: exit status 3; it said: sorry'
replace 'echo mxgold-pins 0 372 364'
expect 'another build|ended'
replace "exec timeout 0.5 '$real'"
expect 'PROTOCOL in blocks .*the SystemC process ended: exit status 124'

few=(--source bf16 --rounding ties_to_even --rule floor --stall none)
for fault in flip lost silent; do
  replace "exec '$python' '$spoil' '$real' $fault"
  case $fault in
    flip)
      ends 1 '^MISMATCH block ' "${few[@]}" --only 0:300
      grep -Eq 'only the code of lane 0' "$work/out.txt" || fail "the lane is not named" "$(cat "$work/out.txt")"
      ;;
    lost) expect 'one answer was lost at block' "${few[@]}" --only 0:300 ;;
    silent) expect 'answers are missing' "${few[@]}" --only 0:300 ;;
  esac
done
cp "$real" "$work/mxgold_systemc_dut"
# Codes under a NaN scale, all that is looked at, mean nothing.
ends 3 'NOTHING COMPARED in 1 blocks' "${few[@]}" --compare normative --observe code --only 39
ends 2 "unknown format 'mxfp9'" --format mxfp9
echo "dut_test: digest $wanted"
