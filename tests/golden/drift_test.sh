#!/bin/bash
# The committed smoke goldens are what the program makes today, byte for byte, and all of them.
# Usage: drift_test.sh MXGOLD SMOKE_FOLDER
set -eu
mxgold=$1
smoke=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$smoke/regenerate" "$mxgold" "$work" >/dev/null
sets=$(grep -vc '^#' "$smoke/sets.txt")
compared=0
for file in "$work"/*.tv; do
  name=$(basename "$file")
  cmp "$file" "$smoke/$name"
  # The manifest's generator (commit, compiler) is not part of the set.
  for manifest in "$file.json" "$smoke/$name.json"; do
    sed '/"commit":/d; /"compiler":/d; /"version":/d' "$manifest" >"$work/$(basename "$manifest").$(
      [ "$manifest" = "$file.json" ] && echo new || echo old)"
  done
  cmp "$work/$name.json.new" "$work/$name.json.old"
  compared=$((compared + 1))
done
committed=$(find "$smoke" -name '*.tv' | wc -l)
if [ "$compared" -ne "$sets" ] || [ "$committed" -ne "$sets" ]; then
  echo "sets.txt names $sets sets, $committed are committed, $compared were made"
  exit 1
fi
total=$(find "$smoke" -type f -printf '%s\n' | awk '{sum += $1} END {print sum}')
[ "$total" -lt 307200 ] || { echo "the smoke goldens take $total bytes, more than 300 KiB"; exit 1; }
"$mxgold" verify-goldens "$smoke"/*.tv
# The comparison can fail: one changed digit is seen.
first=$(find "$smoke" -name '*.tv' | sort | head -n 1)
sed '/^# count/{n;y/0123456789/1234567890/}' "$first" >"$work/changed.tv"
if cmp -s "$work/changed.tv" "$first"; then echo "the control changed nothing"; exit 1; fi
if "$mxgold" verify-goldens "$work/changed.tv" >/dev/null; then echo "the control passed"; exit 1; fi
echo "$compared sets, $total bytes"
