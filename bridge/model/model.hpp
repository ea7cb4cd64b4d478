// A model of one configuration that answers one record at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "golden/answers/answers.hpp"
#include "golden/vectors/header.hpp"
#include "golden/vectors/operand_check.hpp"
#include "reference/policy/checked.hpp"

namespace mx::bridge {

/// Records of one configuration, answered by the reference. One model serves one thread.
class Model {
 public:
  /// The model of a shorthand (golden/configuration/shorthand.hpp).
  [[nodiscard]] static Checked<std::unique_ptr<Model>> open(std::string_view text);
  /// The model of a configuration word; `text`: block_size, random_bits and stochastic.
  [[nodiscard]] static Checked<std::unique_ptr<Model>> open_word(std::uint32_t tuser,
                                                                 std::string_view text);

  [[nodiscard]] const golden::Configuration& configuration() const { return header_.configs[0]; }
  [[nodiscard]] const golden::VectorHeader& header() const { return header_; }
  [[nodiscard]] const std::string& text() const { return text_; }

  /// Lanes of a record; "" or why the configuration has no such records.
  [[nodiscard]] std::string set_lanes(int lanes);

  /// How many lanes of the next record take part, 0 for all; "" or why it cannot have so many.
  [[nodiscard]] std::string set_elements(std::size_t elements);
  /// The words of an operand that those lanes fill; what follows them is set to 0 by answer().
  [[nodiscard]] std::size_t used_words(golden::Field field) const;

  /// The record that is asked: operands to be filled in, results filled by answer().
  [[nodiscard]] golden::RecordBatch& record() { return record_; }
  [[nodiscard]] const golden::RecordBatch& record() const { return record_; }
  /// "" or what is wrong with an operand; then the results are what they were.
  [[nodiscard]] std::string answer();
  /// What of the last answer is not compared.
  [[nodiscard]] golden::OpenAnswer open_answer() const { return answerer_->open(record_, 0); }
  /// Are the operands of the record answered, and was none refused?
  [[nodiscard]] bool is_answered() const { return is_answered_; }
  /// The flags of the last answer, a block, as its first elements alone leave them. Requires
  /// is_answered().
  [[nodiscard]] std::uint64_t flags_so_far(std::size_t lanes) const;

 private:
  explicit Model(std::shared_ptr<FormatCatalog> catalog, const golden::Configuration& what);
  [[nodiscard]] static Checked<std::unique_ptr<Model>> make(std::shared_ptr<FormatCatalog> catalog,
                                                            const golden::Configuration& what);
  void prepare();

  golden::VectorHeader header_;
  std::string text_;
  std::optional<golden::OperandCheck> check_;
  std::optional<golden::ReferenceAnswerer> answerer_;
  golden::RecordBatch record_;
  std::size_t elements_ = 0;
  bool is_answered_ = false;
};

/// Bits of the words of a field of a configuration's records; 0 where they have none.
[[nodiscard]] int field_bits(const golden::Configuration& configuration, golden::Field field);

}  // namespace mx::bridge
