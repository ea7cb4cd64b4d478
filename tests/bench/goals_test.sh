#!/usr/bin/env bash
# The program of the table of goals with peers that are missing, right, wrong and broken.
# usage: goals_test.sh GOALS RIGHT WRONG PYTHON SCRIPT: the program, folders with fake peers, bench/python_goals.py
set -euo pipefail
goals=$1 right=$2 wrong=$3 python=$4 script=$5
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
checked=0

# expect STATUS WORDS WITHOUT ARGS...: goals ARGS on small arrays ends so, says WORDS, and nothing like WITHOUT.
expect() {
  local status=0 output
  output=$("$goals" --small 4096 --large 8192 --rounds 3 "${@:4}" 2>&1 </dev/null) || status=$?
  if [[ $status -ne $1 || $output != *"$2"* || -n $3 && $output =~ $3 ]]; then
    printf 'goals %s: exit %s (expected %s), output (expected to hold "%s" and not "%s"):\n%s\n' \
      "${*:4}" "$status" "$1" "$2" "$3" "$output" >&2
    exit 1
  fi
  checked=$((checked + 1))
}
a_ratio='\([0-9.]+ \.\. [0-9.]+\)'

vectors=$("$goals" --small 4096 --rounds 3 --rows C12 2>&1) || true
if [[ $vectors == *SKIPPED*Highway* ]]; then
  echo "SKIP goals_test: this build has no vectors to measure (libhwy-dev)"
  exit 77
fi

# No peer: said aloud with the remedy, not measured, and not passed.
mkdir "$scratch/none"
expect 77 'goals: SKIPPED C4: no build of ml_dtypes by gcc: give its checkout by MX_PEER_ML_DTYPES=PATH' "$a_ratio" \
  --peers "$scratch/none" --rows C4
expect 77 '0 MISMATCH, 4 SKIPPED' "$a_ratio" --peers "$scratch/none" --rows C4,C5
expect 77 "MX_PEER_CPFLOAT=PATH and pcg-c's by MX_PEER_PCG=PATH" "$a_ratio" --peers "$scratch/none" --rows C3
expect 77 'goals: SKIPPED G1: no TestFloat' "$a_ratio" --peers "$scratch/none" --rows G1
# One build alone is not the better of two.
mkdir "$scratch/half"
cp "$right/ml_dtypes.gcc.so" "$scratch/half"
expect 77 'no build of ml_dtypes by clang' "$a_ratio" --peers "$scratch/half" --rows C6

# A right peer has a ratio; three rounds judge nothing.
expect 0 'ml_dtypes fake, ' 'MISMATCH C6' --peers "$right" --rows C6
expect 0 'INVALID' '[|] (met|NOT MET) [|]' --peers "$right" --rows C6
expect 1 'INVALID' '^$' --peers "$right" --rows C6 --strict
# A peer that does not know the loop, and a library that is none.
expect 77 'ml_dtypes.gcc.so has no loop to_e4m3fn' "$a_ratio" --peers "$right" --rows C4
mkdir "$scratch/broken"
echo text | tee "$scratch/broken/ml_dtypes.gcc.so" >"$scratch/broken/ml_dtypes.clang.so"
expect 77 'SKIPPED C6' "$a_ratio" --peers "$scratch/broken" --rows C6

# Control: one wrong value in one build, and there is no ratio.
expect 1 '1 of 4096 differ, first at 4095' "$a_ratio" --peers "$wrong" --rows C6
expect 1 'goals: MISMATCH C6: ml_dtypes fake, ' "$a_ratio" --peers "$wrong" --rows C6

# Our own two sides agree, and need no peer.
expect 0 '| C12 |' 'MISMATCH C12' --peers "$scratch/none" --rows C12
# Our RTL beside a bare loop and a yardstick: outputs compared, or said to be missing in this build.
rtl=$("$goals" --rounds 3 --rows R2,R3 2>&1) || true
if [[ $rtl == *MISMATCH\ R* || ! ($rtl =~ R2.*$a_ratio.*R3.*$a_ratio || $rtl == *"SKIPPED R2: this build has no"*) ]]; then
  printf 'goals --rows R2,R3 measures nothing:\n%s\n' "$rtl" >&2
  exit 1
fi
checked=$((checked + 1))
# A sweep by a program that is not there, and by one that finds a wrong word, which is no rate.
expect 77 'no program /nonexistent: build the target mxgold' "$a_ratio" --program /nonexistent --rows G3,R4
expect 1 'failed: ' "$a_ratio" --program /bin/false --rows G3
# Sizes that are no whole blocks are refused, and goals that there are not.
expect 105 'must be a multiple of 32' "$a_ratio" --small 33
expect 105 'C99 not in {C1,' "$a_ratio" --rows C1,C99

# The rows of Python packages: none is there, which is said and not passed.
status=0
output=$(env -u MX_PEER_MICROXCALING -u MX_DMX "$python" -B -S "$script" 2>&1) || status=$?
for goal in C2 C10 C11; do
  if [[ $status -ne 77 || $output != *"goals: SKIPPED $goal: "* || $output =~ $a_ratio ]]; then
    printf 'python_goals.py: exit %s (expected 77), and %s is not skipped:\n%s\n' "$status" "$goal" "$output" >&2
    exit 1
  fi
  checked=$((checked + 1))
done

status=0
output=$(env -u MX_FBGEMM "$python" -B -S "$(dirname "$script")/gpu_goals.py" 2>&1) || status=$?
if [[ $status -ne 77 || $output != *"U4 SKIPPED: "* ]]; then
  printf 'gpu_goals.py: exit %s (expected 77), and U4 is not skipped:\n%s\n' "$status" "$output" >&2
  exit 1
fi
checked=$((checked + 1))

echo "goals_test: $checked cases"
