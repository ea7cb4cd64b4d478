// The fixed parts of the three file kinds; docs/vector-kinds.md is their description.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "golden/files/vector_file.hpp"

namespace mx::golden {

/// Text kinds.
inline constexpr std::string_view kTvPrefix = "# ";
inline constexpr std::string_view kMemPrefix = "// ";
inline constexpr char kTvSeparator = ' ';
inline constexpr char kMemSeparator = '_';

/// .mem: word 0 and the last word are magic, schema, count as 8 + 8 + 16 digits; records are padded
/// with zero digits on the left to at least that width.
inline constexpr std::uint32_t kMemHead = 0x4d584756;  ///< "MXGV"
inline constexpr std::uint32_t kMemTail = 0x4d584745;  ///< "MXGE"
inline constexpr std::size_t kMemMinDigits = 32;
inline constexpr std::uint64_t kMemMaxWords = 262144;

/// .bin: a 64-byte header, the text header, records from a multiple of 64, an 80-byte trailer.
inline constexpr std::string_view kBinHead = "MXGOLDB1";
inline constexpr std::string_view kBinTail = "MXGOLDE1";
inline constexpr std::size_t kBinHeaderBytes = 64;
inline constexpr std::size_t kBinTrailerBytes = 80;
inline constexpr std::uint32_t kBinMaxText = 1U << 28;

/// Zero digits in front of a .mem record; a separator follows them where there are any.
[[nodiscard]] constexpr std::size_t mem_pad(std::size_t record_bytes) {
  return 2 * record_bytes >= kMemMinDigits ? 0 : kMemMinDigits - 2 * record_bytes;
}

/// The head or tail word of a .mem file, all its digits.
[[nodiscard]] std::string mem_word(std::uint32_t magic, std::uint64_t count,
                                   std::size_t record_bytes);

/// The last lines of a text file.
[[nodiscard]] std::string trailer_text(std::string_view prefix, std::uint64_t count,
                                       const FileDigests& digests);

/// The first 64 bytes of a .bin file.
struct BinHeader {
  std::uint32_t schema = 0;
  std::uint32_t text_bytes = 0;
  std::uint64_t count = 0;
  std::uint32_t operand_bytes = 0;
  std::uint32_t record_bytes = 0;
  std::uint64_t records_at = 0;
  std::uint64_t trailer_at = 0;

  /// The only header a file of this text, count and record size can have.
  [[nodiscard]] static BinHeader make(std::size_t text_bytes, std::uint64_t count,
                                      std::size_t operand_bytes, std::size_t record_bytes);
  [[nodiscard]] std::string bytes() const;
  /// Reads the fields of 64 bytes (the magic is the caller's business).
  [[nodiscard]] static BinHeader parse(std::string_view bytes);
  bool operator==(const BinHeader&) const = default;
};
[[nodiscard]] std::string bin_trailer(std::uint64_t count, const FileDigests& digests);

}  // namespace mx::golden
