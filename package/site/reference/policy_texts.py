# SPDX-License-Identifier: Apache-2.0
"""What each value of each policy does, in words, and inputs that show it.

The program lists policies and values; a value without a text here stops the making of the site.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Example:
    """Inputs of `mxgold explain` that the values of a policy treat differently."""

    format: str
    inputs: tuple[str, ...]
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class Policy:
    about: str
    values: dict[str, str]
    examples: tuple[Example, ...]
    #: Arguments of `mxgold plot`; empty where no picture says something.
    picture: tuple[str, ...] = ()


_ROUNDINGS = {
    "ties_to_even": "Nearest value; a tie goes to the even code.",
    "ties_to_away": "Nearest value; a tie goes away from zero.",
    "ties_to_zero": "Nearest value; a tie goes toward zero.",
    "ties_toward_positive": "Nearest value; a tie goes up.",
    "toward_zero": "Drops what does not fit.",
    "toward_negative": "Down.",
    "toward_positive": "Up.",
    "away_from_zero": "Away from zero, unless the value is exact.",
    "to_odd": "To the neighbor with the odd code, unless the value is exact.",
    "stochastic_a": "Adds a random number to the discarded bits and truncates. P3109's variant A.",
    "stochastic_b": "As A, with one bit more of the discarded part and half a step added. P3109's variant B.",
    "stochastic_c": "As A, after the discarded part was rounded to N bits, ties to even. P3109's variant C.",
    "stochastic_c_odd": "As C, but ties of the discarded part go to odd.",
}

_OVERFLOWS = {
    "sat_finite": "The largest finite value, for infinities too.",
    "sat_finite_keep_inf": "The largest finite value; an infinity stays one, or becomes NaN where there is none.",
    "propagate_inf": "The largest finite value; an infinity stays one where the format has it.",
    "none_inf_or_nan": "As IEEE 754: infinity, or NaN where there is none. Roundings toward zero: the largest value.",
    "none_p3109_v4": "P3109's SatNone, in the interim report v4.0.",
    "none_p3109_20260714": "P3109's SatNone, in the formal specification of 14 July 2026.",
    "always_inf_or_nan": "Infinity, or NaN where there is none, whatever the rounding.",
}

POLICIES: dict[str, Policy] = {
    "rounding": Policy(
        "A value that lies between two codes must become one of them. This policy says which.",
        _ROUNDINGS, (Example("e2m1fn", ("2.4375", "2.5", "-2.5", "3.5")),),
        ("numberline", "e2m1fn", "--rounding", "ties_to_away")),
    "random_bits": Policy(
        "A stochastic rounding compares the discarded part of a value with a random number of N bits. This is N.",
        {}, (Example("e4m3fn", ("1.05",), ("--rounding", "stochastic_a", "--random", "3")),)),
    "overflow": Policy(
        "What a value beyond the largest finite one becomes, and an infinity.",
        _OVERFLOWS, (Example("e4m3fn", ("1000", "inf", "-inf")), Example("e5m2", ("70000", "inf", "-inf")))),
    "nan": Policy(
        "Which code a NaN becomes. Formats without a NaN need a number in its place.",
        {"canonical_positive": "The format's own NaN, positive. Without a NaN: the largest value.",
         "keep_sign": "The format's own NaN with the sign of the input. Without a NaN: the largest value of that sign.",
         "to_positive_max": "The largest value.",
         "to_signed_max": "The largest value with the sign of the NaN.",
         "to_opposite_zero": "+NaN becomes -0 and -NaN becomes +0. Without a -0: zero.",
         "to_min": "The least value: of int8 minus 128."},
        (Example("e4m3fn", ("0x7FC00000", "0xFFC00000")), Example("e2m1fn", ("0x7FC00000", "0xFFC00000")))),
    "zero_sign": Policy(
        "Whether a zero keeps its minus sign.",
        {"keep": "A negative zero, and a negative value that rounds to zero, become -0 where the format has it.",
         "flush_positive": "Every zero becomes +0.",
         "flush_input": "An input of -0 becomes +0; a negative value that rounds to zero becomes -0."},
        (Example("e2m1fn", ("-0.0", "-0.1")),)),
    "int_min": Policy(
        "A two's complement format has one negative code more than positive ones. May a conversion produce it?",
        {"clamp_symmetric": "No: the smallest result is minus the largest.",
         "allow": "Yes."},
        (Example("int8", ("-2", "-1.99")),)),
    "src_ftz": Policy(
        "What happens to subnormal inputs.",
        {"keep": "They are values as any other.", "flush": "They become zero before anything else."},
        (Example("bf16", ("1e-39", "1e-38"), ("--source", "fp32")),)),
    "dst_ftz": Policy(
        "What happens to results below the smallest normal value.",
        {"none": "They are rounded to subnormal codes.",
         "pre": "A value below the smallest normal one becomes zero, before it is rounded.",
         "post": "A subnormal result becomes zero, after it is rounded.",
         "post_unbounded": "A result that is below the smallest normal one, rounded as if the exponent had no end, "
                           "becomes zero."},
        (Example("e4m3fn", ("0.005", "0.0148", "0.0153")),)),
    "staging": Policy(
        "Some systems round to a wider format first, and from there to the narrow one. That may give other bits.",
        {"none": "One rounding.", "via_fp16": "First to FP16, nearest even.",
         "via_bf16": "First to BF16, nearest even.",
         "via_fp32": "First to FP32, nearest even.",
         "via_unbounded": "Below the smallest normal value: first to the destination's precision, as if its exponent "
                          "had no end. A unit that rounds before it denormalises does this."},
        (Example("e4m3fn", ("1.0626220703125", "0.00671386718750")),)),
    "tininess": Policy(
        "The flag `underflow` is for results that are tiny and inexact. IEEE 754 leaves open when tiny is decided.",
        {"after_rounding": "A result is tiny if it is below the smallest normal value once rounded.",
         "before_rounding": "A result is tiny if the exact value is below the smallest normal value."},
        (Example("e4m3fn", ("0.0156",)),)),
    "unsigned_negative": Policy(
        "What a negative value becomes in a format without a sign.",
        {"magnitude": "The code of its magnitude.", "to_nan": "NaN.", "to_min": "The smallest value.",
         "saturate_rule": "What the overflow policy says of a value below the smallest."},
        (Example("ue4m3", ("-3", "-inf")),)),
    "zero_in": Policy(
        "What zero becomes in a format without a zero, such as E8M0.",
        {"min_code": "The smallest value.", "nan": "NaN."}, (Example("e8m0", ("0",)),)),
    "rule": Policy(
        "How the largest magnitude of a block, amax, chooses the scale that the block shares.",
        {"floor": "The exponent of amax, less that of the element's largest value. Large values may saturate. OCP MX.",
         "ceil": "One more, unless amax is a power of two. Nothing saturates.",
         "rceil": "amax divided by the element's largest value, rounded up to a power of two.",
         "even_up": "amax is first rounded to the precision of the element; a tie goes up.",
         "even_down": "amax is first rounded to the precision of the element; a tie goes down.",
         "floor_log2f": "As floor, with a logarithm in FP32. It rounds up close below a power of two.",
         "ceil_log2f": "As ceil, with a logarithm in FP32. It rounds down close above a power of two.",
         "rceil_log2f": "As rceil, with a logarithm in FP32.",
         "nearest_log": "The nearest exponent on a logarithmic scale: it turns at the square root of two.",
         "nearest_log2f": "As nearest_log, with a logarithm in FP32.",
         "nearest_val": "The power of two nearest to the quotient of rceil: it turns at 1.5.",
         "midmax": "The smallest scale under which amax, rounded, does not saturate.",
         "stoch_exp": "As even_up, with random bits in place of one half.",
         "maxabs_finite": "The largest finite magnitude itself, rounded to the scale format. P3109.",
         "nvfp4_exact": "amax divided by 6 and by the tensor's scale, rounded once. mxgold's rule for NVFP4.",
         "nvfp4_te": "NVFP4 as TransformerEngine computes it.",
         "nvfp4_torchao": "NVFP4 as torchao computes it.",
         "nvfp4_cublas": "NVFP4 as cuBLAS computes it.",
         "nvfp4_ggml": "NVFP4 as ggml computes it, without a scale of the tensor.",
         "nvfp4_4over6": "Two scales are tried, for largest values of 6 and of 4; the smaller error wins.",
         "nvfp4_modelopt": "NVFP4 as NVIDIA ModelOpt computes it.",
         "nvfp4_modelopt_static": "NVFP4 as ModelOpt's export computes it from maxima that a calibration kept.",
         "nvfp4_ct": "NVFP4 as compressed-tensors computes it.",
         "hif4": "HiFloat4: a scale of E6M2 and two levels of one bit.",
         "fp32_tensor": "amax divided by the element's largest value, in FP32, for a whole tensor.",
         "fp32_128": "The same for blocks of a row, of 128 elements, or of 128 x 128.",
         "sbfp": "amax divided by the largest code, rounded to the scale format. dmx."},
        (Example("mxfp4", ("3.25", "1")), Example("mxfp8_e4m3", ("480", "1")), Example("nvfp4", ("3.3", "1", "0.4"))),
        ("scales", "--format", "mxfp4", "floor", "rceil", "even_up", "ceil")),
    "ratio_op": Policy(
        "How rules that divide amax by the element's largest value do it: rceil, rceil_log2f, nearest_val, fp32_tensor, "
        "fp32_128.",
        {"exact": "Exactly.", "fp32_div": "By a division in FP32.",
         "fp32_rcp_mul": "By a product with the reciprocal, in FP32.",
         "half_rcp_mul": "By a product with a 16-bit reciprocal. Sources of 16 bits only.",
         "bf16_div": "By a division in BF16.", "fp16_div": "By a division in FP16.",
         "fp32_inverse": "As the reciprocal, in FP32, of the largest value divided by amax in FP32.",
         "bf16_inverse": "The same; the inner division is in BF16.",
         "fp16_inverse": "The same; the inner division is in FP16."},
        (Example("mxfp8_e4m3", ("0x04600001", "0"), ("--rule", "rceil")),
         Example("mxfp4", ("0x00000040",), ("--rule", "rceil")))),
    "scale_sat": Policy(
        "What a scale above the largest code becomes.",
        {"clamp_254": "The largest code, `FE`.", "to_nan": "NaN, `FF`."},
        (Example("mxint8", ("3.4e38",), ("--rule", "ceil")),)),
    "even_carry": Policy(
        "The rules `even_up` and `even_down` round amax first. Close to 2^128 that leaves the range of FP32.",
        {"exact": "The rule goes on with 2^128.", "to_nan": "The scale is NaN."},
        (Example("mxint8", ("3.4e38",), ("--rule", "even_up")),
         Example("mxfp4", ("3.4e38",), ("--rule", "even_up")))),
    "amax_over": Policy(
        "Which elements count for the largest magnitude of a block.",
        {"all": "All; a NaN makes the maximum NaN.", "ignore_nan": "All but NaN.", "finite_only": "Finite ones."},
        (Example("mxfp8_e4m3", ("nan", "3")), Example("mxfp8_e4m3", ("inf", "3")))),
    "nan_block": Policy(
        "What a block with a NaN becomes, where NaN counts for the maximum.",
        {"scale_nan": "Its scale is NaN.", "all_nan": "Every value of it is NaN. Codes say that by a NaN scale, too."},
        (Example("mxfp8_e4m3", ("nan", "3")),)),
    "inf_block": Policy(
        "What a block with an infinity becomes.",
        {"scale_nan": "Its scale is NaN.", "scale_max": "Its scale is the largest one.",
         "all_nan": "Every value of it is NaN.", "as_e255": "The rule takes amax for a number with exponent field 255.",
         "as_two_to_128": "The same, and the infinity counts as 2^128 from there on."},
        (Example("mxfp8_e4m3", ("inf", "3")),)),
    "zero_block_scale": Policy(
        "The scale of a block in which every element is zero.",
        {"code_00": "Code 00.", "min_normal": "The smallest normal scale.", "one": "1.0.",
         "min_amax": "The rule goes on with amax = 2^-126."},
        (Example("mxint8", ("0", "0")), Example("nvfp4", ("0", "0")))),
    "scale_floor": Policy(
        "The smallest scale that a rule with a real quotient may choose.",
        {"none": "No limit but the format's.", "min_normal": "The smallest normal scale."},
        (Example("nvfp4", ("0.01",), ("--tensor-scale", "1")),)),
    "elem_codes_when_nan_scale": Policy(
        "A NaN scale makes every element NaN. The element codes under it may be anything, or something definite.",
        {"dont_care": "They mean nothing and are not compared.", "nan": "NaN, where the element has one.",
         "zero": "Zero.", "as_computed": "What a division by NaN gives."},
        (Example("mxfp8_e4m3", ("nan", "3")),)),
    "elem_scaling": Policy(
        "How an element is divided by the scale before it is rounded.",
        {"exact": "Exactly; the only rounding is that to the element.",
         "fp32_mul": "A product in FP32 with the reciprocal.",
         "fp32_div": "A division in FP32.", "fp32_div_normal": "A division in FP32 by at least 2^-126.",
         "fp32_mul_one_at_00": "A product in FP32; scale code 00 counts as 1.",
         "search_fp32": "The code with the least error in FP32 is searched for."},
        (Example("mxfp8_e4m3", ("0x00001001", "0")),
         Example("nvfp4", ("3.3", "1.1", "0.41"), ("--tensor-scale", "1")))),
    "four_over_six": Policy(
        "The rule `nvfp4_4over6` tries two scales. This says which error it compares, and the largest scale.",
        {"mae_448": "Sum of absolute errors, scales up to 448.", "mse_448": "Sum of squared errors, scales up to 448.",
         "mae_256": "Sum of absolute errors, scales up to 256.", "mse_256": "Sum of squared errors, scales up to 256."},
        (Example("nvfp4", ("3.3", "2.9", "0.4", "1.4", "2.4"), ("--rule", "nvfp4_4over6")),)),
    "scale_rounding": Policy(
        "How the rule `maxabs_finite` rounds the scale.",
        _ROUNDINGS, (Example("binary8p4se_k32", ("3", "1")),)),
    "scale_overflow": Policy(
        "What the rule `maxabs_finite` makes of a scale beyond the largest one.",
        _OVERFLOWS, (Example("binary8p4se_k32", ("3e38", "1")),)),
    "e8m0_quirk": Policy(
        "Some systems convert to E8M0 in their own way near the lowest code.",
        {"none": "No difference.", "mldtypes_nearest": "As ml_dtypes rounds to nearest.",
         "onnx_up": "As ONNX rounds up.",
         "onnx_nearest": "As ONNX rounds to nearest."},
        (Example("e8m0", ("0x00400001", "0x00000001")),)),
    "src_daz_block": Policy(
        "What happens to a block whose largest magnitude is below 2^-126.",
        {"keep": "It is a block as any other.", "flush": "All its elements become zero."},
        (Example("mxint8", ("1e-39", "5e-40")),)),
    "dequant_overflow": Policy(
        "What a dequantized value beyond the output format becomes.",
        {"inf": "Infinity.", "saturate": "The largest value.", "nan": "NaN.",
         "wrap": "The exponent wraps around, as Tenstorrent's unpacker does."},
        (Example("mxfp8_e5m2", ("7B", "3C"), ("--scale", "FE")),)),
}
