// What can be farmed, and what its report of one part comes to: all but sweeps, whose shards are
// any of their segments, are done part by part.
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

namespace mx::cli {

/// A part in the form that all farmed commands share: "cases", "words" compared, "wrong", "digest";
/// "counts" of what the parts of a campaign are added up by; "replay" where the report has one,
/// "unjudged" why where no judge could say anything.
struct PartReport {
  nlohmann::ordered_json part;
  std::string device;  ///< as receipts have it; "": the report names none
};

struct FarmedCommand {
  std::string_view name;
  std::string_view unit;  ///< what `compared` of a receipt counts
  /// Options that have no meaning for a part, beside those that no farmed command takes.
  std::span<const std::string_view> refused;
  /// Is a report that ends with this status a verdict, for good or bad?
  bool (*is_verdict)(int status);
  /// Throws nlohmann::json::exception for what is no report. Null: a sweep.
  PartReport (*part_of)(const nlohmann::ordered_json& report, int status);
  /// Where a part of this command contradicts itself beyond what every part must be, or "".
  std::string (*contradiction)(const nlohmann::ordered_json& part);
};

/// What parts come to together.
struct PartTotals {
  std::uint64_t cases = 0;
  std::uint64_t words = 0;
  std::uint64_t wrong = 0;

  /// A sum beyond 64 bits stays the largest number: none that a receipt can be right with.
  void add(const PartTotals& part);
};

/// Throws nlohmann::json::exception for what is no part.
[[nodiscard]] PartTotals totals_of_part(const nlohmann::ordered_json& part);

/// Where a part of a receipt contradicts itself, or "": another digest than its content has, a
/// mismatch without a replay, counts that do not add up. Throws nlohmann::json::exception.
[[nodiscard]] std::string contradiction_of_part(const FarmedCommand& command,
                                                const nlohmann::ordered_json& part);

[[nodiscard]] std::span<const FarmedCommand> farmed_commands();
/// Null: the command is not farmed.
[[nodiscard]] const FarmedCommand* find_farmed(std::string_view name);

}  // namespace mx::cli
