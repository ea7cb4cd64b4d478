#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The JSON of `mxgold run` keeps to docs/schema/mxgold-run-2.json for each kind of device, right and wrong ones.

The members of before that schema are there too, and say the same. Controls: a report that lacks a member, has one of
another type, or has one too many is refused.

usage: run_schema.py MXGOLD SCHEMA PLUGIN DEVICE_FILE
"""
import copy
import json
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import jsonschema
except ImportError:
    print("skipped: jsonschema is missing; on Debian, apt install python3-jsonschema")
    sys.exit(77)

MXGOLD, SCHEMA, PLUGIN, DEVICE_FILE = sys.argv[1:5]
WORK = Path(tempfile.mkdtemp(prefix="mxgold_schema_"))
BLOCKS = ["--format", "mxfp4", "--source", "fp32", "--rule", "floor", "--rounding", "ties_to_even", "--only", "0:90"]
RECORDS = ["--op", "cvt", "--format", "e4m3fn", "--rounding", "ties_to_even", "--only", "0:90"]
FILE = str(WORK / "cvt.tv")

# A name, what runs, the exit code.
RUNS = [
    ("reference on streams", ["--dut", "reference", *BLOCKS], 0),
    ("reference over records", ["--dut", "reference", *RECORDS], 0),
    ("reference over golden vectors", ["--dut", "reference", "--vectors", FILE], 0),
    ("fault on streams", ["--dut", "reference:ties_to_away_for_even", *BLOCKS[:-2]], 1),
    ("fault over records", ["--dut", "reference:record_code", *RECORDS], 1),
    ("fault of the protocol", ["--dut", "reference:hang", *BLOCKS], 4),
    ("RTL", ["--dut", "rtl", *BLOCKS, "--judge", "both"], 0),
    ("CPU", ["--dut", "cpu", *BLOCKS], 0),
    ("CUDA's arithmetic on the CPU", ["--dut", "cuda-host", *BLOCKS], 0),
    ("SystemC", ["--dut", "systemc", *BLOCKS], 0),
    ("program", ["--dut", f"process:{MXGOLD} answer", *RECORDS], 0),
    ("program that is wrong", ["--dut", f"process:{MXGOLD} answer | sed '5 s/^../7f/'", *RECORDS], 1),
    ("program that ends early", ["--dut", f"process:{MXGOLD} answer | head -n 3", *RECORDS], 4),
    ("plugin", ["--dut", f"plugin:{PLUGIN}:cvt", *RECORDS], 0),
    ("module of a device file", ["--dut", f"device:{DEVICE_FILE}", "--suite", "smoke", "--only", "0:90"], 0),
]
FAILURES = []


def expect(what, is_so, detail=""):
    if not is_so:
        FAILURES.append(what)
        print(f"FAILED {what}\n  {detail}")


def run(*arguments):
    return subprocess.run([MXGOLD, *arguments], capture_output=True, text=True)


def problems(schema, report):
    validator = jsonschema.Draft202012Validator(schema)
    return [f"{'/'.join(map(str, e.path))}: {e.message[:300]}" for e in validator.iter_errors(report)]


def expect_old_keys(name, report):
    """What readers of before find, and that it says what the new members say."""
    counts, cells = report["transactions"], report["cells"]
    if report["transaction"] == "block":
        old = [report["blocks"][key] for key in ("declared", "checked", "compared", "wrong")]
        numbers = [each["block"] for each in report["mismatches"]]
        cell = [(each["blocks"], each["wrong_blocks"], each["elements"]) for each in cells]
        new = [(each["counts"]["transactions"]["checked"], each["counts"]["transactions"]["wrong"],
                each["counts"]["elements"]["all"]) for each in cells]
        expect(f"{name}: old protocol_failures", report["protocol_failures"] == report["protocol"]["failures"])
    else:
        old = [report[key] for key in ("declared", "records", "judged", "mismatches")]
        numbers = [each["number"] for each in report["wrong"]]
        cell = [(each["records"], each["mismatches"], each["words_compared"]) for each in cells]
        new = [(each["counts"]["transactions"]["checked"], each["counts"]["transactions"]["wrong"],
                each["counts"]["words"]["compared"]) for each in cells]
    expect(f"{name}: old counts", old == [counts[key] for key in ("declared", "checked", "compared", "wrong")], f"{old}")
    expect(f"{name}: old cells", cell == new, f"{cell} {new}")
    expect(f"{name}: old mismatches", numbers == [each["number"] for each in report["wrong"]])


def check_controls(schema, report):
    """Reports that are not by the schema are refused."""
    for key in report:
        if schema["properties"].get(key, {}).get("deprecated") or key == "clock":
            continue
        less = copy.deepcopy(report)
        del less[key]
        expect(f"control: without {key}", problems(schema, less))
        other = copy.deepcopy(report)
        other[key] = None
        expect(f"control: {key} is null", problems(schema, other))
    more = dict(report, surprise=1)
    expect("control: a member too many", problems(schema, more))
    deep = copy.deepcopy(report)
    deep["cells"][0]["counts"]["transactions"]["checked"] = -1
    expect("control: a count below 0", problems(schema, deep))


def main():
    schema = json.loads(Path(SCHEMA).read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    done = run("gen", "--op", "cvt", "--format", "e4m3fn", "--rounding", "ties_to_even", "-o", FILE)
    expect("gen", done.returncode == 0, done.stderr)
    reports = {}
    kinds = set()
    for name, arguments, code in RUNS:
        done = run("run", "--json", *arguments)
        if "no device" in done.stderr or "not built" in done.stderr:
            print(f"SKIP {name}: {done.stderr.strip()}")
            kinds.add(arguments[1].split(":")[0])
            continue
        expect(f"{name}: exit {code}", done.returncode == code, f"{done.returncode}: {done.stderr[-600:]}")
        if not done.stdout:
            expect(f"{name}: a report", False, done.stderr[-600:])
            continue
        report = reports[name] = json.loads(done.stdout)
        found = problems(schema, report)
        expect(f"{name}: by the schema", not found, "\n  ".join(found[:8]))
        if found:
            continue
        expect(f"{name}: exit_code", report["exit_code"] == code)
        expect(f"{name}: dut", report["dut"] == arguments[1], report["dut"])
        expect(f"{name}: wrong ones are listed", bool(report["wrong"]) == (code == 1))
        expect(f"{name}: broken protocol", bool(report["protocol"]["failures"]) == (code == 4))
        expect_old_keys(name, report)
        kinds.add(arguments[1].split(":")[0])
    expect("eight kinds of device", len(kinds) == 8, f"{sorted(kinds)}")
    check_controls(schema, reports["fault on streams"])
    check_controls(schema, reports["fault over records"])
    print(f"{len(reports)} runs, {len(FAILURES)} failures")
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main())
