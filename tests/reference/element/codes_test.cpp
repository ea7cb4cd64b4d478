// Every code of every format: its value, its round trip, its place in the order; the descriptors'
// own validity (spec F6.2); the table's tokens.
#include <gtest/gtest.h>

#include <set>

#include "reference/format/table.hpp"
#include "reference/number/unpacked.hpp"
#include "tests/reference/judgement/element_sweep.hpp"
#include "tests/support/guest_formats.hpp"
#include "tests/support/made.hpp"
#include "tests/support/print.hpp"
#include "tests/support/sample.hpp"
#include "tests/support/stimuli.hpp"

namespace mx::oracle::codes_test {
namespace {

/// Is the reference's unpacked value the oracle's real?
bool same_value(const Unpacked& got, const Real& want) {
  if (want.kind == Kind::kNan) {
    return got.cls == ValueClass::kNan && got.negative == want.negative &&
           got.signaling == want.signaling;
  }
  if (got.negative != want.negative || got.signaling || got.sticky) return false;
  if (want.kind == Kind::kInf) return got.cls == ValueClass::kInf;
  if (want.zero()) return got.cls == ValueClass::kZero;
  if (got.cls != ValueClass::kFinite || (got.significand >> 63) == 0) return false;
  return RationalField::make(got.significand, got.exponent - 63) ==
         RationalField::make(want.significand, want.exponent);
}

/// All codes of a format of at most 16 bits; a spread and the edges of a wider one.
std::vector<std::uint64_t> codes_of(const ElementFormat& format) {
  std::vector<std::uint64_t> codes;
  if (format.bits <= 16) {
    for (std::uint64_t c = 0; c < std::uint64_t{1} << format.bits; ++c) codes.push_back(c);
    return codes;
  }
  codes = special_patterns(format);
  for (const std::uint64_t c : exponent_patterns(format)) codes.push_back(c);
  return codes;
}

class EveryFormat : public ::testing::TestWithParam<ElementFormat> {};
class NanFormat : public ::testing::TestWithParam<ElementFormat> {};
class SmallFormat : public ::testing::TestWithParam<ElementFormat> {};

TEST_P(EveryFormat, DescriptorIsValid) {
  EXPECT_EQ(invalid_reason(GetParam()), "") << GetParam().name;
}

TEST_P(EveryFormat, DecodesEveryCode) {
  const ElementFormat& format = GetParam();
  Report report;
  for (const std::uint64_t code : codes_of(format)) {
    report.check(same_value(decode(format, code), value_of(format, code)),
                 [&] { return std::string(format.name) + " code " + hex(code); });
  }
  EXPECT_EQ(report.exit_code(), 0) << report.text();
}

// spec F6.2 (b): encode(decode(c)) = c in every deterministic mode, nothing flagged. A format
// without subnormals holds the codes of exponent field 0 as zeros, which come back as code 0.
TEST_P(EveryFormat, RoundTripsEveryCode) {
  const ElementFormat& format = GetParam();
  Report report;
  for (const Rounding rounding : all_roundings()) {
    if (is_stochastic(rounding)) continue;
    ConversionConfig conversion{format, format, {}};
    conversion.policy.rounding = rounding;
    conversion.policy.overflow = Overflow::kPropagateInf;
    conversion.policy.int_min = IntMin::kAllow;
    for (const std::uint64_t code : codes_of(format)) {
      const Real x = value_of(format, code);
      if (x.kind == Kind::kNan) continue;
      if (!format.has_subnormal && x.zero()) continue;
      const Encoded got = made(conversion)(code);
      report.check(got.code == code && (got.flags & ~kFlagSaturated) == 0, [&] {
        return describe_mismatch(conversion, code, 0, got, Outcome{code, 0});
      });
    }
  }
  EXPECT_EQ(report.exit_code(), 0) << report.text();
}

TEST_P(NanFormat, NanCodesStayNan) {
  const ElementFormat& format = GetParam();
  std::uint64_t nans = 0;
  ConversionConfig conversion{format, format, {}};
  for (const std::uint64_t code : codes_of(format)) {
    if (value_of(format, code).kind != Kind::kNan) continue;
    ++nans;
    EXPECT_EQ(made(conversion)(code).code, format.canonical_nan) << hex(code);
  }
  EXPECT_GT(nans, 0U);
}

// Each format of at most 10 bits as a source of every other one, in every rounding and overflow
// policy.
TEST_P(SmallFormat, ConvertsToEverySmallFormat) {
  const ElementFormat& source = GetParam();
  const std::vector<std::uint64_t> inputs = codes_of(source);
  Report report;
  // Every destination from a third of the sources by default.
  std::size_t turn = static_cast<unsigned char>(source.name.back()) + source.name.size();
  for (const ElementFormat& destination : every_format()) {
    if (destination.bits > 16 || (++turn % 3 != 0 && !test::runs_whole())) continue;
    ElementSweep sweep{source, destination, {}};
    sweep.base.random_bits = 3;
    sweep_elements<TickField>(sweep, inputs, reference_implementation(), report);
    sweep_elements<TickField>(sweep, inputs, array_implementation(), report);
  }
  EXPECT_EQ(report.exit_code(), 0) << report.text();
}

std::string format_name(const ::testing::TestParamInfo<ElementFormat>& info) {
  return std::string(info.param.name);
}

template <class Predicate>
std::vector<ElementFormat> formats_where(Predicate predicate) {
  std::vector<ElementFormat> all = every_format();
  std::erase_if(all, [&](const ElementFormat& format) { return !predicate(format); });
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, NanFormat,
                         ::testing::ValuesIn(formats_where([](const ElementFormat& f) {
                           return f.nan != NanKind::kNone;
                         })),
                         format_name);
// The 16-bit and structured sweeps cover the wider sources.
INSTANTIATE_TEST_SUITE_P(All, SmallFormat,
                         ::testing::ValuesIn(formats_where([](const ElementFormat& f) {
                           return f.bits <= 10;
                         })),
                         format_name);
INSTANTIATE_TEST_SUITE_P(All, EveryFormat, ::testing::ValuesIn(every_format()), format_name);

TEST(FormatTable, NamesAreUniqueAndFindable) {
  std::set<std::string_view> names;
  for (const ElementFormat& format : all_formats()) {
    EXPECT_TRUE(names.insert(format.name).second) << format.name;
    ASSERT_NE(find_format(format.name), nullptr);
    EXPECT_EQ(*find_format(format.name), format);
  }
  EXPECT_GE(names.size(), 12U);
  EXPECT_EQ(find_format("e4m33"), nullptr);
  EXPECT_EQ(find_format(""), nullptr);
}

// spec F3.1: largest value with its code, smallest normal, smallest subnormal.
TEST(FormatTable, RangesAreThoseOfTheSpecification) {
  struct Row {
    const char* name;
    std::uint64_t max_code;
    Rational max;
    Rational min_normal;
    Rational min_subnormal;
  };
  const auto power = [](int e) { return RationalField::make(1, e); };
  const std::vector<Row> rows = {
      {"e2m1fn", 0x7, 6, 1, power(-1)},
      {"e2m3fn", 0x1F, Rational(15) / 2, 1, power(-3)},
      {"e3m2fn", 0x1F, 28, power(-2), power(-4)},
      {"e4m3fn", 0x7E, 448, power(-6), power(-9)},
      {"e5m2", 0x7B, 57344, power(-14), power(-16)},
      {"fp16", 0x7BFF, 65504, power(-14), power(-24)},
      {"bf16", 0x7F7F, 255 * power(120), power(-126), power(-133)},
      {"e8m0", 0xFE, power(127), power(-127), power(-127)},
  };
  for (const Row& row : rows) {
    const ElementFormat* format = find_format(row.name);
    ASSERT_NE(format, nullptr) << row.name;
    EXPECT_EQ(format->max_code, row.max_code) << row.name;
    const Ladder<RationalField> ladder(*format);
    const LadderShape& shape = ladder.shape();
    EXPECT_EQ(ladder.value(shape.top - 1), row.max) << row.name;
    EXPECT_EQ(RationalField::make(1, shape.emin), row.min_normal) << row.name;
    EXPECT_EQ(ladder.value(shape.virtual_steps == 0 ? 1 : shape.virtual_steps), row.min_subnormal)
        << row.name;
    EXPECT_EQ(format->emin(), shape.emin) << row.name;
  }
  const Ladder<RationalField> int8(formats::int8);
  EXPECT_EQ(int8.value(127), Rational(127) / 64);
  EXPECT_EQ(int8.value(128), 2);
}

// e_max of spec F11.1 and the derived quantities the even rules use.
TEST(FormatTable, DerivedQuantitiesAgreeWithTheLadder) {
  const std::vector<std::pair<const char*, int>> emax = {
      {"e2m1fn", 2}, {"e2m3fn", 2}, {"e3m2fn", 4}, {"e4m3fn", 8}, {"e5m2", 15}, {"int8", 0}};
  for (const auto& [name, value] : emax) EXPECT_EQ(find_format(name)->emax(), value) << name;
  EXPECT_EQ(formats::int8.rule_man_bits(), 6);
  EXPECT_EQ(formats::e4m3fn.rule_man_bits(), 3);
}

}  // namespace
}  // namespace mx::oracle::codes_test
