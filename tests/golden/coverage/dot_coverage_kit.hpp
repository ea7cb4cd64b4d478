// Dot products of every mode and of accumulators of each kind, and what of the coverage model their
// vectors hit.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "golden/coverage/collector.hpp"
#include "tests/golden/set_kit.hpp"

namespace mx::golden::dots {

inline Covergroup coverage_of(const GoldenSet& set) {
  const std::unique_ptr<Collector> collector = make_collector(set.header, 0);
  Covergroup group = group_of(set.header, 0);
  for (std::size_t i = 0; i < set.records.size(); ++i) collector->sample(set.records, i);
  group.samples = set.records.size();
  group.points = collector->points();
  return group;
}

/// "point: bin" of every bin that is not hit, or is and cannot be.
inline std::string wrong_bins(const Covergroup& group) {
  std::string text;
  for (const Coverpoint& point : group.points) {
    for (const Bin& bin : point.bins) {
      if ((bin.hits == 0) != (bin.reach == Reach::kOpen)) continue;
      text += (bin.hits == 0 ? "missing " : "CONTRADICTED ") + point.name + ": " + bin.name + "\n";
    }
  }
  return text.substr(0, 3000);
}

/// "point: bin" of every bin that is hit and proved unreachable.
inline std::string contradicted_bins(const Covergroup& group) {
  std::string text;
  for (const Coverpoint& point : group.points) {
    for (const Bin& bin : point.bins) {
      if (bin.hits != 0 && bin.reach == Reach::kUnreachable) {
        text += point.name + ": " + bin.name + "\n";
      }
    }
  }
  return text.substr(0, 2000);
}

inline GoldenSet set_of(const Configuration& configuration, SuiteKind kind, int lanes,
                        std::uint64_t drawn = 0) {
  GoldenSet set{header_of({configuration}, kind, drawn), {}};
  set.header.lanes = lanes;
  set.header.count = Stimulus(set.header).size();
  EXPECT_EQ(set.header.problem(), "");
  set.records = operands_of_set(set.header);
  answer(set.header, set.records);
  return set;
}

struct Case {
  std::string name;
  Configuration configuration;
  int lanes;
};

inline DotCase& dot_of(Configuration& configuration) {
  return std::get<DotCase>(configuration.what);
}

inline void expect_closed(const Case& each) {
  const Covergroup group =
      coverage_of(set_of(each.configuration, SuiteKind::kDirected, each.lanes));
  EXPECT_TRUE(group.score().complete()) << each.name << "\n" << wrong_bins(group);
  EXPECT_GT(group.score().bins, 300U);
}

inline Case mode(const char* a, const char* b, DotMode mode, Addend addend,
                 const ElementFormat& result, int lanes = 0) {
  Case each{"", dot(a, b, addend), 0};
  dot_of(each.configuration).dot.mode = mode;
  dot_of(each.configuration).dot.result = result;
  each.lanes = lanes == 0 ? lanes_of(each.configuration) : lanes;
  each.name = std::string(a) + " " + b + " " + std::string(token_of(mode)) + " to " +
              std::string(result.name) + (addend == Addend::kPresent ? " with C" : "") + " lanes " +
              std::to_string(each.lanes);
  return each;
}

/// A format E8M13, in which Ada and Hopper keep sums of FP8 (spec U1).
constexpr ElementFormat kE8m13 = {.name = "e8m13",
                                  .bits = 22,
                                  .storage_bits = 32,
                                  .exp_bits = 8,
                                  .man_bits = 13,
                                  .bias = 127,
                                  .inf = InfKind::kIeeeTop,
                                  .nan = NanKind::kIeeeAll,
                                  .max_code = 0x1FDFFF,
                                  .canonical_nan = 0x1FE000 | 0x1000};
constexpr ElementFormat kFixed = {.name = "fixed24.10",
                                  .bits = 24,
                                  .storage_bits = 32,
                                  .kind = FormatKind::kTwosComplement,
                                  .frac_bits = 10,
                                  .zero = ZeroKind::kPosOnly,
                                  .max_code = 0x7FFFFF};

struct Unit {
  const char* name;
  AccumulatorModel model;
};

inline AccumulatorModel model(int group, int bits, Rounding cut, DotAlign align,
                              Rounding rounding) {
  AccumulatorModel m;
  m.group = group;
  m.alignment_bits = bits;
  m.align_rounding = cut;
  m.align = align;
  m.rounding = rounding;
  return m;
}

/// Units of spec U1 and U2, and one of each choice that an accumulator has.
inline std::vector<Unit> units() {
  constexpr Rounding kCut = Rounding::kTowardZero;
  constexpr DotAlign kSum = DotAlign::kExponentSum;
  constexpr DotAlign kOne = DotAlign::kLeadingOne;
  std::vector<Unit> list{
      {"default", {}},
      {"v100", model(4, 24, kCut, kSum, kCut)},
      {"a100", model(8, 25, kCut, kSum, kCut)},
      {"h100", model(16, 26, kCut, kSum, kCut)},
      {"hopper_fp8", model(32, 14, kCut, kSum, kCut)},
      {"mx4", model(64, 36, kCut, kSum, kCut)},
      {"fma", model(1, 56, Rounding::kToOdd, kOne, Rounding::kTiesToEven)},
      {"floor", model(8, 24, Rounding::kTowardNegative, kOne, Rounding::kTiesToEven)},
      {"rounded", model(16, 12, Rounding::kTiesToEven, kOne, Rounding::kTiesToAway)},
      {"strided", model(8, 26, kCut, kOne, kCut)},
      {"reversed", model(4, 16, kCut, kOne, kCut)},
      {"afterwards", model(4, 24, kCut, kOne, Rounding::kTiesToEven)},
      {"at_end", model(8, 30, kCut, kOne, Rounding::kTiesToEven)},
      {"fp16", model(8, 24, kCut, kOne, Rounding::kTiesToEven)},
      {"bf16", model(4, 12, kCut, kOne, Rounding::kTowardZero)},
      {"fixed", model(8, 24, kCut, kOne, Rounding::kTowardZero)},
      {"flushing", model(8, 24, kCut, kOne, Rounding::kTiesToEven)},
      {"vdpbf16ps", model(1, 56, Rounding::kToOdd, kOne, Rounding::kTiesToEven)},
      {"inf_toward_zero", model(8, 25, kCut, kSum, kCut)},
      {"signed_zero", model(4, 24, kCut, kOne, Rounding::kTowardNegative)}};
  const auto of = [&](std::string_view name) -> AccumulatorModel& {
    return std::ranges::find(list, name, [](const Unit& u) { return std::string_view(u.name); })
        ->model;
  };
  of("hopper_fp8").format = kE8m13;
  of("strided").order = DotOrder::kStrided;
  of("reversed").order = DotOrder::kReversed;
  of("afterwards").carry = DotCarry::kAfterwards;
  of("at_end").normalize = DotNormalize::kAtEnd;
  of("fp16").format = formats::fp16;
  of("bf16").format = formats::bf16;
  of("fixed").format = kFixed;
  of("fixed").overflow = Overflow::kSatFinite;
  of("flushing").ftz = ResultSubnormals::kFlushAfterRounding;
  of("vdpbf16ps").order = DotOrder::kReversed;
  of("vdpbf16ps").ftz = ResultSubnormals::kFlushAfterUnboundedRounding;
  of("vdpbf16ps").zero_sign = DotZeroSign::kIeee;
  of("inf_toward_zero").overflow = Overflow::kAlwaysInfOrNan;
  of("signed_zero").zero_sign = DotZeroSign::kIeee;
  return list;
}

inline Case unit_case(const Unit& unit, const char* format, Addend addend) {
  Case each = mode(format, format, DotMode::kAccumulator, addend, formats::fp32);
  dot_of(each.configuration).dot.accumulator = unit.model;
  each.name += std::string(" unit ") + unit.name;
  return each;
}

}  // namespace mx::golden::dots
