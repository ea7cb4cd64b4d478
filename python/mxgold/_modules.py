"""Module: torch.nn.Module where torch is installed, elsewhere a stand-in over NumPy arrays.

Classes that derive from it are written once. Importing this file imports torch, so the packages ask for it only when
one of their modules is first wanted.
"""

from __future__ import annotations

import collections
import importlib
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy

if TYPE_CHECKING:
    from ._types import Array


def _torch_if_installed() -> Any:
    try:
        return importlib.import_module("torch")
    except ImportError:
        return None


torch = _torch_if_installed()
_EXTRA = "_extra_state"


class IncompatibleKeys(NamedTuple):
    """What load_state_dict() did not find, and what it did not know."""

    missing_keys: list[str]
    unexpected_keys: list[str]


class ArrayModule:
    """What is needed of torch.nn.Module: calls, buffers, modules within, states, and how it prints."""

    def __init__(self) -> None:
        self.training = True
        self._buffers: list[str] = []

    def register_buffer(self, name: str, value: Array | None) -> None:
        """An attribute that belongs to the state: an array, or None for none."""
        self._buffers.append(name)
        setattr(self, name, value)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.forward(*args, **kwargs)

    def named_children(self) -> list[tuple[str, ArrayModule]]:
        """(name, module) of the modules that this one holds."""
        return [(name, value) for name, value in self.__dict__.items() if isinstance(value, ArrayModule)]

    def train(self, mode: bool = True) -> ArrayModule:
        self.training = bool(mode)
        for _, child in self.named_children():
            child.train(mode)
        return self

    def eval(self) -> ArrayModule:
        return self.train(False)

    def get_extra_state(self) -> Any:
        """More than buffers for the state: none, unless a class has some."""
        raise NotImplementedError

    def set_extra_state(self, state: Any) -> None:
        """Takes what get_extra_state() gave."""
        raise NotImplementedError

    def _has_extra_state(self) -> bool:
        return type(self).get_extra_state is not ArrayModule.get_extra_state

    def state_dict(self, prefix: str = "") -> dict[str, Any]:
        """The buffers, what get_extra_state() gives, and those of the modules within."""
        state: dict[str, Any] = collections.OrderedDict((prefix + name, getattr(self, name)) for name in self._buffers
                                        if getattr(self, name) is not None)
        if self._has_extra_state():
            state[prefix + _EXTRA] = self.get_extra_state()
        for name, child in self.named_children():
            state.update(child.state_dict(f"{prefix}{name}."))
        return state

    def load_state_dict(self, state_dict: dict[str, Any], strict: bool = True, assign: bool = False) -> IncompatibleKeys:
        """Copies a state into the buffers; assign: keeps its arrays. Returns the missing and the unexpected keys.

        Raises RuntimeError for arrays of other shapes, and for missing or unexpected keys if strict.
        """
        missing: list[str] = []
        unexpected: list[str] = []
        errors: list[str] = []
        self._load(state_dict, "", assign, missing, unexpected, errors)
        if strict:
            errors += [f"missing key {key!r}" for key in missing] + [f"unexpected key {key!r}" for key in unexpected]
        if errors:
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}: {'; '.join(errors)}")
        return IncompatibleKeys(missing, unexpected)

    def _load(self, state: dict[str, Any], prefix: str, assign: bool, missing: list[str], unexpected: list[str],
              errors: list[str]) -> None:
        self._load_from_state_dict(state, prefix, {"assign_to_params_buffers": assign}, True, missing, unexpected,
                                   errors)
        for name, child in self.named_children():
            child._load(state, f"{prefix}{name}.", assign, missing, unexpected, errors)

    def _load_from_state_dict(self, state: dict[str, Any], prefix: str, metadata: dict[str, Any], strict: bool,
                              missing: list[str], unexpected: list[str], errors: list[str]) -> None:
        names = [name for name in self._buffers if getattr(self, name) is not None]
        for name in names:
            if prefix + name not in state:
                missing.append(prefix + name)
                continue
            value, old = state[prefix + name], getattr(self, name)
            if value.shape != old.shape:
                errors.append(f"{prefix + name} has shape {value.shape}, not {old.shape}")
            elif metadata["assign_to_params_buffers"]:
                setattr(self, name, value)
            else:
                old[...] = value
        if self._has_extra_state():
            names.append(_EXTRA)
            if prefix + _EXTRA in state:
                self.set_extra_state(state[prefix + _EXTRA])
            else:
                missing.append(prefix + _EXTRA)
        children = [name + "." for name, _ in self.named_children()]
        unexpected += [key for key in state if key.startswith(prefix) and key[len(prefix):] not in names
                       and not key[len(prefix):].startswith(tuple(children))]

    def extra_repr(self) -> str:
        return ""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.extra_repr()})"


if TYPE_CHECKING:
    from torch.nn import Module as Module
else:
    Module = ArrayModule if torch is None else torch.nn.Module


def buffer(array: Any) -> Any:
    """A copy of an array, as what modules hold: a torch tensor where torch is installed."""
    copied = numpy.array(array, order="C")
    return copied if torch is None else torch.from_numpy(copied)
