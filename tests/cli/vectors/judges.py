#!/usr/bin/env python3
"""The judges judged: wrong answers are put into known fields of known records, and every judge must count each of them,
no more and no fewer: check, check --profile, verify-goldens by each judge, run over records and on streams.

The records are the first and last of the file and of every piece that a reader may take (powers of two from 64 on, and
their neighbours); the fields are each of the answer's, first and last lane; with and without a profile that leaves
answers open, where a wrong open word must not count.

usage: judges.py MXGOLD
"""
import hashlib
import json
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

MXGOLD = sys.argv[1]
WORK = Path(tempfile.mkdtemp(prefix="mxgold_judges_"))
FAILURES = []


def run(*arguments):
    return subprocess.run([MXGOLD, *map(str, arguments)], capture_output=True, text=True)


def expect(what, is_so, done=None):
    if is_so:
        return
    FAILURES.append(what)
    tail = "" if done is None else f"\n  exit {done.returncode}: {done.stdout[-600:]} {done.stderr[-300:]}"
    print(f"FAILED {what}{tail}")


class VectorFile:
    """A .tv file whose words can be changed, with digests that fit again."""

    def __init__(self, path):
        lines = path.read_text().split("\n")
        self.header = [line for line in lines if line.startswith("# ")]
        self.header, self.trailer = self.header[:-3], self.header[-3:]
        fields = next(line for line in self.header if line.startswith("# fields "))
        operands, results = fields[len("# fields "):].split(" | ")
        self.places, at = {}, 0
        for name, lanes, digits in re.findall(r"(\w+)(?:\[(\d+)\])?:(\d+)", operands + " " + results):
            self.places[name] = (at, int(lanes or 1), int(digits))
            at += int(lanes or 1)
        self.operand_words = sum(int(lanes or 1) for _, lanes, _ in re.findall(r"(\w+)(?:\[(\d+)\])?:(\d+)", operands))
        self.records = [line.split(" ") for line in lines if line and not line.startswith("#")]

    def flip(self, record, field, lane):
        at, lanes, digits = self.places[field]
        word = self.records[record][at + lane % lanes]
        self.records[record][at + lane % lanes] = f"{int(word, 16) ^ 1:0{digits}x}"

    def elements(self, record):
        lanes = self.places["code"][1]
        return int(self.records[record][self.places["elements"][0]], 16) if "elements" in self.places and lanes > 1 else lanes

    def is_open(self, record, field, lane):
        if "open" not in self.places:
            return False
        at, words, _ = self.places["open"]
        bits = sum(int(w, 16) << 8 * i for i, w in enumerate(self.records[record][at:at + words]))
        return bool(bits >> {"flags": 0, "scale": 1, "code": 2 + lane}[field] & 1)

    def is_alike(self, record, lane):
        """Does a code of an answer stay what it has to be: where a unit's NaN codes and signs of zeros alone are open, a
        NaN with another payload does, and a zero with its last bit set does not."""
        if "# op mma" not in self.header:
            return True
        at, _, digits = self.places["code"]
        magnitude, infinity = (1 << 4 * digits - 1) - 1, {8: 0x7F800000, 4: 0x7C00}[digits]
        return int(self.records[record][at + lane], 16) & magnitude > infinity

    def is_free(self, record, field):
        """Codes under a NaN scale (e8m0, ue4m3) that the policy declares don't-care; casts have none."""
        if field != "code" or not {"scale", "flags"} <= self.places.keys() or "open" in self.places:
            return False
        return self.records[record][self.places["scale"][0]] == ("7f" if any("nvfp4" in line for line in self.header) else "ff")

    def write(self, path):
        hashes = {"operands": hashlib.sha256(), "records": hashlib.sha256()}
        for words in self.records:
            little = [bytes.fromhex(word)[::-1] for word in words]
            hashes["operands"].update(b"".join(little[:self.operand_words]))
            hashes["records"].update(b"".join(little))
        lines = self.header + [" ".join(words) for words in self.records]
        lines += [self.trailer[0]] + [f"# {name} {value.hexdigest()}" for name, value in hashes.items()]
        path.write_text("\n".join(lines) + "\n")


def edges(count):
    """First and last records of the file and of pieces of any power of two."""
    wanted = {0, 1, count - 2, count - 1, count // 2}
    piece = 64
    while piece < count:
        wanted |= {piece - 1, piece, piece + 1}
        piece *= 2
    return sorted(i for i in wanted if 0 <= i < count)


def plant(file):
    """One wrong word in each edge record, the fields in turn; the records that must count, and those that must not."""
    slots = [(field, lane) for field, lane in (("flags", 0), ("code", 0), ("code", -1), ("scale", 0), ("scale", -1))
             if field in file.places]
    wrong, silent = set(), set()
    for turn, record in enumerate(edges(len(file.records))):
        field, lane = slots[turn % len(slots)]
        if lane < 0:
            lane = (file.elements(record) if field == "code" else file.places[field][1]) - 1
        if file.is_free(record, field):
            field, lane = "flags", 0
        is_silent = file.is_open(record, field, lane) and file.is_alike(record, lane)
        (silent if is_silent else wrong).add(record)
        file.flip(record, field, lane)
    plant_in_open(file, wrong, silent)
    return wrong, silent


def plant_in_open(file, wrong, silent):
    """Where a unit leaves the code of a NaN and the sign of a zero open: a number in place of either counts, another NaN and
    the other zero do not."""
    if "# op mma" not in file.header or "open" not in file.places:
        return
    at, _, digits = file.places["code"]
    infinity = {8: 0x7F800000, 4: 0x7C00}[digits]
    sign = 1 << 4 * digits - 1
    found = {True: [], False: []}
    for record in range(len(file.records)):
        if file.is_open(record, "code", 0) and record not in wrong | silent:
            found[int(file.records[record][at], 16) & ~sign == 0].append(record)
    for is_zero, records in found.items():
        expect(f"{'zeros' if is_zero else 'NaN'} are open somewhere", len(records) >= 4)
        for number, record in enumerate(records[:4]):
            word = int(file.records[record][at], 16)
            if number % 2 == 0:
                word, kind = 0x3C00 if digits == 4 else 0x3F800000, wrong
            else:
                word, kind = word ^ sign if is_zero else (word & sign | infinity | 3), silent
            file.records[record][at] = f"{word:0{digits}x}"
            kind.add(record)


def check_set(name, options, profile):
    good, bad = WORK / "good.tv", WORK / "bad.tv"
    done = run("gen", *options, *(["--profile", profile] if profile else []), "-o", good)
    expect(f"{name}: gen", done.returncode == 0, done)
    file = VectorFile(good)
    wrong, silent = plant(file)
    file.write(bad)
    expect(f"{name}: something is planted", len(wrong) > 10)

    done = run("check", "--errors", "0", bad)
    told = {int(n) for n in re.findall(r"MISMATCH vector (\d+)", done.stdout)}
    expect(f"{name}: check counts what is wrong", done.returncode == 1 and told == wrong, done)
    done = run("check", "--json", "--errors", "0", bad)
    counts = json.loads(done.stdout)
    expect(f"{name}: check --json counts", counts["mismatches"] == len(wrong) and
           counts["vectors"] == len(file.records) == counts["declared"] and counts["words_compared"] > 0, done)
    if profile is None and "--op" in options and options[options.index("--op") + 1] in ("block", "cvt"):
        done = run("check", "--profile", "mxgold-default", "--json", "--errors", "0", bad)
        expect(f"{name}: check --profile counts", json.loads(done.stdout)["mismatches"] == len(wrong), done)
    # A golden is wrong in open words too: they are not what was written.
    planted = len(wrong) + len(silent)
    for judge in ("reference",) if "cast" in options else ("reference", "oracle", "both"):
        done = run("verify-goldens", "--no-manifest", "--judge", judge, bad)
        expect(f"{name}: verify-goldens --judge {judge} counts",
               done.returncode == 6 and f"{planted} of {len(file.records):,} answers disagree" in done.stdout, done)
    # The file's answers are what is expected; the device is right.
    for device in ("reference", f"process:{MXGOLD} answer"):
        done = run("run", "--dut", device, "--json", "--vectors", bad)
        report = json.loads(done.stdout) if done.stdout else {}
        counted = report.get("mismatches") if isinstance(report.get("mismatches"), int) else report.get("blocks", {}).get("wrong")
        expect(f"{name}: run --dut {device.split(':')[0]} counts", done.returncode == 1 and counted == len(wrong), done)


def safetensors(path, tensors):
    header, data = {}, b""
    for name, values in tensors.items():
        raw = struct.pack(f"<{len(values)}f", *values)
        header[name] = {"dtype": "F32", "shape": [len(values)], "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def check_tensors():
    """Every tensor is judged: a device that is wrong in one of them only."""
    path = WORK / "three.safetensors"
    safetensors(path, {"a": [1.5] * 64, "b": [2.5] * 96, "c": [-3.5] * 33})
    for line in range(7):
        device = f"process:{MXGOLD} answer | sed '{line + 1} s/^../00/'"
        done = run("run", "--dut", device, "--format", "mxfp4", "--json", "--input", path)
        report = json.loads(done.stdout) if done.stdout else {}
        expect(f"tensors: block {line} is judged", done.returncode == 1 and report.get("mismatches") == 1, done)
    done = run("run", "--dut", "reference", "--format", "mxfp4", "--json", "--input", path)
    report = json.loads(done.stdout)
    expect("tensors: every element is counted", report["elements"]["checked"] == 64 + 96 + 33, done)
    done = run("run", "--dut", "reference", "--tensor", "nosuch", "--format", "mxfp4", "--input", path)
    expect("tensors: an unknown name is refused", done.returncode == 2 and "nosuch" in done.stderr, done)


def check_nothing_compared():
    """A set of which the profile leaves everything open passes no judge of devices."""
    path, only = WORK / "open.tv", WORK / "only.npy"
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (64,), }"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    only.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
                     + struct.pack("<64I", *([0x7FC00000] * 64)))
    done = run("gen", "--input", only, "--format", "mxfp8_e4m3", "--profile", "cublas-13", "-o", path)
    expect("nothing compared: gen", done.returncode == 0, done)
    done = run("check", path)
    expect("nothing compared: check", done.returncode == 3 and "NOTHING COMPARED" in done.stdout, done)
    for device in ("reference", f"process:{MXGOLD} answer"):
        done = run("run", "--dut", device, "--vectors", path)
        expect(f"nothing compared: run --dut {device.split(':')[0]}",
               done.returncode == 3 and "NOTHING COMPARED" in done.stdout, done)


def check_both_judges():
    """Every judge that is named is asked: a conversion that the oracle does not compute passes the reference alone."""
    path = WORK / "quirk.tv"
    done = run("gen", "--op", "cvt", "--suite", "smoke", "--format", "e8m0", "--e8m0-quirk", "onnx_up", "-o", path)
    expect("both judges: gen", done.returncode == 0, done)
    for judge, code in (("reference", 0), ("oracle", 3), ("both", 3)):
        done = run("verify-goldens", "--no-manifest", "--judge", judge, path)
        expect(f"both judges: --judge {judge} is asked", done.returncode == code, done)
        expect(f"both judges: --judge {judge} says why", ("the oracle computes no" in done.stdout) == (code == 3), done)


def check_digests():
    """Each digest of the last lines is looked at; `check` takes results as a device's, without their digest."""
    good, bad = WORK / "good.tv", WORK / "digest.tv"
    done = run("gen", "--op", "block", "--suite", "smoke", "--format", "mxfp4", "-o", good)
    expect("digests: gen", done.returncode == 0, done)
    lines = good.read_text().split("\n")
    places = [i for i, line in enumerate(lines) if re.fullmatch(r"# \w+ [0-9a-f]{64}", line)]
    expect("digests: the file has two", len(places) == 2)
    for at in places:
        digit = "1" if lines[at][-1] == "0" else "0"
        bad.write_text("\n".join(lines[:at] + [lines[at][:-1] + digit] + lines[at + 1:]))
        for command in (["check"], ["verify-goldens", "--no-manifest"], ["run", "--dut", "reference", "--vectors"]):
            done = run(*command, bad)
            is_seen = done.returncode not in (0, 1)
            name = lines[at].split()[1]
            expect(f"digests: {' '.join(command)}: {name}", is_seen == (name == "operands" or command != ["check"]), done)


def check_stray_bits():
    """Operands with bits that their format has not are refused, whatever the digests and the set's name say."""
    path = WORK / "stray.tv"
    done = run("gen", "--op", "cvt", "--suite", "smoke", "--source", "e2m1fn", "--format", "e4m3fn", "-o", path)
    expect("stray bits: gen", done.returncode == 0, done)
    file = VectorFile(path)
    file.header = [line.replace("# suite smoke", "# suite mine") for line in file.header]
    for is_stray in (False, True):
        if is_stray:
            at, _, digits = file.places["source"]
            file.records[-1][at] = f"{int(file.records[-1][at], 16) | 0x10:0{digits}x}"
        file.write(path)
        for command in (["check"], ["verify-goldens", "--no-manifest"], ["run", "--dut", "reference", "--vectors"]):
            done = run(*command, path)
            said = "has bits beyond the 4 of e2m1fn" in done.stdout + done.stderr
            expect(f"stray bits: {command[0]}, {'with' if is_stray else 'without'} one",
                   said == is_stray == (done.returncode != 0), done)


def main():
    sets = [("cvt", ["--op", "cvt", "--suite", "rnd", "--count", "17000"], None),
            ("cvt under a profile", ["--op", "cvt", "--suite", "rnd", "--count", "9000"], "intel-fp8et"),
            ("block", ["--op", "block", "--suite", "rnd", "--count", "9000", "--format", "mxfp4"], None),
            ("block under a profile", ["--op", "block", "--suite", "rnd", "--count", "4500"], "ocp-mx-1.0"),
            ("nvfp4", ["--op", "block", "--suite", "rnd", "--count", "4500", "--format", "nvfp4",
                       "--tensor-amax", "448"], None),
            ("dot", ["--op", "dot", "--suite", "rnd", "--count", "4500", "--format", "mxfp4"], None),
            ("dequantize", ["--op", "dequantize", "--suite", "rnd", "--count", "4500", "--format", "mxfp8_e5m2"], None),
            ("mma", ["--op", "mma", "--suite", "rnd", "--count", "4500", "--unit", "h100_f16"], None),
            ("mma, in part open", ["--op", "mma", "--suite", "rnd", "--count", "4500", "--unit", "mi300_fp8"], None),
            ("arith", ["--op", "arith", "--suite", "rnd", "--count", "9000", "--operation", "fma"], None),
            ("cast", ["--op", "cast", "--suite", "rnd", "--count", "4500", "--lanes", "20", "--mode", "compat", "--format",
                      "qtorch:float_quantize(exp=5,man=2,rounding=stochastic)"], None),
            ("cast with scales", ["--op", "cast", "--suite", "rnd", "--count", "4500", "--lanes", "24", "--source", "bf16",
                                  "--format", "torchmx:quantize_mx(elem_dtype=float4_e2m1,block_size=8)"], None)]
    for name, options, profile in sets:
        check_set(name, options, profile)
    check_tensors()
    check_nothing_compared()
    check_both_judges()
    check_digests()
    check_stray_bits()
    print(f"{len(sets)} sets, {len(FAILURES)} failures")
    sys.exit(1 if FAILURES else 0)


main()
