#!/usr/bin/env python3
"""The rows of the table of goals whose peers are Python packages: C2, C10 and C11 (bench/README.md).

usage: python_goals.py [--rows C2,C10] [--rounds N] [--reference-bench PROGRAM] [--strict]

Lines as bench/goals prints them: our rate through the C interface into arrays that are there, the package's, the median of the
ratios of N rounds (25 and one dropped) that take turns with p25 and p75, CPU time of one thread, results compared first.
torch, qtorch and numpy must be importable; MX_PEER_MICROXCALING names a checkout, MX_DMX a folder with dmx-compressor;
MXGOLD_LIBRARY the library. C11 is measured as bench/any_format.py does. What is missing is skipped aloud. Exit status: 1 after a mismatch, 77 where nothing was
measured, otherwise 0, or with --strict 1 where a goal is not met or a row invalid or skipped.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
import types
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python"))
ELEMENTS = 1 << 20
LEAST_ROUNDS = 15
WIDEST = 0.15
OPTIMISED = ["-O3", "-march=native"]


class Skipped(Exception):
    """A row that cannot be measured here, and why."""


def need(module):
    try:
        return __import__(module)
    except Exception as error:  # whatever keeps it from loading
        raise Skipped(f"{module} cannot be imported ({type(error).__name__}: {error})") from error


def folder(variable):
    path = os.environ.get(variable)
    if not path:
        raise Skipped(f"{variable} names no folder")
    sys.path.insert(0, path)
    return path


def values(torch):
    """Bell-shaped values, one zero in 64 and one fp32 subnormal in 1024, as bench/goals/inputs.hpp has them."""
    torch.manual_seed(20)
    x = torch.randn(ELEMENTS)
    x[15::64] = 0
    x[7::1024] *= 2.0 ** -130
    return x


def quantizer(x, name, policy):
    """(a function that quantizes x into arrays that are there, one that gives the values)."""
    import numpy

    from mxgold import _native
    from mxgold._library import LIBRARY
    from mxgold._formats import block_format, element_format
    from mxgold._plans import plan_of
    from mxgold._quantized import values_of

    words = x.numpy()
    made, block, _, _ = plan_of(words.dtype, block_format(name), policy, None)
    codes = numpy.empty(words.shape, block.element.dtype)
    scales = numpy.empty(block.scale_shape(words.shape, 0), block.scale_dtype)
    shape = _native.shape_of(words.shape)
    arguments = (made.pointer, shape, 1, 0, _native.address(words), words.nbytes, 0, 0, _native.address(codes), codes.nbytes,
                 _native.address(scales), scales.nbytes, None)
    kept = (made, words, codes, scales)  # the arguments are addresses

    def run(_=kept):
        return LIBRARY.mxgold_quantize_tensor(*arguments)

    return run, lambda: values_of(made, codes, scales, 0, element_format("fp32"))


def different(ours, theirs, x, block=0):
    """"" or what differs: values by ==, so that zeros have no sign. With `block`, a tie may go either way, and what a sum in
    fp32 with a number four times the block's largest carries onto a tie."""
    import numpy

    wrong = ours != theirs
    if block:
        wide = x.astype(numpy.float64)
        slack = numpy.repeat(numpy.abs(wide).reshape(-1, block).max(1), block) * 2.0 ** -21
        wrong &= numpy.abs(numpy.abs(wide - ours) - numpy.abs(wide - theirs)) > slack
    if not wrong.any():
        return ""
    first = int(numpy.flatnonzero(wrong)[0])
    return (f"{int(wrong.sum())} of {wrong.size} differ, first at {first}: {float(x[first]).hex()} became {float(ours[first]).hex()}, "
            f"theirs {float(theirs[first]).hex()}")


def microxcaling(_):
    torch = need("torch")
    folder("MX_PEER_MICROXCALING")
    mx_ops = need("mx.mx_ops").mx_ops
    x = values(torch)
    ours, result = quantizer(x, "mxfp8_e4m3", "")
    peer = lambda: mx_ops._quantize_mx(x, 8, "fp8_e4m3", axes=[-1], block_size=32, round="even")  # noqa: E731
    ours()
    return ours, peer, different(result(), peer().numpy(), x.numpy()), f"torch {torch.__version__}; signs of zeros"


def dmx(_):
    torch = need("torch")
    path = folder("MX_DMX")
    parent = types.ModuleType("dmx.compressor")
    parent.__path__ = [str(Path(path, "dmx", "compressor"))]
    need("dmx")
    sys.modules["dmx.compressor"] = parent
    from dmx.compressor.numerical.format import Format

    form = Format.from_shorthand("BFP[8|8]{64}(SN)")
    x = values(torch)
    ours, result = quantizer(x, "mxint8", "block_size=64")
    rows = x.reshape(256, -1)
    ours()
    return (ours, lambda: form.cast(rows, -1), different(result(), form.cast(rows, -1).reshape(-1).numpy(), x.numpy(), 64),
            f"torch {torch.__version__}; ties and what an fp32 sum makes one, signs of zeros")


def block_quantize(_):
    torch = need("torch")
    need("qtorch")
    from qtorch.quant import block_quantize as theirs

    x = values(torch)
    ours, result = quantizer(x, "mxint8", "block_size=64")
    rows = x.reshape(-1, 64)
    peer = lambda: theirs(rows, 8, dim=0, rounding="nearest")  # noqa: E731
    ours()
    return (ours, peer, different(result(), peer().reshape(-1).numpy(), x.numpy(), 64),
            f"torch {torch.__version__}; ties and what an fp32 sum makes one, signs of zeros; rows of 64")


def float_quantize(options):
    torch = need("torch")
    extensions = need("torch.utils.cpp_extension").utils.cpp_extension
    plain = extensions.load
    extensions.load = lambda *names, **how: plain(*names, **dict(how, extra_cflags=OPTIMISED))
    need("qtorch")
    reference_bench = options.reference_bench
    if not reference_bench:
        raise Skipped("--reference-bench names no program")
    from qtorch.quant import float_quantize as theirs

    import mxgold
    from any_format import own_rates

    rates = own_rates(reference_bench, "ties_to_even")
    slowest = min(rates, key=rates.get)
    x = values(torch)
    codes = mxgold.convert(x.numpy(), "e4m3fn", "rounding=ties_to_away")
    away = mxgold.convert(codes, "fp32", source="e4m3fn")
    name = slowest.rpartition("/")[0]
    peer = lambda: theirs(x, exp=4, man=3, rounding="nearest")  # noqa: E731
    return (lambda: float(ELEMENTS / 1e6 / own_rates(reference_bench, "ties_to_even", name)[slowest]), peer,
            different(away, peer().numpy(), x.numpy()),
            f"torch {torch.__version__}; peer built with {' '.join(OPTIMISED)}; slowest of {len(rates)} formats, {slowest}, "
            "in a program of its own; compared at e4m3fn, ties away, below 448; signs of zeros")


ROWS = (("C2", "fp32 to mxfp8_e4m3, 2^20, beside microxcaling's PyTorch path", 150, microxcaling),
        ("C10", "fp32 to mxint8 in blocks of 64, 2^20, beside dmx BFP[8|8]{64}", 30, dmx),
        ("C10", "fp32 to mxint8 in blocks of 64, 2^20, beside qtorch block_quantize", 30, block_quantize),
        ("C11", "any format, any rounding, beside qtorch float_quantize at -O3", 1, float_quantize))


def in_child(goal, options):
    """The row in a process whose qtorch is compiled with optimisation, which its package does not ask for."""
    environment = dict(os.environ, TORCH_EXTENSIONS_DIR=str(ROOT / "build" / "torch_extensions_optimised"))
    os.makedirs(environment["TORCH_EXTENSIONS_DIR"], exist_ok=True)
    command = [sys.executable, "-B", __file__, "--rows", goal, "--rounds", str(options.rounds), "--child"]
    if options.reference_bench:
        command += ["--reference-bench", options.reference_bench]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("|")]
    return (lines[-1].split(" | ")[6], lines[-1]) if lines else ("MISMATCH", f"| {goal} | its process ended with {done.returncode} |")


def seconds(function):
    """CPU seconds of one call: repeated within its turn where it is short, after one that is not timed. A function may
    say its own."""
    start = time.thread_time()
    own = function()
    if isinstance(own, float):
        return own
    calls = max(1, min(1000, int(0.004 / max(time.thread_time() - start, 1e-9))))
    start = time.thread_time()
    for _ in range(calls):
        function()
    return (time.thread_time() - start) / calls


def measure(ours, peer, rounds):
    times = [(seconds(ours), seconds(peer)) for _ in range(rounds + 1)][1:]
    ratios = sorted(theirs / mine for mine, theirs in times)
    low, median, high = statistics.quantiles(ratios, n=4, method="inclusive")
    mine, theirs = (ELEMENTS / statistics.median(side) / 1e6 for side in zip(*times))
    return mine, theirs, low, median, high


def row(goal, what, least, make, options):
    """(the verdict, the line)."""
    head = f"| {goal} | {what.replace('|', chr(92) + '|')} | "
    try:
        ours, peer, difference, note = make(options)
    except (Skipped, ImportError) as reason:
        print(f"goals: SKIPPED {goal}: {reason}", file=sys.stderr)
        return "SKIPPED", head + f"- | - | - | {least:.2f} | SKIPPED | {reason} |"
    except Exception as error:  # the others go on
        difference = f"failed: {type(error).__name__}: {error}"
    if difference:
        print(f"goals: MISMATCH {goal}: {difference}", file=sys.stderr)
        return "MISMATCH", head + f"- | - | - | {least:.2f} | MISMATCH | {difference} |"
    mine, theirs, low, median, high = measure(ours, peer, options.rounds)
    verdict = "met" if median >= least else "NOT MET"
    if options.rounds < LEAST_ROUNDS or high - low > WIDEST * median:
        verdict = "INVALID"
        note = f"p25 to p75 is {100 * (high - low) / median:.0f} % of the median, {options.rounds} rounds; {note}"
    return verdict, head + (f"{mine:.1f} M/s | {theirs:.1f} M/s | {median:.2f} ({low:.2f} .. {high:.2f}) | {least:.2f} | "
                            f"{verdict} | {note} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", default="")
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--reference-bench", help="the program reference_bench, for C11")
    parser.add_argument("--strict", action="store_true")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options, _ = parser.parse_known_args()  # what else bench/goals takes
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # one thread, for torch and for mxgold
    verdicts = []
    for goal, what, least, make in ROWS:
        if options.rows and goal not in options.rows.split(","):
            continue
        optimised = make is float_quantize and not options.child
        verdict, line = in_child(goal, options) if optimised else row(goal, what, least, make, options)
        print(line, flush=True)
        verdicts.append(verdict)
    if "MISMATCH" in verdicts:
        return 1
    if not set(verdicts) & {"met", "NOT MET", "INVALID"}:
        return 77
    return 1 if options.strict and set(verdicts) != {"met"} else 0


if __name__ == "__main__":
    sys.exit(main())
