#!/usr/bin/env bash
# The package's types: mypy --strict over the package, the examples of its page and calls of the emulated systems, and
# every public name of known type for pyright --verifytypes.
# usage: types_test.sh BIN ROOT [--without-torch]
# BIN: the folder of mypy and pyright, in an environment with numpy. Without torch its decorators and classes are not
# known: mypy alone looks then, and leaves out what follows from that.
set -euo pipefail
bin=$1 root=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if [[ ! -x $bin/mypy ]]; then
  echo "SKIP: no mypy in $bin; install it with ./dev external-setup"
  exit 77
fi
fail() { printf 'types_test: %s\n' "$@" >&2; exit 1; }

options=(--strict --cache-dir "$scratch/cache" --python-executable "$bin/python")
[[ ${3:-} != --without-torch ]] ||
  options+=(--ignore-missing-imports --allow-untyped-decorators --allow-subclassing-any --no-warn-return-any
            --no-warn-unused-ignores)
export MYPYPATH=$root/python PYTHONPATH=$root/python
(cd "$root/python" && "$bin/mypy" "${options[@]}" mxgold) || fail 'the package'

for page in "$root/docs/python.md" "$root"/docs/howto/python-*.md; do
  "$bin/python" "$root/tests/python/examples.py" "$page" >"$scratch/examples.py"
  (cd "$scratch" && "$bin/mypy" "${options[@]}" examples.py) || fail "the examples of $page"
done
printf 'import mxgold\nmxgold.quantize([1.0], None)\nmxgold.format("mxfp4").max\n' >"$scratch/wrong.py"
found=$(cd "$scratch" && "$bin/mypy" "${options[@]}" wrong.py) && fail 'two wrong types passed'
[[ $(grep -c ': error:' <<<"$found") -eq 2 ]] || fail "of two wrong types: $found"

# The emulated systems; what their functions return is asserted there, and once wrongly here.
if [[ ${3:-} != --without-torch ]]; then
  calls=$root/tests/python/systems/typed_calls.py
  (cd "$scratch" && "$bin/mypy" "${options[@]}" "$calls") || fail 'calls of the emulated systems'
  sed 's/dmx.format.BFP16_64, dmx.Format/dmx.format.BFP16_64, dmx.MXINT/' "$calls" >"$scratch/wrong_calls.py"
  found=$(cd "$scratch" && "$bin/mypy" "${options[@]}" wrong_calls.py) && fail 'a wrong assertion passed'
  [[ $(grep -c ': error:' <<<"$found") -eq 1 ]] || fail "of a wrong assertion: $found"
fi

[[ ${3:-} != --without-torch ]] || exit 0
# In a folder without sources of its own, so that the package is taken for an installed one.
found=$(cd "$scratch" && PATH=$bin:$PATH "$bin/pyright" --pythonpath "$bin/python" --verifytypes mxgold --ignoreexternal) || true
[[ $found == *'Type completeness score: 100%'* ]] || fail "$found"
[[ $found =~ 'Symbols exported by "mxgold": '([0-9]+) && ${BASH_REMATCH[1]} -gt 300 ]] || fail "too few names: $found"
echo "${BASH_REMATCH[1]} public names"
