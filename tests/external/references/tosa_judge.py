#!/usr/bin/env python3
"""mxgold against the reference model of TOSA 1.1, the program of Arm's package tosa-tools: casts of single values and of
blocks of 32, the way back, and MATMUL_T on blocks. MX_TOSA names the folder that it is installed in."""

import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

from judge import Judge, need
import mxgold
import stimuli

ROOT = pathlib.Path(os.environ.get("MX_TOSA") or os.environ.get("MX_TOSA_DEFAULT", ""))
FOLDER = next(ROOT.glob("lib/python*/site-packages"), ROOT)
sys.path.append(str(FOLDER))
ts = need("tosa_serializer")
PROGRAM = FOLDER / "bin" / "tosa_reference_model"
if not PROGRAM.is_file():
    print(f"SKIP tosa_judge.py: no {PROGRAM.name} in {FOLDER / 'bin'}; install it with ./dev external-setup")
    sys.exit(77)

PROFILE = {"profile": "tosa-1.1"}
# mxgold's name: TOSA's types, bits of a code, how its files say the type.
SOURCES = {"fp32": (ts.DType.FP32, 32, "<f4"), "fp16": (ts.DType.FP16, 16, "<f2"), "bf16": (ts.DType.BF16, 16, "<V2")}
FLOATS = {"e4m3fn": (ts.DType.FP8E4M3, 8, "<V1"), "e5m2": (ts.DType.FP8E5M2, 8, "|u1")}
_SCALED = ts.ScaledDType
BLOCKS = {"mxfp8_e4m3": (_SCALED.BS32_FP8UE8M0_FP8E4M3, 8, "<V1"), "mxfp8_e5m2": (_SCALED.BS32_FP8UE8M0_FP8E5M2, 8, "|u1"),
          "mxfp6_e3m2": (_SCALED.BS32_FP8UE8M0_FP6E3M2, 6, "|u1"), "mxfp6_e2m3": (_SCALED.BS32_FP8UE8M0_FP6E2M3, 6, "|u1"),
          "mxfp4": (_SCALED.BS32_FP8UE8M0_FP4E2M1, 4, "|u1"), "mxint8": (_SCALED.BS32_FP8UE8M0_MXINT8, 8, "|u1")}
TYPES = {**SOURCES, **FLOATS, **BLOCKS}
INFINITY = {"fp32": 0x7F800000, "fp16": 0x7C00, "bf16": 0x7F80}
SIGN = {"fp32": 1 << 31, "fp16": 1 << 15, "bf16": 1 << 15}
# The first pattern of binary32 that rounds beyond the largest element, at scale 1: 464 (inclusive), 61440, 30, 7.75, 7, 255/128.
LIMITS = {"mxfp8_e4m3": 0x43E80001, "mxfp8_e5m2": 0x47700000, "mxfp6_e3m2": 0x41F00000, "mxfp6_e2m3": 0x40F80000,
          "mxfp4": 0x40E00000, "mxint8": 0x3FFF0000}


def packed(codes, bits):
    """Codes of 6 and 4 bits as TOSA's files have them, the first one lowest."""
    if bits == 8 or codes.dtype != np.uint8:
        return codes
    if bits == 4:
        return codes[..., 0::2] | codes[..., 1::2] << 4
    fours = codes.reshape(*codes.shape[:-1], -1, 4).astype(np.uint32)
    words = fours[..., 0] | fours[..., 1] << 6 | fours[..., 2] << 12 | fours[..., 3] << 18
    return np.stack([words & 255, words >> 8 & 255, words >> 16], axis=-1).astype(np.uint8).reshape(*codes.shape[:-1], -1)


def unpacked(data, bits, shape):
    """What packed() made of codes of that shape."""
    if bits == 4:
        data = np.stack([data & 15, data >> 4], axis=-1)
    elif bits == 6:
        threes = data.reshape(-1, 3).astype(np.uint32)
        words = threes[:, 0] | threes[:, 1] << 8 | threes[:, 2] << 16
        data = np.stack([words >> 6 * i & 63 for i in range(4)], axis=-1).astype(np.uint8)
    return data.reshape(shape)


def write(path, array, descr):
    """A .npy file whose header says `descr`."""
    with open(path, "wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": descr, "fortran_order": False, "shape": array.shape})
        file.write(np.ascontiguousarray(array).tobytes())


def answer(operator, attribute, inputs, output, shape):
    """Runs a graph of one operator: inputs are (type, codes, scales or None), the answer (codes, scales or None)."""
    graph = ts.TosaSerializer("", ts.ConstMode.EMBED, 1, 1, 0, True)
    names = []
    with tempfile.TemporaryDirectory() as folder:
        for i, (kind, codes, scales) in enumerate(inputs):
            dtype, bits, descr = TYPES[kind]
            names.append(graph.addPlaceholder(list(codes.shape), dtype).name)
            write(f"{folder}/in{i}.npy", packed(codes, bits), descr)
            if scales is not None:
                write(f"{folder}/in{i}_scale.npy", scales, "<V1")
        operands = list(names)
        if operator == ts.Op.MATMUL_T:
            operands += [graph.addConst([1], ts.DType.FP32, np.zeros(1, dtype=np.float32)).name for _ in inputs]
        dtype, bits, _ = TYPES[output]
        result = graph.addOutput(list(shape), dtype)
        graph.addOperator(operator, operands, [result.name], attribute)
        pathlib.Path(folder, "graph.tosa").write_bytes(graph.serialize())
        files = ",".join(f"in{i}.npy" for i in range(len(inputs)))
        run = subprocess.run([str(PROGRAM), "--tosa_file=graph.tosa", f"--flatbuffer_dir={folder}", f"--output_dir={folder}",
                              f"--ifm_name={','.join(names)}", f"--ifm_file={files}", f"--ofm_name={result.name}",
                              "--ofm_file=out.npy"], cwd=folder, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise RuntimeError(f"{PROGRAM.name} ended in {run.returncode}: {run.stdout[-400:]}{run.stderr[:400]}")
        data = np.load(f"{folder}/out.npy").view({32: np.uint32, 16: np.uint16}.get(bits, np.uint8))
        scaled = output in BLOCKS
        scales = np.load(f"{folder}/out_scale.npy").view(np.uint8) if scaled else None
        return unpacked(data, bits, shape), scales


def cast(kind, codes, output, scales=None):
    """CAST, of blocks too."""
    attribute = ts.TosaSerializerAttribute()
    attribute.CastAttribute()
    return answer(ts.Op.CAST, attribute, [(kind, codes, scales)], output, codes.shape)


def judge_elements(judge, library):
    """Single values to FP8, and every code back."""
    rounding = judge.wrong_rounding("ties_to_even")
    for source in SOURCES:
        words = stimuli.structured("fp32", judge.args.seed, 500_000) if source == "fp32" else stimuli.all_16_bit()
        for name in FLOATS:
            ours = library.convert(words, source, name, **PROFILE, rounding=rounding)
            theirs = cast(source, words.reshape(1, -1), name)[0].reshape(-1)
            what = f"{source} to {name}"
            if name == "e4m3fn":
                # A NaN, of which the specification does not say the sign.
                beyond = (words > SIGN[source]) & (words < (SIGN[source] | INFINITY[source])) & (ours & 0x7F == 0x7F)
                theirs = np.where(beyond, theirs | 0x80, theirs)
                what += f", the sign of the NaN apart in {np.count_nonzero(beyond)} negative overflows"
            judge.same(what, words, ours, theirs)
    codes = np.arange(256, dtype=np.uint8)
    for name in FLOATS:
        for output in SOURCES:
            theirs = cast(name, codes.reshape(1, -1), output)[0].reshape(-1)
            ours = library.convert(codes, name, output, nan="keep_sign", overflow="none_inf_or_nan")
            judge.same(f"{name} to {output}", codes, ours, theirs, sees_wrong=False)


def blocks_of(seed, source, name):
    """Blocks of 32: maxima of every exponent around the limit of the format and of every head of 7 bits (fp16, bf16: all
    finite ones), under them elements down to a thousandth, half of them of few significant bits; then zeros of either
    sign, NaN and Inf of either sign, alone and together."""
    generator = np.random.Generator(np.random.Philox(seed))
    bits = {"fp32": 23, "fp16": 10, "bf16": 7}[source]
    if source == "fp32":
        mantissa = LIMITS[name] & 0x7FFFFF
        near = (np.arange(255)[:, None] << 23) + mantissa + np.arange(-24, 24)[None, :]
        heads = (np.arange(255)[:, None] << 23) + (np.arange(128) << 16)[None, :] + np.array([0, 1, 0xFFFF])[:, None, None]
        tops = np.concatenate([near.reshape(-1), heads.reshape(-1)])
        tops = tops[(tops >= 0) & (tops < INFINITY[source])]
    else:
        tops = np.arange(INFINITY[source])
    count = tops.size
    words = np.maximum(tops[:, None] - generator.integers(0, 10 << bits, size=(count, 32)), 0)
    coarse = ~((1 << generator.integers(max(bits - 6, 0), bits, size=(count, 32))) - 1)
    words = np.where(generator.integers(0, 2, size=(count, 32)) == 1, words & coarse, words)
    words[np.arange(count), generator.integers(0, 32, size=count)] = tops
    specials = words[generator.integers(0, count, size=600)]
    specials[0::3, 3] = INFINITY[source]
    specials[1::3, 5] = INFINITY[source] | 1 << (bits - 1)
    specials[2::3, 7] = INFINITY[source]
    specials[2::3, 11] = INFINITY[source] | 1 << (bits - 1)
    words = np.concatenate([words, specials, np.zeros((2, 32), dtype=np.int64)])
    words = words | (generator.integers(0, 2, size=words.shape) * SIGN[source])
    return words.astype(np.uint32 if source == "fp32" else np.uint16)


def judge_blocks(judge, library):
    """Blocks: scales and codes."""
    wrong = {"rule": "floor", "rounding": "toward_zero"} if judge.args.wrong else {}
    for name in BLOCKS:
        for source in SOURCES:
            words = blocks_of(judge.args.seed, source, name)
            codes, scales = library.quantize(words, source, name, **PROFILE, **wrong)
            their_codes, their_scales = cast(source, words, name)
            judge.same(f"{name} {source} scales", their_scales, scales, their_scales)
            nan_scale = np.broadcast_to(their_scales == 0xFF, words.shape)
            # What codes a NaN scale has is open: of FP6, FP4 and int8 all, of FP8 the sign of NaN elements.
            is_nan = (words & (SIGN[source] - 1)) > INFINITY[source]
            left_out = nan_scale & (is_nan if name.startswith("mxfp8") else True)
            judge.same(f"{name} {source} codes, without {np.count_nonzero(left_out)} under scale FF", words[~left_out],
                       codes[~left_out], their_codes[~left_out])


def judge_decode(judge, library):
    """Every code under every scale to fp32, fp16 and bf16."""
    overflow = "saturate" if judge.args.wrong else "inf"
    for name, (_, bits, _) in BLOCKS.items():
        count = 1 << bits
        codes = np.tile(np.arange(max(count, 32)) % count, (256, 1)).astype(np.uint8)
        scales = np.repeat(np.arange(256, dtype=np.uint8)[:, None], codes.shape[1] // 32, axis=1)
        for output in SOURCES:
            theirs = stimuli.one_nan(cast(name, codes, output, scales)[0], output, "drop")
            ours = library.dequantize(codes, scales, name, output, **PROFILE, dequant_overflow=overflow)
            judge.same(f"{name} to {output}, signs of NaN apart", codes, ours, theirs)


def rows_of(generator, name, rows, length):
    """Rows of codes under scales that leave every value within binary32, small and large ones in every fourth row; NaN and
    Inf in the first rows."""
    codes = generator.integers(0, 1 << BLOCKS[name][1], size=(rows, length)).astype(np.uint8)
    if name.startswith("mxfp8"):
        finite = 0x7E if name == "mxfp8_e4m3" else 0x7B
        codes = np.where(codes & 0x7F > finite, codes & 0x8F, codes)
    scales = np.where(np.arange(rows)[:, None] % 4 == 0, generator.integers(0, 238, size=(rows, length // 32)),
                      generator.integers(119, 135, size=(rows, length // 32))).astype(np.uint8)
    scales[0, 0] = 0xFF
    if name == "mxfp8_e5m2":
        codes[1, :2], codes[2, 0], codes[3, 0] = (0x7C, 0xFC), 0x7C, 0xFC
    if name.startswith("mxfp8"):
        codes[4, 5] = 0x7F
    return codes, scales


def judge_dots(judge, library):
    """MATMUL_T on blocks, accumulated in fp32."""
    print("  not compared: scales under which a value leaves binary32, accumulation in bf16")
    generator = np.random.Generator(np.random.Philox(judge.args.seed))
    attribute = ts.TosaSerializerAttribute()
    attribute.MatMulTAttribute()
    mode = "exact_once" if judge.args.wrong else "fp32_seq"
    for first in BLOCKS:
        for second in BLOCKS:
            a = rows_of(generator, first, 32, 128)
            b = rows_of(generator, second, 24, 128)
            inputs = [(kind, codes[None], scales[None]) for kind, (codes, scales) in ((first, a), (second, b))]
            theirs, _ = answer(ts.Op.MATMUL_T, attribute, inputs, "fp32", (1, 32, 24))
            theirs = stimuli.one_nan(theirs[0], "fp32", "drop")
            ours = library.dot(a, b, (first, second), mode=mode)
            judge.same(f"{first} times {second}, signs of NaN apart", theirs, ours, theirs)


def main():
    versions = [each.name.split("-")[1].removesuffix(".dist") for each in FOLDER.glob("tosa_tools-*.dist-info")]
    judge = Judge("tosa", f"tosa-tools {' '.join(versions)}", ("elements", "blocks", "decode", "dots"))
    library = mxgold.Library()
    for surface, surface_judge in (("elements", judge_elements), ("blocks", judge_blocks), ("decode", judge_decode),
                                   ("dots", judge_dots)):
        if judge.wants(surface):
            surface_judge(judge, library)
    judge.finish()


if __name__ == "__main__":
    main()
