"""The mxgold program: it stands beside this package and answers in JSON what the library has no function for."""

from __future__ import annotations

import functools
import json
import os
import pathlib
import subprocess
import sys
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ._policies import Policy

PASS, MISMATCH, USAGE = 0, 1, 2


@functools.lru_cache(maxsize=1)
def path() -> str:
    """Where the program lies: MXGOLD_PROGRAM, else beside this file."""
    named = os.environ.get("MXGOLD_PROGRAM")
    if named:
        return named
    here = pathlib.Path(__file__).parent / "_bin" / "mxgold"
    if here.exists():
        return str(here)
    raise FileNotFoundError("the mxgold program is not installed with this package; set MXGOLD_PROGRAM to its path")


def run(arguments: Iterable[Any], text: str | None = None, accepted: tuple[int, ...] = (PASS,)) -> tuple[int, str]:
    """Runs a subcommand. Returns (exit code, standard output); ValueError with what it said where it refused."""
    done = subprocess.run([path(), *map(str, arguments)], input=text, capture_output=True, text=True, check=False)
    if done.returncode not in accepted:
        said = done.stderr.strip() or f"exit code {done.returncode}"
        raise (ValueError if 0 < done.returncode < 6 else RuntimeError)(said)
    return done.returncode, done.stdout


def ask(subcommand: str, *arguments: Any, text: str | None = None, accepted: tuple[int, ...] = (PASS,)) -> Any:
    """The JSON answer of a subcommand."""
    return json.loads(run([subcommand, "--json", *arguments], text, accepted)[1])


def policy_arguments(policy: Policy) -> list[str]:
    """A policy as options of the program."""
    return [f"--{name.replace('_', '-')}={value}" for name, value in policy.items()]


def main() -> NoReturn:
    """The program under the name `mxgold` on the path of a Python environment."""
    os.execv(path(), [path(), *sys.argv[1:]])
