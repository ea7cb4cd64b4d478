"""What a matrix unit may do (a Rule), what spec U1 and U2 say that Hopper's do, and the rivals of it."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Rule:
    """One hypothesis. Words of spec U1: L products in a group, F kept fraction bits, e_zero."""

    groups: object  # L, or "mod4" ({0, 1} then {2, 3}), "mod4_swapped", "parity" (even, then odd lanes)
    fraction: int  # F
    zero_exponent: object  # e_zero; None: zeros do not count; "emin": the factors' emin, added
    output: str  # "f32", "f16", "e8m13" and relatives held in f32
    rounding: str  # "rz" or "rne"
    nan: int
    carry: str = "inside"  # or "afterwards": the groups start from zero and C is added by one RNE
    inputs: str = "own"  # exponent of subnormal inputs: "own" emin, that of "fp16", "normalised"; "flushed"
    tf32: str = "cut"  # low 13 bits: "cut" off, rounded ("rne"), or "whole": used
    align: str = "sum"  # by exponent sums, or by the "leading" one of each term
    cut: str = "toward_zero"  # or "floor"
    carry_subnormal: str = "emin"  # or "normalised"
    subnormal_results: str = "kept"  # or "flushed"
    overflow: str = "inf"  # or "max"
    small_sign: str = "kept"  # sign of a nonzero sum that rounds to zero, or "plus"
    zero_sum: str = "plus"  # or "ieee": minus where every term is a negative zero


def names_of(instruction):
    """(unit, k, a, b, output) of a name such as mma.m16n8k32.e4m3.e5m2.f32."""
    unit, shape, a, b, output = instruction.split(".")
    return unit, int(shape.rpartition("k")[2]), a, b, output


def law(instruction):
    """The rule of spec U1 and U2 for an instruction of sm_90."""
    unit, _, a, _, output = names_of(instruction)
    is_fp8 = a in ("e4m3", "e5m2")
    to_fp16 = output == "f16"
    rule = Rule(
        groups=8 if a == "tf32" else 16,
        fraction=25,
        zero_exponent=-21 if to_fp16 else -133,
        output=output,
        rounding="rne" if to_fp16 else "rz",
        nan=0x7FFF if to_fp16 else 0x7FFFFFFF,
        small_sign="plus",
    )
    if is_fp8 and unit == "mma":
        return replace(rule, groups="mod4", carry="afterwards", inputs="fp16")
    if is_fp8:
        return replace(rule, groups=32, fraction=13, output="f16" if to_fp16 else "e8m13")
    return rule


def axes(instruction, seen_nans=()):
    """{field: every value worth trying} for an instruction, what U4 leaves open first."""
    unit, k, a, _, output = names_of(instruction)
    is_fp8 = a in ("e4m3", "e5m2")
    to_fp16 = output == "f16"
    found = {
        "zero_exponent": [-14, -19, -20, -21, -22, None, "emin"]
        if to_fp16
        else [-126, -131, -132, -133, -134, -139, None, "emin"],
        "groups": [size for size in (4, 8, 16, 32) if size < k] + [k, "parity"] + ["mod4", "mod4_swapped"] * (k > 4),
        "fraction": [12, 13, 14, 23, 24, 25, 26] if is_fp8 else [23, 24, 25, 26, 27],
        "carry": ["inside", "afterwards"],
        "output": ["f16", "f16_by_e8m13"]
        if to_fp16
        else ["f32", "e8m13"] + ["e8m12", "e8m14", "e8m13_floating"] * is_fp8,
        "rounding": ["rz", "rne"],
        "inputs": ["own", "normalised", "flushed"] + ["fp16"] * is_fp8,
        "align": ["sum", "leading"],
        "cut": ["toward_zero", "floor"],
        "carry_subnormal": ["emin", "normalised"],
        "subnormal_results": ["kept", "flushed"],
        "overflow": ["inf", "max"],
        "small_sign": ["kept", "plus"],
        "zero_sum": ["plus", "ieee"],
        "nan": sorted({0x7FFF, 0x7E00, *seen_nans} if to_fp16 else {0x7FFFFFFF, 0x7FC00000, *seen_nans}),
    }
    if a == "tf32":
        found["tf32"] = ["cut", "rne", "whole"]
    return found


def same_groups(one, other, k):
    """Do two splits put the same lanes together in the same order?"""
    return lanes_of(one, k) == lanes_of(other, k)


def lanes_of(groups, k):
    """The lanes of each group, in order."""
    lanes = range(k)
    if groups == "parity":
        return [[i for i in lanes if i % 2 == part] for part in (0, 1)]
    if groups in ("mod4", "mod4_swapped"):
        low = [i for i in lanes if i % 4 < 2]
        high = [i for i in lanes if i % 4 >= 2]
        return [low, high] if groups == "mod4" else [high, low]
    return [list(lanes[at : at + groups]) for at in range(0, k, groups)]


def rivals(instruction, rule, seen_nans=()):
    """(field, value, rule) for every rule that differs from `rule` in one field."""
    k = names_of(instruction)[1]
    for field, values in axes(instruction, seen_nans).items():
        own = getattr(rule, field)
        for value in values:
            if value == own or (field == "groups" and same_groups(value, own, k)):
                continue
            yield field, value, replace(rule, **{field: value})


def difference(rule, other):
    """{field: value of other} where two rules differ."""
    return {
        field: getattr(other, field)
        for field in rule.__dataclass_fields__
        if getattr(rule, field) != getattr(other, field)
    }


def said(value):
    """A value of a field as text: NaN codes in hex."""
    return f"{value:X}" if isinstance(value, int) and value > 1000 else str(value)
