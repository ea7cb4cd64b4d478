#!/bin/bash
# The same vectors from another compiler: builds the digests' sources with clang++ and compares the digests of many
# suites with those of this build.
# Usage: compilers_test.sh SOURCE_ROOT DIGESTS_PROGRAM SOURCES...
set -euo pipefail
root=$1
here=$2
shift 2
if ! command -v clang++ >/dev/null; then
  echo "SKIPPED: clang++ is not installed (apt-get install clang)"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cache=$(command -v ccache || true)
flags="-std=c++20 -O1 -ffp-contract=off -I$root"
compile() {
  # shellcheck disable=SC2086  # flags and cache are words
  $cache clang++ $flags '-DMXGOLD_VERSION="any"' -c "$1" -o "$work/${1//\//_}.o"
}
export -f compile
export cache flags work
printf '%s\0' "$@" | xargs -0 -P "$(nproc)" -I{} bash -c 'compile {}'
clang++ "$work"/*.o -lfmt -lcrypto -o "$work/digests"
"$work/digests" >"$work/clang.txt"
"$here" >"$work/this.txt"
sets=$(wc -l <"$work/this.txt")
[ "$sets" -ge 150 ] || { echo "only $sets sets"; exit 1; }
diff "$work/this.txt" "$work/clang.txt"
echo "$sets sets, the same bytes"
