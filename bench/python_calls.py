#!/usr/bin/env python3
"""What a call from Python costs: through ctypes, as the package does it, and through a stable-ABI extension.

usage: python_calls.py LIBRARY_FOLDER      (where libmxgold.so lies; PYTHONPATH names python/)

Prints, for arrays of 1, 32 and 2^20 normally distributed elements, the processor time of a call of mxgold_convert_array
(float32 to e4m3fn) by each way, and of mxgold.convert() and mxgold.quantize() around it: the median of rounds in which
each has its turn. The extension is compiled here; where Python's headers or a C compiler are missing its column says which. Exits 1 where it
does not compile though both are there.
"""

import os
import pathlib
import shutil
import statistics
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
    """The compiled extension's function; or, as a text, what is missing to compile it."""
    header = pathlib.Path(__file__).resolve().parents[1] / "backend" / "abi" / "mxgold.h"
    if not header.exists():
        sys.exit(f"{header}: the C interface's header is not there; its place is named in {__file__}")
    include = pathlib.Path(sysconfig.get_path("include"))
    if not (include / "Python.h").exists():
        return "no headers"
    if shutil.which("cc") is None:
        return "no cc"
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "calls.c"
        source.write_text(EXTENSION)
        done = subprocess.run(["cc", "-O2", "-shared", "-fPIC", f"-I{include}", f"-I{header.parent}", str(source), "-o",
                               f"{folder}/mx_calls.abi3.so", f"-L{library}", "-lmxgold", f"-Wl,-rpath,{library}"],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"the extension does not compile:\n{done.stderr}")
        sys.path.insert(0, folder)
        import mx_calls

    return mx_calls.call


def medians(functions, calls, rounds):
    """Nanoseconds of a call of each function: the median of rounds in which they take turns. They are of processor time,
    all threads together, which other programs on the machine hardly change."""
    times = [[] for _ in functions]
    for _ in range(rounds):
        for function, found in zip(functions, times):
            start = time.process_time_ns()
            for _ in range(calls):
                function()
            found.append((time.process_time_ns() - start) / calls)
    return [statistics.median(found) for found in times]


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
    print(f"Python {sys.version.split()[0]}, numpy {numpy.__version__}; nanoseconds of processor time a call, the median round")
    print(f"{'elements':>9} {'ctypes':>10} {'extension':>10} {'convert()':>10} {'quantize()':>11}")
    for count, calls, rounds in ((1, 300, 101), (32, 300, 101), (1 << 20, 1, 101)):
        x = numpy.random.default_rng(1).standard_normal(count).astype(numpy.float32)
        out = numpy.empty(count, numpy.uint8)
        source, codes = _native.address(x), _native.address(out)
        ways = {"ctypes": lambda: _convert._CONVERT(made.pointer, source, 4 * count, 0, 0, codes, count, None),
                "extension": lambda: through_extension(handle, source, 4 * count, 0, 0, codes, count),
                "convert()": lambda: mxgold.convert(x, "e4m3fn"),
                "quantize()": lambda: mxgold.quantize(x, "mxfp8_e4m3")}
        if isinstance(through_extension, str):
            del ways["extension"]
        found = dict(zip(ways, medians(list(ways.values()), calls, rounds)))
        shown = {name: f"{value:.0f}" for name, value in found.items()}
        print(f"{count:>9} {shown['ctypes']:>10} {shown.get('extension', through_extension):>10} "
              f"{shown['convert()']:>10} {shown['quantize()']:>11}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
