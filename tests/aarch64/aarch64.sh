#!/usr/bin/env bash
# AArch64, cross-compiled and run by qemu: golden vectors of many suites have the digests of this machine's, and the
# tests of the processor's vectors pass on NEON and on single lanes. Then the control: without the mask that NEON's table
# look-ups need, a test has to fail.
# usage: aarch64.sh CHECKOUT DIGESTS_PROGRAM FOLDER   the program: golden_digests of this machine; FOLDER keeps what was
# built. 77: skipped, where a tool or the packages are missing.
set -euo pipefail
checkout=$1 digests=$2 work=$3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
packages=(libfmt-dev libfmt9 libgmock-dev libgtest-dev libhwy-dev libhwy1 libpugixml-dev libpugixml1v5 librapidcheck-dev
  libssl-dev libssl3 libtbb-dev libtbb12 libtbbbind-2-5 libtbbmalloc2 libxxhash-dev zlib1g-dev zlib1g)
programs=(fast/fast_cpu fast/fast_scaled)
control=fast/fast_cpu
mask='hn::And(index, hn::Set(bytes, 0x8F))'
emulator=$(command -v qemu-aarch64 || command -v qemu-aarch64-static || true)
if [[ -z $emulator ]] || ! command -v aarch64-linux-gnu-g++ >/dev/null; then
  echo 'SKIP aarch64: it needs the Debian packages g++-aarch64-linux-gnu and qemu-user-static'
  exit 77
fi
mkdir -p "$work"
work=$(cd "$work" && pwd)
libraries=$work/system/usr/lib/aarch64-linux-gnu:$work/system/lib/aarch64-linux-gnu
emulator=("$emulator" -L /usr/aarch64-linux-gnu -E "LD_LIBRARY_PATH=$libraries")

# Debian's packages for arm64, unpacked: apt is given lists and a state of its own, so that the machine's stay as they are.
bring_packages() {
  local apt=(apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o "Dir::State=$work/apt/state"
    -o "Dir::State::status=$work/apt/status" -o "Dir::Cache=$work/apt/cache" -o APT::Sandbox::User=root)
  rm -rf "$work/apt" "$work/system"
  mkdir -p "$work/apt/state/lists/partial" "$work/apt/cache/archives/partial" "$work/apt/deb" "$work/system"
  : >"$work/apt/status"
  "${apt[@]}" update && (cd "$work/apt/deb" && "${apt[@]}" download "${packages[@]}") || return 1
  local file
  for file in "$work"/apt/deb/*.deb; do dpkg-deb -x "$file" "$work/system"; done
  # One folder of headers: those that Debian keeps apart by architecture beside the others.
  cp -a "$work/system/usr/include/aarch64-linux-gnu/." "$work/system/usr/include/"
  printf '%s\n' "${packages[@]}" >"$work/packages"
}
if [[ ! -e $work/packages || $(cat "$work/packages") != "$(printf '%s\n' "${packages[@]}")" ]]; then
  bring_packages >"$work/apt.log" 2>&1 || {
    tail -n 5 "$work/apt.log"
    echo 'SKIP aarch64: the packages of arm64 cannot be fetched with apt-get'
    exit 77
  }
fi

# A copy of the sources, in which the control breaks a line; what did not change keeps its time.
copy_sources() {
  rm -rf "$work/source"
  mkdir "$work/source"
  (cd "$checkout" && git ls-files -z --cached --others --exclude-standard --deduplicate | tar --null --ignore-failed-read -cf - -T -) |
    tar xf - -C "$work/source"
}
build() {  # build PROGRAM ...
  cmake -S "$work/source" -B "$work/build" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$here/toolchain.cmake" -DMX_AARCH64_ROOT="$work/system" \
    -DMX_AARCH64_EMULATOR="$(IFS=';' && echo "${emulator[*]}")" \
    -DCMAKE_BUILD_TYPE=Release -DMXGOLD_TESTS=ON -DMXGOLD_ALL=ON -DMXGOLD_EVERY_VECTOR=ON -DMXGOLD_CUDA=OFF -DMXGOLD_SIM=OFF >"$work/cmake.log" 2>&1 ||
    { tail -n 30 "$work/cmake.log"; return 1; }
  ninja -C "$work/build" "${@##*/}" >"$work/build.log" 2>&1 || { tail -n 60 "$work/build.log"; return 1; }
}
run() {  # run PROGRAM [OPTION ...]
  "${emulator[@]}" "$work/build/tests/$1" "${@:2}" >"$work/${1##*/}.log" 2>&1
}

copy_sources
build golden/golden_digests "${programs[@]}"
"$digests" >"$work/digests"
sets=$(wc -l <"$work/digests")
[[ $sets -ge 150 ]] || { echo "FAIL aarch64: only $sets sets of golden vectors"; exit 1; }
if ! run golden/golden_digests || ! diff "$work/digests" "$work/golden_digests.log"; then
  echo 'FAIL aarch64: other golden vectors'
  exit 1
fi
echo "  golden_digests: $sets sets, the same bytes"
passed=0
for program in "${programs[@]}"; do
  name=${program##*/}
  run "$program" --gtest_brief=1 || { tail -n 40 "$work/$name.log"; echo "FAIL aarch64: $name"; exit 1; }
  tests=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) tests*\.$/\1/p' "$work/$name.log")
  if [[ ${tests:-0} -eq 0 ]]; then echo "FAIL aarch64: $name ran no test"; exit 1; fi
  echo "  $name: $tests tests pass"
  passed=$((passed + tests))
done

[[ $(grep -c -F "$mask" "$work/source/fast/cpu/keys-inl.hpp") -eq 1 ]] || { echo "FAIL aarch64: the control's line is gone"; exit 1; }
perl -pi -e "s/\Q$mask\E/index/" "$work/source/fast/cpu/keys-inl.hpp"
build "$control"
if run "$control" --gtest_brief=1; then echo "FAIL aarch64: ${control##*/} does not see look-ups without their mask"; exit 1; fi
grep -q '^\[  FAILED  \]' "$work/${control##*/}.log" || { tail -n 20 "$work/${control##*/}.log"; echo 'FAIL aarch64: the control ended otherwise than by a failed test'; exit 1; }
echo "  control: $(grep -c '^\[  FAILED  \]' "$work/${control##*/}.log") lines of failed tests without the mask"
echo "PASS aarch64: ${#programs[@]} programs, $passed tests, under ${emulator[0]##*/}"
