#!/usr/bin/env bash
# Our RTL under cocotb 2 with mxgold's models, scoreboard and streams (bridge/cocotb). Ends with 77 where cocotb or a
# simulator that it takes is missing. With --wrong a bit of an answer is flipped; the other controls run each time.
# usage: cocotb.sh PYTHON MXGOLD ROOT ABI MODEL icarus|verilator [--wrong]      ABI, MODEL: the shared libraries
set -euo pipefail
python=$1 mxgold=$2 root=$3 simulator=$6
export MXGOLD_LIBRARY=$4 MXGOLD_MODEL_LIBRARY=$5 PYTHONPATH=$root/python PYTHONDONTWRITEBYTECODE=1
skip() { echo "SKIP: $1"; exit 77; }
"$python" -c 'import cocotb; assert int(cocotb.__version__.split(".")[0]) >= 2' 2>/dev/null ||
  skip 'no cocotb 2; ./dev external-setup installs it'
case $simulator in
  icarus) command -v iverilog >/dev/null || skip 'no iverilog' ;;
  verilator)
    version=$(verilator --version 2>/dev/null | sed -n 's/^Verilator \([0-9]*\)\.\([0-9]*\).*/\1\2/p')
    [[ ${version:-0} -ge 5036 ]] || skip "cocotb 2 needs Verilator 5.036, here is $(verilator --version 2>/dev/null || echo none)"
    ;;
esac
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
"$mxgold" gen --suite rnd --count 8 --format mxfp4,mxfp8_e4m3,mxint8 --rounding ties_to_even,stochastic_a --random-bits 8 \
  -o blocks.jsonl >/dev/null 2>&1
# run FAULT: prints what cocotb says; its exit code.
run() { MXGOLD_FAULT=$1 "$python" "$root/bridge/cocotb/run.py" "$simulator" blocks.jsonl build >log 2>&1; }

if [[ ${7:-} == --wrong ]]; then
  run flip && exit 0
  grep -q 'record 3, code\[0\]: value, expected' log && { echo "FAIL $simulator: a flipped bit"; exit 1; }
  tail -n 5 log
  exit 2
fi
run '' || { tail -n 20 log; exit 1; }
[[ $(grep -c 'PASS 8/8 records' log) -eq 6 ]] || { grep PASS log; exit 1; }
grep -q '<testcase' build/results.xml || { echo 'no JUnit report'; exit 1; }
for fault in "x:code\[0\]: X, expected" "lose:this is the answer to record 4: one was lost" \
  "nothing:no block was offered" "handle:ffffffff is no configuration word" "rounding:rounding=toward_zero"; do
  if run "${fault%%:*}"; then echo "fault ${fault%%:*} passed"; exit 1; fi
  grep -q "${fault#*:}" log || { echo "fault ${fault%%:*} is not named"; exit 1; }
done
echo "PASS $simulator"
