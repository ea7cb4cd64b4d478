#!/usr/bin/env bash
# An installed tree serves benches of others, wherever it was moved to: find_package with the components systemc and dpi,
# pkg-config, and the process of `--dut systemc`. Ends with 77 where the machine has no SystemC or no Verilator.
# usage: benches_test.sh BUILD
set -euo pipefail
build=$1
command -v verilator >/dev/null || { echo 'SKIP: no Verilator (Debian package verilator)'; exit 77; }
pkg-config --exists systemc || { echo 'SKIP: no SystemC (Debian packages libsystemc-dev and pkgconf)'; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { printf 'benches_test: %s\n' "$@" >&2; exit 1; }
export CCACHE_BASEDIR=$scratch SC_COPYRIGHT_MESSAGE=DISABLE

for component in mxgold libmxgold1 libmxgold-dev; do
  cmake --install "$build" --prefix "$scratch/first" --component "$component" >"$scratch/log" 2>&1 ||
    fail "component $component: $(tail -n 3 "$scratch/log")"
done
mv "$scratch/first" "$scratch/moved"
prefix=$scratch/moved
config=$(find "$prefix" -name mxgoldConfig.cmake)
for component in systemc dpi; do
  [[ -s ${config%/*}/mxgold-$component.cmake ]] || fail "the component $component is not installed"
done

examples=$(find "$prefix" -path '*/examples/benches')
cmake -S "$examples" -B "$scratch/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release \
  >"$scratch/log" 2>&1 || fail "the example is not configured: $(tail -n 20 "$scratch/log")"
cmake --build "$scratch/build" -j 2 >"$scratch/log" 2>&1 || fail "the example is not built: $(tail -n 20 "$scratch/log")"

PATH=$prefix/bin:$PATH "$scratch/build/bench" >"$scratch/said" || fail "bench: $(<"$scratch/said")"
grep -q 'dut: PASS 1000/1000 blocks' "$scratch/said" || fail "bench says: $(<"$scratch/said")"
"$scratch/build/score" >"$scratch/said" || fail "score: $(<"$scratch/said")"
grep -q '^PASS to_e5m2: 65536 records expected, 65536 observed, 0 wrong' "$scratch/said" ||
  fail "score says: $(<"$scratch/said")"
# shellcheck disable=SC2016  # the shell that is started expands it, and says of the signal what it likes
if bash -c '"$0" +away' "$scratch/build/score" >"$scratch/said" 2>&1; then fail 'a device with a defect passed'; fi
grep -q '^FAIL to_e5m2' "$scratch/said" || fail "score +away says: $(<"$scratch/said")"

# pkg-config.
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name mxgold_systemc.pc)")
export PKG_CONFIG_PATH
read -ra flags <<<"$(pkg-config --cflags --libs mxgold_systemc)"
c++ -std=c++17 "$examples/bench.cpp" "${flags[@]}" "-Wl,-rpath,$(pkg-config --variable=libdir mxgold_model)" \
  -o "$scratch/bench" 2>"$scratch/log" || fail "pkg-config: $(tail -n 5 "$scratch/log")"
PATH=$prefix/bin:$PATH "$scratch/bench" | grep -q 'dut: PASS 1000/1000 blocks' || fail 'pkg-config: bench does not pass'

# The device of the harness, from the place where it lies now; and what is said where it is not.
verdict=$("$prefix/bin/mxgold" run --dut systemc --suite smoke --format mxfp4 --rule floor | tail -n 3)
[[ $verdict == PASS* ]] || fail "--dut systemc: $verdict"
device=$(find "$prefix" -name mxgold_systemc_dut)
mv "$device" "$scratch/"
status=0
"$prefix/bin/mxgold" run --dut systemc --suite smoke >"$scratch/said" 2>&1 || status=$?
[[ $status -eq 4 && $(<"$scratch/said") == *'component libmxgold-dev'* ]] ||
  fail "without $device: exit $status" "$(<"$scratch/said")"

# refused COMPONENT PATTERN [ENVIRONMENT...]: not found, with these words, by a project of its own in C++.
mkdir "$scratch/none"
refused() {
  local component=$1 pattern=$2 status=0
  shift 2
  printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' 'project(none LANGUAGES CXX)' \
    "find_package(mxgold REQUIRED COMPONENTS $component)" >"$scratch/none/CMakeLists.txt"
  env "$@" cmake -S "$scratch/none" -B "$scratch/none/build" -DCMAKE_PREFIX_PATH="$prefix" >"$scratch/log" 2>&1 || status=$?
  # CMake breaks long lines as it likes.
  tr -s ' \n' ' ' <"$scratch/log" >"$scratch/line"
  if [[ $status -eq 0 ]] || ! grep -qE "$pattern" "$scratch/line"; then
    fail "no \"$pattern\": exit $status" "$(<"$scratch/log")"
  fi
  rm -r "$scratch/none/build"
}
refused systemc 'finds no systemc.pc: install libsystemc-dev' PKG_CONFIG_LIBDIR=/nowhere PKG_CONFIG_PATH=/nowhere
# The package of a build without SystemC, and an installation without DPI-C.
cp "$config" "$scratch/config"
sed -i 's|^set(mxgold_left_out_systemc ".*")|set(mxgold_left_out_systemc "no SystemC was found")|' "$config"
if cmp -s "$config" "$scratch/config"; then fail 'the package says nowhere what was left out'; fi
refused systemc 'built without its component systemc, because no SystemC was found: install that'
cp "$scratch/config" "$config"
rm "${config%/*}/mxgold-dpi.cmake"
refused dpi 'component dpi is not installed here'
echo "benches_test: $verdict"
