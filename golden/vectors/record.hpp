// Records: what a vector holds besides its configuration, as numbered words in named fields. Every
// operation uses the same batches, files and comparisons; which fields there are is data.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "reference/policy/token.hpp"

namespace mx {

/// The fields a record may have, in the order in which they stand: operands, then results.
#define MX_FIELD(X)                                                                      \
  X(kConfig, "config")     /* number of the configuration, where a file has several */   \
  X(kTuser, "tuser")       /* the same as a word of the RTL, where it has one */         \
  X(kOpen, "open")         /* which results are not compared, where a profile says so */ \
  X(kElements, "elements") /* how many lanes take part, where blocks may be short */     \
  X(kKeep, "keep")         /* of streams: bit i: lane i takes part; comes out again */   \
  X(kLast, "last")         /* of streams: the last beat of a packet; comes out again */  \
  X(kSource, "source")     /* cvt, block: source codes */                                \
  X(kRandom, "random")     /* R of each lane, where an answer may depend on it */        \
  X(kAScale, "a_scale")    /* dot: scale codes of A's blocks; dequantize: the block's */ \
  X(kA, "a")               /* element codes of A, of the block; arith: first operand */  \
  X(kBScale, "b_scale")                                                                  \
  X(kB, "b")                                                                             \
  X(kC, "c")         /* dot: the addend; arith: the third operand */                     \
  X(kScale, "scale") /* block: scale code, the bits of sublevels above it */             \
  X(kCode, "code")   /* the codes of the answer */                                       \
  X(kFlags, "flags")
MX_POLICY(VectorField, MX_FIELD);

}  // namespace mx

namespace mx::golden {

using Field = VectorField;

inline constexpr std::size_t kFields = tokens<Field>().size();

/// A word of a device's answer that is no code of its field at all; it differs from every code.
/// Only fields of less than 8 bytes have such words.
inline constexpr std::uint64_t kNoCode = ~std::uint64_t{0};

/// Is the field part of the answer?
[[nodiscard]] constexpr bool is_result(Field field) { return field >= Field::kScale; }

/// Does it stand beside the data of a stream, and leave a device as it went in?
[[nodiscard]] constexpr bool is_passed_through(Field field) {
  return field == Field::kKeep || field == Field::kLast;
}

/// Does a record keep a random word for each lane?
enum class RandomWords : std::uint8_t { kAbsent, kPresent };

/// Do all records fill their lanes?
enum class Lengths : std::uint8_t { kFull, kVary };

/// Do records have the fields keep and last? Those of a run over streams do, those of files do not.
enum class Sideband : std::uint8_t { kAbsent, kPresent };

/// A field as it is stored: `lanes` words of `bytes` bytes (2 * bytes hex digits in text).
struct FieldShape {
  Field field = Field::kSource;
  int lanes = 1;
  int bytes = 1;
  bool operator==(const FieldShape&) const = default;
};

/// The fields of every record of a file, in order.
struct RecordShape {
  std::vector<FieldShape> fields;
  bool operator==(const RecordShape&) const = default;

  /// The shape of a field; nullptr where the records have none.
  [[nodiscard]] const FieldShape* find(Field field) const;
  [[nodiscard]] std::size_t operand_bytes() const;
  [[nodiscard]] std::size_t record_bytes() const;
};

/// Many records of one shape in flat arrays: record i owns words [i * lanes, (i + 1) * lanes) of
/// each field.
class RecordBatch {
 public:
  RecordBatch() = default;
  explicit RecordBatch(const RecordShape& shape, std::size_t count = 0);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  /// Makes room for `count` records; new ones are zero.
  void resize(std::size_t count);
  /// RecordBatch(shape, count) in the memory that is there.
  void reset(const RecordShape& shape, std::size_t count);

  [[nodiscard]] bool has(Field field) const { return column(field).lanes != 0; }
  [[nodiscard]] std::size_t lanes(Field field) const { return column(field).lanes; }
  /// The words of a field of record i; empty where the records have no such field.
  [[nodiscard]] std::span<const std::uint64_t> of(Field field, std::size_t i) const {
    return std::span(column(field).words).subspan(i * lanes(field), lanes(field));
  }
  [[nodiscard]] std::span<std::uint64_t> of(Field field, std::size_t i) {
    return std::span(column(field).words).subspan(i * lanes(field), lanes(field));
  }
  /// All words of a field.
  [[nodiscard]] std::span<const std::uint64_t> all(Field field) const {
    return column(field).words;
  }
  [[nodiscard]] std::span<std::uint64_t> all(Field field) { return column(field).words; }
  /// The one word of a field with one lane.
  [[nodiscard]] std::uint64_t word(Field field, std::size_t i) const { return of(field, i)[0]; }
  [[nodiscard]] std::uint64_t& word(Field field, std::size_t i) { return of(field, i)[0]; }

  /// The number of record i's configuration.
  [[nodiscard]] std::size_t config(std::size_t i) const {
    return has(Field::kConfig) ? static_cast<std::size_t>(word(Field::kConfig, i)) : 0;
  }
  /// How many lanes of `field` take part in record i.
  [[nodiscard]] std::size_t elements(Field field, std::size_t i) const {
    return has(Field::kElements) ? static_cast<std::size_t>(word(Field::kElements, i))
                                 : lanes(field);
  }

  /// Appends records [first, last) of a batch of the same shape.
  void append(const RecordBatch& other, std::size_t first, std::size_t last);
  bool operator==(const RecordBatch&) const = default;

 private:
  struct Column {
    std::size_t lanes = 0;
    std::vector<std::uint64_t> words;
    bool operator==(const Column&) const = default;
  };
  [[nodiscard]] const Column& column(Field field) const {
    return columns_[static_cast<std::size_t>(field)];
  }
  [[nodiscard]] Column& column(Field field) { return columns_[static_cast<std::size_t>(field)]; }

  std::array<Column, kFields> columns_;
  std::size_t size_ = 0;
};

}  // namespace mx::golden
