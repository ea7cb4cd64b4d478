#!/usr/bin/env python3
"""FP32 to every format of at most 8 bits through the run-time path, beside QPyTorch in the same run.

usage: any_format.py REFERENCE_BENCH [--rounds N] [--least RATE] [--rounding TOKEN]

Prints M elements a second of CPU time of one thread: the median of N rounds (5) for each format, the slowest format, and
the peer: qtorch.quant.float_quantize(exp=4, man=3) as its package builds it, one thread, interleaved with the rounds. Where
qtorch cannot be imported the peer is skipped aloud. With --least, exits 1 if a format's median is below RATE.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time


def own_rates(program, rounding, name="array/.*"):
    command = [program, f"--benchmark_filter=^{name}/{rounding}$", "--benchmark_format=json", "--benchmark_min_time=0.02"]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return {row["name"]: row["items_per_second"] / 1e6 for row in report["benchmarks"]}


def load_peer():
    try:
        import torch
        from qtorch.quant import float_quantize
    except Exception as error:  # whatever keeps the peer from loading
        print(f"SKIPPED: QPyTorch is not measured: {error}", file=sys.stderr)
        return None
    torch.set_num_threads(1)
    values = torch.randn(1 << 20)

    def rate(rounding):
        start = time.process_time()
        float_quantize(values, exp=4, man=3, rounding=rounding)
        return values.numel() / (time.process_time() - start) / 1e6

    rate("nearest")  # the first call builds the extension
    return rate


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--least", type=float, default=0.0)
    parser.add_argument("--rounding", default="ties_to_even")
    options = parser.parse_args()
    peer = load_peer()
    own, peer_rates = {}, []
    for _ in range(options.rounds):
        for name, rate in own_rates(options.program, options.rounding).items():
            own.setdefault(name, []).append(rate)
        if peer is not None:
            rounding = "stochastic" if options.rounding.startswith("stochastic") else "nearest"
            peer_rates.append(statistics.median(peer(rounding) for _ in range(5)))
    if not own:
        print("nothing was measured", file=sys.stderr)
        return 2
    medians = {name: statistics.median(rates) for name, rates in own.items()}
    for name, rate in medians.items():
        print(f"{rate:8.1f}  {name}")
    slowest = min(medians, key=medians.get)
    print(f"slowest of {len(medians)}: {medians[slowest]:.1f} M elements/s, {slowest}")
    if peer_rates:
        median = statistics.median(peer_rates)
        print(f"QPyTorch float_quantize(exp=4, man=3): {median:.1f} M elements/s; slowest format / QPyTorch = {medians[slowest] / median:.2f}")
    return 1 if medians[slowest] < options.least else 0


if __name__ == "__main__":
    sys.exit(main())
