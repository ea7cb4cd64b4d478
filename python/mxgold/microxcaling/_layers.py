"""Linear layers and matrix products whose operands are quantized in blocks. Needs torch."""

from __future__ import annotations

import torch

from ._autograd import LinearFunction, MatMulFunction
from ._vector import Specified, Specs
from .elemwise_ops import quantize_elemwise_op
from .specs import apply_mx_specs, mx_assert_test

__all__ = ["Linear", "bmm", "linear", "matmul"]


def linear(input: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None, mx_specs: Specs = None,
           prequantized_weights: bool = False, name: str | None = None) -> torch.Tensor:
    """input (..., in) times weight (out, in) transposed, plus bias (out), under a specification; torch's own without.
    prequantized_weights: weight and bias are bfloat16 already."""
    mx_assert_test(mx_specs)
    if mx_specs is None:
        return torch.nn.functional.linear(input, weight, bias)
    found: torch.Tensor = LinearFunction.apply(input, weight, bias, apply_mx_specs(mx_specs), prequantized_weights,
                                               name)
    return found


class Linear(Specified, torch.nn.Linear):
    """linear() as a layer: torch.nn.Linear under a specification.

    prequantized_weights: are weight and bias in bfloat16 for good?
    """

    def __init__(self, in_features: int, out_features: int, bias: bool = True, mx_specs: Specs = None,
                 name: str | None = None) -> None:
        super().__init__(in_features, out_features, bias)
        self.prequantized_weights: bool = False
        self._take(mx_specs, name)

    def prequantize_weights(self) -> None:
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

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """inputs (..., in_features); (..., out_features)."""
        if self.mx_none:
            return super().forward(inputs)
        if self.prequantized_weights:
            assert not self.training, "Cannot use prequantized weights when training!"
        return linear(inputs, self.weight, self.bias, self.mx_specs, self.prequantized_weights, self.name)


def matmul(in1: torch.Tensor, in2: torch.Tensor, bias: torch.Tensor | None = None, mx_specs: Specs = None,
           name: str | None = None, mode_config: str = "aa") -> torch.Tensor:
    """in1 (..., m, k) times in2 (..., k, n), plus bias (n), under a specification; torch's own without.
    mode_config: "aa", "aw" or "wa", whether each operand takes the formats of activations or of weights."""
    mx_assert_test(mx_specs)
    if mx_specs is None:
        return torch.matmul(in1, in2) if bias is None else torch.addmm(bias, in1, in2)
    found: torch.Tensor = MatMulFunction.apply(in1, in2, bias, apply_mx_specs(mx_specs), mode_config, torch.matmul)
    return found


def bmm(in1: torch.Tensor, in2: torch.Tensor, mx_specs: Specs = None, name: str | None = None) -> torch.Tensor:
    """in1 (b, m, k) times in2 (b, k, n) under a specification, both with the formats of activations."""
    mx_assert_test(mx_specs)
    if mx_specs is None:
        return torch.bmm(in1, in2)
    found: torch.Tensor = MatMulFunction.apply(in1, in2, None, apply_mx_specs(mx_specs), "aa", torch.bmm)
    return found
