#!/usr/bin/env bash
# Every installed header compiles alone: those of C as C11, C++17 and C++20, those of SystemC as C++17, the others as C++20.
# usage: headers_test.sh BUILD
set -euo pipefail
build=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { printf 'headers_test: %s\n' "$@" >&2; exit 1; }

cmake --install "$build" --prefix "$scratch" --component libmxgold-dev >"$scratch/log" 2>&1 || fail "$(<"$scratch/log")"
include=$scratch/include

# One header of an include folder.
alone() {
  local include=$1 header=$2
  local options=(-fsyntax-only -Wall -Wextra)
  case $header in
    "$include"/mxgold_systemc*)
      c++ -std=c++17 -Werror "${options[@]}" "-I$include" -include "$header" -x c++ /dev/null
      ;;
    *.h)
      cc -std=c11 -pedantic -Werror "${options[@]}" "-I$include" -x c "$header" &&
        c++ -std=c++17 -Werror "${options[@]}" "-I$include" -include "$header" -x c++ /dev/null &&
        c++ -std=c++20 -Werror "${options[@]}" "-I$include" -include "$header" -x c++ /dev/null
      ;;
    *) c++ -std=c++20 -Werror "${options[@]}" "-I$include" -include "$header" -x c++ /dev/null ;;
  esac || { printf '%s\n' "${header#"$include"/}" && return 1; }
}
export -f alone
mapfile -t headers < <(find "$include" -name '*.h' -o -name '*.hpp' | sort)
[[ ${#headers[@]} -gt 150 ]] || fail "only ${#headers[@]} headers are installed"
# shellcheck disable=SC2016  # the shell that is started expands them
printf '%s\0' "${headers[@]}" | xargs -0 -n 1 -P "$(nproc)" bash -c 'alone "$0" "$1"' "$include" ||
  fail 'these headers do not compile alone'

# A header that needs another one before it is seen.
printf '#pragma once\ninline mx::Quantizer* nothing();\n' >"$include/mxgold/bad.hpp"
if alone "$include" "$include/mxgold/bad.hpp" >/dev/null 2>&1; then fail 'a header that lacks its includes passed'; fi
echo "${#headers[@]} headers"
