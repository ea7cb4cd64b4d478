"""Whose answer the emulated systems give: strict or compat, and of which platform."""

from __future__ import annotations

import contextvars
import threading

_DEFAULT = ("strict", "x86")
_MODES = ("strict", "compat")
_PLATFORMS = ("x86", "aarch64", "cuda")

_own: contextvars.ContextVar[tuple[str, str]] = contextvars.ContextVar("mxgold_setting")
_lock = threading.Lock()
#: Those in force anywhere, the latest last: what a thread without a setting of its own takes.
_in_force: list[mode] = []


class mode:
    """Sets the mode of the emulated systems from here on, or within a `with` block.

    >>> mxgold.mode("compat")           # from here on
    >>> with mxgold.mode("compat"):     # here only
    ...     qtorch.quant.float_quantize(x, 5, 2)

    name: "strict" (what the documentation or the standard says) or "compat" (the bits of the named version, faults
    included). platform: whose compat, "x86", "aarch64" or "cuda".

    It holds in this thread or task (contextvars), and in every thread that has set none itself: one that is started
    inside a `with` block has the block's mode. ValueError for another name or platform.
    """

    __slots__ = ("_setting", "_token")

    def __init__(self, name: str, platform: str = "x86") -> None:
        _checked(name)
        if platform not in _PLATFORMS:
            raise ValueError(f"platform {platform!r} is none of {', '.join(_PLATFORMS)}")
        self._setting = name, platform
        self._token = _own.set(self._setting)
        with _lock:
            _in_force.append(self)

    def __enter__(self) -> mode:
        return self

    def __exit__(self, *_: object) -> None:
        _own.reset(self._token)
        with _lock:
            _in_force.remove(self)


def _checked(name: str) -> str:
    if name not in _MODES:
        raise ValueError(f"mode {name!r} is none of {', '.join(_MODES)}")
    return name


def setting(name: str | None = None) -> tuple[str, str]:
    """(mode, platform) in force; `name` is a function's own `mode=`, which goes before."""
    found = _own.get(None)
    if found is None:
        with _lock:
            found = _in_force[-1]._setting if _in_force else _DEFAULT
    return (found[0] if name is None else _checked(name)), found[1]
