"""Configuration files: what `mxgold -c FILE` takes, for Python."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ._answers import ask
from ._formats import element_format, format as named_format
from ._library import encoded
from ._policies import Policy, policy, setting_names

if TYPE_CHECKING:
    from ._formats import BlockFormat, ElementFormat


class Configuration:
    """A configuration file: the same file that `mxgold run -c my_accel.toml` takes.

    path: the file, TOML without tables; its keys are the names of options of the program (docs/howto/configuration-file.md).

    ValueError with file, line and key for a file that is none. A file that names several formats or roundings is for the
    program: a Configuration has one of each.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "my_accel.toml"
    >>> _ = path.write_text('format = "MXFP4"\\nrounding = "RNA"\\nlanes = 8\\n')
    >>> c = mxgold.Configuration(path)
    >>> c.format, c.policy
    (mxgold.format('mxfp4'), mxgold.policy('rounding=ties_to_away'))
    >>> mxgold.quantize([0.75] * 32, c.format, c.policy).codes[0]
    4
    >>> c.keys["lanes"]
    ('8',)
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        data, self._line, _ = ask("configuration", encoded(os.fspath(path)))
        #: The file.
        self.path: str = data["path"]
        #: What it says of a model, by the names that policies and lines of models have: {"rounding": "ties_to_away"}.
        self.settings: dict[str, str] = dict(data["settings"])
        #: Everything that it says, as it is written, by names of options: {"lanes": ("8",)}.
        self.keys: dict[str, tuple[str, ...]] = {name: tuple(values) for name, values in data["keys"].items()}

    @property
    def policy(self) -> Policy:
        """Its profile and policies, for every function that takes a policy."""
        known = setting_names()
        return policy({name: value for name, value in self.settings.items() if name in known})

    @property
    def format(self) -> ElementFormat | BlockFormat | None:
        """Its format, or None where it names none."""
        name = self.settings.get("format")
        return None if name is None else named_format(name)

    @property
    def source(self) -> ElementFormat:
        """The format of values that are converted: fp32 where it names none."""
        return element_format(self.settings.get("source", "fp32"))

    @property
    def line(self) -> str:
        """The same as a line of a model, for `mxgold.bench` and DPI: "format=mxfp4 rounding=ties_to_away"."""
        return self._line

    def __repr__(self) -> str:
        return f"mxgold.Configuration({self.path!r})"

    def __eq__(self, other: object) -> Any:
        return self.keys == other.keys if isinstance(other, Configuration) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self.keys.items()))
