#!/usr/bin/env python3
"""What frameworks on a GPU make of every word: casts to 8 bits and less as thresholds, for judge.py to compare.

A step function is where the code changes as words ascend, `word:code` each, over all words of a format: 2^32 of fp32, 2^16 of fp16
and bf16. FOLDER/<framework>.json is written; captured/ has those of one device. usage: capture.py FRAMEWORK FOLDER
"""

import json
import os
import sys

try:
    import torch
except ImportError:
    print("SKIP capture: no torch")
    sys.exit(77)

CHUNK = 1 << 27
WORD = {"fp32": (32, torch.int32, torch.float32), "fp16": (16, torch.int16, torch.float16),
        "bf16": (16, torch.int16, torch.bfloat16)}


def words(source, first, count):
    """Patterns of a format as integers of its width, ascending as unsigned numbers."""
    return torch.arange(first, first + count, dtype=torch.int64, device="cuda").to(WORD[source][1])


def conversion_thresholds(source, cast):
    """`word:code`, where the code of a word is another one than that of the word before; cast: patterns to codes."""
    steps, last, total = [], None, 1 << WORD[source][0]
    for first in range(0, total, CHUNK):
        codes = cast(words(source, first, min(CHUNK, total - first))).view(torch.uint8)
        changes = (torch.nonzero(codes[1:] != codes[:-1]).flatten() + 1).tolist()
        changes = ([0] if last is None or int(codes[0]) != last else []) + changes
        if len(changes) + len(steps) > 20_000:
            raise ValueError(f"more than 20,000 steps from {source}: no thresholds")
        values = codes[torch.tensor(changes, dtype=torch.int64, device="cuda")].tolist() if changes else []
        steps += [f"{first + at:0{WORD[source][0] // 4}X}:{code:02X}" for at, code in zip(changes, values)]
        last = int(codes[-1])
    return " ".join(steps)


def torch_types():
    names = {"e4m3fn": "float8_e4m3fn", "e5m2": "float8_e5m2", "e4m3fnuz": "float8_e4m3fnuz", "e5m2fnuz": "float8_e5m2fnuz",
             "e8m0": "float8_e8m0fnu"}
    return {name: getattr(torch, dtype) for name, dtype in names.items() if hasattr(torch, dtype)}


def casts_of_torch(compiled):
    def make(source, dtype):
        def cast(patterns):
            return patterns.view(WORD[source][2]).to(dtype).view(torch.uint8)

        return torch.compile(cast, dynamic=False) if compiled else cast

    for source in WORD:
        for name, dtype in torch_types().items():
            yield source, name, make(source, dtype)


def casts_of_triton():
    import triton
    import triton.language as tl

    @triton.jit
    def kernel(source, codes, SOURCE: tl.constexpr, TARGET: tl.constexpr, BLOCK: tl.constexpr):
        at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
        value = tl.load(source + at).to(SOURCE, bitcast=True)
        tl.store(codes + at, value.to(TARGET).to(tl.uint8, bitcast=True))

    def make(source, target):
        def cast(patterns):
            codes = torch.empty(patterns.shape, dtype=torch.uint8, device="cuda")
            kernel[(patterns.numel() // 1024,)](patterns, codes, source, target, 1024)
            return codes

        return cast

    sources = {"fp32": tl.float32, "fp16": tl.float16, "bf16": tl.bfloat16}
    for source, kind in sources.items():
        for name, target in (("e4m3fn", tl.float8e4nv), ("e5m2", tl.float8e5)):
            yield source, name, make(kind, target)


def casts_of_xla():
    import jax
    import jax.numpy as jnp

    def make(source, dtype, bits):
        def patterns_to_codes(patterns):
            value = jax.lax.bitcast_convert_type(patterns, {"fp32": jnp.float32, "fp16": jnp.float16, "bf16": jnp.bfloat16}[source])
            code = jax.lax.bitcast_convert_type(value.astype(dtype), jnp.uint8 if bits == 8 else jnp.uint4)
            return code.astype(jnp.uint8)

        compiled = jax.jit(patterns_to_codes)
        return lambda patterns: torch.from_dlpack(compiled(jax.dlpack.from_dlpack(patterns.contiguous())).block_until_ready())

    names = {"e4m3fn": "float8_e4m3fn", "e5m2": "float8_e5m2", "e4m3fnuz": "float8_e4m3fnuz", "e5m2fnuz": "float8_e5m2fnuz",
             "e4m3b11fnuz": "float8_e4m3b11fnuz", "e4m3": "float8_e4m3", "e3m4": "float8_e3m4", "e8m0": "float8_e8m0fnu",
             "e2m1fn": "float4_e2m1fn"}
    for source in WORD:
        for name, dtype in names.items():
            if hasattr(jnp, dtype):
                yield source, name, make(source, getattr(jnp, dtype), 4 if name == "e2m1fn" else 8)


FRAMEWORKS = {"torch": lambda: casts_of_torch(False), "inductor": lambda: casts_of_torch(True), "triton": casts_of_triton,
              "xla": casts_of_xla}


def versions(framework):
    found = {"torch": torch.__version__}
    if framework in ("triton", "inductor"):
        import triton
        found["triton"] = triton.__version__
    if framework == "xla":
        import jax
        found["jax"] = jax.__version__
    return found


def main():
    framework, folder = sys.argv[1:]
    if not torch.cuda.is_available():
        print("SKIP capture: no CUDA device")
        sys.exit(77)
    captured = {"framework": framework, "versions": versions(framework), "device": torch.cuda.get_device_name(0), "casts": {},
                "refused": {}}
    for source, name, cast in FRAMEWORKS[framework]():
        try:
            captured["casts"][f"{source} {name}"] = conversion_thresholds(source, cast)
            print(f"{framework}: {source} to {name}: {len(captured['casts'][f'{source} {name}'].split())} steps", flush=True)
        except Exception as error:  # pylint: disable=broad-exception-caught
            captured["refused"][f"{source} {name}"] = " ".join(str(error).split())[:200]
            print(f"{framework}: {source} to {name}: refused: {' '.join(str(error).split())[:200]}", flush=True)
    with open(os.path.join(folder, framework + ".json"), "w", encoding="ascii") as file:
        json.dump(captured, file, indent=1)


if __name__ == "__main__":
    main()
