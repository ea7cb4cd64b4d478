// The operations of IEEE 754 that soft-float arithmetic computes, by name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "reference/policy/token.hpp"

namespace mx {

/// What an operation's operands and result are.
enum class OperationKind : std::uint8_t {
  kRounded,     ///< codes of a format, and the exact result rounded to that format
  kSelected,    ///< codes of a format, and one of them, or a NaN
  kCompared,    ///< codes of a format, and a bit
  kToInteger,   ///< a code of a format, and an integer
  kFromInteger  ///< an integer, and a code of a format
};

/// The operations with the number of their operands. Names are those of IEEE 754-2019: sections
/// 5.3.1, 5.4.1 (fma: fusedMultiplyAdd), 5.6.1 and 9.6; min_num and max_num those of IEEE 754-2008
/// section 5.3.1; select_minimum and select_maximum are MINSS and MAXSS of x86.
#define MX_ARITHMETIC_OPERATION(X)                                     \
  X(kAdd, "add", 2, kRounded)                                          \
  X(kSubtract, "subtract", 2, kRounded)                                \
  X(kMultiply, "multiply", 2, kRounded)                                \
  X(kDivide, "divide", 2, kRounded)                                    \
  X(kFma, "fma", 3, kRounded)                                          \
  X(kSqrt, "sqrt", 1, kRounded)                                        \
  X(kRemainder, "remainder", 2, kRounded)                              \
  X(kRoundToIntegral, "round_to_integral", 1, kRounded)                \
  X(kMinimum, "minimum", 2, kSelected)                                 \
  X(kMaximum, "maximum", 2, kSelected)                                 \
  X(kMinimumNumber, "minimum_number", 2, kSelected)                    \
  X(kMaximumNumber, "maximum_number", 2, kSelected)                    \
  X(kMinNum, "min_num", 2, kSelected)                                  \
  X(kMaxNum, "max_num", 2, kSelected)                                  \
  X(kSelectMinimum, "select_minimum", 2, kSelected)                    \
  X(kSelectMaximum, "select_maximum", 2, kSelected)                    \
  X(kQuietEqual, "compare_quiet_equal", 2, kCompared)                  \
  X(kQuietLess, "compare_quiet_less", 2, kCompared)                    \
  X(kQuietLessEqual, "compare_quiet_less_equal", 2, kCompared)         \
  X(kSignalingEqual, "compare_signaling_equal", 2, kCompared)          \
  X(kSignalingLess, "compare_signaling_less", 2, kCompared)            \
  X(kSignalingLessEqual, "compare_signaling_less_equal", 2, kCompared) \
  X(kToInteger, "to_integer", 1, kToInteger)                           \
  X(kFromInteger, "from_integer", 1, kFromInteger)
MX_POLICY(ArithmeticOperation, MX_ARITHMETIC_OPERATION);

struct OperationFacts {
  std::size_t operands;
  OperationKind kind;
};

#define MX_OPERATION_FACTS(name, text, operands, kind) \
  OperationFacts{operands, OperationKind::kind},
inline constexpr std::array kOperationFacts = {MX_ARITHMETIC_OPERATION(MX_OPERATION_FACTS)};
static_assert(kOperationFacts.size() == tokens<ArithmeticOperation>().size());

[[nodiscard]] constexpr OperationKind kind_of(ArithmeticOperation operation) {
  return kOperationFacts[static_cast<std::size_t>(operation)].kind;
}

/// How many operands an operation takes.
[[nodiscard]] constexpr std::size_t operands_of(ArithmeticOperation operation) {
  return kOperationFacts[static_cast<std::size_t>(operation)].operands;
}

/// Is an operand or the result an integer, so that an IntegerConversion says which one?
[[nodiscard]] constexpr bool has_integer(ArithmeticOperation operation) {
  return kind_of(operation) == OperationKind::kToInteger ||
         kind_of(operation) == OperationKind::kFromInteger;
}

}  // namespace mx
