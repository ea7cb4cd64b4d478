#!/usr/bin/env python3
"""Uses an installed mxgold as a newcomer does: the examples of the index's page, and threads.

usage: use.py PAGE [--tools]    PAGE: python/README.md

--tools: mxgold[tools] is installed, and its program, models and paths are used too; without it each says what to
install. Prints what was used; exits 1 where something does not work.
"""

import doctest
import importlib.util
import os
import pathlib
import subprocess
import sys
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy

import mxgold

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
INSTALL = "pip install 'mxgold[tools]'"


def examples(page):
    results = doctest.testfile(page, module_relative=False, optionflags=FLAGS)
    assert results.attempted >= 8 and not results.failed, results
    return results.attempted


def threads():
    """Eight threads at once get what one gets, in modules of their own too."""
    parts = numpy.random.default_rng(0).standard_normal((64, 4096)).astype(numpy.float32)

    def bits(part):
        quantized = mxgold.quantize(part, "mxfp8_e4m3")
        return (mxgold.bits(mxgold.convert(part, "e5m2")).tobytes(), quantized.code_bits.tobytes(),
                quantized.scale_bits.tobytes(), str(mxgold.format("binary8p3se").max), repr(mxgold.policy("te")))

    alone = [bits(part) for part in parts]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(bits, parts)) == alone
    return len(parts)


def unloads():
    """A program that unloads the library ends well: nothing of it is called after it is gone."""
    lines = ("import _ctypes, ctypes, sys; library = ctypes.CDLL(sys.argv[1]); "
             "library.mxgold_system(ctypes.c_size_t(0)); _ctypes.dlclose(library._handle)")
    path = next(pathlib.Path(folder) / "libmxgold.so.1" for folder in mxgold.__path__
                if (pathlib.Path(folder) / "libmxgold.so.1").exists())
    done = subprocess.run([sys.executable, "-c", lines, path], check=False)
    assert done.returncode == 0, done


def refusal(*command):
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False)
    assert done.returncode == 1, done
    return done.stderr.strip().splitlines()


def without_tools():
    said = refusal("-m", "mxgold", "--version")
    assert len(said) == 1 and INSTALL in said[0], said
    assert INSTALL in refusal("-c", "from mxgold.bench import Model; Model('format=mxfp4')")[-1]
    assert not (pathlib.Path(sysconfig.get_path("scripts")) / "mxgold").exists()


def with_tools():
    program = pathlib.Path(sysconfig.get_path("scripts")) / "mxgold"

    def answer(*arguments):
        return subprocess.run([program, *arguments], stdout=subprocess.PIPE, text=True, check=True).stdout.split()

    assert answer("--version")[:2] == ["mxgold", mxgold.__version__], answer("--version")
    packages = answer("dpi", "--sv")
    assert len(packages) == 2 and all(pathlib.Path(path).is_file() for path in packages), packages
    for option in ("--ldflags", "--vpi", "--cflags"):
        folders = [word.replace("-L", "").replace("-I", "") for word in answer("dpi", option)]
        assert any(pathlib.Path(folder).is_dir() for folder in folders), folders
    rtl = pathlib.Path(*answer("dpi", "--rtl"))
    assert (rtl / "mx_quantizer.sv").is_file() and os.access(rtl / "synth_report", os.X_OK), rtl
    from mxgold.bench import Model
    assert Model("format=mxfp4").answer(source=[0x3F800000] * 32).results["scale"] == [125]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        mxgold.vectors.generate("goldens.bin", "mxfp4", suite="smoke")
        assert mxgold.vectors.check("goldens.bin")["verdict"] == "PASS"
        assert len(mxgold.vectors.read("goldens.bin").records)
        os.chdir("/")


def main():
    if len(sys.argv) not in (2, 3):
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    done = f"{examples(sys.argv[1])} examples, {threads()} parts on 8 threads"
    unloads()
    if "--tools" in sys.argv:
        with_tools()
        done += ", the tools"
    else:
        assert importlib.util.find_spec("mxgold_tools") is None
        without_tools()
    free = "" if getattr(sys, "_is_gil_enabled", lambda: True)() else " without a GIL"
    print(f"used by Python {sys.version.split()[0]}{free}, numpy {numpy.__version__}: {done}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
