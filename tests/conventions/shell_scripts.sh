#!/usr/bin/env bash
# Runs shellcheck on every shell script of the project. Exit 77 (skipped) where shellcheck is not installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
if ! command -v shellcheck >/dev/null; then
  echo "SKIP shellcheck: it is not installed (./dev lint installs it)"
  exit 77
fi
scripts=()
while IFS= read -r file; do
  line=
  IFS= read -r line 2>/dev/null <"$file" || true
  case $line in '#!'*bash | '#!'*/sh | '#!'*' sh') scripts+=("$file") ;; esac
done < <(git ls-files --cached --others --exclude-standard --deduplicate)
if [[ ${#scripts[@]} -eq 0 ]]; then
  echo "no shell script found: nothing was checked" >&2
  exit 1
fi
shellcheck "${scripts[@]}"
echo "shellcheck: ${#scripts[@]} scripts"
