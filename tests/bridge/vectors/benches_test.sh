#!/usr/bin/env bash
# The ready benches for vector files (bridge/vectors) judge our RTL by themselves under Icarus and Verilator, and say
# what is wrong with a device, a file or a word that is. usage: benches_test.sh MXGOLD ROOT SIMULATOR
set -euo pipefail
mxgold=$1 root=$2 simulator=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
fail() { printf 'benches_test: %s\n' "$@" >&2; exit 1; }
command -v "$simulator" >/dev/null || { echo "SKIP: no $simulator"; exit 77; }

mapfile -t rtl < <(find "$root/rtl" -name 'mx_*.sv' ! -name 'mx_pkg.sv' ! -name '*_checker.sv' | sort)
sources=("$root/rtl/mx_pkg.sv" "${rtl[@]}")
# build NAME TOP CHECK SOURCE...: the bench as the program ./NAME.
build() {
  local name=$1 top=$2
  shift 2
  if [[ $simulator == iverilog ]]; then
    iverilog -g2012 -DMX_RANDOM -DMX_ELEMENTS -s "$top" -o "$name.vvp" "${sources[@]}" "$@" 2>"$name.log" ||
      fail "$(tail -n 3 "$name.log")"
    printf '#!/bin/sh\nexec vvp -n %s "$@"\n' "$scratch/$name.vvp" >"$name"
    chmod +x "$name"
  else
    verilator --binary --timing -Wno-fatal -Wno-lint -DMX_RANDOM -DMX_ELEMENTS -O3 -j 2 --Mdir "$name.dir" \
      --top-module "$top" -o "$scratch/$name" "${sources[@]}" "$@" >"$name.log" 2>&1 || fail "$(tail -n 3 "$name.log")"
  fi
}
# The verdict of a bench, whose exit code has to agree.
say() {
  local status=0
  "$@" >said 2>&1 || status=$?
  if grep -q '^PASS' said && [[ $status -ne 0 ]]; then fail "PASS with exit code $status: $*"; fi
  # Icarus 11 ends with 1 for $fatal; Verilator stops by abort.
  if ! grep -q '^PASS' said && [[ $status -eq 0 ]]; then fail "no PASS and exit code 0: $*"; fi
  cat said
}
pass() { [[ $(say "$@") == *"PASS $wanted vectors: mx_quantizer, Lanes ${lanes:-32}, BlockSize ${lanes:-32}, SrBits 8"* ]] || fail "$* says: $(tail -n 2 said)"; }
refuse() {
  local words=$1
  shift
  say "$@" | grep -q -- "$words" || fail "$* does not say '$words': $(tail -n 3 said)"
}

"$mxgold" gen --suite rnd --count 12 --format mxfp4,mxfp8_e4m3 --rounding ties_to_even,stochastic_a --random-bits 8 \
  -o blocks.mem --sv mx_vectors.sv >/dev/null 2>&1
"$mxgold" gen --suite rnd --count 12 --format mxfp4,mxfp8_e4m3 --rounding ties_to_even,stochastic_a --random-bits 8 \
  -o blocks.tv >/dev/null 2>&1
wanted=$(sed -n 's/^# count //p' blocks.tv)
[[ $wanted -eq 48 ]] || fail "$wanted vectors"
check=$root/bridge/vectors/quantizer_check.sv
build tv tv_bench "$check" "$root/bridge/vectors/tv_bench.sv"
build mem mem_bench mx_vectors.sv "$check" "$root/bridge/vectors/mem_bench.sv"
pass ./tv +vec=blocks.tv
pass ./tv +vec=blocks.tv +seed=7
pass ./mem +mem=blocks.mem

# One bit of an expected code, an X, vectors that are lost, files that are none, configurations of others.
line=$(grep -n '^# count' blocks.tv | cut -d: -f1)
sed "$((line + 3))s/ 0\([0-9a-f]\) \([0-9a-f]*\)\$/ 1\1 \2/" blocks.tv >flipped.tv
cmp -s blocks.tv flipped.tv && sed "$((line + 3))s/\([0-9a-f]*\)\$/ff/" blocks.tv >flipped.tv
cmp -s blocks.tv flipped.tv && fail 'nothing was flipped'
refuse "FAIL 1 of $wanted vectors differ" ./tv +vec=flipped.tv
grep -q '^vector 2: scale' said || fail "the vector is not named: $(cat said)"
sed "$((line + 5))d" blocks.tv >lost.tv
refuse "record $((wanted - 1)) of $wanted is not whole" ./tv +vec=lost.tv
: >empty.tv
refuse 'no header' ./tv +vec=empty.tv
sed "s/^# count .*/# count 0/;s/^# end .*/# end 0/;/^[0-9a-f]/d" blocks.tv >none.tv
refuse 'FAIL nothing was compared: there are no vectors' ./tv +vec=none.tv
refuse 'cannot be opened' ./tv +vec=missing.tv
"$mxgold" gen --suite rnd --count 4 --op cvt --format e4m3fn -o cvt.tv >/dev/null 2>&1
refuse '# op cvt: this bench takes block' ./tv +vec=cvt.tv
"$mxgold" gen --suite rnd --count 4 --format nvfp4 --tensor-amax 2688 -o nvfp4.tv >/dev/null 2>&1
refuse '# block_size 16: this bench takes 32' ./tv +vec=nvfp4.tv
"$mxgold" gen --suite rnd --count 4 --format mxfp4 --rounding stochastic_a --random-bits 12 -o wide.tv >/dev/null 2>&1
refuse '# random_bits 12: this bench takes 8' ./tv +vec=wide.tv
sed 's/^# lanes 32/# lanes 64/' blocks.tv >lanes.tv
refuse '# lanes 64: this bench takes 32' ./tv +vec=lanes.tv
# The same records under another rounding.
sed 's/^00 00000004 /00 00000024 /' blocks.tv >rounding.tv
refuse "of $wanted vectors differ" ./tv +vec=rounding.tv
# Of a .mem file: the flags of record 2, a record, tail and head.
head=$(grep -n 4d584756 blocks.mem | cut -d: -f1)
sed "$((head + 3))s/.\$/f/" blocks.mem >flipped.mem
cmp -s blocks.mem flipped.mem && fail 'nothing was flipped'
refuse "FAIL 1 of $wanted vectors differ" ./mem +mem=flipped.mem
grep -q '^vector 2: scale' said || fail "the vector is not named: $(cat said)"
sed "$((head + 3))d" blocks.mem >lost.mem
refuse 'no tail' ./mem +mem=lost.mem
grep -v 4d584745 blocks.mem >tailless.mem
refuse 'no tail' ./mem +mem=tailless.mem
: >empty.mem
refuse 'no head of these vectors' ./mem +mem=empty.mem
sed 's/4d584756/4d584757/' blocks.mem >other.mem
refuse 'no head of these vectors' ./mem +mem=other.mem

# What two states cannot show: an X in a file, a device that gives X. And one that loses an answer.
if [[ $simulator == iverilog ]]; then
  sed "$((line + 3))s/.\$/x/" blocks.tv >x.tv
  refuse "record 2 of $wanted has an X" ./tv +vec=x.tv
  sed "$((head + 3))s/.\$/x/" blocks.mem >x.mem
  refuse 'word 3 has an X' ./mem +mem=x.mem
  sed 's/\.m_axis_tkeep(m_tkeep)/.m_axis_tkeep()/' "$check" >check_x.sv
  cmp -s "$check" check_x.sv && fail 'the device gives no X'
  build x tv_bench check_x.sv "$root/bridge/vectors/tv_bench.sv"
  refuse "FAIL $wanted of $wanted vectors differ" ./x +vec=blocks.tv
  [[ $(grep -c 'bits are X or Z' said) -eq 5 ]] || fail "X is not named: $(cat said)"
  sed 's/^  integer wrong = 0;/&\n  integer seen = 0;/
    s/if (m_tvalid && m_tready) begin/if (m_tvalid \&\& m_tready) seen = seen + 1;\n      if (m_tvalid \&\& m_tready \&\& seen != 6) begin/' \
    "$check" >check_lost.sv
  build lost tv_bench check_lost.sv "$root/bridge/vectors/tv_bench.sv"
  refuse 'FAIL 1 answers never came' ./lost +vec=blocks.tv
  grep -q 'this is the answer to vector 6: one was lost' said || fail "the lost answer is not named: $(cat said)"
  # Another device: the verdict says which one, and vectors of other blocks are refused.
  build narrow tv_bench -Ptv_bench.Lanes=16 "$check" "$root/bridge/vectors/tv_bench.sv"
  refuse '# block_size 32: this bench takes 16' ./narrow +vec=blocks.tv
  "$mxgold" gen --suite rnd --count 12 --format mxfp4,mxfp8_e4m3 --rounding ties_to_even,stochastic_a --random-bits 8 \
    --block-size 16 -o narrow.tv >/dev/null 2>&1
  lanes=16 pass ./narrow +vec=narrow.tv
  refuse '# block_size 16: this bench takes 32' ./tv +vec=narrow.tv
fi
echo "PASS $simulator"
