// Casts of the emulated systems on the command line: --format 'dmx:MXFP8[E4M3]{32}' --mode compat.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/line/command.hpp"
#include "cli/options/common.hpp"
#include "reference/casts/cast.hpp"

namespace mx::cli {

struct SystemOptions {
  std::string mode = "strict";
  std::string platform = "x86";
};

/// Whether a format's name begins with a system's and a colon.
[[nodiscard]] bool is_cast(std::string_view format);

/// A list of formats that was split at its commas, put together again where they stood within
/// parentheses: {"qtorch:f(a=1", "b=2)"} is one.
[[nodiscard]] Names rejoined(const Names& parts);

/// Error kUsage for an option that was given and is none of `known`: the text of a cast says the
/// rest.
void refuse_other_options(const Command& command, std::span<const std::string_view> known,
                          std::string_view cast);

/// Error kUsage for --platform beside strict, which is the same on every platform.
void refuse_idle_platform(const Command& command, const SystemOptions& options);

/// Adds --platform, and returns it.
Option platform_option(const Command& app, std::string& platform);

/// The cast of a text; Error kUsage with the system's own words where it refuses.
[[nodiscard]] casts::CastPointer require_cast(const std::string& text, std::string_view mode,
                                              std::string_view platform);

/// The type of a source format's tensors; nothing where systems take none.
[[nodiscard]] std::optional<TensorType> tensor_type(std::string_view source);

}  // namespace mx::cli
