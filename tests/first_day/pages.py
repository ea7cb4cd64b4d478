"""Reads pages whose commands are run, and whose outputs are compared.

docs/first-day.md has a block of setup, and tasks:

    ## 3. Title
    <!-- task NAME needs TOOL TOOL ... -->       the rest is text and fenced blocks of two kinds:
    ```sh                                        commands
    ```text                                      what the commands right above it print; compared

A tutorial is one task, of a reader who has mxgold installed. Its third kind of block is a file that the reader saves:

    <!-- tutorial NAME needs TOOL TOOL ... -->
    ```c title="model.c"                         written to model.c
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

LEAST_TASKS = 10
TUTORIAL = re.compile(r"<!-- tutorial ([a-z0-9_]+)(?: needs ([a-z0-9_ ]+))? -->")
SAVED = re.compile(r'[a-z]+ title="([\w-]+(?:\.[\w-]+)*)"')
# What an installed mxgold gives: the program, the Python package, the folder of the RTL.
INSTALLED = "export PATH=$PWD/build/release/cli:$PATH PYTHONPATH=$PWD/python RTL=$(realpath rtl)\n" \
            "export MXGOLD_LIBRARY=$PWD/build/release/backend/libmxgold.so\n"
MARK = re.compile(r"<!-- task ([a-z0-9_]+)(?: needs ([a-z0-9_ ]+))? -->")


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
    line: int
    title: str
    name: str = ""
    needs: list = field(default_factory=list)
    steps: list = field(default_factory=list)


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


def add_block(section, number, language, lines, may_save=False):
    """A fenced block of a task, or of the setup."""
    if not any(line.strip() for line in lines):
        raise PageError(f"line {number}: an empty block")
    if language == "sh":
        section.steps.append(Step(number, "\n".join(lines) + "\n"))
    elif language == "text":
        if not section.steps or section.steps[-1].shown is not None:
            raise PageError(f"line {number}: an output without commands of its own above it")
        if all(line.strip() in ("", "...") for line in lines):
            raise PageError(f"line {number}: an output that leaves out everything")
        section.steps[-1].shown = lines
    elif may_save and (saved := SAVED.fullmatch(language)):
        section.steps.append(Step(number, saving(saved[1], lines)))
    else:
        raise PageError(f"line {number}: a block of '{language}' would not be run; write sh or text")


def read_tutorial(lines):
    """(setup, tasks) of a tutorial, which is one task."""
    setup, task = Task(1, "setup", steps=[Step(1, INSTALLED)]), Task(1, "tutorial")
    for number, language, content in blocks_of(lines):
        if language is not None:
            add_block(task, number, language, content, may_save=True)
        elif mark := TUTORIAL.fullmatch(content):
            if task.name:
                raise PageError(f"line {number}: a second tutorial")
            task.line, task.name, task.needs = number, mark[1], (mark[2] or "").split()
    check_outputs([task])
    return setup, [task]


def read(path):
    """(setup, tasks) of a document; a PageError says what it lacks."""
    lines = Path(path).read_text(encoding="ascii").splitlines()
    if any(TUTORIAL.fullmatch(line) for line in lines):
        return read_tutorial(lines)
    setup = Task(1, "setup")
    tasks = []
    for number, language, content in blocks_of(lines):
        section = tasks[-1] if tasks else setup
        if language is not None:
            add_block(section, number, language, content)
        elif heading := re.fullmatch(r"## (\d+)\. (.+)", content):
            tasks.append(Task(number, heading[2]))
            if int(heading[1]) != len(tasks):
                raise PageError(f"line {number}: task {heading[1]} is number {len(tasks)}")
        elif mark := MARK.fullmatch(content):
            section.name, section.needs = mark[1], (mark[2] or "").split()
    check(setup, tasks)
    return setup, tasks


def check(setup, tasks):
    if not setup.steps:
        raise PageError("there is no block of commands before the first task")
    if len(tasks) < LEAST_TASKS:
        raise PageError(f"{len(tasks)} tasks, and {LEAST_TASKS} are promised")
    names = [task.name for task in tasks]
    for task in tasks:
        if not task.name:
            raise PageError(f"line {task.line}: a task without a line <!-- task NAME needs TOOLS -->")
        if names.count(task.name) != 1:
            raise PageError(f"line {task.line}: task {task.name} is there twice")
    check_outputs(tasks)


def check_outputs(tasks):
    for task in tasks:
        if not any(step.shown for step in task.steps):
            raise PageError(f"line {task.line}: task {task.name} shows no output, so nothing of it would be compared")


def matches(shown, printed):
    """Do printed lines go with the shown ones? `...` stands for any part of a line, alone for any number of lines."""
    pattern = ""
    for line in shown:
        if line.strip() == "...":
            pattern += r"(?:[^\n]*\n)*?"
        else:
            pattern += "[^\n]*?".join(re.escape(part) for part in line.split("...")) + "\n"
    return re.fullmatch(pattern, "".join(line + "\n" for line in printed)) is not None
