#!/usr/bin/env bash
# rtl/mx_pkg.sv is what mx_pkg_gen writes today, byte for byte.
# Usage: drift_test.sh MX_PKG_GEN MX_PKG_SV
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" >"$work/mx_pkg.sv"
if [[ ! -s $work/mx_pkg.sv ]] || ! diff -u "$2" "$work/mx_pkg.sv"; then
  echo "FAIL: $2 is out of date; ./dev generate (or mx_pkg_gen > rtl/mx_pkg.sv) renews it"
  exit 1
fi
# The comparison can fail: one code changed is seen.
sed 's/RND_TO_ODD = 4.d8/RND_TO_ODD = 4'"'"'d9/' "$work/mx_pkg.sv" >"$work/damaged.sv"
if cmp -s "$work/damaged.sv" "$2"; then
  echo "FAIL: a changed code went unseen"
  exit 1
fi
echo "PASS: $(grep -c localparam "$2") constants"
