"""Our RTL under cocotb 2: streams with stalls and noise, vectors of a file as a sequence, mxgold's scoreboard.

Run by run.py here, or by pytest (docs/howto/cocotb.md). MXGOLD_VECTORS names the .jsonl file; MXGOLD_FAULT is for the
controls: flip, x, lose, nothing, handle, rounding.
"""

import json
import os

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge, Timer
from mxgold.bench import Model, Scoreboard, StreamMonitor, StreamSource
from mxgold.bench.stream import lanes_of

SIGNALS = ("tvalid", "tready", "tdata", "tkeep", "tlast", "tuser")


def bundle(dut, prefix):
    return {name: getattr(dut, f"{prefix}_{name}") for name in SIGNALS}


def words(value):
    return [int(word, 16) for word in (value if isinstance(value, list) else [value])]


def vectors():
    """Records of a file, each with the line of its configuration."""
    with open(os.environ["MXGOLD_VECTORS"], encoding="ascii") as file:
        lines = [json.loads(line) for line in file]
    header = lines[0]
    configurations = int(header["configurations"])
    first = 1 + (configurations if configurations > 1 else 0)
    for line in lines[first:-1]:
        yield {field["name"]: words(line[field["name"]]) for field in header["layout"]}


async def reset(dut):
    dut.rst_ni.value = 0
    dut.rnd_i.value = 0
    cocotb.start_soon(Clock(dut.clk_i, 10, "ns").start())
    await ClockCycles(dut.clk_i, 3)
    dut.rst_ni.value = 1
    await Timer(1, "ns")


@cocotb.test()
async def quantizer(dut):
    """Every block of the file is answered as mxgold's models say."""
    fault = os.environ.get("MXGOLD_FAULT", "")
    lanes = len(dut.m_axis_tdata) // 8
    slot = len(dut.s_axis_tdata) // lanes
    width = len(dut.rnd_i) // lanes

    def edge():
        return RisingEdge(dut.clk_i)

    source = StreamSource(bundle(dut, "s_axis"), edge, seed=1)
    monitor = StreamMonitor(bundle(dut, "m_axis"), edge, seed=2)
    await reset(dut)
    boards, order, randoms = {}, [], []

    async def give_random_words():
        """One word for each block, in order, whenever the device takes one."""
        taken = 0
        while True:
            dut.rnd_i.value = randoms[taken] if taken < len(randoms) else 0
            await edge()
            taken += str(dut.rnd_ready_o.value) == "1" and dut.rst_ni.value == 1

    cocotb.start_soon(give_random_words())

    async def answers(count):
        for number in range(count):
            beat = await monitor.receive()
            status = beat["tuser"]
            board = boards[order[number]]
            codes = lanes_of(beat["tdata"], 8)
            if fault == "flip" and number == 3:
                codes[0] = codes[0][:-1] + ("0" if codes[0][-1] == "1" else "1")
            if fault == "x" and number == 3:
                codes[0] = "xxxxxxxx"
            if fault == "lose" and number == 3:
                continue
            board.observe(scale=status[8:], code=codes, flags=status[:8])

    file = [] if fault == "nothing" else list(vectors())
    collecting = cocotb.start_soon(answers(len(file)))
    for vector in file:
        word = vector["tuser"][0]
        elements = vector["elements"][0] if "elements" in vector else lanes
        if word not in boards:
            asked = {"handle": 0xFFFFFFFF, "rounding": word & ~0x78 | 0x20}.get(fault, word)  # toward_zero
            boards[word] = Scoreboard(Model.of_word(asked, f"random_bits={width}"))
        model = boards[word].model
        operands = {name: vector[name] for name in model.operands}
        boards[word].expect(elements, **operands)
        order.append(word)
        randoms.append(sum(r << i * width for i, r in enumerate(vector.get("random", []))))
        await source.send(
            tdata=sum(code << i * slot for i, code in enumerate(vector["source"])),
            tkeep=(1 << elements * (slot // 8)) - 1,
            tlast=len(order) & 1,
            tuser=word)
    await collecting
    if not boards:
        raise AssertionError("no block was offered")
    for board in boards.values():
        dut._log.info(board.finish())
