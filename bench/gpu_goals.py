#!/usr/bin/env python3
"""U4 of the table of goals: fp32 to packed MXFP4 on a CUDA device, ours beside FBGEMM's Triton kernel (bench/README.md).

usage: gpu_goals.py [--rounds N] [--rows R] [--columns C] [--on-host]

One process, one stream; 25 rounds that take turns after five that are dropped, timed by events; the median of the rounds' ratios with
p25 and p75. Both by the rule floor, ties away from zero, blocks of 32, on the same bell-shaped values; codes and scales are compared in
full first: FBGEMM stores the scale byte behind the 16 bytes of its codes, we beside them. --on-host compares our arithmetic here with
FBGEMM's PyTorch reference, and measures nothing. torch and triton must be importable, MX_FBGEMM names a folder with fbgemm-gpu-cpu
(`pip install --no-deps --target FOLDER fbgemm-gpu-cpu==1.9.0`), MXGOLD_CUDA_LIBRARY the library. Exit status: 1 after a mismatch or a failed call,
77 where nothing was measured, otherwise 0.
"""

import argparse
import ctypes
import os
import statistics
import sys
import types

GOAL = 2.0
WIDEST = 0.15
WARM_UP = 5
FLOOR = 1  # FBGEMM's RoundingMode


class Skipped(Exception):
    """What cannot be measured here, and why."""


def need(module):
    try:
        return __import__(module, fromlist=["_"])
    except Exception as error:  # whatever keeps it from loading
        raise Skipped(f"{module} cannot be imported ({type(error).__name__}: {error})") from error


def fbgemm(name):
    """A module of the package's Python; its compiled operators, which want a torch of their own, are not loaded."""
    folder = os.environ.get("MX_FBGEMM")
    if not folder:
        raise Skipped("MX_FBGEMM names no folder with fbgemm-gpu-cpu")
    package = types.ModuleType("fbgemm_gpu")
    package.__path__ = [os.path.join(folder, "fbgemm_gpu")]
    sys.modules["fbgemm_gpu"] = package
    return need(f"fbgemm_gpu.triton.{name}")


class Layout(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("outer", "length", "inner")] + [
        (name, ctypes.c_uint32) for name in ("blocks_last", "packed", "swizzled")]


class Results(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in ("codes", "scales", "status")]


class Quantizer:
    """mxfp4 of rows of fp32 in tensors that are there, through the C interface (mxgold_cuda.h)."""

    def __init__(self, torch, source, rounding="ties_to_away"):
        path = os.environ.get("MXGOLD_CUDA_LIBRARY")
        if not path:
            raise Skipped("MXGOLD_CUDA_LIBRARY names no library")
        self._library = ctypes.CDLL(path)
        self._library.mxgold_cuda_problem.restype = ctypes.c_char_p
        self._message = ctypes.create_string_buffer(256)
        self._plan = ctypes.c_void_p()
        text = f"format=mxfp4 source=fp32 rule=floor rounding={rounding}".encode()
        self._check(self._library.mxgold_cuda_open(text, ctypes.byref(self._plan), self._message, ctypes.c_size_t(256)))
        rows, columns = source.shape
        self._layout = Layout(rows, columns, 1, 0, 1, 0)
        self._source = source
        self.codes = torch.empty((rows, columns // 2), dtype=torch.uint8, device=source.device)
        self.scales = torch.empty((rows, columns // 32), dtype=torch.uint8, device=source.device)
        self._results = Results(self.codes.data_ptr(), self.scales.data_ptr(), None)

    def problem(self):
        """Why nothing can run on a device, or ""."""
        return self._library.mxgold_cuda_problem().decode()

    def _check(self, status):
        if status != 0:
            raise RuntimeError(self._message.value.decode())

    def launch(self, stream):
        self._check(self._library.mxgold_cuda_quantize(
            self._plan, ctypes.c_void_p(stream), ctypes.byref(self._layout), ctypes.c_void_p(self._source.data_ptr()),
            ctypes.byref(self._results), None, self._message, ctypes.c_size_t(256)))

    def run_on_host(self):
        self._check(self._library.mxgold_cuda_quantize_on_host(
            self._plan, ctypes.byref(self._layout), ctypes.c_void_p(self._source.data_ptr()), ctypes.byref(self._results), None,
            self._message, ctypes.c_size_t(256)))


def values(torch, rows, columns, device):
    """Bell-shaped values, half of them of four fraction bits (ties are common), one zero in 64, a block of zeros in 1024, a row
    of small numbers."""
    torch.manual_seed(20)
    x = torch.randn((rows, columns), device=device)
    x[:, ::2] = torch.round(x[:, ::2] * 16) / 16
    x.view(-1)[15::64] = 0
    x.view(-1, 32)[5::1024] = 0
    x[-1] *= 2.0 ** -120
    return x


def difference(ours, theirs):
    """"" or what differs, of our codes and scales beside FBGEMM's rows of 17 bytes a block."""
    blocks = theirs.reshape(-1, 17)
    wrong = int((ours.codes.reshape(-1, 16) != blocks[:, :16]).sum()) + int((ours.scales.reshape(-1) != blocks[:, 16]).sum())
    return f"{wrong} of {theirs.numel()} bytes differ" if wrong else ""


def compare_on_host(options):
    torch = need("torch")
    reference = fbgemm("quantize_ref")
    x = values(torch, 64, 4096, "cpu")
    ours = Quantizer(torch, x, options.rounding)
    ours.run_on_host()
    wrong = difference(ours, reference.py_quantize_mx4(x, 32, 2, 1, FLOOR))
    print(f"{'FAIL' if wrong else 'PASS'} U4 on the host: {x.numel()} values, {wrong or '0 bytes differ'}; nothing was measured")
    return 1 if wrong else 0


def measure(options):
    torch = need("torch")
    if not torch.cuda.is_available():
        raise Skipped("torch sees no CUDA device")
    kernel = fbgemm("quantize")
    x = values(torch, options.rows, options.columns, "cuda")
    ours = Quantizer(torch, x)
    if ours.problem():
        raise Skipped(ours.problem())
    stream = torch.cuda.current_stream().cuda_stream
    theirs = lambda: kernel.triton_quantize_mx4(x, 32, 2, 1, FLOOR)  # noqa: E731
    ours.launch(stream)
    wrong = difference(ours, theirs())
    if wrong:
        print(f"FAIL U4: {wrong}: no rate")
        return 1

    def milliseconds(work):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        work()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end)

    times = [(milliseconds(lambda: ours.launch(stream)), milliseconds(theirs)) for _ in range(options.rounds + WARM_UP)][WARM_UP:]
    low, median, high = statistics.quantiles([b / a for a, b in times], n=4, method="inclusive")
    mine, other = (x.numel() / statistics.median(side) / 1e6 for side in zip(*times))
    verdict = "INVALID: too noisy" if high - low > WIDEST * median else "met" if median >= GOAL else "NOT MET"
    print(f"U4, fp32 to packed mxfp4 beside FBGEMM's Triton kernel, {x.numel()} elements, torch {torch.__version__}: "
          f"{mine:.1f} / {other:.1f} G elements/s, {median:.2f} ({low:.2f} .. {high:.2f}), goal {GOAL:.2f}: {verdict}")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--rows", type=int, default=1 << 14)
    parser.add_argument("--columns", type=int, default=1 << 14)
    parser.add_argument("--on-host", action="store_true", help="compare here, measure nothing")
    parser.add_argument("--rounding", default="ties_to_away", help=argparse.SUPPRESS)  # another one is to be seen
    options = parser.parse_args()
    try:
        return compare_on_host(options) if options.on_host else measure(options)
    except Skipped as reason:
        print(f"U4 SKIPPED: {reason}")
        return 77


if __name__ == "__main__":
    sys.exit(main())
