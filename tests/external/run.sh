#!/bin/sh
# Runs a judge written in Python in the environment that setup.sh makes.
# usage: run.sh PYTHON SCRIPT [ARGS]
# Exits 77 (skipped), saying what is missing and how to install it, where there is no environment.
if [ ! -x "$1" ]; then
  echo "SKIP $(basename "$2"): no Python environment at $1; install it with ./dev external-setup"
  exit 77
fi
exec "$@"
