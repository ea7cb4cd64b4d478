"""The wheel mxgold-tools, where it is installed beside this package: the program, and models for benches."""

from __future__ import annotations

import importlib
import os

INSTALL = "pip install 'mxgold[tools]'"


def path(variable: str, attribute: str) -> str | None:
    """The path that an environment variable names, else what mxgold_tools calls so; None where there is neither."""
    named = os.environ.get(variable)
    if named:
        return named
    try:
        return str(getattr(importlib.import_module("mxgold_tools"), attribute))
    except ImportError:
        return None
