#!/usr/bin/env bash
# Faults of sim/rtl/faults.txt must each make a bench fail; without one it must pass.
# Usage: mutants_test.sh PYTHON MUTATE_PY RTL_FOLDER FAULTS WHICH PROGRAM [ARGS ...]
# WHICH: those that a build shows, or names, by commas.
set -euo pipefail

python=$1 mutate=$2 rtl=$3 faults=$4 build=$5
shift 5
log=$(mktemp)
trap 'rm -f "$log"' EXIT

"$python" "$mutate" --check "$rtl" "$faults"
listed=$("$python" "$mutate" --list "$build" "$faults")
MX_MUTANT=0 "$@" >"$log" 2>&1 || { cat "$log"; echo "FAIL: $build fails without a fault"; exit 1; }
killed=0 survivors=0
while read -r number what; do
  if MX_MUTANT=$number "$@" >"$log" 2>&1; then
    echo "SURVIVES: $what"
    survivors=$((survivors + 1))
  else
    echo "killed: $what: $(grep -m 1 -E 'exit code|Failure|Assertion|rror' "$log" || tail -n 1 "$log")"
    killed=$((killed + 1))
  fi
done <<<"$listed"
if ((killed == 0 || survivors > 0)); then
  echo "FAIL: $build kills $killed mutants, $survivors survive"
  exit 1
fi
echo "PASS: $build kills each of $killed mutants"
