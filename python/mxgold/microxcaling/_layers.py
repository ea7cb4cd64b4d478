"""Linear layers and matrix products whose operands are quantized in blocks. Needs torch."""

import torch

from ._autograd import LinearFunction, MatMulFunction
from .elemwise_ops import quantize_elemwise_op
from .specs import apply_mx_specs, mx_assert_test



def linear(input, weight, bias=None, mx_specs=None, prequantized_weights=False, name=None):
    """input (..., in) times weight (out, in) transposed, plus bias (out), under a specification; torch's own without.
    prequantized_weights: weight and bias are bfloat16 already."""
    mx_assert_test(mx_specs)
    if mx_specs is None:
        return torch.nn.functional.linear(input, weight, bias)
    return LinearFunction.apply(input, weight, bias, apply_mx_specs(mx_specs), prequantized_weights, name)


class Linear(torch.nn.Linear):
    """torch.nn.Linear under a specification."""

    def __init__(self, in_features, out_features, bias=True, mx_specs=None, name=None):
        self.name = name
        self.prequantized_weights = False
        self.apply_mx_specs(mx_specs)
        super().__init__(in_features, out_features, bias)

    def apply_mx_specs(self, mx_specs):
        """Takes another specification from here on."""
        mx_assert_test(mx_specs)
        self.mx_none = mx_specs is None
        self.mx_specs = apply_mx_specs(mx_specs)

    def append_name(self, postfix):
        self.name += postfix

    def prequantize_weights(self):
        """Makes weight and bias bfloat16 for good: for inference on a CUDA device under bfloat 16 and "even"."""
        if self.mx_none:
            return
        assert self.mx_specs["round"] == "even", "Bfloat round should be 'even' for prequantizing weights."
        assert torch.cuda.is_bf16_supported(), "Current device does not support bfloat16"
        assert self.mx_specs["bfloat_subnorms"] == True, (  # noqa: E712 (1 counts)
            "Bfloat_subnorms should be set to True for prequantizing weights.")
        assert self.mx_specs["bfloat"] == 16, "Only Bfloat16 is supported for prequantizing weights."
        with torch.no_grad():
            for parameter in (self.weight, self.bias):
                if parameter is not None:
                    rounded = quantize_elemwise_op(parameter.data, mx_specs=self.mx_specs,
                                                   round=self.mx_specs["round_weight"])
                    parameter.data = rounded.to(torch.bfloat16)
        self.prequantized_weights = True

    def forward(self, inputs):
        if self.mx_none:
            return super().forward(inputs)
        if self.prequantized_weights:
            assert not self.training, "Cannot use prequantized weights when training!"
        return linear(inputs, self.weight, self.bias, self.mx_specs, self.prequantized_weights, self.name)


def matmul(in1, in2, bias=None, mx_specs=None, name=None, mode_config="aa"):
    """in1 (..., m, k) times in2 (..., k, n), plus bias (n), under a specification; torch's own without.
    mode_config: "aa", "aw" or "wa", whether each operand takes the formats of activations or of weights."""
    mx_assert_test(mx_specs)
    if mx_specs is None:
        return torch.matmul(in1, in2) if bias is None else torch.addmm(bias, in1, in2)
    return MatMulFunction.apply(in1, in2, bias, apply_mx_specs(mx_specs), mode_config, torch.matmul)


def bmm(in1, in2, mx_specs=None, name=None):
    """in1 (b, m, k) times in2 (b, k, n) under a specification, both with the formats of activations."""
    mx_assert_test(mx_specs)
    if mx_specs is None:
        return torch.bmm(in1, in2)
    return MatMulFunction.apply(in1, in2, None, apply_mx_specs(mx_specs), "aa", torch.bmm)
