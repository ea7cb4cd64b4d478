#!/usr/bin/env python3
"""mxgold against the reference evaluator of ONNX: the operator Cast from float32, float16 and bfloat16 to float8, float4
and e8m0, saturating and not, in both documented roundings of e8m0."""

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


def cast(source, codes, destination, **attributes):
    """The codes that a model of one Cast answers."""
    kind, dtype = SOURCES[source]
    node = helper.make_node("Cast", ["x"], ["y"], to=destination, **attributes)
    graph = helper.make_graph([node], "cast", [helper.make_tensor_value_info("x", kind, [codes.size])],
                              [helper.make_tensor_value_info("y", destination, [codes.size])])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 25)])
    with np.errstate(all="ignore"):
        return ReferenceEvaluator(model).run(None, {"x": codes.view(dtype)})[0].view(np.uint8)


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


def main():
    judge = Judge("onnx", f"onnx {onnx.__version__}, ml_dtypes {ml_dtypes.__version__}", ("floats", "scales"))
    library = mxgold.Library()
    for surface, compare in (("floats", judge_floats), ("scales", judge_scales)):
        if judge.wants(surface):
            compare(judge, library)
    judge.finish()


if __name__ == "__main__":
    sys.exit(main())
