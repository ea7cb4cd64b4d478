#!/usr/bin/env bash
# A built checkout is copied whole, as `cp -a` does, and the rounding of its RTL is broken: ./dev regress must build
# and judge what is there. usage: copied_checkout_test.sh ROOT SCRATCH
set -euo pipefail
root=$1 scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch/first"
trap 'rm -rf "$scratch"' EXIT
small=(--suite smoke --format e2m1fn --source bf16 --rounding ties_to_even --rule floor)

# What git knows and is there, but not tests and documents, which no program is built from.
git -C "$root" ls-files --cached --others --exclude-standard --deduplicate -z | while IFS= read -r -d '' file; do
  case $file in tests/* | docs/*) continue ;; esac
  if [[ -f $root/$file ]]; then printf '%s\0' "$file"; fi
done | tar -C "$root" --null -T - -cf - | tar -C "$scratch/first" -xf -

"$scratch/first/dev" regress "${small[@]}"
cp -a "$scratch/first" "$scratch/second"
lines=$(grep -c '^ *guard *= fraction_i' "$scratch/second/rtl/mx_round.sv") || true
[[ $lines -eq 1 ]] || { echo "FAIL: $lines places to break in rtl/mx_round.sv"; exit 1; }
sed -i 's/^\( *guard *= \)fraction_i/\1~fraction_i/' "$scratch/second/rtl/mx_round.sv"
status=0
"$scratch/second/dev" regress "${small[@]}" >"$scratch/output" 2>&1 || status=$?
tail -n 40 "$scratch/output"
[[ $status -eq 1 ]] || { echo "FAIL: broken RTL ended with $status, not with a mismatch (1)"; exit 1; }
grep -q 'was made for' "$scratch/output" || { echo 'FAIL: the folder of the original was not noticed'; exit 1; }

# A program that is put in the place of the built one is not run. Its date is that of the future, so nothing is built.
cp "$scratch/first/build/release/cli/mxgold" "$scratch/second/build/release/cli/mxgold"
touch -d '+1 day' "$scratch/second/build/release/cli/mxgold"
status=0
"$scratch/second/dev" regress "${small[@]}" >"$scratch/output" 2>&1 || status=$?
tail -n 5 "$scratch/output"
if [[ $status -ne 1 ]] || ! grep -q 'built from other sources' "$scratch/output"; then
  echo "FAIL: a program of other sources was run ($status)"
  exit 1
fi
echo 'copied_checkout_test: PASS'
