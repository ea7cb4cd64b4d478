#!/usr/bin/env bash
# The AArch64 wheel under qemu: Debian 11's Python 3.9 and glibc 2.31, NumPy of PyPI, the first page's examples, and the
# same answers as this machine's library gives.
#
# usage: aarch64_test.sh CHECKOUT SCRATCH [WHEELS]     WHEELS: the folder of wheels that were built before
#
# Exit 77 where qemu-user or the cross compiler is missing, or no mirror or package index can be reached.
set -euo pipefail
root=$1 scratch=$2
packages=(libc6 libgcc-s1 libstdc++6 libcrypt1 zlib1g libffi7 libexpat1 libssl1.1 libmpdec3 libbz2-1.0 liblzma5 libuuid1
  python3.9-minimal libpython3.9-minimal libpython3.9-stdlib)
skip() { echo "skipped: $*"; exit 77; }
fail() { echo "FAIL: $*"; exit 1; }
emulator=$(command -v qemu-aarch64 || command -v qemu-aarch64-static) || skip "apt install qemu-user"
mkdir -p "$scratch"
scratch=$(cd "$scratch" && pwd)
if [[ -n ${3:-} ]]; then
  wheels=$3
else
  command -v aarch64-linux-gnu-g++ >/dev/null || skip "apt install g++-aarch64-linux-gnu"
  MXGOLD_WHEELS=$scratch/wheels "$root/package/wheels" library:x86_64-manylinux library:aarch64-manylinux
  wheels=$scratch/wheels/dist
fi

# Debian's packages for arm64, unpacked: apt is given lists and a state of its own.
system=$scratch/arm64
bring_system() {
  local apt=$scratch/arm64-apt file
  rm -rf "$apt" "$system"
  mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/debs" "$system"
  : >"$apt/status"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian bullseye main" >"$apt/sources.list"
  local get=(apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o "Dir::State=$apt" -o "Dir::State::status=$apt/status"
    -o "Dir::Cache=$apt/cache" -o "Dir::Etc::sourcelist=$apt/sources.list" -o Dir::Etc::sourceparts=- -o APT::Sandbox::User=root)
  "${get[@]}" update && (cd "$apt/debs" && "${get[@]}" download "${packages[@]}") || return 1
  for file in "$apt"/debs/*.deb; do dpkg-deb -x "$file" "$system"; done
  touch "$system/.ready"
}
[[ -e $system/.ready ]] || bring_system >"$scratch/arm64.log" 2>&1 ||
  skip "no packages for arm64: $(tail -1 "$scratch/arm64.log")"
rm -rf "$scratch/arm64-site" "$scratch/here"
python3 -m venv "$scratch/here"
"$scratch/here/bin/pip" -q install --target "$scratch/arm64-site" --platform manylinux_2_28_aarch64 --platform manylinux2014_aarch64 \
  --platform manylinux_2_17_aarch64 --python-version 3.9 --implementation cp --abi cp39 --abi none --only-binary=:all: \
  "$wheels"/mxgold-*manylinux*aarch64.whl || skip "numpy for AArch64 cannot be had from the index"
"$scratch/here/bin/pip" -q install "$wheels"/mxgold-*manylinux*x86_64.whl

# PYTHONHOME is the unpacked system, whose interpreter the emulator runs with its own C library.
there() {
  env -i PATH=/usr/bin:/bin LANG=C.UTF-8 PYTHONHOME="$system/usr" PYTHONPATH="$scratch/arm64-site" OPENBLAS_NUM_THREADS=1 \
    "$emulator" -L "$system" "$system/usr/bin/python3.9" "$@"
}
answers=$scratch/answers.py
cat >"$answers" <<'END'
import hashlib
import platform
import sys
import mxgold
import numpy

x = numpy.random.default_rng(0).integers(0, 1 << 32, 1 << 16, numpy.uint32).view(numpy.float32)
digest = hashlib.sha256()
for name in ("e4m3fn", "e5m2", "e2m1fn", "fp16", "bf16", "binary8p3se", "ue4m3"):
    digest.update(mxgold.bits(mxgold.convert(x, name)).tobytes())
for what in (("mxfp8_e4m3",), ("mxfp8_e4m3", "te"), ("mxfp4", "torchao-0.18"), ("nvfp4",), ("mxfp6_e2m3",)):
    q = mxgold.quantize(x, *what)
    digest.update(q.code_bits.tobytes() + q.scale_bits.tobytes())
    digest.update(mxgold.bits(q.dequantize()).tobytes())
print(platform.machine(), file=sys.stderr)
print(digest.hexdigest())
END
theirs=$(there "$answers")
ours=$("$scratch/here/bin/python" "$answers")
[[ $theirs == "$ours" ]] || fail "AArch64 answers $theirs, this machine $ours"
# The control: other inputs have another digest.
other=$("$scratch/here/bin/python" <(sed 's/default_rng(0)/default_rng(1)/' "$answers"))
[[ $theirs != "$other" ]] || fail "the digest does not depend on the answers"
there -c 'import sys; assert sys.version_info[:2] == (3, 9)'
echo "AArch64 under qemu: the answers of this machine, $theirs"
cp "$root/python/README.md" "$scratch/"
there -m doctest -o ELLIPSIS -o NORMALIZE_WHITESPACE "$scratch/README.md" || fail "the examples of the page"
echo "AArch64 under qemu: the examples of python/README.md"
