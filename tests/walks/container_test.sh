#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The image of package/container/Containerfile, built on a bare Debian 12 that stands in for the registry's, and used: the
# program, the built-in RTL, a device file, Python, pkg-config. usage: container_test.sh CHECKOUT SCRATCH
#
# Exit 77 where there is no root, buildah or debootstrap. Nothing of the machine's own images is touched.
set -euo pipefail
checkout=$(cd "$1" && pwd) scratch=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
skip() { echo "SKIP container: $*"; exit 77; }
fail() { echo "FAIL container: $*"; exit 1; }
[[ $(id -u) == 0 ]] || skip "only root can make a bare system"
command -v buildah >/dev/null || skip "apt install buildah"
mkdir -p "$scratch"
scratch=$(cd "$scratch" && pwd)
python3 -B - "$here" "$scratch" <<'END' || skip "no bare Debian"
import pathlib, sys
sys.path.insert(0, sys.argv[1])
import system
system.bring(pathlib.Path(sys.argv[2]) / "bookworm")
END
export BUILDAH_ISOLATION=chroot
build=(buildah --storage-driver vfs --root "$scratch/images" --runroot "$scratch/images.run")
trap '"${build[@]}" rm --all >/dev/null 2>&1 || true; rm -rf "$scratch/images.run"' EXIT
base=docker.io/library/debian:12-slim
if ! "${build[@]}" inspect --type image "$base" >/dev/null 2>&1; then
  bare=$("${build[@]}" from scratch)
  "${build[@]}" add -q "$bare" "$scratch/bookworm" /
  "${build[@]}" commit -q "$bare" "$base" >/dev/null
  "${build[@]}" rm "$bare" >/dev/null
fi
started=$SECONDS
"${build[@]}" build --pull-never --network host -q -f "$checkout/package/container/Containerfile" -t mxgold "$checkout" >/dev/null
echo "container: built in $((SECONDS - started)) s"

container=$("${build[@]}" from --pull-never mxgold)
# As `podman run mxgold ARGUMENTS` does: the entry point first.
entry=$("${build[@]}" inspect --type image --format '{{index .OCIv1.Config.Entrypoint 0}}' mxgold)
[[ $entry == mxgold ]] || fail "the entry point is $entry"
within() { "${build[@]}" run "$container" -- "$@"; }
[[ $(within mxgold explain --format mxfp4 1.5 0.3 | tail -n 1) == 'result: scale 7D codes 7 2; flags inexact' ]] || fail "explain"
[[ $(within mxgold run --dut rtl --suite smoke --format mxfp4 --rule floor) == *PASS* ]] || fail "the built-in RTL"
[[ $(within python3 -c 'import mxgold; print(mxgold.quantize([1.5, 0.3], "mxfp4").code_bits.tolist())') == '[7, 2]' ]] || fail "Python"
[[ $(within pkg-config --modversion mxgold 2>/dev/null || within sh -c 'ls /usr/lib/pkgconfig/mxgold.pc') == *[0-9m]* ]] || fail "pkg-config"
python3 -B - "$checkout" "$scratch/page" <<'END'
import pathlib, sys
sys.path.insert(0, sys.argv[1] + "/tests/first_day")
import pages
folder = pathlib.Path(sys.argv[2])
folder.mkdir(exist_ok=True)
for _, language, lines in pages.blocks_of(pathlib.Path(sys.argv[1], "docs/start/rtl.md").read_text().splitlines()):
    if language and (saved := pages.SAVED.fullmatch(language)):
        (folder / saved[1]).write_text("\n".join(lines) + "\n")
END
"${build[@]}" copy -q "$container" "$scratch/page/quantizer.sv" "$scratch/page/quantizer.json" /project/ >/dev/null
rtl=$(within mxgold dpi --rtl)
within env "RTL=$rtl" mxgold run --dut device:quantizer.json --suite smoke >"$scratch/device.out" 2>&1 ||
  fail "a device file: $(tail -n 5 "$scratch/device.out")"
grep -q '^PASS 243/243' "$scratch/device.out" || fail "a device file: $(tail -n 5 "$scratch/device.out")"
# The control: a wrong answer is seen in there, too.
if within mxgold run --dut reference:ties_to_away_for_even --suite smoke --format mxfp4 >/dev/null 2>&1; then
  fail "no fault is found"
fi
echo "PASS container"
