#!/bin/sh
# A generated page of docs/ is what the program prints today, byte for byte.
# Usage: page_test.sh PAGE CONTROL MXGOLD ARGUMENTS...   (CONTROL: a sed script that changes a fact of the page)
set -eu
page=$1
control=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$@" >"$work/page.md"
tables=$(grep -c '^|' "$work/page.md" || true)
[ "$tables" -ge 50 ] || { echo "FAIL: only $tables lines of tables"; exit 1; }
diff -u "$page" "$work/page.md" || { echo "FAIL: $page is out of date; ./dev generate renews it"; exit 1; }
# The comparison can fail: one changed fact is seen.
sed "$control" "$work/page.md" >"$work/damaged.md"
if cmp -s "$work/damaged.md" "$page"; then echo "FAIL: a changed fact went unseen"; exit 1; fi
echo "PASS: $tables lines of tables"
