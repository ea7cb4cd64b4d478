#!/bin/bash
# The readers that docs/vector-format.md shows: Python and SystemVerilog ($readmemh, $fscanf) take
# good files, refuse damaged ones, and read the same values. The document's example lines are lines
# of the committed goldens.
# Usage: readers_test.sh MXGOLD SOURCE_ROOT
set -eu
mxgold=$1
root=$2
readers=$root/tests/golden/readers
smoke=$root/golden/data/smoke
python=/usr/bin/python3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

refuse() {
  if "$@" >refused.txt 2>&1 && grep -q '^PASS' refused.txt; then
    echo "taken, though damaged: $*"
    exit 1
  fi
}

examples=0
# shellcheck disable=SC2016  # backquotes of the document
while read -r line; do
  grep -qxF -- "$line" "$smoke"/*.tv || { echo "no line of a golden: $line"; exit 1; }
  examples=$((examples + 1))
done < <(sed -n '/^```golden$/,/^```$/p' "$root/docs/vector-format.md" | grep -v '^```')
[ "$examples" -ge 3 ] || { echo "only $examples example lines"; exit 1; }

for file in "$smoke"/*.tv; do $python "$readers/read_tv.py" "$file"; done
"$mxgold" gen --suite smoke --source bf16 --format mxfp4 -o good.tv >/dev/null 2>&1
"$mxgold" gen --suite smoke --source bf16 --format mxfp4 -o good.mem >/dev/null 2>&1
head -n 60 good.tv >short.tv
sed '30s/0/1/' good.tv >flipped.tv
refuse $python "$readers/read_tv.py" short.tv
$python "$readers/read_tv.py" flipped.tv >/dev/null 2>&1 && { echo "flipped.tv taken"; exit 1; }

if ! command -v iverilog >/dev/null; then
  echo "SKIPPED: the SystemVerilog readers need iverilog"
  exit 0
fi
iverilog -g2012 -P read_mem.Digits=204 -o mem.vvp "$readers/read_mem.sv"
iverilog -g2012 -o tv.vvp "$readers/read_tv.sv"
vvp -n mem.vvp +mem=good.mem 2>&1 | grep '^PASS' >mem.txt
vvp -n tv.vvp +vec=good.tv 2>&1 | grep '^PASS' >tv.txt
diff mem.txt tv.txt
count=$(sed -n 's/^# count //p' good.tv)
grep -q "^PASS $count records" mem.txt
head -n 60 good.mem >short.mem
sed '/^0*4d584745/d' good.mem >tailless.mem
: >empty.mem
for file in short tailless empty missing; do refuse vvp -n mem.vvp +mem=$file.mem; done
: >empty.tv
for file in short empty missing; do refuse vvp -n tv.vvp +vec=$file.tv; done
cat mem.txt
