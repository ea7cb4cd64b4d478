#!/usr/bin/env python3
"""mxgold against the reference evaluator of ONNX: the operator Cast from float32, float16 and bfloat16 to float8, float4
and e8m0, saturating and not, in both documented roundings of e8m0. Surface `runtime`: ONNX Runtime's Cast of opset 25 on the
CPU against the profile of the operator's tables."""

import ctypes
import sys

import numpy as np

from judge import Judge, need
import mxgold
import stimuli

onnx, ml_dtypes = need("onnx", "ml_dtypes")
from onnx import TensorProto, helper  # noqa: E402  (need() names what is missing)
from onnx.reference import ReferenceEvaluator  # noqa: E402

# mxgold's format: ONNX's type
FLOAT8 = {"e4m3fn": TensorProto.FLOAT8E4M3FN, "e4m3fnuz": TensorProto.FLOAT8E4M3FNUZ,
          "e5m2": TensorProto.FLOAT8E5M2, "e5m2fnuz": TensorProto.FLOAT8E5M2FNUZ}
# mxgold's source: ONNX's type, NumPy's
SOURCES = {"fp32": (TensorProto.FLOAT, np.float32), "fp16": (TensorProto.FLOAT16, np.float16),
           "bf16": (TensorProto.BFLOAT16, ml_dtypes.bfloat16)}


def inputs_of(source, seed):
    codes = stimuli.structured("fp32", seed, 500_000) if source == "fp32" else stimuli.all_16_bit()
    return stimuli.one_nan(codes, source)


def model_of(source, count, destination, **attributes):
    """One Cast of opset 25."""
    kind, _ = SOURCES[source]
    node = helper.make_node("Cast", ["x"], ["y"], to=destination, **attributes)
    graph = helper.make_graph([node], "cast", [helper.make_tensor_value_info("x", kind, [count])],
                              [helper.make_tensor_value_info("y", destination, [count])])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 25)])


def cast(source, codes, destination, **attributes):
    """The codes that a model of one Cast answers."""
    model = model_of(source, codes.size, destination, **attributes)
    with np.errstate(all="ignore"):
        return ReferenceEvaluator(model).run(None, {"x": codes.view(SOURCES[source][1])})[0].view(np.uint8)


def judge_floats(judge, library):
    for source in SOURCES:
        codes = inputs_of(source, judge.args.seed)
        for name, destination in FLOAT8.items():
            for saturate, variant in ((1, {}), (0, {"variant": "saturate_0"})):
                ours = library.convert(codes, source, name, profile="onnx-ref", **variant,
                                       rounding=judge.wrong_rounding("ties_to_even"))
                judge.same(f"{source} to {name}, saturate={saturate}", codes, ours,
                           cast(source, codes, destination, saturate=saturate))
        ours = library.convert(codes, source, "e2m1fn", profile="onnx-ref",
                               rounding=judge.wrong_rounding("ties_to_even"))
        judge.same(f"{source} to e2m1fn", codes, ours, cast(source, codes, TensorProto.FLOAT4E2M1))


def judge_scales(judge, library):
    for source in SOURCES:
        codes = inputs_of(source, judge.args.seed)
        for variant, attributes in (({}, {"saturate": 1, "round_mode": "up"}),
                                    ({"variant": "nearest"}, {"saturate": 1, "round_mode": "nearest"}),
                                    ({"variant": "saturate_0"}, {"saturate": 0, "round_mode": "up"})):
            wrong = {"rounding": "toward_zero", "e8m0_quirk": "none"} if judge.args.wrong else {}
            ours = library.convert(codes, source, "e8m0", profile="onnx-ref", **variant, **wrong)
            judge.same(f"{source} to e8m0, {attributes}", codes, ours,
                       cast(source, codes, TensorProto.FLOAT8E8M0, **attributes))


def run(runtime, source, codes, destination, **attributes):
    """The same by ONNX Runtime."""
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    session = runtime.InferenceSession(model_of(source, codes.size, destination, **attributes).SerializeToString(), options,
                                       providers=["CPUExecutionProvider"])
    binding = session.io_binding()
    given = runtime.OrtValue.ortvalue_from_numpy_with_onnx_type(codes, SOURCES[source][0])
    binding.bind_ortvalue_input("x", given)
    binding.bind_output("y")
    session.run_with_iobinding(binding)
    result = binding.get_outputs()[0]
    return np.ctypeslib.as_array((ctypes.c_uint8 * codes.size).from_address(result.data_ptr())).copy()


def judge_runtime(judge, library):
    runtime = need("onnxruntime")
    print(f"  onnxruntime {runtime.__version__}")

    def compare(what, source, codes, open_codes, other, ours, theirs, sees_wrong=True):
        compared = ~(open_codes | other)
        judge.same(f"runtime {what}", codes[compared], ours[compared], theirs[compared], sees_wrong)
        print(f"    not compared: {open_codes.sum()} that the profile leaves open, {(other & ~open_codes).sum()} that it is known "
              f"to answer otherwise, of which it does {(other & ~open_codes & (ours != theirs)).sum()}")

    for source, (_, dtype) in SOURCES.items():
        codes = inputs_of(source, judge.args.seed)
        values = codes.view(dtype).astype(np.float64)
        size, nan, none = np.abs(values), np.isnan(values), np.zeros(codes.shape, dtype=bool)
        rounding = judge.wrong_rounding("ties_to_even")
        for name, destination in FLOAT8.items():
            for saturate, variant in ((1, {}), (0, {"variant": "saturate_0"})):
                ours = library.convert(codes, source, name, profile="onnx-op25-spec", rounding=rounding, **variant)
                # Without saturation it takes numbers up to 496 for the largest e4m3fn, those up to 2^16 for an e5m2 NaN, and
                # drops the sign of a bfloat16 NaN.
                low, high = {"e4m3fn": (480, 496), "e5m2": (61440, 65536)}.get(name, (1, 0))
                other = none if saturate else (size >= low) & (size < high) | nan & (source == "bf16") & (low > 1)
                compare(f"{source} to {name}, saturate={saturate}", source, codes, nan & (name == "e5m2"), other, ours,
                        run(runtime, source, codes, destination, saturate=saturate))
        negative = np.signbit(values) & ~nan
        wrong = {"rounding": "toward_zero"} if judge.args.wrong else {}
        ours = library.convert(codes, source, "e8m0", profile="onnx-op25-spec", **wrong)
        compare(f"{source} to e8m0, up", source, codes, negative, none, ours,
                run(runtime, source, codes, TensorProto.FLOAT8E8M0, saturate=1, round_mode="up"))
        ours = library.convert(codes, source, "e8m0", profile="onnx-op25-spec", variant="nosat_nearest", **wrong)
        beyond = (size > 0) & (size < 2.0**-127) | (size > 2.0**127) & np.isfinite(size)
        compare(f"{source} to e8m0, nearest without saturation", source, codes, negative | beyond, none, ours,
                run(runtime, source, codes, TensorProto.FLOAT8E8M0, saturate=0, round_mode="nearest"))
    print("  not compared: e2m1fn, to which it casts none of these")


def main():
    judge = Judge("onnx", f"onnx {onnx.__version__}, ml_dtypes {ml_dtypes.__version__}", ("floats", "scales", "runtime"))
    library = mxgold.Library()
    for surface, compare in (("floats", judge_floats), ("scales", judge_scales), ("runtime", judge_runtime)):
        if judge.wants(surface):
            compare(judge, library)
    judge.finish()


if __name__ == "__main__":
    sys.exit(main())
