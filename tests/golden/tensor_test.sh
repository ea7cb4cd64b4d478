#!/bin/bash
# Vectors from a tensor: gen --input cuts it into the same blocks as quantize, the tail of each row
# included, and gets the same codes, scales and random words. Usage: tensor_test.sh MXGOLD ROOT
set -euo pipefail
mxgold=$1
root=$2
python=/usr/bin/python3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
$python - <<'PYTHON'
import random
import struct

random.seed(1)
header = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 45), }"
header += " " * (63 - (10 + len(header)) % 64) + "\n"
values = [random.gauss(0, 1) * 2.0 ** random.randint(-3, 3) for _ in range(135)]
with open("x.npy", "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
    file.write(struct.pack("<135f", *values))
PYTHON
for options in "--format mxfp4 --rule rceil" "--format mxint8 --rounding toward_negative" \
  "--format mxfp8_e5m2 --rounding stochastic_a --random-bits 8 --seed 9" "--format nvfp4" \
  "--format mxfp4 --block-size 8"; do
  # shellcheck disable=SC2086  # the options are words
  "$mxgold" gen --input x.npy $options -o x.tv 2>/dev/null
  "$mxgold" check x.tv
  # shellcheck disable=SC2086
  "$mxgold" quantize x.npy $options -o x.safetensors >/dev/null
  $python - "$root/tests/golden/readers" <<'PYTHON'
import json
import struct
import sys

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
from read_tv import read_tv

_, records = read_tv("x.tv")
raw = open("x.safetensors", "rb").read()
length = struct.unpack("<Q", raw[:8])[0]
header = json.loads(raw[8:8 + length])


def tensor(name):
    begin, end = header[name]["data_offsets"]
    return list(raw[8 + length + begin:8 + length + end])


codes, scales = tensor("data.codes"), tensor("data.scales")
size = len(records[0]["source"])
per_row = -(-45 // size)
assert len(records) == len(scales) == 3 * per_row
assert [r["scale"][0] for r in records] == scales
for row in range(3):
    blocks = records[per_row * row:per_row * (row + 1)]
    lengths = [size] * (per_row - 1) + [45 - size * (per_row - 1)]
    assert [b["elements"][0] for b in blocks] == lengths, "the last block is as long as the row"
    joined = [code for block in blocks for code in block["code"]]
    assert joined[:45] == codes[45 * row:45 * row + 45], row
    assert not any(joined[45:]), "lanes beyond the row are zero"
PYTHON
done
