#!/usr/bin/env bash
# ./dev runs what was built from what is there: it stops at the first step that fails, takes no build folder
# of another checkout, and runs no program that knows other sources. usage: dev_build_test.sh ROOT
set -euo pipefail
root=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
checked=0
tree=$scratch/tree
build=$tree/build/release

# A checkout of two sources, and tools that only note that they ran; FAIL names the step that fails.
mkdir -p "$tree/cli/program" "$tree/rtl" "$tree/tests/conventions" "$scratch/bin"
cp "$root/dev" "$tree/dev"
cp "$root/cli/program/source_digest.cmake" "$tree/cli/program/"
printf 'module mx_round;\n' >"$tree/rtl/mx_round.sv"
printf 'int main() {}\n' >"$tree/cli/program/main.cpp"
touch "$tree/tests/conventions/least_executed.py"
real_cmake=$(command -v cmake)
stub() {
  printf '#!/usr/bin/env bash\nlog=%q tree=%q build=%q real_cmake=%q\n%s\n' \
    "$scratch/log" "$tree" "$build" "$real_cmake" "$2" >"$scratch/bin/$1"
  chmod +x "$scratch/bin/$1"
}
# shellcheck disable=SC2016  # the stubs expand these themselves
{
  stub dpkg-query 'shift 2; for package in "$@"; do echo "ii  $package"; done'
  stub apt-get 'echo "apt-get $*" >>"$log"; exit 1'
  stub ctest 'echo "test${MX_ALL:+ all}" >>"$log"; [[ ${FAIL:-} != test ]]'
  stub cmake '
case "$*" in
  *-P*) exec "$real_cmake" "$@" ;;
  --preset*)
    echo configure >>"$log"
    [[ ${FAIL:-} != configure ]] || exit 1
    mkdir -p "$build/cli"
    [[ ! -f $build/CMakeCache.txt ]] || sed -i "/INTERNAL/d" "$build/CMakeCache.txt"
    printf "CMAKE_HOME_DIRECTORY:INTERNAL=%s\nMX_CUDA_DEVICE:INTERNAL=%s\n" "$tree" "${CUDA:-OFF}" >>"$build/CMakeCache.txt"
    for option in "$@"; do
      [[ $option == -D* ]] || continue
      option=${option#-D} && sed -i "/^${option%=*}:/d" "$build/CMakeCache.txt" && echo "${option/=/:BOOL=}" >>"$build/CMakeCache.txt"
    done
    touch "$build/build.ninja" ;;
  *-DMX_PEER_GGML=/peers/ggml*) echo given >>"$log" ;;
  *-DMX_PEER_GGML=*) echo none >>"$log" ;;
  --build*)
    echo build >>"$log"
    [[ ${FAIL:-} != build ]] || exit 1
    digest=$("$real_cmake" "-DROOT=$tree" -P "$tree/cli/program/source_digest.cmake")
    [[ ${FAIL:-} != stale ]] || digest=0123456789abcdef
    mkdir -p "$build/cli" "$build/golden" "$build/bench"
    printf "#!/usr/bin/env bash\nif [[ \$1 == --version ]]; then echo \"mxgold 0.1.0 (sources %s)\"; else echo \"run \$*\" >>%q; fi\n" "$digest" "$log" >"$build/cli/mxgold"
    printf "#!/usr/bin/env bash\necho generate >>%q\n" "$log" >"$build/golden/mx_pkg_gen"
    printf "#!/usr/bin/env bash\necho bench >>%q\n" "$log" >"$build/bench/a_bench"
    mkdir -p "$build/bench/goals" "$tree/bench"
    printf "#!/usr/bin/env bash\necho goals \$* >>%q\nexit \${GOALS:-0}\n" "$log" >"$build/bench/goals/goals"
    printf "open(\"%s\", \"a\").write(\"python\\\\n\")\nraise SystemExit(77)\n" "$log" >"$tree/bench/python_goals.py"
    chmod +x "$build/bench/goals/goals"
    cp "$build/cli/mxgold" "$build/cli/mxgold_regress"
    chmod +x "$build"/cli/mxgold "$build"/cli/mxgold_regress "$build"/golden/mx_pkg_gen "$build"/bench/a_bench ;;
esac'
}

# expect STATUS STEPS WORDS ARGS...: ./dev ARGS ends so, after these steps and with these words.
expect() {
  local status=0 output steps
  : >"$scratch/log"
  output=$(PATH="$scratch/bin:$PATH" "$tree/dev" "${@:4}" 2>&1 </dev/null) || status=$?
  steps=$(sed 's/^\(run\).*/\1/' "$scratch/log" | tr '\n' ' ')
  if [[ $status -ne $1 || $steps != "$2" || $output != *"$3"* ]]; then
    printf 'FAIL=%s dev %s: exit %s (expected %s), steps "%s" (expected "%s"), output (expected to hold "%s"):\n%s\n' \
      "${FAIL:-}" "${*:4}" "$status" "$1" "$steps" "$2" "$3" "$output" >&2
    exit 1
  fi
  checked=$((checked + 1))
}
fresh() { rm -rf "$tree/build"; }

# All is well: configured once, built each time, run.
expect 0 'configure build run ' '' regress
expect 0 'build run ' '' regress
expect 0 'build run ' '' regress --seed 7
expect 0 'build ' 'build/release/cli/mxgold' build
expect 0 'build ' 'build/release/backend/libmxgold.so' build
expect 2 '' 'no such option' build --none

# Each tier is configured where the other was; what needs no tests takes either.
expect 0 'configure build test ' '' test -R x
MX_ALL=1 expect 0 'build test ' '' test -R x  # the tier is the command's, not the environment's
expect 0 'configure build test all ' '' test --all -R x
expect 0 'build test all ' '' test -L farm
expect 0 'build run ' '' regress
expect 0 'configure build test ' '' test -R x

# CUDA on request, refused where there is no nvcc.
expect 1 'configure ' 'no CUDA kernels' build --cuda
fresh
CUDA=ON expect 0 'configure build ' 'libmxgold_cuda.so' build --cuda

# The first step that fails ends every command.
for command in regress test bench build generate; do
  fresh
  FAIL=configure expect 1 'configure ' '' "$command"
  fresh
  FAIL=build expect 1 'configure build ' '' "$command"
done
fresh
expect 0 'configure build bench ' '' bench
FAIL='test' expect 1 'configure build test ' '' test

# The table of goals: told of the peers, built, printed, and then the rows of Python packages. 77 where neither
# measured anything.
MX_PEER_GGML=/peers/ggml expect 0 'configure given build goals --rows C5 python ' 'command: ./dev bench --goals --rows C5' \
  bench --goals --rows C5
GOALS=77 expect 77 'none build goals python ' '' bench --goals
GOALS=1 expect 1 'none build goals python ' '' bench --goals
GOALS=105 expect 105 'none build goals --none ' '' bench --goals --none
FAIL=build expect 1 'none build ' '' bench --goals

# A program that was built from other sources is not run, nor tested, measured or asked for pages.
FAIL=stale expect 1 'build ' 'built from other sources' regress
FAIL=stale expect 1 'build ' 'built from other sources' bench
FAIL=stale expect 1 'build ' 'built from other sources' generate
FAIL=stale expect 1 'build ' 'built from other sources' build
FAIL=stale expect 1 'configure build ' 'built from other sources' test
expect 0 'build run ' '' regress
expect 0 'build run ' '' regress --seed 7
printf 'module broken;\n' >"$tree/rtl/mx_round.sv"
expect 0 'build run ' '' regress
expect 0 'build run ' '' regress --seed 7

# A build folder that came with a copy of the checkout is made afresh.
mv "$tree" "$scratch/moved"
cp -a "$scratch/moved" "$tree"
for command in regress test bench; do
  sed -i "s|^CMAKE_HOME_DIRECTORY.*|CMAKE_HOME_DIRECTORY:INTERNAL=$scratch/moved|" "$build/CMakeCache.txt"
  expect 0 "configure build $(case $command in regress) echo 'run ' ;; test) echo 'test ' ;; bench) echo 'bench ' ;; esac)" \
    "made for $scratch/moved" "$command" -R x
done

echo "dev_build_test: $checked cases"
