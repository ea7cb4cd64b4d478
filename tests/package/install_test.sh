#!/usr/bin/env bash
# An installed tree serves a project of its own, wherever it was moved to: find_package, pkg-config, the program.
# usage: install_test.sh ROOT BUILD
set -euo pipefail
root=$1 build=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { printf 'install_test: %s\n' "$@" >&2; exit 1; }
export CCACHE_BASEDIR=$scratch

for component in mxgold libmxgold1 libmxgold-dev; do
  cmake --install "$build" --prefix "$scratch/first" --component "$component" >"$scratch/log" 2>&1 ||
    fail "component $component: $(tail -n 3 "$scratch/log")"
done
# Nothing installed may know where it was built or first installed.
mv "$scratch/first" "$scratch/moved"
prefix=$scratch/moved
if grep -rlF -e "$root/" -e "$scratch/first" "$prefix" --include='*.cmake' --include='*.pc' --include='*.h*'; then
  fail 'these files name a folder of the build'
fi

examples=$(dirname "$(find "$prefix" -path '*/examples/CMakeLists.txt')")
cmake -S "$examples" -B "$scratch/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release \
  >"$scratch/log" 2>&1 || fail "the example is not configured: $(tail -n 20 "$scratch/log")"
cmake --build "$scratch/build" -j 2 >"$scratch/log" 2>&1 || fail "the example is not built: $(tail -n 20 "$scratch/log")"

said=$("$scratch/build/quantize") || fail "quantize: $said"
[[ $said == 'scale '* ]] || fail "quantize says: $said"

"$scratch/build/vectors" 'format=mxfp8_e4m3 rule=rceil' >"$scratch/vectors"
"$prefix/bin/mxgold" gen --format mxfp8_e4m3 --rule rceil --suite rnd --count 1000 --lengths full -o - |
  grep -v '^#' | sed 's/^[0-9a-f]\{8\} //' >"$scratch/wanted"
sed 's/^[0-9a-f]\{8\} //' "$scratch/vectors" >"$scratch/given"
[[ $(wc -l <"$scratch/given") -eq 1000 ]] || fail "vectors: $(wc -l <"$scratch/given") lines"
cmp "$scratch/given" "$scratch/wanted" || fail 'vectors: other ones than mxgold gen'
status=0
"$scratch/build/vectors" 'format=mxfp5' 2>"$scratch/log" || status=$?
[[ $status -eq 2 && $(<"$scratch/log") == *'format=mxfp5'* ]] || fail "vectors: format=mxfp5 ends with $status"

# Emulated packages are a component of their own: who links golden alone has none.
line='op=cast cast=dmx:MXFP8[E4M3]{32}'
status=0
"$scratch/build/vectors" "$line" 2>"$scratch/log" || status=$?
[[ $status -eq 2 && $(<"$scratch/log") == *'no emulated packages'* ]] || fail "vectors: $line ends with $status"
mkdir "$scratch/casts"
cat >"$scratch/casts/CMakeLists.txt" <<'TEXT'
cmake_minimum_required(VERSION 3.25)
project(casts LANGUAGES CXX)
find_package(mxgold REQUIRED COMPONENTS emulators)
add_executable(casts casts.cpp)
target_link_libraries(casts PRIVATE mxgold::golden mxgold::emulators)
TEXT
sed -e 's|^#include <cstdio>|&\n#include "mxgold/emulators/casts/casts.hpp"|' -e 's/block_elements(.*what)/32/' \
  -e 's/FormatCatalog catalog;/FormatCatalog catalog(mx::emulators::make_cast);/' "$examples/vectors.cpp" >"$scratch/casts/casts.cpp"
cmake -S "$scratch/casts" -B "$scratch/casts" -DCMAKE_PREFIX_PATH="$prefix" >"$scratch/log" 2>&1 ||
  fail "emulators: $(tail -n 20 "$scratch/log")"
cmake --build "$scratch/casts" >"$scratch/log" 2>&1 || fail "emulators: $(tail -n 20 "$scratch/log")"
[[ $("$scratch/casts/casts" "$line" | wc -l) -eq 1000 ]] || fail "casts: other than 1000 vectors of $line"

verdict=$("$scratch/build/my_dut" | tail -n 3)
[[ $verdict == PASS* ]] || fail "my_dut: $verdict"
status=0
"$scratch/build/my_dut" --dut my_dut:away >/dev/null || status=$?
[[ $status -eq 1 ]] || fail "my_dut with a defect ends with $status, not 1"

# pkg-config, in C alone.
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name mxgold_model.pc)")
export PKG_CONFIG_PATH
read -ra flags <<<"$(pkg-config --cflags --libs mxgold_model)"
cc -std=c11 "$examples/quantize.c" "${flags[@]}" -o "$scratch/quantize"
library=$(pkg-config --variable=libdir mxgold_model)
[[ $(LD_LIBRARY_PATH=$library "$scratch/quantize") == "$said" ]] || fail 'pkg-config: another answer'

# The page of C and C++: its commands print what it says, and another output is found.
MXGOLD=$prefix python3 "$root/tests/package/page_test.py" "$root/docs/c.md" || fail 'docs/c.md'
sed 's/^code 0010/code 0000/' "$root/docs/c.md" >"$scratch/c.md"
if MXGOLD=$prefix python3 "$root/tests/package/page_test.py" "$scratch/c.md" >/dev/null 2>&1; then
  fail 'a page that shows another code passed'
fi

# The manual and the completions are those of the program.
cmp "$prefix/share/man/man1/mxgold.1" <("$prefix/bin/mxgold" man) || fail 'another manual page'
cmp "$prefix/share/bash-completion/completions/mxgold" <("$prefix/bin/mxgold" completion bash) ||
  fail 'other completions'

# The RTL that the program names is the installed one, whole.
rtl=$("$prefix/bin/mxgold" dpi --rtl)
[[ $rtl == "$prefix/share/mxgold/rtl" ]] || fail "mxgold dpi --rtl: $rtl"
diff -r "$root/rtl" "$rtl" >/dev/null || fail "$rtl is not the RTL of the checkout"
[[ -x $rtl/synth_report ]] || fail "$rtl/synth_report cannot be run"

# What a SystemVerilog bench is told to take is there, under this prefix.
if [[ -e $prefix/lib/libmxgold_dpi.so ]]; then
  read -ra packages <<<"$("$prefix/bin/mxgold" dpi --sv)"
  [[ ${#packages[@]} -eq 2 ]] || fail "mxgold dpi --sv: ${packages[*]}"
  for package in "${packages[@]}"; do
    [[ $package == "$prefix"/* && -s $package ]] || fail "mxgold dpi --sv names $package"
  done
  read -ra environment <<<"$("$prefix/bin/mxgold" dpi --uvm)"
  [[ ${environment[0]} == "+incdir+$prefix/"* && ${#environment[@]} -eq 4 ]] || fail "mxgold dpi --uvm: ${environment[*]}"
  for package in "${environment[@]:1}"; do
    [[ -s $package ]] || fail "mxgold dpi --uvm names $package"
  done
  while read -r file; do
    [[ -s ${environment[0]#+incdir+}/$file ]] || fail "mxgold_uvm_pkg includes $file, which is not installed"
  done < <(sed -nE 's/^ *`include "(mxgold_.*)"$/\1/p' "${environment[3]}")
fi

# A component that there is not is refused by name.
cat >"$scratch/CMakeLists.txt" <<'TEXT'
cmake_minimum_required(VERSION 3.25)
project(none LANGUAGES CXX)
find_package(mxgold REQUIRED COMPONENTS uvm)
TEXT
refused() {
  status=0
  cmake -S "$scratch" -B "$scratch/none" -DCMAKE_PREFIX_PATH="$prefix" >"$scratch/log" 2>&1 || status=$?
  [[ $status -ne 0 && $(tr -s '\n ' ' ' <"$scratch/log") == *"$1"* ]] || fail "not refused with: $1"
}
refused 'no component uvm'
if [[ ! -e $prefix/lib/libmxgold_cuda.so ]]; then
  sed -i 's/uvm/cuda/' "$scratch/CMakeLists.txt"
  refused 'without its component cuda, because it has no device code'
fi
