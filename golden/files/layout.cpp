#include "golden/files/layout.hpp"

#include <fmt/format.h>

#include <cstring>

namespace mx::golden {
namespace {

void append_le(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xFF);
}

std::uint64_t le(std::string_view bytes, std::size_t at, int count) {
  std::uint64_t value = 0;
  for (int i = count; i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)]);
  }
  return value;
}

void append_digest(std::string& out, const Digest& digest) {
  for (const std::uint8_t byte : digest) out += static_cast<char>(byte);
}

}  // namespace

std::string mem_word(std::uint32_t magic, std::uint64_t count, std::size_t record_bytes) {
  const std::size_t digits = 2 * record_bytes + mem_pad(record_bytes);
  return std::string(digits - kMemMinDigits, '0') +
         fmt::format("{:08x}{:08x}{:016x}", magic, kSchema, count);
}

std::string trailer_text(std::string_view prefix, std::uint64_t count, const FileDigests& digests) {
  return fmt::format("{0}end {1}\n{0}operands {2}\n{0}records {3}\n", prefix, count,
                     to_hex(digests.operands), to_hex(digests.records));
}

BinHeader BinHeader::make(std::size_t text_bytes, std::uint64_t count, std::size_t operand_bytes,
                          std::size_t record_bytes) {
  BinHeader header;
  header.schema = kSchema;
  header.text_bytes = static_cast<std::uint32_t>(text_bytes);
  header.count = count;
  header.operand_bytes = static_cast<std::uint32_t>(operand_bytes);
  header.record_bytes = static_cast<std::uint32_t>(record_bytes);
  header.records_at = (kBinHeaderBytes + text_bytes + 63) / 64 * 64;
  header.trailer_at = header.records_at + count * record_bytes;
  return header;
}

std::string BinHeader::bytes() const {
  std::string out(kBinHead);
  append_le(out, schema, 4);
  append_le(out, text_bytes, 4);
  append_le(out, count, 8);
  append_le(out, operand_bytes, 4);
  append_le(out, record_bytes, 4);
  append_le(out, records_at, 8);
  append_le(out, trailer_at, 8);
  out.resize(kBinHeaderBytes, '\0');
  return out;
}

BinHeader BinHeader::parse(std::string_view bytes) {
  BinHeader header;
  header.schema = static_cast<std::uint32_t>(le(bytes, 8, 4));
  header.text_bytes = static_cast<std::uint32_t>(le(bytes, 12, 4));
  header.count = le(bytes, 16, 8);
  header.operand_bytes = static_cast<std::uint32_t>(le(bytes, 24, 4));
  header.record_bytes = static_cast<std::uint32_t>(le(bytes, 28, 4));
  header.records_at = le(bytes, 32, 8);
  header.trailer_at = le(bytes, 40, 8);
  return header;
}

std::string bin_trailer(std::uint64_t count, const FileDigests& digests) {
  std::string out(kBinTail);
  append_le(out, count, 8);
  append_digest(out, digests.operands);
  append_digest(out, digests.records);
  return out;
}

}  // namespace mx::golden
