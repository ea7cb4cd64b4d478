#!/usr/bin/env bash
# three_ways over files of mxgold gen: digests of mxgold run, and what it must not pass.
#
# usage: three_ways_test.sh MXGOLD THREE_WAYS PYTHON READ_VCD
set -euo pipefail
mxgold=$1 three_ways=$2 python=$3 read_vcd=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() { printf 'three_ways_test: %s\n' "$@" >&2; exit 1; }
# expect STATUS PATTERN ARGS...: runs three_ways; its output has to have the pattern.
expect() {
  local status=0 wanted=$1 pattern=$2
  shift 2
  "$three_ways" "$@" >out.txt 2>&1 || status=$?
  [[ $status -eq $wanted ]] || fail "three_ways $*: exit $status, expected $wanted" "$(cat out.txt)"
  grep -Eq -- "$pattern" out.txt || fail "three_ways $*: no \"$pattern\" in" "$(cat out.txt)"
}

"$mxgold" gen --suite policy --count 10000 --format mxfp8_e4m3,mxfp4,mxint8 --source bf16 \
  --rounding ties_to_even,stochastic_a --random-bits 8 --no-manifest -o v.tv
records=$(grep -vc '^#' v.tv)
[[ $records -ge 10000 ]] || fail "only $records vectors"

# Each way gives the digest that the harness gives, of the RTL and of the reference.
for dut in rtl reference; do
  "$mxgold" run --dut "$dut" --vectors v.tv --json >"$dut.json" 2>report.txt || fail "$(cat report.txt)"
done
digest=$("$python" -c 'import json,sys; print(json.load(open(sys.argv[1]))["digest"])' rtl.json)
[[ ${#digest} -eq 64 ]] || fail "no digest of mxgold run: \"$digest\""
grep -q "$digest" reference.json || fail "rtl and reference differ"
for stall in 0 30; do
  expect 0 "^PASS$" v.tv --stall "$stall"
  [[ $(grep -c "digest $digest" out.txt) -eq 3 ]] ||
    fail "not three times the digest $digest" "$(cat out.txt)"
  [[ $(grep -c "PASS $records/$records blocks" out.txt) -eq 3 ]] || fail "$(cat out.txt)"
done

# One digit of vector 4711: of an answer, of a source.
line=$(grep -n '^# count' v.tv | cut -d: -f1)
flip() { # FILE WORDS-FROM-THE-END
  "$python" - v.tv "$1" $((line + 4711)) "$2" <<'PY'
import sys
lines = open(sys.argv[1]).read().split("\n")
at = int(sys.argv[3])
words = lines[at].split(" ")
word = words[-int(sys.argv[4])]
words[-int(sys.argv[4])] = word[:-1] + format(int(word[-1], 16) ^ 1, "x")
lines[at] = " ".join(words)
open(sys.argv[2], "w").write("\n".join(lines))
PY
}
# The last word is flags, the 32 before it the codes: lane 31 - 9 is 10 words before.
flip code.tv 11
expect 1 'model: block 4711: file and model differ: code.tv: code\[22\]' code.tv
grep -q 'rtl: block 4711: file and model differ' out.txt || fail "rtl: $(cat out.txt)"
grep -q 'tlm: block 4711: file and model differ' out.txt || fail "tlm: $(cat out.txt)"
grep -q 'one of them was changed' out.txt || fail "the digest was not looked at: $(cat out.txt)"
flip flags.tv 1
expect 1 'model: block 4711: file and model differ: flags.tv: flags' flags.tv

# A vector that is lost on its way, one that the file lacks, and nothing at all.
expect 1 "lost: $((records - 1)) of $records vectors" v.tv --lose 17
for way in model rtl tlm; do
  grep -q "$way: FAIL" out.txt || fail "$way passes without a vector" "$(cat out.txt)"
done
sed "$((line + 5))d" v.tv >short.tv
expect 3 "vector $((records - 1)) of $records is missing" short.tv
expect 1 'NOTHING COMPARED|FAIL 0/0' v.tv --empty
expect 3 'cannot be read' nowhere.tv
: >empty.tv
expect 3 'mxgold-vectors' empty.tv

# A VCD that a strict reader takes, with as many answers as vectors.
"$mxgold" gen --suite rnd --count 200 --format mxfp4 --no-manifest -o few.tv
expect 0 '^PASS$' few.tv --stall 20 --vcd trace
"$python" "$read_vcd" trace.vcd 200 || fail "the VCD"
sed 's/^#30$/#0/' trace.vcd >late.vcd
if "$python" "$read_vcd" late.vcd 200 2>/dev/null; then fail "time that runs back was not seen"; fi
if "$python" "$read_vcd" trace.vcd 201 2>/dev/null; then fail "201 answers were seen"; fi
echo "three_ways_test: $records vectors, digest $digest"
