#!/usr/bin/env python3
"""mxgold's Hadamard transform with the signs last against torchao's fwht16_sign, whose statements run here on NumPy's binary32, all
rows at once: the order of its operations, not a GPU's arithmetic. MX_TORCHAO_FWHT names a checkout of pytorch/ao at 32dffcc
(pull request 4516), the only place that has it."""

import os
import pathlib
import sys
import types

import numpy as np

from judge import SKIP, Judge
import mxgold
import stimuli

FILE = pathlib.Path(os.environ.get("MX_TORCHAO_FWHT") or os.environ.get("MX_TORCHAO_FWHT_DEFAULT", ""), "torchao", "prototype",
                    "mx_formats", "cutedsl", "fwht.py")
MASKS = (0x0000, 0xFFFF, 0xD7E8, 0x0001, 0x8000, 0xA5C3)


def stand_in(name, **what):
    """A module that the file asks for, with what it takes of it."""
    module = types.ModuleType(name)
    module.__dict__.update(what)
    sys.modules[name] = module
    return module


def their_transform():
    """fwht16_sign; `vals` and `sign` are 16 registers, here a column of rows each."""
    if not FILE.is_file():
        print(f"SKIP fwht_judge.py: no {FILE.name}; name a checkout of pytorch/ao at 32dffcc in MX_TORCHAO_FWHT")
        sys.exit(SKIP)
    same = lambda function: function
    cute = stand_in("cutlass.cute", jit=same, kernel=same, Tensor=object)
    stand_in("cutlass", cute=cute, Float32=np.float32, Int32=np.int32, range_constexpr=range, const_expr=same)
    stand_in("torch", Tensor=object)  # of the functions that are not called
    stand_in("theirs").__path__ = []
    stand_in("theirs.cute_utils", _cutedsl_runtime_available=lambda: True)
    functions = {"__package__": "theirs", "__name__": "theirs.fwht"}
    exec(compile(FILE.read_text(encoding="utf-8"), str(FILE), "exec"), functions)  # pylint: disable=exec-used
    return functions["fwht16_sign"]


def rows_of(seed, source):
    """Groups of one magnitude, of wide and of small exponents, up to overflow, zeros of both signs, NaN and Inf among others."""
    generator = np.random.Generator(np.random.Philox(seed))
    rows = np.concatenate([stimuli.random_blocks(generator, 12_000, 16),
                           generator.integers(0, 1 << 32, size=(4_000, 16), dtype=np.uint64).astype(np.uint32)])
    rows[::5] = (rows[::5] & 0x807FFFFF) | 0x3F800000  # sums that cancel
    rows[1::11] &= 0x80FFFFFF  # the smallest binades and subnormals
    rows[2::13] = (rows[2::13] & 0x83FFFFFF) | 0x7C000000  # the largest
    rows[3::17] &= 0x80000000
    rows[4::19, generator.integers(0, 16)] = 0x7F800000
    return rows if source == "fp32" else (rows >> 16).astype(np.uint16)


def ours_of(library, words, source, mask, reverse):
    """Reversed: the same sums with the strides from 8 down to 1, which indices with their bits reversed give."""
    if not reverse:
        return library.hadamard(words, source, mask, signs_last=True)
    places = [int(f"{i:04b}"[::-1], 2) for i in range(16)]
    mask = sum((mask >> place & 1) << i for i, place in enumerate(places))
    return library.hadamard(words[:, places], source, mask, signs_last=True)[:, places]


def main():
    judge = Judge("fwht", f"torchao @32dffcc, its fwht16_sign on numpy {np.__version__}")
    transform = their_transform()
    library = mxgold.Library()
    for source in ("fp32", "bf16"):
        words = rows_of(judge.args.seed, source)
        wide = words.astype(np.uint32) << (0 if source == "fp32" else 16)
        for mask in MASKS:
            signs = [np.float32(-1 if mask >> i & 1 else 1) for i in range(16)]
            with np.errstate(all="ignore"):
                columns = [np.ascontiguousarray(column) for column in wide.view(np.float32).T]
                theirs = np.stack(transform(columns, signs), axis=-1)
            theirs = stimuli.one_nan(np.ascontiguousarray(theirs, dtype=np.float32).view(np.uint32), "fp32", sign="drop")
            judge.same(f"{source} mask {mask:04X}, one NaN", wide, ours_of(library, words, source, mask, judge.args.wrong), theirs)
    judge.finish()


if __name__ == "__main__":
    main()
