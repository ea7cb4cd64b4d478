// mxgold's fused multiply-add of many cases in many roundings: what no rounding changes is computed
// once, by the functions that Arithmetic::fma calls.
#pragma once

#include <span>
#include <vector>

#include "reference/arithmetic/real_result.hpp"
#include "tests/external/testfloat/functions.hpp"
#include "tests/external/testfloat/linked/machine.hpp"

namespace mx::external {

/// The exact results of a x b + c of many cases. The sign of a zero hangs on the rounding.
struct FusedExact {
  std::vector<RealResult> downwards;  ///< under toward_negative
  std::vector<RealResult> otherwise;

  /// Does a rule of tininess decide something, which it does below the smallest normal number alone
  /// (IEEE 754-2019 section 7.5)?
  [[nodiscard]] bool has_tininess_read(std::size_t i, const ElementFormat& format) const {
    const Unpacked& x = otherwise[i].value;
    return x.cls == ValueClass::kFinite && x.exponent < format.emin();
  }
};

[[nodiscard]] FusedExact fused_room(std::size_t cases);

/// Fills the first of the results, as many as there are cases.
void fuse_each(const ElementFormat& format, std::span<const FusedOperands> cases,
               FusedExact& results);

/// What a model of mulAdd answers to cases whose exact results are known.
class FusedModel {
 public:
  explicit FusedModel(const TestfloatModel& model);

  /// Answers to the first of the cases.
  void answer(const FusedExact& exact, std::span<Encoded> answers) const {
    round_(results(exact, answers.size()), model_.arithmetic(), answers);
  }
  [[nodiscard]] const TestfloatModel& whole() const { return model_; }

 private:
  [[nodiscard]] std::span<const RealResult> results(const FusedExact& exact, std::size_t n) const {
    return std::span(is_downwards_ ? exact.downwards : exact.otherwise).first(n);
  }

  TestfloatModel model_;
  bool is_downwards_ = false;
  /// By format and policy known to the compiler, where they are offered.
  void (*round_)(std::span<const RealResult>, const Arithmetic&, std::span<Encoded>) = nullptr;
};

}  // namespace mx::external
