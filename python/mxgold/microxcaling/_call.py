"""Calls of microxcaling's functions as texts of casts."""

import sys

import numpy

from .. import _systems
from .._arrays import is_torch, to_words
from .._mode import setting
from .formats import ElemFormat, RoundingMode


def as_float(A):
    """Integers become floats of 32 bits, as dividing them does; lists and numbers arrays."""
    if is_torch(A):
        torch = sys.modules["torch"]
        return A if A.dtype.is_floating_point else A.to(torch.get_default_dtype())
    array = numpy.asarray(A)
    if not hasattr(A, "dtype") or array.dtype.kind in "iub":
        return array.astype(numpy.float32)
    return array


def path_of(A, custom_cuda, round):
    """Which program quantizes: custom_cuda knows no dither and, on a CPU tensor, runs the C++ functions."""
    if not custom_cuda or round not in RoundingMode.string_enums():
        return "python"
    return "cuda" if is_torch(A) and A.device.type == "cuda" else "cpp"


def check_round(round):
    if round not in ("dither", *RoundingMode.string_enums()):
        raise Exception(f"Unrecognized round method {round}")


def name_of(elem_format):
    """The name of a format that came as a name or an ElemFormat."""
    if isinstance(elem_format, str):
        elem_format = ElemFormat.from_str(elem_format)
    return elem_format.name


def _random_words(A, count):
    """As many 32-bit words as the system would draw, from torch's generator for tensors, else from NumPy's."""
    if is_torch(A):
        torch = sys.modules["torch"]
        return (torch.rand(count) * 2.0**24).numpy().astype(numpy.uint32)
    return numpy.random.randint(0, 1 << 24, size=count, dtype=numpy.uint32)


def run(name, A, mode=None, **parameters):
    """name(parameters) applied to an array or tensor; dither draws its numbers from torch's or NumPy's generator."""
    A = as_float(A)
    spelt = ",".join(f"{key}={value}" for key, value in parameters.items())
    text = f"microxcaling:{name}({spelt})"
    random = None
    if parameters.get("round") == "dither":
        count = _systems.cast(text, mode).random_words({"values": to_words(A)})
        random = _random_words(A, count)
    values = _systems.apply(text, A, random=random, mode=mode)["values"]
    return values if is_torch(A) or values.dtype.kind != "u" else values.view(A.dtype)


def sparse(A, quantize, mode):
    """A sparse tensor by its values. The package computes them and then returns a name that it never set."""
    torch = sys.modules["torch"]
    if A.layout != torch.sparse_coo:
        raise NotImplementedError("Only COO layout sparse tensors are currently supported.")
    if setting(mode)[0] == "compat":
        raise UnboundLocalError("cannot access local variable 'output' where it is not associated with a value")
    A = A.coalesce()
    return torch.sparse_coo_tensor(A.indices(), quantize(A.values()), A.size(), dtype=A.dtype, device=A.device)
