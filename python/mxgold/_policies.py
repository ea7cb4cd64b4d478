"""Policies and profiles as objects: what decides a code where formats leave a choice."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import _native

if TYPE_CHECKING:
    from ._expanded import Expanded

#: Choices whose values are names of profiles, in the order that a policy has them.
_PROFILES = ("profile", "blocks_as")


class Policy(Mapping):
    """Choices by name, "rounding=ties_to_away,overflow=none_inf_or_nan"; what is not named is the default.

    `str(p)` is the text that `mxgold.policy` takes; policies are equal if it is. A policy is a mapping from names to
    values. It may start from a profile, the policies of a named system: "profile=torchao-0.18:rceil,zero_sign=keep".
    """

    def __init__(self, settings) -> None:
        self._settings = dict(settings)
        self._hash = hash(tuple(self._settings.items()))

    @property
    def options(self) -> tuple[tuple[str, str], ...]:
        """(name, value) pairs as the library takes them, profile first."""
        return _options(tuple(self._settings.items()))

    def replace(self, **settings: str | int | None) -> Policy:
        """The same policy with other values; None takes a choice back."""
        merged = {**self._settings, **{name: value for name, value in settings.items()}}
        return policy({name: value for name, value in merged.items() if value is not None})

    def expanded(self, format: Any, *, source: Any = "fp32") -> Expanded:
        """Every policy with its value for a format, also where the profile says it.

        format: an element or block format, or its name. source: the format of the values.

        Returns an Expanded, a Policy that names every choice. ValueError where the profile does not define the format.

        >>> mxgold.policy("te").expanded("mxfp8_e4m3").changed["rule"]
        ('rceil', 'floor')
        """
        from ._expanded import expanded

        return expanded(self, format, source)

    @property
    def formats(self) -> dict[str, tuple[str, ...]]:
        """What the profile defines: the names of formats, single values first, each with its sources.

        "*" is every format, "binary*" the P3109 family; without a profile it is mxgold-default, which has all.

        >>> mxgold.profile("te").formats["mxfp8_e4m3"]
        ('fp32', 'bf16', 'fp16')
        """
        from ._expanded import formats_of

        return formats_of(self)

    def __getitem__(self, name):
        return self._settings[name]

    def __iter__(self):
        return iter(self._settings)

    def __len__(self):
        return len(self._settings)

    def __str__(self) -> str:
        return ",".join(f"{name}={value}" for name, value in self._settings.items())

    def __repr__(self):
        return f"mxgold.policy({str(self)!r})"

    def __eq__(self, other):
        return isinstance(other, Policy) and other._settings == self._settings

    def __hash__(self):
        return self._hash

    def __reduce__(self):
        return policy, (str(self),)


@functools.lru_cache(maxsize=1024)
def _options(settings):
    options = []
    for name, value in settings:
        if name == "profile":
            base, _, variant = value.partition(":")
            options.append(("profile", base))
            options.extend([("variant", variant)] if variant else [])
        else:
            options.append((name, value))
    return tuple(options)


def _number(text, least, most):
    return text.isascii() and text.isdigit() and least <= int(text) <= most


def _check(name, value):
    if name in _PROFILES:
        base = value.partition(":")[0]
        if base not in _native.names("profiles"):
            raise _native.unknown(name, base, _native.names("profiles"))
        return
    limits = {"random_bits": (1, 32), "block_size": (1, 1024)}
    if name in limits:
        if not _number(value, *limits[name]):
            raise ValueError(f"{name} {value!r} is not a number in {limits[name][0]}..{limits[name][1]}")
        return
    if name not in _native.names("policies"):
        raise _native.unknown("policy", name, _native.names("policies") + ("block_size", *_PROFILES))
    values = _native.names(name)
    if value not in values:
        raise ValueError(f"policy {name} does not take {value!r}; its values are {', '.join(values)}")


def _order(name):
    if name in _PROFILES:
        return _PROFILES.index(name) - len(_PROFILES)
    known = _native.names("policies")
    return known.index(name) if name in known else len(known)


def _parse(text):
    settings = {}
    for part in text.split(","):
        if not part.strip():
            continue
        name, equals, value = (each.strip() for each in part.partition("="))
        if not equals:
            name, value = "profile", name
        if name in settings:
            raise ValueError(f"policy {name} is given twice")
        settings[name] = value
    return settings


@functools.lru_cache(maxsize=1024)
def _made(settings):
    for name, value in settings:
        _check(name, value)
    return Policy(sorted(settings, key=lambda setting: _order(setting[0])))


@functools.lru_cache(maxsize=1024)
def _read(text):
    return _made(tuple(_parse(text).items()))


def policy(text: str | Policy | Mapping[str, Any] = "", **settings: str | int) -> Policy:
    """The policy of a text, a mapping, or keywords; ValueError for names and values that there are not.

    Names and values are those of `mxgold.policies()`, with random_bits (1..32, N of stochastic roundings),
    block_size (1..1024, blocks only), profile (a name of `mxgold.profiles()`, ":VARIANT" behind it) and blocks_as (of
    blocks: the profile whose block rules stand around the conversions of `profile`). `text` alone is a Policy, a mapping
    or a text; the keywords, `settings`, go before it.

    >>> mxgold.policy("overflow=none_inf_or_nan, rounding=ties_to_away")
    mxgold.policy('rounding=ties_to_away,overflow=none_inf_or_nan')
    >>> mxgold.policy(rounding="stochastic_a", random_bits=8)["random_bits"]
    '8'
    """
    if isinstance(text, Policy) and not settings:
        return text
    if isinstance(text, str):
        if not settings:
            return _read(text)
        base = _parse(text)
    else:
        base = dict(text or {})
    base.update(settings)
    return _made(tuple((str(name), str(value)) for name, value in base.items()))


def hashable(text):
    """What policy() takes, as a key of a cache."""
    return text if isinstance(text, (str, Policy)) else policy(text)


def profile(name: str) -> Policy:
    """The policy of a named system, `policy("profile=NAME")`.

    name: one of `mxgold.profiles()`, with ":VARIANT[+VARIANT...]" if any (docs/profiles.md).

    >>> mxgold.profile("torchao-0.18:rceil")
    mxgold.policy('profile=torchao-0.18:rceil')
    """
    return policy({"profile": name})


def profiles() -> list[str]:
    """The names of the profiles: what each version of each system does. docs/profiles.md describes them."""
    return list(_native.names("profiles"))


def policies() -> dict[str, tuple[str, ...]]:
    """Every policy and its values: {"rounding": ("ties_to_even", ...), ...}; () where the value is a number."""
    return {name: _native.names(name) for name in _native.names("policies")}
