"""Names as users spell them: any case, dashes or underscores, and what other systems call things."""

from __future__ import annotations

import difflib
import functools

from ._library import LIBRARY, encoded


#: The functions that list a kind of names.
_LISTED = {"format": "formats", "unit": "units", "profile": "profiles", "operation": "operations", "packing": "packings",
           "scale layout": "scale_layouts", "policy": "policies"}


def folded(name: str) -> str:
    """A name without what writers of names disagree on: case, and dashes or underscores between words."""
    return name.lower().replace("_", "").replace("-", "")


@functools.lru_cache(maxsize=None)
def names(listed: str) -> tuple[str, ...]:
    """The names of a list of the library: "formats", "blocks", "profiles", "policies", or the values of a policy."""
    found: list[str] = []
    while True:
        name = LIBRARY.mxgold_name(encoded(listed), len(found))
        if name is None:
            return tuple(found)
        found.append(name.decode())


@functools.lru_cache(maxsize=1024)
def _elsewhere(name: str) -> tuple[str, ...]:
    """What a name of other systems may be here, the likeliest first."""
    found: list[str] = []
    while True:
        here = LIBRARY.mxgold_name_here(encoded(name), len(found))
        if here is None:
            return tuple(found)
        found.append(here.decode())


def known_as(what: str, given: str, known: tuple[str, ...]) -> str | None:
    """The name of `known` that is meant, or None. ValueError where it may be several: "fp8".

    >>> mxgold._names.known_as("rounding", "RNE", ("ties_to_even", "ties_to_away"))
    'ties_to_even'
    """
    if given in known:
        return given
    spelt = folded(given)
    for name in known:
        if folded(name) == spelt:
            return name
    found = [name for name in _elsewhere(given) if name in known]
    if len(found) > 1:
        raise ValueError(f"{what} {given!r} may be {', '.join(found[:-1])} or {found[-1]}: say which")
    return found[0] if found else None


def name_of(what: str, given: object, known: tuple[str, ...]) -> str:
    """The name of `known` that is meant; TypeError for what is no text, ValueError for a name that there is not."""
    if not isinstance(given, str):
        raise TypeError(f"{what}: a name, not {type(given).__name__}")
    found = known_as(what, given, known)
    if found is None:
        raise unknown(what, given, known)
    return found


def unknown(what: str, name: str, known: tuple[str, ...]) -> ValueError:
    """A ValueError that names the nearest known names; all of a few, or where to find them, where none is near."""
    near = difflib.get_close_matches(name.lower(), known, 3)
    if near:
        hint = f"; did you mean {' or '.join(repr(each) for each in near)}?"
    elif what in _LISTED:
        hint = f"; mxgold.{_LISTED[what]}() lists what there is"
    else:
        hint = f"; there is {', '.join(known)}" if 0 < len(known) <= 8 else ""
    return ValueError(f"unknown {what} {name!r}{hint}")
