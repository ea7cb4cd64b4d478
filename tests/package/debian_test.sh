#!/usr/bin/env bash
# The Debian packages: what they depend on, that their program runs from where it was unpacked, and that a package
# holds what its name says. Ends with 77 where dpkg-dev is missing. usage: debian_test.sh BUILD
set -euo pipefail
build=$1
command -v dpkg-shlibdeps >/dev/null || { echo 'SKIP: no dpkg-shlibdeps (Debian package dpkg-dev)'; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { printf 'debian_test: %s\n' "$@" >&2; exit 1; }

(cd "$build" && cpack -G DEB -D CPACK_OUTPUT_FILE_PREFIX="$scratch") >"$scratch/log" 2>&1 || fail "$(tail -n 5 "$scratch/log")"
for package in mxgold libmxgold1 libmxgold-dev python3-mxgold; do
  file=$(find "$scratch" -maxdepth 1 -name "${package}_*.deb")
  [[ -n $file ]] || fail "no package $package"
  [[ $(dpkg-deb --field "$file" Package) == "$package" ]] || fail "$file is no $package"
  mkdir "$scratch/$package"
  dpkg-deb --extract "$file" "$scratch/$package"
done
depends() { dpkg-deb --field "$(find "$scratch" -maxdepth 1 -name "$1_*.deb")" Depends; }
[[ $(depends mxgold) == *libfmt*libssl* ]] || fail "mxgold depends on: $(depends mxgold)"
[[ $(depends libmxgold-dev) == *'libmxgold1 (= '* ]] || fail "libmxgold-dev depends on: $(depends libmxgold-dev)"
[[ $(depends mxgold) != *systemc* ]] || fail "mxgold depends on SystemC: $(depends mxgold)"
suggests=$(dpkg-deb --field "$(find "$scratch" -maxdepth 1 -name 'libmxgold-dev_*.deb')" Suggests)
[[ $suggests == *libsystemc-dev* ]] || fail "libmxgold-dev suggests: $suggests"
# What a build for packages has (./dev package): parts for benches in SystemC, SystemVerilog and Verilog.
if grep -q '^MXGOLD_SVDPI_INCLUDE.*NOTFOUND\|^MXGOLD_VPI_INCLUDE.*NOTFOUND' "$build/CMakeCache.txt" ||
  ! pkg-config --exists systemc; then
  echo 'SKIP: parts for benches: this machine lacks SystemC, svdpi.h or vpi_user.h'
else
  for file in include/mxgold_systemc.h lib/mxgold/libmxgold_systemc.a lib/mxgold/mxgold_systemc_dut lib/pkgconfig/mxgold_systemc.pc \
    lib/cmake/mxgold/mxgold-systemc.cmake lib/cmake/mxgold/mxgold-dpi.cmake lib/libmxgold_dpi.so share/mxgold/sv/mxgold_pkg.sv \
    lib/mxgold/mxgold.vpi; do
    [[ -s $scratch/libmxgold-dev/usr/$file ]] || fail "libmxgold-dev has no $file"
  done
  [[ $(depends libmxgold-dev) == *libsystemc* ]] || fail "libmxgold-dev depends on: $(depends libmxgold-dev)"
  mkdir "$scratch/all"
  for package in mxgold libmxgold1 libmxgold-dev; do cp -a "$scratch/$package/." "$scratch/all/"; done
  verdict=$("$scratch/all/usr/bin/mxgold" run --dut systemc --suite smoke --format mxfp4 --rule floor | tail -n 3)
  [[ $verdict == PASS* ]] || fail "the unpacked packages: --dut systemc: $verdict"
fi

verdict=$("$scratch/mxgold/usr/bin/mxgold" run --dut reference --suite smoke --format mxfp4 --rule floor | tail -n 3)
[[ $verdict == PASS* ]] || fail "the unpacked program: $verdict"
[[ $("$scratch/mxgold/usr/bin/mxgold" dpi --rtl) == "$scratch/mxgold/usr/share/mxgold/rtl" ]] || fail 'no RTL beside the program'
[[ -s $scratch/mxgold/usr/share/man/man1/mxgold.1 ]] || fail 'no manual page'
[[ -e $scratch/libmxgold1/usr/lib/libmxgold_model.so.1 ]] || fail 'no shared library'
[[ ! -L $scratch/libmxgold1/usr/lib/libmxgold.so ]] || fail 'the name for linkers is in the package of the library'
[[ -L $scratch/libmxgold-dev/usr/lib/libmxgold.so ]] || fail 'no name for linkers'

# The Python package takes the library that the loader finds, and the short way of small calls that lies in it.
[[ $(depends python3-mxgold) == *'libmxgold1 (= '* && $(depends python3-mxgold) == *python3-numpy* ]] ||
  fail "python3-mxgold depends on: $(depends python3-mxgold)"
packages=$scratch/python3-mxgold/usr/lib/python3/dist-packages
python() {
  env -u MXGOLD_LIBRARY LD_LIBRARY_PATH="$1" PYTHONPATH="$packages" PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -c "$2" 2>&1
}
code='import mxgold, mxgold._quick as quick; print(mxgold.quantize([1.5, 0.3], "mxfp4").code_bits.tolist(), quick.CALLS is not None)'
expected='[7, 2] False'
[[ ! -e $packages/mxgold/_calls.abi3.so ]] || expected='[7, 2] True'
said=$(python "$scratch/libmxgold1/usr/lib" "$code") || fail "python3-mxgold: $said"
[[ $said == "$expected" ]] || fail "python3-mxgold: $said, not $expected"
# The control: without the library an import says what is missing.
said=$(python /nonexistent "$code") && fail "Python imports without a library: $said"
[[ $said == *'the library libmxgold.so.1 cannot be loaded'* ]] || fail "without a library: $said"
