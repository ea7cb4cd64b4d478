"""The suite of one_digest.py under cocotb: MX blocks through our RTL, NVFP4 blocks and dot products by mxgold's Model.

As a program: cocotb_bench.py FOLDER runs it under Icarus; FOLDER has mx.jsonl, nvfp4.jsonl, dot.jsonl. It prints
`digest PART RECORDS SHA256` for each. MXGOLD_FLIP is the number of a record, a bit of whose answer changes on its way.
"""
import hashlib
import json
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent


def records(part):
    """Each record of a file: its fields as lists of words; and the digits of the results."""
    with open(pathlib.Path(os.environ["MXGOLD_SUITE"], part + ".jsonl"), encoding="ascii") as file:
        lines = [json.loads(line) for line in file]
    layout, configurations = lines[0]["layout"], int(lines[0]["configurations"])
    digits = {field["name"]: int(field["digits"]) for field in layout}
    for line in lines[1 + (configurations if configurations > 1 else 0):-1]:
        words = {name: line[name] for name in digits}
        yield {name: [int(word, 16) for word in (value if isinstance(value, list) else [value])]
               for name, value in words.items()}, digits


class Digest:
    """The digest of `mxgold run`: results in order, every word little-endian."""

    def __init__(self):
        self.sum, self.count = hashlib.sha256(), 0

    def add(self, results, digits):
        for name in ("scale", "code", "flags"):
            for word in results.get(name, ()):
                self.sum.update(word.to_bytes(digits[name] // 2, "little"))
        self.count += 1

    def tell(self, part):
        print(f"digest {part} {self.count} {self.sum.hexdigest()}", flush=True)


def flipped(number, codes):
    """The codes, a bit changed where this record is the one."""
    return [codes[0] ^ 1, *codes[1:]] if str(number) == os.environ.get("MXGOLD_FLIP") else codes


def by_model(part, model):
    """A part answered by a Model, and looked at by a Scoreboard."""
    from mxgold.bench import Scoreboard
    board, digest = Scoreboard(model), Digest()
    for number, (record, digits) in enumerate(records(part)):
        operands = {name: record[name] for name in model.operands}
        results = dict(board.expect(record["elements"][0], **operands).results)
        results["code"] = flipped(number, results["code"])
        board.observe(**results)
        digest.add(results, digits)
    digest.tell(part)
    return board


def run(folder):
    """The exit code of both tests under Icarus."""
    sys.path.insert(0, str(ROOT / "bridge" / "cocotb"))
    from cocotb_tools.runner import get_runner
    from run import sources
    runner = get_runner("icarus")
    build = str(pathlib.Path(folder, "build"))
    runner.build(sources=sources(), hdl_toplevel="mx_quantizer", build_dir=build, build_args=["-g2012"],
                 timescale=("1ns", "1ps"))
    path = os.pathsep.join([str(HERE), str(ROOT / "bridge" / "cocotb"), os.environ.get("PYTHONPATH", "")])
    results = runner.test(hdl_toplevel="mx_quantizer", test_module="cocotb_bench", build_dir=build, test_dir=build,
                          extra_env={"MXGOLD_SUITE": str(folder), "PYTHONPATH": path})
    text = pathlib.Path(results).read_text()
    return text.count("<failure") + text.count("<error") + (0 if "<testcase" in text else 1)


if __name__ == "__main__":
    sys.exit(1 if run(sys.argv[1]) else 0)

import cocotb  # noqa: E402  where a simulator runs it
from cocotb.triggers import RisingEdge  # noqa: E402
from mxgold.bench import Model, Scoreboard, StreamMonitor, StreamSource  # noqa: E402
from mxgold.bench.stream import lanes_of  # noqa: E402
from test_quantizer import bundle, reset  # noqa: E402


@cocotb.test()
async def mx_by_rtl(dut):
    """Every MX block through our RTL, at full speed, under the Scoreboard."""
    file = list(records("mx"))
    source = StreamSource(bundle(dut, "s_axis"), lambda: RisingEdge(dut.clk_i), stall=0)
    monitor = StreamMonitor(bundle(dut, "m_axis"), lambda: RisingEdge(dut.clk_i), stall=0)
    await reset(dut)
    boards, digest = {}, Digest()
    for record, _ in file:
        word = record["tuser"][0]
        if word not in boards:
            boards[word] = Scoreboard(Model.of_word(word))
        operands = {name: record[name] for name in boards[word].model.operands}
        boards[word].expect(record["elements"][0], **operands)

    async def give_random_words():
        """One word for each block, in order, whenever the device takes one."""
        taken = 0
        while True:
            record = file[min(taken, len(file) - 1)][0]
            dut.rnd_i.value = sum(r << i * 8 for i, r in enumerate(record.get("random", [])))
            await RisingEdge(dut.clk_i)
            taken += str(dut.rnd_ready_o.value) == "1" and dut.rst_ni.value == 1

    async def answers():
        for number, (record, digits) in enumerate(file):
            beat = await monitor.receive()
            results = {"scale": [int(beat["tuser"][8:], 2)], "flags": [int(beat["tuser"][:8], 2)],
                       "code": flipped(number, [int(bits, 2) for bits in lanes_of(beat["tdata"], 8)])}
            boards[record["tuser"][0]].observe(**results)
            digest.add(results, digits)

    cocotb.start_soon(give_random_words())
    collecting = cocotb.start_soon(answers())
    slot = len(dut.s_axis_tdata) // 32
    for record, _ in file:
        await source.send(tdata=sum(code << i * slot for i, code in enumerate(record["source"])),
                          tkeep=(1 << record["elements"][0] * (slot // 8)) - 1, tlast=1, tuser=record["tuser"][0])
    await collecting
    digest.tell("mx")
    for board in boards.values():
        board.finish()


@cocotb.test()
async def others_by_model(dut):
    """NVFP4 blocks and dot products, which our RTL does not compute."""
    dut.rst_ni.value = 0
    dot = json.loads(os.environ["MXGOLD_DOT"])
    boards = [by_model("nvfp4", Model(os.environ["MXGOLD_NVFP4"])), by_model("dot", Model(dot["text"], dot["lanes"]))]
    for board in boards:
        board.finish()
