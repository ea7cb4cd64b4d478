"""Reads pages whose commands are run, and whose outputs are compared.

A page is one task, of a reader who has mxgold installed, and the sources where it says so. Its fenced blocks:

    <!-- tutorial NAME needs TOOL TOOL ... -->   the name of its test, and what the machine must have
    ```sh                                        commands
    ```text                                      what the commands right above it print; compared
    ```c title="model.c"                         a file that the reader saves: written to model.c

What needs root is a block of its own, ```sh title="As root": tests/walks runs it on a bare system; here it is only read.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

MARK = re.compile(r"<!-- tutorial ([a-z0-9_]+)(?: needs ([a-z0-9_ ]+))? -->")
PREPARING = 'sh title="As root"'
SAVED = re.compile(r'[a-z]+ title="([\w-]+(?:\.[\w-]+)*)"')
# What an installed mxgold gives: the program and the Python package; and a checkout.
INSTALLED = "export PATH=$PWD/build/release/cli:$PATH PYTHONPATH=$PWD/python MXGOLD=$PWD\n" \
            "export MXGOLD_LIBRARY=$PWD/build/release/backend/libmxgold.so\n" \
            "export MXGOLD_MODEL_LIBRARY=$PWD/build/release/bridge/libmxgold_model.so\n"


class PageError(Exception):
    """What is wrong with the document, with its line."""


@dataclass
class Step:
    """A block of commands. `shown` is what it prints; None where the document does not say."""
    line: int
    commands: str
    shown: list = None


@dataclass
class Task:
    line: int = 1
    name: str = ""
    needs: list = field(default_factory=list)
    steps: list = field(default_factory=list)
    preparing: list = field(default_factory=list)


def blocks_of(lines):
    """(number of the line, None, text) of each line of text, (number, language, lines) of each fenced block."""
    at = 0
    while at < len(lines):
        if not lines[at].startswith("```"):
            yield at + 1, None, lines[at]
            at += 1
            continue
        end = at + 1
        while end < len(lines) and lines[end] != "```":
            end += 1
        if end == len(lines):
            raise PageError(f"line {at + 1}: a fenced block without an end")
        yield at + 1, lines[at][3:], lines[at + 1:end]
        at = end + 1


def saving(name, lines):
    """Commands that save a listing as a file."""
    if "END_OF_LISTING" in lines:
        raise PageError(f"the listing {name} holds the line END_OF_LISTING")
    return "\n".join([f"cat > {name} <<'END_OF_LISTING'", *lines, "END_OF_LISTING"]) + "\n"


def add_block(task, number, language, lines):
    """A fenced block of a task."""
    if not any(line.strip() for line in lines):
        raise PageError(f"line {number}: an empty block")
    if language == PREPARING:
        task.preparing.append(Step(number, "\n".join(lines) + "\n"))
    elif language == "sh":
        task.steps.append(Step(number, "\n".join(lines) + "\n"))
    elif language == "text":
        if not task.steps or task.steps[-1].shown is not None:
            raise PageError(f"line {number}: an output without commands of its own above it")
        if all(line.strip() in ("", "...") for line in lines):
            raise PageError(f"line {number}: an output that leaves out everything")
        task.steps[-1].shown = lines
    elif saved := SAVED.fullmatch(language):
        task.steps.append(Step(number, saving(saved[1], lines)))
    else:
        raise PageError(f"line {number}: a block of '{language}' would not be run; write sh or text")


def read(path):
    """The task of a page; a PageError says what it lacks."""
    task = Task()
    for number, language, content in blocks_of(Path(path).read_text(encoding="ascii").splitlines()):
        if language is not None:
            add_block(task, number, language, content)
        elif mark := MARK.fullmatch(content):
            if task.name:
                raise PageError(f"line {number}: a second task")
            task.line, task.name, task.needs = number, mark[1], (mark[2] or "").split()
    if not task.name:
        raise PageError("there is no line <!-- tutorial NAME needs TOOLS -->")
    if not any(step.shown for step in task.steps):
        raise PageError(f"line {task.line}: task {task.name} shows no output, so nothing of it would be compared")
    return task


def matches(shown, printed):
    """Do printed lines go with the shown ones? `...` stands for any part of a line, alone for any number of lines."""
    pattern = ""
    for line in shown:
        if line.strip() == "...":
            pattern += r"(?:[^\n]*\n)*?"
        else:
            pattern += "[^\n]*?".join(re.escape(part) for part in line.split("...")) + "\n"
    return re.fullmatch(pattern, "".join(line + "\n" for line in printed)) is not None
