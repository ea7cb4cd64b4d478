// Machines whose scalar operations a bench imitates: what they make of NaNs, and where the flags
// stand. Words of a handle's text, on top of the shorthand of a configuration.
//
//   preset=riscv   canonical NaN, fcsr.fflags
//   preset=x86     the first NaN operand, quieted; MXCSR
//   preset=arm     the first signalling, else the first quiet NaN operand; FPSR
//   flags=riscv    the order of the flags alone
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "golden/configuration/configuration.hpp"
#include "reference/policy/checked.hpp"

namespace mx {

#define MX_MACHINE(X)  \
  X(kMxgold, "mxgold") \
  X(kRiscv, "riscv")   \
  X(kX86, "x86")       \
  X(kArm, "arm")       \
  X(kArmDn, "arm-dn")
MX_POLICY(Machine, MX_MACHINE);

}  // namespace mx

namespace mx::bridge {

/// What the words `preset` and `flags` say.
struct Preset {
  Machine nan = Machine::kMxgold;
  Machine flags = Machine::kMxgold;

  /// Takes its words out of a text; the rest is the shorthand, with the policies that a preset
  /// stands for.
  [[nodiscard]] static Checked<Preset> take(std::string& text);
  /// The words again, with a blank before each; "" for none.
  [[nodiscard]] std::string text() const;
  /// Why a configuration cannot have it; "" if it can: scalar operations on formats like IEEE's.
  [[nodiscard]] std::string problem(const golden::Configuration& configuration) const;
};

/// An answer of a scalar operation.
struct ScalarAnswer {
  std::uint64_t code = 0;
  std::uint64_t flags = 0;
};

/// The operands of a scalar operation: one of a conversion, else as many as it has.
using ScalarOperands = std::span<const std::uint64_t>;

/// The answer of the machine: NaN and flags by its rules. `answer` is the reference's.
[[nodiscard]] ScalarAnswer answer_of(const Preset& preset, const golden::Configuration& what,
                                     ScalarOperands operands, ScalarAnswer answer);

/// The bits of the machine's flags that the reference does not know.
[[nodiscard]] std::uint64_t open_flags(const Preset& preset);

}  // namespace mx::bridge
