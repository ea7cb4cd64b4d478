#!/usr/bin/env bash
# Matrix instructions of a device, each judged by mxgold's directed and random vectors of the unit that it belongs to, whole
# records of one step and, where a step is a group of the unit or more, of three in a chain. The control asks every instruction
# under a unit of another rule, whose answers differ, and wants the verdict to name the unit that gives them.
# Words compared stand behind each. Without a device the plugin says so, and nothing was compared.
# MX_RECORDS, how many random records for each (100,000).
# usage: units.sh PROGRAM PLUGIN [--wrong] INSTRUCTION ...     exit code: 0 as it should be, 1 not, 77 no device
set -uo pipefail
program=$1 plugin=$2 count=${MX_RECORDS:-100000}
shift 2
wrong=
[[ ${1:-} != --wrong ]] || { wrong=1; shift; }
[[ $# -gt 0 ]] || { echo 'no instruction was named'; exit 1; }
declare -A format=([f16]=fp16 [bf16]=bf16 [tf32]=tf32 [e4m3]=e4m3fn [e5m2]=e5m2 [f32]=fp32)
log=$(mktemp) status=0
trap 'rm -f "$log"' EXIT

for instruction; do
  IFS=. read -r kind shape a b result <<<"$instruction"
  case $kind.$a in
    *.tf32) unit=h100_tf32 other=a100_tf32 group=8 ;;
    *f16) unit=h100_f16 other=a100_f16 group=16 ;;
    wgmma.*) unit=h100_wgmma_fp8 other=h100_mma_fp8 group=32 ;;
    *) unit=h100_mma_fp8 other=h100_wgmma_fp8 group=32 ;;
  esac
  judged=$unit
  [[ -z $wrong ]] || judged=$other
  k=${shape##*k}
  chains=(1)
  [[ $k -lt $group || -n $wrong ]] || chains=(1 3)
  for steps in "${chains[@]}"; do
    for suite in dir "rnd --count $count"; do
      # A suite and its options are several words.
      # shellcheck disable=SC2086
      timeout 120 "$program" run --op mma --unit "$judged" --format "${format[$a]},${format[$b]}" \
        --result "${format[$result]}" --lanes $((k * steps)) --lengths full --suite $suite \
        --dut "plugin:$plugin:$instruction,$steps" >"$log" 2>&1
      code=$?
      if grep -q 'no CUDA device\|built for sm_90a alone' "$log"; then
        echo "SKIP: $(tail -n 1 "$log")"
        exit 77
      fi
      verdict="$instruction, $steps steps, $suite: exit $code"
      if [[ -z $wrong ]]; then
        [[ $code -eq 0 ]] || { status=1; verdict="NOT AS THE UNIT: $verdict"; }
        echo "$verdict: $(grep -m 1 'words compared' "$log" || tail -n 1 "$log")"
      else
        if [[ $code -ne 1 ]] || ! grep -q "as with unit.*$unit" "$log"; then
          status=1
          verdict="NOT NAMED: $verdict"
        fi
        echo "$verdict under $other: $(grep -m 1 'as with unit' "$log" || tail -n 1 "$log")"
      fi
    done
  done
done
exit "$status"
