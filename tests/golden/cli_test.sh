#!/bin/bash
# gen, check and verify-goldens as programs: pipes, exit codes, the same bytes whatever the threads.
# Usage: cli_test.sh MXGOLD
set -u
mxgold=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
cases=0

# expect CODE PATTERN COMMAND...: exit code and a text on stdout or stderr.
expect() {
  local code=$1 pattern=$2 output status
  shift 2
  output=$("$@" 2>&1)
  status=$?
  cases=$((cases + 1))
  if [ "$status" -ne "$code" ] || ! grep -q -- "$pattern" <<<"$output"; then
    printf 'FAILED (exit %s, wanted %s and "%s"): %s\n%s\n' "$status" "$code" "$pattern" "$*" \
      "$output"
    failures=$((failures + 1))
  fi
}
pipe() { bash -c "set -o pipefail; $1"; }

# Pipes: every operation and every block format.
expect 0 '^PASS ' pipe "$mxgold gen --suite smoke --format mxfp4 | $mxgold check"
expect 0 '^PASS ' pipe "$mxgold gen --op cvt --suite smoke --source bf16 | $mxgold check -"
expect 0 '^PASS ' pipe "$mxgold gen --suite policy --count 500 --kind bin | $mxgold check --threads 2"
expect 0 '^PASS ' pipe "$mxgold gen --suite rnd --format all --rounding all --rule all --count 20 \
  --kind mem | $mxgold check"
for format in mxfp8_e5m2 mxint8 nvfp4 nvfp4_16x16 e2m1_ue5m3_k16 tt_bfp8 hifx4 sbfp12_16_4 \
  fp8_e4m3_fp32_1x128 binary4p2sf_k32; do
  expect 0 '^PASS ' pipe "$mxgold gen --suite rnd --count 45 --format $format | $mxgold check"
  expect 0 'PASS 1 files' pipe "$mxgold gen --suite rnd --count 45 --format $format |
    $mxgold verify-goldens -"
done
for options in "--op dot --format mxfp4" "--op dot --format nvfp4 --addend fp32" \
  "--op dot --format mxfp8_e4m3 --mode accumulator" "--op arith --operation fma" \
  "--op arith --operation sqrt --format e5m2" "--op cvt --format e4m3fn,e5m2"; do
  expect 0 '^PASS ' pipe "$mxgold gen $options | $mxgold check"
  expect 0 'PASS 1 files' pipe "$mxgold gen $options --kind bin | $mxgold verify-goldens -"
done

# A policy travels: another value makes another file, whose answers are that policy's.
default=$("$mxgold" gen --suite smoke 2>/dev/null | sha256sum)
for options in "--elem-scaling fp32_div_normal" "--src-daz-block flush" "--ratio-op fp32_rcp_mul" \
  "--profile cublas-13" "--dst-ftz pre" "--staging via_bf16" "--tininess before_rounding"; do
  # shellcheck disable=SC2086  # the options are words
  if ! other=$("$mxgold" gen --suite smoke $options 2>refused.txt); then
    expect 0 "" grep -q -- "${options%% *}\|mxgold gen: " refused.txt
    continue
  fi
  expect 1 "" test "$default" = "$(sha256sum <<<"$other")"
  expect 0 '^PASS ' pipe "$mxgold gen --suite smoke $options | $mxgold check"
done

# A device in the pipe that answers one bit wrong: the operands are right, so it is a mismatch.
"$mxgold" gen --suite smoke --format mxfp4 -o good.tv >/dev/null 2>&1
wrong() { awk '/^#/ {print; next} {n++; if (n == 50) {$36 = $36 == "01" ? "02" : "01"} print}'; }
wrong <good.tv >wrong.tv
expect 1 '^FAIL .*' "$mxgold" check wrong.tv
expect 1 'MISMATCH vector 49' "$mxgold" check wrong.tv
expect 1 '"mismatches": 1' "$mxgold" check --json wrong.tv
expect 3 'record digest' "$mxgold" verify-goldens wrong.tv
# One wrong result in each operation, in its first and its last record.
for options in "--op cvt" "--op dot" "--op arith" "--op block --format nvfp4"; do
  # shellcheck disable=SC2086  # the options are words
  "$mxgold" gen $options --suite rnd --count 30 -o one.tv >/dev/null 2>&1
  count=$(sed -n 's/^# count //p' one.tv)
  for record in 1 "$count"; do
    awk -v record="$record" '/^#/ {print; next}
      {n++; if (n == record) $NF = $NF == "01" ? "02" : "01"; print}' one.tv >bad.tv
    expect 1 "^FAIL $((count - 1))/$count" "$mxgold" check bad.tv
  done
done

# What a profile leaves open is counted; a file of nothing else is no pass.
"$mxgold" gen --op cvt --profile intel-fp8et --format e5m2 --suite smoke -o open.tv >/dev/null 2>&1
expect 0 ' 0 don.t-care, [1-9][0-9]* open, 0 unobserved, 0 waived' "$mxgold" check --log - open.tv
expect 0 'words compared; not compared: [1-9][0-9]* open (no source says which bits are right); [1-9]' "$mxgold" check open.tv
expect 0 'open in part' "$mxgold" verify-goldens open.tv
expect 0 ' 0 open, 0 unobserved, 0 waived' "$mxgold" check --log - good.tv

# The same bytes with 1 and 2 threads, and the parts of a set.
for options in "--suite rnd --count 9000 --rounding stochastic_a" "--suite dir --format mxfp4" \
  "--op cvt --suite rnd --count 200000" "--suite policy --count 5000"; do
  # shellcheck disable=SC2086  # the options are words
  one=$("$mxgold" gen $options --threads 1 2>/dev/null | sha256sum)
  # shellcheck disable=SC2086
  two=$("$mxgold" gen $options --threads 2 2>/dev/null | sha256sum)
  expect 0 "" test "$one" = "$two"
  # shellcheck disable=SC2086
  whole=$("$mxgold" gen $options 2>/dev/null | grep -v '^#' | sha256sum)
  parts=$(for i in 0 1 2; do
    # shellcheck disable=SC2086
    "$mxgold" gen $options --shard $i/3 2>/dev/null | grep -v '^#'
  done | sha256sum)
  expect 0 "" test "$whole" = "$parts"
done

# Damage: exit 3 for each, from both readers.
: >empty.tv
head -n 100 good.tv >truncated.tv
awk '!/^#/ {n++} n == 10 && !/^#/ {held = $0; next} {print} n == 11 && held {print held; held = ""}' \
  good.tv >reordered.tv
awk '{print} !/^#/ {n++; if (n == 10) print}' good.tv >duplicated.tv
sed 's/$/\r/' good.tv >crlf.tv
awk '!/^#/ {n++; if (n == 10) {$2 = $2 == "00000000" ? "00000001" : "00000000"}} {print}' good.tv \
  >flipped.tv
for file in empty truncated reordered duplicated crlf flipped; do
  expect 0 "" test "$(cmp -s good.tv $file.tv && echo same || echo other)" = other
  expect 3 "$file.tv:" "$mxgold" check $file.tv
  expect 3 "$file.tv:" "$mxgold" verify-goldens $file.tv
done
expect 3 'cannot open' "$mxgold" check missing.tv

# A flipped golden bit with the digest computed anew is whole but wrong: 6 from verify-goldens.
python=/usr/bin/python3
forge() { $python "$here/forge.py" "$@"; }
forge flip good.tv forged.tv
expect 6 'answers disagree' "$mxgold" verify-goldens forged.tv
expect 6 'mx::oracle' "$mxgold" verify-goldens --judge oracle forged.tv
expect 6 'mx::reference' "$mxgold" verify-goldens --judge reference forged.tv
expect 2 'bogus' "$mxgold" verify-goldens --judge bogus forged.tv
mkdir -p empty full && cp good.tv full/
expect 3 'no golden files in this directory' "$mxgold" verify-goldens empty
expect 0 'PASS 1 files' "$mxgold" verify-goldens full
expect 1 '^FAIL' "$mxgold" check forged.tv
cp good.tv.json forged.tv.json
expect 3 'field sha256' "$mxgold" verify-goldens forged.tv
expect 0 'PASS 1 files' "$mxgold" verify-goldens good.tv

# A set is what its name says: cut, repeated or reversed, with digests that are right.
"$mxgold" gen --op dot --suite rnd --count 50 -o dot.tv >/dev/null 2>&1
"$mxgold" gen --op arith --suite smoke -o arith.tv >/dev/null 2>&1
"$mxgold" gen --op cvt --suite smoke -o cvt.tv >/dev/null 2>&1
"$mxgold" gen --suite rnd --count 50 --shard 1/2 -o shard.tv >/dev/null 2>&1
for set in good dot arith cvt shard; do
  for change in cut repeat reverse; do
    forge $change $set.tv $change.tv
    expect 3 "$change.tv: " "$mxgold" check $change.tv
    expect 6 'vectors in shard\|is not that of' "$mxgold" verify-goldens --judge reference $change.tv
  done
  forge generator $set.tv other.tv
  expect 0 '^PASS ' "$mxgold" check other.tv
  expect 0 'PASS 1 files' "$mxgold" verify-goldens other.tv
  # Under another name the operands are nobody's: said aloud.
  forge suite $set.tv other.tv
  expect 0 'operands not made again' "$mxgold" check other.tv
  expect 0 'operands not made again' "$mxgold" verify-goldens other.tv
done
sed 's/^# seed 0$/# seed 1/' shard.tv >seed.tv
expect 3 'is not that of' "$mxgold" check seed.tv

# Files of an earlier schema are refused by its number.
sed '1s/2/1/' good.tv >old.tv
expect 3 'mxgold-vectors is "1", expected schema 2' "$mxgold" check old.tv
expect 3 'expected schema 2' "$mxgold" verify-goldens old.tv
# A header of another configuration than the records'.
sed 's/^# rule floor$/# rule ceil/' good.tv >rule.tv
expect 3 'field tuser\|vectors in shard' "$mxgold" check rule.tv

# Usage: exit 2 and a remedy.
expect 2 'did you mean' "$mxgold" gen --format mxfp44
expect 2 'did you mean' "$mxgold" gen --rounding ties_to_evn
expect 2 'did you mean' "$mxgold" gen --suite smok
expect 2 'fields or widths' "$mxgold" gen --op cvt --format fp32,e5m2 -o never.tv
expect 2 'has no such policy' "$mxgold" gen --op dot --rule floor -o never.tv
expect 2 'has no such policy' "$mxgold" gen --op arith --rule floor -o never.tv
expect 2 'profiles speak of' "$mxgold" gen --op dot --profile cublas-13 -o never.tv
expect 2 'no tensor scale' "$mxgold" gen --tensor-amax 3 -o never.tv
expect 2 'one block' "$mxgold" gen --lanes 7 -o never.tv
expect 2 'i < n' "$mxgold" gen --shard 3/3
expect 2 'add --op block' "$mxgold" gen --op cvt --suite policy
expect 3 'cannot open' "$mxgold" gen -o no/such/folder/x.tv
expect 3 'too many for a .mem' "$mxgold" gen --op cvt --suite rnd --count 300000 --kind mem -o never.mem
# Padded numbers are decimal.
expect 0 '^# seed 10$' "$mxgold" gen --op cvt --suite rnd --count 010 --seed 010 -o -
expect 0 '^# count 10$' "$mxgold" gen --op cvt --suite rnd --count 010 -o -
expect 0 '^# count 8$' "$mxgold" gen --op cvt --suite rnd --count 08 -o -
expect 2 'not a whole number' "$mxgold" gen --op cvt --suite rnd --seed ' 010' -o -
# Wide integers: a list of all their values would fill the memory.
expect 0 '^PASS ' pipe "(ulimit -v 2000000; $mxgold gen --op cvt --suite smoke --source fp32 --format int32) | $mxgold check"
expect 0 '^wrote ' pipe "(ulimit -v 2000000; $mxgold gen --op cvt --suite rnd --count 40 --source fp32 --format fixed32.16 -o wide.tv)"
# A vector file with a trailer that goes on behind a byte of zeros, and headers that lie.
expect 0 '^wrote ' "$mxgold" gen --op cvt --suite smoke --source bf16 -o lines.jsonl
head -c -1 lines.jsonl >cut.jsonl; printf '\0{{{\n' >>cut.jsonl
expect 3 'trailer' "$mxgold" check cut.jsonl
expect 0 '^wrote ' "$mxgold" gen --op dot --suite smoke --format mxfp4 -o dot.tv
sed 's/^# a_stored_tensor_scale 3f800000/# a_stored_tensor_scale 40000000/' dot.tv >scaled.tv
expect 3 'scaled.tv:[0-9]*: a_stored_tensor_scale is "40000000", expected 3f800000' "$mxgold" check scaled.tv
expect 3 'mxfp4 has no scale of the tensor' "$mxgold" verify-goldens --no-manifest scaled.tv
sed 's/^# suite smoke/# suite smokd/' dot.tv >other.tv
expect 3 'may be a damaged "smoke"' "$mxgold" verify-goldens --no-manifest other.tv
# Casts of systems.
expect 2 'give baseline, avx2 or avx512' env MXGOLD_VECTORS=garbage "$mxgold" gen --op cast --format 'dmx:MXINT8{32}' -o -
expect 0 '# op cast' env MXGOLD_VECTORS=baseline "$mxgold" gen --op cast --format 'dmx:MXINT8{32}' -o -
expect 2 'as the package does, which raises TypeError' "$mxgold" gen --op cast --format 'dmx:SBFP12[16]{16}(SN)' --mode compat -o -
mkdir never.tv.json
expect 3 'never.tv.json: cannot open' "$mxgold" gen --suite rnd --count 5 -o never.tv
expect 3 'cannot open' "$mxgold" gen --suite rnd --count 5 --kind mem --sv no/such/x.sv -o never.mem
expect 0 "" test ! -e never.tv -a ! -e never.mem -a ! -e never.mem.json

echo "$cases cases, $failures failed"
[ "$cases" -ge 126 ] && [ "$failures" -eq 0 ]
