#!/usr/bin/env bash
# The judge that is linked with TestFloat's generator and SoftFloat has their cases, in their order, and their answers:
# what it prints with --lines is what testfloat_gen prints, of mulAdd in every format, rounding and rule of tininess.
# usage: lines.sh PROGRAM TESTFLOAT_GEN LINES [--wrong]
# LINES: so many from the first on at level 1 and at level 2, 0: all of level 1 of f16; --wrong: with another seed, which
# has to be seen
set -euo pipefail
program=$1 generator=$2 lines=$3 wrong=${4:-}
[[ -x $generator ]] || { echo "SKIP lines: no testfloat_gen: configure with -DMX_BERKELEY=FOLDER"; exit 77; }
seed=1 formats=(f16 f32 f64) levels=(1 2)
[[ -z $wrong ]] || seed=2
if [[ $lines -eq 0 ]]; then lines=$((1 << 40)) formats=(f16) levels=(1); fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
compared=0 differ=0 unnoticed=0

theirs() {  # theirs FORMAT LEVEL MODE RULE: their words, until nobody reads on
  "$generator" "-r$3" "-tininess$4" -level "$2" "$1_mulAdd" 2>"$scratch/said" || true
}

# After a leap over half of the lines the other half: what the judge prints of its generator's place leads there.
leaps() {  # leaps FORMAT LEVEL
  local half=$((lines / 2)) place
  # A judgement that differs tells the place all the same.
  place=$({ "$program" "$1_mulAdd" "--level=$2" "--cases=$half" "--seed=$seed" || true; } | sed -n "s/^  $1_mulAdd place $half //p")
  theirs "$1" "$2" near_even after | head -n "$lines" | tail -n "$half" >"$scratch/theirs" || true
  "$program" "$1" "--level=$2" --mode=near_even --tininess=after "--seed=$seed" --lines "--from=$half" "--place=$place" \
    "--cases=$half" >"$scratch/ours"
  compared=$((compared + $(wc -l <"$scratch/theirs")))
  if cmp -s "$scratch/theirs" "$scratch/ours"; then
    unnoticed=$((unnoticed + 1))
  else
    differ=$((differ + 1))
  fi
}

for format in "${formats[@]}"; do
  for level in "${levels[@]}"; do
    announced=$({ "$generator" -level "$level" -n 1 "${format}_mulAdd" 2>&1 || true; } | sed -n 's/.*minimum is \([0-9]*\).*/\1/p')
    counted=$("$program" "$format" "--level=$level" --list | awk '{ print $NF }' | sort -u)
    if [[ $announced != "$counted" ]]; then
      echo "FAIL lines: $format has $counted cases at level $level, testfloat_gen $announced"
      exit 1
    fi
    [[ $lines -eq $((1 << 40)) ]] || leaps "$format" "$level"
    for mode in near_even near_maxMag minMag min max odd; do
      for rule in after before; do
        theirs "$format" "$level" "$mode" "$rule" | head -n "$lines" >"$scratch/theirs" || true
        "$program" "$format" "--level=$level" "--mode=$mode" "--tininess=$rule" "--seed=$seed" --lines "--cases=$lines" >"$scratch/ours"
        compared=$((compared + $(wc -l <"$scratch/theirs")))
        if cmp -s "$scratch/theirs" "$scratch/ours"; then
          unnoticed=$((unnoticed + 1))
        else
          differ=$((differ + 1))
        fi
      done
    done
  done
done
verdict=PASS
[[ $differ -eq 0 && $compared -gt 0 ]] || verdict=FAIL
echo "$verdict lines: $compared lines of testfloat_gen, $differ shards differ"
[[ $compared -gt 0 ]] || exit 5
[[ -z $wrong || $unnoticed -eq 0 ]] || exit 5
[[ $verdict == PASS ]]
