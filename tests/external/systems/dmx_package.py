"""The number formats of dmx-compressor, imported without the rest of the package and what that depends on."""

import ctypes
import os
import pathlib
import sys
import types

import numpy as np

from judge import SKIP, need


def load():
    """dmx.compressor.numerical.format, .quant and .quant.quant_function of the package under MX_DMX, their parent package
    left unexecuted; or the end of the run, skipped."""
    folder = os.environ.get("MX_DMX")
    if not folder or not pathlib.Path(folder, "dmx", "compressor").is_dir():
        print(f"SKIP {pathlib.Path(sys.argv[0]).name}: MX_DMX names no folder with dmx/compressor: pip install --no-deps "
              "--target FOLDER dmx-compressor==0.1.11, with parse, bidict, ninja, transformers and what that imports beside torch")
        sys.exit(SKIP)
    sys.path.insert(0, folder)
    os.environ["PATH"] = str(pathlib.Path(sys.executable).parent) + os.pathsep + os.environ.get("PATH", "")
    os.environ.setdefault("TORCH_EXTENSIONS_DIR", str(pathlib.Path(folder, "extensions")))
    parent = types.ModuleType("dmx.compressor")
    parent.__path__ = [str(pathlib.Path(folder, "dmx", "compressor"))]
    need("dmx")
    sys.modules["dmx.compressor"] = parent
    return need("dmx.compressor.numerical.format", "dmx.compressor.quant", "dmx.compressor.quant.quant_function")


class Generator:
    """The kernels' own generator, a std::mt19937."""

    def __init__(self, module):
        self._state = (ctypes.c_ulong * 625).in_dll(ctypes.CDLL(module.__file__), "gen")

    def seed(self, seed, count):
        """Sets the state; returns the `count` words that will be drawn."""
        source = np.random.MT19937()
        source._legacy_seeding(seed)
        for i, word in enumerate(source.state["state"]["key"]):
            self._state[i] = int(word)
        self._state[624] = 624
        return (source.random_raw(count) >> 1).astype(np.uint32)
