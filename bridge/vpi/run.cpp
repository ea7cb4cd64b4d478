#include "bridge/vpi/run.hpp"

#include <fmt/format.h>

#include <exception>

namespace mx::bridge::vpi {
namespace {

std::string_view wanted(Role role) {
  switch (role) {
    case Role::kVector:
      return "a vector";
    case Role::kText:
      return "a text";
    case Role::kVectorResult:
      return "a vector that is a variable";
    case Role::kTextResult:
      return "a text that is a variable";
  }
  return "";
}

std::string problem_of(const Call& call, const Arguments& arguments, bool is_running) {
  const std::size_t takes = call.roles.size();
  if (arguments.size() != takes) {
    return fmt::format("{} arguments, but it takes {}", arguments.size(), takes);
  }
  for (std::size_t i = 0; i < takes; ++i) {
    const Role role{call.roles[i]};
    const std::string what = arguments.problem(i, role, is_running);
    if (!what.empty()) {
      return fmt::format("argument {} is {}; it takes {}", i + 1, what, wanted(role));
    }
  }
  return {};
}

/// A failed call answers nothing that could be taken for an answer.
void set_no_results(const Call& call, const Arguments& arguments) {
  for (std::size_t i = 0; i < call.roles.size(); ++i) {
    const Role role{call.roles[i]};
    if (role != Role::kVectorResult && role != Role::kTextResult) continue;
    if (!arguments.problem(i, role, true).empty()) continue;
    if (role == Role::kVectorResult) {
      arguments.set_unknown(i);
    } else {
      arguments.set_text(i, "");
    }
  }
}

}  // namespace

void complain(const Call& call, const std::string& what) {
  std::string format = "%s: %s\n";
  vpi_printf(format.data(), call.name, what.c_str());
}

std::string problem_of(const Call& call) { return problem_of(call, Arguments(), false); }

void run(const Call& call, Bench& bench) noexcept {
  try {
    const Arguments arguments;
    int result = 0;
    try {
      std::string why = problem_of(call, arguments, true);
      if (why.empty()) {
        result = call.body(bench, arguments);
      } else {
        complain(call, why);
      }
    } catch (const std::exception& error) {
      complain(call, error.what());
    }
    if (result == 0) set_no_results(call, arguments);
    arguments.give(result);
  } catch (...) {
    complain(call, "the arguments cannot be read");
  }
}

}  // namespace mx::bridge::vpi
