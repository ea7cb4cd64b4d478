// Operands that their configuration cannot have: the same rules for files, pipes and generators.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "golden/vectors/header.hpp"
#include "golden/vectors/record.hpp"

namespace mx::golden {

struct OperandProblem {
  std::size_t record = 0;  ///< in the batch
  std::string what;        ///< "field source[3]: 1ff has bits beyond the 8 of e4m3fn"
};

/// Refuses numbers of configurations that there are not, tuser words that are not the
/// configuration's, codes and scales with bits above their format's, random words of more than N
/// bits, lengths that do not fit, and lanes beyond the length that are not zero.
class OperandCheck {
 public:
  explicit OperandCheck(const VectorHeader& header);

  /// The first problem among records [first, first + n) of a batch of the header's shape.
  [[nodiscard]] std::optional<OperandProblem> find(const RecordBatch& batch, std::size_t first,
                                                   std::size_t n) const;

  /// The bits that words of an operand have under every configuration; nothing where the records do
  /// not have it, or say its words themselves.
  [[nodiscard]] std::optional<std::uint64_t> mask_of(Field field) const;

 private:
  /// The bits a field may have, and of what they are.
  struct Limit {
    Field field = Field::kSource;
    int bits = 64;
    std::string of;
    std::size_t group = 1;  ///< elements that one word stands for
  };
  [[nodiscard]] std::vector<Limit> limits_of(const Configuration& configuration) const;
  /// True where a look at whole columns is enough to say that the records have no problem.
  [[nodiscard]] bool is_plainly_right(const RecordBatch& batch, std::size_t first,
                                      std::size_t n) const;
  [[nodiscard]] std::string problem(const RecordBatch& batch, std::size_t i) const;
  [[nodiscard]] static std::string wide_word(const RecordBatch& batch, std::size_t i,
                                             const Limit& limit);

  std::vector<std::vector<Limit>> limits_;  ///< by configuration
  std::vector<std::size_t> groups_;         ///< of which records have a multiple, by configuration
  std::vector<std::uint32_t> config_words_;
  std::size_t open_bits_ = 0;
  bool has_random_ = false;
  int random_bits_ = 1;
};

}  // namespace mx::golden
