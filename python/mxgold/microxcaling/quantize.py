"""quantize_bfloat: the format of a specification, in both directions of autograd."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping

from .._arrays import is_torch
from .elemwise_ops import quantize_elemwise_op
from .specs import apply_mx_specs, mx_assert_test

if TYPE_CHECKING:
    from .._types import ArrayOrTensorT

__all__ = ["quantize_bfloat"]


def quantize_bfloat(x: ArrayOrTensorT, mx_specs: Mapping[str, Any] | None, round: str | None = None, *,
                    mode: str | None = None) -> ArrayOrTensorT:
    """Rounds x to the bfloat or fp format of a specification; the gradient of a torch tensor is rounded, too, unless
    quantize_backprop is False. None leaves x as it is.

    x: an array or tensor of fp32, bf16, fp16 or fp64, of any shape, which the result has, too. Raises what
    quantize_elemwise_op() raises.
    """
    mx_assert_test(mx_specs)
    if mx_specs is None:
        return x
    specs = apply_mx_specs(mx_specs)
    round = specs["round"] if round is None else round
    if not is_torch(x):
        return quantize_elemwise_op(x, specs, round, mode=mode)
    from ._autograd import QuantizeBfloatFunction

    rounded: ArrayOrTensorT = QuantizeBfloatFunction.apply(x, specs, round, mode)
    return rounded
