#!/usr/bin/env bash
# The manual page and the completions know every subcommand and every option of the help, the page is proper roff,
# and bash completes what the program takes.
# usage: manual_test.sh MXGOLD
set -euo pipefail
mxgold=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { printf 'manual_test: %s\n' "$@" >&2; exit 1; }

"$mxgold" man >"$scratch/mxgold.1"
groff -man -Tascii -ww "$scratch/mxgold.1" >"$scratch/page" 2>"$scratch/warnings"
[[ ! -s $scratch/warnings ]] || fail "groff warns: $(head -n 3 "$scratch/warnings")"
# A warning would be seen.
printf '.nosuchmacro\n' | groff -man -Tascii -ww >/dev/null 2>"$scratch/warnings"
[[ -s $scratch/warnings ]] || fail 'groff warns of nothing'

"$mxgold" completion bash >"$scratch/completion"
# shellcheck disable=SC1091  # made above
source "$scratch/completion"
# What bash offers behind the words given, the last of which is being typed.
complete_words() {
  COMP_WORDS=(mxgold "$@")
  COMP_CWORD=$#
  COMPREPLY=()
  _mxgold
  printf '%s\n' "${COMPREPLY[@]}"
}
sed 's/\\-/-/g; s/\\f.//g' "$scratch/mxgold.1" >"$scratch/plain"

checked=0
mapfile -t commands < <("$mxgold" --help-all | sed -n '/^Subcommands/,$p' | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p')
[[ ${#commands[@]} -gt 15 ]] || fail "only ${#commands[@]} subcommands in the help"
for command in "${commands[@]}"; do
  grep -qx ".SH MXGOLD $command" "$scratch/plain" || fail "the page has no $command"
  complete_words "$command" | grep -qx -- "$command" || fail "bash does not complete $command"
  offered=$(complete_words "$command" --)
  sed -n "/^.SH MXGOLD $command\$/,/^.SH /p" "$scratch/plain" >"$scratch/section"
  while read -r option; do
    grep -qx -- "$option" <<<"$offered" || fail "bash does not complete $command $option"
    grep -qE -- "(^|[ ,])$option([ ,]|\$)" "$scratch/section" || fail "the page of $command has no $option"
    checked=$((checked + 1))
  done < <("$mxgold" "$command" --help-all | grep -oE '^  (-[a-z],)?--[a-z][a-z0-9-]*' | grep -oE -- '--.*')
done
[[ $checked -gt 200 ]] || fail "only $checked options were looked for"

expect() {
  local wanted=$1
  shift
  local given
  given=$(complete_words "$@" | paste -sd' ')
  [[ $given == "$wanted" ]] || fail "'mxgold $*' completes to '$given', not '$wanted'"
}
expect 'ties_to_even' run --rounding ties_to_e
expect 'mxfp4,mxfp8_e5m2' gen --format mxfp4,mxfp8_e5
expect '--rounding' run --roun
expect 'ocp-mx-1.0' explain --profile ocp
expect 'block' run --op bl
expect 'smoke' gen --suite sm
expect '' run --rounding nothing_like_it
cd "$scratch"
expect 'mxgold.1' check mxg
expect 'mxgold.1' run --vectors mxg

# What is completed for a policy is what the program takes.
for value in $(complete_words explain --overflow ''); do
  "$mxgold" explain --format e4m3fn --overflow "$value" 1.0 >/dev/null || fail "--overflow $value is refused"
done
