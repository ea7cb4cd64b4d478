// Options that were given and that nothing reads: refused by name, with what does read them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/line/command.hpp"
#include "golden/names/settings.hpp"

namespace mx::cli {

/// Error kUsage for an option that was given without the one that it goes with.
void refuse_without(const Command& command, std::string_view option, std::string_view other);

/// Error kUsage for any of `options` that was given; `why` follows its name: "says nothing to ...".
void refuse_given(const Command& command, std::span<const std::string_view> options,
                  std::string_view why);

using golden::draws;
using golden::PolicyReader;
using golden::reads_rule_back;

/// Error kUsage for a policy of `given`, names of the taxonomy, that none of `readers` reads: its
/// rounding does not draw, its format has no such codes, its rule looks elsewhere.
void refuse_unread_policies(std::span<const std::string> given,
                            std::span<const PolicyReader> readers);

/// Error kUsage for a policy of blocks among `given`: `format` is one of elements.
void refuse_block_policies(std::span<const std::string> given, std::string_view format);

}  // namespace mx::cli
