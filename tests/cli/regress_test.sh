#!/usr/bin/env bash
# What ./dev regress builds says the same of the same blocks as `mxgold run --dut rtl`.
# usage: regress_test.sh MXGOLD_REGRESS MXGOLD
set -euo pipefail
regress=$1 mxgold=$2
fail() { printf 'regress_test: %s\n' "$@" >&2; exit 1; }

# The verdict without its times.
verdict() { tail -n 1 | sed -E 's/[0-9.]+ s, [0-9.]+ [kM]? ?elements\/s; //'; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$regress" smoke --log "$scratch/verdict.log" >"$scratch/shown"
short=$(verdict <"$scratch/verdict.log")
whole=$("$mxgold" run --dut rtl --suite smoke --log - 2>/dev/null | verdict)
[[ $short == PASS* && $short == *sha256:* ]] || fail "no verdict: $short"
[[ $short == "$whole" ]] || fail "mxgold_regress: $short" "mxgold run:     $whole"

# People see three lines, and the last one repeats the run.
shown=$(tail -n 3 "$scratch/shown")
[[ $shown == PASS*' words compared'*'  repeat: mxgold run --dut rtl --suite smoke # sha256:'* ]] || fail "no three lines: $shown"
[[ $shown != *' 0 '* ]] || fail "a zero is told: $shown"

# The comparison sees another seed's blocks.
other=$("$mxgold" run --dut rtl --suite smoke --seed 1 --log - 2>/dev/null | verdict | sed 's/seed 1/seed 0/')
[[ $short != "$other" ]] || fail "a run of other blocks is not told apart"

status=0
"$regress" directed 2>/dev/null || status=$?
[[ $status -eq 2 ]] || fail "an unknown suite ends with $status, not 2"
