#!/usr/bin/env bash
# What surrounds the judges: a missing package is a skip that says so, nothing compared is a failure, a control
# passes only on a mismatch.
# usage: harness_test.sh EXTERNAL_P3109 EXTERNAL_TESTFLOAT
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
p3109=$1
testfloat=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0
checks=0

# expect CODE TEXT COMMAND...: the exit code, and a text in what it prints.
expect() {
  local code=$1 text=$2 output actual
  shift 2
  output=$("$@" 2>&1)
  actual=$?
  checks=$((checks + 1))
  if [[ $actual -ne $code || $output != *"$text"* ]]; then
    printf 'FAIL (exit %s, wanted %s and "%s"): %s\n%s\n' "$actual" "$code" "$text" "$*" "$output"
    failures=$((failures + 1))
  fi
}

python() { PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here/judges /usr/bin/python3 -c "$1"; }

expect 77 './dev external-setup' "$here/run.sh" "$scratch/no-python" some_judge.py
expect 77 'no_such_package cannot be imported' python 'import judge; judge.need("no_such_package")'
expect 77 './dev external-setup' python 'import judge; judge.need("no_such_package")'
expect 5 'nothing was compared' python 'import judge; judge.Judge("nobody", "0").finish()'
expect 1 'must end in 1' "$here/control.sh" true
expect 1 'must end in 1' "$here/control.sh" sh -c 'exit 5'
expect 1 'broke down' "$here/control.sh" false
expect 1 'broke down' "$here/control.sh" sh -c 'echo "FAIL at once" >&2; exit 1'
expect 0 'caught' "$here/control.sh" sh -c 'echo "FAIL judge: 2 comparisons, 1 differ"; exit 1'
expect 77 '' "$here/control.sh" sh -c 'exit 77'
expect 2 'usage' "$here/setup.sh" --no-such-option

expect 77 './dev external-setup' env MX_P3109="$scratch/nowhere" "$p3109"
mkdir -p "$scratch/tables/Value Tables/Hexadecimal"
expect 1 'no table' env MX_P3109="$scratch/tables" "$p3109"

expect 77 'MX_TESTFLOAT' env MX_TESTFLOAT="$scratch/nowhere" "$testfloat"
printf '#!/bin/sh\n' >"$scratch/silent"
chmod +x "$scratch/silent"
expect 1 'printed nothing' env MX_TESTFLOAT="$scratch/silent" "$testfloat" f16
# A generator of five cases: one that ends too early, one that speaks, one that fails at the end.
# generates NAME LINES...: what is called with -n says how many cases there are.
generates() {
  local name=$1
  shift
  printf '#!/bin/sh\ncase "$*" in *-n*) echo "Too few cases; minimum is 5."; exit 1 ;; esac\n' >"$scratch/$name"
  printf '%s\n' "$@" >>"$scratch/$name"
  chmod +x "$scratch/$name"
}
lines='printf "3C00 3C00 4000 00\n3C00 0000 3C00 00\n0000 3C00 3C00 00\n"'
generates short "$lines"
generates talks "$lines" 'echo "testfloat_gen: no memory"'
generates whole "$lines" 'printf "0000 0000 0000 00\n3C00 C000 BC00 00\n"'
generates fails "$lines" 'printf "0000 0000 0000 00\n3C00 C000 BC00 00\n"; exit 1'
one=(f16_add --mode=near_even --tininess=after)
expect 1 'ended after 3 lines of 5' env MX_TESTFLOAT="$scratch/short" "$testfloat" "${one[@]}"
expect 1 'no numbers: testfloat_gen: no memory' env MX_TESTFLOAT="$scratch/talks" "$testfloat" "${one[@]}"
expect 1 'failed' env MX_TESTFLOAT="$scratch/fails" "$testfloat" "${one[@]}"
expect 0 '5 of 5 compared' env MX_TESTFLOAT="$scratch/whole" "$testfloat" "${one[@]}"
expect 0 '2 of 5 compared' env MX_TESTFLOAT="$scratch/fails" "$testfloat" "${one[@]}" --cases=2
expect 2 'usage' env MX_TESTFLOAT="$scratch/whole" "$testfloat" --mode=up
expect 0 'in all 12 cases, 0 differ' env MX_TESTFLOAT="$scratch/whole" "$here/testfloat/level2.sh" "$testfloat" "$scratch/level2" 1 \
  f16_add
expect 0 'in all 60 cases, 0 differ' env MX_TESTFLOAT="$scratch/whole" "$here/testfloat/level2.sh" "$testfloat" "$scratch/level2" 5 \
  f16_add
expect 1 'nothing was judged' "$here/testfloat/level2.sh" "$testfloat" "$scratch/none" 0

# The judge in pieces, of ten cases in one shard: what passed is gone on from, a difference is no pass.
# judges NAME DIFFER: a program that judges four cases from the one it is told on.
judges() {
  cat >"$scratch/$1" <<FAKE
#!/bin/sh
echo "\$*" >>"$scratch/$1.asked"
case "\$*" in *--list*) echo "f16_mulAdd odd after 10"; exit 0 ;; esac
from=\${3#--from=}
to=\$((from + 4))
[ "\$to" -lt 10 ] || to=10
echo "  f16_mulAdd odd after \$from..\$to: \$((to - from)) of 10 compared, $2 differ, 1.0 s"
echo "  f16_mulAdd place \$to abc\$to"
exit $2
FAKE
  chmod +x "$scratch/$1"
}
judges four 0
judges bad 1
pieces=("$here/testfloat/linked/pieces.sh" "$scratch/four" "$scratch/pieces" f16_mulAdd)
expect 0 'in each 4 of 10 cases passed; 4 compared' "${pieces[@]}"
expect 0 'in each 4 of 10 cases passed; 4 compared' "${pieces[@]}" 0 0
expect 0 'in each 8 of 10 cases passed' "${pieces[@]}"
expect 0 '' grep -q -- '--from=4 --place=abc4 --cases=6' "$scratch/four.asked"
expect 0 'in each 10 of 10 cases passed; 10 compared in all, 0 differ, 3 s' "${pieces[@]}"
expect 0 'in each 10 of 10 cases passed; 10 compared' "${pieces[@]}"
expect 0 'in each 4 of 10 cases passed' "$here/testfloat/linked/pieces.sh" "$scratch/four" "$scratch/shared" f16_mulAdd 5
expect 1 'in each 0 of 10 cases passed; 4 compared in all, 1 differ' "$here/testfloat/linked/pieces.sh" "$scratch/bad" "$scratch/bad_pieces" f16_mulAdd
expect 1 'in each 0 of 10 cases passed' "$here/testfloat/linked/pieces.sh" "$scratch/four" "$scratch/no_pieces" f16_mulAdd 0 0
expect 77 'no testfloat_gen' "$here/testfloat/linked/lines.sh" "$scratch/four" "" 1

echo "harness: $checks checks, $failures failed"
[[ $failures -eq 0 ]]
