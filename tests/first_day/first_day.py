#!/usr/bin/env python3
"""Runs the commands of a page as they stand there, and compares what they print with the page.

usage: first_day.py PAGE ROOT BUILD

Every block of commands has to end with 0; pages.py says what a page looks like. Exit status: 0; 1 for a page that
fails; 2 usage, or a page that is no task; 77 where a tool is missing, which is named.
"""

import difflib
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pages

TIME_LIMIT = 240  # seconds of a whole task, on a busy machine


def answers(*command):
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0


def has_python(module):
    return answers(sys.executable, "-c", f"import {module}")


def has_program(name):
    return shutil.which(name) is not None


# What a task may need: is it there, and what brings it?
TOOLS = {
    "cc": (lambda: has_program("cc") and has_program("c++"), "g++"),
    "cmake": (lambda: has_program("cmake"), "cmake"),
    "pkgconf": (lambda: has_program("pkg-config"), "pkgconf"),
    "iverilog": (lambda: has_program("iverilog") and has_program("vvp"), "iverilog"),
    "verilator": (lambda: has_program("verilator") and has_program("make"), "verilator and make"),
    "systemc": (lambda: answers("pkg-config", "--exists", "systemc"), "libsystemc-dev and pkgconf"),
    "dpi": (lambda: answers("mxgold", "dpi", "--ldflags"), "verilator, and then a new build of mxgold"),
    "vpi": (lambda: answers("mxgold", "dpi", "--vpi"), "iverilog, and then a new build of mxgold"),
    "rtl": (lambda: answers("mxgold", "run", "--dut", "rtl", "--suite", "smoke", "--format", "mxfp4", "--only", "0"),
            "verilator, and then a new build of mxgold with MXGOLD_SIM=ON"),
    "yosys": (lambda: has_program("yosys"), "yosys"),
    "numpy": (lambda: has_python("numpy"), "python3-numpy"),
    "cocotb": (lambda: has_python("cocotb"), "pip install cocotb: Debian does not have it"),
}


def lend_checkout(root, build, place):
    """A checkout for the reader: that of ROOT, whose build/release is BUILD."""
    place.mkdir()
    for entry in root.iterdir():
        if entry.name not in ("build", ".git"):
            (place / entry.name).symlink_to(entry)
    (place / "build").mkdir()
    (place / "build" / "release").symlink_to(build)


def environment_of(scratch):
    """Where `python3` is the one that runs this, and nothing of the user's settings has a say."""
    tools = scratch / "tools"
    tools.mkdir()
    python = tools / "python3"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MXGOLD_", "VERILATOR_"))}
    environment.update(PATH=f"{tools}:{os.environ['PATH']}", MXGOLD_CACHE=str(scratch / "cache"), LC_ALL="C.UTF-8",
                       CCACHE_BASEDIR=str(scratch), NO_COLOR="1", PYTHONDONTWRITEBYTECODE="1")
    return environment


def script_of(steps, folder):
    """One session for all blocks: what a block sets the next one sees. The output of each goes to a file."""
    lines = ["set -eo pipefail"]
    for index, step in enumerate(steps):
        (folder / f"{index}.sh").write_text(step.commands)
        lines.append(f'exec >"{folder}/{index}.out" 2>&1; echo {index} >"{folder}/last"; source "{folder}/{index}.sh"')
    return "\n".join(lines) + "\n"


def run_blocks(steps, folder, where, environment):
    """Runs blocks of commands in `where`; the problem, or "". Nothing that they start outlives them."""
    folder.mkdir()
    script = folder / "all.sh"
    script.write_text(script_of(steps, folder) + f'env -0 >"{folder}/environment"\n')
    process = subprocess.Popen(["bash", script], cwd=where, env=environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        status = process.wait(TIME_LIMIT)
        how = f"ends with {status}"
    except subprocess.TimeoutExpired:
        status, how = -1, f"is not done after {TIME_LIMIT} s"
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
    if status == 0:
        return ""
    last = int((folder / "last").read_text())
    said = (folder / f"{last}.out").read_text(errors="replace").splitlines()
    return "\n".join([f"line {steps[last].line}: the block {how}; it printed", *said[-30:]])


def compare(steps, folder):
    """(problem, lines compared)."""
    compared = 0
    for index, step in enumerate(steps):
        if step.shown is None:
            continue
        printed = [line.rstrip() for line in (folder / f"{index}.out").read_text(errors="replace").splitlines()]
        if not pages.matches(step.shown, printed):
            diff = difflib.unified_diff(step.shown, printed, "the document", "printed", lineterm="")
            return "\n".join([f"line {step.line}: the block prints something else than the document shows", *diff]), 0
        compared += sum(line.strip() not in ("", "...") for line in step.shown)
    return "", compared


def missing_tools(task):
    unknown = [name for name in task.needs if name not in TOOLS]
    if unknown:
        raise pages.PageError(f"line {task.line}: nothing is known of the tools {', '.join(unknown)}")
    return [f"{name} ({TOOLS[name][1]})" for name in task.needs if not TOOLS[name][0]()]


def installed_environment(root, build, scratch):
    """The environment of a reader who has installed mxgold."""
    lend_checkout(root, build, scratch / "checkout")
    problem = run_blocks([pages.Step(1, pages.INSTALLED)], scratch / "setup", scratch / "checkout",
                         environment_of(scratch))
    if problem:
        raise pages.PageError(f"setup: {problem}")
    pairs = (scratch / "setup" / "environment").read_text().split("\0")
    return dict(pair.split("=", 1) for pair in pairs if "=" in pair)


def run_page(page, root, build):
    task = pages.read(page)
    with tempfile.TemporaryDirectory(prefix="first-day.") as text:
        scratch = Path(text)
        environment = installed_environment(root, build, scratch)
        os.environ["PATH"] = environment["PATH"]
        if missing := missing_tools(task):
            print(f"SKIP tutorial.{task.name}: missing: {'; '.join(missing)}")
            return 77
        (scratch / task.name).mkdir()
        start = time.monotonic()
        problem = run_blocks(task.steps, scratch / "blocks", scratch / task.name, environment)
        wall = time.monotonic() - start
        compared = 0
        if not problem:
            problem, compared = compare(task.steps, scratch / "blocks")
    if problem:
        print(f"first_day: {task.name}: {page}, {problem}")
        return 1
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"PASS tutorial.{task.name}: {len(task.steps)} blocks run, {compared} lines compared, {wall:.1f} s, "
          f"{used.ru_utime + used.ru_stime:.1f} s of CPU")
    return 0


def main():
    arguments = sys.argv[1:]
    if len(arguments) != 3:
        print(__doc__)
        return 2
    try:
        return run_page(arguments[0], Path(arguments[1]).resolve(), Path(arguments[2]).resolve())
    except (pages.PageError, OSError, UnicodeDecodeError) as error:
        print(f"first_day: {arguments[0]}: {error}")
        return 2


if __name__ == "__main__":
    sys.exit(main())
