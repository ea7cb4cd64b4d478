// Configurations as typed: the options of `gen`, `run`, `check` and `sweep` that describe them.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli/line/command.hpp"
#include "cli/options/arith.hpp"
#include "cli/options/common.hpp"
#include "cli/options/dot.hpp"
#include "cli/options/format_book.hpp"
#include "golden/vectors/header.hpp"

namespace mx::cli {

/// Configurations as typed.
struct ConfigOptions {
  std::shared_ptr<FormatBook> book;  ///< what --format-file and --define define
  std::string op = "block";
  Names formats;
  Names sources;                 ///< none: fp32, or what the tensors are
  ArithText arith;               ///< of op arith
  DotText dot;                   ///< of op dot
  std::string addend;            ///< of op dot: its format, "" for none
  std::string unit;              ///< of op mma
  std::string scale_format;      ///< of op mma: "" for the first that the unit takes
  std::string platform = "x86";  ///< of op cast
  int block_size = 0;            ///< 0: the format's
  int random_bits = 0;           ///< 0: the profile's
  /// random_bits is what the device draws: nobody asked for it.
  bool has_device_random_bits = false;
  /// Policies that may be given and unread: a device says them of itself, a suite draws more.
  Names unchecked;
  std::string tensor_amax;  ///< two-level formats: "" for several in turn
  Names tensor_scales;  ///< two-level formats: those that a device takes; none where it takes any
  std::string profile = "mxgold-default";
  std::vector<Names> policies;  ///< the tokens given for each of policy_options()
  /// Every option of the command line, "--op": a default that was typed was asked for as well.
  std::set<std::string, std::less<>> typed;

  [[nodiscard]] bool is_typed(std::string_view option) const { return typed.contains(option); }
  /// Does a profile say every policy? The default one does where it was typed.
  [[nodiscard]] bool has_profile() const;
  [[nodiscard]] golden::Operation operation_kind() const;
  /// Of op cast: --mode, or strict where it was not given.
  [[nodiscard]] std::string cast_mode() const;
};

/// The values given for a policy, by its name.
[[nodiscard]] Names& policy_names(ConfigOptions& options, std::string_view field);

/// Adds the options that describe configurations: --op and everything above but the formats' files.
void add_config_options(const Command& app, ConfigOptions& options);

/// Keeps which options were typed.
void note_typed(const Command& app, ConfigOptions& options);

/// Error kUsage for options of another operation than --op.
void refuse_unused_options(const Command& app, const ConfigOptions& options);

/// The source format asked for, or `otherwise` where none is. Error kUsage for several.
[[nodiscard]] std::string one_source(const ConfigOptions& options, std::string_view otherwise);

}  // namespace mx::cli
