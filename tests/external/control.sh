#!/bin/sh
# Runs a judge that was told to be wrong: it must compare, report a mismatch in a line that begins with FAIL, and end in
# 1. A judge that breaks down ends in 1 too, without that line.
# usage: control.sh COMMAND [ARGS]
said=$(mktemp)
trap 'rm -f "$said"' EXIT
"$@" >"$said"
code=$?
cat "$said"
[ "$code" -eq 77 ] && exit 77
if [ "$code" -ne 1 ]; then
  echo "the judge exited with $code; a wrong policy must end in 1"
  exit 1
fi
if ! grep -q '^FAIL ' "$said"; then
  echo "the judge broke down: it ended in 1 without a line FAIL"
  exit 1
fi
echo "the wrong policy was caught"
