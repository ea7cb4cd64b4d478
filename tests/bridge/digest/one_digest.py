#!/usr/bin/env python3
"""One suite through one bridge: MX blocks of six formats, NVFP4 blocks under a tensor scale, dot products. What the
bridge answers has to have the digest that `mxgold run` prints for the reference, and the digest of the files' answers.

usage: one_digest.py BRIDGE MXGOLD [NAME=PATH ...]     BRIDGE: a key of BRIDGES; 77: a tool is missing

Prints a row for each way and part. What a way does not compute is in NOT_COMPARED with the reason; it is tried all the
same and has to be refused. Then one bit of one answer is flipped on its way: verdict and digest change, and the record
is named.
"""
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

TENSOR_AMAX = "45280000"  # 2688 as binary32
DOT_LANES = 64
RECORDS = 10000  # of each part
PARTS = {
    "MX": "--op block --suite policy --format mxfp8_e4m3,mxfp8_e5m2,mxfp6_e3m2,mxfp6_e2m3,mxfp4,mxint8 --source fp32 "
          "--random-bits 8",
    "NVFP4": "--op block --suite rnd --format nvfp4 --source fp32 --tensor-amax 2688",
    "dot": f"--op dot --suite rnd --format nvfp4 --lanes {DOT_LANES}",
}
MODELS = {"MX": "", "NVFP4": f"format=nvfp4 source=fp32 tensor_amax={TENSOR_AMAX}", "dot": "op=dot a=nvfp4"}
FAULTY = 100  # the record whose answer is changed
# What the bench of the RTL says of the parts that it has no pins for.
REFUSALS = {"NVFP4": "blocks of 16 lanes", "dot": "holds op dot"}
# awk: the last bit of the word before the last, in a line of answers.
FLIP_LAST_BUT_ONE = '''{ n = length($(NF - 1)); d = index("1032547698badcfe", substr($(NF - 1), n)) - 1;
  $(NF - 1) = substr($(NF - 1), 1, n - 1) substr("0123456789abcdef", d + 1, 1) }'''

# Way and part without a digest, and why.
SCALES = "the scales of our RTL are powers of two"
NO_DOT = "our RTL has no dot unit"
NOT_COMPARED = {(way, part): why for way in ("verilated", "systemc pins", "systemc --sc")
                for part, why in (("NVFP4", SCALES), ("dot", NO_DOT))}


def fail(*lines):
    print("one_digest: FAIL:", *lines, sep="\n  ")
    sys.exit(1)


def skip(why):
    print(f"SKIP: {why}")
    sys.exit(77)


class Suite:
    """A file for each part, a short one for its control, and what every bridge has to give."""

    def __init__(self, mxgold, folder):
        self.mxgold, self.folder, self.rows = mxgold, folder, []
        self.files, self.few, self.counts, self.digests = {}, {}, {}, {}
        for part, options in PARTS.items():
            self.files[part] = self.gen(part, options, RECORDS, ".tv")
            self.few[part] = self.gen(part, options, 3 * FAULTY, "_few.tv")
            self.counts[part], self.digests[part] = answers_of(self.files[part])
            if self.counts[part] < RECORDS:
                fail(f"{part}: {self.counts[part]} records, fewer than {RECORDS}")

    def gen(self, part, options, count, suffix):
        path = os.path.join(self.folder, part.lower() + suffix)
        self.call("gen", *options.split(), "--count", str(count), "-o", path, "--no-manifest")
        return path

    def call(self, *arguments):
        done = subprocess.run([self.mxgold, *arguments], capture_output=True, text=True)
        if done.returncode != 0:
            fail(f"mxgold {' '.join(arguments)}: exit {done.returncode}", done.stdout[-600:], done.stderr[-600:])
        return done.stdout

    def run(self, part, *options, file=None):
        """`mxgold run` over a part: exit code, text and seconds."""
        start = time.monotonic()
        done = subprocess.run([self.mxgold, "run", "--vectors", file or self.files[part], "--errors", "1", *options],
                              capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr, time.monotonic() - start

    def same(self, way, part, count, digest, seconds):
        """A row; the records and the digest have to be the suite's."""
        if count != self.counts[part] or digest != self.digests[part]:
            fail(f"{way}, {part}: {count} of {self.counts[part]} records, digest {digest}, not {self.digests[part]}")
        self.rows.append((way, part, f"{count:,}", digest, f"{seconds:.1f} s"))

    def passes(self, way, part, *options):
        code, text, seconds = self.run(part, *options)
        found = re.search(r"^PASS ([\d,]+)/([\d,]+) .*sha256:([0-9a-f]{64})$", text, re.MULTILINE)
        if code != 0 or not found:
            fail(f"{way}, {part}: exit {code}", text[-1500:])
        self.same(way, part, int(found[1].replace(",", "")), found[3], seconds)

    def flipped(self, way, part, *options):
        """A run whose device changes a bit: exit 1, the record by its number, another digest."""
        code, text, _ = self.run(part, *options, file=self.few[part])
        digest = re.search(r"sha256:([0-9a-f]{64})", text)
        named = re.search(rf"MISMATCH (record|block) {FAULTY}\b", text)
        if code != 1 or not named or digest is None or digest[1] == answers_of(self.few[part])[1]:
            fail(f"{way}, {part}: a flipped bit in record {FAULTY} gives exit {code}", text[-1500:])
        print(f"control: {way}, {part}: {named[0]}, digest {digest[1][:16]}...")

    def refused(self, way, part, code, text, words):
        """A part that the way does not compute: it says so."""
        if (way, part) not in NOT_COMPARED:
            fail(f"{way}, {part}: no reason why it is not compared")
        if code == 0 or words not in text:
            fail(f"{way}, {part}: exit {code} without '{words}'", text[-600:])
        self.rows.append((way, part, "0", f"not compared: {NOT_COMPARED[way, part]}", ""))

    def table(self, ways):
        """Prints the rows; every part of every way is there once, and no other is without a digest."""
        for row in [("bridge", "part", "records", "digest", "time"), *self.rows]:
            print("| {:13} | {:5} | {:>7} | {:64} | {:>7} |".format(*row))
        if sorted(row[:2] for row in self.rows) != sorted((way, part) for way in ways for part in PARTS):
            fail("a part of a way is missing, or stands twice")
        empty = {row[:2] for row in self.rows if row[2] == "0"}
        if empty != {cell for cell in NOT_COMPARED if cell[0] in ways}:
            fail(f"not compared are {sorted(empty)}")


def answers_of(path):
    """Records of a .tv file and the SHA-256 of their results, every word little-endian."""
    with open(path, encoding="ascii") as file:
        lines = file.read().splitlines()
    fields = next(line for line in lines if line.startswith("# fields "))[len("# fields "):]
    operands = sum(int(field.split("[")[1].split("]")[0]) if "[" in field else 1
                   for field in fields.split(" | ")[0].split())
    records = [line.split(" ")[operands:] for line in lines if not line.startswith("#")]
    stream = b"".join(bytes.fromhex(word)[::-1] for record in records for word in record)
    return len(records), hashlib.sha256(stream).hexdigest()


def forged(suite, part):
    """The file of a part with one bit of one answer changed and digests that fit again."""
    with open(suite.files[part], encoding="ascii") as file:
        lines = file.read().splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("# count ")) + 1
    words = lines[first + FAULTY].split(" ")
    words[-2] = f"{int(words[-2], 16) ^ 1:0{len(words[-2])}x}"
    lines[first + FAULTY] = " ".join(words)
    stream = b"".join(bytes.fromhex(word)[::-1] for line in lines[first:-3] for word in line.split(" "))
    lines[-1] = "# records " + hashlib.sha256(stream).hexdigest()
    path = os.path.join(suite.folder, "forged.tv")
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")
    return path


def flipped_file(suite, way, part, *options):
    """What the file expects is changed by a bit: the record is named, and the digest is not the file's."""
    path = forged(suite, part)
    code, text, _ = suite.run(part, *options, file=path)
    named = re.search(rf"MISMATCH (record|block) {FAULTY}\b", text)
    if code != 1 or not named or answers_of(path)[1] in text:
        fail(f"{way}, {part}: a flipped bit in record {FAULTY} of the file gives exit {code}", text[-1500:])
    print(f"control: {way}, {part}: {named[0]}, the file's digest is another")


def reference(suite, _):
    for part in PARTS:
        suite.passes("reference", part, "--dut", "reference")
        flipped_file(suite, "reference", part, "--dut", "reference")
    return ["reference"]


def verilated(suite, _):
    suite.passes("verilated", "MX", "--dut", "rtl")
    flipped_file(suite, "verilated", "MX", "--dut", "rtl")
    for part in ("NVFP4", "dot"):
        code, text, _ = suite.run(part, "--dut", "rtl")
        suite.refused("verilated", part, code, text, REFUSALS[part])
    return ["verilated"]


def systemc(suite, tools):
    """TLM targets as a device on a pipe; pins and `verilator --sc` in one simulation with a TLM target, three_ways."""
    device = f"process:{tools['tlm']}"
    for part in PARTS:
        model = f" --model '{MODELS[part]}'" if MODELS[part] else ""
        suite.passes("systemc TLM", part, "--dut", device + model)
        suite.flipped("systemc TLM", part, "--dut", device + model + " --fault flip")
    start = time.monotonic()
    text = three_ways(tools, suite.files["MX"], 0)
    seconds = time.monotonic() - start
    for name, way in (("model", "systemc pins"), ("rtl", "systemc --sc")):
        count, digest = re.search(rf"^{name}: PASS ([\d,]+)/.*\n(?:{name}: .*\n)*?{name}: digest (\w+)$", text, re.M).groups()
        suite.same(way, "MX", int(count.replace(",", "")), digest, seconds)
        broken = three_ways(tools, suite.files["MX"], 1, "--flip", name, str(FAULTY))
        if not re.search(rf"^{name}: block {FAULTY}: .*code\[0\]", broken, re.M) or broken.count(suite.digests["MX"]) != 2:
            fail(f"{way}: a flipped bit", broken[-1500:])
        print(f"control: {way}, MX: block {FAULTY} named, another digest")
        for part in ("NVFP4", "dot"):
            code, said, _ = suite.run(part, "--dut", "systemc")
            suite.refused(way, part, code, said, REFUSALS[part])
            three_ways(tools, suite.files[part], 3)
    return ["systemc TLM", "systemc pins", "systemc --sc"]


def three_ways(tools, path, status, *options):
    done = subprocess.run([tools["three_ways"], path, *options], capture_output=True, text=True)
    if done.returncode != status:
        fail(f"three_ways {path}: exit {done.returncode}, not {status}", done.stdout[-1500:], done.stderr[-600:])
    return done.stdout


def pipe(suite, _):
    for part in PARTS:
        suite.passes("pipe", part, "--dut", f"process:{suite.mxgold} answer")
        lie = f"{suite.mxgold} answer | awk '{{ if (NR == {FAULTY} + 1) {FLIP_LAST_BUT_ONE}; print }}'"
        suite.flipped("pipe", part, "--dut", f"process:{lie}")
    return ["pipe"]


def plugin(suite, tools):
    for part in PARTS:
        lanes = f"lanes={DOT_LANES} " if part == "dot" else ""
        suite.passes("plugin", part, "--dut", f"plugin:{tools['plugin']}:{lanes}{MODELS[part]}")
        suite.flipped("plugin", part, "--dut", f"plugin:{tools['plugin']}:{lanes}fault=flip {MODELS[part]}")
    return ["plugin"]


def simulated(suite, way, command):
    """A device in a hardware language that asks the model for every record."""
    for part in PARTS:
        model = f" '+model={MODELS[part]}'" if MODELS[part] else ""
        device = f"process:{command}{model} +in=$MXGOLD_IN +out=$MXGOLD_OUT"
        suite.passes(way, part, "--pipe", "fifo", "--dut", device)
        suite.flipped(way, part, "--pipe", "fifo", "--dut", device + " +fault=flip")
    return [way]


def dpi(suite, tools):
    if not os.access(tools["dpi"], os.X_OK):
        skip("DPI-C under a simulator: verilator is not installed")
    return simulated(suite, "DPI-C", tools["dpi"])


def vpi(suite, tools):
    if shutil.which("iverilog") is None:
        skip("VPI under a simulator: iverilog is not installed")
    program = os.path.join(suite.folder, "device.vvp")
    subprocess.run(["iverilog", "-g2012", "-o", program, tools["vpi"]], check=True)
    return simulated(suite, "VPI", f"vvp -n {suite.call('dpi', '--vpi').strip()} {program}")


def cocotb(suite, tools):
    """Our RTL under cocotb; what it does not compute by mxgold's Model."""
    if subprocess.run([tools["python"], "-c", "import cocotb_tools.runner"], capture_output=True).returncode != 0:
        skip("no cocotb 2; ./dev external-setup installs it")
    if shutil.which("iverilog") is None:
        skip("no iverilog")
    for part, options in PARTS.items():
        suite.gen(part, options, RECORDS, ".jsonl")
    flipped_cocotb(suite, tools)
    code, text, seconds = run_cocotb(tools, suite.folder, "")
    if code != 0:
        fail(f"cocotb: exit {code}", text[-3000:])
    found = cocotb_digests(text)
    for part in PARTS:
        suite.same("cocotb", part, *found.get(part.lower(), (0, "none")), seconds)
    return ["cocotb"]


def cocotb_digests(text):
    return {name: (int(count), digest) for name, count, digest in re.findall(r"^digest (\w+) (\d+) (\w+)$", text, re.M)}


def flipped_cocotb(suite, tools):
    """A bit of an answer of each part is flipped on its way: the records are named, and every digest is another."""
    folder = os.path.join(suite.folder, "few")
    os.mkdir(folder)
    for part, options in PARTS.items():
        suite.call("gen", *options.split(), "--count", str(3 * FAULTY), "-o", os.path.join(folder, part.lower() + ".jsonl"),
                   "--no-manifest")
    code, text, _ = run_cocotb(tools, folder, str(FAULTY))
    found = cocotb_digests(text)
    same = [part for part in PARTS if found.get(part.lower(), (0, ""))[1] in ("", answers_of(suite.few[part])[1])]
    # MX records are counted by configuration.
    named = [re.search(rf"record {number}, code\[0\]: value, expected", text) for number in (r"\d+", FAULTY)]
    if code == 0 or same or not all(named):
        fail(f"cocotb: a flipped bit in record {FAULTY} of each part: exit {code}, digests as without: {same}", text[-3000:])
    print(f"control: cocotb: {named[1][0]}, other digests")


def run_cocotb(tools, folder, flip):
    environment = {"MXGOLD_FLIP": flip, "MXGOLD_NVFP4": MODELS["NVFP4"], "MXGOLD_LIBRARY": tools["abi"],
                   "MXGOLD_DOT": json.dumps({"text": MODELS["dot"], "lanes": DOT_LANES}),
                   "MXGOLD_MODEL_LIBRARY": tools["model"], "PYTHONPATH": tools["package"], "PYTHONDONTWRITEBYTECODE": "1"}
    start = time.monotonic()
    done = subprocess.run([tools["python"], os.path.join(os.path.dirname(os.path.abspath(__file__)), "cocotb_bench.py"),
                           folder], capture_output=True, text=True, env=os.environ | environment)
    return done.returncode, done.stdout, time.monotonic() - start


BRIDGES = {each.__name__: each for each in (reference, verilated, systemc, pipe, plugin, dpi, vpi, cocotb)}


def main():
    bridge, mxgold = sys.argv[1:3]
    tools = dict(argument.split("=", 1) for argument in sys.argv[3:])
    with tempfile.TemporaryDirectory() as folder:
        suite = Suite(mxgold, folder)
        suite.table(BRIDGES[bridge](suite, tools))
    print(f"PASS {bridge}")


main()
