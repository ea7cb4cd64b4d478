// Block operations of P3109 v4.0 section 5 against rationals: every operation, signed, unsigned,
// finite and extended formats as scales, elements and results, every projection; the notes of the
// report; and operations that are wrong in one way each, all of which must be seen.
#include "reference/p3109/block.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "oracle/dot/p3109_block.hpp"
#include "reference/catalog/catalog.hpp"
#include "reference/format/table.hpp"
#include "tests/support/print.hpp"
#include "tests/support/report.hpp"
#include "tests/support/stream.hpp"

namespace mx::oracle::p3109_block_test {
namespace {

using Op = P3109Operation;

constexpr const char* kElements[] = {"binary8p4se", "binary8p3se",  "binary4p2sf",
                                     "binary6p3sf", "binary8p4uf",  "binary8p4ue",
                                     "binary3p1se", "binary10p5se", "bf16"};
constexpr const char* kScales[] = {"binary8p1uf", "binary8p1ue", "binary8p4uf", "binary8p3se",
                                   "binary6p4sf", "binary4p4uf", "bf16"};
constexpr Overflow kSaturations[] = {Overflow::kSatFinite, Overflow::kPropagateInf,
                                     Overflow::kNoneP3109V4, Overflow::kNoneP310920260714};

ElementFormat any_format(std::span<const char* const> names, Stream& stream) {
  return *make_format(names[stream.below(names.size())]);
}

P3109BlockFormat any_block_format(Stream& stream) {
  return {any_format(kScales, stream), any_format(kElements, stream)};
}

P3109Projection any_projection(Stream& stream) {
  return {static_cast<Rounding>(stream.below(9)), kSaturations[stream.below(4)]};
}

/// Any code; every fourth is special or an end of the range.
std::uint64_t any_code(const ElementFormat& f, Stream& stream) {
  if (stream.below(4) != 0) return stream.next64() & f.code_mask();
  const std::uint64_t edges[] = {0,
                                 1,
                                 f.max_code,
                                 f.canonical_nan,
                                 f.inf_code(),
                                 f.sign_bit() | f.max_code,
                                 f.code_mask(),
                                 f.sign_bit() | 1};
  return edges[stream.below(std::size(edges))] & f.code_mask();
}

/// A scale code, mostly a number near 1.
std::uint64_t any_scale(const ElementFormat& f, Stream& stream) {
  if (stream.below(4) == 0) return any_code(f, stream);
  const std::uint64_t one = static_cast<std::uint64_t>(f.bias) << f.man_bits;
  return (one + stream.below(9) - 4) & f.magnitude_mask();
}

struct Case {
  Op operation = Op::kConvert;
  std::vector<P3109BlockFormat> formats;
  std::vector<std::uint64_t> scales;
  std::vector<std::vector<std::uint64_t>> codes;
  P3109BlockFormat result;
  std::uint64_t result_scale = 0;
  P3109Projection projection;
};

Case any_case(Op operation, Stream& stream) {
  Case out;
  out.operation = operation;
  const std::size_t lanes = 1 + stream.below(6);
  for (int i = 0; i < operand_count(operation); ++i) {
    out.formats.push_back(any_block_format(stream));
    out.scales.push_back(any_scale(out.formats.back().scale, stream));
    std::vector<std::uint64_t> codes;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      codes.push_back(any_code(out.formats.back().element, stream));
    }
    out.codes.push_back(codes);
  }
  // Equal operands now and then, for the comparisons.
  if (operand_count(operation) > 1 && stream.below(4) == 0) {
    out.formats[1] = out.formats[0];
    out.scales[1] = out.scales[0];
    out.codes[1] = out.codes[0];
    for (std::uint64_t& code : out.codes[1]) {
      if (stream.coin()) code ^= out.formats[0].element.sign_bit();
    }
  }
  out.result = any_block_format(stream);
  out.result_scale = any_scale(out.result.scale, stream);
  out.projection = any_projection(stream);
  return out;
}

using Implementation = std::function<std::uint8_t(const Case&, std::span<std::uint64_t>)>;

std::uint8_t by_reference(const Case& what, std::span<std::uint64_t> out) {
  std::vector<P3109Operand> operands;
  for (std::size_t i = 0; i < what.formats.size(); ++i) {
    operands.push_back({what.formats[i], {what.scales[i], what.codes[i]}});
  }
  return block_operation(what.operation, operands, what.result, what.result_scale, what.projection,
                         out);
}

std::string text_of(const Case& what) {
  std::string text = "Block" + std::string(token_of(what.operation)) + ' ' +
                     std::string(token_of(what.projection.rounding)) + ' ' +
                     std::string(token_of(what.projection.saturation));
  for (std::size_t i = 0; i < what.formats.size(); ++i) {
    text += " (" + std::to_string(what.formats[i].scale.bits) + "p" +
            std::to_string(what.formats[i].scale.man_bits + 1) + ' ' + hex(what.scales[i]) + ", " +
            std::to_string(what.formats[i].element.bits) + "p" +
            std::to_string(what.formats[i].element.man_bits + 1);
    for (const std::uint64_t code : what.codes[i]) text += ' ' + hex(code);
    text += ')';
  }
  return text + " scale " + hex(what.result_scale);
}

void check_case(const Case& what, const Implementation& implementation, Report& report) {
  const std::size_t lanes = what.codes[0].size();
  std::vector<std::uint64_t> out(lanes);
  const std::uint8_t flags = implementation(what, out);
  std::vector<std::vector<Extended>> values;
  for (std::size_t i = 0; i < what.formats.size(); ++i) {
    values.push_back(block_values(what.formats[i], what.scales[i], what.codes[i]));
  }
  const Extended scale = closed_real(what.result.scale, what.result_scale);
  std::uint8_t want_flags = 0;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    std::vector<Extended> operands;
    for (const auto& each : values) operands.push_back(each[lane]);
    const Extended exact = p3109_value(what.operation, operands);
    const Outcome want = p3109_project_scaled(exact, scale, what.result.element, what.projection);
    want_flags |= want.flags;
    report.check(out[lane] == want.code, [&] {
      return text_of(what) + " lane " + std::to_string(lane) + ": got " + hex(out[lane]) +
             ", oracle " + hex(want.code);
    });
    if (exact.nan()) report.classify("nan");
    if (exact.inf()) report.classify("inf");
    if (exact.zero()) report.classify("zero");
    if (scale.zero()) report.classify("scale zero");
    if (scale.inf()) report.classify("scale infinite");
    if (scale.nan()) report.classify("scale nan");
    if ((want.flags & kFlagInexact) != 0) report.classify("inexact");
    if ((want.flags & kFlagOverflow) != 0) report.classify("overflow");
    if ((want.flags & kFlagUnderflow) != 0) report.classify("underflow");
  }
  report.check(flags == want_flags, [&] {
    return text_of(what) + ": got flags " + hex(flags) + ", oracle " + hex(want_flags);
  });
}

class P3109Operations : public ::testing::TestWithParam<Op> {};

TEST_P(P3109Operations, AgainstRationals) {
  Stream stream(760U + static_cast<std::uint32_t>(GetParam()));
  Report report;
  for (int i = 0; i < 3000; ++i) check_case(any_case(GetParam(), stream), by_reference, report);
  EXPECT_EQ(report.exit_code(), 0) << report.text();
  for (const char* what : {"nan", "zero", "scale zero", "scale infinite", "scale nan", "inexact",
                           "overflow", "underflow"}) {
    EXPECT_GT(report.count(what), 10U) << what;
  }
}

std::string op_name(const ::testing::TestParamInfo<Op>& info) {
  return std::string(token_of(info.param));
}

std::vector<Op> all_operations() {
  std::vector<Op> all;
  for (const Token<Op>& token : tokens<Op>()) all.push_back(token.value);
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, P3109Operations, ::testing::ValuesIn(all_operations()), op_name);

TEST(P3109Blocks, ConversionsAndReductions) {
  Stream stream(790);
  Report report;
  for (int i = 0; i < 4000; ++i) {
    Case what = any_case(Op::kAdd, stream);
    const P3109BlockFormat& format = what.formats[0];
    const P3109Block block{what.scales[0], what.codes[0]};
    const std::vector<Extended> values = block_values(format, block.scale, block.codes);
    const ElementFormat result = any_format(kElements, stream);
    const P3109Projection p = what.projection;
    const std::size_t lanes = values.size();
    std::vector<std::uint64_t> out(lanes);
    const auto same = [&](const char* name, std::uint64_t got, std::uint8_t got_flags,
                          const Outcome& want) {
      report.classify(name);
      report.check(got == want.code && got_flags == want.flags, [&] {
        return std::string(name) + ' ' + text_of(what) + ": got " + hex(got) + " flags " +
               hex(got_flags) + ", oracle " + hex(want.code) + " flags " + hex(want.flags);
      });
    };
    // One lane at a time, so that flags are a lane's.
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const P3109Block one{block.scale, block.codes.subspan(lane, 1)};
      const std::uint8_t flags =
          convert_from_block(format, one, result, p, std::span(out).first(1));
      same("ConvertFromBlock", out[0], flags, p3109_project(values[lane], result, p));
    }
    std::vector<Extended> plain;
    for (const std::uint64_t code : block.codes) plain.push_back(closed_real(format.element, code));
    const auto check_elements = [&](const char* name, std::uint64_t scale_code) {
      const Extended scale = closed_real(what.result.scale, scale_code);
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        const Outcome want = p3109_project_scaled(plain[lane], scale, what.result.element, p);
        same(name, out[lane], want.flags, want);
      }
    };
    convert_to_block(format.element, block.codes, what.result, what.result_scale, p, out);
    check_elements("ConvertToBlock", what.result_scale);
    const P3109Projection scale_projection = any_projection(stream);
    const P3109Scaled scaled = convert_to_block_max_abs_finite(
        format.element, block.codes, what.result, scale_projection, p, out);
    const Outcome want_scale =
        p3109_project(max_abs_finite(plain), what.result.scale, scale_projection);
    same("scale of ConvertToBlockMaxAbsFinite", scaled.scale, want_scale.flags, want_scale);
    check_elements("ConvertToBlockMaxAbsFinite", want_scale.code);

    Extended sum, product = extended(Rational(1)), dot;
    const std::vector<Extended> other =
        block_values(what.formats[1], what.scales[1], what.codes[1]);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      sum = plus(sum, values[lane]);
      product = times(product, values[lane]);
      dot = plus(dot, times(values[lane], other[lane]));
    }
    const Encoded add = block_reduce_add(format, block, result, p);
    same("BlockReduceAdd", add.code, add.flags, p3109_project(sum, result, p));
    const Encoded multiply = block_reduce_multiply(format, block, result, p);
    same("BlockReduceMultiply", multiply.code, multiply.flags, p3109_project(product, result, p));
    const Encoded dotted = block_dot_product(format, block, what.formats[1],
                                             {what.scales[1], what.codes[1]}, result, p);
    same("BlockDotProduct", dotted.code, dotted.flags, p3109_project(dot, result, p));
  }
  EXPECT_EQ(report.exit_code(), 0) << report.text();
  EXPECT_EQ(report.count("BlockReduceMultiply"), 4000U);
}

P3109BlockFormat mandatory() { return {*make_format("binary8p1uf"), *make_format("binary8p4se")}; }

// The notes of sections 5.1.2 and 5.2.3.
TEST(P3109Blocks, NotesOfTheReport) {
  const P3109BlockFormat format = mandatory();
  const ElementFormat& x = format.element;
  const std::uint64_t nan = x.canonical_nan, inf = x.inf_code(), minus_inf = inf | x.sign_bit();
  const std::uint64_t one = 0x40, two = 0x48, three = 0x4C;
  const P3109Projection up{Rounding::kTowardPositive, Overflow::kPropagateInf};
  const P3109Projection nearest{Rounding::kTiesToEven, Overflow::kPropagateInf};
  const auto scaled = [&](std::vector<std::uint64_t> codes, const P3109Projection& scale) {
    std::vector<std::uint64_t> out(codes.size());
    const P3109Scaled result =
        convert_to_block_max_abs_finite(x, codes, format, scale, nearest, out);
    out.insert(out.begin(), result.scale);
    return out;
  };
  using Codes = std::vector<std::uint64_t>;
  EXPECT_EQ(scaled({nan, nan}, nearest), (Codes{0xFF, nan, nan})) << "all NaN";
  EXPECT_EQ(scaled({inf, minus_inf}, nearest), (Codes{0xFE, inf, minus_inf}))
      << "all infinite: the scale's largest, elements kept";
  EXPECT_EQ(scaled({inf, two, one}, nearest), (Codes{0x81, inf, one, 0x38}))
      << "an infinity does not influence the scale";
  EXPECT_EQ(scaled({three, one, nan}, up), (Codes{0x82, 0x3C, 0x30, nan})) << "3 / 4, 1 / 4";
  EXPECT_EQ(scaled({0, 0}, nearest), (Codes{0, 0, 0})) << "zeros";
  // Scale 0 and an infinite scale, which only signed or extended scales have.
  const P3109BlockFormat extended_scale{*make_format("binary8p4se"), x};
  Codes out(4);
  const Codes values = {nan, inf, three, 0};
  convert_to_block(x, values, extended_scale, 0, nearest, out);
  EXPECT_EQ(out, (Codes{nan, 0, 0, 0})) << "scale zero";
  convert_to_block(x, values, extended_scale, minus_inf, nearest, out);
  EXPECT_EQ(out, (Codes{nan, 0xC0, 0xC0, 0})) << "scale minus infinity: minus the sign";
}

TEST(P3109Blocks, ScaledOperations) {
  // 2^3 * 1.5 + 2^-1 * 1 with a result scale of 1 (section 5.5).
  const P3109BlockFormat format = mandatory();
  const std::vector<std::uint64_t> a = {0x44}, b = {0x40};
  const P3109Operand operands[] = {{format, {0x83, a}}, {format, {0x7F, b}}};
  std::vector<std::uint64_t> out(1);
  block_operation(Op::kAdd, operands, format, 0x80, {}, out);
  EXPECT_EQ(extended(value_of(format.element, out[0])).magnitude, Rational(12))
      << "12.5 lies halfway between 12 and 13";
  EXPECT_EQ(out[0], 0x5CU);
}

TEST(P3109Blocks, ProblemsAreNamed) {
  EXPECT_EQ(p3109_problem(mandatory()), "");
  EXPECT_NE(p3109_problem(P3109BlockFormat{formats::fp32, formats::fp16}), "");
  EXPECT_NE(p3109_problem(P3109Projection{Rounding::kStochasticA, Overflow::kSatFinite}), "");
}

struct Mutant {
  const char* name;
  Op operation;
  void (*damage)(Case&);
  void (*spoil)(const Case&, std::span<std::uint64_t>);
};
void PrintTo(const Mutant& mutant, std::ostream* out) { *out << mutant.name; }
void as_is(Case&) {}
void untouched(const Case&, std::span<std::uint64_t>) {}
template <Op kOther>
void other_operation(Case& what) {
  what.operation = kOther;
}

const Mutant kMutants[] = {
    {"minimum_loses_nan", Op::kMinimum, other_operation<Op::kMinimumNumber>, untouched},
    {"finite_takes_infinities", Op::kMaximumFinite, other_operation<Op::kMaximumNumber>, untouched},
    {"magnitude_ignored", Op::kMaximumMagnitude, other_operation<Op::kMaximum>, untouched},
    {"subtracts", Op::kAdd, other_operation<Op::kSubtract>, untouched},
    {"faa_for_fma", Op::kFma, other_operation<Op::kFaa>, untouched},
    {"divides_the_other_way", Op::kDivide,
     [](Case& what) {
       std::swap(what.formats[0], what.formats[1]);
       std::swap(what.scales[0], what.scales[1]);
       std::swap(what.codes[0], what.codes[1]);
     },
     untouched},
    {"clamp_without_order", Op::kClamp,
     [](Case& what) {
       std::swap(what.formats[1], what.formats[2]);
       std::swap(what.scales[1], what.scales[2]);
       std::swap(what.codes[1], what.codes[2]);
     },
     untouched},
    {"saturates", Op::kMultiply,
     [](Case& what) { what.projection.saturation = Overflow::kSatFinite; }, untouched},
    {"formal_for_v4", Op::kMultiply,
     [](Case& what) {
       if (what.projection.saturation == Overflow::kNoneP3109V4) {
         what.projection.saturation = Overflow::kNoneP310920260714;
       }
     },
     untouched},
    {"rounds_to_nearest", Op::kConvert,
     [](Case& what) { what.projection.rounding = Rounding::kTiesToEven; }, untouched},
    {"operand_scale_forgotten", Op::kConvert,
     [](Case& what) {
       what.scales[0] = static_cast<std::uint64_t>(what.formats[0].scale.bias)
                        << what.formats[0].scale.man_bits;
     },
     untouched},
    {"zero_scale_divides", Op::kConvert, as_is,
     [](const Case& what, std::span<std::uint64_t> out) {
       if (what.result_scale == 0) out[0] = what.result.element.max_code;
     }},
    {"nan_kept_from_zero_scale", Op::kAbs, as_is,
     [](const Case& what, std::span<std::uint64_t> out) {
       if (what.result_scale == 0 && out[0] == what.result.element.canonical_nan) out[0] = 0;
     }},
};

class P3109Control : public ::testing::TestWithParam<Mutant> {};

TEST_P(P3109Control, IsCaught) {
  const Mutant& mutant = GetParam();
  Stream stream(799);
  Report wrong, right;
  for (int i = 0; i < 3000 && wrong.mismatches() == 0; ++i) {
    const Case what = any_case(mutant.operation, stream);
    check_case(
        what,
        [&](const Case& asked, std::span<std::uint64_t> out) {
          Case damaged = asked;
          mutant.damage(damaged);
          const std::uint8_t flags = by_reference(damaged, out);
          mutant.spoil(asked, out);
          return flags;
        },
        wrong);
    check_case(what, by_reference, right);
  }
  EXPECT_EQ(wrong.exit_code(), 6);
  EXPECT_EQ(right.exit_code(), 0) << right.text();
}

std::string mutant_name(const ::testing::TestParamInfo<Mutant>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(All, P3109Control, ::testing::ValuesIn(kMutants), mutant_name);

}  // namespace
}  // namespace mx::oracle::p3109_block_test
