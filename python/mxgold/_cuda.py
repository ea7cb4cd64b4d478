"""Tensors of a CUDA device in blocks, where they lie: the device path of mxgold_cuda.h, without a copy to the host.

It is gone where libmxgold_cuda is there (MXGOLD_CUDA_LIBRARY, or beside libmxgold), it has device code, and a plan for
the configuration; the first use of each plan is compared with the reference. Everything else is copied to the host and
back.
"""

from __future__ import annotations

import ctypes
import functools
import os
import pathlib
from typing import TYPE_CHECKING, Any

import numpy

from . import _native
from ._library import LIBRARY, Error, encoded
from ._dtypes import unsigned_of
from ._formats import BlockFormat, element_format
from ._homes import TorchHome
from ._plans import BlockPlan, Level, at_level_of, axis_of, plan_of
from ._policies import Policy
from ._quantized import Quantized
from ._torch import tensor_of, torch_type, words_of_tensor

if TYPE_CHECKING:
    from ._homes import Home
    from ._types import Array

_ABI_VERSION = 1
_MESSAGE_BYTES = 256


class _Layout(ctypes.Structure):
    _fields_ = [("outer", ctypes.c_uint64), ("length", ctypes.c_uint64), ("inner", ctypes.c_uint64),
                ("blocks_last", ctypes.c_uint32), ("packed", ctypes.c_uint32), ("swizzled", ctypes.c_uint32)]


class _Results(ctypes.Structure):
    _fields_ = [("codes", ctypes.c_void_p), ("scales", ctypes.c_void_p), ("status", ctypes.c_void_p)]


class _Random(ctypes.Structure):
    _fields_ = [("words", ctypes.c_void_p), ("seed", ctypes.c_uint64), ("tensor", ctypes.c_uint32)]


@functools.lru_cache(maxsize=1)
def _library() -> ctypes.CDLL | None:
    beside = pathlib.Path(LIBRARY._name).parent / "libmxgold_cuda.so"
    named = os.environ.get("MXGOLD_CUDA_LIBRARY") or (str(beside) if beside.exists() else "")
    if not named:
        return None
    library = ctypes.CDLL(named)
    if library.mxgold_cuda_abi_version() != _ABI_VERSION:
        raise ImportError(f"{named}: interface {library.mxgold_cuda_abi_version()}, this package wants {_ABI_VERSION}")
    library.mxgold_cuda_problem.restype = ctypes.c_char_p
    pointer, size, text = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p
    message, layout = [text, size], ctypes.POINTER(_Layout)
    results, random = ctypes.POINTER(_Results), ctypes.POINTER(_Random)
    signatures = {
        "mxgold_cuda_open": [text, ctypes.POINTER(pointer), *message],
        "mxgold_cuda_describe": [pointer, layout, pointer, *message],
        "mxgold_cuda_quantize": [pointer, pointer, layout, pointer, results, random, *message],
        "mxgold_cuda_quantize_on_host": [pointer, layout, pointer, results, random, *message],
        "mxgold_cuda_quantize_scaled": [pointer, pointer, layout, pointer, results, pointer, *message],
        "mxgold_cuda_quantize_drawn": [pointer, pointer, layout, pointer, results, pointer, random, *message],
        "mxgold_cuda_dequantize": [pointer, pointer, layout, pointer, pointer, pointer, *message],
        "mxgold_cuda_dequantize_on_host": [pointer, layout, pointer, pointer, pointer, *message],
        "mxgold_cuda_dequantize_scaled": [pointer, pointer, layout, pointer, pointer, pointer, pointer, *message],
    }
    for name, arguments in signatures.items():
        function = getattr(library, name)
        function.restype, function.argtypes = ctypes.c_int, arguments
    return library


class _DevicePlan:
    """A plan of the library. It lives as long as the process, as the cache that holds it does."""

    def __init__(self, library: ctypes.CDLL, text: str) -> None:
        self.library = library
        self.handle = ctypes.c_void_p()
        self._call("open", encoded(text), ctypes.byref(self.handle))

    def _call(self, name: str, *arguments: Any) -> None:
        message = ctypes.create_string_buffer(_MESSAGE_BYTES)
        status = getattr(self.library, f"mxgold_cuda_{name}")(*arguments, message, _MESSAGE_BYTES)
        _native.require(status, message)

    def call(self, name: str, *arguments: Any) -> None:
        """A function of the plan. ValueError for a layout that it does not take."""
        self._call(name, self.handle, *arguments)

    def takes(self, layout: _Layout) -> bool:
        """Has it a kernel for tensors of these sizes?"""
        sizes = (ctypes.c_uint64 * 4)()
        try:
            self.call("describe", ctypes.byref(layout), sizes)
        except ValueError:
            return False
        return True


@functools.lru_cache(maxsize=256)
def _plan_of(text: str, on_host: bool) -> _DevicePlan | None:
    """The plan of a text; None where the library has none, or nothing can run on a device."""
    library = _library()
    if library is None or (not on_host and library.mxgold_cuda_problem()):
        return None
    try:
        return _DevicePlan(library, text)
    except ValueError:
        return None


def _words_of_policy(plan: BlockPlan) -> str:
    """A policy as the words of a plan."""
    size = "" if plan.format.block_size is None else f" block_size={plan.format.block_size}"
    return size + "".join(f" {name}={value}" for name, value in plan.policy.items() if name != "block_size")


def _number_of(level: Level) -> str:
    return "" if level is None else f" tensor_amax={level[0]:08x} stored_tensor_scale={level[1]:08x}"


def _layout_of(shape: tuple[int, ...], axis: int) -> _Layout:
    outer, inner = 1, 1
    for size in shape[:axis]:
        outer *= size
    for size in shape[axis + 1:]:
        inner *= size
    return _Layout(outer, shape[axis] if shape else 1, inner, 0, 0, 0)


class Run:
    """How calls reach the device of a tensor: its current stream. on_host: the same arithmetic here, for tests."""

    def __init__(self, torch: Any, device: Any, on_host: bool = False) -> None:
        self.torch, self.device, self.on_host = torch, device, on_host

    def call(self, plan: _DevicePlan, name: str, *arguments: Any) -> None:
        """A function of a plan, on the tensor's device."""
        if self.on_host:
            plan.call(f"{name}_on_host", *arguments)
            return
        with self.torch.cuda.device(self.device):
            plan.call(name, ctypes.c_void_p(self.torch.cuda.current_stream().cuda_stream), *arguments)

    def empty(self, shape: tuple[int, ...], name: str, width: int) -> Any:
        """A tensor for codes of a format."""
        kind = torch_type(name) or getattr(self.torch, f"uint{8 * width}")
        return self.torch.empty(shape, dtype=kind, device=self.device)


class OnDevice(Quantized):
    """A Quantized whose codes lie on a device. What has to be known here (a pickle, flags) is copied when it is asked for."""

    __slots__ = ("_arrays", "_found_flags", "_run", "_tensors", "_x")

    def __init__(self, tensors: tuple[Any, Any], x: Any, key: tuple[int, int], run: Run, plan: BlockPlan, axis: int,
                 quantizer: _native.Quantizer, level: Level, home: Home) -> None:
        self._tensors, self._x, self._run = tensors, (x, key), run
        self._arrays: tuple[Array, Array] | None = None
        self._found_flags: int | None = None
        self._plan, self._axis, self._quantizer, self._level = plan, axis, quantizer, level
        self._hadamard, self._home = None, home

    def _here(self) -> tuple[Array, Array]:
        if self._arrays is None:
            codes, scales = self._tensors
            self._arrays = words_of_tensor(codes)[0], words_of_tensor(scales)[0]
        return self._arrays

    @property
    def _codes(self) -> Array:  # type: ignore[override]
        return self._here()[0]

    @property
    def _scales(self) -> Array:  # type: ignore[override]
        return self._here()[1]

    @property
    def _flags(self) -> int:  # type: ignore[override]
        """The flags, which the device does not tell: the reference quantizes x once more."""
        if self._found_flags is None:
            x, key = self._x
            self._found_flags = _reference(x, self._plan, self._axis, self._quantizer, key)[2]
        return self._found_flags

    @property
    def codes(self) -> Any:
        """Element codes, of the array's shape, on the device."""
        return self._tensors[0]

    @property
    def scales(self) -> Any:
        """Scale codes, on the device."""
        return self._tensors[1]

    @property
    def code_bits(self) -> Any:
        """The element codes as unsigned integers, sharing memory."""
        return _as_unsigned(self._tensors[0])

    @property
    def scale_bits(self) -> Any:
        """The scale codes as unsigned integers, sharing memory."""
        return _as_unsigned(self._tensors[1])

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return tuple(self._tensors[0].shape)

    def dequantize(self, output: Any = "fp32", *, undo_hadamard: bool = False) -> Any:
        """The values, on the device; as Quantized.dequantize()."""
        if not undo_hadamard:
            values = _values(self, output)
            if values is not None:
                return values
        return super().dequantize(output, undo_hadamard=undo_hadamard)


def _as_unsigned(tensor: Any) -> Any:
    import torch

    return tensor.view(getattr(torch, f"uint{8 * tensor.element_size()}"))


def _reference(x: Any, plan: BlockPlan, axis: int, quantizer: _native.Quantizer,
               key: tuple[int, int]) -> tuple[Array, Array, int]:
    """(codes, scales, flags) of a tensor, as the library has them here."""
    words = words_of_tensor(x)[0]
    codes = numpy.empty(words.shape, plan.format.element.dtype)
    scales = numpy.empty(plan.format.scale_shape(words.shape, axis), plan.format.scale_dtype)
    flags = ctypes.c_uint32()
    _native.require(LIBRARY.mxgold_quantize_tensor(
        quantizer.pointer, _native.shape_of(words.shape), words.ndim, axis, _native.address(words), words.nbytes, *key,
        _native.address(codes), codes.nbytes, _native.address(scales), scales.nbytes, ctypes.byref(flags)))
    return codes, scales, flags.value


def _start(run: Run, device_plan: _DevicePlan, x: Any, plan: BlockPlan, axis: int, key: tuple[int, int]) -> Any:
    """(codes, scales) of a tensor by the device; None where it has no kernel for these sizes."""
    layout = _layout_of(tuple(x.shape), axis)
    if x.numel() == 0 or not device_plan.takes(layout):
        return None
    element, scale = plan.format.element, plan.format.scale
    codes = run.empty(tuple(x.shape), element.name, element.storage_bytes)
    scales = run.empty(plan.format.scale_shape(tuple(x.shape), axis), scale, plan.format.scale_bytes)
    results = _Results(codes.data_ptr(), scales.data_ptr(), None)
    run.call(device_plan, "quantize", ctypes.byref(layout), x.data_ptr(), ctypes.byref(results),
             ctypes.byref(_Random(None, *key)))
    return codes, scales


@functools.lru_cache(maxsize=256)
def _agrees(text: str, run_key: tuple[Any, Any, bool], plan: BlockPlan) -> bool:
    """Does a plan give the reference's codes of a few thousand structured values? Error where a bit differs."""
    run = Run(*run_key)
    device_plan = _plan_of(text, run.on_host)
    rng = numpy.random.default_rng(1)
    words = (rng.integers(0, 1 << 32, 16384, numpy.uint64) >> (32 - 8 * _WIDTHS[plan.source])).astype(
        f"u{_WIDTHS[plan.source]}")
    exponents = words & words.dtype.type(_EXPONENTS[plan.source])
    words[::2][exponents[::2] == _EXPONENTS[plan.source]] = 0  # half of the blocks are of numbers
    x = tensor_of(words.reshape(-1, 512), plan.source, run.device)
    assert device_plan is not None
    for axis in (0, 1):
        started = _start(run, device_plan, x, plan, axis, (7, 1))
        if started is None:
            continue
        for name, found, wanted in zip(("codes", "scales"), started, _reference(x, plan, axis, plan.quantizer, (7, 1))[:2]):
            if words_of_tensor(found)[0].tobytes() != wanted.tobytes():
                raise Error(f"{name} of {plan.format} by the device are not the reference's; keep to "
                            "backend=\"reference\", and report it")
    return True


_SOURCES = {"torch.float32": "fp32", "torch.bfloat16": "bf16", "torch.float16": "fp16"}
_WIDTHS = {"fp32": 4, "bf16": 2, "fp16": 2}
_EXPONENTS = {"fp32": 0x7F800000, "bf16": 0x7F80, "fp16": 0x7C00}


def _largest(x: Any, width: int) -> Array | None:
    """The largest magnitude of a tensor, as one word of its type; None where it holds an infinity or a NaN."""
    largest = x.abs().max().reshape(1)
    words = words_of_tensor(largest)[0].view(f"u{width}")
    return words if bool(largest.isfinite()) else None


def quantize_there(x: Any, block: BlockFormat, policy: str | Policy, axis: int, key: tuple[int, int],
                   run: Run) -> OnDevice | None:
    """A tensor in blocks by the device it lies on; None where it has no path for it."""
    source = _SOURCES.get(str(x.dtype))
    if source is None or not x.is_contiguous() or not x.numel():
        return None
    plan = plan_of(unsigned_of(_WIDTHS[source]), block, policy, source)
    text = f"format={plan.format} source={source}{_words_of_policy(plan)}"
    if _plan_of(text, run.on_host) is None:
        return None
    x, axis = x.detach(), axis_of(axis, tuple(x.shape))
    quantizer, level = plan.quantizer, None
    if plan.format.two_level:
        largest = _largest(x, _WIDTHS[source])
        if largest is None:
            return None
        quantizer, level = at_level_of(plan, largest, None, None)
    device_plan = _plan_of(text + _number_of(level), run.on_host)
    if device_plan is None or not _agrees(text, (run.torch, run.device, run.on_host), plan):
        return None
    started = _start(run, device_plan, x, plan, axis, key)
    return None if started is None else OnDevice(started, x, key, run, plan, axis, quantizer, level, TorchHome(x.device))


def _values(q: OnDevice, output: Any) -> Any:
    """The values of a Quantized on its device; None where it has no path to that format."""
    destination, run, plan = element_format(output), q._run, q._plan
    overflow = plan.policy.get("dequant_overflow", "inf")
    is_plain = plan.policy.get("profile") is None and overflow == "inf"
    rule = "" if "rule" not in plan.policy else f" rule={plan.policy['rule']}"
    number = "" if q._level is None else f" stored_tensor_scale={q._level[1]:08x}"
    size = "" if plan.format.block_size is None else f" block_size={plan.format.block_size}"
    text = f"op=dequantize format={plan.format}{size} result={destination}{rule}{number}"
    device_plan = _plan_of(text, run.on_host) if is_plain else None
    layout = _layout_of(q.shape, q.axis)
    if device_plan is None or not device_plan.takes(layout):
        return None
    values = run.empty(q.shape, destination.name, destination.storage_bytes)
    run.call(device_plan, "dequantize", ctypes.byref(layout), q._tensors[0].data_ptr(), q._tensors[1].data_ptr(),
             values.data_ptr())
    return values
