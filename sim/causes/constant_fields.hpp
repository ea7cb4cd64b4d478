// SPDX-License-Identifier: Apache-2.0
// Fields that a device does not compute: it gives one word, whatever is asked.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "golden/deviation/waiver.hpp"
#include "golden/vectors/record.hpp"

namespace mx::sim {

struct ConstantField {
  golden::Field field = golden::Field::kFlags;
  std::uint64_t word = 0;
  std::string text;  ///< "flags are always 00, ...; leave them out by --observe scale,code"
};

/// Fields in which every answer that was looked at has the same word, where right answers have
/// others. Of few answers nothing is said.
[[nodiscard]] std::vector<ConstantField> constant_fields(std::span<const golden::AnswerAt> wrong,
                                                         std::span<const golden::AnswerAt> right);

/// Of the flags, bits that no answer has and right ones would: those that the device never sets.
[[nodiscard]] std::uint64_t flags_never_set(std::span<const golden::AnswerAt> wrong,
                                            std::span<const golden::AnswerAt> right);

}  // namespace mx::sim
