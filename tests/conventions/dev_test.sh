#!/usr/bin/env bash
# How ./dev behaves on machines where things are missing. usage: dev_test.sh PATH-OF-DEV
set -euo pipefail
dev=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
checked=0

# A PATH with the few tools that ./dev may use before anything is installed. Each is a small script of its
# own and never a link, so that replacing one cannot reach the real tool.
mkdir "$scratch/bin"
bash=$(command -v bash)
stub() {
  printf '#!%s\n%s\n' "$bash" "$2" >"$scratch/bin/$1"
  chmod +x "$scratch/bin/$1"
}
for tool in bash cat dirname env grep id mktemp nproc rm sed tail tr; do
  stub "$tool" "exec $(command -v "$tool") \"\$@\""
done

# expect STATUS WORDS ARGS...: runs ./dev ARGS in that PATH.
expect() {
  local status=0 output
  output=$(PATH="$scratch/bin" "$dev" "${@:3}" 2>&1 </dev/null) || status=$?
  if [[ $status -ne $1 || $output != *"$2"* ]]; then
    printf 'dev %s: exit %s (expected %s), output (expected to hold "%s"):\n%s\n' \
      "${*:3}" "$status" "$1" "$2" "$output" >&2
    exit 1
  fi
  checked=$((checked + 1))
}

expect 0 'usage: ./dev' help
expect 0 'usage: ./dev' --help
expect 0 'usage: ./dev'
expect 2 'no such command: nonsense' nonsense
expect 1 'this is no Debian system (no apt-get). Install the equivalents of: g++' regress

stub dpkg-query 'exit 1'
stub apt-get 'echo "E: Unable to locate package $*"; exit 100'
stub id 'echo 1000'
expect 1 'neither root nor sudo is at hand: g++ cmake' build
expect 1 'libgtest-dev' test

stub id 'echo 0'
expect 1 'Unable to locate package' regress
expect 1 'these packages cannot be installed (Debian 12 has them all): g++ cmake' regress

stub sudo 'echo "through sudo"; exit 1'
stub id 'echo 1000'
expect 1 'through sudo' regress

echo "dev_test: $checked cases"
