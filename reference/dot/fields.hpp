// SPDX-License-Identifier: Apache-2.0
// The fields of an accumulator by name: options of the program and of the C interface, headers of
// vector files and metadata of results all go through this one list.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "reference/dot/model.hpp"

namespace mx {

struct AccumulatorField {
  std::string_view name;  ///< of the option and of metadata
  std::string_view summary;
  std::string_view in_headers;  ///< of vector files, where fields of the whole product stand beside
  int least = 0;                ///< numbers only
  int most = 0;
};

/// visit(field, member) for each: numbers (int), a format (ElementFormat), and enums with tokens.
template <typename Model, typename Visit>
void visit_fields(Model& m, Visit&& visit) {
  static_assert(std::is_same_v<std::remove_const_t<Model>, AccumulatorModel>);
  using F = AccumulatorField;
  visit(F{"group", "Products added in one step", "acc_group", 1, 1024}, m.group);
  visit(F{"align_bits", "Bits kept below the largest exponent", "acc_alignment_bits", 2, 56},
        m.alignment_bits);
  visit(F{"align_rounding", "How lower bits are lost: toward_zero, to_odd (sticky), any rounding",
          "acc_align_rounding"},
        m.align_rounding);
  visit(F{"order", "Order of the products: sequential | strided | reversed", "acc_order"}, m.order);
  visit(F{"carry", "The running sum: aligned | afterwards", "acc_carry"}, m.carry);
  visit(F{"align", "To the largest leading_one | exponent_sum", "acc_align"}, m.align);
  visit(F{"normalize", "When the sum is normalized: every_step | at_end", "acc_normalize"},
        m.normalize);
  visit(F{"acc_format", "Format of the running sum", "acc_format"}, m.format);
  visit(F{"acc_rounding", "Its rounding", "acc_rounding"}, m.rounding);
  visit(F{"acc_overflow", "What it does beyond its range", "acc_overflow"}, m.overflow);
  visit(F{"acc_ftz", "Its subnormals: none | pre | post | post_unbounded", "acc_ftz"}, m.ftz);
  visit(F{"acc_zero_sign", "An exact sum of zero: positive | ieee (of a fused multiply-add)",
          "acc_zero_sign"},
        m.zero_sign);
}

/// A member as options and metadata spell it.
inline std::string member_text(int number) { return std::to_string(number); }
inline std::string member_text(const ElementFormat& format) { return std::string(format.name); }
template <typename E>
std::string member_text(E token) {
  return std::string(token_of(token));
}

}  // namespace mx
