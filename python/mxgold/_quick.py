"""The short way of small calls: _calls.c, where it is there. Without it everything goes through ctypes.

It is one file for every CPython from 3.11 on, beside the library or in the package. MXGOLD_CALLS=off keeps it out.
"""

from __future__ import annotations

import ctypes
import importlib.machinery
import importlib.util
import os
import sys
import sysconfig
from typing import Any

import numpy

from ._library import LIBRARY, package_folders

_NAME = "_calls.abi3.so"
_FUNCTIONS = ("mxgold_convert_array", "mxgold_quantize_tensor", "mxgold_find_tensor_level",
              "mxgold_quantizer_at_level", "mxgold_quantizer_destroy")


def _fits(module: Any) -> bool:
    """Do NumPy's arrays have their fields where the module reads them?"""
    whole = numpy.zeros((3, 5), numpy.float32)
    for array, is_contiguous in ((whole, True), (whole[:, 1:3], False), (whole.T, False), (whole[:0], True)):
        if not module.check(array, array.__array_interface__["data"][0], array.shape, array.strides, array.dtype,
                            is_contiguous):
            return False
    return True


def _load() -> Any:
    """The module; None where it is not there, or not for this interpreter or NumPy."""
    folders = [os.path.dirname(LIBRARY._name), *package_folders()]  # the first is empty for a library of the system
    path = next((os.path.join(each, _NAME) for each in folders if each and os.path.exists(os.path.join(each, _NAME))), None)
    is_known = sys.implementation.name == "cpython" and sys.version_info >= (3, 11)
    if (not is_known or sysconfig.get_config_var("Py_GIL_DISABLED") or os.environ.get("MXGOLD_CALLS") == "off"
            or path is None):
        return None
    loader = importlib.machinery.ExtensionFileLoader("mxgold._calls", path)
    spec = importlib.util.spec_from_loader("mxgold._calls", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    if not _fits(module):
        return None
    addresses = tuple(ctypes.cast(getattr(LIBRARY, name), ctypes.c_void_p).value for name in _FUNCTIONS)
    module.setup(numpy.ndarray, numpy.empty, addresses)
    return module


CALLS = _load()
