#!/usr/bin/env bash
# The digest of the sources changes with every source, and with nothing else. usage: source_digest_test.sh ROOT
set -euo pipefail
root=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
checked=0
digest() { cmake "-DROOT=$tree" -P "$root/cli/program/source_digest.cmake"; }
expect() {
  local now
  now=$(digest)
  [[ $now =~ ^[0-9a-f]{16}$ ]] || { echo "not a digest: '$now'"; exit 1; }
  if [[ $1 == same && $now != "$before" ]] || [[ $1 == other && $now == "$before" ]]; then
    echo "$2: $before and $now"
    exit 1
  fi
  before=$now
  checked=$((checked + 1))
}

if digest 2>/dev/null; then echo 'an empty tree has a digest'; exit 1; fi
for file in rtl/a.sv reference/format/a.hpp emulators/dmx/a.cpp backend/abi/a.h oracle/block/a.cpp golden/files/a.cpp fast/cuda/a.cu \
  fast/cuda/a.cuh sim/dut/a.cpp sim/lanes/a.sv cli/program/a.cpp; do
  mkdir -p "$(dirname "$tree/$file")"
  echo one >"$tree/$file"
done
before=$(digest)
expect same 'the same tree'
find "$tree" -name 'a.*' | sort >"$tree/sources.txt"
[[ $(wc -l <"$tree/sources.txt") -eq 11 ]]
while read -r file; do
  echo two >"$file"
  expect other "$file: another content"
  mv "$file" "${file/a./b.}"
  expect other "$file: another name"
done <"$tree/sources.txt"
# Two sources that exchange their contents.
echo 1 >"$tree/rtl/x.sv" && echo 2 >"$tree/rtl/y.sv" && before=$(digest)
echo 2 >"$tree/rtl/x.sv" && echo 1 >"$tree/rtl/y.sv"
expect other 'contents exchanged'
rm "$tree/rtl/x.sv"
expect other 'a source less'
touch "$tree/rtl/y.sv"
expect same 'another date'
mkdir -p "$tree/docs" "$tree/tests/cli" "$tree/build/release/sim" "$tree/golden/data"
touch "$tree/docs/a.md" "$tree/tests/cli/a.cpp" "$tree/build/release/sim/a.cpp" "$tree/golden/data/a.tv"
expect same 'what no program is built from'
cp -a "$tree" "$tree.copy"
[[ $(cmake "-DROOT=$tree.copy" -P "$root/cli/program/source_digest.cmake") == "$before" ]] ||
  { echo 'another place, another digest'; exit 1; }
rm -rf "$tree.copy"
echo "source_digest_test: $checked cases"
