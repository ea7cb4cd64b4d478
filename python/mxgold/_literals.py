"""The names that the library lists, as types. Written by python/literals.py; tests/python/test_names.py compares."""

from __future__ import annotations

from typing import Literal, TypedDict, Union

ElementName = Literal[
    "fp64", "fp32", "tf32", "bf16", "fp16", "e4m3fn", "e5m2", "e3m2fn", "e2m3fn", "e2m1fn", "int8", "e4m3fnuz",
    "e5m2fnuz", "e4m3b11fnuz", "e4m3", "e3m4", "e3m4fn_intel", "e3m0", "hif8", "e8m0", "e8m0_cann", "ue4m3",
    "ue5m3", "ue6m2", "bfp_exp8", "bfp_exp5",
]

BlockName = Literal[
    "mxfp8_e4m3", "mxfp8_e5m2", "mxfp6_e3m2", "mxfp6_e2m3", "mxfp4", "mxint8", "e2m1_e8m0_k16", "nvfp4",
    "nvfp4_16x16", "e2m1_ue5m3_k16", "e2m1_ue5m3_k32", "hifx4", "fp8_e4m3_fp32_tensor", "fp8_e4m3_fp32_row",
    "fp8_e4m3_fp32_1x128", "fp8_e4m3_fp32_128x128", "fp8_e5m2_fp32_tensor", "fp8_e5m2_fp32_row",
    "fp8_e5m2_fp32_1x128", "fp8_e5m2_fp32_128x128", "tt_bfp8", "tt_bfp4", "tt_bfp2", "tt_bfp8a", "tt_bfp4a",
    "tt_bfp2a", "mxint6", "mxint4", "bfp24_64", "bfp24_32", "bfp24_16", "bfp16_128", "bfp16_64", "bfp16_32",
    "bfp16_16", "bfp14_128", "bfp14_64", "bfp14_32", "bfp14_16", "bfp12_128", "bfp12_64", "bfp12_32", "bfp12_16",
    "sbfp12_16_4", "sbfp12_16_5", "sbfp12_16_6", "sbfp12_16_7", "sbfp12_16_8", "sbfp12_16_9", "sbfp12_16_10",
    "sbfp12_16_11", "sbfp12_16_12", "sbfp12_16_13", "sbfp12_16_14", "sbfp12_16_15", "sbfp12_16_16", "sbfp12_16_17",
    "sbfp12_16_18", "fbgemm_mx4", "fbgemm_mx4_e3m0", "binary8p4se_k32", "binary8p3se_k32", "binary4p2sf_k32",
]

OperationName = Literal[
    "add", "subtract", "multiply", "divide", "fma", "sqrt", "remainder", "round_to_integral", "minimum", "maximum",
    "minimum_number", "maximum_number", "min_num", "max_num", "select_minimum", "select_maximum",
    "compare_quiet_equal", "compare_quiet_less", "compare_quiet_less_equal", "compare_signaling_equal",
    "compare_signaling_less", "compare_signaling_less_equal", "to_integer", "from_integer",
]

IntegerName = Literal[
    "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64",
]

OutOfRange = Literal[
    "saturate_nan_max", "saturate_nan_zero", "indefinite",
]

UnitName = Literal[
    "v100_f16", "t4_f16", "a100_f16", "a100_tf32", "ada_f16", "ada_tf32", "ada_fp8", "h100_f16", "h100_tf32",
    "h100_wgmma_fp8", "h100_mma_fp8", "b200_f16", "b200_tf32", "b200_f8f6f4", "b200_mxf8f6f4", "b200_mxf4",
    "mi100_f16", "mi100_bf16", "mi200_f16", "mi200_bf16", "mi300_f16", "mi300_xf32", "mi300_fp8",
]

Rounding = Literal[
    "ties_to_even", "ties_to_away", "ties_to_zero", "ties_toward_positive", "toward_zero", "toward_negative",
    "toward_positive", "away_from_zero", "to_odd", "stochastic_a", "stochastic_b", "stochastic_c",
    "stochastic_c_odd",
]

Overflow = Literal[
    "sat_finite", "sat_finite_keep_inf", "propagate_inf", "none_inf_or_nan", "none_p3109_v4",
    "none_p3109_20260714", "always_inf_or_nan",
]

Nan = Literal[
    "canonical_positive", "keep_sign", "to_positive_max", "to_signed_max", "to_opposite_zero", "to_min",
]

ZeroSign = Literal[
    "keep", "flush_positive", "flush_input",
]

UnsignedNegative = Literal[
    "magnitude", "to_nan", "to_min", "saturate_rule",
]

ZeroIn = Literal[
    "min_code", "nan",
]

IntMin = Literal[
    "clamp_symmetric", "allow",
]

SrcFtz = Literal[
    "keep", "flush",
]

DstFtz = Literal[
    "none", "pre", "post", "post_unbounded",
]

Tininess = Literal[
    "after_rounding", "before_rounding",
]

Staging = Literal[
    "none", "via_fp16", "via_bf16", "via_fp32", "via_unbounded",
]

Rule = Literal[
    "floor", "ceil", "rceil", "even_up", "even_down", "floor_log2f", "ceil_log2f", "rceil_log2f", "nearest_log",
    "nearest_log2f", "nearest_val", "midmax", "stoch_exp", "maxabs_finite", "nvfp4_exact", "nvfp4_te",
    "nvfp4_torchao", "nvfp4_cublas", "nvfp4_ggml", "nvfp4_4over6", "nvfp4_modelopt", "nvfp4_modelopt_static",
    "nvfp4_ct", "hif4", "fp32_tensor", "fp32_128", "sbfp",
]

RatioOp = Literal[
    "exact", "fp32_div", "fp32_rcp_mul", "half_rcp_mul", "bf16_div", "fp16_div", "fp32_inverse", "bf16_inverse",
    "fp16_inverse",
]

ScaleSat = Literal[
    "clamp_254", "to_nan",
]

EvenCarry = Literal[
    "exact", "to_nan",
]

AmaxOver = Literal[
    "all", "ignore_nan", "finite_only",
]

NanBlock = Literal[
    "scale_nan", "all_nan",
]

InfBlock = Literal[
    "scale_nan", "scale_max", "all_nan", "as_e255", "as_two_to_128",
]

ZeroBlockScale = Literal[
    "code_00", "min_normal", "one", "min_amax",
]

ScaleFloor = Literal[
    "none", "min_normal",
]

ElemCodesWhenNanScale = Literal[
    "dont_care", "nan", "zero", "as_computed",
]

ElemScaling = Literal[
    "exact", "fp32_mul", "fp32_div", "fp32_div_normal", "fp32_mul_one_at_00", "search_fp32",
]

FourOverSix = Literal[
    "mae_448", "mse_448", "mae_256", "mse_256",
]

ScaleRounding = Literal[
    "ties_to_even", "ties_to_away", "ties_to_zero", "ties_toward_positive", "toward_zero", "toward_negative",
    "toward_positive", "away_from_zero", "to_odd", "stochastic_a", "stochastic_b", "stochastic_c",
    "stochastic_c_odd",
]

ScaleOverflow = Literal[
    "sat_finite", "sat_finite_keep_inf", "propagate_inf", "none_inf_or_nan", "none_p3109_v4",
    "none_p3109_20260714", "always_inf_or_nan",
]

E8m0Quirk = Literal[
    "none", "mldtypes_nearest", "onnx_up", "onnx_nearest",
]

SrcDazBlock = Literal[
    "keep", "flush",
]

DequantOverflow = Literal[
    "inf", "saturate", "nan", "wrap",
]


class Settings(TypedDict, total=False):
    """The keywords of a policy."""

    profile: str
    blocks_as: str
    rounding: Union[Rounding, str]
    random_bits: Union[int, str]
    overflow: Union[Overflow, str]
    nan: Union[Nan, str]
    zero_sign: Union[ZeroSign, str]
    unsigned_negative: Union[UnsignedNegative, str]
    zero_in: Union[ZeroIn, str]
    int_min: Union[IntMin, str]
    src_ftz: Union[SrcFtz, str]
    dst_ftz: Union[DstFtz, str]
    tininess: Union[Tininess, str]
    staging: Union[Staging, str]
    rule: Union[Rule, str]
    ratio_op: Union[RatioOp, str]
    scale_sat: Union[ScaleSat, str]
    even_carry: Union[EvenCarry, str]
    amax_over: Union[AmaxOver, str]
    nan_block: Union[NanBlock, str]
    inf_block: Union[InfBlock, str]
    zero_block_scale: Union[ZeroBlockScale, str]
    scale_floor: Union[ScaleFloor, str]
    elem_codes_when_nan_scale: Union[ElemCodesWhenNanScale, str]
    elem_scaling: Union[ElemScaling, str]
    four_over_six: Union[FourOverSix, str]
    scale_rounding: Union[ScaleRounding, str]
    scale_overflow: Union[ScaleOverflow, str]
    e8m0_quirk: Union[E8m0Quirk, str]
    src_daz_block: Union[SrcDazBlock, str]
    dequant_overflow: Union[DequantOverflow, str]
    block_size: Union[int, str]
