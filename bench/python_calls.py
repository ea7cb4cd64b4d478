#!/usr/bin/env python3
"""What a call from Python costs: through ctypes, as the package does it, and through a stable-ABI extension.

usage: python_calls.py LIBRARY_FOLDER      (where libmxgold.so lies; PYTHONPATH names python/)

Prints, for arrays of 1, 32 and 2^20 elements, the shortest time of a call of mxgold_convert_array (float32 to e4m3fn)
by each way, and of mxgold.convert() and mxgold.quantize() around it. The extension is compiled here; where Python's
headers or a C compiler are missing its column says so.
"""

import os
import pathlib
import subprocess
import sys
import sysconfig
import tempfile
import time

EXTENSION = r"""
#define Py_LIMITED_API 0x03090000
#include <Python.h>
#include "mxgold.h"
static PyObject* call(PyObject* self, PyObject* args) {
  unsigned long long handle, source, source_bytes, seed, codes, code_bytes;
  unsigned int tensor;
  mxgold_status status;
  if (!PyArg_ParseTuple(args, "KKKKIKK", &handle, &source, &source_bytes, &seed, &tensor, &codes, &code_bytes)) {
    return NULL;
  }
  Py_BEGIN_ALLOW_THREADS
  status = mxgold_convert_array((const mxgold_conversion*)handle, (const void*)source, source_bytes, seed, tensor,
                                (void*)codes, code_bytes, NULL);
  Py_END_ALLOW_THREADS
  return PyLong_FromLong(status);
}
static PyMethodDef methods[] = {{"call", call, METH_VARARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "mx_calls", 0, -1, methods};
PyMODINIT_FUNC PyInit_mx_calls(void) { return PyModule_Create(&module); }
"""


def extension(library):
    """The compiled extension's function, or None."""
    folder = pathlib.Path(tempfile.mkdtemp())
    (folder / "calls.c").write_text(EXTENSION)
    abi = pathlib.Path(__file__).resolve().parents[1] / "reference" / "abi"
    done = subprocess.run(["cc", "-O2", "-shared", "-fPIC", f"-I{sysconfig.get_path('include')}", f"-I{abi}",
                           str(folder / "calls.c"), "-o", str(folder / "mx_calls.abi3.so"), f"-L{library}", "-lmxgold",
                           f"-Wl,-rpath,{library}"], capture_output=True, check=False)
    if done.returncode != 0:
        return None
    sys.path.insert(0, str(folder))
    import mx_calls

    return mx_calls.call


def shortest(function, calls, rounds):
    """Nanoseconds of a call in the fastest round."""
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter_ns()
        for _ in range(calls):
            function()
        best = min(best, (time.perf_counter_ns() - start) / calls)
    return best


def main():
    if len(sys.argv) != 2:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    library = pathlib.Path(sys.argv[1]).resolve()
    os.environ.setdefault("MXGOLD_LIBRARY", str(library / "libmxgold.so"))
    import numpy

    import mxgold
    from mxgold import _convert, _native

    made = _native.conversion("fp32", "e4m3fn", ())
    handle = made.pointer.value
    through_extension = extension(library)
    print(f"Python {sys.version.split()[0]}, numpy {numpy.__version__}; nanoseconds a call, the fastest round")
    print(f"{'elements':>9} {'ctypes':>10} {'extension':>10} {'convert()':>10} {'quantize()':>11}")
    for count, calls, rounds in ((1, 300, 200), (32, 300, 200), (1 << 20, 1, 25)):
        x = numpy.linspace(-4, 4, count, dtype=numpy.float32)
        out = numpy.empty(count, numpy.uint8)
        source, codes = _native.address(x), _native.address(out)
        row = [shortest(lambda: _convert._CONVERT(made.pointer, source, 4 * count, 0, 0, codes, count, None), calls,
                        rounds)]
        row.append(shortest(lambda: through_extension(handle, source, 4 * count, 0, 0, codes, count), calls, rounds)
                   if through_extension else None)
        row.append(shortest(lambda: mxgold.convert(x, "e4m3fn"), calls, rounds))
        row.append(shortest(lambda: mxgold.quantize(x, "mxfp8_e4m3"), calls, rounds))
        shown = [f"{value:10.0f}" if value is not None else "no headers" for value in row]
        print(f"{count:>9} {shown[0]} {shown[1]} {shown[2]} {shown[3]:>11}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
