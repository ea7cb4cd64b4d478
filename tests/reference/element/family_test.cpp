// The families of formats by name, to 16 bits: every member is a valid descriptor, every code of it
// decodes as the oracle says and comes back in every deterministic rounding, and conversions into
// it equal the oracle's in every rounding and overflow policy: on directed inputs here, on all
// BF16 and FP16 inputs under the label exhaustive (MX_FAMILY_INPUTS=all, MX_FAMILY_SHARD=i/n).
#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <string_view>

#include "reference/catalog/catalog.hpp"
#include "reference/format/table.hpp"
#include "reference/number/unpacked.hpp"
#include "tests/reference/judgement/element_sweep.hpp"
#include "tests/support/family_names.hpp"
#include "tests/support/made.hpp"
#include "tests/support/sample.hpp"
#include "tests/support/stimuli.hpp"

namespace mx::oracle::family_test {
namespace {

struct Family {
  const char* name;
  std::vector<std::string> (*names)();
  std::size_t at_least;  ///< members the catalog must know
};

void PrintTo(const Family& family, std::ostream* out) { *out << family.name; }

class Families : public ::testing::TestWithParam<Family> {
 protected:
  /// The members of the family; names that are out of the grammar's range are left out and counted.
  std::vector<ElementFormat> members() {
    std::vector<ElementFormat> found;
    for (const std::string& name : GetParam().names()) {
      const ElementFormat* format = catalog_.find(name);
      if (format != nullptr && format->bits <= 16) found.push_back(*format);
    }
    EXPECT_GE(found.size(), GetParam().at_least);
    return found;
  }

 private:
  FormatCatalog catalog_;
};

/// Do two values agree? Of -0 and NaN the sign counts too.
bool same_value(const Unpacked& got, const Real& want) {
  if (want.kind == Kind::kNan) return got.cls == ValueClass::kNan;
  if (got.negative != want.negative) return false;
  if (want.kind == Kind::kInf) return got.cls == ValueClass::kInf;
  if (want.zero()) return got.cls == ValueClass::kZero;
  if (got.cls != ValueClass::kFinite) return false;
  // Both as an odd number times a power of two.
  const int a = std::countr_zero(got.significand);
  const int b = std::countr_zero(want.significand);
  return got.significand >> a == want.significand >> b &&
         got.exponent - 63 + a == want.exponent + b;
}

TEST_P(Families, EveryCodeDecodesAndComesBack) {
  Report report;
  for (const ElementFormat& format : members()) {
    ASSERT_EQ(invalid_reason(format), "") << format.name;
    ConversionConfig conversion{format, format, {}};
    conversion.policy.overflow = Overflow::kPropagateInf;
    conversion.policy.int_min = IntMin::kAllow;
    std::vector<std::uint64_t> codes(std::size_t{1} << format.bits);
    std::iota(codes.begin(), codes.end(), std::uint64_t{0});
    if (format.bits > 10) codes = test::one_in(8, codes, static_cast<std::uint64_t>(format.bits));
    for (const std::uint64_t code : codes) {
      const Real x = value_of(format, code);
      report.check(same_value(decode(format, code), x),
                   [&] { return std::string(format.name) + " code " + hex(code); });
      if (x.kind == Kind::kNan || (!format.has_subnormal && x.zero())) continue;
      for (const Rounding rounding : all_roundings()) {
        if (is_stochastic(rounding)) continue;
        conversion.policy.rounding = rounding;
        const Encoded got = made(conversion)(code);
        report.check(got.code == code && (got.flags & ~kFlagSaturated) == 0, [&] {
          return describe_mismatch(conversion, code, 0, got, Outcome{code, 0});
        });
      }
    }
  }
  EXPECT_EQ(report.exit_code(), 0) << report.text();
  std::cout << report.cases() << " comparisons\n";
}

/// Inputs aimed at a destination: some of its thresholds with neighbours, specials, random bits.
std::vector<std::uint64_t> directed(const ElementFormat& source, const ElementFormat& destination,
                                    Stream& stream) {
  std::vector<std::uint64_t> inputs = special_patterns(source);
  if (destination.bits <= 8) {
    const std::vector<std::uint64_t> all = threshold_patterns(source, destination, 1, 1);
    const std::size_t stride = all.size() / test::part(200, 4) + 1;
    for (std::size_t i = stream.next() % stride; i < all.size(); i += stride) {
      inputs.push_back(all[i]);
    }
  }
  for (const std::uint64_t pattern :
       random_patterns(source, destination, test::part(120, 4), stream)) {
    inputs.push_back(pattern);
  }
  return inputs;
}

/// Every rounding and overflow policy on both paths of the reference.
void sweep(const ElementFormat& source, const ElementFormat& destination,
           std::span<const std::uint64_t> inputs, Report& report) {
  ElementSweep sweep{source, destination, {}};
  sweep.base.random_bits = 6;
  if (destination.bias > 1000) {
    sweep_elements<FarTickField>(sweep, inputs, reference_implementation(), report);
    sweep_elements<FarTickField>(sweep, inputs, array_implementation(), report);
  } else {
    sweep_elements<WideTickField>(sweep, inputs, reference_implementation(), report);
    sweep_elements<WideTickField>(sweep, inputs, array_implementation(), report);
  }
}

TEST_P(Families, ConversionsAgree) {
  const char* which = std::getenv("MX_FAMILY_INPUTS");
  const bool all = which != nullptr && std::string_view(which) == "all";
  unsigned shard = 0;
  unsigned shards = 1;
  if (const char* text = std::getenv("MX_FAMILY_SHARD")) {
    ASSERT_EQ(std::sscanf(text, "%u/%u", &shard, &shards), 2) << "MX_FAMILY_SHARD=i/n: " << text;
    ASSERT_LT(shard, shards);
  }
  std::vector<std::uint64_t> sixteen_bits(65536);
  std::iota(sixteen_bits.begin(), sixteen_bits.end(), std::uint64_t{0});
  Report report;
  Stream stream(0xFA);
  unsigned index = 0;
  std::uint64_t formats = 0;
  // By default each member meets one source of three.
  const std::vector<ElementFormat> sources{formats::bf16, formats::fp16, formats::fp32};
  for (const ElementFormat& destination : members()) {
    if (index++ % shards != shard) continue;
    ++formats;
    for (const ElementFormat& source : test::one_in(3, sources, formats)) {
      if (all && source == formats::fp32) continue;
      sweep(source, destination, all ? sixteen_bits : directed(source, destination, stream),
            report);
    }
  }
  EXPECT_EQ(report.exit_code(), 0) << report.text();
  std::cout << formats << " formats, " << report.cases() << " comparisons\n";
}

std::string name_of(const ::testing::TestParamInfo<Family>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(All, Families,
                         ::testing::Values(Family{"p3109", p3109_names, 504},
                                           Family{"floats", float_names, 350},
                                           Family{"integers", integer_names, 160}),
                         name_of);

}  // namespace
}  // namespace mx::oracle::family_test
