#!/usr/bin/env bash
# Every defect of mutants.txt for a bench must make it fail; without a defect it must pass.
# Usage: mutants_test.sh PYTHON MUTATE_PY RTL_FOLDER MUTANTS BENCH PROGRAM [ARGS ...]
set -euo pipefail

python=$1 mutate=$2 rtl=$3 mutants=$4 bench=$5
shift 5
log=$(mktemp)
trap 'rm -f "$log"' EXIT

"$python" "$mutate" --check "$rtl" "$mutants"
MX_MUTANT=0 "$@" >"$log" 2>&1 || { cat "$log"; echo "FAIL: $bench fails without a defect"; exit 1; }
killed=0 survivors=0
while read -r number what; do
  if MX_MUTANT=$number "$@" >"$log" 2>&1; then
    echo "SURVIVES: mutant $number, $what"
    survivors=$((survivors + 1))
  else
    echo "killed: mutant $number, $what: $(grep -m 1 -E 'exit code|Failure|Assertion|rror' "$log" || tail -n 1 "$log")"
    killed=$((killed + 1))
  fi
done < <("$python" "$mutate" --list "$bench" "$mutants")
if ((killed == 0 || survivors > 0)); then
  echo "FAIL: $bench kills $killed mutants, $survivors survive"
  exit 1
fi
echo "PASS: $bench kills each of $killed mutants"
