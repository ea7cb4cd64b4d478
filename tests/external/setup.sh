#!/usr/bin/env bash
# Installs what the tests of label `external` compare mxgold with, at pinned versions, into build/external
# (or $MX_EXTERNAL): a Python virtual environment, NVIDIA's headers, the P3109 value tables, microxcaling,
# torchmx, the Python parts of FBGEMM, TransformerEngine, ModelOpt and compressed-tensors, vLLM's copy
# of triton_kernels, AMD Quark, tt-metal's library, Arm's TOSA tools.
# usage: setup.sh [--without-torch]
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
target=${MX_EXTERNAL:-$root/build/external}
failed=()

say() { printf 'external: %s\n' "$*" >&2; }

requirements=$here/requirements.txt
case ${1:-} in
  '') ;;
  --without-torch)
    mkdir -p "$target"
    grep -v '^torch' "$requirements" >"$target/requirements.txt"
    requirements=$target/requirements.txt
    ;;
  *)
    say "usage: setup.sh [--without-torch]"
    exit 2
    ;;
esac

install_packages() {
  [[ -x $target/venv/bin/python ]] || /usr/bin/python3 -m venv "$target/venv" || return
  "$target/venv/bin/pip" install -q --no-cache-dir --retries 1 -r "$requirements"
}

# beside FOLDER FILE: the packages of a requirements file in a folder of their own, without what they depend on.
beside() {
  "$target/venv/bin/pip" install -q --no-cache-dir --retries 1 --no-deps --upgrade --target "$target/$1" -r "$here/$2"
}

# The wheel for another Python than this one: its library alone is loaded.
tt_metal() {
  "$target/venv/bin/pip" install -q --no-cache-dir --retries 1 --no-deps --upgrade --target "$target/tt-metal" \
    --only-binary=:all: --implementation cp --python-version 3.12 --platform manylinux_2_34_x86_64 -r "$here/tt-metal.txt"
}

# Of vLLM's wheel the folder of the quantizer alone is kept.
triton_kernels() {
  [[ -f $target/triton_kernels/numerics_details/mxfp.py ]] && return
  local wheel=$target/vllm-wheel
  rm -rf "$wheel"
  "$target/venv/bin/pip" download -q --no-cache-dir --retries 1 --no-deps --only-binary=:all: -d "$wheel" -r "$here/triton_kernels.txt" &&
    "$target/venv/bin/python" - "$wheel" "$target" <<'END' &&
import glob, sys, zipfile
folder, target = sys.argv[1:]
with zipfile.ZipFile(glob.glob(folder + "/*.whl")[0]) as wheel:
    for each in wheel.infolist():
        if each.filename.startswith("vllm/third_party/triton_kernels/"):
            each.filename = each.filename.removeprefix("vllm/third_party/")
            wheel.extract(each, target)
END
    rm -rf "$wheel"
}

# rooted FOLDER FILE: the same as if below a root, for a package whose own folder `bin` --target gives to its scripts.
rooted() {
  "$target/venv/bin/pip" install -q --no-cache-dir --retries 1 --no-deps --ignore-installed --prefix "$target/$1" -r "$here/$2"
}

# checkout FOLDER REPOSITORY COMMIT: a repository that is in no package, at one commit.
checkout() {
  local folder=$target/$1
  [[ -f $folder/.complete ]] && return
  rm -rf "$folder"
  git init -q "$folder" &&
    timeout 600 git -C "$folder" fetch -q --depth 1 "$2" "$3" &&
    git -C "$folder" checkout -q FETCH_HEAD &&
    touch "$folder/.complete"
}

# Every part runs, also after one that failed.
part() {
  local name=$1
  shift
  say "$name"
  if ! "$@"; then failed+=("$name"); fi
}

part 'Python packages' install_packages
part 'CUDA headers' beside cuda cuda-headers.txt
[[ ${1:-} == --without-torch ]] || part 'torchmx' beside torchmx torchmx.txt
[[ ${1:-} == --without-torch ]] || part 'FBGEMM' beside fbgemm fbgemm.txt
[[ ${1:-} == --without-torch ]] || part 'TransformerEngine' beside te te.txt
part 'tt-metal' tt_metal
[[ ${1:-} == --without-torch ]] || part 'ModelOpt' beside modelopt modelopt.txt
[[ ${1:-} == --without-torch ]] || part 'compressed-tensors' beside compressed_tensors compressed-tensors.txt
[[ ${1:-} == --without-torch ]] || part 'AMD Quark' beside quark quark.txt
[[ ${1:-} == --without-torch ]] || part 'triton_kernels' triton_kernels
part 'TOSA tools' rooted tosa tosa.txt
part 'P3109 value tables' checkout P3109 https://github.com/P3109/Public.git \
  26df0d048ac240046a821a8116b36618ccfeb79b
part 'microxcaling' checkout microxcaling https://github.com/microsoft/microxcaling.git \
  7bc41952de394f5cc5e782baf132e7c7542eb4e4

if [[ -z ${MX_TESTFLOAT:-} ]] && ! command -v testfloat_gen >/dev/null; then
  say "Berkeley TestFloat is not packaged: build it from its source and put testfloat_gen on PATH, or name it in MX_TESTFLOAT"
fi
if ! compgen -G "${MX_BERKELEY:-$target}/berkeley-testfloat-3/build/*/testfloat.a" >/dev/null; then
  say "the judge of mulAdd that is linked with it needs berkeley-testfloat-3 and berkeley-softfloat-3 side by side in $target, or in a folder that -DMX_BERKELEY= names, built by make in build/Linux-x86_64-GCC of each, SoftFloat first"
fi
if [[ ! -f ${MX_SPIKE_SOFTFLOAT:-$target/riscv-isa-sim/build/libsoftfloat.so} ]]; then
  say "the judge of flags needs Spike's libsoftfloat.so: a checkout of riscv-software-src/riscv-isa-sim at 55b4658d in $target/riscv-isa-sim, configured and built (make libsoftfloat.so) in its folder build, or the library named in MX_SPIKE_SOFTFLOAT"
fi
if [[ ! -d ${MX_TENSOR_CORE:-$target/MATLAB-tensor-core} ]]; then
  say "the judge of matrix units by measured results needs a checkout of north-numerical-computing/MATLAB-tensor-core at b12b5a7, in $target/MATLAB-tensor-core or named in MX_TENSOR_CORE"
fi
if [[ ! -d ${MX_HIF4:-$target/HiFloat4} ]]; then
  say "the judge of HiF4 needs a checkout of global-computing-consortium/HiFloat4, in $target/HiFloat4 or named in MX_HIF4"
fi
if [[ ! -d ${MX_INTEL_FP8ET:-$target/FP8-Emulation-Toolkit} ]]; then
  say "the judge of Intel's toolkit needs a checkout of IntelLabs/FP8-Emulation-Toolkit at fcd26e9, in $target/FP8-Emulation-Toolkit or named in MX_INTEL_FP8ET; of its AVX-512 code, libsimde-dev too"
fi
if [[ ! -d ${MX_HIF8:-$target/HiFloat8} ]]; then
  say "the judge of HiF8 needs a checkout of ddddwee1/HiFloat8 at fb5bea0, in $target/HiFloat8 or named in MX_HIF8"
fi
if [[ ! -d ${MX_TORCHAO_DEV:-$target/ao} ]]; then
  say "the judge of torchao's development version needs a checkout of pytorch/ao at 36027d82d, in $target/ao or named in MX_TORCHAO_DEV"
fi
if [[ ! -d ${MX_TORCHAO_FWHT:-$target/ao_fwht} ]]; then
  say "the judge of its Hadamard transform needs one at 32dffcc (pull request 4516), in $target/ao_fwht or named in MX_TORCHAO_FWHT"
fi
if [[ ! -d ${MX_HIP:-$target/hip} ]]; then
  say "the judge of AMD's HIP headers needs amd_hip_ocp_host.hpp and amd_hip_fp8.h: a checkout of ROCm/rocm-systems, or a folder with the two, in $target/hip or named in MX_HIP"
fi
if [[ ${#failed[@]} -gt 0 ]]; then
  say "not installed: ${failed[*]} (their tests will be skipped)"
  exit 1
fi
say "installed under $target; now: ./dev test -L external"
