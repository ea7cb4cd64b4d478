#!/usr/bin/env bash
# Every defect of the quantizer in sim/rtl/faults.txt stands in the list beside this script, with some
# of other units, and the statement that stands there with each is refuted: faults_test.sh MXGOLD FAULTS.txt LIST
set -uo pipefail

program=$1 faults=$2 list=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0 asked=0
say() { printf 'faults: %s\n' "$*" >&2; bad=1; }

sed -n 's/^= \([a-z0-9_]*\) \(whole\|beats\).*/\1/p' "$faults" | sort > "$work/are"
sed -n 's/^= \([a-z0-9_]*\) \(mx_\|amax\).*/\1/p' "$faults" | sort > "$work/others"
grep -v '^#' "$list" | cut -d' ' -f1 | sort | comm -23 - "$work/others" > "$work/listed"
[[ -s $work/are ]] || say "no fault in $faults"
diff "$work/are" "$work/listed" >&2 || say "the list and $faults have other faults"

while read -r fault statement; do
  [[ $fault == '#'* || $statement == none* ]] && continue
  "$program" prove "$statement" --fault "$fault" --without-control > "$work/out" 2>&1
  status=$?
  asked=$((asked + 1))
  [[ $status -eq 1 ]] || { say "$fault: $statement ended with $status:"; cat "$work/out" >&2; }
done < "$list"

[[ $asked -ge 40 ]] || say "$asked faults were asked about"
exit "$bad"
