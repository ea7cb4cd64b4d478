"""The mxgold program, of the wheel mxgold-tools: it answers in JSON what the library has no function for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any, NoReturn

from . import _tools

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ._policies import Policy

PASS, MISMATCH, USAGE = 0, 1, 2


def path() -> str:
    """Where the program lies: MXGOLD_PROGRAM, else where the wheel mxgold-tools has it."""
    found = _tools.path("MXGOLD_PROGRAM", "PROGRAM")
    if found is None:
        raise FileNotFoundError(f"the mxgold program is not installed: {_tools.INSTALL}, or set MXGOLD_PROGRAM to its path")
    return found


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
    """The program under the name `python3 -m mxgold`, in place of this process."""
    try:
        program = path()
    except FileNotFoundError as error:
        sys.exit(f"mxgold: {error}")
    os.execv(program, [program, *sys.argv[1:]])
