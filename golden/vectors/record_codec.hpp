// One record code for the three file kinds: batches <-> packed binary records <-> text lines.
//
// A packed record is its fields in layout order, each word little-endian in its byte width, without
// padding; it is what .bin files hold and what both digests run over. A text line is the same words
// as fixed-width lowercase hex, each followed by a separator, the last by a line feed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "golden/vectors/record.hpp"

namespace mx::golden {

/// Which words of a record a line holds.
enum class Part : std::uint8_t { kRecord, kOperands, kResults };

/// What diagnose() says of a word with a digit that a simulator prints of bits it does not know.
inline constexpr std::string_view kUnknownBits = "unknown bits (X or Z)";

class RecordCodec {
 public:
  explicit RecordCodec(const RecordShape& shape);

  [[nodiscard]] const RecordShape& shape() const { return shape_; }
  [[nodiscard]] std::size_t record_bytes() const { return record_bytes_; }
  [[nodiscard]] std::size_t operand_bytes() const { return operand_bytes_; }
  /// Characters of a line of a part, line feed included and no padding.
  [[nodiscard]] std::size_t line_chars(Part part) const;

  /// Batch records [first, first + n) to n packed records, and back. Throws VectorError if a value
  /// does not fit its field; the batch has the codec's shape.
  void pack(const RecordBatch& batch, std::size_t first, std::size_t n, std::byte* records) const;
  void unpack(const std::byte* records, std::size_t n, RecordBatch& batch, std::size_t first) const;

  /// Copies the operand bytes of n records to a dense stream.
  void copy_operands(const std::byte* records, std::size_t n, std::byte* operands) const;

  /// Writes the lines of n records: `pad` zero digits and a separator first where pad is not 0.
  /// `out` has room for n * (line_chars(part) + (pad ? pad + 1 : 0)) characters.
  void format(const std::byte* records, std::size_t n, Part part, char separator, std::size_t pad,
              char* out) const;
  /// Reads n lines of exactly line_chars(part) characters, `chars` of them from one to the next,
  /// into records. Returns how many there are before the first that is not as format() writes it;
  /// diagnose() then says what is wrong with that.
  [[nodiscard]] std::size_t parse(const char* lines, std::size_t n, std::size_t chars, Part part,
                                  char separator, std::byte* records) const;
  /// What is wrong with a line (without line feed): "column C, field F: ...".
  [[nodiscard]] std::string diagnose(std::string_view line, Part part, char separator,
                                     std::size_t first_column) const;

 private:
  struct Place {
    FieldShape shape;
    std::size_t offset = 0;  ///< of lane 0 in the record
  };
  struct Word {
    std::uint32_t offset = 0;
    std::uint32_t bytes = 0;
  };
  [[nodiscard]] std::span<const Word> words(Part part) const;
  /// Reads lines as parse(); false if one of them is not as it is written.
  [[nodiscard]] bool parse_all(const char* lines, std::size_t n, std::size_t chars, Part part,
                               char separator, std::byte* records) const;
  [[nodiscard]] std::string field_name(Part part, std::size_t word) const;

  RecordShape shape_;
  std::vector<Place> places_;
  std::size_t record_bytes_ = 0;
  std::size_t operand_bytes_ = 0;
  std::size_t operand_words_ = 0;
  std::vector<Word> words_;
};

}  // namespace mx::golden
