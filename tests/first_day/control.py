#!/usr/bin/env python3
"""What first_day.py must not let pass: changed texts, changed outputs, empty tasks, documents with too few of them.

usage: control.py ROOT BUILD
"""

import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SETUP = "```sh\n./dev build\nexport PATH=$PWD/build/release/cli:$PATH MARK=set\n```\n"
OTHERS = 10  # tasks beside the one under test


def task(number, name, body, needs=""):
    return f"\n## {number}. Title\n<!-- task {name}{needs} -->\n{body}"


def blocks(commands, shown):
    return f"```sh\n{commands}\n```\n" + (f"```text\n{shown}\n```\n" if shown is not None else "")


def document(body, needs="", setup=SETUP, others=OTHERS):
    filler = [task(number + 2, f"other_{number}", blocks("echo a", "a")) for number in range(others)]
    return setup + task(1, "tried", body, needs) + "".join(filler)


def tutorial(body, mark="<!-- tutorial tried -->\n"):
    return mark + body


LISTING = '```c title="a.c"\nint x;\n```\n'

# name: (document, exit status, what the message says)
CASES = {
    "right": (document(blocks("echo $MARK; mxgold --version", "set\nmxgold ...")), 0, "2 lines compared"),
    "two blocks": (document(blocks("x=5", None) + blocks("echo $x", "5")), 0, "2 blocks run, 1 lines compared"),
    "many lines": (document(blocks("seq 20", "1\n...\n20")), 0, "2 lines compared"),
    "another output": (document(blocks("echo 2", "1")), 1, "-1\n+2"),
    "a line more": (document(blocks("seq 2", "1")), 1, "+2"),
    "a line less": (document(blocks("seq 2", "1\n2\n3")), 1, "-3"),
    "no output": (document(blocks("true", "1")), 1, "-1"),
    "a part that differs": (document(blocks("echo abd", "a...c")), 1, "-a...c\n+abd"),
    "a failing command": (document(blocks("false; echo 1", "1")), 1, "ends with 1"),
    "a failing pipe": (document(blocks("false | cat; echo 1", "1")), 1, "ends with 1"),
    "an unknown command": (document(blocks("mxgold qantize", "1")), 1, "qantize"),
    "a wrong setup": (document(blocks("echo 1", "1"), setup=SETUP.replace("dev build", "dev biuld")), 1, "no command biuld"),
    "a missing tool": (document(blocks("echo 2", "1"), " needs cocotb numpy vpi"), 77, "missing: "),
    "an unknown tool": (document(blocks("echo 1", "1"), " needs slide_rule"), 2, "slide_rule"),
    "an empty task": (document("Text alone.\n"), 2, "tried shows no output"),
    "nothing shown": (document(blocks("echo 1", None)), 2, "tried shows no output"),
    "everything left out": (document(blocks("echo 1", "...")), 2, "leaves out everything"),
    "empty commands": (document("```sh\n```\n" + blocks("echo 1", "1")), 2, "an empty block"),
    "an empty output": (document(blocks("true", "")), 2, "an empty block"),
    "an output alone": (document("```text\n1\n```\n"), 2, "without commands of its own"),
    "what is not run": (document("```c\nint x;\n```\n" + blocks("echo 1", "1")), 2, "a block of 'c'"),
    "no end": (document(blocks("echo 1", "1")) + "```sh\necho 2\n", 2, "without an end"),
    "no setup": (document(blocks("echo 1", "1"), setup=""), 2, "no block of commands before"),
    "nine tasks": (document(blocks("echo 1", "1"), others=8), 2, "9 tasks, and 10 are promised"),
    "twice the same": (document(blocks("echo 1", "1")).replace("task other_3", "task other_2"), 2, "there twice"),
    "no name": (document(blocks("echo 1", "1")).replace("<!-- task other_3 -->", ""), 2, "without a line <!-- task"),
    "wrong number": (document(blocks("echo 1", "1")).replace("## 4.", "## 5."), 2, "task 5 is number 4"),
    "a tutorial": (tutorial(LISTING + blocks("cat a.c; mxgold --version", "int x;\nmxgold ...")), 0,
                   "2 blocks run, 2 lines compared"),
    "a tutorial's output": (tutorial(blocks("echo 2", "1")), 1, "-1\n+2"),
    "a tutorial's listing": (tutorial(LISTING + blocks("cat a.c", "int y;")), 1, "-int y;\n+int x;"),
    "a listing without a name": (tutorial("```c\nint x;\n```\n" + blocks("echo 1", "1")), 2, "a block of 'c'"),
    "a listing elsewhere": (tutorial('```c title="../a.c"\nint x;\n```\n' + blocks("echo 1", "1")), 2, "a block of 'c"),
    "a tutorial without output": (tutorial(blocks("echo 1", None)), 2, "tried shows no output"),
    "two tutorials": (tutorial(blocks("echo 1", "1")) + tutorial(""), 2, "a second tutorial"),
    "a tutorial's tool": (tutorial(blocks("echo 1", "1"), "<!-- tutorial tried needs slide_rule -->\n"), 2,
                          "slide_rule"),
}


def main():
    root, build = sys.argv[1:]
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "page")

        def judge(name, arguments, status, words):
            end = subprocess.run([sys.executable, "-B", HERE / "first_day.py", page, *arguments], capture_output=True,
                                 text=True, check=False)
            if end.returncode != status or words not in end.stdout:
                wrong.append(f"{name}: exit {end.returncode}, expected {status} and '{words}'\n{end.stdout}{end.stderr}")

        for name, (text, status, words) in CASES.items():
            if name == "a missing tool" and cocotb_is_here():
                continue
            page.write_text(text)
            judge(name, [root, build, "tried"], status, words)
        page.write_text(document(blocks("echo 1", "1")))
        names = ["tried"] + [f"other_{number}" for number in range(OTHERS)]
        judge("all tested", ["names", *names], 0, "11 tasks")
        judge("one is not tested", ["names", *names[:-1]], 1, "other_9")
        text = Path(root, "docs/first-day.md").read_text(encoding="ascii")
        page.write_text(text.replace("  ggml (", "  te ("))
        judge("the page itself, changed", [root, build, "identify"], 1, "-  te (")
        page.write_text(text.replace("mxgold identify log.txt", "mxgold identify inputs.txt"))
        judge("its commands, changed", [root, build, "identify"], 1, "identify: ")
        page.write_text(document(blocks("echo 1", "1")))
        judge("no such task", [root, build, "other"], 2, "no task other")
    for text in wrong:
        print(text)
    print(f"control: {len(CASES) + 5} documents" if not wrong else f"control: {len(wrong)} went wrong")
    return 1 if wrong else 0


def cocotb_is_here():
    return subprocess.run([sys.executable, "-c", "import cocotb"], capture_output=True, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main())
