"""tt-metal's own packing of tiles: the functions of libtt_metal.so of the ttnn package, through the C++ ABI of x86-64 Linux.
They ask the library for a device's alignment, so it is told of a chip that nothing is sent to."""

import ctypes
import os
import pathlib
import platform
import sys
import tempfile

import numpy as np

VERSION = "0.81.1"
FOLDER = pathlib.Path(os.environ.get("MX_TT_METAL") or os.environ.get("MX_TT_METAL_DEFAULT", ""))
# One Wormhole board of one chip; of the board's number bits 36 and up are its kind.
BOARD = {"chip": "wormhole_b0", "kind": "n150", "number": 0x18 << 36}
CHIP = """arch: {{0: {chip}}}
chips: {{0: [0, 0, 0, 0]}}
ethernet_connections: []
chips_with_mmio: [{{0: 0}}]
harvesting: {{0: {{noc_translation: true, harvest_mask: 64}}}}
boards: [[{{board_id: {number}}}, {{board_type: {kind}}}, {{chips: [0]}}]]
"""
TILE, ALIGNMENT, TILES_AT_ONCE = 1024, 16, 100
# ctypes: a vector<uint32_t> comes back in memory, a span is a pointer and a length, an empty optional<Tile> is zeros.
_VECTOR, _NO_TILE = ctypes.c_uint64 * 3, (ctypes.c_uint64 * 64)()
_TAIL = "RKSt8optionalIN2tt8tt_metal4TileEE"


def skip(reason):
    print(f"SKIP tt_judge.py: {reason}; ./dev external-setup installs ttnn {VERSION}, "
          "or MX_TT_METAL names a folder that holds it")
    sys.exit(77)


def _mangled(name, template, element, flags):
    span = f"St4spanIK{element}Lm18446744073709551615EE" + "b" * flags + _TAIL
    return f"_Z{len(name)}{name}{template}{span}"


class TtMetal:
    """The library. Blocks are rows of binary32 (or bfloat16) patterns; tiles are read in their stored order, a block after
    another, so that no layout of rows and faces matters."""

    def __init__(self):
        if not (FOLDER / f"ttnn-{VERSION}.dist-info").is_dir():
            skip(f"no ttnn {VERSION} in {FOLDER}")
        if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
            skip("its library is one for x86-64 Linux")
        self._scratch = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        chip = pathlib.Path(self._scratch.name, "chip.yaml")
        chip.write_text(CHIP.format(**BOARD), encoding="ascii")
        root = FOLDER / "ttnn"
        os.environ.update(TT_METAL_RUNTIME_ROOT=str(root), TT_METAL_MOCK_CLUSTER_DESC_PATH=str(chip), TT_LOGGER_LEVEL="off",
                          TMPDIR=self._scratch.name)
        try:
            self._library = ctypes.CDLL(str(root / "build" / "lib" / "libtt_metal.so"))
        except OSError as error:
            skip(f"its library cannot be loaded ({error})")

    def _call(self, name, data, flags, dtype):
        function = getattr(self._library, name)
        function.restype = None
        out = _VECTOR()
        function(ctypes.byref(out), data.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(data.size),
                 *[ctypes.c_bool(flag) for flag in flags], ctypes.byref(_NO_TILE))
        result = np.frombuffer(ctypes.string_at(out[0], out[1] - out[0]), dtype=dtype)
        self._library._ZdlPv(ctypes.c_void_p(out[0]))
        return result

    def pack(self, name, blocks, storage, flags=(False,), source="fp32"):
        """Scale codes and elements of `storage` bits, of blocks as rows. `flags`: is the input row by row, and of BFP has
        the exponent five bits?"""
        count, size = blocks.shape
        per_tile = TILE // size
        scale_bytes = -(-per_tile // ALIGNMENT) * ALIGNMENT
        kind = "f" if source == "fp32" else "8bfloat16"
        # The template's own name of its type in the parameters is the first substitution but those of the result.
        symbol = _mangled(f"pack_as_{name}_tiles", f"I{kind}ESt6vectorIjSaIjEE", "T_", len(flags))
        scales, codes = [], []
        for first in range(0, count, per_tile * TILES_AT_ONCE):
            part = blocks[first:first + per_tile * TILES_AT_ONCE]
            tiles = -(-len(part) // per_tile)
            flat = np.zeros(tiles * TILE, dtype=np.uint32 if source == "fp32" else np.uint16)
            flat[:part.size] = part.reshape(-1)
            raw = self._call(symbol, flat, flags, np.uint8).reshape(tiles, -1)
            scales.append(raw[:, :per_tile].reshape(-1)[:len(part)])
            codes.append(fields(raw[:, scale_bytes:], storage).reshape(-1, size)[:len(part)])
        return np.concatenate(scales)[:, None], np.concatenate(codes)

    def unpack(self, name, scales, codes, storage, flags=(False,)):
        """binary32 patterns of elements of `storage` bits under their scale codes."""
        count, size = codes.shape
        per_tile = TILE // size
        scale_bytes = -(-per_tile // ALIGNMENT) * ALIGNMENT
        tiles = -(-count // per_tile)
        raw = np.zeros((tiles, scale_bytes + TILE * storage // 8), dtype=np.uint8)
        rows = np.zeros((tiles * per_tile, size + 1), dtype=np.uint8)
        rows[:count, 0], rows[:count, 1:] = scales.reshape(-1), codes
        raw[:, :per_tile] = rows[:, 0].reshape(tiles, per_tile)
        raw[:, scale_bytes:] = bytes_of(rows[:, 1:].reshape(tiles, -1), storage)
        symbol = _mangled(f"unpack_{name}_tiles_into_float_vec", "", "j", len(flags))
        return self._call(symbol, raw.reshape(-1).view(np.uint32), flags, np.uint32).reshape(-1, size)[:count]


def fields(raw, width):
    """The elements of rows of bytes, the lowest bits first."""
    steps = np.arange(0, 8, width, dtype=np.uint8)
    return (raw[..., None] >> steps & ((1 << width) - 1)).astype(np.uint8).reshape(raw.shape[0], -1)


def bytes_of(elements, width):
    steps = np.arange(0, 8, width, dtype=np.uint8)
    return np.bitwise_or.reduce(elements.reshape(elements.shape[0], -1, len(steps)) << steps, axis=2).astype(np.uint8)
