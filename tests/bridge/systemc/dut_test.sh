#!/usr/bin/env bash
# `mxgold run --dut systemc`: verdict and digest of the RTL and of the reference, on several threads,
# with stalls and resets; and what it says where the process is missing, foreign, dead.
#
# usage: dut_test.sh MXGOLD
set -euo pipefail
mxgold=$1
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
# expect PATTERN: exit 4 and the pattern.
expect() {
  local status=0
  "$work/mxgold" run --dut systemc --suite smoke --format mxfp4 >"$work/out.txt" 2>&1 || status=$?
  [[ $status -eq 4 ]] || fail "exit $status, expected 4" "$(cat "$work/out.txt")"
  grep -Eq -- "$1" "$work/out.txt" || fail "no \"$1\" in" "$(cat "$work/out.txt")"
}
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
echo "dut_test: digest $wanted"
