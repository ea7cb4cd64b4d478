// The devices under test by name: what `mxgold run --dut` knows. A device is a row that its own
// file makes, and a line of the list in kind.cpp; names, help and errors come from the rows.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/dut/dut.hpp"

namespace mx::sim {

/// Makes a device; called once for each thread.
using DutFactory = std::function<std::unique_ptr<Dut>()>;

/// What a device is made for.
struct DutRequest {
  std::string argument;                       ///< what follows the colon of its name
  std::chrono::milliseconds time_out{10000};  ///< of a call that a plugin answers
};

struct DutKind {
  std::string_view name;          ///< "reference"
  std::string_view argument;      ///< as the help spells it: "" for none, "[:FAULT]", ":COMMAND"
  std::string_view help;          ///< what it is, a few words
  std::string_view missing{};     ///< why this build has none, and the remedy; "" where it has one
  int random_bits = 0;            ///< the N it is built for; 0: any
  bool zeroes_dont_care = false;  ///< codes under a NaN scale are compared unless asked otherwise
  bool is_program = false;        ///< a program that reads records: has no clock, see sim/record
  bool is_described = false;      ///< a module that a file describes: reads records, has a clock
  bool is_plugin = false;         ///< a shared library, whose device has a clock or reads records
  /// Every argument there is, for the check and its suggestion; nullptr: any text.
  std::vector<std::string_view> (*arguments)() = nullptr;
  /// Of a device with a clock; none where it reads records.
  std::function<DutFactory(const DutRequest&)> make{};

  /// Does it always read records of any shape, and not blocks on streams?
  [[nodiscard]] bool reads_records() const { return is_program || is_described; }
  /// "reference[:FAULT]".
  [[nodiscard]] std::string usage() const { return std::string(name) + std::string(argument); }
  /// Must an argument follow, may one?
  [[nodiscard]] bool needs_argument() const { return argument.starts_with(':'); }
  [[nodiscard]] bool takes_argument() const { return !argument.empty(); }
};

/// One more, before all others: the default. For programs with a device of their own, before they
/// use any; what its members point to has to outlive the program.
void add_dut_kind(DutKind kind);

/// All of them, in the order of the help; the first one is the default.
[[nodiscard]] std::span<const DutKind> all_dut_kinds();

}  // namespace mx::sim
