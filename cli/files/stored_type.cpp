// SPDX-License-Identifier: Apache-2.0
#include "cli/files/stored_type.hpp"

#include <array>

#include "cli/files/byte_order.hpp"
#include "reference/arithmetic/fp32.hpp"
#include "reference/format/rows.hpp"
#include "reference/number/unpacked.hpp"
#include "reference/number/word_bytes.hpp"

namespace mx::cli {
namespace {

struct NumberType {
  std::string_view name;
  int bits = 0;
  const ElementFormat* codes = nullptr;  ///< nullptr: integers
  bool is_signed = false;
};

constexpr NumberType kNumberTypes[] = {{"F32", 32, &formats::fp32},
                                       {"F16", 16, &formats::fp16},
                                       {"BF16", 16, &formats::bf16},
                                       {"F8_E4M3", 8, &formats::e4m3fn},
                                       {"F8_E5M2", 8, &formats::e5m2},
                                       {"F8_E8M0", 8, &formats::e8m0},
                                       {"F8_E4M3FNUZ", 8, &formats::e4m3fnuz},
                                       {"F8_E5M2FNUZ", 8, &formats::e5m2fnuz},
                                       {"F6_E2M3", 6, &formats::e2m3fn},
                                       {"F6_E3M2", 6, &formats::e3m2fn},
                                       {"F4", 4, &formats::e2m1fn},
                                       {"U16", 16},
                                       {"I16", 16, nullptr, true},
                                       {"U8", 8},
                                       {"I8", 8, nullptr, true},
                                       {"BOOL", 8},
                                       {"U4", 4},
                                       {"I4", 4, nullptr, true},
                                       {"U2", 2},
                                       {"I2", 2, nullptr, true}};

/// Codes in a block: as many as end on a byte.
constexpr int codes_of(const NumberType& type) {
  return type.bits >= 8 ? 1 : type.bits == 6 ? 4 : 8 / type.bits;
}

Unpacked value_of_number(const NumberType& type, std::uint64_t code) {
  if (type.codes != nullptr) return decode(*type.codes, code);
  const bool is_negative = type.is_signed && (code >> (type.bits - 1) & 1) != 0;
  return unpack_integer(is_negative, is_negative ? (std::uint64_t{1} << type.bits) - code : code,
                        0);
}

/// Of codes that lie low bits first.
void values_of_numbers(std::size_t row, const std::byte* block, std::span<std::uint32_t> fp32) {
  const NumberType& type = kNumberTypes[row];
  const auto bytes = static_cast<std::size_t>(codes_of(type) * type.bits / 8);
  std::uint64_t rest = type.bits > 8 ? load_word(block, bytes) : little_endian({block, bytes});
  for (std::uint32_t& value : fp32) {
    value = fp32::round(value_of_number(type, rest & ((std::uint64_t{1} << type.bits) - 1)));
    rest >>= type.bits;
  }
}

constexpr auto kStoredNumbers = [] {
  std::array<StoredType, std::size(kNumberTypes)> list = {};
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto codes = static_cast<std::uint64_t>(codes_of(kNumberTypes[i]));
    list[i] = {kNumberTypes[i].name, i, codes,
               codes * static_cast<std::uint64_t>(kNumberTypes[i].bits) / 8, values_of_numbers};
  }
  return list;
}();

}  // namespace

const StoredType* find_stored_type(std::string_view name) {
  for (const StoredType& type : kStoredNumbers) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

}  // namespace mx::cli
