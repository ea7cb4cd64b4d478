"""quantize_bfloat: the format of a specification, in both directions of autograd."""

from .._arrays import is_torch
from .elemwise_ops import quantize_elemwise_op
from .specs import apply_mx_specs, mx_assert_test


def quantize_bfloat(x, mx_specs, round=None, *, mode=None):
    """Rounds x to the bfloat or fp format of a specification; the gradient of a torch tensor is rounded, too, unless
    quantize_backprop is False. None leaves x as it is."""
    mx_assert_test(mx_specs)
    if mx_specs is None:
        return x
    mx_specs = apply_mx_specs(mx_specs)
    round = mx_specs["round"] if round is None else round
    if not is_torch(x):
        return quantize_elemwise_op(x, mx_specs, round, mode=mode)
    from ._autograd import QuantizeBfloatFunction

    return QuantizeBfloatFunction.apply(x, mx_specs, round, mode)

