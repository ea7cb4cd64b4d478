#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a program under test starts ends with the run: in its own session, under another parent, deaf to signals, and where mxgold itself is killed (signal 9). A process that nobody started is left alone.

usage: programs_end.py MXGOLD
"""
import os
import subprocess
import sys
import time
from pathlib import Path

MXGOLD = sys.argv[1]
FAILURES = []
ARGUMENTS = ["--op", "cvt", "--format", "e4m3fn", "--source", "bf16", "--suite", "rnd", "--count", "20"]
MARK = str(os.getpid() % 100000)


def sleepers():
    """The numbers after the mark of sleeps that are running."""
    found = []
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = each.read_bytes().split(b"\0")
        except OSError:
            continue
        if words[:1] == [b"sleep"] and words[1].startswith(f"9{MARK}.".encode()):
            found.append(words[1].decode().split(".")[1])
    return sorted(found)


def gone(which, patience=10):
    """Do they all end in time?"""
    for _ in range(patience * 20):
        if not set(which) & set(sleepers()):
            return True
        time.sleep(0.05)
    return False


def expect(what, is_so, tail=""):
    if not is_so:
        FAILURES.append(what)
        print(f"FAILED {what} {tail}")


def nap(number):
    return f"sleep 9{MARK}.{number}"


def run(command, *more):
    return subprocess.run([MXGOLD, "run", "--dut", f"process:{command}", *ARGUMENTS, *more], capture_output=True, text=True)


def main():
    stranger = subprocess.Popen(["sleep", f"9{MARK}.0"])
    answer = f"'{MXGOLD}' answer"
    for what, start in (("in the background", f"{nap(1)} > /dev/null 2>&1 &"),
                        ("in a session of its own", f"setsid {nap(2)} > /dev/null 2>&1 & sleep 0.2;"),
                        ("under another parent", f"(setsid {nap(3)} < /dev/null > /dev/null 2>&1 &); sleep 0.2;"),
                        ("deaf to signals", f"(trap '' TERM HUP INT; setsid sh -c 'trap \"\" TERM; {nap(4)}' > /dev/null 2>&1 &); sleep 0.2;")):
        number = start.split(f"9{MARK}.")[1][0]
        done = run(f"{start} {answer}")
        expect(f"{what}: pass", done.returncode == 0, done.stderr[-300:] + done.stdout[-300:])
        expect(f"{what}: ended", gone([number]))
    for status in (3, 127):
        done = run(f"exit {status}")
        expect(f"exit status {status}", done.returncode == 4 and f"exit status {status}" in done.stdout, done.stdout[-400:])
    done = run("kill -11 $$")
    expect("a signal", done.returncode == 4 and "signal 11" in done.stdout, done.stdout[-400:])
    for signal in (9, 15):
        command = f"setsid {nap(5)} & (setsid {nap(6)} &); {nap(7)}"
        program = subprocess.Popen([MXGOLD, "run", "--dut", f"process:{command}", *ARGUMENTS, "--time-out", "60"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(400):
            if sleepers() == ["0", "5", "6", "7"]:
                break
            time.sleep(0.05)
        expect(f"signal {signal}: all started", sleepers() == ["0", "5", "6", "7"], str(sleepers()))
        program.send_signal(signal)
        program.wait()
        expect(f"signal {signal}: all ended", gone(["5", "6", "7"]), str(sleepers()))
    expect("a stranger lives", sleepers() == ["0"] and stranger.poll() is None)
    stranger.kill()
    stranger.wait()
    if FAILURES:
        sys.exit(f"{len(FAILURES)} failures")
    print("programs end with their runs")


main()
