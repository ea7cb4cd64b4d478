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

mutate 0 --count 100 --seed 0 --prove-killed 20
grep -q '^20 killed mutants asked about, 0 of them' "$work/out" || fail "the prover was not asked"
tail -n 1 "$work/out"

# Zeros are shifted in below the significand: a constant 0 there changes nothing; its hidden bit does.
# A stage that stands still though it is empty gives right answers, too late.
"$mxgold" mutate --rtl "$rtl" --build 2x16 --count 65535 --list >"$work/list"
lane='.*g_lane\[1\]\.u_back\.\\u_shift\.[$]shr[$].*'
for mutant in "const0 $lane -port A -portbit 0 " "const0 $lane -port A -portbit 23 " \
  'const0 .*g_stage\[2\]\.u_stage\.[$]or[$]mx_stage\.sv:40[$].* -port B -portbit 0 '; do
  grep -E -m 1 -- "-mode $mutant" "$work/list" || fail "no such mutant: $mutant"
done >"$work/three"

mutate 0 --mutants "$work/three" --prove-killed 2
grep -q '^2x16: 3 mutants .* 2 killed, 1 equivalent, 0 survivor, 0 undecided, 0 invalid' "$work/out" ||
  fail "two to be killed and one to be proved"
grep -q '^2 killed mutants asked about, 0 of them' "$work/out" || fail "the killed ones were not asked about"
mutate 5 --mutants "$work/three" --without-comparison --json
for wanted in '"killed": 1,' '"equivalent": 1,' '"survivor": 1,' 'the declared pace has a place'; do
  grep -q "$wanted" "$work/out" || fail "without the comparison only the pace kills: no $wanted"
done
echo "PASS: the sample and its controls"
