#!/usr/bin/env python3
"""Five faults on their way through one bridge of `mxgold run`: a flipped bit, an X, a lost answer, an empty run, a wrong
configuration. Each has to be no pass, under its exit code, in words that name the cause; without a fault the same run
passes.

usage: controls.py BRIDGE MXGOLD [NAME=PATH ...]     BRIDGE: a key of BRIDGES; 77: a tool is missing

A fault that a bridge cannot carry has a reason in place of a run, which is printed.
"""
import os
import subprocess
import sys
import tempfile

FAULTS = ("flip", "x", "lost", "empty", "configuration")
FAULTY = 100  # the record whose answer is changed
MODEL = "--format mxfp8_e4m3 --source fp32 --rounding ties_to_even --rule floor"
# awk: the lowest bit of the first code.
FLIP = f"""awk 'NR == {FAULTY} + 1 {{ d = index("1032547698badcfe", substr($2, 2)) - 1;
  $2 = substr($2, 1, 1) substr("0123456789abcdef", d + 1, 1) }} {{ print }}'"""
TWO_STATES = "words are integers, which have two states"


def fail(*lines):
    print("controls: FAIL:", *lines, sep="\n  ")
    sys.exit(1)


class Bench:
    """A vector file, and `mxgold run` over it."""

    def __init__(self, mxgold, tools, folder):
        self.mxgold, self.tools, self.folder = mxgold, tools, folder
        self.records = os.path.join(folder, "b.tv")
        self.tried = set()
        code, text = self.call("gen", "--suite", "smoke", *MODEL.split(), "-o", self.records)
        if code != 0:
            fail(f"mxgold gen: exit {code}", text)
        lines = self.lines()
        self.count = next(int(line.split()[-1]) for line in lines if line.startswith("# count "))
        self.nan = self.nan_record([line for line in lines if not line.startswith("#")])

    def lines(self):
        with open(self.records, encoding="ascii") as file:
            return file.read().splitlines()

    @staticmethod
    def nan_record(records):
        """The number of a record whose scale is NaN, so that its codes mean nothing."""
        return next(i for i, line in enumerate(records) if line.split(" ")[-34] == "ff")

    def call(self, *arguments):
        """Exit code and text of a command."""
        done = subprocess.run([self.mxgold, *arguments], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def passes(self, device, *options):
        what = options or ("--vectors", self.records)
        code, text = self.call("run", "--dut", device, *what)
        if code != 0 or "\nPASS " not in "\n" + text:
            fail(f"without a fault {device} gives exit {code}", text[-1500:])

    def caught(self, fault, status, words, device, *options):
        """The fault gives this exit code, no PASS, and every one of the words."""
        what = options or ("--vectors", self.records)
        self.ended(fault, status, words, "run", "--errors", "1", "--dut", device, *what)

    def ended(self, fault, status, words, *arguments):
        """The same of any command."""
        code, text = self.call(*arguments)
        missing = [each for each in words if each not in text]
        if code != status or missing or "\nPASS " in "\n" + text:
            fail(f"{fault}: mxgold {' '.join(arguments)}: exit {code}, expected {status}; not said: {missing}", text[-2500:])
        self.tried.add(fault)
        print(f"control: {fault}: exit {status}: {'; '.join(words)}")


def pipe(bench):
    answer = f"process:{bench.mxgold} answer"
    bench.passes(answer)
    bench.caught("flip", 1, [f"MISMATCH record {FAULTY}", "lane 0: source 42C80000 (100): expected 6C (96), got 6D (104)"], f"{answer} | {FLIP}")
    bench.caught("x", 4, [f"answer line {FAULTY + 1} ", "field code[0]: '0x': unknown bits (X or Z)"],
                 f"{answer} | sed -u '{FAULTY + 1}s/ ../ 0x/'")
    bench.caught("lost", 4, [f"ended after {bench.count - 1} of {bench.count} answers", f"one answer was lost at record {FAULTY}"],
                 f"{answer} | sed -u '{FAULTY + 1}d'")
    bench.caught("empty", 4, [f"ended after 0 of {bench.count} answers", "0 words compared"], "process:cat >/dev/null")
    only = ("--vectors", bench.records, "--only", str(bench.nan), "--observe", "code")
    bench.caught("empty", 3, ["NOTHING COMPARED in 1 records"], answer, *only)
    # A header of another configuration, records of another one too, and a configuration that is none.
    other = "process:sed -u 's/^# rounding .*/# rounding toward_zero/;s/^00000000 /00000020 /' | "
    bench.caught("configuration", 4, ["field tuser: 00000000, the word of configuration 0 is 00000020"],
                 other.replace(";s/^00000000 /00000020 /", "") + f"{bench.mxgold} answer")
    bench.caught("configuration", 1, ["MISMATCH record ", "as with rounding toward_zero for ties_to_even"],
                 other + f"{bench.mxgold} answer")
    none = "process:sed -u 's/^# element .*/# element e4m9fn/' | " + f"{bench.mxgold} answer"
    bench.caught("configuration", 4, ["died with exit status 3 after 0 of ", "e4m9fn"], none)
    return {}


def plugin(bench):
    """A plugin in C over mxgold_model.h: mxgold_device.h on one side, the C interface on the other."""
    device = f"plugin:{bench.tools['plugin']}:"
    bench.passes(device)
    bench.caught("flip", 1, [f"MISMATCH record {FAULTY}", "lane 0: source 42C80000 (100): expected 6C (96), got 6D (104)"], device + "fault=flip")
    bench.caught("lost", 4, [f"answer(): record {FAULTY}, field scale, lane 0 is FFFFFFFFFFFFFFFF: not written"],
                 device + "fault=lost")
    bench.caught("wide", 4, [f"answer(): record {FAULTY}, field code, lane 0 is 100: more than 1 bytes"],
                 device + "fault=wide")
    bench.caught("empty", 4, ["answer(): record 0, field scale, lane 0 is FFFFFFFFFFFFFFFF: not written"],
                 device + "fault=empty")
    only = ("--vectors", bench.records, "--only", str(bench.nan), "--observe", "code")
    bench.caught("empty", 3, ["NOTHING COMPARED in 1 records"], device, *only)
    bench.caught("configuration", 4, ["configure() failed", "format=mxfp9"], device + "format=mxfp9")
    bench.caught("configuration", 1, ["as with rounding toward_zero for ties_to_even"],
                 device + "format=mxfp8_e4m3 rounding=toward_zero")
    return {"x": TWO_STATES}


def tlm(bench):
    """A TLM target behind a program on a pipe."""
    device = f"process:{bench.tools['tlm']}"
    bench.passes(device)
    bench.caught("flip", 1, [f"MISMATCH record {FAULTY}", "lane 0: source 42C80000 (100): expected 6C (96), got 6D (104)"], device + " --fault flip")
    bench.caught("lost", 4, [f"one answer was lost at record {FAULTY}"], device + " --fault lost")
    bench.caught("empty", 4, [f"ended after 0 of {bench.count} answers"], device + " --fault empty")
    bench.caught("configuration", 4, ["after 0 of ", "format=mxfp9"], device + " --model format=mxfp9")
    bench.caught("configuration", 1, ["as with rounding toward_zero for ties_to_even"],
                 device + " --model 'format=mxfp8_e4m3 rounding=toward_zero'")
    return {"x": "a payload is bytes, which have two states"}


def plugin_clocked(bench):
    """Plugins behind a clock: the example in C, whose defect is a wrong bit at ties, and the reference with faults."""
    example, reference = (f"plugin:{bench.tools[name]}:clocked" for name in ("example", "reference"))
    smoke = ("--suite", "smoke", "--only", "0:300")
    narrow = (*smoke, *"--format e2m1fn --source bf16 --rounding ties_to_even --rule floor".split())
    bench.passes(example, *smoke)
    bench.passes(reference, *narrow)
    bench.caught("flip", 1, ["MISMATCH block 5", "lane 21", "expected 08 = -0; device gave 09 = -0.5",
                             "broken: ties_to_even at a tie takes the even neighbour"], example + ",away", *smoke)
    bench.caught("lost", 4, ["answers are missing; broken: one answer for each block", "one answer was lost at block 31"],
                 reference + ",drop_on_stall", *narrow, "--reset", "none", "--stall", "light")
    bench.caught("empty", 4, ["the device neither takes a block nor gives an answer"],
                 reference + ",hang", *narrow, "--reset", "none")
    bench.caught("empty", 3, ["NOTHING COMPARED in 1 blocks"], reference, *narrow[:2], *narrow[4:], "--only", "39",
                 "--compare", "normative", "--observe", "code")
    bench.caught("configuration", 2, ["the device does mxfp4 (configuration.format)"], example, *smoke, "--format",
                 "mxfp8_e4m3")
    bench.caught("configuration", 2, ["arguments 'sideways': give clocked, away"], example[:-len("clocked")] + "sideways")
    return {"x": TWO_STATES}


def check(bench):
    """Files with the answers of a device, for `mxgold check`."""
    lines = bench.lines()
    first = next(i for i, line in enumerate(lines) if line.startswith("# count ")) + 1
    at = first + FAULTY

    def caught(fault, status, words, changed, *options):
        path = os.path.join(bench.folder, "answers.tv")
        with open(path, "w", encoding="ascii") as file:
            file.write("\n".join(changed) + "\n")
        bench.ended(fault, status, words, "check", path, *options)

    def with_line(line, i=at):
        return lines[:i] + [line] + lines[i + 1:]

    code = lines[at].split(" ")
    code[-33] = f"{int(code[-33], 16) ^ 1:02x}"
    caught("flip", 1, ["MISMATCH", f"{FAULTY}", "expected 6C (96), got 6D (104)"], with_line(" ".join(code)))
    code[-33] = "xx"
    caught("x", 3, ["field code[0]: 'xx': unknown bits (X or Z)"], with_line(" ".join(code)))
    caught("lost", 3, ["truncated"], lines[:at] + lines[at + 1:])
    caught("empty", 3, ["the header is missing"], [])
    caught("empty", 3, ["truncated"], lines[:first])
    rounding = next(i for i, line in enumerate(lines) if line.startswith("# rounding "))
    caught("configuration", 3, ["tuser"], with_line("# rounding toward_zero", rounding))
    return {}


BRIDGES = {each.__name__: each for each in (pipe, plugin, plugin_clocked, tlm, check)}


def main():
    bridge, mxgold = sys.argv[1:3]
    tools = dict(argument.split("=", 1) for argument in sys.argv[3:])
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(mxgold, tools, folder)
        reasons = BRIDGES[bridge](bench)
    for fault in FAULTS:
        if (fault in bench.tried) == (fault in reasons):
            fail(f"{bridge}: {fault} is not tried and has no reason, or both")
        if fault in reasons:
            print(f"no control: {fault}: {reasons[fault]}")
    print(f"PASS {bridge}")


main()
