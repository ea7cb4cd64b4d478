// Matrix units by name: the reference against the oracle on every pair of formats of every unit,
// results of real devices, and rows that are wrong in one field.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "oracle/unit/unit.hpp"
#include "tests/reference/unit/unit_stimuli.hpp"
#include "tests/support/sample.hpp"

namespace mx::oracle {
namespace {

UnitDot made_unit(const UnitConfig& config) { return UnitDot::make(config).value(); }

std::uint64_t oracle_of(const UnitConfig& config, const UnitOperands& x) {
  return unit_dot(config, {x.a_scales, x.a}, {x.b_scales, x.b}, x.c);
}

/// Of a group and more, so that sums are carried on.
std::size_t elements_of(const MatrixUnit& unit, Stream& stream) {
  const auto group = static_cast<std::uint64_t>(unit.group);
  if (unit.sum == UnitSum::kTree) return static_cast<std::size_t>(group * (1 + stream.below(3)));
  return static_cast<std::size_t>(1 + stream.below(2 * group + group / 2));
}

std::string say(const UnitConfig& config, const UnitOperands& x) {
  std::string text = text_of(config) + "\n a";
  const auto codes = [&](const std::vector<std::uint64_t>& list) {
    for (const std::uint64_t code : list) {
      char word[20];
      std::snprintf(word, sizeof word, " %llX", static_cast<unsigned long long>(code));
      text += word;
    }
  };
  codes(x.a);
  text += "\n b";
  codes(x.b);
  text += "\n scales";
  codes(x.a_scales);
  text += " |";
  codes(x.b_scales);
  text += "\n c";
  codes({x.c});
  return text + "\n MX_TEST_SEED=" + std::to_string(test_seed());
}

std::string_view class_of(const ElementFormat& f, std::uint64_t code) {
  const Unpacked x = decode(f, code);
  switch (x.cls) {
    case ValueClass::kNan:
      return "nan";
    case ValueClass::kInf:
      return "inf";
    case ValueClass::kZero:
      return "zero";
    case ValueClass::kFinite:
      break;
  }
  return x.exponent < f.emin() ? "subnormal" : "normal";
}

// Every unit, pair of formats and class of operands gives the oracle's code; results of every kind
// come up for each unit.
TEST(MatrixUnits, AgreeWithTheOracle) {
  const std::size_t each = test::part(100, 4);
  std::map<std::pair<std::string, std::string>, int> seen;
  std::uint64_t compared = 0;
  Stream stream(0x7171);
  for (const UnitConfig& config : all_unit_configs()) {
    const UnitDot dot = made_unit(config);
    for (const UnitClass what : kUnitClasses) {
      for (std::size_t i = 0; i < each; ++i) {
        const UnitOperands x =
            make_unit_operands(what, config, elements_of(config.unit, stream), stream);
        const std::uint64_t got = dot(x.left(), x.right(), x.c);
        ASSERT_EQ(oracle_of(config, x), got) << say(config, x);
        ++seen[{std::string(config.unit.name), std::string(class_of(config.result, got))}];
        ++compared;
      }
    }
  }
  for (const MatrixUnit& unit : matrix_units()) {
    for (const char* kind : {"nan", "inf", "zero", "normal", "subnormal"}) {
      if (unit.sum == UnitSum::kTree && std::string(kind) == "subnormal") continue;
      EXPECT_GT((seen[{std::string(unit.name), kind}]), 0)
          << unit.name << ": no result is " << kind;
    }
  }
  EXPECT_GT(compared, 10000U);
}

/// A row with one field changed.
struct Wrong {
  const char* what;
  void (*change)(MatrixUnit&);
  bool (*applies)(const MatrixUnit&);
};

bool is_nvidia(const MatrixUnit& unit) { return unit.open == UnitOpen::kNothing; }
/// Products of other formats do not come down to the exponent of a zero in binary32, and in
/// binary16 random ones hardly show it (spec U4 c).
bool reaches_zeros(const MatrixUnit& unit) {
  return !unit.scales.empty() || std::ranges::any_of(unit.inputs, [](const ElementFormat& f) {
    return f == formats::bf16 || f == formats::tf32;
  });
}
bool always(const MatrixUnit&) { return true; }

constexpr Wrong kWrongs[] = {
    {"one fraction bit less", [](MatrixUnit& u) { --u.fraction_bits; }, is_nvidia},
    {"one fraction bit more", [](MatrixUnit& u) { ++u.fraction_bits; }, is_nvidia},
    {"half the group", [](MatrixUnit& u) { u.group /= 2; },
     [](const MatrixUnit& u) { return u.sum != UnitSum::kPairsThenC && u.sum != UnitSum::kTree; }},
    {"zeros without an exponent",
     [](MatrixUnit& u) { u.zero_exponent32 = u.zero_exponent16 = std::nullopt; },
     [](const MatrixUnit& u) {
       return is_nvidia(u) && u.sum == UnitSum::kAligned && reaches_zeros(u);
     }},
    {"sums of binary32", [](MatrixUnit& u) { u.sum32 = formats::fp32; },
     [](const MatrixUnit& u) { return u.sum32 != formats::fp32; }},
    {"sums of E8M13", [](MatrixUnit& u) { u.sum32 = kE8M13; },
     [](const MatrixUnit& u) { return is_nvidia(u) && u.sum32 == formats::fp32; }},
    {"another sum",
     [](MatrixUnit& u) {
       u.sum = u.sum == UnitSum::kExact            ? UnitSum::kTwoStages
               : u.sum == UnitSum::kTwoStages      ? UnitSum::kTwoStagesApart
               : u.sum == UnitSum::kTwoStagesApart ? UnitSum::kTwoStages
               : u.sum == UnitSum::kPairsThenC     ? UnitSum::kAligned
               : u.sum == UnitSum::kScaledGroups   ? UnitSum::kAligned
                                                   : UnitSum::kExact;
     },
     always},
};

// Each field of a row decides results: with one wrong the oracle's answers differ.
TEST(MatrixUnits, AWrongFieldIsSeen) {
  constexpr int kMost = 40000;
  std::map<std::string, int> used;
  for (const MatrixUnit& unit : matrix_units()) {
    for (const Wrong& wrong : kWrongs) {
      if (!wrong.applies(unit)) continue;
      Stream stream(0x7172);
      MatrixUnit other = unit;
      wrong.change(other);
      bool is_seen = false;
      for (UnitConfig config : all_unit_configs()) {
        if (config.unit.name != unit.name) continue;
        const UnitDot dot = made_unit(config);
        UnitConfig altered = config;
        altered.unit = other;
        for (int i = 0; i < kMost && !is_seen; ++i) {
          const UnitClass what = kUnitClasses[static_cast<std::size_t>(i) % kUnitClasses.size()];
          const UnitOperands x =
              make_unit_operands(what, config, elements_of(config.unit, stream), stream);
          is_seen = oracle_of(altered, x) != dot(x.left(), x.right(), x.c);
        }
      }
      EXPECT_TRUE(is_seen) << unit.name << ": " << wrong.what << " changes no result";
      used[wrong.what] += is_seen ? 1 : 0;
    }
  }
  for (const Wrong& wrong : kWrongs) EXPECT_GT(used[wrong.what], 0) << wrong.what;
}

struct Asked {
  const char* unit;
  ElementFormat element;
  std::vector<std::uint64_t> a, b;
  std::uint64_t c, want;
  ElementFormat result = formats::fp32;
};

std::vector<std::uint64_t> times_of(std::size_t n, std::uint64_t code) {
  return std::vector<std::uint64_t>(n, code);
}

std::vector<std::uint64_t> every_other(std::size_t n, std::uint64_t code) {
  std::vector<std::uint64_t> codes(n, 0);
  for (std::size_t i = 0; i < n; i += 2) codes[i] = code;
  return codes;
}

// What devices gave and models of them agree on: spec U4 a and b, U1.
TEST(MatrixUnits, GiveWhatDevicesGave) {
  const ElementFormat bf16 = formats::bf16;
  const ElementFormat fp16 = formats::fp16;
  const ElementFormat fp32 = formats::fp32;
  const std::vector<Asked> all = {
      {"mi300_f16", fp16, {0x4000, 0x1C00}, {0x3C00, 0x3C00}, 0x4B7FFFFF, 0x4B800000, fp32},
      {"h100_f16", bf16, times_of(16, 0x19C0), times_of(16, 0x1980), 0, 3, fp32},
      {"h100_f16", bf16, every_other(16, 0x19C0), times_of(16, 0x1980), 0, 1, fp32},
      {"a100_f16", bf16, times_of(16, 0x19C0), times_of(16, 0x1980), 0, 1, fp32},
      // A sum that is rounded to zero is +0; overflow under truncation is infinite; NaN codes.
      {"h100_f16", bf16, {0x9980}, {0x1980}, 0, 0, fp32},
      {"h100_f16", bf16, {0x7F7F, 0x7F7F}, {0x3F80, 0x3F80}, 0, 0x7F800000, fp32},
      {"h100_f16", bf16, {0x7F80}, {0}, 0, 0x7FFFFFFF, fp32},
      {"h100_f16", fp16, {0x7C00}, {0xFC00}, 0, 0xFC00, fp16},
      {"h100_f16", fp16, {0xFE00}, {0x3C00}, 0, 0x7FFF, fp16},
      // 14 bits of a sum: 1 + 2^-13 stays, 2^-14 goes.
      {"h100_wgmma_fp8", formats::e4m3fn, {0x38, 0x08}, {0x38, 0x04}, 0, 0x3F800400, fp32},
      {"h100_wgmma_fp8", formats::e4m3fn, {0x38, 0x08}, {0x38, 0x02}, 0, 0x3F800000, fp32},
      {"h100_mma_fp8", formats::e4m3fn, {0x38, 0x08}, {0x38, 0x02}, 0, 0x3F800200, fp32}};
  for (const Asked& each : all) {
    const UnitConfig config{*find_unit(each.unit), {each.element}, {each.element}, each.result};
    const UnitOperands x{each.a, each.b, {}, {}, each.c};
    EXPECT_EQ(each.want, made_unit(config)(x.left(), x.right(), x.c)) << say(config, x);
  }
}

TEST(MatrixUnits, RefuseWhatTheyDoNotTake) {
  const auto problem = [](const char* unit, const UnitSide& a, const UnitSide& b,
                          const ElementFormat& result) {
    return std::string(UnitDot::problem({*find_unit(unit), a, b, result}));
  };
  const UnitScale mx{formats::e8m0, 32};
  EXPECT_NE(problem("v100_f16", {formats::bf16}, {formats::bf16}, formats::fp32), "");
  EXPECT_NE(problem("h100_f16", {formats::bf16}, {formats::fp16}, formats::fp32), "");
  EXPECT_NE(problem("h100_f16", {formats::bf16}, {formats::bf16}, formats::fp16), "");
  EXPECT_NE(problem("h100_tf32", {formats::tf32}, {formats::tf32}, formats::fp16), "");
  EXPECT_NE(problem("mi300_f16", {formats::fp16}, {formats::fp16}, formats::fp16), "");
  EXPECT_NE(problem("h100_wgmma_fp8", {formats::e4m3fn, mx}, {formats::e4m3fn, mx}, formats::fp32),
            "");
  EXPECT_NE(problem("b200_mxf8f6f4", {formats::e4m3fn}, {formats::e4m3fn}, formats::fp32), "");
  EXPECT_NE(problem("b200_mxf4", {formats::e2m1fn, mx},
                    {formats::e2m1fn, UnitScale{formats::e8m0, 16}}, formats::fp32),
            "");
  EXPECT_NE(problem("b200_mxf8f6f4", {formats::e4m3fn, UnitScale{formats::e8m0, 16}},
                    {formats::e4m3fn, UnitScale{formats::e8m0, 16}}, formats::fp32),
            "");
  EXPECT_EQ(problem("b200_mxf8f6f4", {formats::e4m3fn, mx}, {formats::e2m1fn, mx}, formats::fp32),
            "");
  EXPECT_EQ(problem("h100_wgmma_fp8", {formats::e4m3fn}, {formats::e5m2}, formats::fp16), "");
  const UnitConfig tree{*find_unit("mi200_f16"), {formats::fp16}, {formats::fp16}, formats::fp32};
  EXPECT_NE(UnitDot::size_problem(tree, 6), "");
  EXPECT_NE(UnitDot::size_problem(tree, 0), "");
  EXPECT_EQ(UnitDot::size_problem(tree, 8), "");
  EXPECT_EQ(find_unit("h100"), nullptr);
}

TEST(MatrixUnits, OpenBitsAreToldFromDifferentOnes) {
  const MatrixUnit& amd = *find_unit("mi300_f16");
  const MatrixUnit& nvidia = *find_unit("h100_f16");
  const ElementFormat& fp32 = formats::fp32;
  EXPECT_EQ(match(amd, fp32, 0x7FC00000, 0x7FC00000), UnitMatch::kOpen);
  EXPECT_EQ(match(amd, fp32, 0, 0), UnitMatch::kOpen);
  EXPECT_EQ(match(amd, fp32, 0x3F800000, 0x3F800000), UnitMatch::kEqual);
  EXPECT_EQ(match(amd, fp32, 0x7F800000, 0x7F800000), UnitMatch::kEqual);
  EXPECT_EQ(match(nvidia, fp32, 0x7FFFFFFF, 0x7FFFFFFF), UnitMatch::kEqual);
  EXPECT_EQ(match(amd, fp32, 0x7FC00000, 0xFFFFFFFF), UnitMatch::kOpen);
  EXPECT_EQ(match(amd, fp32, 0, 0x80000000), UnitMatch::kOpen);
  EXPECT_EQ(match(amd, fp32, 0, 1), UnitMatch::kDifferent);
  EXPECT_EQ(match(amd, fp32, 0x7FC00000, 0x7F800000), UnitMatch::kDifferent);
  EXPECT_EQ(match(amd, fp32, 0x3F800000, 0x3F800001), UnitMatch::kDifferent);
  EXPECT_EQ(match(nvidia, fp32, 0x7FFFFFFF, 0x7FC00000), UnitMatch::kDifferent);
  EXPECT_EQ(match(nvidia, fp32, 0, 0x80000000), UnitMatch::kDifferent);
}

}  // namespace
}  // namespace mx::oracle
