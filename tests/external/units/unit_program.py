"""Runs `mxgold mma --pairs` on arrays of codes: what the judges of matrix units share."""

import json
import os
import struct
import subprocess
import tempfile
from pathlib import Path

# The type of a tensor of codes, and the bytes of one.
TYPES = {"fp16": ("F16", 2), "bf16": ("BF16", 2), "tf32": ("F32", 4), "fp32": ("F32", 4), "e4m3fn": ("F8_E4M3", 1),
         "e5m2": ("F8_E5M2", 1), "e4m3fnuz": ("F8_E4M3FNUZ", 1), "e5m2fnuz": ("F8_E5M2FNUZ", 1),
         "e3m2fn": ("U8", 1), "e2m3fn": ("U8", 1), "e2m1fn": ("U8", 1), "e8m0": ("F8_E8M0", 1), "ue4m3": ("F8_E4M3", 1)}
WORDS = {1: "<u1", 2: "<u2", 4: "<u4"}


def save(path, codes, name):
    """One tensor of codes of a format; tf32 stands in the high bits of binary32."""
    dtype, size = TYPES[name]
    data = codes.astype(WORDS[size]).tobytes()
    header = json.dumps({"data": {"dtype": dtype, "shape": list(codes.shape), "data_offsets": [0, len(data)]}}).encode()
    Path(path).write_bytes(struct.pack("<Q", len(header)) + header + data)


def verdict(unit, a, b, c, d, formats, result, scales=None):
    """What --expect says of results d: the verdict of that unit. `scales`: those of a, of b, and their format."""
    program = os.environ["MXGOLD_PROGRAM"]
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, f"{name}.safetensors") for name in "abcd"]
        for path, codes, name in zip(paths, (a, b, c, d), (*formats, result, result)):
            save(path, codes, name)
        command = [program, "mma", paths[0], paths[1], "--c", paths[2], "--expect", paths[3], "--pairs", "--unit", unit,
                   "--result", result, "--json"]
        if TYPES[formats[0]][0] == "U8":
            command += ["--format", ",".join(formats)]
        if scales:
            for side, codes in zip("ab", scales):
                save(os.path.join(folder, f"s{side}.safetensors"), codes, scales[2])
                command += [f"--scales-{side}", os.path.join(folder, f"s{side}.safetensors")]
        ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode not in (0, 1) and not ran.stdout:  # 3 with a verdict: all of it is open
        raise RuntimeError(f"{' '.join(command)}: {ran.stderr}")
    return json.loads(ran.stdout)["units"][0]


class Tally:
    """Counts verdicts; exit codes are those of judges/judge.py."""

    def __init__(self, is_wrong):
        self.is_wrong = is_wrong
        self.sets = self.compared = self.open = self.different = self.blind = 0

    def add(self, what, found):
        self.sets += 1
        self.compared += found["compared"]
        self.open += found["open"]
        self.different += found["different"]
        self.blind += found["different"] == 0
        bad = f", {found['different']} differ, first {found['first_different']}" if found["different"] else ""
        print(f"{'FAIL' if bad else 'ok'} {what}: {found['compared']} compared, {found['open']} open{bad}", flush=True)

    def end(self):
        print(f"{self.sets} sets, {self.compared} dot products compared, {self.open} open, {self.different} differ")
        if self.compared == 0 or (self.is_wrong and self.blind):
            print("nothing was compared" if self.compared == 0 else f"{self.blind} sets do not see the wrong unit")
            return 5
        return 1 if self.different else 0
