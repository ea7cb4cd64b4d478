// Causes of wrong records that are no single policy: two policies at once, another reading of the
// source, scales that are held elsewhere; and no pair is named where wrong answers are noise.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "golden/configuration/policies.hpp"
#include "reference/element/encode.hpp"
#include "reference/number/philox.hpp"
#include "sim/record/causes.hpp"
#include "tests/golden/set_kit.hpp"
#include "tests/sim/causes/record_kit.hpp"

namespace mx::sim::test {
namespace {

using golden::Configuration;
using golden::Field;
using golden::RecordBatch;

struct Found {
  std::vector<Cause> causes;
  std::size_t wrong = 0;
};

Found causes_with(const golden::GoldenSet& set, MadeDevice::Answer answer) {
  RecordRunOptions options;
  options.keep_mismatches = 128;
  // Devices by hand give no flags, and where codes are compared they need none.
  std::vector<std::string> observed = {"code"};
  if (set.header.op == golden::Operation::kBlock) observed.emplace_back("scale");
  options.observed = golden::Observed::make(observed, set.header.shape()).value();
  MadeDevice device(std::move(answer));
  const RecordRun run = run_set(set, device, options);
  return {record_causes(set.header, run.mismatches, run.right), run.mismatches.size()};
}

struct Pair {
  const char* name;
  Configuration base;
  std::array<std::pair<const char*, const char*>, 2> policies;
};

Configuration with(Configuration base, const Pair& pair) {
  Policies policies = golden::policies_of(base).value();
  for (const auto& [field, value] : pair.policies) {
    EXPECT_EQ(set_policy(policies, field, value), FieldError::kNone) << field << ' ' << value;
  }
  return golden::with_policies(std::move(base), policies);
}

/// Property: two policies changed are one cause that names both, where both are needed.
TEST(DeviationCauses, NameTwoPoliciesAtOnce) {
  const std::vector<Pair> pairs = {
      {"block",
       golden::block(formats::fp32, "mxfp8_e4m3"),
       {{{"rounding", "ties_to_away"}, {"rule", "ceil"}}}},
      {"ftz", golden::block(formats::bf16, "mxfp4"), {{{"src_ftz", "flush"}, {"rule", "rceil"}}}}};
  for (const Pair& pair : pairs) {
    const golden::GoldenSet set = golden::golden_set({pair.base}, golden::SuiteKind::kSmoke);
    const Found found = causes_with(set, reference_under(set.header, {with(pair.base, pair)}));
    ASSERT_GT(found.wrong, 10U) << pair.name;
    const std::string& text = found.causes[0].text;
    EXPECT_EQ(found.causes[0].count, found.wrong) << pair.name << ": " << text;
    for (const auto& [field, value] : pair.policies) {
      const std::string said = fmt::format("{} {} for ", field, value);
      EXPECT_NE(text.find(said), std::string::npos) << pair.name << ": " << text;
    }
    EXPECT_NE(text.find(" of them need both"), std::string::npos) << text;
  }
}

/// What a device takes a binary32 source code for, as a binary64 number.
using Read = double (*)(std::uint32_t code);

double as_is(std::uint32_t code) { return std::bit_cast<float>(code); }
double with_leading_one(std::uint32_t code) {
  if ((code >> 23 & 0xFF) != 0 || (code & 0x7FFFFF) == 0) return as_is(code);
  const double magnitude = std::ldexp(static_cast<double>(0x800000 | (code & 0x7FFFFF)), -150);
  return (code >> 31) != 0 ? -magnitude : magnitude;
}
double half(std::uint32_t code) { return (code >> 23 & 0xFF) != 0 ? as_is(code) : as_is(code) / 2; }

/// A quantizer to E5M2 written out: floor of the largest finite exponent, scales from 2^lowest on.
void quantize_by_hand(RecordBatch& batch, std::size_t i, Read read, int lowest) {
  double most = 0;
  for (const std::uint64_t code : batch.of(Field::kSource, i)) {
    const double x = std::abs(read(static_cast<std::uint32_t>(code)));
    if (std::isfinite(x)) most = std::max(most, x);
  }
  const int scale = std::max(lowest, most == 0 ? lowest : std::ilogb(most) - 15);
  const bool is_code = scale >= -127;
  batch.word(Field::kScale, i) =
      is_code ? static_cast<std::uint64_t>(scale + 127) : golden::kNoCode;
  const auto encoder = Conversion::make(
      {.source = formats::fp64, .destination = formats::e5m2, .policy = ElementPolicy{}});
  for (std::size_t lane = 0; lane < batch.lanes(Field::kSource); ++lane) {
    const double x = read(static_cast<std::uint32_t>(batch.of(Field::kSource, i)[lane]));
    const double scaled = std::ldexp(x, -scale);
    batch.of(Field::kCode, i)[lane] = encoder.value()(std::bit_cast<std::uint64_t>(scaled)).code;
  }
}

struct Device {
  Read read;
  int lowest;
  const char* says;
};

Configuration finite_only() {
  Configuration configuration = golden::block(formats::fp32, "mxfp8_e5m2");
  Policies policies = golden::policies_of(configuration).value();
  EXPECT_EQ(set_policy(policies, "amax_over", "finite_only"), FieldError::kNone);
  return golden::with_policies(configuration, policies);
}

/// Property: how subnormals are read, and where scales are held, is a cause of its own, alone and
/// both.
TEST(DeviationCauses, NameReadingsOfTheSourceAndEndsOfScales) {
  const std::vector<Device> devices = {
      {with_leading_one, -127, "as with source subnormals read as 1.m * 2^-bias (spec F7)"},
      {half, -127, "as with source subnormals read as 0.m * 2^-bias (spec F7)"},
      {as_is, -128, "as with scales held at the bottom at 2^-128 (spec F4)"},
      {as_is, -112, "as with scales held at the bottom at 2^-112 (spec F4)"},
      {with_leading_one, -128,
       "as with source subnormals read as 1.m * 2^-bias (spec F7) and scales held at the bottom "
       "at 2^-128 (spec F4); "}};
  const golden::GoldenSet set = golden::golden_set({finite_only()}, golden::SuiteKind::kSmoke);
  for (const Device& device : devices) {
    const Found found = causes_with(set, [&](RecordBatch& batch, std::size_t i) {
      quantize_by_hand(batch, i, device.read, device.lowest);
    });
    ASSERT_GT(found.wrong, 5U) << device.says;
    EXPECT_TRUE(found.causes[0].text.starts_with(device.says))
        << device.says << "\n"
        << causes_text(found.causes, 0, "record");
  }
}

/// Control: the device written out, without a deviation, is right.
TEST(DeviationCauses, TheDeviceByHandIsRightWithoutDeviations) {
  const golden::GoldenSet set = golden::golden_set({finite_only()}, golden::SuiteKind::kSmoke);
  std::size_t by_hand = 0;
  const Found found = causes_with(set, [&](RecordBatch& batch, std::size_t i) {
    quantize_by_hand(batch, i, as_is, -127);
    ++by_hand;
  });
  EXPECT_EQ(found.wrong, 0U);
  EXPECT_GT(by_hand, 200U);
}

/// Control: beside one deviation a few wrong answers at random make no second one of it, not even
/// where codes are so few that many a policy fits one of them.
TEST(DeviationCauses, NoiseIsNoPair) {
  std::size_t unknown = 0;
  for (const Configuration& base : {golden::conversion(formats::fp32, formats::e2m1fn),
                                    golden::conversion(formats::fp32, formats::e4m3fn),
                                    golden::block(formats::fp32, "mxfp4")}) {
    for (const char* rounding : {"ties_to_even", "toward_zero", "ties_to_away"}) {
      const Pair other{"", base, {{{"rounding", rounding}, {"rounding", rounding}}}};
      const golden::GoldenSet set = golden::golden_set({base}, golden::SuiteKind::kSmoke);
      const MadeDevice::Answer device = reference_under(set.header, {with(base, other)});
      std::uint64_t number = 0, draws = 0;
      const Found found = causes_with(set, [&](RecordBatch& batch, std::size_t i) {
        device(batch, i);
        if (++number % 16 != 0) return;
        for (std::uint64_t& code : batch.of(Field::kCode, i)) {
          code ^= counter_random(7, 0, draws++, 3);
        }
      });
      ASSERT_GT(found.wrong, 5U);
      for (const Cause& cause : found.causes) {
        EXPECT_EQ(cause.text.find("need both"), std::string::npos) << cause.text;
        unknown += cause.text == "no cause known" ? cause.count : 0;
      }
    }
  }
  EXPECT_GT(unknown, 20U);
}

}  // namespace
}  // namespace mx::sim::test
