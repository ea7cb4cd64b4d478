#!/usr/bin/env python3
"""Every block format with a procedure, there and back, dot products and arithmetic on their whole way: gen, check, verify-goldens
by both judges, run over a pipe and with the reference, and a wrong bit in each that must be seen.

usage: every_format.py MXGOLD COUNT [SHARD/SHARDS]

COUNT vectors of each set, shared out among its configurations; of blocks with more than 256 elements fewer, so that
a set has at most 256 COUNT elements, or a few vectors of each class of stimulus. Prints a line for each; exits 1 if one differs or a control passes.
"""
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

MXGOLD, COUNT = sys.argv[1], int(sys.argv[2])
MOST_ELEMENTS = 256 * COUNT
LEAST = 45  # five of each of the nine classes of stimulus
LEAST_OF_LARGE = 9  # one of each, where so many have more than MOST_ELEMENTS
SHARD, SHARDS = map(int, (sys.argv[3] if len(sys.argv) > 3 else "0/1").split("/"))
# Of each emulated system one: values, random words, scales with codes, a scale as data.
CASTS = [("fp32", "dmx:BFP[8|8]{16}(SN)"), ("fp32", "qtorch:float_quantize(exp=5,man=2,rounding=stochastic)"),
         ("bf16", "torchmx:quantize_mx(elem_dtype=float4_e2m1,block_size=8)"),
         ("fp16", "aimet:FloatQuantizeDequantize(exponent_bits=4,mantissa_bits=3,shape=(1,))"),
         ("fp32", "microxcaling:quantize_mx(scale_bits=8,elem_format=fp8_e4m3,axes=(-1),block_size=32)")]
ARITHMETIC = ["add", "subtract", "multiply", "divide", "fma", "sqrt"]
SELECTED = [f"{prefix}{name}" for prefix in ("", "select_") for name in ("minimum", "maximum")] + [
    "minimum_number", "maximum_number", "min_num", "max_num"]
COMPARED = [f"compare_{kind}_{relation}" for kind in ("quiet", "signaling")
            for relation in ("equal", "less", "less_equal")]


def mxgold(*arguments, wanted=0, **options):
    """Runs the program; its standard output. Any other exit code is a failure of this test."""
    done = subprocess.run([MXGOLD, *arguments], capture_output=True, text=True, **options)
    if done.returncode != wanted:
        sys.exit(f"exit {done.returncode}, wanted {wanted}: mxgold {' '.join(arguments)}\n{done.stdout}{done.stderr}")
    return done.stdout


def block_formats():
    formats = json.loads(mxgold("list", "blocks", "--json"))
    lists = [formats] if isinstance(formats, list) else list(formats.values())
    return [row["name"] for rows in lists for row in rows if "element" in row]


def units():
    return [row["name"] for row in json.loads(mxgold("list", "units", "--json"))["units"]]


def sets():
    for name in block_formats():
        yield ["--op", "block", "--format", name]
    for a, b in (("mxfp8_e4m3", "mxfp4"), ("mxint8", "mxint8"), ("nvfp4", "nvfp4"), ("hifx4", "hifx4")):
        for mode in ("exact_once", "fp32_seq", "fp32_tree", "block_exact_fp32_seq", "accumulator"):
            yield ["--op", "dot", "--format", f"{a},{b}", "--mode", mode]
    yield ["--op", "dot", "--format", "mxfp8_e5m2", "--addend", "fp32", "--result", "bf16"]
    for operation in ARITHMETIC:
        for name in ("fp16", "e5m2", "fp32"):
            yield ["--op", "arith", "--operation", operation, "--format", name]
    for operation in ["remainder", "round_to_integral", *SELECTED, *COMPARED]:
        yield ["--op", "arith", "--operation", operation, "--format", "fp16"]
    for integer in ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"):
        yield ["--op", "arith", "--operation", "from_integer", "--integer", integer, "--format", "fp32"]
        for rule in ("saturate_nan_max", "saturate_nan_zero", "indefinite"):
            yield ["--op", "arith", "--operation", "to_integer", "--integer", integer, "--out-of-range", rule,
                   "--format", "fp32"]
    for name in block_formats():
        yield ["--op", "dequantize", "--format", name]
    for name in ("mxfp8_e5m2", "mxfp4", "nvfp4", "hifx4"):
        for result in ("bf16", "fp16", "e5m2"):
            yield ["--op", "dequantize", "--format", name, "--result", result, "--rounding",
                   "ties_to_even,toward_zero,ties_to_away,to_odd", "--dequant-overflow", "inf,saturate,nan",
                   "--dst-ftz", "none,pre,post"]
    for unit in units():
        yield ["--op", "mma", "--unit", unit]
    for source, cast in CASTS:
        for mode in ("strict", "compat"):
            yield ["--op", "cast", "--format", cast, "--source", source, "--mode", mode, "--lanes", "40"]


def count_of(options):
    """How many vectors of each configuration make COUNT of the set, or as many as MOST_ELEMENTS allow."""
    header = mxgold("gen", "--suite", "rnd", "--count", "1", *options, "-o", "-")
    configurations, lanes = (int(re.search(rf"^# {field} (\d+)$", header, re.M)[1])
                             for field in ("configurations", "lanes"))
    vectors = min(COUNT, MOST_ELEMENTS // lanes)
    least = LEAST if LEAST * lanes <= MOST_ELEMENTS else LEAST_OF_LARGE
    return str(max(-(-vectors // configurations), min(COUNT, least)))


def is_last_open(path):
    """Does the last record leave its answer open? Then a wrong bit of it may count for nothing."""
    lines = path.read_text().split("\n")
    fields = next(line for line in lines if line.startswith("# fields ")).split()[2:]
    at = next((i for i, field in enumerate(fields) if field.startswith("open")), None)
    last = next(line for line in reversed(lines) if line and not line.startswith("#"))
    return at is not None and int(last.split()[at], 16) != 0


def flip(path, wrong):
    """The last digit but one of the last record: the upper half of its flags, or of its code."""
    lines = path.read_text().split("\n")
    at = max(i for i, line in enumerate(lines) if line and not line.startswith("#"))
    line = lines[at]
    lines[at] = line[:-1] + ("1" if line[-1] == "0" else "0")
    wrong.write_text("\n".join(lines))


def main():
    work = Path(tempfile.mkdtemp(prefix="mxgold_every_"))
    done = 0
    for number, options in enumerate(sets()):
        if number % SHARDS != SHARD:
            continue
        vectors = work / "x.tv"
        for seed in range(20):
            stimulus = ["--suite", "rnd", "--count", count_of(options), "--seed", str(seed), *options]
            mxgold("gen", *stimulus, "-o", str(vectors))
            if not is_last_open(vectors):
                break
        else:
            sys.exit(f"{' '.join(options)}: every last record is open")
        checked = mxgold("check", str(vectors))
        if not checked.startswith("PASS") or "\n  0 words" in checked:
            sys.exit(checked)
        # The oracle computes no cast: its outside judge is the package (label external).
        judges = ["--judge", "reference"] if "cast" in options else []
        verified = mxgold("verify-goldens", *judges, str(vectors))
        if "PASS 1 files" not in verified:
            sys.exit(verified)
        mxgold("run", "--dut", "reference", *stimulus)
        mxgold("run", "--dut", f"process:{MXGOLD} answer", *stimulus)
        mxgold("run", "--dut", f"process:{MXGOLD} answer", "--vectors", str(vectors))
        # Controls: one wrong answer among all, by the file, by the device and by the pipe.
        wrong = work / "wrong.tv"
        flip(vectors, wrong)
        mxgold("check", str(wrong), wanted=1)
        mxgold("run", "--dut", "reference:record_last", *stimulus, wanted=1)
        last = r"s/\(.*\)0$/\11/;t;s/.$/0/"
        mxgold("run", "--dut", f"process:{MXGOLD} answer | sed '$ {last}'", *stimulus, wanted=1)
        print("ok", " ".join(options), checked.split("\n")[1].strip(), flush=True)
        vectors.unlink()
        wrong.unlink()
        done += 1
    if done == 0:
        sys.exit("no set was run")
    print(f"{done} sets, every control seen")


main()
