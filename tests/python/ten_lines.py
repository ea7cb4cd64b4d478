import mxgold
import numpy as np

weights = np.random.default_rng(0).standard_normal((256, 512)).astype(np.float32)
q = mxgold.quantize(weights, "mxfp8_e4m3")                     # codes, and a scale for 32 of them
error = np.abs(np.asarray(q) - weights).max()
print(f"{q}: largest error {error:.4f}")
half = mxgold.convert(weights, "fp16", "rounding=toward_zero")  # single values: NumPy's float16
print(mxgold.dot(q, q, mode="fp32_seq")[:2, :2])               # every product and sum rounded as named
print(mxgold.explain(weights[0, :4], "mxfp8_e4m3"))            # why these codes
print(repr(mxgold.diff("torchao-0.18", "te", "mxfp8_e4m3", source="bf16")))
