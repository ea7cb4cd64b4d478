#!/bin/sh
# Runs a judge that was told to be wrong: it must report a mismatch (exit code 1).
# usage: control.sh COMMAND [ARGS]
"$@"
code=$?
[ "$code" -eq 77 ] && exit 77
if [ "$code" -ne 1 ]; then
  echo "the judge exited with $code; a wrong policy must end in 1"
  exit 1
fi
echo "the wrong policy was caught"
