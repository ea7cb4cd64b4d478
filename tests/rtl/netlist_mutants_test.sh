#!/usr/bin/env bash
# A sample of netlist mutants of 2 lanes x block 16 through mxgold mutate, and the controls: without
# the comparison a killed mutant survives, an equivalent one is proved so, and no killed one is.
# Usage: netlist_mutants_test.sh MXGOLD RTL_FOLDER
set -euo pipefail

mxgold=$1 rtl=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { cat "$work/out"; echo "FAIL: $*"; exit 1; }

# mutate STATUS ARGS...: the exit status, and what was said in $work/out.
mutate() {
  local wanted=$1 status=0
  shift
  "$mxgold" mutate --rtl "$rtl" --build 2x16 --quick --threads 2 "$@" >"$work/out" 2>"$work/err" || status=$?
  [[ $status -eq $wanted ]] || { cat "$work/err"; fail "mxgold mutate $*: exit $status, expected $wanted"; }
}

# What the quick proofs leave open counts against the gate (docs/mutation.md).
mutate 0 --count 100 --seed 0 --gate 97 --prove-killed 20
grep -q '^20 killed mutants asked about, 0 of them' "$work/out" || fail "the prover was not asked"
tail -n 1 "$work/out"

# Zeros are shifted in below the significand: a constant 0 there changes nothing; its hidden bit does.
"$mxgold" mutate --rtl "$rtl" --build 2x16 --count 65535 --list >"$work/list"
for bit in 0 23; do
  grep -E -m 1 -- "-mode const0 .*g_lane\[1\]\.u_lane\.\\\\u_shift\.\\\$shr\\\$.* -port A -portbit $bit " \
    "$work/list" || fail "no such mutant: bit $bit"
done >"$work/two"

mutate 0 --mutants "$work/two" --prove-killed 1
grep -q '^2x16: 2 mutants .* 1 killed, 1 equivalent, 0 survivor, 0 undecided, 0 invalid' "$work/out" ||
  fail "one to be killed and one to be proved"
grep -q '^1 killed mutants asked about, 0 of them' "$work/out" || fail "the killed one was not asked about"
mutate 5 --mutants "$work/two" --without-comparison
grep -q ' 0 killed, 1 equivalent, 1 survivor, ' "$work/out" || fail "without the comparison nothing is killed"
echo "PASS: the sample and its controls"
