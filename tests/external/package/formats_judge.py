#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Formats of the constructor mxgold.Format against gfloat's FormatInfo (every code, and values rounded to the nearest), and
against ml_dtypes' types (every code, and all fp16 values)."""

import itertools
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "python"))
sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1] / "judges"))

import numpy as np

from judge import Judge, need

gfloat, ml_dtypes, mxgold = need("gfloat", "ml_dtypes", "mxgold")
from gfloat.types import Domain, FormatInfo  # noqa: E402

#: ml_dtypes' types: exponent and significand bits, bias where it is no IEEE one, layout.
TYPES = {"bfloat16": (8, 7, None, "ieee"), "float8_e5m2": (5, 2, None, "ieee"), "float8_e4m3": (4, 3, None, "ieee"),
         "float8_e3m4": (3, 4, None, "ieee"), "float8_e4m3fn": (4, 3, None, "fn"), "float8_e4m3fnuz": (4, 3, None, "fnuz"),
         "float8_e5m2fnuz": (5, 2, None, "fnuz"), "float8_e4m3b11fnuz": (4, 3, 11, "fnuz"), "float6_e2m3fn": (2, 3, None, "fin"),
         "float6_e3m2fn": (3, 2, None, "fin"), "float4_e2m1fn": (2, 1, None, "fin")}
LAYOUTS = {"ieee": {"inf": "ieee_top", "nan": "ieee_all"}, "fn": {"nan": "outer_one_per_sign"},
           "fnuz": {"nan": "neg_zero_slot"}, "fin": {}}


def fields_of(k, precision, bias, is_signed, domain, has_nz, high_nans):
    """The fields of mxgold for gfloat's; None for what they cannot say."""
    trailing = precision - 1
    fields = {"exp": k - trailing - is_signed, "man": trailing, "bias": bias, "signed": is_signed}
    whole = high_nans == (1 << trailing) - 1 and high_nans > 0
    if not is_signed:
        if has_nz or high_nans > 1:
            return None
        fields["nan"] = "top_code" if high_nans else "none"
    elif not has_nz:
        if high_nans:
            return None
        fields["nan"] = "neg_zero_slot"
    elif high_nans == 0:
        fields["nan"] = "none"
    elif whole and (domain is Domain.Extended or high_nans > 1):
        fields["nan"] = "ieee_all"
    elif high_nans == 1 and domain is Domain.Finite:
        fields["nan"] = "outer_one_per_sign"
    else:
        return None
    if domain is Domain.Extended:
        fields["inf"] = "ieee_top" if fields["nan"] == "ieee_all" else "p3109_top"
    if fields["nan"] == "ieee_all" and fields["exp"] == 0:
        return None
    return fields


def one_nan(values):
    words = np.asarray(values, np.float64).view(np.uint64).copy()
    words[np.isnan(values)] = 0x7FF8000000000000
    return words


def inputs_of(values, generator):
    """The finite values, the middles of neighbours and what lies beside these, values beyond, and random ones."""
    finite = np.unique(values[np.isfinite(values)])
    middles = (finite[1:] + finite[:-1]) / 2
    near = np.concatenate([middles, np.nextafter(middles, np.inf), np.nextafter(middles, -np.inf), finite, -finite])
    drawn = generator.standard_normal(500) * finite[-1]
    return np.concatenate([near, drawn, [2 * finite[-1], -2 * finite[-1], 0.0, -0.0]])


def judge_gfloat(judge):
    generator = np.random.default_rng(judge.args.seed)
    made = own = unsaid = codes_only = 0
    for k, is_signed, domain, has_nz in itertools.product(range(3, 10), (True, False), (Domain.Finite, Domain.Extended),
                                                          (True, False)):
        for precision in range(1, k + (not is_signed)):
            exp = k - precision + 1 - is_signed
            for bias, high_nans in itertools.product((None, 0, -3, 20), sorted({0, 1, (1 << (precision - 1)) - 1, 2})):
                bias = (1 << exp >> 1) - 1 if bias is None else bias
                fields = fields_of(k, precision, bias, is_signed, domain, has_nz, high_nans)
                if fields is None or abs(bias) + (1 << exp) > 900:
                    unsaid += 1
                    continue
                info = FormatInfo("own", k, precision, bias=bias, is_signed=is_signed, domain=domain, has_nz=has_nz,
                                  num_high_nans=high_nans, has_subnormals=precision > 1, is_twos_complement=False)
                if not info.has_zero:
                    fields["zero"] = "none"
                    fields.pop("nan" if fields["nan"] == "none" else "", None)
                try:
                    found = mxgold.Format(**fields)
                except ValueError:  # too few codes are left
                    unsaid += 1
                    continue
                made, own = made + 1, own + ("=" in found.name)
                codes = np.arange(1 << k, dtype=np.int64)
                with np.errstate(all="ignore"):
                    theirs = gfloat.decode_ndarray(info, codes)
                ours = found.values()
                what = f"{found} codes"
                judge.same(what, codes, one_nan(ours) ^ (1 if judge.args.wrong else 0), one_nan(theirs))
                # gfloat rounds by its own maximum, which is none of its values where exponent field 0 is the only finite
                # one, and below the least value of a format without zero.
                if not info.has_zero or info.max != np.max(theirs[np.isfinite(theirs)]):
                    codes_only += 1
                    continue
                x = inputs_of(theirs, generator)
                x = x if is_signed else np.abs(x)
                with np.errstate(all="ignore"):
                    rounded = gfloat.round_ndarray(info, x, gfloat.RoundMode.TiesToEven, True)
                back = mxgold.convert(mxgold.convert(x, found, overflow="sat_finite", rounding="RNE"), "fp64", source=found)
                judge.same(f"{found} to the nearest", x.view(np.uint64), one_nan(back), one_nan(rounded), sees_wrong=False)
    print(f"  {made} formats, {own} of them in no table and no family; {codes_only} by codes alone; {unsaid} of gfloat's have no "
          "fields here")
    if made < 500 or own < 100 or codes_only > made // 4:
        raise ValueError("too few formats were made")


def judge_ml_dtypes(judge):
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    for name, (exp, man, bias, layout) in TYPES.items():
        kind = getattr(ml_dtypes, name)
        found = mxgold.Format(exp=exp, man=man, bias=bias, **LAYOUTS[layout])
        size = np.dtype(kind).itemsize
        codes = np.arange(1 << found.bits, dtype=f"u{size}")
        ours = found.values()
        judge.same(f"{name} codes", codes, one_nan(ours) ^ (1 if judge.args.wrong else 0),
                   one_nan(codes.view(kind).astype(np.float64)))
        finite = halves[np.isfinite(halves)]
        theirs = finite.astype(kind).astype(np.float64)
        kept = np.isfinite(theirs)
        back = mxgold.convert(mxgold.convert(finite, found), "fp64", source=found)
        judge.same(f"{name} of fp16", finite[kept].view(np.uint16), one_nan(back[kept]), one_nan(theirs[kept]), sees_wrong=False)


def main():
    surfaces = {"gfloat": judge_gfloat, "ml_dtypes": judge_ml_dtypes}
    judge = Judge("gfloat and ml_dtypes", f"ml_dtypes {ml_dtypes.__version__}", surfaces)
    for name, surface in surfaces.items():
        if judge.wants(name):
            surface(judge)
    judge.finish()


main()
