"""Whose answer the emulated systems give: strict or compat, and of which platform."""

import contextvars

_SETTING = contextvars.ContextVar("mxgold_setting", default=("strict", "x86"))
_MODES = ("strict", "compat")
_PLATFORMS = ("x86", "aarch64", "cuda")


class mode:
    """Sets the mode of the emulated systems from here on, or within a `with` block.

    >>> mxgold.mode("compat")           # from here on
    >>> with mxgold.mode("compat"):     # here only
    ...     qtorch.quant.float_quantize(x, 5, 2)

    name: "strict" (what the documentation or the standard says) or "compat" (the bits of the named version, faults
    included). platform: whose compat, "x86", "aarch64" or "cuda".
    """

    def __init__(self, name, platform="x86"):
        if name not in _MODES:
            raise ValueError(f"mode {name!r} is none of {', '.join(_MODES)}")
        if platform not in _PLATFORMS:
            raise ValueError(f"platform {platform!r} is none of {', '.join(_PLATFORMS)}")
        self._token = _SETTING.set((name, platform))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        _SETTING.reset(self._token)


def setting(name=None):
    """(mode, platform) in force; `name` is a function's own `mode=`, which goes before."""
    current, platform = _SETTING.get()
    if name is not None and name not in _MODES:
        raise ValueError(f"mode {name!r} is none of {', '.join(_MODES)}")
    return name or current, platform
