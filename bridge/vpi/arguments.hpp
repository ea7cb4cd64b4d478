// The arguments of a system call, with their four states.
#pragma once

#include <vpi_user.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bridge/bus/bits.hpp"

namespace mx::bridge::vpi {

/// A vector: value and unknown bits (X or Z), least significant 32 bits first.
struct Vector {
  std::vector<std::uint32_t> value;
  std::vector<std::uint32_t> unknown;
  int bits = 0;

  /// The lowest unknown bit below `end`; -1 for none.
  [[nodiscard]] int unknown_below(std::size_t end) const;
};

/// What a call wants of an argument. Results are variables that it sets.
enum class Role : char { kVector = 'v', kText = 't', kVectorResult = 'V', kTextResult = 'T' };

class Arguments {
 public:
  /// Those of the call that is under way, or of the one that is compiled.
  Arguments();

  [[nodiscard]] std::size_t size() const { return handles_.size(); }
  /// Why an argument is none for its role; "" where it is one. A simulator may end at the question
  /// for a value that an object cannot have (Icarus 11 does), so this is asked first. What a word
  /// of an array holds is known when the call runs, not when it is compiled.
  [[nodiscard]] std::string problem(std::size_t i, Role role, bool is_running) const;

  [[nodiscard]] Vector vector(std::size_t i) const;
  [[nodiscard]] std::string text(std::size_t i) const;

  /// Bits above the argument's are cut, bits beyond `value` become 0.
  void set(std::size_t i, BusIn value) const;
  void set_text(std::size_t i, const std::string& text) const;
  /// All bits X.
  void set_unknown(std::size_t i) const;
  [[nodiscard]] int bits(std::size_t i) const;
  /// What the function returns.
  void give(int value) const;

 private:
  vpiHandle call_;
  std::vector<vpiHandle> handles_;
};

}  // namespace mx::bridge::vpi
