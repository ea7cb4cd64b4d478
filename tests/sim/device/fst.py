#!/usr/bin/env python3
"""Reads a waveform (FST) without other tools and prints it as a table: a line for each time, `time name=value ...` of the
signals asked for, values in binary.

usage: fst.py FILE.fst            what there is: signals, first and last time, times, name and width of each signal
       fst.py FILE.fst NAME...    the table; a NAME is the end of a signal's path ("out_valid_o", "TOP.x.y")

Exits 1 for a file that is none, that ends early, or that lacks a signal asked for."""
import gzip
import struct
import sys
import zlib


class Bytes:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        piece = self.data[self.at:self.at + count]
        if len(piece) != count:
            raise ValueError("the file ends early")
        self.at += count
        return piece

    def word(self):
        return struct.unpack(">Q", self.take(8))[0]

    def varint(self, is_signed=False):
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value - (1 << shift) if is_signed and byte & 0x40 else value

    def text(self):
        end = self.data.index(0, self.at)
        piece = self.data[self.at:end].decode()
        self.at = end + 1
        return piece


def lz4(data, size):
    """A block of LZ4."""
    source, out = Bytes(data), bytearray()

    def length(start):
        total = start
        while start == 15:
            byte = source.take(1)[0]
            total += byte
            if byte != 255:
                break
        return total

    while source.at < len(data):
        token = source.take(1)[0]
        out += source.take(length(token >> 4))
        if source.at == len(data):
            break
        back = struct.unpack("<H", source.take(2))[0]
        for _ in range(length(token & 15) + 4):
            out.append(out[-back])
    if len(out) != size:
        raise ValueError(f"a block of {size} bytes has {len(out)}")
    return bytes(out)


def unpacked(data, size, kind):
    if len(data) == size and kind != "chain":
        return data
    return lz4(data, size) if kind == "lz4" else zlib.decompress(data)


def hierarchy(data):
    """[(path, handle)] of all signals; handles count from 1."""
    source, scopes, found, handles = Bytes(data), [], [], 0
    while source.at < len(data):
        tag = source.take(1)[0]
        if tag == 254:
            source.take(1)
            scopes.append(source.text())
            source.text()
        elif tag == 255:
            scopes.pop()
        elif tag == 252:
            source.take(2)
            source.text()
            source.varint()
        elif tag != 253:
            source.take(1)
            name = source.text()
            source.varint()
            alias = source.varint()
            if alias == 0:
                handles += 1
            found.append((".".join([*scopes, name.split(" ")[0]]), alias or handles))
    return found


def chains(source, end, kind):
    """{handle: bytes of its changes} between here and `end`, and where the index begins."""
    start = source.at
    size = struct.unpack(">Q", source.data[end - 8:end])[0]
    index = Bytes(source.data[end - 8 - size:end - 8])
    places, handle, place, alias = {}, 0, 0, 0
    same = {}
    while index.at < size:
        if index.data[index.at] & 1:
            handle += 1
            step = index.varint(True) >> 1
            if step > 0:
                place += step
                places[handle] = place
            else:
                alias = step or alias
                same[handle] = -alias
        else:
            handle += index.varint() >> 1
    order = [*places.items(), (None, end - 8 - size - start)]
    found = {}
    for (handle, first), (_, last) in zip(order, order[1:]):
        chain = Bytes(source.data[start + first:start + last])
        length = chain.varint()
        rest = chain.data[chain.at:]
        found[handle] = rest if length == 0 else lz4(rest, length) if kind == b"4" else zlib.decompress(rest)
    for handle, other in same.items():
        found[handle] = found[other]
    return found


def changes(data, width):
    """[(index of the time, value)]"""
    source, at, found = Bytes(data), 0, []
    while source.at < len(data):
        head = source.varint()
        if width == 1:
            at += head >> (4 if head & 1 else 2)
            found.append((at, "xzhuwl-?"[head >> 1 & 7] if head & 1 else str(head >> 1 & 1)))
            continue
        at += head >> 1
        if head & 1:
            found.append((at, source.take(width).decode()))
        else:
            bits = int.from_bytes(source.take((width + 7) // 8), "big") >> -width % 8
            found.append((at, f"{bits:0{width}b}"))
    return found


def read(path):
    """[(path, width, {time: value})] and the times."""
    with open(path, "rb") as file:
        source = Bytes(file.read())
    signals, widths, times, values = [], [], [], {}
    blocks = 0
    while source.at < len(source.data):
        tag = source.take(1)[0]
        start = source.at
        end = start + source.word()
        if end > len(source.data) or end < start + 8:
            raise ValueError("the file ends early")
        if tag == 0:
            source.take(56)
            blocks = source.word()
        elif tag == 3:
            size, count = source.word(), source.word()
            geometry = Bytes(unpacked(source.data[source.at:end], size, "zlib"))
            widths = [geometry.varint() for _ in range(count)]
        elif tag in (4, 6):
            size = source.word()
            data = source.data[source.at:end]
            signals = hierarchy(gzip.decompress(data) if tag == 4 else lz4(data, size))
        elif tag == 8:
            source.take(24)
            size, packed, _ = source.varint(), source.varint(), source.varint()
            frame = unpacked(source.take(packed), size, "zlib")
            source.varint()
            tail = Bytes(source.data[end - 24:end])
            size, packed, count = tail.word(), tail.word(), tail.word()
            ticks = Bytes(unpacked(source.data[end - 24 - packed:end - 24], size, "zlib"))
            first = len(times)
            now = 0
            for _ in range(count):
                now += ticks.varint()
                times.append(now)
            source.at += 1  # the kind of packing counts in the places of chains
            kind = source.data[source.at - 1:source.at]
            source.at -= 1
            values.setdefault("blocks", []).append((first, frame, chains(source, end - 24 - packed, kind)))
        elif tag != 255:
            raise ValueError(f"a block of kind {tag}, which this reader does not know")
        source.at = end
    if not signals or not times or len(values.get("blocks", [])) != blocks:
        raise ValueError("no whole waveform")
    found = []
    for name, handle in signals:
        width = widths[handle - 1]
        at = sum(widths[:handle - 1])
        history = {}
        for first, frame, chain in values["blocks"]:
            history[times[first]] = frame[at:at + width].decode()
            for index, value in changes(chain.get(handle, b""), width):
                history[times[first + index]] = value
        found.append((name, width, history))
    return found, times


def main():
    try:
        signals, times = read(sys.argv[1])
        chosen = []
        for word in sys.argv[2:]:
            chosen.append(next((s for s in signals if s[0] == word or s[0].endswith("." + word)), None))
            if chosen[-1] is None:
                raise ValueError(f"no signal {word}")
    except (ValueError, IndexError, OSError, zlib.error) as problem:
        sys.exit(f"fst.py: {sys.argv[1]}: {problem}")
    if not chosen:
        print(f"{len(signals)} signals, times {times[0]} to {times[-1]}, {len(times)} of them")
        for name, width, _ in signals:
            print(f"{name} {width}")
    shown = ["?"] * len(chosen)
    for time in times if chosen else []:
        shown = [history.get(time, old) for (_, _, history), old in zip(chosen, shown)]
        print(time, *(f"{word}={value}" for word, value in zip(sys.argv[2:], shown)))


main()
