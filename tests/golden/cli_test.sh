#!/bin/bash
# gen, check and verify-goldens as programs: pipes, exit codes, the same bytes whatever the threads.
# Usage: cli_test.sh MXGOLD
set -u
mxgold=$1
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

# Pipes.
expect 0 '^PASS ' pipe "$mxgold gen --suite smoke --format mxfp4 | $mxgold check"
expect 0 '^PASS ' pipe "$mxgold gen --op cvt --suite smoke --source bf16 | $mxgold check -"
expect 0 '^PASS ' pipe "$mxgold gen --suite policy --count 500 --kind bin | $mxgold check --threads 2"
expect 0 '^PASS ' pipe "$mxgold gen --suite rnd --format all --rounding all --rule all --count 20 \
  --kind mem | $mxgold check"

# A device in the pipe that answers one bit wrong: the operands are right, so it is a mismatch.
"$mxgold" gen --suite smoke --format mxfp4 -o good.tv >/dev/null 2>&1
wrong() { awk '/^#/ {print; next} {n++; if (n == 50) {$35 = $35 == "01" ? "02" : "01"} print}'; }
wrong <good.tv >wrong.tv
expect 1 '^FAIL .*' "$mxgold" check wrong.tv
expect 1 'MISMATCH vector 49' "$mxgold" check wrong.tv
expect 1 '"mismatches": 1' "$mxgold" check --json wrong.tv
expect 3 'record digest' "$mxgold" verify-goldens wrong.tv

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
$python - good.tv forged.tv <<'PYTHON'
import hashlib
import sys

lines = open(sys.argv[1]).read().splitlines()
records = [line.split() for line in lines if not line.startswith("#")]
last = records[40][-2]
records[40][-2] = "03" if last != "03" else "02"
stream = b"".join(bytes.fromhex(w)[::-1] for r in records for w in r)
digest = hashlib.sha256(stream).hexdigest()
out = [l for l in lines if l.startswith("#")][:-3] + [" ".join(r) for r in records]
out += lines[-3:-1] + ["# records " + digest]
open(sys.argv[2], "w").write("\n".join(out) + "\n")
PYTHON
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

# Usage: exit 2 and a remedy.
expect 2 'did you mean' "$mxgold" gen --format mxfp44
expect 2 'did you mean' "$mxgold" gen --rounding ties_to_evn
expect 2 'did you mean' "$mxgold" gen --suite smok
expect 2 'tuser word' "$mxgold" gen --source fp64 -o never.tv
expect 2 'i < n' "$mxgold" gen --shard 3/3
expect 2 'one format' "$mxgold" gen --op cvt --format e4m3fn,e5m2
expect 2 'add --op block' "$mxgold" gen --op cvt --suite policy
expect 3 'cannot open' "$mxgold" gen -o no/such/folder/x.tv
expect 3 'too many for a .mem' "$mxgold" gen --op cvt --suite rnd --count 300000 --kind mem -o never.mem
expect 0 "" test ! -e never.tv -a ! -e never.mem

echo "$cases cases, $failures failed"
[ "$cases" -ge 49 ] && [ "$failures" -eq 0 ]
