// mxgold's fused multiply-add of many cases in many roundings: what no rounding changes is computed
// once, by the functions that Arithmetic::fma calls.
#pragma once

#include <span>

#include "reference/arithmetic/real_result.hpp"
#include "tests/external/testfloat/functions.hpp"
#include "tests/external/testfloat/linked/machine.hpp"

namespace mx::external {

/// The exact result of a x b + c, whose sign hangs on the rounding where it is a zero.
struct FusedExact {
  RealResult downwards;  ///< under toward_negative
  RealResult otherwise;
};

/// As many as there are cases.
void fuse_each(const ElementFormat& format, std::span<const FusedOperands> cases,
               std::span<FusedExact> results);

/// What a model of mulAdd answers to a case whose exact result is known.
class FusedModel {
 public:
  explicit FusedModel(const TestfloatModel& model);

  [[nodiscard]] Encoded operator()(const FusedExact& exact) const {
    const RealResult& result = is_downwards_ ? exact.downwards : exact.otherwise;
    return compiled_ != nullptr ? compiled_(result) : rounded(result);
  }

  [[nodiscard]] const TestfloatModel& whole() const { return model_; }

 private:
  [[nodiscard]] Encoded rounded(const RealResult& exact) const;

  TestfloatModel model_;
  bool is_downwards_ = false;
  Encoded (*compiled_)(const RealResult&) =
      nullptr;  ///< by format and policy known to the compiler
};

}  // namespace mx::external
