#!/usr/bin/env python3
"""Every value of every policy on its way through gen, check, verify-goldens, run (reference, RTL, replay), quantize,
explain and the C ABI: the file differs and all of them give its answer, or the program refuses and names the policy.

usage: policy_matrix.py MXGOLD LIBMXGOLD [SHARD/SHARDS]
"""
import ctypes
import functools
import json
import random
import re
import shlex
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

MXGOLD, LIBRARY = sys.argv[1], ctypes.CDLL(sys.argv[2])
SHARD, SHARDS = map(int, (sys.argv[3] if len(sys.argv) > 3 else "0/1").split("/"))
WORK = Path(tempfile.mkdtemp(prefix="mxgold_policies_"))
# What each policy is flipped in: the first of these that takes the value.
BLOCKS = [["mxfp8_e4m3"], ["mxint8"], ["mxfp4", "--rule", "rceil"], ["nvfp4", "--tensor-amax", "448"],
          ["binary8p3se_k32"], ["hifx4"], ["fp8_e4m3_fp32_1x128"], ["sbfp12_16_8"], ["mxfp8_e4m3", "--rule", "even_up"],
          ["nvfp4", "--rule", "nvfp4_4over6", "--tensor-amax", "448"], ["mxfp4", "--rule", "nearest_val"]]
SINGLES = [["e4m3fn"], ["int8"], ["e8m0"], ["ue4m3"]]


def run(*arguments):
    done = subprocess.run([MXGOLD, *map(str, arguments)], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def must(wanted, *arguments):
    code, out, error = run(*arguments)
    if code != wanted:
        sys.exit(f"exit {code}, wanted {wanted}: mxgold {' '.join(map(str, arguments))}\n{out}{error}")
    return out


def write_npy(path, words):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % len(words)
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
                     + struct.pack("<%dI" % len(words), *words))


def stimulus():
    """Blocks of ordinary numbers, zeros, subnormals, infinities, NaN and both ends, and a tail."""
    random.seed(7)
    words = []
    for special in ([], [0x7F800000], [0x7FC00000], [0xFFC00001], [0x80000000], [0x00000001], [0x7F7FFFFF],
                    [0x00000000] * 32, [0x007FFFFF] * 32):
        block = [struct.unpack("<I", struct.pack("<f", random.gauss(0, 4) * 2.0 ** random.randint(-6, 6)))[0]
                 for _ in range(128)]
        block[5:5 + len(special)] = special
        words += block
    return words + [0x3FC00000, 0xC0490FDB, 0x33D6BF95]


def records(path):
    """Fields by name, a dict a record, and the header."""
    header, rows = {}, []
    fields = []
    for line in path.read_text().split("\n"):
        if line.startswith("# "):
            key, value = line[2:].split(" ", 1)
            header.setdefault(key, value)
            if key == "fields":
                fields = [(n, int(k or 1)) for n, k in re.findall(r"(\w+)(?:\[(\d+)\])?:\d+", value)]
        elif line:
            words, at, row = [int(w, 16) for w in line.split(" ")], 0, {}
            for name, lanes in fields:
                row[name], at = words[at:at + lanes], at + lanes
            rows.append(row)
    return header, rows


def tensor(path, name):
    raw = path.read_bytes()
    length = struct.unpack("<Q", raw[:8])[0]
    header = json.loads(raw[8:8 + length])
    entry = header[name]
    begin, end = (8 + length + at for at in entry["data_offsets"])
    size = (end - begin) // max(1, eval("*".join(map(str, entry["shape"])) or "1"))
    return [int.from_bytes(raw[at:at + size], "little") for at in range(begin, end, size)], header["__metadata__"]


class Option(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("value", ctypes.c_char_p)]


def abi_options(pairs):
    return (Option * len(pairs))(*[Option(a.encode(), b.encode()) for a, b in pairs])


def by_abi(kind, name, pairs, rows, level):
    """Codes (and scales) of the C ABI for the records of a file; None where it refuses, with its message."""
    handle, message = ctypes.c_void_p(), ctypes.create_string_buffer(300)
    create = getattr(LIBRARY, f"mxgold_{kind}_create")
    status = create(b"fp32", name.encode(), abi_options(pairs), ctypes.c_size_t(len(pairs)), ctypes.byref(handle),
                    message, ctypes.c_size_t(300))
    if status != 0:
        return None, message.value.decode()
    if level is not None:
        leveled = ctypes.c_void_p()
        value = (ctypes.c_uint32 * 2)(*level)
        if LIBRARY.mxgold_quantizer_at_level(handle, value, ctypes.byref(leveled)) != 0:
            return None, "level"
        handle = leveled
    answers = []
    for row in rows:
        n = row.get("elements", [len(row["source"])])[0]
        source = (ctypes.c_uint64 * n)(*row["source"][:n])
        drawn = (ctypes.c_uint32 * n)(*row.get("random", [0] * n)[:n])
        codes, scale, flags = (ctypes.c_uint64 * n)(), ctypes.c_uint64(), ctypes.c_uint32()
        if kind == "quantizer":
            status = LIBRARY.mxgold_quantize_block(handle, source, drawn, ctypes.c_size_t(n), ctypes.byref(scale), codes,
                                                   ctypes.byref(flags))
        else:
            status = LIBRARY.mxgold_convert(handle, source, drawn, ctypes.c_size_t(n), codes, ctypes.byref(flags))
        if status != 0:
            return None, f"status {status}"
        answers.append((scale.value, list(codes)))
    return answers, ""


def refused(error, policy, value):
    """Does the message name the policy, its value or what it acts on?"""
    return any(word in error for word in (policy, policy.replace("_", "-"), value, "rule", "random"))


@functools.cache
def default_file(op, base):
    path = WORK / "default.tv"
    must(0, "gen", "--op", op, "--input", WORK / "x.npy", "--format", *base, "-o", path)
    return path.read_text()


def check_answers(op, base, policy, value, path):
    header, rows = records(path)
    options = [f"--{policy.replace('_', '-')}", value]
    stochastic = "random" in rows[0]
    # quantize: the same tensor.
    quantized = WORK / "q.safetensors"
    code, _, error = run("quantize", WORK / "x.npy", "--format", *base, *options, "-o", quantized)
    if code == 0:
        codes, metadata = tensor(quantized, "data.codes")
        at = 0
        for row in rows:
            n = row.get("elements", [len(row["source"])])[0]
            if codes[at:at + n] != row["code"][:n]:
                sys.exit(f"quantize differs: {op} {base} {options}")
            at += n
        if metadata.get(policy, value) != value:
            sys.exit(f"quantize lost {policy} = {value}: {metadata}")
    elif not (code == 2 and refused(error, policy, value)):
        sys.exit(f"quantize: exit {code} for {base} {options}: {error}")
    # The C ABI.
    kind = "quantizer" if op == "block" else "conversion"
    pairs = [(policy, value)]
    if "--rule" in base and policy != "rule":
        pairs.append(("rule", base[base.index("--rule") + 1]))
    level = None
    if "--tensor-amax" in base:
        level = (int(header["tensor_amax"], 16), int(header["stored_tensor_scale"], 16))
    answers, message = by_abi(kind, base[0], pairs, rows, level)
    if answers is None:
        if not refused(message, policy, value):
            sys.exit(f"C ABI refuses {pairs}: {message}")
    else:
        for row, (scale, codes) in zip(rows, answers):
            n = len(codes)
            if codes != row["code"][:n] or (op == "block" and scale != row["scale"][0]):
                sys.exit(f"C ABI differs: {op} {base} {pairs}")
    if stochastic:
        return
    # explain: one record.
    row = rows[0]
    n = row.get("elements", [len(row["source"])])[0]
    words = [f"0x{w:08x}" for w in row["source"][:n]]
    code, out, error = run("explain", "--json", "--format", *base, *options, *words)
    if code == 2 and refused(error, policy, value):
        return
    if code != 0:
        sys.exit(f"explain: exit {code} for {base} {options}: {error}")
    told = json.loads(out)
    elements = told["block"]["elements"] if op == "block" else told["values"]
    if told["policies"][policy] != value:
        sys.exit(f"explain lost {policy} = {value}")
    codes = [int(e["code"], 16) for e in elements if "code" in e]
    if codes and codes != row["code"][:len(codes)]:
        sys.exit(f"explain differs: {op} {base} {options}")


def flip(op, bases, policy, value, tally):
    for base in bases:
        options = [f"--{policy.replace('_', '-')}", value]
        path = WORK / "flip.tv"
        arguments = ["--op", op, "--input", WORK / "x.npy", "--format", *base, *options]
        code, _, error = run("gen", *arguments, "-o", path)
        if code == 2 and refused(error, policy, value):
            continue
        if code != 0:
            sys.exit(f"gen: exit {code} for {arguments}: {error}")
        if path.read_text() == default_file(op, tuple(base)):
            sys.exit(f"{policy} = {value} writes the default's file: {op} {base}")
        must(0, "check", path)
        # The oracle computes no conversion with a quirk, and says so.
        is_beyond = op == "cvt" and policy == "e8m0_quirk"
        must(3 if is_beyond else 0, "verify-goldens", path)
        must(0, "verify-goldens", "--judge", "reference", path)
        must(0, "run", "--dut", "reference", "--vectors", path)
        must(0, "run", "--dut", f"process:{MXGOLD} answer", "--vectors", path)
        stimulus_options = ["--op", op, "--suite", "rnd", "--count", "20", "--format", *base, *options]
        out = run("run", "--dut", "reference:record_code", *stimulus_options)[1]
        replay = re.search(r"replay: mxgold (.*)", out)
        if not replay or run(*shlex.split(replay.group(1)))[0] != 1:
            sys.exit(f"the replay of a fault does not fail again: {stimulus_options}\n{out}")
        code, _, error = run("run", "--dut", "rtl", "--vectors", path)
        # The RTL may have no code for the element, other lanes, or another operation.
        reasons = ("lanes", "holds op", "has no code")
        if code not in (0, 2) or (code == 2 and not (refused(error, policy, value) or any(r in error for r in reasons))):
            sys.exit(f"rtl: exit {code} for {arguments}: {error}")
        tally["by the RTL" if code == 0 else "refused by the RTL"] += 1
        check_answers(op, base, policy, value, path)
        tally["taken"] += 1
        return
    tally["refused"] += 1
    print(f"refused everywhere: {op} {policy} = {value}")


def main():
    write_npy(WORK / "x.npy", stimulus())
    policies = json.loads(must(0, "list", "policies", "--json"))["policies"]
    tally = {"taken": 0, "refused": 0, "by the RTL": 0, "refused by the RTL": 0}
    number = 0
    for policy in policies:
        for value in policy["values"]:
            if value == policy["default"]:
                continue
            number += 1
            for op, bases in (("block", BLOCKS), ("cvt", SINGLES)):
                if number % SHARDS == SHARD:
                    flip(op, bases, policy["name"], value, tally)
    print(tally)
    if tally["taken"] < 60 // SHARDS or tally["by the RTL"] == 0:
        sys.exit("too few policies were taken")


main()
