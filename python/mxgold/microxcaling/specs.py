"""MxSpecs: what every operation of microxcaling is driven by."""

from __future__ import annotations

import argparse
import collections
import json
import os
import traceback
from typing import TYPE_CHECKING, Any, Mapping, MutableMapping

from .._mode import setting

if TYPE_CHECKING:
    _Data = collections.UserDict[str, Any]
else:
    _Data = collections.UserDict

__all__ = ["MxSpecs", "add_mx_args", "apply_mx_specs", "finalize_mx_specs", "get_backwards_mx_specs",
           "get_default_mx_specs", "get_mx_specs", "mx_assert_test"]

_ASSERT_MODE = os.environ.get("MX_ASSERT", "False")

_FORMATS = ("w_elem_format", "a_elem_format", "w_elem_format_bp", "a_elem_format_bp", "a_elem_format_bp_ex",
            "a_elem_format_bp_os")
_GRADIENT_ROUNDINGS = ("round_mx_input_grad_input", "round_mx_weight_grad_input", "round_mx_grad_output_grad_input",
                       "round_mx_input_grad_weight", "round_mx_grad_output_grad_weight")
_ROUNDINGS = ("round_m", "round_weight", "round_output", "round_grad_weight", "round_grad_input", "round_mx_output")

# key: (default, what it means)
_KEYS: dict[str, tuple[Any, str]] = {
    "scale_bits": (0, "bits of the shared exponent with its sign; 0 counts as 8"),
    "w_elem_format": (None, "element format of weights"),
    "a_elem_format": (None, "element format of activations"),
    "w_elem_format_bp": (None, "element format of weights in the backward pass"),
    "a_elem_format_bp": (None, "element format of stored activations in the backward pass"),
    "a_elem_format_bp_ex": (None, "element format of gradients for the weights' gradient"),
    "a_elem_format_bp_os": (None, "element format of gradients for the inputs' gradient"),
    "mx_flush_fp32_subnorms": (False, "blocks below 2^-126 become zero"),
    "shared_exp_method": ("max", "max: one exponent a block; none: one an element"),
    "block_size": (0, "elements of a block along the axis; 0: the whole axis"),
    "bfloat": (0, "bits of a float with 8 exponent bits, 10 and more; 0 or 32: none"),
    "fp": (0, "bits of a float with 5 exponent bits, 7 and more; 0: none"),
    "bfloat_subnorms": (True, "subnormal numbers of bfloat and fp are kept"),
    "quantize_backprop": (True, "gradients are quantized"),
    "round": ("nearest", "rounding: nearest, floor or even"),
    **{key: ("nearest", "rounding of one role") for key in _ROUNDINGS + _GRADIENT_ROUNDINGS},
    "softmax_exp2": (False, "softmax of powers of two"),
    "vec_use_exp2": (False, "exp by powers of two"),
    "vec_use_recip": (False, "division by a rounded reciprocal"),
    "custom_cuda": (False, "the C++ functions and CUDA kernels quantize"),
}


class MxSpecs(_Data):
    """All keys of a specification with their values. AssertionError for an unknown key. help_strings says what each
    means.

    It knows which keys were set; finalize_mx_specs() reads that in strict mode.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._set: set[str] = set()
        super().__init__(*args, **kwargs)
        self.help_strings: dict[str, str] = {key: text for key, (_, text) in _KEYS.items()}
        for key, (default, _) in _KEYS.items():
            self.data.setdefault(key, default)
        for key in self.data:
            assert key in _KEYS

    def __setitem__(self, key: str, value: Any) -> None:
        self._set.add(key)
        self.data[key] = value

    def copy(self) -> MxSpecs:
        """The same values, and which of them were set."""
        same = MxSpecs()
        same.data = dict(self.data)
        same._set = set(self._set)
        return same

    def was_set(self, key: str) -> bool:
        """Was a value given, to the constructor or later?"""
        return key in self._set

    def safe_json(self, indent: int | str | None = None) -> str:
        """The values as JSON text."""
        return json.dumps(self.data, indent=indent, default=lambda o: f"<<non-serializable: {type(o).__qualname__}>>")

    def __str__(self) -> str:
        return self.safe_json(indent=4)


def get_default_mx_specs() -> MxSpecs:
    """A specification that quantizes nothing."""
    return MxSpecs()


def get_backwards_mx_specs(specs: MxSpecs) -> MxSpecs:
    """The specification of the backward pass, a copy: that of the forward one, without formats where quantize_backprop
    is False."""
    backwards = specs.copy()
    if backwards["quantize_backprop"] == False:  # noqa: E712 (0 counts)
        for key in _FORMATS:
            backwards[key] = None
        for key in ("block_size", "bfloat", "fp"):
            backwards[key] = 0
    return backwards


def apply_mx_specs(mx_specs: Mapping[str, Any] | None, default_mx_specs: MxSpecs | None = None) -> MxSpecs:
    """The defaults (those given are changed) under those entries that are not None. KeyError for an unknown key."""
    if not default_mx_specs:
        default_mx_specs = get_default_mx_specs()
    if not mx_specs:
        return default_mx_specs
    for key, value in mx_specs.items():
        if value is None:
            continue
        if key not in default_mx_specs:
            raise KeyError(f"Unknown key '{key}' passed to mx specs")
        default_mx_specs[key] = value
    return default_mx_specs


def finalize_mx_specs(specs: MutableMapping[str, Any], early_exit: bool = True,
                      mode: str | None = None) -> MxSpecs | None:
    """Fills a specification: formats of the backward pass that are None or missing inherit the forward ones, roundings
    inherit "round", those of MX gradients "round_grad_input". None where nothing is quantized, unless early_exit is
    False. KeyError for an unknown key; AssertionError in compat for custom_cuda without a CUDA device.

    An MxSpecs object holds "nearest" for every rounding, so that nothing inherits in compat; in strict mode what was
    not set does.
    """
    if early_exit and not any(specs.get(key, 0) for key in (*_FORMATS, "bfloat", "fp")):
        return None
    if specs.get("custom_cuda"):
        _check_cuda(mode)
    if setting(mode)[0] == "strict" and isinstance(specs, MxSpecs):
        specs = {key: value for key, value in specs.items() if specs.was_set(key)}

    def inherit(heir: str, owner: str) -> None:
        if specs.get(heir) is None and owner in specs:
            specs[heir] = specs[owner]

    inherit("w_elem_format_bp", "w_elem_format")
    for key in ("a_elem_format_bp", "a_elem_format_bp_os", "a_elem_format_bp_ex"):
        inherit(key, "a_elem_format")
    for key in _ROUNDINGS:
        inherit(key, "round")
    for key in _GRADIENT_ROUNDINGS:
        inherit(key, "round_grad_input")
    return apply_mx_specs(specs, get_default_mx_specs())


def _check_cuda(mode: str | None) -> None:
    """custom_cuda is asked for: compat wants a CUDA device as the package does, or the platform "cuda"."""
    if setting(mode) == ("compat", "x86"):
        try:
            import torch
            has_cuda = torch.cuda.is_available()
        except ImportError:
            has_cuda = False
        assert has_cuda, "'custom_cuda' is only supported on CUDA devices."


def add_mx_args(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """Adds an option for every key: --block_size N, --custom_cuda, --no_quantize_backprop. Returns the parser."""
    group = parser.add_argument_group("mx", "MX specs")
    group.add_argument("--mx_dir", type=str, default=None, help="Path to mx library")
    for key, (default, text) in _KEYS.items():
        if "elem_format" in key:
            group.add_argument("--" + key, type=str, default=default, help=text)
        elif default is False:
            group.add_argument("--" + key, action="store_true", help=text)
        elif default is True:
            group.add_argument("--no_" + key, action="store_true", help="not: " + text)
        else:
            group.add_argument("--" + key, type=type(default), default=None, help=text)
    group.add_argument("--skip_early_exit", action="store_true", default=False,
                       help="finalize a specification that quantizes nothing, too")
    return parser


def get_mx_specs(parsed_args: argparse.Namespace) -> MxSpecs | None:
    """The finalized specification of a command line that add_mx_args() described."""
    if not isinstance(parsed_args, argparse.Namespace):
        parsed_args = argparse.Namespace(**vars(parsed_args))
    given = {}
    for key, (default, _) in _KEYS.items():
        if default is True:
            if hasattr(parsed_args, "no_" + key):
                given[key] = not getattr(parsed_args, "no_" + key)
        elif hasattr(parsed_args, key):
            given[key] = getattr(parsed_args, key)
    return finalize_mx_specs(given, early_exit=not getattr(parsed_args, "skip_early_exit", False))


def mx_assert_test(mx_specs: Mapping[str, Any] | None) -> None:
    """ValueError for a specification that is None, where the environment said MX_ASSERT=True."""
    if _ASSERT_MODE == "True" and mx_specs is None:
        callee, caller = traceback.extract_stack()[-2], traceback.extract_stack()[-3]
        raise ValueError(f"MX assert test failed!\nmx_specs is None in function {callee.name}\n"
                         f"Called from {caller.filename}, line {caller.lineno}\n  {caller.line}")
