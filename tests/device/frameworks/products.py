#!/usr/bin/env python3
"""Matrix products of frameworks on a GPU, word by word, for judge_products.py to find the matrix unit in them.

FOLDER/<path>.<type>.<k>.<a, b or d>.npy are written: A (rows, k) and B (columns, k) as codes, D (rows, columns) as binary32.
usage: products.py PATH FOLDER
"""

import os
import sys

try:
    import numpy as np
    import torch
except ImportError as missing:
    print(f"SKIP products: {missing}")
    sys.exit(77)

SIZE = 64
LENGTHS = (16, 32, 64, 128, 256, 512, 2048)
TYPES = {"e4m3fn": (torch.float8_e4m3fn, torch.uint8), "e5m2": (torch.float8_e5m2, torch.uint8), "bf16": (torch.bfloat16, torch.int16),
         "fp16": (torch.float16, torch.int16), "tf32": (torch.float32, torch.int32)}


def operands(name, k, seed):
    """Rows of numbers whose exponents lie within ten binades of each other, signs mixed; a quarter of them normally drawn."""
    generator = torch.Generator().manual_seed(seed)
    spread = 5 if name == "e5m2" else 3 if name == "e4m3fn" else 10
    value = torch.randn((SIZE, k), generator=generator)
    wide = value * torch.exp2(torch.randint(-spread, spread + 1, value.shape, generator=generator).float())
    rows = torch.where(torch.arange(SIZE)[:, None] % 4 == 0, value, wide)
    if name == "tf32":
        rows = (rows.view(torch.int32) & ~0x1FFF).view(torch.float32)  # what tf32 holds, so that no rounding comes first
    return rows.to(TYPES[name][0]).cuda()


def of_torch_scaled(fast):
    one = torch.ones((), device="cuda")

    def product(a, b):
        return torch._scaled_mm(a, b.t(), scale_a=one, scale_b=one, out_dtype=torch.float32, use_fast_accum=fast)

    return ("e4m3fn",), product


def of_torch_tf32():
    torch.backends.cuda.matmul.allow_tf32 = True
    return ("tf32",), lambda a, b: a @ b.t()


def of_torch_half():
    return ("bf16", "fp16"), lambda a, b: torch.mm(a, b.t(), out_dtype=torch.float32)


def of_triton():
    import triton
    import triton.language as tl

    @triton.jit
    def kernel(a, b, d, K, SIZE: tl.constexpr, BLOCK: tl.constexpr):
        rows, inner = tl.arange(0, SIZE)[:, None], tl.arange(0, BLOCK)
        total = tl.zeros((SIZE, SIZE), dtype=tl.float32)
        for first in range(0, K, BLOCK):
            left = tl.load(a + rows * K + first + inner[None, :])
            right = tl.load(b + tl.arange(0, SIZE)[None, :] * K + first + inner[:, None])
            total = tl.dot(left, right, total)
        tl.store(d + rows * SIZE + tl.arange(0, SIZE)[None, :], total)

    def product(a, b):
        d = torch.empty((SIZE, SIZE), dtype=torch.float32, device="cuda")
        kernel[(1,)](a, b, d, a.shape[1], SIZE, min(64, a.shape[1]))
        return d

    return ("e4m3fn", "e5m2", "bf16", "fp16", "tf32"), product


def of_xla():
    import jax
    import jax.numpy as jnp

    def dot(a, b):
        return jax.lax.dot_general(a, b, (((1,), (1,)), ((), ())), preferred_element_type=jnp.float32)

    compiled = jax.jit(dot)
    names = {"bf16": jnp.bfloat16, "fp16": jnp.float16, "e4m3fn": jnp.float8_e4m3fn, "e5m2": jnp.float8_e5m2}

    def product(a, b):
        dtype = next(names[name] for name, (kind, _) in TYPES.items() if kind == a.dtype)
        width = torch.uint8 if a.element_size() == 1 else torch.int16
        sides = [jax.lax.bitcast_convert_type(jax.dlpack.from_dlpack(each.view(width)), dtype) for each in (a, b)]
        return torch.from_dlpack(compiled(*sides).block_until_ready())

    return tuple(names), product


PATHS = {"torch_scaled": lambda: of_torch_scaled(False), "torch_scaled_fast": lambda: of_torch_scaled(True),
         "torch_tf32": of_torch_tf32, "torch_half": of_torch_half, "triton": of_triton, "xla": of_xla}


def save(path, words, name):
    """An array of codes as mxgold mma reads it: bfloat16 is a type of two bytes to NumPy."""
    if name == "bf16":
        with open(path, "wb") as file:
            np.lib.format.write_array_header_1_0(file, {"descr": "<V2", "fortran_order": False, "shape": words.shape})
            file.write(words.tobytes())
    else:
        np.save(path, words.view({"fp16": np.float16, "tf32": np.float32}.get(name, np.uint8)))


def main():
    path, folder = sys.argv[1:]
    if not torch.cuda.is_available():
        print("SKIP products: no CUDA device")
        sys.exit(77)
    names, product = PATHS[path]()
    for name in names:
        width = TYPES[name][1]
        for k in LENGTHS:
            a, b = operands(name, k, k), operands(name, k, k + 1)
            try:
                d = product(a, b).contiguous()
            except Exception as error:  # pylint: disable=broad-exception-caught
                print(f"{path}: {name}, k {k}: refused: {' '.join(str(error).split())[:160]}", flush=True)
                continue
            stem = os.path.join(folder, f"{path}.{name}.{k}.")
            save(stem + "a.npy", a.view(width).cpu().numpy(), name)
            save(stem + "b.npy", b.view(width).cpu().numpy(), name)
            np.save(stem + "d.npy", d.cpu().numpy())
            print(f"{path}: {name}, k {k}: {SIZE * SIZE} products", flush=True)


if __name__ == "__main__":
    main()
