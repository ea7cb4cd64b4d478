"""Reads the files of the probe: the layout stands in set_file.hpp."""

import struct
from array import array
from pathlib import Path

import arithmetic

HEADER = struct.Struct("<32s16s4I")
CODES = {1: "B", 2: "H", 4: "I"}


class Section:
    """Dot products of one instruction and one class, and what was prepared of them."""

    def __init__(self, instruction, stimulus, k, a, b, c, d, differing):
        self.instruction, self.stimulus, self.k = instruction, stimulus, k
        self.a, self.b, self.c, self.d = a, b, c, d
        self.differing = differing
        self.prepared = {}

    @property
    def count(self):
        return len(self.c)

    def take(self, chosen):
        """A smaller section: the dot products of these indices."""
        k = self.k
        codes = [array(all_.typecode, [x for at in chosen for x in all_[at * k : at * k + k]]) for all_ in (self.a, self.b)]
        words = [array("I", [all_[at] for at in chosen]) for all_ in (self.c, self.d)]
        return Section(self.instruction, self.stimulus, k, *codes, *words, self.differing)

    def every(self, step):
        """A smaller section: every step-th dot product."""
        return self.take(range(0, self.count, step))

    def groups(self, rule):
        key = arithmetic.key_of(rule)
        if key not in self.prepared:
            self.prepared[key] = arithmetic.prepare(self, rule)
        return self.prepared[key]

    def forget(self, kept=()):
        """Drops what was prepared for other rules than those of `kept`: it is large."""
        keys = {arithmetic.key_of(rule) for rule in kept}
        self.prepared = {key: value for key, value in self.prepared.items() if key in keys}

    def results(self, rule, indices=None):
        """The codes that a rule gives."""
        groups, fraction = self.groups(rule)
        result = arithmetic.Unit(self.instruction, rule, fraction).result
        c = self.c
        return [result(groups[at], c[at]) for at in (range(self.count) if indices is None else indices)]

    def mismatches(self, rule):
        """The dot products that differ under a rule: [(index, the rule's code)]."""
        return [(at, want) for at, want in enumerate(self.results(rule)) if want != self.d[at]]

    def vector(self, at, want):
        """One dot product in full."""
        k, width = self.k, 2 * self.a.itemsize
        a = " ".join(f"{code:0{width}X}" for code in self.a[at * k : at * k + k])
        b = " ".join(f"{code:0{width}X}" for code in self.b[at * k : at * k + k])
        return (f"    {self.stimulus} {at}\n      a {a}\n      b {b}\n"
                f"      c {self.c[at]:08X}  device {self.d[at]:08X}  rule {want:08X}")

    def nan_codes(self):
        """NaN codes among the results."""
        is_fp16 = self.instruction.endswith(".f16")
        mask, infinity = (0x7FFF, 0x7C00) if is_fp16 else (0x7FFFFFFF, 0x7F800000)
        return {code for code in self.d if code & mask > infinity}


def values_at(data, at, typecode, count):
    values = array(typecode)
    end = at + count * values.itemsize
    values.frombytes(data[at:end])
    if len(values) != count:
        raise ValueError("the file ends too early")
    return values, end


def read_file(path):
    """The sections of a file; ValueError where it is cut."""
    data = path.read_bytes()
    at = 0
    while at < len(data):
        if len(data) - at < HEADER.size:
            raise ValueError("the file ends within a header")
        name, stimulus, k, width, count, differing = HEADER.unpack_from(data, at)
        at += HEADER.size
        a, at = values_at(data, at, CODES[width], k * count)
        b, at = values_at(data, at, CODES[width], k * count)
        c, at = values_at(data, at, "I", count)
        d, at = values_at(data, at, "I", count)
        text = [field.rstrip(b"\0").decode("ascii") for field in (name, stimulus)]
        yield Section(*text, k, a, b, c, d, differing)


def read_folder(folder):
    """{instruction: sections}, in the order of the files and their parts."""
    found = {}
    for path in sorted(Path(folder).glob("*.set")):
        for section in read_file(path):
            found.setdefault(section.instruction, []).append(section)
    return found
