#!/bin/sh
# Every ordered pair of profiles is answered, mirrored pairs alike, a profile like itself.
# usage: profile_matrix_test.sh MXGOLD
set -eu
matrix=$(mktemp)
trap 'rm -f "$matrix"' EXIT
status=0
"$1" diff-profile --all --json --markdown > "$matrix" 2>&1 || status=$?
test "$status" -eq 2 || { echo "--json is dropped beside --markdown: exit $status"; exit 1; }
"$1" diff-profile --all --json > "$matrix"
/usr/bin/python3 - "$matrix" <<'PYTHON'
import json
import sys

matrix = json.load(open(sys.argv[1]))
names = matrix["profiles"]
pairs = {(p["a"], p["b"]): p for p in matrix["pairs"]}
assert len(names) >= 20, f"only {len(names)} profiles"
assert len(pairs) == len(names) ** 2 == len(matrix["pairs"]), "a pair is not answered"
differing = 0
for (a, b), pair in pairs.items():
    mirror = pairs[b, a]
    for key in ("common_surfaces", "differing_surfaces", "searched_surfaces", "masked_surfaces"):
        assert pair[key] == mirror[key], f"{a}, {b}: {key}"
    if a == b:
        assert pair["differing_surfaces"] == 0, f"{a} differs from itself"
    if pair["differing_surfaces"]:
        differing += 1
        assert pair["first"]["input"] == mirror["first"]["input"], f"{a}, {b}: inputs"
        assert pair["first"]["a"] == mirror["first"]["b"], f"{a}, {b}: answers"
assert differing > 100, f"only {differing} pairs differ"
for a, b in (("mxgold-default", "ggml"), ("torchao-0.18", "torchao-0.19dev"),
             ("onnx-ref", "ml_dtypes-0.6")):
    assert pairs[a, b]["differing_surfaces"], f"{a}, {b}: no difference"
print(f"{len(pairs)} ordered pairs of {len(names)} profiles, {differing} differ")
PYTHON
