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
for kind in tv mem; do
  "$mxgold" gen --suite smoke --source bf16 --format mxfp4 -o good.$kind >/dev/null 2>&1
  "$mxgold" gen --suite smoke --source bf16 --format mxfp4 --lengths full -o whole.$kind \
    >/dev/null 2>&1
  # Several configurations: long header lines and the field config are the Python reader's.
  "$mxgold" gen --suite policy --count 400 --source bf16 --random-bits 8 -o mixed.$kind \
    >/dev/null 2>&1
done
$python "$readers/read_tv.py" mixed.tv

# Lines of JSON hold the same records: the digest that gen prints for both.
for set in "--source bf16 --format mxfp4" "--op dot --format nvfp4" "--suite policy --count 400 --random-bits 8"; do
  # shellcheck disable=SC2086  # options
  "$mxgold" gen --suite smoke $set -o set.jsonl 2>/dev/null | grep -o 'sha256:[0-9a-f]*' >jsonl.txt
  # shellcheck disable=SC2086
  "$mxgold" gen --suite smoke $set -o set.tv 2>/dev/null | grep -o 'sha256:[0-9a-f]*' | diff - jsonl.txt
  $python "$readers/read_jsonl.py" set.jsonl >read.txt
  grep -q "^PASS .* $(cut -d: -f2 jsonl.txt)\$" read.txt || { echo "read_jsonl.py: another digest"; exit 1; }
  "$mxgold" verify-goldens set.jsonl >/dev/null
done
sed '$d' set.jsonl >short.jsonl
sed '300s/"0/"1/' set.jsonl >flipped.jsonl
for damaged in short flipped; do
  cmp -s set.jsonl $damaged.jsonl && { echo "$damaged.jsonl is set.jsonl"; exit 1; }
  $python "$readers/read_jsonl.py" $damaged.jsonl >/dev/null 2>&1 && { echo "$damaged.jsonl taken"; exit 1; }
  "$mxgold" verify-goldens $damaged.jsonl >/dev/null 2>&1 && { echo "$damaged.jsonl verified"; exit 1; }
done
head -n 100 good.tv >short.tv
sed '90s/0/1/' good.tv >flipped.tv
for damaged in short flipped; do
  cmp -s good.tv $damaged.tv && { echo "$damaged.tv is good.tv"; exit 1; }
  $python "$readers/read_tv.py" $damaged.tv >/dev/null 2>&1 && { echo "$damaged.tv taken"; exit 1; }
done
sed '1s/2/1/' good.tv >old.tv
$python "$readers/read_tv.py" old.tv >/dev/null 2>&1 && { echo "schema 1 taken"; exit 1; }

if ! command -v iverilog >/dev/null; then
  echo "SKIP the SystemVerilog readers: iverilog is not installed; the Python reader passed"
  exit 77
fi
iverilog -g2012 -P read_mem.Digits=208 -o mem.vvp "$readers/read_mem.sv"
iverilog -g2012 -P read_mem.Digits=204 -P read_mem.ElementsBits=0 -o whole_mem.vvp \
  "$readers/read_mem.sv"
iverilog -g2012 -o tv.vvp "$readers/read_tv.sv"
iverilog -g2012 -P read_tv.HasElements=0 -o whole_tv.vvp "$readers/read_tv.sv"
# compare FILE MEM_READER TV_READER: the same count and sum.
compare() {
  vvp -n "$2" +mem="$1.mem" 2>&1 | grep '^PASS' >mem.txt
  vvp -n "$3" +vec="$1.tv" 2>&1 | grep '^PASS' >tv.txt
  diff mem.txt tv.txt
  grep -q "^PASS $(sed -n 's/^# count //p' "$1.tv") records" mem.txt
  cat mem.txt
}
compare good mem.vvp tv.vvp
compare whole whole_mem.vvp whole_tv.vvp
# A reader of whole blocks does not take short ones for whole.
refuse vvp -n whole_tv.vvp +vec=good.tv
head -n 100 good.mem >short.mem
sed '/^0*4d584745/d' good.mem >tailless.mem
: >empty.mem
for file in short tailless empty missing; do refuse vvp -n mem.vvp +mem=$file.mem; done
: >empty.tv
for file in short empty missing; do refuse vvp -n tv.vvp +vec=$file.tv; done
