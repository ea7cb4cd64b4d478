// Files that name what is executed: the program says what that is, and does it where the user typed
// it, or says so (docs/trust.md).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mx::cli {

/// What a device of this name makes the program execute, "the command './dut --fast'"; "" for a
/// device of the program itself.
[[nodiscard]] std::string executed_by(std::string_view device);

/// The same of a whole command, whose words name devices; nothing for a command that executes none.
[[nodiscard]] std::vector<std::string> executed_by(std::span<const std::string> command);

/// " --trust" where a file that names this device needs it, else "".
[[nodiscard]] std::string_view trust_option(std::string_view device);

/// Did the user give --trust?
enum class Trust : std::uint8_t { kAsked, kGiven };

/// Says on standard error what `file` makes the program execute. Returns where that is nothing,
/// where trust is given, and where the user agrees on a terminal. Else Error kUsage with `remedy`,
/// a line to type.
void require_trust(std::string_view file, const std::vector<std::string>& executed, Trust trust,
                   std::string_view remedy);

}  // namespace mx::cli
