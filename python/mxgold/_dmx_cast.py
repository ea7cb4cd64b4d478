"""dmx's CastTo and its observers, on NumPy arrays and torch tensors."""

import math

import numpy

from ._arrays import is_torch
from ._mode import setting

_EPS = numpy.finfo(numpy.float32).eps
PER_TENSOR_AFFINE, PER_TENSOR_SYMMETRIC = "per_tensor_affine", "per_tensor_symmetric"
PER_CHANNEL_AFFINE, PER_CHANNEL_SYMMETRIC = "per_channel_affine", "per_channel_symmetric"
_SCHEMES = (PER_TENSOR_AFFINE, PER_TENSOR_SYMMETRIC, PER_CHANNEL_AFFINE, PER_CHANNEL_SYMMETRIC)


def _scheme(qscheme):
    """A quantisation scheme by name; torch's own objects print as "torch.<name>"."""
    name = str(qscheme).rpartition(".")[2]
    if name not in _SCHEMES:
        raise AssertionError(f"{qscheme} is none of {', '.join(_SCHEMES)}")
    return name


def _array(x):
    """A float32 NumPy array of an array or a tensor."""
    if is_torch(x):
        return x.detach().cpu().float().numpy()
    return numpy.asarray(x, dtype=numpy.float32)


def _code_range(format):
    """(least, most) of integer formats, None of others."""
    if format.__class__.__name__ != "FixedPoint" or format.fraction != 0 or not format.clamp:
        return None, None
    most = 2 ** (format.precision - 1) - 1
    return (-most if format.symmetric else -most - 1), most


class _Observer:
    """Watches tensors and says which scale and zero point spread their values over the codes of an integer format."""

    def __init__(self, dtype, qscheme=PER_TENSOR_AFFINE, ch_axis=-1, eps=_EPS, **_):
        self.dtype = dtype
        self.qscheme = _scheme(qscheme)
        self.ch_axis = ch_axis
        self.eps = numpy.float32(eps)
        self.quant_min, self.quant_max = _code_range(dtype)
        self.min_val = numpy.array(numpy.inf, numpy.float32)
        self.max_val = numpy.array(-numpy.inf, numpy.float32)

    def __call__(self, x):
        return self.forward(x)

    def forward(self, x):
        raise NotImplementedError

    def calculate_qparams(self):
        """(scale, zero_point): float32 and int64 arrays, one entry per tensor or per channel."""
        return self._from_range(self.min_val, self.max_val)

    def _from_range(self, least, most):
        if numpy.size(least) == 0 or numpy.any(least > most):
            return numpy.ones(1, numpy.float32), numpy.zeros(1, numpy.int64)
        if self.quant_min is None:
            raise TypeError("unsupported operand type(s) for -: 'NoneType' and 'NoneType'")
        below = numpy.minimum(least, numpy.float32(0))
        above = numpy.maximum(most, numpy.float32(0))
        codes = float(self.quant_max - self.quant_min)
        if self.qscheme.endswith("symmetric"):
            above = numpy.maximum(-below, above)
            scale = numpy.maximum(above / numpy.float32(codes / 2), self.eps)
            zero = numpy.zeros(numpy.shape(above), numpy.int64)
        else:
            scale = numpy.maximum((above - below) / numpy.float32(codes), self.eps)
            zero = self.quant_min - numpy.round(below / scale).astype(numpy.int64)
            zero = numpy.clip(zero, self.quant_min, self.quant_max)
        return numpy.atleast_1d(numpy.asarray(scale, numpy.float32)), numpy.atleast_1d(zero)


class DummyObserver(_Observer):
    """Watches nothing: scale 1, zero point 0."""

    def forward(self, x):
        return x

    def calculate_qparams(self):
        return numpy.ones(1, numpy.float32), numpy.zeros(1, numpy.int64)


class MinMaxObserver(_Observer):
    """The least and the largest value seen, per tensor or per channel along ch_axis."""

    def forward(self, x):
        values = _array(x)
        if values.size == 0:
            return x
        axes = list(range(values.ndim))
        if self.qscheme.startswith("per_channel"):
            axes.pop(self.ch_axis)
        self.min_val = numpy.minimum(self.min_val, values.min(axis=tuple(axes)))
        self.max_val = numpy.maximum(self.max_val, values.max(axis=tuple(axes)))
        return x


class HistogramObserver(_Observer):
    """A histogram, and the range that loses the least by squared error. Per tensor only.

    The search sums thousands of binary32 terms: where two ranges are nearly as good, the package may settle for
    another one.
    """

    def __init__(self, bins=2048, upsample_rate=128, dtype=None, qscheme=PER_TENSOR_AFFINE, ch_axis=-1, **kwargs):
        if not _scheme(qscheme).startswith("per_tensor"):
            raise NotImplementedError("HistogramObserver is for per_tensor_symmetric and per_tensor_affine")
        if dtype is None:
            from .dmx import FixedPoint

            dtype = FixedPoint(8, 0)
        super().__init__(dtype, qscheme, ch_axis, **kwargs)
        self.bins = bins
        self.upsample_rate = upsample_rate
        self.histogram = numpy.zeros(bins, numpy.float32)

    @staticmethod
    def _count(values, bins, least, most):
        """Counts in equal bins between the integers that cut off the limits; all values' range if those are equal."""
        low, high = float(int(least)), float(int(most))
        if low == high:
            low, high = float(values.min()), float(values.max())
            if low == high:
                low, high = low - 1, high + 1
        inside = values[(values >= low) & (values <= high)].reshape(-1)
        place = ((inside - numpy.float32(low)) * numpy.float32(bins) / numpy.float32(high - low)).astype(numpy.int64)
        return numpy.bincount(numpy.minimum(place, bins - 1), minlength=bins).astype(numpy.float32)

    def forward(self, x):
        values = _array(x)
        if values.size == 0:
            return x
        least, most = values.min(), values.max()
        if not self.min_val < self.max_val:
            self.min_val, self.max_val = least, most
            self.histogram = self._count(values, self.bins, least, most)
            return x
        low, high = numpy.minimum(least, self.min_val), numpy.maximum(most, self.max_val)
        step = (self.max_val - self.min_val) / numpy.float32(self.bins * self.upsample_rate)
        rate = int(numpy.ceil((high - low) / (numpy.float32(self.bins) * step)))
        high = numpy.float32(high + (numpy.float32(rate) * (numpy.float32(self.bins) * step) - (high - low)))
        start = int(numpy.round((self.min_val - low) / step))
        fresh = self._count(values, self.bins, low, high)
        if low == self.min_val and high == self.max_val:
            self.histogram = fresh + self.histogram
        else:
            # The old counts, spread over a fine grid and gathered into the new bins.
            fine = numpy.zeros(self.bins * rate)
            fine[start:start + self.bins * self.upsample_rate] = numpy.repeat(
                self.histogram, self.upsample_rate)[:self.bins * rate - start]
            gathered = fine.reshape(self.bins, rate).sum(axis=1) / self.upsample_rate
            self.histogram = fresh + gathered.astype(numpy.float32)
        self.min_val, self.max_val = low, high
        return x

    def _loss(self, start, end):
        """The squared error of quantising the histogram with the range of bins start..end."""
        levels = 2**self.dtype.precision
        width = (float(self.max_val) - float(self.min_val)) / self.bins
        level = width * (end - start + 1) / levels
        if level == 0.0:
            return 0.0
        begin = (numpy.arange(self.bins) - start) * width
        first = numpy.clip(numpy.floor(begin / level), 0, levels - 1)
        last = numpy.clip(numpy.floor((begin + width) / level), 0, levels - 1)
        density = self.histogram.astype(numpy.float64) / width

        def cubes(low, high):
            return (high**3 - low**3) / 3

        total = cubes(begin - (first + 0.5) * level, level / 2)
        total += (last - first - 1) * cubes(-level / 2, level / 2)
        total += cubes(-level / 2, begin + width - (last + 0.5) * level)
        return float((density * total).sum())

    def calculate_qparams(self):
        if self.min_val > self.max_val:
            return numpy.ones(1, numpy.float32), numpy.zeros(1, numpy.int64)
        sums = numpy.cumsum(self.histogram.astype(numpy.float64))
        step, alpha, beta, best = 1e-5, 0.0, 1.0, math.inf
        start, end = 0, self.bins - 1
        while alpha < beta:
            # The bins that hold the next quantiles; the side that moves further is cut.
            left = min(max(int(numpy.searchsorted(sums, (alpha + step) * sums[-1])), start), end)
            right = max(min(int(numpy.searchsorted(sums, (beta - step) * sums[-1], "right")) - 1, end), start)
            if left - start > end - right:
                alpha += step
                nearer = (left, end)
            else:
                beta -= step
                nearer = (start, right)
            if nearer == (start, end):
                continue
            loss = self._loss(*nearer)
            if loss > best:
                break
            best, (start, end) = loss, nearer
        width = (self.max_val - self.min_val) / numpy.float32(self.bins)
        return self._from_range(numpy.float32(self.min_val + width * numpy.float32(start)),
                                numpy.float32(self.min_val + width * numpy.float32(end + 1)))


class PercentileObserver(HistogramObserver):
    """A HistogramObserver. The package checks `percentile` and never uses it; neither mode does."""

    def __init__(self, percentile=99.99, **kwargs):
        if percentile < 0 or percentile > 100:
            raise ValueError("Invalid percentile. Must be in range 0 <= percentile <= 100.")
        self.percentile = percentile
        super().__init__(**kwargs)


class CastTo:
    """A cast at a layer's boundary: to `format` and back to the input's type, with a straight-through gradient.

    Around a FixedPoint format x / scale + zero_point goes before the cast and (y - zero_point) * scale after it, in
    binary32. scale and zero_point are those of the whole tensor, of each channel along ch_axis (a per_channel
    qscheme), or of each group of group_size channels along it; observers find them while calibrating
    (enable_calibration), during which nothing is cast. block_dim: the axis of blocked formats.

    Called as a function; no torch module. Source: spec S5.5.
    """

    def __init__(self, format="SAME", observer=DummyObserver, group_size=None, block_dim=-1,
                 qscheme=PER_TENSOR_AFFINE, ch_axis=-1, mode=None):
        self.mode = mode
        self.set_format(format)
        self.qscheme = _scheme(qscheme)
        assert not group_size or not self.is_per_channel, \
            "group_size must be used with per tensor quantization scheme"
        self.group_size = group_size or None
        self.block_dim = block_dim
        self.ch_axis = ch_axis
        self.physical_dtype = None
        self.scale = numpy.ones(1, numpy.float32)
        self.zero_point = numpy.zeros(1, numpy.int32)
        self.activation_post_process = observer(dtype=self.format, qscheme=self.qscheme, ch_axis=ch_axis)
        self.activation_post_processes = None
        self.fake_quant_enabled = True
        self.observer_enabled = False
        self.pre_transform = {}

    @property
    def is_per_channel(self):
        return self.qscheme.startswith("per_channel")

    def set_format(self, format):
        """Casts to this format from here on: a Format or its shorthand."""
        from .dmx import Format

        self.format = Format.from_shorthand(format, self.mode) if isinstance(format, str) else format
        if hasattr(self, "activation_post_process"):
            self.activation_post_process.dtype = self.format

    def set_pre_transform(self, pre_transform):
        """What goes before the cast: {"format": a format to cast to first, "shaping": [("view" | "permute" |
        "flatten", arguments), ...] undone afterwards, "noquant_shortcut": an index whose elements stay as they are}.
        """
        from .dmx import Format

        self.pre_transform = dict(pre_transform)
        if isinstance(self.pre_transform.get("format"), str):
            self.pre_transform["format"] = Format.from_shorthand(self.pre_transform["format"], self.mode)

    def enable_fake_quant(self, enabled=True):
        self.fake_quant_enabled = bool(enabled)

    def disable_fake_quant(self):
        self.enable_fake_quant(False)

    def enable_observer(self, enabled=True):
        self.observer_enabled = bool(enabled)

    def disable_observer(self):
        self.enable_observer(False)

    def enable_calibration(self, state=True, observer_cls=HistogramObserver, qscheme_to_overload=None,
                           group_size=None, ch_axis=None):
        """state True: observes with a new observer and casts nothing; False: casts with what was found."""
        if not state:
            self.enable_fake_quant()
            self.disable_observer()
            return
        if ch_axis is not None:
            self.ch_axis = ch_axis
        if qscheme_to_overload is not None:
            self.qscheme = _scheme(qscheme_to_overload)
        self.group_size = group_size or None
        assert not self.group_size or not self.is_per_channel, \
            "group quantization is to be used with per tensor quantization"
        self.activation_post_process = observer_cls(dtype=self.format, qscheme=self.qscheme, ch_axis=self.ch_axis)
        self.activation_post_processes = None
        self.disable_fake_quant()
        self.enable_observer()

    def _observe(self, x):
        values = _array(x)
        if not self.group_size:
            self.activation_post_process(values)
            self.scale, zero = self.activation_post_process.calculate_qparams()
            self.zero_point = zero.astype(numpy.int32)
            return
        edges = range(self.group_size, values.shape[self.ch_axis], self.group_size)
        groups = numpy.split(values, list(edges), axis=self.ch_axis)
        if self.activation_post_processes is None:
            kind = self.activation_post_process.__class__
            self.activation_post_processes = [kind(dtype=self.format, qscheme=self.qscheme, ch_axis=self.ch_axis)
                                              for _ in groups]
        found = []
        for observer, group in zip(self.activation_post_processes, groups):
            observer(group)
            found.append(observer.calculate_qparams())
        self.scale = numpy.concatenate([scale for scale, _ in found])
        self.zero_point = numpy.concatenate([zero for _, zero in found]).astype(numpy.int32)

    def _text(self):
        return (f"CastTo({self.format._text()}, group_size={self.group_size}, ch_axis={self.ch_axis}, "
                f"block_dim={self.block_dim}, per_channel={self.is_per_channel})")

    def _operands(self):
        if self.format.__class__.__name__ != "FixedPoint":
            return {}
        if is_torch(self.scale):
            return {"scale": self.scale, "zero_point": self.zero_point}
        return {"scale": numpy.asarray(self.scale, numpy.float32),
                "zero_point": numpy.asarray(self.zero_point, numpy.int32)}

    def _results(self, x, random, **operands):
        from .dmx import _apply

        return _apply(self._text(), x, None, random, self.mode, self.format._is_stochastic(), **self._operands(),
                      **operands)

    def __call__(self, x, random=None):
        return self.forward(x, random)

    def forward(self, x, random=None):
        """x cast, in x's type. random: the words of a stochastic format."""
        self.physical_dtype = x.dtype
        x, undo = _shaped(x, self.pre_transform.get("shaping", ()))
        shortcut = self.pre_transform.get("noquant_shortcut")
        kept = _copy(x[shortcut]) if shortcut is not None else None
        if "format" in self.pre_transform:
            x = _straight_through(lambda tensor: self.pre_transform["format"].cast(tensor, self.block_dim), x)
        if self.observer_enabled and repr(self.format) != "SAME":
            self._observe(x)
        if self.fake_quant_enabled:
            x = _with_gradient(self, x, random) if _wants_gradient(x) else self._results(x, random)["values"]
        if shortcut is not None:
            x = _copy(x)
            x[shortcut] = kept
        x, _ = _shaped(x, undo)
        return x if x.dtype == self.physical_dtype else \
            x.to(self.physical_dtype) if is_torch(x) else x.astype(self.physical_dtype)

    def get_precision(self):
        """Bits per element: of the format, for Same of the last input's type."""
        if repr(self.format) != "SAME":
            return self.format.bit_precision
        if self.physical_dtype is None:
            raise RuntimeError("physical_dtype has not been inferred, pass some data through first")
        return self.physical_dtype.itemsize * 8

    def __repr__(self):
        return f"CastTo(format = {self.format!r}, block_dim = {self.block_dim}, qscheme = {self.qscheme})"


def _copy(x):
    return x.clone() if is_torch(x) else numpy.array(x)


def _wants_gradient(x):
    return is_torch(x) and x.requires_grad


def _straight_through(function, x):
    from .dmx import _straight_through as through

    return through(function, x)


def _shaped(x, steps):
    """x after the steps, and the steps that undo them."""
    undo = []
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


def _with_gradient(cast, x, random):
    import torch

    class Boundary(torch.autograd.Function):
        @staticmethod
        def forward(ctx, tensor):
            ctx.save_for_backward(tensor)
            return cast._results(tensor, random)["values"]

        @staticmethod
        def backward(ctx, gradient):
            (tensor,) = ctx.saved_tensors
            if setting(cast.mode)[0] == "strict" or not cast._operands():
                return gradient
            from . import _systems

            # The same cast once more, for the way back; a stochastic one needs words, whatever they are.
            operands = {"gradient": gradient.contiguous(), **cast._operands()}
            words = numpy.zeros(tensor.numel(), numpy.uint32)
            return _systems.apply("dmx:" + cast._text(), tensor, None, words, cast.mode, **operands)["gradient"]

    return Boundary.apply(x)
