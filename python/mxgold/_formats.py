"""Formats as objects."""

from __future__ import annotations

import ctypes
import functools
import html
from typing import TYPE_CHECKING, Any, overload

import numpy

from . import _native
from ._define import canonical, is_definition, name_of
from ._dtypes import dtype_of, name_of_type, unsigned_of
from ._library import LIBRARY, encoded
from ._names import known_as, names, unknown

if TYPE_CHECKING:
    from ._define import Extent, Inf, Kind, Nan, Parity, UnusedBits, Zero
    from ._literals import BlockName, ElementName, Rule
    from ._scalar import Scalar
    from ._types import Array, FormatLike, PolicyLike, Settings, Unpack


@functools.lru_cache(maxsize=None)
def _found(name: str) -> _native.FormatInfo | None:
    info = _native.FormatInfo()
    return info if LIBRARY.mxgold_format(encoded(name), ctypes.byref(info)) == 0 else None


def element_info(name: str) -> _native.FormatInfo:
    """Width and largest code of an element format; ValueError where there is none of that name."""
    info = _found(name)
    if info is None:
        if is_definition(name):
            raise ValueError(f"{name}: a format of blocks, mxgold.BlockFormat; one of single values is wanted")
        if name in names("named_only"):
            _refuse_named_only(name)
        raise unknown("format", name, names("formats") + names("blocks"))
    return info


def _refuse_named_only(name: str) -> None:
    try:
        _native.quantizer("fp32", name, ())
    except ValueError as error:
        raise ValueError(f"{error}; mxgold.formats('blocks') are those that are defined") from None


class ElementFormat:
    """A format of single values: what each code means. `mxgold.Format` is another name of it.

    `str(f)` is the name that `mxgold.format` takes. `f.values()` is the value of every code.

    >>> f = mxgold.format("e4m3fn")
    >>> f.bits, f.max
    (8, 448.0)
    >>> mxgold.Format(exp=4, man=3, nan="outer_one_per_sign") == f
    True
    >>> mxgold.Format(exp=3, man=4, bias=5, has_subnormal=False)
    mxgold.format('exp_bits=3,man_bits=4,bias=5,has_subnormal=false')
    """

    def __init__(self, name: str | None = None, *, exp: int | None = None, man: int | None = None,
                 bias: int | None = None, nan: Nan | None = None, inf: Inf | None = None, zero: Zero | None = None,
                 signed: bool | None = None, has_subnormal: bool | None = None, max_code: int | None = None,
                 canonical_nan_code: int | None = None, parity: Parity | None = None, kind: Kind | None = None,
                 bits: int | None = None, frac_bits: int | None = None, storage_bits: int | None = None,
                 unused_bits: UnusedBits | None = None) -> None:
        """A format by its name, or by its fields (docs/format-tables.md, "Your own formats").

        exp, man: bits of the exponent field, 0 to 16, and of the stored significand, 0 to 52; or one of them and `bits`.
        bias: of the exponent, -65536 to 65536; 2^(exp-1) - 1 by default.
        nan, inf, zero: which codes are NaN, infinities and zeros; by default no code is NaN or infinite, and zeros are
            all that fit.
        signed: is there a sign bit? Yes by default. has_subnormal: are there subnormals? Yes where there is room.
        max_code, canonical_nan_code: codes of the largest finite value and of the NaN that is written, where they are
            not those of the layout.
        parity: what even means at a tie, of floats without significand bits.
        kind: "float" by default; "twos_compl_fixed" and "sign_mag_fixed" have `bits` and `frac_bits`.
        storage_bits, unused_bits: of the word that holds a code, 8, 16, 32 or 64, and what stands above the code.

        A format whose facts are those of a known one has its name. ValueError for a name that there is not, and for
        fields that make no format, with the field, its range and what to do.
        """
        name = name_of(name, {"kind": kind, "bits": bits, "storage_bits": storage_bits, "unused_bits": unused_bits,
                              "signed": signed, "exp": exp, "man": man, "bias": bias, "frac_bits": frac_bits,
                              "has_subnormal": has_subnormal, "zero": zero, "inf": inf, "nan": nan, "max_code": max_code,
                              "canonical_nan_code": canonical_nan_code, "parity": parity})
        info = element_info(name)
        self.name: str = name
        #: Significant bits of a code.
        self.bits: int = info.bits
        #: Bytes of a stored code: 1, 2, 4 or 8.
        self.storage_bytes: int = info.storage_bytes
        #: Magnitude code of the largest finite value.
        self.max_code: int = info.max_code

    def __call__(self, value: Any, policy: PolicyLike = "", **settings: Unpack[Settings]) -> Scalar:
        """The nearest value of the format, `mxgold.Scalar(value, self, policy)`.

        >>> mxgold.format("e4m3fn")(1.1) * 2
        mxgold.Scalar(2.25, 'e4m3fn')
        """
        from ._scalar import Scalar

        return Scalar(value, self, policy, **settings)

    @functools.cached_property
    def dtype(self) -> numpy.dtype[Any]:
        """The NumPy type of arrays of codes: the format's own where NumPy or ml_dtypes has it, else unsigned."""
        return dtype_of(self.name, self.storage_bytes)

    @property
    def max(self) -> float:
        """The largest finite value, as a float."""
        return float(self._decode(numpy.array([self.max_code], unsigned_of(self.storage_bytes)))[0])

    def values(self) -> Array:
        """The value of every code, a float64 array of 2**bits elements; formats of up to 16 bits."""
        if self.bits > 16:
            raise ValueError(f"{self.name} has {self.bits} bits: too many codes to list; convert() decodes yours")
        return self._decode(numpy.arange(1 << self.bits).astype(unsigned_of(self.storage_bytes)))

    def _decode(self, codes: Array) -> Array:
        from ._convert import convert

        return convert(codes, "fp64", source=self.name)

    @property
    def facts(self) -> dict[str, Any]:
        """Every derived fact as a dict: exponent and significand bits, bias, smallest values, special codes, ..."""
        from ._answers import facts

        return facts("formats", self.name)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"mxgold.format({self.name!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ElementFormat) and other.name == self.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple[Any, ...]:
        return format, (self.name,)

    def _repr_html_(self) -> str:
        return _fact_table(self.name, self.facts)


class BlockFormat:
    """A format of blocks: elements that share a scale.

    >>> f = mxgold.format("nvfp4")
    >>> f.element.name, f.scale, f.block_size, f.two_level
    ('e2m1fn', 'ue4m3', 16, True)
    >>> mxgold.BlockFormat(element="e2m1fn", scale="ue4m3", block_size=16, tensor_scale="fp32", rule="nvfp4_exact") == f
    True
    >>> mxgold.BlockFormat(element=mxgold.Format(exp=3, man=2, bias=2), block_size=8)
    mxgold.format('element=e3m2b2fin,block_size=8')
    """

    def __init__(self, name: str | None = None, info: _native.BlockInfo | None = None, *,
                 element: FormatLike | None = None, scale: FormatLike | None = None, block_size: int | None = None,
                 rule: Rule | None = None, tile_lines: int | None = None, extent: Extent | None = None,
                 tensor_scale: str | None = None, rule_emax: int | None = None, scale_limit: int | None = None) -> None:
        """A format by its name, or by its fields (docs/format-tables.md, "Your own block formats").

        element, scale: formats of single values; the scale is e8m0 by default.
        block_size: elements of a block along the axis, 1 to 1024; 32 by default. tile_lines: lines of a tile, 1 to 1024.
        extent: how far a block reaches: "elements" (block_size of them), "axis" or "tensor".
        rule: how the scale is chosen, "floor" by default (mxgold.policies()["rule"]).
        tensor_scale: "fp32" for a second scale of the whole tensor.
        rule_emax, scale_limit: e_max of the power-of-two rules, -1024 to 1024, and the largest scale code that a rule
            chooses, where they are not the formats'.

        A format whose facts are those of a known one has its name. ValueError for a name that there is not, and for
        fields that make no format, with the field, its range and what to do.
        """
        if name is None and element is None:
            raise ValueError("field 'element': missing; a block format needs an element format: element=\"e2m1fn\"")
        name = name_of(name, {"element": None if element is None else element_format(element),
                              "scale": None if scale is None else element_format(scale), "block_size": block_size,
                              "tile_lines": tile_lines, "extent": extent, "tensor_scale": tensor_scale, "rule": rule,
                              "rule_emax": rule_emax, "scale_limit": scale_limit})
        if info is None:
            info = _native.quantizer("fp32", name, ()).info()
        self.name: str = name
        self._scale_shapes = functools.lru_cache(maxsize=256)(self.scales_of)
        #: The element format.
        self.element: ElementFormat = ElementFormat(info.element.decode())
        #: The name of the scale's format.
        self.scale: str = info.scale.decode()
        #: How far a block reaches: "elements" (block_size of them), "axis" or "tensor".
        self.extent: str = info.extent.decode()
        #: Elements of a whole block along the axis; None where a block reaches further.
        self.block_size: int | None = info.block_size if self.extent == "elements" else None
        #: Lines of a two-dimensional tile, along the dimension before the axis; 1 otherwise.
        self.tile_lines: int = info.tile_lines
        #: Significant bits of a block's scale code, bits of sublevels included.
        self.scale_bits: int = info.scale_bits
        #: Bytes of a stored scale code.
        self.scale_bytes: int = info.scale_bytes
        #: Does a binary32 scale of the whole tensor stand above the blocks' scales?
        self.two_level: bool = info.tensor_scale != b"none"

    @functools.cached_property
    def scale_dtype(self) -> numpy.dtype[Any]:
        """The NumPy type of arrays of scale codes."""
        has_format = self.scale in names("formats") and element_info(self.scale).bits == self.scale_bits
        return dtype_of(self.scale, self.scale_bytes) if has_format else unsigned_of(self.scale_bytes)

    def scale_shape(self, shape: tuple[int, ...], axis: int = -1) -> tuple[int, ...]:
        """The shape of the scales of an array of `shape` in blocks along `axis`."""
        return self._scale_shapes(tuple(shape), _native.index("axis", axis))

    def scales_of(self, whole: tuple[int, ...], axis: int) -> tuple[int, ...]:
        """scale_shape() of sizes that may be symbols of torch.compile."""
        shape = list(whole) or [1]
        if self.extent == "tensor":
            return (0 if 0 in shape else 1,)
        if not -len(shape) <= axis < len(shape):
            raise ValueError(f"axis {axis} is out of range for {len(shape)} dimensions")
        axis %= len(shape)
        if self.extent == "axis":
            shape[axis] = min(shape[axis], 1)
        elif self.block_size is not None:
            shape[axis] = -(-shape[axis] // self.block_size)
        if self.tile_lines > 1 and axis > 0:
            shape[axis - 1] = -(-shape[axis - 1] // self.tile_lines)
        return tuple(shape)

    @property
    def facts(self) -> dict[str, Any]:
        """Every derived fact as a dict: rule, bits per element, the facts of element and scale, ..."""
        from ._answers import facts

        return facts("blocks", self.name)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"mxgold.format({self.name!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BlockFormat) and (other.name, other.block_size) == (self.name, self.block_size)

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple[Any, ...]:
        return _resized, (self.name, self.block_size)

    def resized(self, block_size: int) -> BlockFormat:
        """The same format in blocks of another size, 1 to 1024 elements; ValueError where it has none.

        >>> mxgold.format("mxfp4").resized(16).block_size
        16
        """
        return _resized(self.name, block_size)

    def _repr_html_(self) -> str:
        return _fact_table(self.name, self.facts)


def _fact_table(title: str, facts: dict[str, Any]) -> str:
    def cell(value: Any) -> str:
        if isinstance(value, dict):
            return "; ".join(f"{k} {cell(v)}" for k, v in value.items() if not isinstance(v, (dict, list)))
        if isinstance(value, list):
            return ", ".join(cell(each) for each in value)
        return html.escape(str(value))

    rows = "".join(f"<tr><th style='text-align:left'>{html.escape(key)}</th><td>{cell(value)}</td></tr>"
                   for key, value in facts.items())
    return f"<table><caption>{html.escape(title)}</caption>{rows}</table>"


def _resized(name: str, block_size: int | None) -> BlockFormat:
    """A block format of another block size than its own."""
    options = () if block_size is None else (("block_size", str(block_size)),)
    return BlockFormat(name, _native.quantizer("fp32", name, options).info())


@functools.lru_cache(maxsize=None)
def _named(given: str) -> ElementFormat | BlockFormat:
    if is_definition(given):
        meant = canonical(given)
        if not is_definition(meant):
            return _named(meant)
        return BlockFormat(meant) if meant.startswith("element=") else ElementFormat(meant)
    given = given[len("torch."):] if given.startswith("torch.") else given
    name = known_as("format", given, names("formats") + names("blocks") + names("named_only"))
    if name in names("blocks"):
        return BlockFormat(name)
    return ElementFormat(name or (given.lower() if _found(given.lower()) else given))


@overload
def format(name: ElementName | ElementFormat) -> ElementFormat: ...
@overload
def format(name: BlockName | BlockFormat) -> BlockFormat: ...
@overload
def format(name: FormatLike) -> ElementFormat | BlockFormat: ...
def format(name: FormatLike) -> ElementFormat | BlockFormat:
    """The format of a name: an ElementFormat ("e4m3fn") or a BlockFormat ("mxfp8_e4m3").

    name: one of `mxgold.formats()`, in any case, or of a family: "e5m10", "int12", "fixed16.8", "binary8p4se"; its
        fields, "exp_bits=3,man_bits=4,has_subnormal=false", as a format of one's own prints (mxgold.Format); what
        other systems call it ("bfloat16", "float8_e4m3fn"); or a type of theirs: numpy.float16,
        ml_dtypes.float8_e4m3fn, torch.float8_e4m3fn.

    A format prints as its name and may be given wherever a name may. ValueError for an unknown name, or for one that may
    be several ("fp8"); TypeError for what is no name.

    >>> mxgold.format("mxfp8_e4m3").block_size, mxgold.format(numpy.float16)
    (32, mxgold.format('fp16'))
    """
    if isinstance(name, str):
        return _named(name)
    if isinstance(name, (ElementFormat, BlockFormat)):
        return name
    return _named(name_of_type(name))


def element_format(name: FormatLike) -> ElementFormat:
    """The same, of single values only."""
    found = format(name)
    if not isinstance(found, ElementFormat):
        raise ValueError(f"{found} is a format of blocks; its elements are {found.element}")
    return found


def block_format(name: FormatLike) -> BlockFormat:
    """The same, of blocks only."""
    found = format(name)
    if not isinstance(found, BlockFormat):
        raise ValueError(f"{found} is a format of single values; convert() takes it, "
                         "and mxgold.formats('blocks') are formats of blocks")
    return found


def formats(kind: str = "all") -> list[str]:
    """The names of the formats: kind "elements" (families have more), "blocks" or "all"."""
    lists = {"elements": ["formats"], "blocks": ["blocks"], "all": ["formats", "blocks"]}
    if kind not in lists:
        raise ValueError(f"kind {kind!r} is none of {', '.join(lists)}")
    return [name for listed in lists[kind] for name in names(listed)]
