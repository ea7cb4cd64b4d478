// Short texts of `mxgold help TOPIC`, from the data that the program computes with.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace mx::cli {

struct Topic {
  std::string_view name;
  std::string_view summary;
  std::string (*text)();  ///< at most 40 lines of 100 columns
};
[[nodiscard]] std::span<const Topic> all_topics();

/// The meaning of each exit code, from 0 on.
[[nodiscard]] std::span<const std::string_view> exit_codes();

}  // namespace mx::cli
