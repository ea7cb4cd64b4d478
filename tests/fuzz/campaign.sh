#!/usr/bin/env bash
# Fuzzes every target for so many seconds each, under libFuzzer with ASan, LSan and UBSan. Corpora, what was found and a
# tally of all runs stay in FOLDER, so that a later run goes on where this one ended. Prints a line a run, then the sums
# over all runs of the tally; ends with 1 where anything was found in any run, or a target ran nothing.
# usage: campaign.sh FOLDER SECONDS [TARGET ...]   SECONDS 0: prints the sums alone
# MX_UNTIL, a time of `date +%s`: goes round all targets until then. MX_FUZZER, a built fuzzer: builds none, and
# MX_COMMIT then says of which commit it is; MX_FUZZ_CHECKOUT, where the files of that commit lie, if no longer here, and
# MX_FUZZ_PLUGIN its plugin. MX_IF_BUILT: brings a build of the preset fuzz up to date, and skips (77) where there is none.
set -euo pipefail
folder=$1 seconds=$2
shift 2
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
fuzzer=${MX_FUZZER:-$root/build/fuzz/tests/fuzz/mxgold_fuzz}
tally=$folder/tally
status=0
mkdir -p "$folder"

# The words of a target: its own dictionary and those of the files or lines that it reads.
words_of() {  # words_of TARGET
  local shared=()
  case $1 in
    models | config_words | plans | dpi | vpi) shared=(shorthands options) ;;
    cast_calls) shared=(casts) ;;
    shorthands | tensors | conversions | blocks | dots | names | formats | commands) shared=(options) ;;
    books) shared=(json options) ;;
    safetensors | checkpoints) shared=(json npy) ;;
    certificates | coverage | devices | farms | indexes | manifests | netlists | receipts | replays | scales | shards | waivers)
      shared=(json) ;;
    plugins) shared=(shorthands options vectors) ;;
    pin_vectors) shared=(vectors) ;;
  esac
  local name
  for name in "$1" "${shared[@]}"; do
    [[ ! -e $root/tests/fuzz/dictionaries/$name.dict ]] || cat "$root/tests/fuzz/dictionaries/$name.dict"
  done
}

# An input may take 300 s on the wall, which a busy machine stretches; slow ones are told by libFuzzer all the same.
# A row a run: when, at which commit, of what; wall and CPU seconds; inputs run; edges covered; clean or found; inputs
# that were read, not refused.
run_target() {  # run_target TARGET SECONDS
  local target=$1 log=$folder/$1/log ended=found runs covered read dictionary=() begin
  mkdir -p "$folder/$target/corpus" "$folder/$target/found"
  export MX_FUZZ_TARGET=$target
  MX_FUZZ_SEEDS=$folder/$target/corpus "$fuzzer"
  words_of "$target" >"$folder/$target/dict"
  [[ ! -s $folder/$target/dict ]] || dictionary=("-dict=$folder/$target/dict")
  begin=$SECONDS
  TIMEFORMAT='%U %S'
  { time "$fuzzer" "$folder/$target/corpus" "-artifact_prefix=$folder/$target/found/" "-max_total_time=$2" -timeout=300 \
    -rss_limit_mb=2500 -malloc_limit_mb=512 -max_len=20000 -print_final_stats=1 "${dictionary[@]}" >"$log" 2>&1; } \
    2>"$folder/$target/time" && ended=clean
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  covered=$(grep -o 'cov: [0-9]*' "$log" | tail -n 1 | tr -dc 0-9 || true)
  read=$(sed -n 's/^stat::inputs_read: *//p' "$log")
  printf '%s %s %s %s %.0f %s %s %s %s\n' "$(date -u +%FT%TZ)" "$commit" "$target" $((SECONDS - begin)) \
    "$(awk '{ print $1 + $2 }' "$folder/$target/time")" "${runs:-0}" "${covered:-0}" "$ended" "${read:-0}" | tee -a "$tally"
  [[ $ended == clean && ${runs:-0} -gt 0 ]] || status=1
}

if [[ $seconds -gt 0 ]]; then
  if [[ -n ${MX_IF_BUILT:-} && ! -x $fuzzer ]]; then
    echo "SKIP: no $fuzzer; build it: cmake --preset fuzz && cmake --build --preset fuzz"
    exit 77
  fi
  command -v clang++ >/dev/null || { echo 'SKIP: no clang++ (Debian: clang)'; exit 77; }
  [[ -n ${MX_FUZZER:-} ]] || (cd "$root" && cmake --preset fuzz >/dev/null && cmake --build --preset fuzz >/dev/null)
  commit=${MX_COMMIT:-$(git -C "$root" describe --always --dirty 2>/dev/null || echo unknown)}
  targets=("$@")
  [[ ${#targets[@]} -gt 0 ]] || mapfile -t targets < <("$fuzzer" 2>/dev/null)
  [[ ${#targets[@]} -gt 0 ]] || { echo 'the fuzzer lists no targets'; exit 1; }
  while :; do
    for target in "${targets[@]}"; do
      [[ $(date +%s) -lt ${MX_UNTIL:-9999999999} ]] || break 2
      run_target "$target" "$seconds"
    done
    [[ -n ${MX_UNTIL:-} ]] || break
  done
fi

[[ -s $tally ]] || { echo "no run stands in $tally"; exit 1; }
awk '{ runs[$3]++; cpu[$3] += $5; inputs[$3] += $6; covered[$3] = $7; found[$3] += $8 == "found"; read[$3] += $9
       all_cpu += $5; all_inputs += $6; all_found += $8 == "found" }
END {
  for (target in runs)
    printf "%-14s %3d runs %7d CPU s %12.0f inputs %11.0f read  cov %6d  %d found\n", target,
           runs[target], cpu[target], inputs[target], read[target], covered[target], found[target] | "sort"
  close("sort")
  printf "in all %.2f CPU hours, %.0f inputs, %d runs found something\n", all_cpu / 3600, all_inputs, all_found
  exit all_found > 0
}' "$tally" || status=1
exit "$status"
