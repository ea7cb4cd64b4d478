#include "cli/tensors/backend.hpp"

#include <algorithm>

#include "cli/text/names.hpp"

namespace mx::cli {
void BackendOptions::add_to(const Command& command, std::string_view name) {
  command_ = name;
  command
      .add_option(
          "--backend", choice_,
          "Who computes: auto (vectors where they are proven) | reference | or, with an error "
          "where it cannot: cpu (vectors) | cuda (a device) | cuda-host (its arithmetic here)")
      .type_name("NAME")
      .capture_default_str();
  command.add_flag("--verbose", is_verbose_, "Say on stderr who computes each tensor, and why");
}

backend::Choice BackendOptions::choice() const {
  const auto found = std::ranges::find(backend::kChoiceNames, choice_);
  if (found == backend::kChoiceNames.end()) {
    throw Error(Exit::kUsage, unknown_name("backend", choice_, backend::kChoiceNames));
  }
  return static_cast<backend::Choice>(found - backend::kChoiceNames.begin());
}

void BackendOptions::check(const std::string& problem, std::string_view tensor) const {
  if (problem.empty()) return;
  fail(Exit::kInternal,
       "tensor {}: {}; nothing was written. Use --backend reference, and report this with the "
       "processor's name",
       printable(tensor), problem);
}

void BackendOptions::tell(std::string_view tensor, std::string_view path,
                          std::string_view why) const {
  if (!is_verbose_) return;
  fmt::print(stderr, "mxgold {}: tensor {}: computed by {}{}{}\n", command_, printable(tensor),
             path, why.empty() ? "" : ": ", why);
}

}  // namespace mx::cli
