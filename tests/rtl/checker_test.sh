#!/usr/bin/env bash
# Negative controls of mx_quantizer_checker: for every assertion in it mx_checker_tb breaks that rule,
# and the run must end with that assertion's name and no other's; where nothing is broken it must pass.
# Usage: checker_test.sh RTL_FOLDER BENCH_SV SIMULATOR     (icarus or verilator)
set -euo pipefail

rtl=$1 bench=$2 simulator=$3
sources=("$rtl/mx_pkg.sv" "$rtl/mx_quantizer_checker.sv" "$bench")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { echo "FAIL: $*"; exit 1; }

# Verilator has two states: nothing in it is unknown.
unseen=none
case $simulator in
  icarus)
    iverilog -g2012 -s mx_checker_tb -o "$work/bench" "${sources[@]}"
    run() { vvp -n "$work/bench" "$@" 2>&1; }
    ;;
  verilator)
    # The bind at the end of the checker is for mx_quantizer, which this bench has none of.
    verilator --binary --timing --assert -Wno-fatal -O0 -CFLAGS -O0 --Mdir "$work" -o bench \
      --top-module mx_checker_tb "${sources[@]}" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
    run() { "$work/bench" "$@" 2>&1; }
    unseen=OutputKnown
    ;;
  *) fail "simulator $simulator" ;;
esac

output=$(run) || { echo "$output"; fail "an assertion fires where nothing is broken"; }
grep -Eqx 'PASS [0-9]+ beats' <<<"$output" || { echo "$output"; fail "no PASS"; }

mapfile -t rules < <(sed -n 's/.*"\([A-Za-z]*\)_A".*/\1/p' "$rtl/mx_quantizer_checker.sv")
((${#rules[@]} >= 12)) || fail "only ${#rules[@]} assertions found"
caught=0
for rule in "${rules[@]}"; do
  [[ $rule != "$unseen" ]] || { echo "not in this simulator: $rule"; continue; }
  if output=$(run "+fault=$rule"); then fail "$rule: broken and not seen"; fi
  names=$({ grep -o '[A-Za-z]*_A\b' <<<"$output" || true; } | sort -u | tr '\n' ' ')
  [[ $names == "${rule}_A " ]] || { echo "$output"; fail "$rule: fired $names"; }
  caught=$((caught + 1))
done
echo "PASS: each of $caught broken rules fires its assertion and no other ($simulator)"
