#!/usr/bin/env bash
# A build without what it needs ends with one error that names the packages and the options, and nothing that is there.
#
# usage: requirements_test.sh CHECKOUT SCRATCH
set -euo pipefail
root=$1 scratch=$2
fail() { echo "FAIL: $*"; cat "$scratch/log"; exit 1; }
# Finds nothing but the compiler.
configure() {
  rm -rf "$scratch/build"
  mkdir -p "$scratch"
  cmake -S "$root" -B "$scratch/build" -DCMAKE_FIND_ROOT_PATH="$scratch/nothing" -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY \
    -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY -DCMAKE_FIND_ROOT_PATH_MODE_PACKAGE=ONLY "$@" >"$scratch/log" 2>&1
}
says() { for text in "$@"; do grep -qF -- "$text" "$scratch/log" || fail "it does not say: $text"; done; }
silent() { for text in "$@"; do ! grep -qF -- "$text" "$scratch/log" || fail "it says: $text"; done; }

configure -DMXGOLD_PROGRAM=OFF && fail "a library without Highway"
says libhwy-dev highway-devel MXGOLD_HIGHWAY=OFF
silent boost fmt MXGOLD_PROGRAM=OFF

configure && fail "a program without anything"
says 'Boost 1.81' libhwy-dev libboost1.81-dev libcli11-dev libfmt-dev nlohmann-json3-dev libssl-dev libtbb-dev libpugixml-dev zlib1g-dev \
  tbb-devel MXGOLD_HIGHWAY=OFF MXGOLD_PROGRAM=OFF
[[ $(grep -c 'CMake Error' "$scratch/log") == 1 ]] || fail "more than one error"

# The control: where nothing is asked for, nothing is missing.
configure -DMXGOLD_PROGRAM=OFF -DMXGOLD_HIGHWAY=OFF || fail "a library that needs a compiler alone"
silent 'apt install' 'cannot be built'
echo "named: Highway for the library, everything for the program; nothing where nothing is missing"
