// Dense layouts of element codes: spec F5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "reference/format/format.hpp"

namespace mx::cli {

/// "One of ...": the help text of --packed.
[[nodiscard]] std::string packing_help();

/// `name` if it is a layout for codes of this format; "" and byte_padded give "" (a code a byte).
/// Throws Error kUsage otherwise.
[[nodiscard]] std::string require_packing(std::string_view name, const ElementFormat& format);

/// The layout of the types F4 and F6 of files: the first code in the low bits. "" for types that
/// hold a code a word.
[[nodiscard]] std::string packing_of_type(std::string_view dtype);

/// Bytes that `elements` codes take; the last byte is filled up with zeros. Groups are those of
/// pack().
[[nodiscard]] std::uint64_t packed_bytes(std::string_view name, std::uint64_t elements,
                                         std::uint64_t group = 0);

/// One code a byte to the dense layout, and back. packed.size() == packed_bytes(codes.size()).
/// split_half packs group after group of `group` codes (an even number that divides their count);
/// the others take all codes at once.
void pack(std::string_view name, std::span<const std::byte> codes, std::span<std::byte> packed,
          std::uint64_t group = 0, int threads = 1);
void unpack(std::string_view name, std::span<const std::byte> packed, std::span<std::byte> codes,
            std::uint64_t group = 0, int threads = 1);

}  // namespace mx::cli
