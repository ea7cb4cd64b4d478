#!/usr/bin/env python3
"""mxgold_systemc_dut with a fault on its way to `mxgold run --dut systemc`.

usage: spoil_pins.py REAL flip|lost|silent

The fault meets an answer after the 40th that has numbers: its code of lane 0 has another lowest bit (flip), its m_axis_tvalid is low (lost), or
from there on m_axis_tvalid stays low (silent). What it does depends on the answer alone, not on how often the bench looks.
"""

import os
import subprocess
import sys
import threading

VALID, READY, USER, DATA, DATA_BYTES = 5, 6, 10, 164, 32  # offsets in RtlPins, sim/dut/rtl_pins.hpp
FAULTY = 40


def forward(out):
    """What comes from the bench goes to the process, until either ends."""
    try:
        while block := os.read(0, 65536):
            out.write(block)
            out.flush()
    except BrokenPipeError:
        pass
    out.close()


def main():
    real, fault = sys.argv[1:]
    child = subprocess.Popen([real], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    threading.Thread(target=forward, args=(child.stdin,), daemon=True).start()
    greeting = child.stdout.readline()
    sys.stdout.buffer.write(greeting)
    sys.stdout.buffer.flush()
    size = int(greeting.split()[-1])
    seen, chosen = [], None
    while len(pins := bytearray(child.stdout.read(size))) == size:
        answer = bytes(pins[USER:USER + 2] + pins[DATA:DATA + DATA_BYTES])
        if pins[VALID] and (not seen or seen[-1] != answer):
            seen.append(answer)
            if chosen is None and len(seen) > FAULTY and answer[0] not in (0, 0xFF):
                chosen = answer
        is_faulty = chosen is not None and (answer == chosen or fault == "silent")
        if is_faulty and fault == "flip":
            pins[DATA] ^= 1
        elif is_faulty:
            pins[VALID] = 0
        sys.stdout.buffer.write(pins)
        sys.stdout.buffer.flush()
    return child.wait()


sys.exit(main())
