#!/usr/bin/env bash
# The tools that the manifests of the RTL are written for read them: FuseSoC lints a build of 8 lanes by Verilator,
# Bender lists the sources in the order of the manifest. Ends with 77 where the tool is missing. With --wrong a module
# that another one needs is left out of a copy, which has to be noticed.
# usage: manifests.sh BIN RTL fusesoc|bender [--wrong]      BIN: where setup.sh installs Python programs
set -euo pipefail
bin=$1 rtl=$2 tool=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
PATH=$bin:$PATH
command -v "$tool" >/dev/null || { echo "SKIP: no $tool; ./dev external-setup installs fusesoc, and bender comes from its authors"; exit 77; }
cp -r "$rtl" "$rtl/../Bender.yml" "$scratch"
if [[ ${4:-} == --wrong ]]; then
  sed -i '/mx_round.sv/d' "$scratch/rtl/mxgold.core" "$scratch/Bender.yml"
fi
cd "$scratch"
case $tool in
  fusesoc)
    fusesoc --cores-root rtl run --target lint mxgold:rtl:mx_quantizer --Lanes 8 --BlockSize 32 >log 2>&1 ||
      { tail -n 5 log; exit 1; }
    for unit in dequantizer nvfp4_quantizer dot amax; do
      fusesoc --cores-root rtl run --target "lint_$unit" mxgold:rtl:mx_quantizer >log 2>&1 || { tail -n 5 log; exit 1; }
    done
    for option in --lint-only -GLanes=8; do
      grep -q -- "$option" build/*/lint/*.vc || { echo "FuseSoC linted without $option"; exit 1; }
    done
    ;;
  bender)
    bender script flist -t simulation | xargs -n 1 basename >listed
    sed -n 's/^ *- rtl\/\(.*\.sv\)$/\1/p' "$rtl/../Bender.yml" | xargs -n 1 basename >wanted
    diff wanted listed
    ;;
esac
echo "$tool reads the manifest"
