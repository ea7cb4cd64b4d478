"""dmx's CastTo: a torch.nn.Module where torch is installed; elsewhere it casts NumPy arrays and holds them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

import numpy

from .._arrays import is_torch
from .._mode import setting
from .._modules import Module, buffer, torch
from ._formats import FixedPoint, Format
from ._observers import PER_TENSOR_AFFINE, DummyObserver, HistogramObserver, array, scheme, scheme_name
from ._parts import apply, straight_through

if TYPE_CHECKING:
    from .._types import ArrayLike, ArrayOrTensor, ArrayOrTensorT

__all__ = ["CastTo"]


class CastTo(Module):
    """A cast at a layer's boundary: to `format` and back to the input's type, with a straight-through gradient.

    format: a Format or its shorthand. Around a FixedPoint format x / scale + zero_point goes before the cast and
    (y - zero_point) * scale after it, in binary32. scale and zero_point are those of the whole tensor, of each channel
    along ch_axis (a per_channel qscheme), or of each group of group_size channels along it; the observer (a class)
    finds them while calibrating (enable_calibration), during which nothing is cast. block_dim: the axis of blocked
    formats. Other keywords go to the observer.

    Buffers: scale (float32) and zero_point (integers), one entry per tensor, channel or group; fake_quant_enabled and
    observer_enabled, one uint8 each. A state may hold other numbers of scales. Source: spec S5.5.
    """

    scale: Any
    zero_point: Any
    fake_quant_enabled: Any
    observer_enabled: Any
    #: The observer; of groups one each in activation_post_processes, None before the first.
    activation_post_process: Any
    activation_post_processes: list[Any] | None
    mode: str | None
    format: Format
    qscheme: Any
    group_size: int | None
    block_dim: int
    ch_axis: int
    #: The type of the last input.
    physical_dtype: Any
    pre_transform: dict[str, Any]

    def __init__(self, format: str | Format = "SAME", observer: Any = DummyObserver, group_size: int | None = None,
                 block_dim: int = -1, qscheme: Any = PER_TENSOR_AFFINE, ch_axis: int = -1, mode: str | None = None,
                 **observer_arguments: Any) -> None:
        super().__init__()
        self.mode = mode
        self.set_format(format)
        self.qscheme = scheme(qscheme)
        assert not group_size or not self.is_per_channel, \
            "group_size must be used with per tensor quantization scheme"
        self.group_size = group_size or None
        self.block_dim = block_dim
        self.ch_axis = ch_axis
        self.physical_dtype = None
        self.register_buffer("fake_quant_enabled", buffer(numpy.ones(1, numpy.uint8)))
        self.register_buffer("observer_enabled", buffer(numpy.zeros(1, numpy.uint8)))
        self.activation_post_process = observer(dtype=self.format, qscheme=self.qscheme, ch_axis=ch_axis,
                                                **observer_arguments)
        self.register_buffer("scale", buffer(numpy.ones(1, numpy.float32)))
        self.register_buffer("zero_point", buffer(numpy.zeros(1, numpy.int32)))
        self.activation_post_processes = None
        self.pre_transform = {}

    @property
    def is_per_channel(self) -> bool:
        """Has each channel a scale of its own?"""
        return scheme_name(self.qscheme).startswith("per_channel")

    @property
    def dtype(self) -> Format:
        """The format."""
        return self.format

    def set_format(self, format: str | Format) -> None:
        """Casts to this format from here on: a Format or its shorthand."""
        self.format = Format.from_shorthand(format, self.mode) if isinstance(format, str) else format
        if hasattr(self, "activation_post_process"):
            self.activation_post_process.dtype = self.format

    def set_pre_transform(self, pre_transform: dict[str, Any]) -> None:
        """What goes before the cast: {"format": a format to cast to first, "shaping": [("view" | "permute" |
        "flatten", arguments), ...] undone afterwards, "noquant_shortcut": an index whose elements stay as they are}.
        """
        self.pre_transform = dict(pre_transform)
        if isinstance(self.pre_transform.get("format"), str):
            self.pre_transform["format"] = Format.from_shorthand(self.pre_transform["format"], self.mode)

    def enable_fake_quant(self, enabled: bool = True) -> None:
        """Casts from here on, or passes its input."""
        self.fake_quant_enabled[0] = 1 if enabled else 0

    def disable_fake_quant(self) -> None:
        """Passes its input from here on."""
        self.enable_fake_quant(False)

    def enable_observer(self, enabled: bool = True) -> None:
        """Shows the observer each input from here on, and takes over the scale and zero point that it finds."""
        self.observer_enabled[0] = 1 if enabled else 0

    def disable_observer(self) -> None:
        """Keeps scale and zero point from here on."""
        self.enable_observer(False)

    def calculate_qparams(self) -> tuple[ArrayOrTensor, ArrayOrTensor]:
        """(scale, zero_point) of the observer."""
        scale, zero_point = self.activation_post_process.calculate_qparams()
        return scale, zero_point

    def enable_calibration(self, state: bool = True, observer_cls: Any = HistogramObserver,
                           qscheme_to_overload: Any = None, group_size: int | None = None,
                           ch_axis: int | None = None) -> None:
        """state True: observes with a new observer and casts nothing; False: casts with what was found."""
        if not state:
            self.enable_fake_quant()
            self.disable_observer()
            return
        if ch_axis is not None:
            self.ch_axis = ch_axis
        if qscheme_to_overload is not None:
            self.qscheme = scheme(qscheme_to_overload)
        self.group_size = group_size or None
        assert not self.group_size or not self.is_per_channel, \
            "group quantization is to be used with per tensor quantization"
        self.activation_post_process = observer_cls(dtype=self.format, qscheme=self.qscheme, ch_axis=self.ch_axis)
        if setting(self.mode)[0] == "strict":
            self.activation_post_processes = None  # compat goes on with those of the calibration before
        self.disable_fake_quant()
        self.enable_observer()

    def _observe(self, x: Any) -> None:
        values = x.detach() if is_torch(x) else x
        if not self.group_size:
            self.activation_post_process(values)
            self._take(*self.calculate_qparams())
            return
        if self._is_half(values) and isinstance(self.activation_post_process, HistogramObserver):
            raise RuntimeError("histograms of groups are of float32 tensors")
        starts = range(0, values.shape[self.ch_axis], self.group_size)
        if self.activation_post_processes is None:
            kind = self.activation_post_process.__class__
            self.activation_post_processes = [kind(dtype=self.format, qscheme=self.qscheme, ch_axis=self.ch_axis)
                                              for _ in starts]
        found, ends = [], []
        groups = numpy.split(array(values), list(starts)[1:], axis=self.ch_axis)
        for observer, group in zip(self.activation_post_processes, groups):
            observer(buffer(group))
            found.append(observer.calculate_qparams())
            ends.append((observer.min_val, observer.max_val))
        self._take(*map(_joined, zip(*found)))
        self.activation_post_process.min_val, self.activation_post_process.max_val = map(_joined, zip(*ends))

    def _is_half(self, *tensors: Any) -> bool:
        """compat: has torch a half type for a result of all these tensors?"""
        if setting(self.mode)[0] == "strict" or not all(map(is_torch, tensors)):
            return False
        kinds = {str(tensor.dtype) for tensor in tensors}
        return len(kinds) == 1 and kinds <= {"torch.bfloat16", "torch.float16"}

    def _take(self, scale: Any, zero_point: Any) -> None:
        """Overwrites scale and zero point in their place, or replaces them where there were fewer or more."""
        for name, value in (("scale", scale), ("zero_point", zero_point)):
            old = getattr(self, name)
            if old.shape != value.shape:
                setattr(self, name, value.to(old.device) if is_torch(old) else value)
            elif is_torch(old):
                old.copy_(value)
            else:
                old[...] = value

    def _load_from_state_dict(self, state: Any, prefix: Any, *arguments: Any) -> None:
        for name in ("scale", "zero_point"):
            old, value = getattr(self, name), state.get(prefix + name)
            if value is not None and value.shape != old.shape:
                resized = numpy.zeros(tuple(value.shape), numpy.float32 if name == "scale" else numpy.int32)
                setattr(self, name, buffer(resized) if not is_torch(old) else buffer(resized).to(old.device, old.dtype))
        super()._load_from_state_dict(state, prefix, *arguments)

    def _text(self) -> str:
        return (f"CastTo({self.format._text()}, group_size={self.group_size}, ch_axis={self.ch_axis}, "
                f"block_dim={self.block_dim}, per_channel={self.is_per_channel})")

    def _operands(self) -> dict[str, Any]:
        """Scale and zero point as the cast takes them; of FixedPoint only."""
        if not isinstance(self.format, FixedPoint):
            return {}
        scale, zero = self.scale, self.zero_point
        if is_torch(scale):
            return {"scale": scale.float(), "zero_point": zero if zero.dtype.is_floating_point else zero.int()}
        return {"scale": numpy.asarray(scale, numpy.float32), "zero_point": numpy.asarray(zero, numpy.int32)}

    def _results(self, x: Any, random: Any, **operands: Any) -> dict[str, Any]:
        if isinstance(self.format, FixedPoint) and self._is_half(x, self.scale):
            raise RuntimeError(f"expected scalar type Float but found {x.dtype}")
        return apply(self._text(), x, None, random, self.mode, self.format._is_stochastic(), **self._operands(),
                     **operands)

    def forward(self, x: ArrayOrTensorT, random: ArrayLike | None = None) -> ArrayOrTensorT:
        """x, an array or tensor of float32, bfloat16 or float16, cast, in x's type and shape. random: the words of a
        stochastic format. Raises what the format's cast() raises."""
        found: ArrayOrTensorT = self._boundary(x, random)
        return found

    def _boundary(self, x: Any, random: Any) -> Any:
        self.physical_dtype = x.dtype
        x, undo = _shaped(x, self.pre_transform.get("shaping", ()))
        shortcut = self.pre_transform.get("noquant_shortcut")
        kept = _copy(x[shortcut]) if shortcut is not None else None
        if "format" in self.pre_transform:
            x = straight_through(lambda tensor: self.pre_transform["format"].cast(tensor, self.block_dim), x)
        if self.observer_enabled[0] and repr(self.format) != "SAME":
            self._observe(x)
        if self.fake_quant_enabled[0]:
            x = _with_gradient(self, x, random) if _wants_gradient(x) else self._results(x, random)["values"]
        if shortcut is not None:
            x = _copy(x)
            x[shortcut] = kept
        x, _ = _shaped(x, undo)
        return x if x.dtype == self.physical_dtype else \
            x.to(self.physical_dtype) if is_torch(x) else x.astype(self.physical_dtype)

    def get_precision(self) -> float | None:
        """Bits per element: of the format, for Same of the last input's type."""
        if repr(self.format) != "SAME":
            return self.format.bit_precision
        if self.physical_dtype is None:
            raise RuntimeError("physical_dtype has not been inferred, pass some data through first")
        return int(self.physical_dtype.itemsize) * 8

    def extra_repr(self) -> str:
        """What the name is followed by when it is printed."""
        enabled = f"fake_quant_enabled = {bool(self.fake_quant_enabled[0])}"
        if self.format.blocked:
            return (f"format = dtype = {self.format!r}, block_dim = {self.block_dim} \n{enabled},"
                    f"pre_transform = {self.pre_transform}")
        scale, zero = (numpy.asarray(each.detach().cpu() if is_torch(each) else each)
                       for each in (self.scale, self.zero_point))
        return (f"format = dtype = {self.format!r}, qscheme = {self.qscheme}, ch_axis = {self.ch_axis} \n{enabled}, "
                f"observer_enabled = {bool(self.observer_enabled[0])}, scale = {scale}, zero_point = {zero}, "
                f"group_size = {self.group_size}, pre_transform = {self.pre_transform}")


def _joined(parts: Sequence[Any]) -> Any:
    """The parts, of one element each, as one buffer."""
    return buffer(numpy.concatenate([numpy.atleast_1d(numpy.asarray(part)) for part in parts]))


def _register() -> None:
    """Counts as torch's FakeQuantize, so that its helpers (model.apply(disable_observer)) find it."""
    try:
        from torch.ao.quantization import FakeQuantize
    except ImportError:
        return
    base: Any = FakeQuantize
    base.register(CastTo)


if torch is not None:
    _register()


def _copy(x: Any) -> Any:
    return x.clone() if is_torch(x) else numpy.array(x)


def _wants_gradient(x: Any) -> bool:
    return is_torch(x) and bool(x.requires_grad)


def _shaped(x: Any, steps: Sequence[Any]) -> tuple[Any, list[Any]]:
    """x after the steps, and the steps that undo them."""
    undo: list[Any] = []
    for step, arguments in steps:
        if step == "view":
            undo.append(("view", tuple(x.shape)))
            x = x.reshape(*arguments)
        elif step == "permute":
            undo.append(("permute", tuple(int(i) for i in numpy.argsort(arguments))))
            x = x.permute(*arguments) if is_torch(x) else x.transpose(*arguments)
        elif step == "flatten":
            undo.append(("view", tuple(x.shape)))
            first, last = (tuple(arguments) + (0, -1)[len(arguments):])
            last = last % x.ndim
            x = x.reshape(x.shape[:first] + (-1,) + x.shape[last + 1:])
        else:
            raise ValueError(f"unknown shape op {step}")
    return x, undo[::-1]


def _with_gradient(cast: CastTo, x: Any, random: Any) -> Any:
    from ._autograd import Boundary

    return Boundary.apply(x, cast, random)
