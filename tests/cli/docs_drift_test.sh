#!/usr/bin/env bash
# docs/format-tables.md is what `mxgold list --markdown` writes today, byte for byte.
# Usage: docs_drift_test.sh MXGOLD FORMATS_MD
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" list --markdown >"$work/page.md"
if [[ ! -s $work/page.md ]] || ! diff -u "$2" "$work/page.md"; then
  echo "FAIL: $2 is out of date; ./dev generate (or mxgold list --markdown > docs/format-tables.md) renews it"
  exit 1
fi
# The comparison can fail: one changed value is seen.
sed 's/| 448 (7E) |/| 449 (7E) |/' "$work/page.md" >"$work/damaged.md"
if cmp -s "$work/damaged.md" "$2"; then
  echo "FAIL: a changed value went unseen"
  exit 1
fi
echo "PASS: $(grep -c '^|' "$2") lines of tables"
