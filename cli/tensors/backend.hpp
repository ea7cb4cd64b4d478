// The options --backend and --verbose of commands over tensors.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "backend/tensor/choice.hpp"
#include "cli/base/error.hpp"
#include "cli/line/command.hpp"
#include "reference/policy/checked.hpp"

namespace mx::cli {

/// Who computes. Must stay in place once added, since CLI11 keeps references.
class BackendOptions {
 public:
  BackendOptions() = default;
  BackendOptions(const BackendOptions&) = delete;
  BackendOptions& operator=(const BackendOptions&) = delete;

  void add_to(const Command& command, std::string_view name);

  /// Error kUsage for an unknown name.
  [[nodiscard]] backend::Choice choice() const;

  /// The worker that computes a tensor, after its self-check. Workers of a kind that differ in what
  /// they compute have other words `what`: the second one of the same words is not checked again.
  /// Error kUsage where there is no worker, kInternal where its bits differ from the reference's.
  template <typename Worker>
  [[nodiscard]] Worker ready(Checked<Worker> made, std::string_view tensor,
                             const std::string& what) const {
    if (!made) fail(Exit::kUsage, "--backend {}: {}", choice_, made.problem());
    if (checked_.insert(what).second) check(made->self_check(), tensor);
    tell(tensor, made->path(), made->why_reference());
    return std::move(made).value();
  }

 private:
  void check(const std::string& problem, std::string_view tensor) const;
  void tell(std::string_view tensor, std::string_view path, std::string_view why) const;

  std::string command_;
  std::string choice_ = "auto";
  bool is_verbose_ = false;
  mutable std::set<std::string> checked_;  ///< which workers were: a check takes milliseconds
};

}  // namespace mx::cli
