#!/usr/bin/env bash
# Berkeley TestFloat at level 2, a shard (a function in one rounding under one rule of tininess) after another, the
# shortest first. A shard of more than CASES cases is judged on the first CASES of them. What passed is kept in FOLDER
# and not done again: a later run, or one with more CASES, goes on where this one ended. Then prints what FOLDER holds;
# ends with 1 where a shard failed.
# usage: level2.sh PROGRAM FOLDER CASES [FORMAT | FUNCTION]   PROGRAM: external_testfloat; CASES 0: only prints
# MX_UNTIL, a time of `date +%s`, begins no shard after it.
set -euo pipefail
program=$1 folder=$2 cases=$3
shift 3
mkdir -p "$folder"
status=0

judge() {  # judge FUNCTION MODE TININESS ALL
  local extent=whole wanted=$4 log options=()
  if [[ $4 -gt $cases ]]; then extent=part wanted=$cases options=("--cases=$cases"); fi
  log=$folder/$1.$2.$3.$extent
  if [[ -e $log ]] && grep -q "^PASS TestFloat: " "$log"; then
    [[ $(sed -n 's/^PASS TestFloat: \([0-9]*\) .*/\1/p' "$log") -lt $wanted ]] || return 0
  fi
  [[ $2 == any ]] || options+=("--mode=$2")
  [[ $3 == any ]] || options+=("--tininess=$3")
  "$program" "$1" --level=2 "${options[@]}" >"$log.new" 2>&1 || { status=1; cat "$log.new"; }
  mv "$log.new" "$log"
  [[ $extent == part ]] || rm -f "$folder/$1.$2.$3.part"
}

if [[ $cases -gt 0 ]]; then
  shards=$("$program" "$@" --level=2 --list)
  while read -r function mode tininess all; do
    if [[ -z $all ]]; then all=$tininess tininess=any; fi
    [[ $(date +%s) -lt ${MX_UNTIL:-9999999999} ]] || break
    judge "$function" "$mode" "$tininess" "$all"
  done < <(sort -s -n -k 4 <(awk '{ print $1, $2, NF == 4 ? $3 : "any", $NF }' <<<"$shards"))
fi

# "NAME MODE ...: N of ALL compared, D differ, T s" of every log, summed by function.
shopt -s nullglob
logs=("$folder"/*.whole "$folder"/*.part)
[[ ${#logs[@]} -gt 0 ]] || { echo "nothing was judged in $folder"; exit 1; }
awk '/ compared, .* s$/ {
  part = FILENAME ~ /\.part$/ ? "part" : "whole"
  for (i = 1; i <= NF; ++i) if ($i == "of") { n = $(i - 1); all = $(i + 1); differ = $(i + 3); seconds = $(i + 5) }
  key = $1 " " part; shards[key]++; cases[key] += n; of[key] += all; bad[key] += differ; time[key] += seconds
  total += n; wrong += differ; took += seconds
}
END {
  for (key in shards)
    printf "%-16s %-5s %2d shards %14.0f of %15.0f cases %d differ %8.0f s\n", substr(key, 1, index(key, " ") - 1),
           substr(key, index(key, " ") + 1), shards[key], cases[key], of[key], bad[key], time[key] | "sort"
  close("sort")
  printf "in all %.0f cases, %d differ, %.0f s\n", total, wrong, took
}' "${logs[@]}"
exit "$status"
