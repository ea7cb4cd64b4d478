#include "tests/external/testfloat/linked/fused.hpp"

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

/// The reference's rounding with its format and policy folded in.
template <const ElementFormat& kFormat, Rounding kRounding, Tininess kTininess>
struct Compiled {
  static constexpr ElementPolicy kPolicy = policy_of(kRounding, kTininess);

  [[gnu::flatten]] static Encoded round(const RealResult& exact) {
    return kernel::round_once(exact, kFormat, kPolicy);
  }
};

using Round = Encoded (*)(const RealResult&);

template <const ElementFormat& kFormat, Rounding... kRoundings>
Round compiled_round(const ElementPolicy& policy) {
  Round found = nullptr;
  const auto offer = [&]<Rounding kRounding, Tininess kTininess>() {
    using Offered = Compiled<kFormat, kRounding, kTininess>;
    if (Offered::kPolicy == policy) found = Offered::round;
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
  return nullptr;
}

}  // namespace

// Flattened, as the loops of the reference are: calls cost more than the work.
[[gnu::flatten]] void fuse_each(const ElementFormat& format, std::span<const FusedOperands> cases,
                                std::span<FusedExact> results) {
  const ElementFormat f = format;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Unpacked a = kernel::decode(f, cases[i][0]);
    const Unpacked b = kernel::decode(f, cases[i][1]);
    const Unpacked c = kernel::decode(f, cases[i][2]);
    FusedExact& exact = results[i];
    exact.otherwise = exact_fma(a, b, c, Rounding::kTiesToEven);
    exact.downwards = exact.otherwise;
    if (exact.otherwise.value.cls == ValueClass::kZero) {
      exact.downwards = exact_fma(a, b, c, Rounding::kTowardNegative);
    }
  }
}

FusedModel::FusedModel(const TestfloatModel& model)
    : model_(model),
      is_downwards_(model.arithmetic().policy.rounding == Rounding::kTowardNegative),
      compiled_(round_of(model.arithmetic())) {}

Encoded FusedModel::rounded(const RealResult& exact) const {
  return kernel::round_once(exact, model_.arithmetic().format, model_.arithmetic().policy);
}

}  // namespace mx::external
