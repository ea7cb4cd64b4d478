"""The formats of dmx's texts and names. Source: spec S5.2, S5.3."""

from __future__ import annotations

import re
from typing import Callable, Sequence

from .. import _systems
from ._blocks import MXFP, MXINT, BlockFloatingPoint, ScaledBlockFloatingPoint
from ._formats import FixedPoint, FloatingPoint, Format, Same
from ._parts import ROUNDING_MODE

_XP = r"XP\[(\d+),([+-]?\d+)\]\(([C_])([S_])([UDNS])\)"
_FP = r"FP\[([01])\|(\d+)\|(\d+),(-?\d+)\]\(([F_])([UDNS])\)"


def from_text(text: str) -> Format:
    """The object of a canonical text."""
    def fixed(fields: Sequence[str]) -> FixedPoint:
        precision, fraction, clamp, symmetric, rounding = fields
        return FixedPoint(int(precision), int(fraction), clamp == "C", symmetric == "S", ROUNDING_MODE[rounding])

    def floating(fields: Sequence[str]) -> FloatingPoint:
        sign, exponent, mantissa, bias, flush, rounding = fields
        return FloatingPoint(int(mantissa), int(exponent), int(bias), flush == "F", sign == "0",
                             ROUNDING_MODE[rounding])

    def along(fields: Sequence[str]) -> BlockFloatingPoint:
        precision, size, axis, symmetric, rounding = fields
        made = BlockFloatingPoint(int(precision), int(size), symmetric == "S", ROUNDING_MODE[rounding])
        made.block_dim = int(axis)
        return made

    makers: tuple[tuple[str, Callable[[Sequence[str]], Format]], ...] = (
        ("SAME", lambda fields: Same()),
        (_XP, fixed),
        (_FP, floating),
        (r"BFP\[(\d+)\|8\]\{(\d+)\}\(([S_])([UDNS])\)",
         lambda f: BlockFloatingPoint(int(f[0]), int(f[1]), f[2] == "S", ROUNDING_MODE[f[3]])),
        (rf"SBFP<{_XP}><{_FP}>\{{(\d+)\}}",
         lambda f: ScaledBlockFloatingPoint(fixed(f[:5]), floating(f[5:11]), int(f[11]))),
        (rf"MXFP<{_FP}>\{{(\d+)\}}", lambda f: MXFP(floating(f[:6]), int(f[6]))),
        (r"MXFP\d+\[E(\d+)M(\d+)\]\{(\d+)\}",
         lambda f: MXFP(FloatingPoint(int(f[1]), int(f[0]), 2 ** (int(f[0]) - 1) - 1, False), int(f[2]))),
        (r"MXINT(\d+)\{(\d+)\}", lambda f: MXINT(int(f[0]), int(f[1]))),
        (r"BFP\[(\d+)\|8\]\{(\d+),(-?\d+)\}\(([S_])([UDNS])\)", along))
    for pattern, make in makers:
        match = re.fullmatch(pattern, text)
        if match:
            return make(match.groups())
    raise ValueError(f"position 0: {text} is no format")


class Named:
    """The named formats: format.BFP16_64. Each access makes an object of its own."""

    def __getattr__(self, name: str) -> Format:
        if name.startswith("_"):
            raise AttributeError(name)
        return from_text(repr(_systems.cast("dmx:format." + name)))

    def __dir__(self) -> list[str]:
        sizes = (128, 64, 32, 16)
        names = ["SAME", "FLOAT32", "FLOAT16", "BFLOAT16", "AFLOAT8", "BFLOAT8", "INT8", "INT4", "BFP32_1", "SBFP12_16"]
        names += [f"BFP24_{size}" for size in sizes[1:]]
        names += [f"BFP{bits}{kind}_{size}" for kind in ("", "A") for bits in (16, 14, 12) for size in sizes]
        names += [f"SBFP12_16_{bias}" for bias in range(4, 19)]
        names += [f"MXFP{element}K{size}" for element in ("8_E4M3", "8_E5M2", "6_E2M3", "6_E3M2", "4_E2M1")
                  for size in sizes[:3]]
        return names + [f"MXINT{bits}_K{size}" for bits in (8, 6, 4) for size in sizes[:3]]


#: The named formats.
format: Named = Named()
