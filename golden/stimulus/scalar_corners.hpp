// Operands next to where the answer of an operation turns, which no draw finds: multiples and
// halves of a divisor, whole numbers and halves, the ends of an integer type, equal values.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "golden/points/operand_kit.hpp"
#include "golden/stimulus/suite.hpp"

namespace mx::golden {

class ScalarCorners {
 public:
  /// `kit` is of the operands' format and must stay in place.
  ScalarCorners(const ArithmeticCase& what, const OperandKit& kit);

  /// The classes that the operation has besides those of all, which may be none.
  [[nodiscard]] std::span<const std::string_view> names() const { return names_; }
  /// Operands of class `name` in its turn: turns go through the corners, the rest is drawn.
  void fill(std::size_t name, std::uint64_t turn, Draw& draw,
            std::array<std::uint64_t, 3>& operands) const;

 private:
  [[nodiscard]] std::uint64_t beside(const Unpacked& x, std::uint64_t turn) const;
  [[nodiscard]] std::uint64_t whole_or_half(Draw& draw, std::uint64_t turn) const;
  [[nodiscard]] std::uint64_t end_of_type(std::uint64_t turn) const;
  void quotient(std::uint64_t turn, Draw& draw, std::array<std::uint64_t, 3>& operands) const;

  const OperandKit& kit_;
  std::vector<std::string_view> names_;
  int integer_bits_;
  int emin_, emax_;
};

}  // namespace mx::golden
