#!/usr/bin/env bash
# Fuzzes every target for so many seconds each, under libFuzzer with ASan and UBSan. Corpora and what was found stay in
# FOLDER, so that a later run goes on where this one ended. Prints a table; ends with 1 where anything was found, or a
# target ran nothing.
# usage: campaign.sh FOLDER SECONDS [TARGET ...]
set -euo pipefail
folder=$1 seconds=$2
shift 2
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
fuzzer=$root/build/fuzz/tests/fuzz/mxgold_fuzz
command -v clang++ >/dev/null || { echo 'SKIP: no clang++ (Debian: clang)'; exit 77; }
(cd "$root" && cmake --preset fuzz >/dev/null && cmake --build --preset fuzz >/dev/null)
targets=("$@")
[[ ${#targets[@]} -gt 0 ]] || mapfile -t targets < <("$fuzzer" 2>/dev/null)
[[ ${#targets[@]} -gt 0 ]] || { echo 'the fuzzer lists no targets'; exit 1; }
status=0
for target in "${targets[@]}"; do
  mkdir -p "$folder/$target/corpus" "$folder/$target/found"
  export MX_FUZZ_TARGET=$target
  MX_FUZZ_SEEDS=$folder/$target/corpus "$fuzzer"
  dictionary=()
  [[ -e $root/tests/fuzz/$target.dict ]] && dictionary=("-dict=$root/tests/fuzz/$target.dict")
  log=$folder/$target/log
  ended=found
  "$fuzzer" "$folder/$target/corpus" "-artifact_prefix=$folder/$target/found/" "-max_total_time=$seconds" -timeout=10 \
    -rss_limit_mb=3000 -malloc_limit_mb=2000 -max_len=20000 -print_final_stats=1 "${dictionary[@]}" >"$log" 2>&1 && ended=clean
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  covered=$(grep -o 'cov: [0-9]*' "$log" | tail -n 1)
  printf '%-14s %-6s %10s runs  %s\n' "$target" "$ended" "${runs:-0}" "$covered"
  [[ $ended == clean && ${runs:-0} -gt 0 ]] || status=1
done
exit "$status"
