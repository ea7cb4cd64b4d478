"""Policies and profiles as objects: what decides a code where formats leave a choice."""

from __future__ import annotations

import functools
import html
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ._names import known_as, names, unknown

if TYPE_CHECKING:
    from ._expanded import Defined, Expanded
    from ._types import FormatLike, PolicyLike, Settings, Unpack

#: Choices whose values are names of profiles, in the order that a policy has them.
_PROFILES = ("profile", "blocks_as")


class Policy(Mapping[str, str]):
    """Choices by name, "rounding=ties_to_away,overflow=none_inf_or_nan"; what is not named is the default.

    `str(p)` is the text that `mxgold.policy` takes; policies are equal if it is. A policy is a mapping from names to
    values. It may start from a profile, the policies of a named system: "profile=torchao-0.18:rceil,zero_sign=keep".
    """

    def __init__(self, settings: Mapping[str, str] | Iterable[tuple[str, str]]) -> None:
        self._settings = dict(settings)
        self._hash = hash(tuple(self._settings.items()))

    @property
    def options(self) -> tuple[tuple[str, str], ...]:
        """(name, value) pairs as the library takes them, profile first."""
        return _options(tuple(self._settings.items()))

    def replace(self, **settings: Any) -> Policy:
        """The same policy with other values; None takes a choice back."""
        merged = {**self._settings, **{name: value for name, value in settings.items()}}
        return policy({name: value for name, value in merged.items() if value is not None})

    def expanded(self, format: FormatLike, *, source: FormatLike = "fp32") -> Expanded:
        """Every policy with its value for a format, also where the profile says it.

        format: an element or block format, or its name. source: the format of the values.

        Returns an Expanded, a Policy that names every choice. ValueError where the profile does not define the format.

        >>> mxgold.policy("te").expanded("mxfp8_e4m3").changed["rule"]
        ('rceil', 'floor')
        """
        from ._expanded import expanded

        return expanded(self, format, source)

    @property
    def formats(self) -> dict[str, Defined]:
        """What the profile defines: the names of formats, single values first, each with its sources.

        Of each also `direction`, "to" the format or "both" to it and back, and `source`, the document that says so.
        "*" is every format, "binary*" the P3109 family; without a profile it is mxgold-default, which has all.

        >>> mxgold.profile("te").formats["mxfp8_e4m3"]
        ('fp32', 'bf16', 'fp16')
        >>> mxgold.profile("te").formats["mxfp8_e4m3"].direction
        'both'
        """
        from ._expanded import formats_of

        return formats_of(self)

    def __getitem__(self, name: str) -> str:
        return self._settings[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._settings)

    def __len__(self) -> int:
        return len(self._settings)

    def __str__(self) -> str:
        return ",".join(f"{name}={value}" for name, value in self._settings.items())

    def __repr__(self) -> str:
        return f"mxgold.policy({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Policy) and other._settings == self._settings

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        return policy, (str(self),)

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><th style='text-align:left'>{name}</th><td>{html.escape(value)}</td></tr>"
                       for name, value in self._settings.items())
        return f"<table>{rows or '<tr><td>defaults</td></tr>'}</table>"


@functools.lru_cache(maxsize=1024)
def _options(settings: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    options = []
    for name, value in settings:
        if name == "profile":
            base, _, variant = value.partition(":")
            options.append(("profile", base))
            options.extend([("variant", variant)] if variant else [])
        else:
            options.append((name, value))
    return tuple(options)


#: Choices whose values are whole numbers, and their limits.
_NUMBERS = {"random_bits": (1, 32), "block_size": (1, 1024)}
#: What the functions that take a policy take beside it.
_KEYWORDS = ("source", "seed", "tensor_index", "tensor_scale", "tensor_amax", "axis", "out", "output", "backend",
             "hadamard", "hadamard_signs")


def setting_names() -> tuple[str, ...]:
    """Every name that a policy may hold."""
    return (*_PROFILES, *names("policies"), "block_size")


def _known_name(given: str) -> str:
    name = known_as("policy", given, setting_names())
    if name is None:
        raise unknown("policy", given, setting_names())
    return name


def _known_profile(name: str, value: str) -> str:
    base, colon, variant = value.partition(":")
    found = known_as("profile", base, names("profiles"))
    if found is None:
        raise unknown(name, base, names("profiles"))
    return found + colon + variant


def _known_value(name: str, value: str) -> str:
    """The value of a policy as the library spells it."""
    if name in _PROFILES:
        return _known_profile(name, value)
    if name in _NUMBERS:
        least, most = _NUMBERS[name]
        if not (value.isascii() and value.isdigit() and least <= int(value) <= most):
            raise ValueError(f"{name} {value!r} is not a number in {least}..{most}")
        return value
    found = known_as(name, value, names(name))
    if found is None:
        raise ValueError(f"policy {name} does not take {value!r}; its values are {', '.join(names(name))}")
    return found


def _order(name: str) -> int:
    if name in _PROFILES:
        return _PROFILES.index(name) - len(_PROFILES)
    known = names("policies")
    return known.index(name) if name in known else len(known)


def _parse(text: str) -> list[tuple[str, str]]:
    settings = []
    for part in text.split(","):
        if not part.strip():
            continue
        name, equals, value = (each.strip() for each in part.partition("="))
        settings.append((name, value) if equals else ("profile", name))
    return settings


@functools.lru_cache(maxsize=1024)
def _made(settings: tuple[tuple[str, str], ...]) -> Policy:
    known = {}
    for given, value in settings:
        name = _known_name(given)
        if name in known:
            raise ValueError(f"policy {name} is given twice")
        known[name] = _known_value(name, value)
    return Policy(sorted(known.items(), key=lambda setting: _order(setting[0])))


@functools.lru_cache(maxsize=1024)
def _read(text: str) -> Policy:
    return _made(tuple(_parse(text)))


def policy(text: PolicyLike = "", **settings: Unpack[Settings]) -> Policy:
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
        text = _read(text)
    elif not isinstance(text, Mapping):
        raise TypeError(f"policy: a text, a Policy or a mapping, not {type(text).__name__}; leave it out for the "
                        "defaults")
    base = {str(name): value for name, value in text.items()}
    base.update((_known_name(name), value) for name, value in settings.items())
    return _made(tuple((name, str(value)) for name, value in base.items()))


def key_of(text: PolicyLike, settings: Mapping[str, Any]) -> str | Policy:
    """What a function is given as its policy, with its keywords, as a key of a cache.

    TypeError for a keyword that is no policy: it is the caller's that is misspelt.
    """
    if not settings:
        return text if isinstance(text, (str, Policy)) else policy(text)
    base = text if isinstance(text, str) else policy(text)
    return _with_keywords(base, tuple((name, str(value)) for name, value in settings.items()))


@functools.lru_cache(maxsize=1024)
def _with_keywords(text: str | Policy, settings: tuple[tuple[str, str], ...]) -> Policy:
    for name, _ in settings:
        if known_as("policy", name, setting_names()) is None:
            raise TypeError(str(unknown("keyword", name, (*_KEYWORDS, *setting_names()))))
    made: dict[str, Any] = dict(settings)
    return policy(text, **made)


def profile(name: str) -> Policy:
    """The policy of a named system, `policy("profile=NAME")`.

    name: one of `mxgold.profiles()`, with ":VARIANT[+VARIANT...]" if any (docs/profiles.md).

    >>> mxgold.profile("torchao-0.18:rceil")
    mxgold.policy('profile=torchao-0.18:rceil')
    """
    return policy({"profile": name})


def profiles() -> list[str]:
    """The names of the profiles: what each version of each system does. docs/profiles.md describes them."""
    return list(names("profiles"))


def policies() -> dict[str, tuple[str, ...]]:
    """Every policy and its values: {"rounding": ("ties_to_even", ...), ...}; () where the value is a number."""
    return {name: names(name) for name in names("policies")}
