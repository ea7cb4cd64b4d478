"""What quantizers and encodings do with NumPy arrays and torch tensors alike."""

import sys

import numpy

from .._arrays import is_torch
from .._systems import apply


def torch_if_imported():
    return sys.modules.get("torch")


def dtype_name(value):
    """The name of a dtype of torch or NumPy, or of an array: "bfloat16"."""
    value = getattr(value, "dtype", value)
    if isinstance(value, str):
        return value.rpartition(".")[2]
    text = str(value)
    return text.rpartition(".")[2] if text.startswith("torch.") else numpy.dtype(value).name


def native(array):
    """An array as what the process works with: a torch tensor once torch has been imported."""
    torch = torch_if_imported()
    if torch is None or is_torch(array):
        return array
    return torch.from_numpy(numpy.array(array, order="C"))


def as_numpy(value):
    return value.detach().cpu().numpy() if is_torch(value) else numpy.asarray(value)


def as_tensor(value):
    """Numbers and lists as arrays of float32; arrays and tensors as they are."""
    return value if hasattr(value, "dtype") else numpy.asarray(value, dtype=numpy.float32)


def is_floating(value):
    return dtype_name(value) in ("float32", "bfloat16", "float16", "float64")


def elements(value):
    return int(numpy.prod(tuple(value.shape), dtype=numpy.int64))


def same_kind(tensor, like):
    """A tensor as what `like` is, so that both can be given to a cast."""
    if is_torch(like) and not is_torch(tensor):
        return native(tensor)
    return as_numpy(tensor) if is_torch(tensor) and not is_torch(like) else tensor


def quantize_dequantize(text, value, scale, mode):
    """The cast of a text under a scale; torch tensors that want one get its gradient."""
    if not (is_torch(value) and value.requires_grad and torch_if_imported().is_grad_enabled()):
        return apply(text, value, mode=mode, scale=scale)["values"]
    return _function().apply(value, text, scale, mode)


_FUNCTIONS = []


def _function():
    """The torch.autograd.Function, made when the first gradient is wanted."""
    if _FUNCTIONS:
        return _FUNCTIONS[0]
    torch = torch_if_imported()

    class QuantizeDequantize(torch.autograd.Function):
        @staticmethod
        def forward(context, value, text, scale, mode):
            context.save_for_backward(value, scale)
            context.text, context.mode = text, mode
            return apply(text, value, mode=mode, scale=scale)["values"]

        @staticmethod
        def backward(context, gradient):
            value, scale = context.saved_tensors
            results = apply(context.text, value, mode=context.mode, scale=scale, gradient=gradient)
            return results["gradient"], None, None, None

    _FUNCTIONS.append(QuantizeDequantize)
    return QuantizeDequantize
