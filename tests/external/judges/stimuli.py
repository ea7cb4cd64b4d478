"""Inputs as bit patterns: every 16-bit pattern, structured and random wider ones."""

import numpy as np

# Explicit significand bits of the sources.
_MANTISSA = {"fp32": 23, "fp64": 52}
_WORD = {"fp32": np.uint32, "fp64": np.uint64}


def all_16_bit():
    """Every fp16 or bf16 pattern."""
    return np.arange(1 << 16, dtype=np.uint16)


def structured(source, seed, random_count):
    """Both signs of every exponent with every head of 7 significand bits and sticky tails (so every threshold of
    a format of up to 6 significand bits, with its neighbours on both sides), every single bit, and random
    patterns: half uniform over all patterns, half with exponents within 40 of 1."""
    bits, word = _MANTISSA[source], _WORD[source]
    total = np.dtype(word).itemsize * 8
    exponent_bits = total - 1 - bits
    tail = bits - 7
    heads = np.arange(1 << 7, dtype=word) << word(tail)
    tails = np.array([0, 1, (1 << (tail - 1)) - 1, 1 << (tail - 1), (1 << (tail - 1)) + 1, (1 << tail) - 1], dtype=word)
    singles = word(1) << np.arange(bits, dtype=word)
    mantissas = np.unique(np.concatenate([(heads[:, None] | tails[None, :]).reshape(-1), singles]))
    if source == "fp64":
        middle = 1 << (exponent_bits - 1)
        exponents = np.concatenate([np.arange(0, 4), np.arange(middle - 280, middle + 280),
                                    np.arange((1 << exponent_bits) - 4, 1 << exponent_bits)]).astype(word)
    else:
        exponents = np.arange(1 << exponent_bits, dtype=word)
    grid = ((exponents[:, None] << word(bits)) | mantissas[None, :]).reshape(-1)
    grid = np.concatenate([grid, grid | word(1 << (total - 1))])
    generator = np.random.Generator(np.random.Philox(seed))
    noise = generator.integers(0, 1 << total, size=random_count, dtype=word, endpoint=False) if source == "fp32" \
        else generator.integers(0, (1 << 64) - 1, size=random_count, dtype=word, endpoint=True)
    near = noise[: random_count // 2]
    keep = word(((1 << bits) - 1) | (1 << (total - 1)))
    one = (1 << (exponent_bits - 1)) - 1
    drawn = generator.integers(one - 40, one + 41, size=near.size).astype(word)
    noise[: near.size] = (near & keep) | (drawn << word(bits))
    return np.concatenate([grid, noise])


def one_nan(codes, name, sign="keep"):
    """Patterns of an IEEE format with every NaN replaced by the quiet one without payload (payloads are outside
    mxgold's model), its sign kept or dropped."""
    payload = {"fp64": 52, "fp32": 23, "bf16": 7, "fp16": 10}[name]
    word = codes.dtype.type
    sign_bit = word(1 << (8 * codes.dtype.itemsize - 1))
    infinity = word(int(sign_bit) - (1 << payload))
    is_nan = (codes & word(int(sign_bit) - 1)) > infinity
    canonical = (codes & sign_bit if sign == "keep" else word(0)) | infinity | word(1 << (payload - 1))
    return np.where(is_nan, canonical, codes)


def random_blocks(generator, blocks, size):
    """binary32 blocks: each around its own magnitude, with elements spread over 2^-12 .. 1 of it. In half of them
    the elements have at most 6 significand bits, so that ties and exact values are common."""
    exponents = generator.integers(1, 255, size=(blocks, 1)).astype(np.int64)
    spread = generator.integers(0, 13, size=(blocks, size)).astype(np.int64)
    fields = np.maximum(exponents - spread, 0).astype(np.uint32)
    mantissas = generator.integers(0, 1 << 23, size=(blocks, size), dtype=np.uint32)
    kept = generator.integers(1, 7, size=(blocks, size)).astype(np.uint32)
    coarse = mantissas & (np.uint32(0x7FFFFF) << (np.uint32(23) - kept)) & np.uint32(0x7FFFFF)
    mantissas = np.where(np.arange(blocks)[:, None] % 2 == 0, coarse, mantissas)
    signs = generator.integers(0, 2, size=(blocks, size), dtype=np.uint32)
    return (signs << 31) | (fields << 23) | mantissas


def halves(blocks):
    """binary32 blocks brought to fp16: the exponent of a block's maximum by an eighth of it, the others as far below it as
    they were; the upper significand bits stay, NaN has no payload."""
    fields = (blocks >> 23 & 255).astype(np.int64)
    top = np.where(fields < 255, fields, 0).max(axis=1, keepdims=True)
    placed = np.clip(top // 8 - (top - fields), 0, 30)
    finite = placed << 10 | (blocks >> 13 & 0x3FF)
    special = np.where(blocks & 0x7FFFFF, 0x7E00, 0x7C00)
    return ((blocks >> 31 << 15) | np.where(fields == 255, special, finite)).astype(np.uint16)


def nibbles(packed):
    """The codes of rows of bytes that hold two each, the first one low."""
    return np.stack([packed & 15, packed >> 4], axis=-1).reshape(packed.shape[0], -1)


def ends_of_maxima(scales_of, last, device="cuda"):
    """Blocks of 32 binary32 patterns, zeros but for one maximum, and the scale of each as `scales_of`, a function of tensors,
    gives it: of all maxima from 0 to `last`, those at both ends of each run of equal scales."""
    import torch

    step, words, scales = 1 << 24, [], []
    for first in range(0, last + 1, step):
        patterns = torch.arange(first, min(first + step, last + 1), dtype=torch.int64, device=device).to(torch.int32)
        data = torch.zeros((patterns.numel(), 32), dtype=torch.float32, device=device)
        data[:, 5] = patterns.view(torch.float32)
        found = scales_of(data).view(torch.uint8).flatten()
        changes = torch.nonzero(found[1:] != found[:-1]).flatten().tolist()
        ends = sorted({0, patterns.numel() - 1, *changes, *(at + 1 for at in changes)})
        words += [first + at for at in ends]
        scales += found[torch.tensor(ends, device=device)].tolist()
    blocks = np.zeros((len(words), 32), dtype=np.uint32)
    blocks[:, 5] = words
    return blocks, np.array(scales, dtype=np.uint8)[:, None]
