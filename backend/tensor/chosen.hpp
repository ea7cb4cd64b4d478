// The fast path of a configuration, or why it has none.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "fast/cpu/block_plan.hpp"
#include "reference/policy/checked.hpp"

namespace mx::backend {

/// One of several kinds of plans, or none: the reference computes then. A value type.
template <typename... Plans>
class Chosen {
 public:
  /// The plan, or its problem as the reason for having none.
  template <typename Plan>
  void take(Checked<Plan> plan) {
    if (plan) {
      plan_ = std::move(plan).value();
    } else {
      why_reference_ = plan.problem();
    }
  }
  void refuse(std::string_view why) { why_reference_ = why; }

  [[nodiscard]] bool is_fast() const { return plan_.index() != 0; }
  /// "cpu (AVX3_DL)", "reference", or what the plan says.
  [[nodiscard]] std::string path() const {
    if (!is_fast()) return "reference";
    return std::visit(
        [](const auto& plan) {
          if constexpr (requires { plan.path(); }) {
            return plan.path();
          } else {
            return "cpu (" + std::string(fast::cpu_target()) + ")";
          }
        },
        plan_);
  }
  [[nodiscard]] const std::string& why_reference() const { return why_reference_; }
  /// Null where another kind of plan was chosen, or none.
  template <typename Plan>
  [[nodiscard]] const Plan* plan() const {
    return std::get_if<Plan>(&plan_);
  }

 private:
  std::variant<std::monostate, Plans...> plan_;
  std::string why_reference_;
};

}  // namespace mx::backend
