#!/bin/sh
# docs/profiles.md is what the program makes of the profiles today, byte for byte.
# Usage: profiles_page.sh MXGOLD PAGE
set -eu
mxgold=$1
page=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$mxgold" list profiles --markdown >"$work/profiles.md"
[ "$(grep -c '^## ' "$work/profiles.md")" -ge 28 ] || { echo "the page lacks profiles"; exit 1; }
cmp "$work/profiles.md" "$page" || {
  echo "regenerate it: mxgold list profiles --markdown > docs/profiles.md"
  exit 1
}
# The comparison can fail.
sed 's/ties_to_away/ties_to_zero/' "$page" >"$work/changed.md"
if cmp -s "$work/profiles.md" "$work/changed.md"; then echo "the control passed"; exit 1; fi
