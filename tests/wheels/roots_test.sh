#!/usr/bin/env bash
# The wheel mxgold on systems where nothing else is installed: bare Debian 11, 12 and 13, without a compiler. `pip install`
# and the first page's examples take a minute together at most.
#
# usage: roots_test.sh CHECKOUT SCRATCH [WHEELS]     WHEELS: the folder of a wheel that was built before
#
# Needs root and the Debian package debootstrap. The systems lie in SCRATCH/roots and are used again. Exit 77 without
# these, or where no mirror or package index can be reached.
set -euo pipefail
root=$1 scratch=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
limit=60  # seconds
skip() { echo "skipped: $*"; exit 77; }
fail() { echo "FAIL: $*"; exit 1; }
[[ $(id -u) == 0 ]] || skip "needs root"
command -v debootstrap >/dev/null || skip "apt install debootstrap"
mkdir -p "$scratch/roots"
scratch=$(cd "$scratch" && pwd)
if [[ -n ${3:-} ]]; then
  wheels=$3
else
  MXGOLD_WHEELS=$scratch/wheels "$root/package/wheels" library:x86_64-manylinux
  wheels=$scratch/wheels/dist
fi

release() {  # unmounts what a run mounted
  local mounted
  for mounted in dev proc sys; do
    if mountpoint -q "$1/$mounted"; then umount -R -l "$1/$mounted"; fi
  done
}

# A system of a suite, with Python and nothing more.
bring() {
  local system=$scratch/roots/$1
  [[ -e $system/.ready ]] && return
  rm -rf --one-file-system "$system"
  debootstrap --variant=minbase --include=python3,python3-venv,ca-certificates "$1" "$system" http://deb.debian.org/debian \
    >"$system.log" 2>&1 || skip "$1 cannot be bootstrapped: $(tail -1 "$system.log")"
  touch "$system/.ready"
}

# inside SYSTEM COMMAND: as root there, with this machine's way to the package index and nothing else of it.
inside() {
  local system=$1 setting settings=(PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/mx LANG=C.UTF-8 PIP_DISABLE_PIP_VERSION_CHECK=1); shift
  for setting in PIP_INDEX_URL PIP_CERT PIP_TRUSTED_HOST http_proxy https_proxy no_proxy; do
    [[ -z ${!setting:-} ]] || settings+=("$setting=${!setting}")
  done
  env -i "${settings[@]}" chroot "$system" /bin/sh -c "$1"
}

for suite in bullseye bookworm trixie; do
  bring "$suite"
  system=$scratch/roots/$suite
  # shellcheck disable=SC2064  # the system of now
  trap "release '$system'" EXIT
  release "$system"
  cp /etc/resolv.conf "$system/etc/"
  [[ -z ${PIP_CERT:-} ]] || install -D "$PIP_CERT" "$system$PIP_CERT"
  for folder in proc sys dev; do mount --rbind "/$folder" "$system/$folder"; mount --make-rslave "$system/$folder"; done
  rm -rf "$system/mx"
  mkdir "$system/mx"
  cp "$wheels"/mxgold-*manylinux*x86_64.whl "$here/use.py" "$system/mx/"
  cp "$root/python/README.md" "$system/mx/page"
  inside "$system" 'command -v cc gcc g++ clang' && fail "$suite has a compiler"
  # The control: the example does not run before the wheel is there.
  inside "$system" 'python3 -m venv /mx/v && /mx/v/bin/python /mx/use.py /mx/page' >/dev/null 2>&1 &&
    fail "$suite: the examples run without the wheel"
  begin=$(date +%s)
  inside "$system" '/mx/v/bin/pip -q install /mx/*.whl && cd / && /mx/v/bin/python /mx/use.py /mx/page' ||
    fail "$suite: the wheel cannot be used"
  seconds=$(($(date +%s) - begin))
  echo "$suite: pip install and the examples in $seconds s"
  [[ $seconds -le $limit ]] || fail "$suite: more than $limit s"
  release "$system"
done
