#include "cli/options/unread.hpp"

#include "cli/base/asked.hpp"

namespace mx::cli {

void refuse_without(const Command& command, std::string_view option, std::string_view other) {
  if (command.count(std::string(option)) == 0) return;
  if (command.count(std::string(other)) != 0) return;
  fail(Exit::kUsage, "{}: goes with {}", option, other);
}

void refuse_given(const Command& command, std::span<const std::string_view> options,
                  std::string_view why) {
  for (const std::string_view option : options) {
    if (command.count(std::string(option)) != 0) {
      fail(Exit::kUsage, "{}: {}", option, why);
    }
  }
}

void refuse_unread_policies(std::span<const std::string> given,
                            std::span<const PolicyReader> readers) {
  asked([&] { golden::refuse_unread_policies(given, readers, golden::Spelling::kOptions); });
}

void refuse_block_policies(std::span<const std::string> given, std::string_view format) {
  asked([&] { golden::refuse_block_policies(given, format, golden::Spelling::kOptions); });
}

}  // namespace mx::cli
