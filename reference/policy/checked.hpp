// A value that was checked, or why there is none: what the factories of this library return.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace mx {

/// What a checked factory objects to.
struct Problem {
  std::string text;
};

/// A T, or the problem that kept it from being made. Asking for a value that is not there throws
/// std::invalid_argument with the problem as its text: callers that can say more ask first.
template <typename T>
class [[nodiscard]] Checked {
 public:
  // NOLINTBEGIN(google-explicit-constructor): a factory returns the value or the problem as it is.
  Checked(T value) : held_(std::in_place_index<0>, std::move(value)) {}
  Checked(Problem problem) : held_(std::in_place_index<1>, std::move(problem)) {}
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] explicit operator bool() const { return held_.index() == 0; }

  [[nodiscard]] const T& value() const& {
    require();
    return *std::get_if<0>(&held_);
  }
  /// By value, so that nothing refers into a Checked that is gone.
  [[nodiscard]] T value() && {
    require();
    return std::move(*std::get_if<0>(&held_));
  }
  [[nodiscard]] const T& operator*() const& { return value(); }
  [[nodiscard]] T operator*() && { return std::move(*this).value(); }
  [[nodiscard]] const T* operator->() const { return &value(); }

  /// "" where there is a value.
  [[nodiscard]] std::string_view problem() const {
    const Problem* const problem = std::get_if<1>(&held_);
    return problem == nullptr ? std::string_view{} : problem->text;
  }

 private:
  void require() const {
    if (const Problem* const problem = std::get_if<1>(&held_)) {
      throw std::invalid_argument(problem->text);
    }
  }

  std::variant<T, Problem> held_;
};

}  // namespace mx
