#!/bin/sh
# The README shows the table of the generated page docs/known-differences.md.
# Usage: readme_table_test.sh README.md PAGE
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed -n '/^## The same inputs/,/^## Who agrees/p' "$2" | grep '^|' >"$work/table"
[ "$(wc -l <"$work/table")" -ge 8 ] || { echo "FAIL: no table in $2"; exit 1; }
shown() { grep -cxFf "$work/table" "$1" || true; }
if [ "$(shown "$1")" -ne "$(wc -l <"$work/table")" ]; then
  echo "FAIL: the README's table is not that of $2:"
  cat "$work/table"
  exit 1
fi
# The comparison can fail: one changed bit is seen.
# shellcheck disable=SC2016  # the backquotes are Markdown's
sed 's/`7F: 7E 38`/`7F: 7F 38`/' "$1" >"$work/damaged.md"
if [ "$(shown "$work/damaged.md")" -eq "$(wc -l <"$work/table")" ]; then
  echo "FAIL: a changed code went unseen"
  exit 1
fi
