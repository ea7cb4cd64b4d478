#!/usr/bin/env bash
# The language gate of the RTL: Verilator -Wall, Icarus and Yosys each accept a unit in one
# parameter set without a warning, and Icarus simulates it: beats of random bits come out.
# Icarus 11.0 runs for ever where one always_comb hands another a variable that it assigns twice.
# Usage: gate_test.sh RTL_FOLDER [PARAMETER=VALUE ...]
# With --controls RTL_FOLDER: shows that each tool's gate refuses a damaged copy.
# With --illegal RTL_FOLDER: each tool refuses each line of standard input, 'MODULE NAME PARAMETER=VALUE ...'.
set -euo pipefail

# The files of a build, package first; the checker is for Verilator only.
rtl_files() {
  printf '%s\n' "$1/mx_pkg.sv"
  find "$1" -name 'mx_*.sv' ! -name mx_pkg.sv ! -name '*_checker.sv' ! -name mx_lfsr.sv | sort
}

gate_verilator() {
  local folder=$1 top=$2 parameters=() sources
  shift 2
  for pair in "$@"; do parameters+=("-G$pair"); done
  mapfile -t sources < <(rtl_files "$folder")
  [[ $top == mx_lfsr ]] && sources=("$folder/mx_lfsr.sv")
  [[ $top == mx_quantizer ]] && sources+=("$folder/mx_quantizer_checker.sv")
  # The waivers stand in the sources, each with its reason.
  verilator --lint-only -Wall --assert --top-module "$top" "${parameters[@]}" "${sources[@]}"
}

gate_icarus() {
  local folder=$1 top=$2 parameters=() sources messages
  shift 2
  for pair in "$@"; do parameters+=("-P$top.$pair"); done
  mapfile -t sources < <(rtl_files "$folder")
  [[ $top == mx_lfsr ]] && sources=("$folder/mx_lfsr.sv")
  messages=$(iverilog -g2012 -Wall -Wno-timescale -o "$work/alone.vvp" -s "$top" "${parameters[@]}" \
    "${sources[@]}" 2>&1) || { printf '%s\n' "$messages"; return 1; }
  # Two remarks are harmless: a coarser sensitivity list, and advice about loops for synthesis.
  messages=$(grep -v -e 'sorry: constant selects in always_\* processes' \
    -e 'warning: A for statement' <<<"$messages" || true)
  [[ -z $messages ]] || { printf '%s\n' "$messages"; return 1; }
  [[ $top == mx_lfsr ]] || simulate "$top" "$@" -- "${sources[@]}"
}

# A bench of random bits around a unit, whose ports are those that Icarus printed into alone.vvp.
bench() {
  local top=$1 direction width name words ports=() inputs=()
  shift
  echo 'module gate_tb;'
  while read -r direction width name; do
    ports+=(".$name($name)")
    if [[ $direction == OUTPUT ]]; then
      echo "  wire [$((width - 1)):0] $name;"
    else
      echo "  logic [$((width - 1)):0] $name = '0;"
      [[ $name == clk_i || $name == rst_ni ]] || inputs+=("$name $(((width + 31) / 32))")
    fi
  done < <(awk '/scope module/ {scopes++} scopes == 1 && /port_info/ {gsub(/[\/";]/, ""); print $3, $4, $5}' "$work/alone.vvp")
  printf '  %s #(%s) dut (%s);\n' "$top" "$(join "$@")" "$(join "${ports[@]}")"
  cat <<'TEXT'
  integer beats = 0;
  always #5 clk_i = ~clk_i;
  initial begin
    #12 rst_ni = 1'b1;
    repeat (200) begin
      @(negedge clk_i);
TEXT
  for name in "${inputs[@]}"; do
    # shellcheck disable=SC2016,SC2046  # a name of the bench's language, once for each 32 bits
    words=$(printf ', $random%.0s' $(seq "${name#* }"))
    echo "      ${name% *} = {${words#, }};"
  done
  cat <<'TEXT'
      #1 if (m_axis_tvalid && m_axis_tready) beats = beats + 1;
    end
    $display("%0d beats left", beats);
    $finish;
  end
endmodule
TEXT
}

join() {
  local IFS=,
  echo "$*"
}

# simulate TOP PARAMETER=VALUE ... -- SOURCES
simulate() {
  local top=$1 parameters=() said
  shift
  while [[ $1 != -- ]]; do
    parameters+=(".${1%%=*}(${1#*=})")
    shift
  done
  shift
  bench "$top" "${parameters[@]}" >"$work/gate_tb.sv"
  iverilog -g2012 -s gate_tb -o "$work/gate_tb.vvp" "$@" "$work/gate_tb.sv" >"$work/said" 2>&1 || { cat "$work/said"; return 1; }
  said=$(ulimit -t "$simulation_limit"; vvp -n "$work/gate_tb.vvp" 2>&1) || { echo "vvp of $top is not done after $simulation_limit s of processor time: $said"; return 1; }
  [[ $said =~ ^[1-9][0-9]*\ beats\ left$ ]] || { echo "vvp of $top: $said"; return 1; }
}

gate_yosys() {
  local folder=$1 top=$2 parameters=() sources
  shift 2
  for pair in "$@"; do parameters+=(-chparam "${pair%%=*}" "${pair#*=}"); done
  mapfile -t sources < <(rtl_files "$folder")
  [[ $top == mx_lfsr ]] && sources=("$folder/mx_lfsr.sv")
  yosys -q -e '.*' -p "read_verilog -sv ${sources[*]}
    hierarchy -check -top $top ${parameters[*]}
    proc
    check -assert"
}

gate() {
  local tool
  for tool in verilator icarus yosys; do
    "gate_$tool" "$@" || { echo "FAIL: $tool refuses $*"; return 1; }
  done
}

# Each damage must be refused by the tool named.
controls() {
  local rtl=$1 tool file script
  simulation_limit=5
  while read -r tool file script; do
    rm -rf "${work:?}/rtl"
    cp -r "$rtl" "$work/rtl"
    sed -i "$script" "$work/rtl/$file"
    if cmp -s "$rtl/$file" "$work/rtl/$file"; then
      echo "FAIL: the damage '$script' changes nothing in $file"
      return 1
    fi
    if "gate_$tool" "$work/rtl" mx_quantizer Lanes=2 BlockSize=16 >/dev/null 2>&1; then
      echo "FAIL: $tool accepts $file after '$script'"
      return 1
    fi
    echo "$tool refuses $file after '$script'"
  done <<'END'
verilator mx_skid.sv s/spare_q;$/spare_q,unread;/
icarus mx_round.sv s/lsb_i/lsb_j/
icarus mx_shared_scale.sv s/plain\x20=\x20{1/base_o='0;\x20&/
icarus mx_stage.sv s/valid_q\x20<=\x20valid_i/valid_q\x20<=\x201'b0/
yosys mx_shared_scale.sv s/nan_block,/nan_blck,/
END
}

# Parameters outside their ranges stop each tool, which names the module that says what is right. NAME -: in other
# words, since widths of 0 stop it before.
illegal() {
  local folder=$1 top name tool said parameters count=0
  shift
  while read -r top name parameters; do
    for tool in verilator icarus yosys; do
      # shellcheck disable=SC2086  # several parameters
      if said=$("gate_$tool" "$folder" "$top" $parameters 2>&1); then
        echo "FAIL: $tool takes $top with $parameters"
        return 1
      fi
      [[ $name == - || $said == *"${top}_needs_$name"* ]] || { echo "FAIL: $tool says of $top $parameters: $said"; return 1; }
      count=$((count + 1))
    done
  done
  echo "PASS: $count refusals"
}

simulation_limit=30
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [[ ${1:-} == --controls ]]; then
  controls "$2"
elif [[ ${1:-} == --illegal ]]; then
  illegal "$2"
else
  folder=$1
  shift
  if [[ ${1:-} == mx_* ]]; then gate "$folder" "$@"; else gate "$folder" mx_quantizer "$@"; fi
  echo "PASS: Verilator, Icarus, Yosys"
fi
