"""AXI4-Streams as a test drives and watches them: seeded stalls, noise on idle pins.

A bundle is a dict of handles by the names of the stream's signals: {"tvalid": dut.s_axis_tvalid, ...}. A trigger is
what the test awaits for a clock edge: cocotb's `RisingEdge(dut.clk)`, made anew for each wait by a function.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping


def _bits(handle: Any) -> str:
    """The bits of a signal as a text, unknown ones as x or z."""
    return str(handle.value).lower()


class StreamSource:
    """Drives beats: a dict of the payload's values each. While nothing is offered the payload is noise.

    edge: a function that makes the trigger of a rising clock edge.
    stall: how likely it is that a cycle passes before a beat.
    """

    def __init__(self, bundle: Mapping[str, Any], edge: Callable[[], Awaitable[Any]], seed: int = 0,
                 stall: float = 0.25) -> None:
        self._bundle = dict(bundle)
        self._valid = self._bundle.pop("tvalid")
        self._ready = self._bundle.pop("tready")
        self._edge = edge
        self._random = random.Random(seed)
        self._stall = stall
        self.idle()

    def idle(self) -> None:
        """Offers nothing: noise."""
        self._valid.value = 0
        for handle in self._bundle.values():
            handle.value = self._random.getrandbits(len(handle))

    async def send(self, **payload: int) -> None:
        """Offers a beat and returns after the edge that took it. KeyError for signals that are not in the bundle."""
        missing = set(self._bundle) ^ set(payload)
        if missing:
            raise KeyError(f"the payload is {', '.join(self._bundle)}; too many or missing: {', '.join(sorted(missing))}")
        while self._random.random() < self._stall:
            self.idle()
            await self._edge()
        for name, value in payload.items():
            self._bundle[name].value = value
        self._valid.value = 1
        while True:
            await self._edge()
            ready = _bits(self._ready)
            if ready not in ("0", "1"):
                raise AssertionError(f"tready is {ready}")
            if ready == "1":
                break
        self.idle()


class StreamMonitor:
    """Takes beats, stalling as often as it is told; each is a dict of bit texts.

    limit: cycles without a beat before receive() gives up.
    """

    def __init__(self, bundle: Mapping[str, Any], edge: Callable[[], Awaitable[Any]], seed: int = 0,
                 stall: float = 0.25, limit: int = 4096) -> None:
        self._bundle = dict(bundle)
        self._valid = self._bundle.pop("tvalid")
        self._ready = self._bundle.pop("tready")
        self._edge = edge
        self._random = random.Random(seed)
        self._stall = stall
        self._limit = limit
        self._ready.value = 0

    async def receive(self) -> dict[str, str]:
        """The next beat. AssertionError where tvalid is unknown or nothing comes."""
        for _ in range(self._limit):
            ready = self._random.random() >= self._stall
            self._ready.value = int(ready)
            await self._edge()
            valid = _bits(self._valid)
            if valid not in ("0", "1"):
                raise AssertionError(f"tvalid is {valid}")
            if ready and valid == "1":
                beat = {name: _bits(handle) for name, handle in self._bundle.items()}
                self._ready.value = 0
                return beat
        raise AssertionError(f"no answer for {self._limit} cycles")


def lanes_of(bits: str, width: int) -> list[str]:
    """A bus of lanes as a list of bit texts, lane 0 (the least significant) first."""
    return [bits[max(0, at - width):at] for at in range(len(bits), 0, -width)]
