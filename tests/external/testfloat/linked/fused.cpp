#include "tests/external/testfloat/linked/fused.hpp"

#include <algorithm>

#include "reference/arithmetic/exact.hpp"
#include "reference/arithmetic/round_kernel.hpp"

namespace mx::external {
namespace {

/// What TestfloatModel asks for in a rounding.
constexpr ElementPolicy policy_of(Rounding rounding, Tininess tininess) {
  ElementPolicy policy;
  policy.rounding = rounding;
  policy.tininess = tininess;
  policy.overflow =
      rounding == Rounding::kToOdd ? Overflow::kSatFiniteKeepInf : Overflow::kNoneInfOrNan;
  return policy;
}

// All loops are flattened, as those of the reference are: calls cost more than the work.
[[gnu::flatten]] void round_each(std::span<const RealResult> exact, const Arithmetic& arithmetic,
                                 std::span<Encoded> answers) {
  std::ranges::transform(exact, answers.begin(), [&](const RealResult& result) {
    return kernel::round_once(result, arithmetic.format, arithmetic.policy);
  });
}

/// The same with format and policy folded in.
template <const ElementFormat& kFormat, Rounding kRounding, Tininess kTininess>
struct Compiled {
  static constexpr ElementPolicy kPolicy = policy_of(kRounding, kTininess);

  [[gnu::flatten]] static void round_each(std::span<const RealResult> exact, const Arithmetic&,
                                          std::span<Encoded> answers) {
    std::ranges::transform(exact, answers.begin(), [](const RealResult& result) {
      return kernel::round_once(result, kFormat, kPolicy);
    });
  }
};

using Round = decltype(&round_each);

template <const ElementFormat& kFormat, Rounding... kRoundings>
Round compiled_round(const ElementPolicy& policy) {
  Round found = round_each;
  const auto offer = [&]<Rounding kRounding, Tininess kTininess>() {
    using Offered = Compiled<kFormat, kRounding, kTininess>;
    if (Offered::kPolicy == policy) found = Offered::round_each;
  };
  (offer.template operator()<kRoundings, Tininess::kAfterRounding>(), ...);
  (offer.template operator()<kRoundings, Tininess::kBeforeRounding>(), ...);
  return found;
}

template <const ElementFormat& kFormat>
Round round_of(const ElementPolicy& policy) {
  return compiled_round<kFormat, Rounding::kTiesToEven, Rounding::kTiesToAway,
                        Rounding::kTowardZero, Rounding::kTowardNegative, Rounding::kTowardPositive,
                        Rounding::kToOdd>(policy);
}

Round round_of(const Arithmetic& arithmetic) {
  if (arithmetic.format == formats::fp16) return round_of<formats::fp16>(arithmetic.policy);
  if (arithmetic.format == formats::fp32) return round_of<formats::fp32>(arithmetic.policy);
  if (arithmetic.format == formats::fp64) return round_of<formats::fp64>(arithmetic.policy);
  return round_each;
}

}  // namespace

FusedExact fused_room(std::size_t cases) {
  return {std::vector<RealResult>(cases), std::vector<RealResult>(cases)};
}

[[gnu::flatten]] void fuse_each(const ElementFormat& format, std::span<const FusedOperands> cases,
                                FusedExact& results) {
  const ElementFormat f = format;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Unpacked a = kernel::decode(f, cases[i][0]);
    const Unpacked b = kernel::decode(f, cases[i][1]);
    const Unpacked c = kernel::decode(f, cases[i][2]);
    const RealResult exact = exact_fma(a, b, c, Rounding::kTiesToEven);
    results.otherwise[i] = exact;
    results.downwards[i] = exact.value.cls == ValueClass::kZero
                               ? exact_fma(a, b, c, Rounding::kTowardNegative)
                               : exact;
  }
}

FusedModel::FusedModel(const TestfloatModel& model)
    : model_(model),
      is_downwards_(model.arithmetic().policy.rounding == Rounding::kTowardNegative),
      round_(round_of(model.arithmetic())) {}

}  // namespace mx::external
