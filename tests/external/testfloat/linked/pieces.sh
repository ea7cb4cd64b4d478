#!/usr/bin/env bash
# mulAdd of Berkeley TestFloat at level 2, in pieces of its cases, each in every rounding under both rules of tininess.
# Goes on with the first of the cases FIRST to LAST (default: all) that FOLDER does not hold; may be killed at any time,
# what was printed stays. Machines that share the work take ranges of their own, and their folders are put together.
# Then prints what FOLDER holds of FUNCTION; ends with 1 where a case differed or nothing was judged.
# usage: pieces.sh PROGRAM FOLDER FUNCTION [FIRST [LAST]]
# PROGRAM: external_testfloat_linked; FUNCTION: f16_mulAdd, f32_mulAdd or f64_mulAdd; LAST = FIRST: only prints
# MX_UNTIL, a time of `date +%s`, begins no piece after it.
set -euo pipefail
program=$1 folder=$2 function=$3
shards=$("$program" "$function" --level=2 --list) || { code=$?; echo "$shards"; exit "$code"; }
all=$(awk '{ print $NF; exit }' <<<"$shards")
first=${4:-0} last=${5:-$all}
mkdir -p "$folder"
status=0

# "FUNCTION MODE RULE A..B: N of ALL compared, D differ, T s" of every log, as "MODE RULE A B N D T" in the order of A.
pieces() {
  local logs=("$folder/$function".*.pieces)
  [[ -e ${logs[0]} ]] || return 0
  sed -n "s/^  $function \([^ ]*\) \([^ ]*\) \([0-9]*\)\.\.\([0-9]*\): \([0-9]*\) of [0-9]* compared, \([0-9]*\) differ, \([0-9.]*\) s\$/\1 \2 \3 \4 \5 \6 \7/p" \
    "${logs[@]}" | sort -k1,2 -k3,3n
}

# The end of what passed from FIRST on without a gap, in every shard.
held() {
  pieces | awk -v first="$first" -v shards="$(wc -l <<<"$shards")" '
    { key = $1 " " $2; if (!(key in end)) { end[key] = first; ++seen } }
    $5 == $4 - $3 && $6 == 0 && $3 + 0 <= end[key] && $4 + 0 > end[key] { end[key] = $4 + 0 }
    END {
      least = first
      if (seen == shards) for (key in end) if (least == first || end[key] < least) least = end[key]
      for (key in end) if (end[key] == first) least = first
      printf "%.0f\n", least
    }'
}

from=$(held)
if [[ $from -lt $last ]]; then
  # What an earlier run told of the generator's place spares making the cases that go by.
  place=$(sed -n "s/^  $function place $from \([0-9a-f]*\)\$/\1/p" "$folder/$function".*.pieces 2>/dev/null | head -n 1 || true)
  "$program" "$function" --level=2 "--from=$from" ${place:+"--place=$place"} "--cases=$((last - from))" "--until=${MX_UNTIL:-9999999999}" \
    >"$folder/$function.$from.pieces" 2>&1 || status=$?
  # 5: nothing was judged, since the time had come.
  [[ $status -eq 0 || $status -eq 5 ]] || tail -n 40 "$folder/$function.$from.pieces"
fi

pieces | awk -v function_name="$function" -v all="$all" -v shards="$(wc -l <<<"$shards")" '
  { key = $1 " " $2; if (!(key in passed)) { ++seen; passed[key] = end[key] = 0 }; compared += $5; differ += $6; took += $7 }
  $5 == $4 - $3 && $6 == 0 {
    from = $3 + 0 > end[key] ? $3 + 0 : end[key]
    if ($4 + 0 > from) { passed[key] += $4 - from; end[key] = $4 + 0 }
  }
  END {
    least = seen == shards ? all : 0
    for (key in passed) if (passed[key] < least) least = passed[key]
    printf "%s: %d shards, in each %.0f of %.0f cases passed; %.0f compared in all, %d differ, %.0f s of CPU time\n",
           function_name, seen, least, all, compared, differ, took
    exit differ != 0 || compared == 0
  }'
[[ $status -eq 0 || $status -eq 5 ]]
