// SPDX-License-Identifier: Apache-2.0
// Operations between formats: the formatOf operations of IEEE 754-2019 section 5.4.1. Operands are
// of formats of their own, and the exact result is rounded once, to another.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "reference/element/encode.hpp"
#include "reference/policy/checked.hpp"
#include "reference/policy/integer.hpp"
#include "reference/policy/operation.hpp"

namespace mx {

/// What is computed, between what. Formats that an operation has none of are not read: of operands
/// beyond its own, of an integer, of the result of a comparison.
struct OperationConfig {
  ArithmeticOperation operation = ArithmeticOperation::kAdd;
  std::array<ElementFormat, 3> operands = {};
  ElementFormat result = {};
  ElementPolicy policy = {};
  IntegerConversion integer = {};

  /// Of what operand i and the result are codes.
  [[nodiscard]] const ElementFormat& operand_format(std::size_t i) const;
  [[nodiscard]] const ElementFormat& result_format() const;
};

/// One operation. A value type; calls are const and may run side by side.
class Operation {
 public:
  /// The operation, or why it cannot be computed: a format that is no float or has more than 53
  /// bits of precision, a stochastic rounding, staged or flushed sources.
  [[nodiscard]] static Checked<Operation> make(const OperationConfig& config);

  [[nodiscard]] const OperationConfig& config() const { return config_; }
  [[nodiscard]] std::size_t operands() const { return operands_of(config_.operation); }

  /// operands.size() is operands(). A comparison gives 1 where it holds; comparisons and to_integer
  /// look at no policy but the rounding.
  [[nodiscard]] Encoded operator()(std::span<const std::uint64_t> operands) const;

 private:
  explicit Operation(const OperationConfig& config) : config_(config) {}

  OperationConfig config_;
};

}  // namespace mx
