// SPDX-License-Identifier: Apache-2.0
#include "reference/arithmetic/format_of.hpp"

#include <string>

#include "reference/arithmetic/arithmetic.hpp"
#include "reference/arithmetic/exact_result.hpp"
#include "reference/arithmetic/integral.hpp"
#include "reference/arithmetic/round_kernel.hpp"
#include "reference/arithmetic/selection.hpp"
#include "reference/format/integers.hpp"

namespace mx {
namespace {

/// Is the result a code of OperationConfig::result?
bool has_result_format(ArithmeticOperation operation) {
  const OperationKind kind = kind_of(operation);
  return kind != OperationKind::kCompared && kind != OperationKind::kToInteger;
}

}  // namespace

const ElementFormat& OperationConfig::operand_format(std::size_t i) const {
  const bool is_whole = kind_of(operation) == OperationKind::kFromInteger;
  return is_whole ? formats::integer(integer.type) : operands[i];
}

const ElementFormat& OperationConfig::result_format() const {
  if (kind_of(operation) == OperationKind::kCompared) return formats::truth;
  if (kind_of(operation) == OperationKind::kToInteger) return formats::integer(integer.type);
  return result;
}

Checked<Operation> Operation::make(const OperationConfig& config) {
  const auto problem = [&](const ElementFormat& format) {
    return Arithmetic{format, config.policy, config.integer}.problem();
  };
  std::string_view why;
  if (kind_of(config.operation) != OperationKind::kFromInteger) {
    for (std::size_t i = 0; i < operands_of(config.operation) && why.empty(); ++i) {
      why = problem(config.operands[i]);
    }
  }
  if (why.empty() && has_result_format(config.operation)) why = problem(config.result);
  if (!why.empty()) return Problem{std::string(why)};
  return Operation(config);
}

Encoded Operation::operator()(std::span<const std::uint64_t> operands) const {
  std::array<Unpacked, 3> x;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    x[i] = decode(config_.operand_format(i), operands[i]);
  }
  switch (kind_of(config_.operation)) {
    case OperationKind::kCompared: {
      const Comparison result = compare(config_.operation, x[0], x[1]);
      return {result.holds ? std::uint64_t{1} : std::uint64_t{0},
              result.invalid ? std::uint8_t{kFlagInvalid} : std::uint8_t{0}};
    }
    case OperationKind::kToInteger:
      return to_integer(x[0], config_.policy.rounding, config_.integer);
    default:
      break;
  }
  const std::span<const Unpacked> given(x.data(), operands.size());
  return kernel::round_once(exact_result(config_.operation, given, config_.policy.rounding),
                            config_.result, config_.policy);
}

}  // namespace mx
