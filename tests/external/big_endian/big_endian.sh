#!/usr/bin/env bash
# The program built for a big-endian machine and run by qemu-user writes the bytes that the native one writes: vectors
# of every kind, verdicts and digests, tensors, casts of the emulated systems, explanations (commands.txt); and it
# verifies the committed golden vectors. Ends with 77 where the cross compiler, the emulator or a library is missing.
# With --wrong the two runs get different seeds.
# usage: big_endian.sh MXGOLD ROOT FOLDER PYTHON [--wrong]     FOLDER: keeps the build
# MX_BIG_ENDIAN_ROOT names a folder with Debian's libraries for s390x where they are not installed in /.
set -euo pipefail
native=$1 root=$2 folder=$3 python=$4
seed=5
[[ ${5:-} == --wrong ]] && seed=6
here=$root/tests/external/big_endian
machine=s390x-linux-gnu
skip() { echo "SKIP: $1"; exit 77; }

emulator=$(command -v qemu-s390x-static || command -v qemu-s390x) || skip 'no qemu-s390x (Debian: qemu-user-static)'
command -v "$machine-g++" >/dev/null || skip "no $machine-g++ (Debian: g++-$machine)"
prefix=${MX_BIG_ENDIAN_ROOT:-}
libraries=$prefix/usr/lib/$machine
for library in crypto fmt pugixml tbb; do
  [[ -e $libraries/lib$library.so ]] ||
    skip "no $libraries/lib$library.so (Debian: dpkg --add-architecture s390x; libssl-dev:s390x libfmt-dev:s390x libpugixml-dev:s390x libtbb-dev:s390x zlib1g-dev:s390x; or unpacked below MX_BIG_ENDIAN_ROOT)"
done

options=(-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=s390x "-DCMAKE_C_COMPILER=$machine-gcc"
  "-DCMAKE_CXX_COMPILER=$machine-g++" "-DCMAKE_LIBRARY_ARCHITECTURE=$machine" -DCMAKE_BUILD_TYPE=Release
  "-DCMAKE_CROSSCOMPILING_EMULATOR=$emulator;-L;/usr/$machine" -DMXGOLD_SIM=OFF -DMXGOLD_TESTS=OFF
  -DMXGOLD_BENCH=OFF -DMXGOLD_CUDA=OFF)
if [[ -n $prefix ]]; then
  options+=("-DCMAKE_FIND_ROOT_PATH=$prefix" -DCMAKE_FIND_ROOT_PATH_MODE_PROGRAM=NEVER
    -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY "-DCMAKE_CXX_FLAGS=-isystem $prefix/usr/include/$machine"
    "-DCMAKE_EXE_LINKER_FLAGS=-Wl,-rpath-link,$libraries")
fi
mkdir -p "$folder"
cmake -S "$root" -B "$folder" -G Ninja "${options[@]}" >"$folder.log" 2>&1 || { tail -n 20 "$folder.log"; exit 1; }
cmake --build "$folder" --target mxgold >"$folder.log" 2>&1 || { grep -a -A5 -E 'error|FAILED' "$folder.log"; exit 1; }
foreign=$folder/cli/mxgold
# Byte 6 of an ELF file: 2 for big-endian.
[[ $(od -An -tu1 -j5 -N1 "$foreign") -eq 2 ]] || { echo "$foreign is not big-endian"; exit 1; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
arguments=()
cd "$scratch"
"$python" "$here/tensors.py" .
ln -s "$root/golden/data/smoke" goldens

# play SIDE SEED PROGRAM...: every command in a folder of that side; what it prints is in NUMBER.out.
play() {
  local number=0 line side=$1 seed=$2
  shift 2
  mkdir -p "$side/all"
  while IFS= read -r line; do
    number=$((number + 1))
    eval "arguments=(${line//SEED/$seed})"
    (cd "$side/all" && "$@" "${arguments[@]}" >"$number.out" 2>&1) || {
      echo "$side: mxgold $line"
      tail -n 3 "$side/all/$number.out"
      exit 1
    }
  done <"$here/commands.txt"
}
play native 5 "$native"
play foreign "$seed" "$emulator" -L "/usr/$machine" -E "LD_LIBRARY_PATH=$libraries:/usr/$machine/lib" "$foreign"
# Times and rates are the machine's, the commit is that of the last configuration.
sed -i -E 's/[0-9.]+ (s|[MG]? ?[a-z]+\/s)\b/TIME/g' native/all/*.out foreign/all/*.out
sed -i -E 's/("commit": )".*"/\1"C"/' native/all/*.json foreign/all/*.json
if ! diff -r native foreign >differences; then
  echo 'FAIL big_endian: bytes differ on a big-endian machine:'
  head -n 20 differences
  exit 1
fi
echo "PASS: $(wc -l <"$here/commands.txt") commands, $(find native -type f | wc -l) files, $(du -sb native | cut -f1) bytes the same; $(tail -n 1 native/all/"$(wc -l <"$here/commands.txt")".out)"
