// SPDX-License-Identifier: Apache-2.0
// Zip archives, read in place: the directory at the end says where the bytes of each entry lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/files/tensor_header.hpp"

namespace mx::cli {

/// A file of an archive. Its bytes live as long as those of the archive.
struct ZipEntry {
  std::string_view name;
  std::span<const std::byte> packed;  ///< as they lie in the archive
  std::uint64_t size = 0;             ///< unpacked
  std::uint32_t crc = 0;
  unsigned method = 0;  ///< 0: as they are, 8: deflated
  bool is_encrypted = false;
};

/// Do the bytes start as an archive does?
[[nodiscard]] bool starts_as_zip(std::span<const std::byte> bytes);

/// The files of an archive in the order of its directory, without folders. No two share bytes or a
/// name. Throws Error kBadInput.
[[nodiscard]] std::vector<ZipEntry> read_zip(std::string_view file,
                                             std::span<const std::byte> bytes);

/// Is it an archive with a file whose name ends so, after '/' or from its start on? False for a
/// damaged one.
[[nodiscard]] bool zip_holds(std::span<const std::byte> bytes, std::string_view ending);

/// The bytes of an entry: in place, or inflated into `owned` and checked by their CRC. Throws Error
/// kBadInput for encrypted, damaged and otherwise packed ones.
[[nodiscard]] std::span<const std::byte> contents_of(std::string_view file, const ZipEntry& entry,
                                                     std::vector<std::vector<std::byte>>& owned);

}  // namespace mx::cli
