#include "tests/reference/judgement/mutants.hpp"
#include "tests/support/made.hpp"

#include <algorithm>

#include "reference/format/table.hpp"
#include "tests/support/stimuli.hpp"

namespace mx::oracle {
namespace {

/// The reference under a policy that was changed behind its back.
template <class Change>
Implementation with_policy(Change change) {
  return [change](const ConversionConfig& asked) -> Convert {
    ConversionConfig wrong = asked;
    change(wrong.policy);
    return reference_implementation()(wrong);
  };
}

/// The reference with its input changed.
template <class Change>
Implementation with_input(Change change) {
  return [change](const ConversionConfig& asked) -> Convert {
    return [asked, convert = made(asked), change](std::uint64_t code, std::uint32_t random) {
      return convert(change(asked, code), random);
    };
  };
}

/// The reference with its answer changed.
template <class Change>
Implementation with_answer(Change change) {
  return [change](const ConversionConfig& asked) -> Convert {
    return [asked, convert = made(asked), change](std::uint64_t code, std::uint32_t random) {
      Encoded answer = convert(code, random);
      change(asked, code, answer);
      return answer;
    };
  };
}

std::vector<ElementMutant> make_element_mutants() {
  std::vector<ElementMutant> all;
  const auto swap = [](Rounding from, Rounding to) {
    return with_policy([from, to](ElementPolicy& p) {
      if (p.rounding == from) p.rounding = to;
    });
  };
  all.push_back({"ties_to_away_for_even", swap(Rounding::kTiesToEven, Rounding::kTiesToAway)});
  all.push_back({"ties_to_zero_for_even", swap(Rounding::kTiesToEven, Rounding::kTiesToZero)});
  all.push_back({"half_up_for_away", swap(Rounding::kTiesToAway, Rounding::kTiesTowardPositive)});
  all.push_back({"floor_for_truncation", swap(Rounding::kTowardZero, Rounding::kTowardNegative)});
  all.push_back({"away_for_odd", swap(Rounding::kToOdd, Rounding::kAwayFromZero)});
  all.push_back({"stochastic_b_for_a", swap(Rounding::kStochasticA, Rounding::kStochasticB)});
  all.push_back(
      {"stochastic_c_odd_for_c", swap(Rounding::kStochasticC, Rounding::kStochasticCOdd)});
  // spec V5.3: the overflow threshold 43E80001 moved by one pattern.
  all.push_back(
      {"one_threshold_flipped", with_input([](const ConversionConfig& asked, std::uint64_t code) {
         return asked.policy.rounding == Rounding::kTiesToEven && code == 0x43E80001 ? code - 1
                                                                                     : code;
       })});
  for (const int bits : {1, 4, 12}) {
    static constexpr std::string_view kNames[] = {"sticky_ignores_1_bit", "sticky_ignores_4_bits",
                                                  "sticky_ignores_12_bits"};
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    all.push_back({kNames[bits == 1   ? 0
                          : bits == 4 ? 1
                                      : 2],
                   with_input([mask](const ConversionConfig&, std::uint64_t code) {
                     // A NaN keeps its payload: this is about finite inputs.
                     return (code & 0x7FFFFFFF) > 0x7F800000 ? code : code & ~mask;
                   })});
  }
  all.push_back({"results_flushed", with_policy([](ElementPolicy& p) {
                   p.dst_ftz = ResultSubnormals::kFlushAfterRounding;
                 })});
  all.push_back({"sources_flushed",
                 with_policy([](ElementPolicy& p) { p.src_ftz = SourceSubnormals::kFlush; })});
  all.push_back(
      {"rounded_twice", with_policy([](ElementPolicy& p) { p.staging = Staging::kViaBf16; })});
  all.push_back({"always_saturates",
                 with_policy([](ElementPolicy& p) { p.overflow = Overflow::kSatFinite; })});
  all.push_back({"saturation_loses_inf", with_policy([](ElementPolicy& p) {
                   if (p.overflow == Overflow::kPropagateInf) p.overflow = Overflow::kSatFinite;
                 })});
  all.push_back({"overflow_ignores_direction",
                 with_answer([](const ConversionConfig& asked, std::uint64_t, Encoded& answer) {
                   const bool overflows = (answer.flags & kFlagOverflow) != 0;
                   if (overflows && asked.policy.overflow == Overflow::kNoneInfOrNan &&
                       asked.destination.has_nan()) {
                     answer.code = asked.destination.canonical_nan;
                   }
                 })});
  all.push_back({"minus_zero_lost",
                 with_policy([](ElementPolicy& p) { p.zero_sign = ZeroSign::kFlushPositive; })});
  all.push_back(
      {"nan_keeps_sign", with_policy([](ElementPolicy& p) { p.nan = NanPolicy::kKeepSign; })});
  const auto drop = [](std::uint8_t flag) {
    return with_answer([flag](const ConversionConfig&, std::uint64_t, Encoded& answer) {
      answer.flags = static_cast<std::uint8_t>(answer.flags & ~flag);
    });
  };
  all.push_back({"no_inexact", drop(kFlagInexact)});
  all.push_back({"no_overflow", drop(kFlagOverflow)});
  all.push_back({"no_saturated", drop(kFlagSaturated)});
  all.push_back({"no_underflow", drop(kFlagUnderflow)});
  all.push_back({"no_invalid", drop(kFlagInvalid)});
  all.push_back({"no_to_zero", drop(kFlagToZero)});
  all.push_back({"tininess_before",
                 with_policy([](ElementPolicy& p) { p.tininess = Tininess::kBeforeRounding; })});
  all.push_back({"random_off_by_one", [](const ConversionConfig& asked) -> Convert {
                   return [convert = made(asked)](std::uint64_t code, std::uint32_t random) {
                     return convert(code, random == 0 ? 0 : random - 1);
                   };
                 }});
  return all;
}

template <class Change>
BlockImplementation with_case(Change change) {
  return [change](const BlockCase& asked, std::span<const std::uint64_t> source,
                  std::span<const std::uint32_t> random) {
    BlockCase wrong = asked;
    change(wrong);
    return reference_blocks()(wrong, source, random);
  };
}

template <class Change>
BlockImplementation with_block_answer(Change change) {
  return [change](const BlockCase& asked, std::span<const std::uint64_t> source,
                  std::span<const std::uint32_t> random) {
    BlockOutcome answer = reference_blocks()(asked, source, random);
    change(asked, source, answer);
    return answer;
  };
}

/// The scale answered for a block of other elements; codes and flags are the true block's.
template <class Change>
BlockImplementation with_scale_of(Change change) {
  return [change](const BlockCase& asked, std::span<const std::uint64_t> source,
                  std::span<const std::uint32_t> random) {
    BlockOutcome answer = reference_blocks()(asked, source, random);
    std::vector<std::uint64_t> seen(source.begin(), source.end());
    change(seen);
    answer.scale_code = reference_blocks()(asked, seen, random).scale_code;
    return answer;
  };
}

std::vector<BlockMutant> make_block_mutants() {
  std::vector<BlockMutant> all;
  const auto swap = [](ScaleRule from, ScaleRule to) {
    return with_case([from, to](BlockCase& block) {
      if (block.block.rule == from) block.block.rule = to;
    });
  };
  all.push_back({"floor_as_ceil", swap(ScaleRule::kFloor, ScaleRule::kCeil)});
  all.push_back({"rceil_as_ceil", swap(ScaleRule::kRceil, ScaleRule::kCeil)});
  all.push_back({"even_up_as_even_down", swap(ScaleRule::kEvenUp, ScaleRule::kEvenDown)});
  all.push_back({"even_down_as_even_up", swap(ScaleRule::kEvenDown, ScaleRule::kEvenUp)});
  all.push_back({"rceil_as_even_up", swap(ScaleRule::kRceil, ScaleRule::kEvenUp)});
  all.push_back({"nan_ignored", with_case([](BlockCase& block) {
                   block.block.amax_over = AmaxOver::kIgnoreNan;
                 })});
  all.push_back({"inf_block_as_max", with_case([](BlockCase& block) {
                   if (block.block.inf_block == InfBlock::kScaleNan) {
                     block.block.inf_block = InfBlock::kScaleMax;
                   }
                 })});
  all.push_back({"zero_block_is_one", with_case([](BlockCase& block) {
                   block.block.zero_block_scale = ZeroBlockScale::kOne;
                 })});
  all.push_back({"scale_never_nan", with_case([](BlockCase& block) {
                   block.block.scale_sat = ScaleSat::kClamp;
                   block.block.even_carry = EvenCarry::kExact;
                 })});
  all.push_back({"subnormals_flushed", with_case([](BlockCase& block) {
                   block.element.src_ftz = SourceSubnormals::kFlush;
                 })});
  all.push_back({"scale_off_by_the_bias",
                 with_block_answer([](const BlockCase& asked, auto, BlockOutcome& answer) {
                   if (!answer.nan_scale && !answer.zero_block) {
                     answer.scale_code =
                         (answer.scale_code - static_cast<unsigned>(asked.format.element.bias)) &
                         0xFF;
                   }
                 })});
  // The shared exponent from floor(log2f(amax)): one too high just below powers of two.
  all.push_back({"log2f_trap", with_scale_of([](std::vector<std::uint64_t>& seen) {
                   for (std::uint64_t& x : seen) {
                     if ((x & 0x007FFFFF) == 0x007FFFFF && (x & 0x7F800000) < 0x7F000000) ++x;
                   }
                 })});
  all.push_back({"last_lane_not_seen", with_scale_of([](std::vector<std::uint64_t>& seen) {
                   if (seen.size() > 1) seen.back() = 0;
                 })});
  all.push_back(
      {"last_code_dropped", with_block_answer([](const BlockCase&, auto, BlockOutcome& answer) {
         answer.codes.back() = 0;
       })});
  all.push_back(
      {"no_clamped_flag", with_block_answer([](const BlockCase&, auto, BlockOutcome& answer) {
         answer.clamped = false;
       })});
  all.push_back(
      {"element_flags_lost", with_block_answer([](const BlockCase&, auto, BlockOutcome& answer) {
         answer.element_flags = 0;
       })});
  return all;
}

}  // namespace

std::span<const ElementMutant> element_mutants() {
  static const std::vector<ElementMutant> all = make_element_mutants();
  return all;
}

std::span<const BlockMutant> block_mutants() {
  static const std::vector<BlockMutant> all = make_block_mutants();
  return all;
}

Report judge_elements(const Implementation& implementation) {
  Report report;
  for (const char* name : {"e4m3fn", "e5m2", "e2m1fn"}) {
    const ElementFormat& destination = *find_format(name);
    std::vector<std::uint64_t> inputs = special_patterns(formats::fp32);
    for (const std::uint64_t c : threshold_patterns(formats::fp32, destination, 2, 1)) {
      inputs.push_back(c);
    }
    ElementSweep sweep{formats::fp32, destination, {}};
    sweep.base.random_bits = 4;
    sweep_elements<TickField>(sweep, inputs, implementation, report);
  }
  // Subnormal results only a wide destination has; so are they flushed sources' only witnesses.
  ElementSweep wide{formats::fp32, formats::bf16, {}};
  wide.base.random_bits = 4;
  wide.overflows = {Overflow::kSatFinite};
  sweep_elements<TickField>(wide, exponent_patterns(formats::fp32), implementation, report);
  return report;
}

Report judge_blocks(const BlockImplementation& implementation) {
  Report report;
  Stream stream(600);
  for (const BlockFormat& format : mx_block_formats()) {
    const ElementOracle<TickField> judge(format.element);
    const std::vector<std::uint64_t> maxima = amax_patterns(formats::fp32, format.element);
    for (const Token<ScaleRule>& rule : tokens<ScaleRule>().first(5)) {
      for (std::size_t i = 0; i < maxima.size(); i += 3) {
        BlockCase block = random_block_case(formats::fp32, format, rule.value, stream);
        const std::size_t lanes = 1 + stream.below(8);
        std::vector<std::uint64_t> source =
            block_around(maxima[i], formats::fp32, format.element, lanes, stream);
        if (i % 4 == 1) strew_specials(source, formats::fp32, stream);
        if (i % 101 == 0) std::fill(source.begin(), source.end(), std::uint64_t{0});
        std::vector<std::uint32_t> random(lanes);
        for (std::uint32_t& word : random) word = stream.next() >> (32 - block.element.random_bits);
        check_block(judge, block, source, random, implementation, report);
      }
    }
  }
  return report;
}

}  // namespace mx::oracle
