#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Open RTL of others has the verdict that docs/open-rtl.md says, by the device files there. Ends with 77 where its sources are
# missing. With --wrong the device file asks for another rounding, which has to be noticed.
# usage: open_rtl.sh MXGOLD DOCS NAME [--wrong]
# Environment: MXCORE, IDMA: folders as the page says; MXGOLD_VERILATOR: 5.048 or later for MXCore.
set -euo pipefail
mxgold=$1 docs=$2 name=$3
case $name in
  mxcore_*) variable=MXCORE ;;
  *) variable=IDMA ;;
esac
folder=${!variable:-}
[[ -d $folder ]] || { echo "SKIP: $variable names no folder; docs/open-rtl.md says how to get it"; exit 77; }
if [[ $variable == MXCORE ]] && "${MXGOLD_VERILATOR:-verilator}" --version | grep -q 'Verilator 5\.006'; then
  echo "SKIP: Verilator 5.006 computes MXCore's comparators wrongly; MXGOLD_VERILATOR names a later one"
  exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$docs"/open-rtl/* "$scratch"
[[ ${4:-} == --wrong ]] && sed -i 's/ties_to_even/ties_to_away/; s/"dst_ftz": "pre"/"dst_ftz": "none"/' "$scratch/$name.json"
MXGOLD_CACHE=$scratch/cache "$mxgold" run --dut "device:$scratch/$name.json" --suite smoke --errors 0 >"$scratch/said" || true
got=$(grep -oE '^(PASS|FAIL) [0-9,]+/[0-9,]+ records' "$scratch/said") || { tail -n 5 "$scratch/said"; exit 1; }
case $name in
  mxcore_e4m3) wanted='FAIL 271/352 records' ;;
  mxcore_e5m2) wanted='FAIL 280/352 records' ;;
  idma_mxquant) wanted='FAIL 287/352 records' ;;
  idma_dequant) wanted='PASS 425/425 records' ;;
esac
echo "$name: $got; expected: $wanted"
[[ $got == "$wanted" ]]
