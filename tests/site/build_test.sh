#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the site without a warning and checks it, in a browser too where there is one. usage: build_test.sh ROOT PYTHON
# MXGOLD
# Control: a page with a link to nowhere stops the build of a copy. Exits 77 where ./dev site has installed no mkdocs.
set -eu
root=$1 python=$2 mxgold=$3
site=$(mktemp -d)
trap 'rm -rf "$site"' EXIT
"$root/package/site/build" "$site/built" "$mxgold" || exit
"$python" -B "$root/tests/site/built.py" "$site/built"
"$python" -B "$root/tests/site/browser.py" "$site/built" || [ $? -eq 77 ]

mkdir -p "$site/copy/build"
git -C "$root" ls-files -z --cached --others --exclude-standard | (cd "$root" && xargs -0 ls -d 2>/dev/null) |
  (cd "$root" && tar -cf - -T -) | tar -xf - -C "$site/copy"
ln -s "$root/build/venv-site" "$site/copy/build/venv-site"
echo '[nowhere](nowhere.md)' >>"$site/copy/docs/waivers.md"
if "$site/copy/package/site/build" "$site/other" "$mxgold" >"$site/log" 2>&1; then
  echo 'a link to nowhere did not stop the build'
  exit 1
fi
grep -q "nowhere.md" "$site/log"
