#!/usr/bin/env bash
# The wheel mxgold of a release: built, checked, and used in a fresh environment of every Python at hand from 3.9 on. Then
# the source distribution, built with nothing cached, and an editable install of it.
#
# usage: library_test.sh CHECKOUT SCRATCH
#
# MX_PYTHONS names more interpreters than those on the PATH. Exit 77 where no package index can be reached or
# python3-venv is missing.
set -euo pipefail
root=$1 scratch=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
limit=240  # seconds of a processor, for a build that takes 175 to 185 on a virtual core of 2026
skip() { echo "skipped: $*"; exit 77; }
fail() { echo "FAIL: $*"; exit 1; }
unset PYTHONPATH MXGOLD_LIBRARY MXGOLD_PROGRAM MXGOLD_MODEL_LIBRARY
export MXGOLD_WHEELS=$scratch/wheels

mkdir -p "$scratch"
rm -rf "$scratch/probe" "$MXGOLD_WHEELS/dist"
python3 -m venv "$scratch/probe" || skip "python3 -m venv does not work; apt install python3-venv"
"$scratch/probe/bin/pip" -q install "scikit-build-core>=1.1" || skip "scikit-build-core cannot be had from the index"
"$root/package/wheels" sdist library:x86_64-manylinux
wheel=$(echo "$MXGOLD_WHEELS"/dist/mxgold-*-py3-none-manylinux*.whl)
source=$(echo "$MXGOLD_WHEELS"/dist/mxgold-*.tar.gz)
[[ -f $wheel && -f $source ]] || fail "not all was built: $(ls "$MXGOLD_WHEELS/dist")"

# Controls: the check finds an older system promised, a size beyond the limit, a licence gone, a library from outside.
check() { "$MXGOLD_WHEELS/python/bin/python" "$root/package/check_wheel.py" "$@"; }
refused() {
  local words=$1 said; shift
  said=$(check "$@") && fail "the check passes: $said"
  [[ $said == *"$words"* ]] || fail "the check says $said, not: $words"
}
rm -rf "$scratch/bad"; mkdir -p "$scratch/bad"
older=$scratch/bad/$(basename "${wheel/manylinux_2_28/manylinux_2_5}")
cp "$wheel" "$older"
refused "but it asks for" "$older"
refused "bytes are more than" "$wheel" --most 1000
cp "$wheel" "$scratch/bad/"
python3 - "$scratch/bad/$(basename "$wheel")" <<'END'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel:
    kept = [(each, wheel.read(each)) for each in wheel.infolist() if not each.filename.endswith("/third_party/highway")]
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as wheel:
    for each, data in kept:
        wheel.writestr(each, data)
END
refused "no licence text of highway" "$scratch/bad/$(basename "$wheel")"

# The source distribution has what git has of it, and nothing that lies about in a checkout.
stray() { tar tf "$1" | sed 's:^[^/]*/::' | grep -v -e '^$' -e '/$' -e '^PKG-INFO$' | grep -vxFf <(git -C "$root" ls-files); }
[[ -z $(stray "$source") ]] || fail "the source distribution has files that git has not: $(stray "$source" | head -3)"
mkdir -p "$scratch/bad/mxgold-0/python/.cache" && touch "$scratch/bad/mxgold-0/python/.cache/one"
tar czf "$scratch/bad/stray.tar.gz" -C "$scratch/bad" mxgold-0
[[ $(stray "$scratch/bad/stray.tar.gz") == python/.cache/one ]] || fail "a stray file is not found"

used=0
for python in /usr/bin/python3 python3.{9,10,11,12,13,14} python3.{13,14}t ${MX_PYTHONS:-}; do
  "$python" -c 'import sys, venv; sys.exit(sys.version_info < (3, 9))' 2>/dev/null || continue
  rm -rf "$scratch/fresh"
  "$python" -m venv "$scratch/fresh"
  "$scratch/fresh/bin/pip" -q install "$wheel" || skip "numpy for $("$python" --version) cannot be had from the index"
  "$scratch/fresh/bin/python" "$here/use.py" "$root/python/README.md"
  used=$((used + 1))
done
[[ $used -gt 0 ]] || fail "no Python used the wheel"

# The source distribution by itself, as pip builds it for somebody.
rm -rf "$scratch/fresh" "$scratch/tree"
/usr/bin/python3 -m venv "$scratch/fresh"
TIMEFORMAT='%U %S'
spent=$( { time CCACHE_DISABLE=1 "$scratch/fresh/bin/pip" -q install --no-cache-dir "$source" >"$scratch/sdist.log" 2>&1; } 2>&1) ||
  { tail -20 "$scratch/sdist.log"; fail "the source distribution does not install"; }
"$scratch/fresh/bin/python" "$here/use.py" "$root/python/README.md"
seconds=$(awk -v s="$spent" 'BEGIN { split(s, t, " "); printf "%d", t[1] + t[2] }')
echo "source distribution: $(stat -c %s "$source") bytes, built in $seconds s of a processor"
[[ $seconds -le $limit ]] || fail "that is more than $limit s"
refused "needs libstdc++.so.6" "$(make_local() {
  CCACHE_DISABLE='' "$scratch/fresh/bin/pip" wheel -q --no-deps -w "$scratch/bad" "$root" >"$scratch/local.log" 2>&1 &&
    echo "$scratch"/bad/mxgold-*-linux_x86_64.whl
}; make_local)"

# An editable install: the library is found, and a change of a source is seen.
mkdir -p "$scratch/tree"
tar xf "$source" -C "$scratch/tree" --strip-components=1
"$scratch/fresh/bin/pip" -q install -e "$scratch/tree" >"$scratch/editable.log" 2>&1 ||
  { tail -20 "$scratch/editable.log"; fail "no editable install"; }
"$scratch/fresh/bin/python" "$here/use.py" "$root/python/README.md"
echo 'CHANGED = "seen"' >>"$scratch/tree/python/mxgold/_mode.py"
[[ $(cd / && "$scratch/fresh/bin/python" -c 'import mxgold._mode; print(mxgold._mode.CHANGED)') == seen ]] ||
  fail "a change of a source is not seen"
echo "editable install: the library is found, a change is seen"
