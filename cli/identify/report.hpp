// What mxgold identify found, for people and as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "golden/identify/identify.hpp"

namespace mx::cli {

/// Outputs of the log, scales of blocks among them, and how many are not known.
struct OutputCounts {
  std::uint64_t all = 0;
  std::uint64_t unknown = 0;
};
[[nodiscard]] OutputCounts outputs_of(const golden::ImplementationLog& log);

/// `notes` are lines to be said first.
void print_text(const golden::ImplementationLog& log, const golden::Identification& found,
                const std::vector<std::string>& notes);
void print_json(const golden::ImplementationLog& log, const golden::Identification& found,
                const std::vector<std::string>& notes);

}  // namespace mx::cli
