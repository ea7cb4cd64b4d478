"""As much of cocotb 2 as bridge/cocotb/test_quantizer.py needs, over a device in Python: tests without a simulator.

install() puts modules cocotb, cocotb.clock and cocotb.triggers in place; Device has the pins of mx_quantizer and answers
by mxgold's Model; run() plays a test to its end, a clock edge at a time. At an edge the device looks at its pins; who
waits for the edge goes on, and still sees the outputs as they were before it; then the outputs change.
"""

import collections
import sys
import types

from mxgold.bench import Model

LANES, SLOT, RANDOM = 32, 32, 8


class Pin:
    """A signal: `value` is set as an int and read as a text of bits."""

    def __init__(self, width):
        self._width, self._value = width, 0

    def __len__(self):
        return self._width

    @property
    def value(self):
        return Bits(self._value, self._width)

    @value.setter
    def value(self, number):
        self._value = int(number)


class Bits(str):
    """The bits of a signal; equal to the number that they are."""

    def __new__(cls, number, width):
        return super().__new__(cls, f"{number:0{width}b}")

    def __eq__(self, other):
        return int(self, 2) == other if isinstance(other, int) else str.__eq__(self, other)

    __hash__ = str.__hash__


class Device:
    """A quantizer of one beat a block: what was taken at an edge is offered from the next one on."""

    def __init__(self):
        self.said = []
        self._log = types.SimpleNamespace(info=self.said.append)
        self._models, self._answers = {}, collections.deque()
        for name, width in (("clk_i", 1), ("rst_ni", 1), ("rnd_i", LANES * RANDOM), ("rnd_ready_o", 1)):
            setattr(self, name, Pin(width))
        for prefix, data, keep, user in (("s_axis", LANES * SLOT, LANES * SLOT // 8, 32), ("m_axis", LANES * 8, LANES, 16)):
            for name, width in (("tvalid", 1), ("tready", 1), ("tdata", data), ("tkeep", keep), ("tlast", 1), ("tuser", user)):
                setattr(self, f"{prefix}_{name}", Pin(width))
        self._taken = None

    def number(self, name):
        return int(getattr(self, name).value, 2)

    def edge(self):
        """What the outputs are after this edge."""
        if not self.number("rst_ni"):
            return {}
        if self.number("m_axis_tvalid") and self.number("m_axis_tready"):
            self._answers.popleft()
        # A block's random word is taken in the cycle after it, while no other block is.
        if self._taken is not None:
            self._answer(self._taken, self.number("rnd_i"))
            self._taken = None
        elif self.number("s_axis_tvalid") and self.number("s_axis_tready"):
            self._taken = {name: self.number(f"s_axis_{name}") for name in ("tdata", "tkeep", "tuser")}
        outputs = {"rnd_ready_o": int(self._taken is not None), "s_axis_tready": int(self._taken is None),
                   "m_axis_tvalid": int(bool(self._answers))}
        if self._answers:
            outputs["m_axis_tdata"], outputs["m_axis_tuser"] = self._answers[0]
        return outputs

    def move(self, outputs):
        for name, value in outputs.items():
            getattr(self, name).value = value

    def _answer(self, block, random):
        word = block["tuser"]
        if word not in self._models:
            self._models[word] = Model.of_word(word, f"random_bits={RANDOM}")
        model = self._models[word]
        elements = bin(block["tkeep"]).count("1") * 8 // SLOT
        bits = model.operands["source"][1]
        operands = {"source": [block["tdata"] >> i * SLOT & (1 << bits) - 1 for i in range(LANES)]}
        if "random" in model.operands:
            operands["random"] = [random >> i * RANDOM & (1 << RANDOM) - 1 for i in range(LANES)]
        results = model.answer(elements, **operands).results
        codes = sum(code << i * 8 for i, code in enumerate(results["code"]))
        self._answers.append((codes, results["flags"][0] << 8 | results["scale"][0]))


class Trigger:
    """So many edges of the clock; 0: the same instant."""

    def __init__(self, edges=1):
        self._edges = edges

    def __await__(self):
        for _ in range(self._edges):
            yield


class Task:
    """A coroutine that runs beside the test; awaiting it gives its result or its exception."""

    def __init__(self, coroutine):
        self._coroutine, self._steps = coroutine, coroutine.__await__()
        self._is_done, self._result, self._error = False, None, None

    def step(self):
        if self._is_done:
            return
        try:
            next(self._steps)
        except StopIteration as stop:
            self._is_done, self._result = True, stop.value
        except Exception as error:  # noqa: BLE001  it belongs to whoever awaits
            self._is_done, self._error = True, error

    def __await__(self):
        while not self._is_done:
            yield
        if self._error is not None:
            raise self._error
        return self._result

    @property
    def is_done(self):
        return self._is_done

    def close(self):
        self._steps.close()
        self._coroutine.close()


class Clock:
    def __init__(self, *_):
        pass

    def start(self):
        return _nothing()


async def _nothing():
    return None


_tasks = []


def start_soon(coroutine):
    _tasks.append(Task(coroutine))
    return _tasks[-1]


def run(test, limit=20000):
    """Plays a test with a device of its own; what it logged, and what it raises is raised."""
    device = Device()
    main = start_soon(test(device))
    try:
        play(main, device, limit)
    finally:
        for task in _tasks:
            task.close()
        _tasks.clear()
    for _ in main.__await__():
        pass
    return device.said


def play(main, device, limit):
    for _ in range(limit):
        outputs = device.edge()
        for task in list(_tasks):
            task.step()
        if main.is_done:
            return
        device.move(outputs)
    raise AssertionError(f"the test did not end within {limit} cycles")


def install():
    """cocotb, as far as it goes, for whoever imports it next."""
    cocotb = types.ModuleType("cocotb")
    cocotb.test, cocotb.start_soon = lambda: lambda function: function, start_soon
    clock, triggers = types.ModuleType("cocotb.clock"), types.ModuleType("cocotb.triggers")
    clock.Clock = Clock
    triggers.RisingEdge = lambda _: Trigger()
    triggers.ClockCycles = lambda _, count: Trigger(count)
    triggers.Timer = lambda *_: Trigger(0)
    for module in (cocotb, clock, triggers):
        sys.modules[module.__name__] = module
