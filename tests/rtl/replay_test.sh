#!/usr/bin/env bash
# Replays golden vectors in Icarus (four-state) through mx_quantizer: the RTL, or the netlist that
# Yosys makes of it. Then the negative controls: a lost beat, an unknown output bit, a damaged file,
# in RTL two defects that let unknown bits out and in a netlist one inverted register input must each
# be caught.
# Usage: replay_test.sh MXGOLD RTL_FOLDER BENCH_SV FLOW SOURCES FORMATS COUNT [PARAMETER=VALUE ...]
#   FLOW     rtl | techmap (proc, techmap) | lut (synth, abc -lut 6)
#   SOURCES  source formats, for example fp32,bf16,fp16
#   FORMATS  formats of the smoke suite, whole and without stalls: a list or all
#   COUNT    blocks of the policy suite (every format, rounding, rule and policy), under stalls
#   PARAMETER  Lanes, BlockSize or InFmtMask
set -euo pipefail

mxgold=$1 rtl=$2 bench=$3 flow=$4 sources=$5 formats=$6 count=$7
shift 7
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { echo "FAIL: $*"; exit 1; }

declare -A parameter=([Lanes]=8 [BlockSize]=32 [InFmtMask]=7)
for pair in "$@"; do parameter[${pair%%=*}]=${pair#*=}; done
in_width=16
((parameter[InFmtMask] & 1)) && in_width=32

mapfile -t files < <(printf '%s\n' "$rtl/mx_pkg.sv" && find "$rtl" -name 'mx_*.sv' \
  ! -name mx_pkg.sv ! -name '*_checker.sv' ! -name mx_lfsr.sv | sort)

# Writes $work/device.v (or lists the RTL) for the bench.
make_device() {
  local start=$SECONDS map
  case $flow in
    rtl) device=("${files[@]}" "$rtl/mx_quantizer_checker.sv"); define=(-DMX_RTL); return ;;
    techmap) map='proc; flatten; opt; memory; opt; techmap; opt' ;;
    lut) map='synth -flatten; abc -lut 6; opt_clean' ;;
    *) fail "flow $flow" ;;
  esac
  yosys -q -e '.*' -p "read_verilog -sv ${files[*]}
    hierarchy -check -top mx_quantizer -chparam Lanes ${parameter[Lanes]} -chparam BlockSize \
      ${parameter[BlockSize]} -chparam InFmtMask ${parameter[InFmtMask]}
    $map
    check -assert
    splitnets
    write_verilog -noattr $work/device.v"
  device=("$work/device.v")
  define=(-DMX_NETLIST)
  echo "$flow netlist of $(grep -c '<=' "$work/device.v") register bits in $((SECONDS - start)) s"
}

# vectors FILE ARGS...: golden blocks.
vectors() {
  local file=$1
  shift
  "$mxgold" gen --op block --lengths full --block-size "${parameter[BlockSize]}" --no-manifest "$@" -o "$file" \
    >"$work/gen.log" 2>&1 || { cat "$work/gen.log"; fail "mxgold gen $*"; }
}

blocks_of() { sed -n 's,^// count ,,p' "$1"; }

# build NAME FILE DEVICE...: compiles the bench for the fields of a vector file around a device.
build() {
  local name=$1 width=16 has_random=0
  grep -q '^// source fp32' "$2" && width=32
  grep -q '^// fields .* random' "$2" && has_random=1
  shift 2
  iverilog -g2012 "${define[@]}" -s mx_replay_tb -o "$work/$name.vvp" \
    -Pmx_replay_tb.Lanes="${parameter[Lanes]}" -Pmx_replay_tb.BlockSize="${parameter[BlockSize]}" \
    -Pmx_replay_tb.InFmtMask="${parameter[InFmtMask]}" -Pmx_replay_tb.InWidth=$in_width \
    -Pmx_replay_tb.SourceWidth=$width -Pmx_replay_tb.HasRandom=$has_random "$@" "$bench" \
    >"$work/iverilog.log" 2>&1 ||
    { cat "$work/iverilog.log"; fail "iverilog"; }
}

# expect_pass NAME FILE ARGS...
expect_pass() {
  local name=$1 file=$2 output blocks
  blocks=$(blocks_of "$file")
  shift 2
  output=$(vvp -n "$work/$name.vvp" "+vec=$file" "$@" 2>&1) || { echo "$output"; fail "$file $*"; }
  grep -qx "PASS $blocks blocks" <<<"$output" || { echo "$output"; fail "no PASS $blocks: $file $*"; }
  total=$((total + blocks))
}

# expect_caught WHAT NAME FILE ARGS...: the bench must end with FAIL or an assertion, and an exit status.
expect_caught() {
  local what=$1 name=$2 file=$3 output
  shift 3
  if output=$(vvp -n "$work/$name.vvp" "+vec=$file" "$@" 2>&1); then fail "$what went unseen"; fi
  grep -oE 'FAIL.*|[A-Za-z]*_A$' <<<"$output" >"$work/caught" ||
    { echo "$output"; fail "$what ended without a verdict"; }
  echo "caught $what: $(head -n 1 "$work/caught")"
}

make_device
total=0
for source in ${sources//,/ }; do
  smoke=$work/smoke.$source.mem policy=$work/policy.$source.mem
  vectors "$smoke" --suite smoke --source "$source" --format "$formats"
  vectors "$policy" --suite policy --count "$count" --source "$source" --format all \
    --rounding all --rule all --random-bits 8
  build "smoke.$source" "$smoke" "${device[@]}"
  build "policy.$source" "$policy" "${device[@]}"
  expect_pass "smoke.$source" "$smoke"
  expect_pass "policy.$source" "$policy" +stall=4 +seed=7
done

# The negative controls use the last source's policy blocks.
name=policy.$source
beats=$((parameter[BlockSize] / parameter[Lanes]))
last=$(($(blocks_of "$policy") * beats - 1))
expect_caught "a lost beat" "$name" "$policy" +drop=$((3 * beats))
expect_caught "the loss of the last beat" "$name" "$policy" +drop=$last
expect_caught "an unknown output bit" "$name" "$policy" +xbit=$((2 * beats))
head -n 30 "$policy" >"$work/short.mem"
expect_caught "a truncated file" "$name" "$work/short.mem"
expect_caught "a missing file" "$name" "$work/none.mem"
# expect_unknown WHAT FILE SCRIPT PATTERN: a copy of the RTL after the sed script lets X out.
expect_unknown() {
  local what=$1 file=$2 script=$3 pattern=$4
  sed "$script" "$rtl/$file" >"$work/$file"
  cmp -s "$rtl/$file" "$work/$file" && fail "$script changes nothing in $file"
  build unknown "$policy" "${device[@]/"$rtl/$file"/"$work/$file"}"
  expect_caught "$what" unknown "$policy" +stall=4 +seed=7
  grep -qE "$pattern" "$work/caught" || { cat "$work/caught"; fail "$what: no $pattern"; }
}

if [[ $flow == rtl ]]; then
  expect_unknown "a flag that its block's first beat does not clear" mx_quantizer_core.sv \
    's/(~first_s6 & underflow_q)/underflow_q/' 'OutputKnown_A'
  expect_unknown "valid bits without reset" mx_stage.sv "s/valid_q <= 1'b0;/valid_q <= valid_q;/" \
    'unknown handshake|OutputKnown_A'
else
  # Lane 0's last magnitude bit before rounding, inverted at the input of its register: 8 random
  # bits, the sticky bit and 8 kept bits lie below it.
  sed 's/\(g_lane\[0\]\.u_back\.u_s6\.g_register\.data_q\[17\] *<= \)/\1~/' "$work/device.v" >"$work/flip.v"
  [[ $(diff "$work/device.v" "$work/flip.v" | grep -c '^>') -eq 1 ]] || fail "no gate was flipped"
  build flip "$policy" "$work/flip.v"
  expect_caught "a flipped gate" flip "$policy"
fi
echo "PASS: $flow, $total blocks replayed, 0 mismatches"
