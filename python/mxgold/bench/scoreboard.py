"""What a device answered against what it should have, word by word, in order."""

from __future__ import annotations

import collections
import dataclasses
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ._model import Answer, Model


@dataclasses.dataclass
class Mismatch:
    """One answer that differs. kind: "value", "X" (unknown bits) or "missing" (a result that was not given)."""
    record: int
    field: str
    lane: int
    kind: str
    expected: int
    given: object
    operands: dict[str, Any]
    note: str = ""  # what the answer as a whole looks like

    def __str__(self) -> str:
        given = self.given if isinstance(self.given, str) else "nothing" if self.given is None else f"{self.given:x}"
        operands = ", ".join(f"{name} {_shown(words)}" for name, words in self.operands.items())
        return (f"record {self.record}, {self.field}[{self.lane}]: {self.kind}, expected {self.expected:x}, given {given}"
                f" ({operands}){self.note}")


def _shown(words: Any) -> str:
    words = [words] if isinstance(words, int) else list(words)
    text = " ".join(f"{word:x}" for word in words[:8])
    return text + (" ..." if len(words) > 8 else "")


def _codes(words: Any) -> list[Any]:
    """A list of words: an int is one, a text of 0, 1, x and z (most significant bit first) one as well."""
    return [words] if isinstance(words, (int, str)) else list(words)


def _is_alike(want: int, got: Any, bits: int) -> bool:
    """Is a code of fp32 or fp16 a NaN where `want` is one, a zero where that is a zero?"""
    if isinstance(got, str) and set(got) <= {"0", "1"}:
        got = int(got, 2)
    if not isinstance(got, int) or got >> bits:
        return False
    magnitude, infinity = (1 << bits - 1) - 1, {32: 0x7F800000, 16: 0x7C00}[bits]
    return got & magnitude > infinity if want & magnitude > infinity else got & magnitude == 0


class Scoreboard:
    """Compares answers with a model's, in the order in which the records were expected.

    observed: the result fields that the device gives; None for all of them. The others are counted as unobserved.
    flag_bits: the bits of the flags that the device gives.
    Words that the profile leaves open, and codes under a NaN scale that mean nothing, are counted as open and not
    compared; of op=mma they have to be some NaN, or some zero, where the model says so. finish() fails where anything is left over, and where nothing was compared.
    """

    def __init__(self, model: Model, observed: Iterable[str] | None = None, flag_bits: int = ~0, shown: int = 5) -> None:
        observed = None if observed is None else list(observed)
        unknown = set(observed or ()) - set(model.results)
        if unknown:
            raise ValueError(f"{model.operation} has no result {', '.join(sorted(unknown))}")
        #: The model that answers.
        self.model: Model = model
        #: The results that the device gives.
        self.observed: list[str] = list(model.results) if observed is None else observed
        #: The bits of the flags that the device gives.
        self.flag_bits: int = flag_bits
        #: How many mismatches finish() shows.
        self.shown: int = shown
        #: Records that were compared.
        self.records: int = 0
        #: Words that were compared.
        self.compared: int = 0
        #: Words that are open.
        self.open: int = 0
        #: Words that the device does not give.
        self.unobserved: int = 0
        #: Records that differ.
        self.wrong: int = 0
        #: Every word that differs.
        self.mismatches: list[Mismatch] = []
        self._waiting: collections.deque[tuple[Answer, dict[str, Any]]] = collections.deque()

    def expect(self, elements: int | None = None, **operands: Any) -> Answer:
        """Takes the operands of a record that the device was given; returns the model's Answer."""
        answer = self.model.answer(elements, **operands)
        self._waiting.append((answer, operands))
        return answer

    def observe(self, **results: Any) -> bool:
        """Compares what the device gave for the oldest record that has no answer yet. Words are ints, or texts of
        bits where some may be unknown. Returns whether all that is compared was right. TypeError for results that the
        model's records do not have."""
        unknown = set(results) - set(self.model.results)
        if unknown:
            raise TypeError(f"{self.model.operation} has no result {', '.join(sorted(unknown))}; it has "
                            f"{', '.join(self.model.results)}")
        if not self._waiting:
            raise AssertionError("an answer to no record: nothing is expected")
        answer, operands = self._waiting.popleft()
        before = len(self.mismatches)
        self._compare_all(answer, operands, results)
        is_right = len(self.mismatches) == before
        if not is_right:
            self.wrong += 1
            self._see_lost(before, results)
        self.records += 1
        return is_right

    def _compare_all(self, answer: Answer, operands: dict[str, Any], results: dict[str, Any]) -> None:
        for field, expected in answer.results.items():
            if field not in self.observed:
                self.unobserved += len(expected)
                continue
            given = _codes(results.get(field, []))
            for lane, want in enumerate(expected):
                got = given[lane] if lane < len(given) else None
                if answer.is_open[field][lane]:
                    self.open += 1
                    is_any = not answer.is_alike[field][lane]
                    if is_any or _is_alike(want, got, self.model.results[field][1]):
                        continue
                else:
                    self.compared += 1
                self._compare(field, lane, want, got, operands)

    def _see_lost(self, before: int, results: dict[str, Any]) -> None:
        """Where a wrong answer is the right one to the next record, this record's was lost: its first mismatch says so."""
        first = self.mismatches[before]
        if not self._waiting or any(each.kind != "value" for each in self.mismatches[before:]):
            return
        aside = Scoreboard(self.model, self.observed, self.flag_bits)
        aside._compare_all(*self._waiting[0], results)
        if aside.compared and not aside.mismatches:
            first.note = f"; this is the answer to record {self.records + 1}: one was lost"

    def _compare(self, field: str, lane: int, want: int, got: Any, operands: dict[str, Any]) -> None:
        mask = self.flag_bits if field == "flags" else ~0
        kind = "missing" if got is None else "value"
        if isinstance(got, str):
            known = int("".join(bit if bit in "01" else "0" for bit in got), 2)
            unknown = int("".join("0" if bit in "01" else "1" for bit in got), 2)
            if unknown & mask:
                kind = "X"
            else:
                got = known
        if isinstance(got, int) and got & mask == want & mask:
            return
        self.mismatches.append(Mismatch(self.records, field, lane, kind, want, got, operands))

    @property
    def pending(self) -> int:
        """Records without an answer."""
        return len(self._waiting)

    def summary(self) -> str:
        """The verdict in a line, with all that was not compared."""
        verdict = "PASS" if self.wrong == 0 and self.compared and not self.pending else "FAIL"
        return (f"{verdict} {self.records - self.wrong}/{self.records} records, {self.compared} words compared, "
                f"{self.open} open, {self.unobserved} unobserved, {self.pending} without an answer; {self.model.text}")

    def finish(self) -> str:
        """AssertionError with the first mismatches where the device was wrong, something is left or nothing was
        compared; else the summary."""
        lines = [self.summary(), *(str(each) for each in self.mismatches[:self.shown])]
        if self.pending:
            lines.append(f"{self.pending} answers never came, the first to record {self.records}")
        if self.compared == 0:
            lines.append("nothing was compared")
        if not lines[0].startswith("PASS"):
            raise AssertionError("\n".join(lines))
        return lines[0]
