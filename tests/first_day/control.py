#!/usr/bin/env python3
"""What first_day.py must not let pass: changed texts, changed outputs, empty pages, pages without a mark.

usage: control.py ROOT BUILD
"""

import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
LISTING = '```c title="a.c"\nint x;\n```\n'


def blocks(commands, shown):
    return f"```sh\n{commands}\n```\n" + (f"```text\n{shown}\n```\n" if shown is not None else "")


def page_of(body, needs=""):
    return f"# Title\n<!-- tutorial tried{needs} -->\n{body}"


# name: (page, exit status, what the message says)
CASES = {
    "right": (page_of(blocks("basename $(mxgold dpi --rtl); mxgold --version", "rtl\nmxgold ...")), 0, "2 lines compared"),
    "two blocks": (page_of(blocks("x=5", None) + blocks("echo $x", "5")), 0, "2 blocks run, 1 lines compared"),
    "many lines": (page_of(blocks("seq 20", "1\n...\n20")), 0, "2 lines compared"),
    "another output": (page_of(blocks("echo 2", "1")), 1, "-1\n+2"),
    "a line more": (page_of(blocks("seq 2", "1")), 1, "+2"),
    "a line less": (page_of(blocks("seq 2", "1\n2\n3")), 1, "-3"),
    "no output": (page_of(blocks("true", "1")), 1, "-1"),
    "a part that differs": (page_of(blocks("echo abd", "a...c")), 1, "-a...c\n+abd"),
    "a failing command": (page_of(blocks("false; echo 1", "1")), 1, "ends with 1"),
    "a failing pipe": (page_of(blocks("false | cat; echo 1", "1")), 1, "ends with 1"),
    "an unknown command": (page_of(blocks("mxgold qantize", "1")), 1, "qantize"),
    "a missing tool": (page_of(blocks("echo 2", "1"), " needs cocotb numpy vpi"), 77, "missing: "),
    "an unknown tool": (page_of(blocks("echo 1", "1"), " needs slide_rule"), 2, "slide_rule"),
    "an empty page": (page_of("Text alone.\n"), 2, "tried shows no output"),
    "nothing shown": (page_of(blocks("echo 1", None)), 2, "tried shows no output"),
    "everything left out": (page_of(blocks("echo 1", "...")), 2, "leaves out everything"),
    "empty commands": (page_of("```sh\n```\n" + blocks("echo 1", "1")), 2, "an empty block"),
    "an empty output": (page_of(blocks("true", "")), 2, "an empty block"),
    "an output alone": (page_of("```text\n1\n```\n"), 2, "without commands of its own"),
    "no end": (page_of(blocks("echo 1", "1")) + "```sh\necho 2\n", 2, "without an end"),
    "no name": (blocks("echo 1", "1"), 2, "no line <!-- tutorial"),
    "two names": (page_of(blocks("echo 1", "1")) + page_of(""), 2, "a second task"),
    "a listing": (page_of(LISTING + blocks("cat a.c; mxgold --version", "int x;\nmxgold ...")), 0,
                  "2 blocks run, 2 lines compared"),
    "another listing": (page_of(LISTING + blocks("cat a.c", "int y;")), 1, "-int y;\n+int x;"),
    "a listing without a name": (page_of("```c\nint x;\n```\n" + blocks("echo 1", "1")), 2, "a block of 'c'"),
    "a listing elsewhere": (page_of('```c title="../a.c"\nint x;\n```\n' + blocks("echo 1", "1")), 2, "a block of 'c"),
}


def main():
    root, build = sys.argv[1:]
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "page")

        def judge(name, status, words):
            end = subprocess.run([sys.executable, "-B", HERE / "first_day.py", page, root, build], capture_output=True,
                                 text=True, check=False)
            if end.returncode != status or words not in end.stdout:
                wrong.append(f"{name}: exit {end.returncode}, expected {status} and '{words}'\n{end.stdout}{end.stderr}")

        for name, (text, status, words) in CASES.items():
            if name == "a missing tool" and cocotb_is_here():
                continue
            page.write_text(text)
            judge(name, status, words)
        text = Path(root, "docs/howto/who-made-this.md").read_text(encoding="ascii")
        page.write_text(text.replace("who: ggml", "who: te"))
        judge("a page, changed", 1, "-who: te")
        page.write_text(text.replace("mxgold identify log.txt", "mxgold identify inputs.txt"))
        judge("its commands, changed", 1, "identify: ")
    for text in wrong:
        print(text)
    print(f"control: {len(CASES) + 2} pages" if not wrong else f"control: {len(wrong)} went wrong")
    return 1 if wrong else 0


def cocotb_is_here():
    return subprocess.run([sys.executable, "-c", "import cocotb"], capture_output=True, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main())
