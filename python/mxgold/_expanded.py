"""What policies come to: every choice by its value for one format, and the formats that a profile defines."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

from ._answers import ask, facts, options_of
from ._formats import element_format, format as named_format
from ._library import encoded
from ._policies import Policy

if TYPE_CHECKING:
    from ._types import FormatLike

_UNMODELLED = {"unmodelled", "unmodelled_blocks"}


class Expanded(Policy):
    """Every policy of one format by its value: a Policy that names them all, in place of the profile.

    `e["rule"]` is a value, `e.changed` what is not mxgold-default's, `print(repr(e))` the whole table.
    """

    def __init__(self, data: dict[str, Any], text: str, block_size: str | None) -> None:
        settings = [] if block_size is None else [("block_size", block_size)]
        super().__init__([(each["name"], each["value"]) for each in data["policies"]] + settings)
        #: The answer as dicts and lists: of each policy also its meaning, its default, and whether it acts here.
        self.data: dict[str, Any] = data
        self._table = text

    @property
    def changed(self) -> dict[str, tuple[str, str]]:
        """The policies that act here and are not mxgold-default's: {name: (value, default)}."""
        return {each["name"]: (each["value"], each["default"]) for each in self.data["policies"]
                if each["acts"] and not each["is_default"]}

    @property
    def idle(self) -> frozenset[str]:
        """The policies that decide nothing for this format under this rule and rounding."""
        return frozenset(each["name"] for each in self.data["policies"] if not each["acts"])

    @property
    def beyond(self) -> dict[str, str]:
        """What of the elements the profile has otherwise and no policy says: {"canonical_nan": "FF"}, {"parity": ...}."""
        return dict(self.data["element"])

    @property
    def open(self) -> frozenset[str]:
        """What the profile leaves open of this format, the masks of docs/spec/formats.md F23.1."""
        return frozenset(self.data["masks"])

    def __repr__(self) -> str:
        return self._table

    def _repr_html_(self) -> str:
        rows = []
        for each in self.data["policies"]:
            default = "" if each["is_default"] else each["default"]
            cells = (each["name"], each["value"], default if each["acts"] else "decides nothing here", each["meaning"])
            rows.append("<tr>" + "".join(f"<td style='text-align:left'>{html.escape(cell)}</td>" for cell in cells)
                        + "</tr>")
        title = html.escape(f"{self.data['format']} from {self.data['source']} under {self.data['profile']}")
        head = "<tr><th>policy</th><th>value</th><th>mxgold-default</th><th>what it decides</th></tr>"
        return f"<table><caption>{title}</caption>{head}{''.join(rows)}</table>"


def expanded(policy: Policy, format: FormatLike, source: FormatLike) -> Expanded:
    """Every policy with its value for a format: Policy.expanded()."""
    data, text, _ = ask("expanded", encoded(str(element_format(source))), encoded(str(named_format(format))),
                        *options_of(policy.options))
    return Expanded(data, text, policy.get("block_size"))


class Defined(tuple[str, ...]):
    """The sources from which a profile defines a format; `direction` and `source` say the rest."""

    #: "to": to the format; "both": also from its codes back to values.
    direction: str
    #: The document or the files that the profile's rows come from.
    source: str


def formats_of(policy: Policy) -> dict[str, Defined]:
    """What the profile in a policy defines, each with its sources: Policy.formats."""
    name = policy.get("profile", "mxgold-default").partition(":")[0]
    rows = list(facts("profiles", name)["elements"])
    rows += facts("profiles", policy.get("blocks_as", name).partition(":")[0])["blocks"]
    found: dict[str, dict[str, None]] = {}
    first: dict[str, dict[str, Any]] = {}
    for row in rows:
        if not _UNMODELLED.isdisjoint(row["masks"]):
            continue
        for each in row.get("destinations", row.get("formats", "")).split():
            found.setdefault(each, {}).update(dict.fromkeys(row["sources"].split()))
            if row["direction"] == "both" or each not in first:
                first[each] = row
    defined = {each: Defined(sources) for each, sources in found.items()}
    for each, row in first.items():
        defined[each].direction, defined[each].source = row["direction"], row["source"]
    return defined
