#include "golden/vectors/result_bits.hpp"

#include <bit>
#include <variant>

#include "golden/configuration/result_format.hpp"
#include "reference/policy/policy.hpp"

namespace mx::golden {
namespace {

/// Six bits, and one that exact infinities of a division alone have (docs/vector-fields.md).
unsigned flag_bits(const Configuration& configuration) {
  const auto* const arithmetic = std::get_if<ArithmeticCase>(&configuration.what);
  const bool divides =
      arithmetic != nullptr && arithmetic->operation == ArithmeticOperation::kDivide;
  return static_cast<unsigned>(std::bit_width(unsigned{divides ? kFlagDivideByZero : kFlagToZero}));
}

}  // namespace

unsigned result_bits(const Configuration& configuration, const FieldShape& field) {
  if (field.field == Field::kFlags) return flag_bits(configuration);
  const ElementFormat* const format = result_format(configuration);
  if (field.field == Field::kCode && format != nullptr) return static_cast<unsigned>(format->bits);
  const auto* const block = std::get_if<QuantizerConfig>(&configuration.what);
  if (field.field == Field::kScale && block != nullptr) {
    return static_cast<unsigned>(block->format.scale_bits());
  }
  return static_cast<unsigned>(field.bytes) * 8;  // floats that a system's cast stores
}

}  // namespace mx::golden
