// A model as a bench in a hardware language has it: operands and answers as packed vectors, errors
// as texts that stay with the handle.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bridge/bus/bits.hpp"
#include "bridge/bus/preset.hpp"
#include "bridge/model/model.hpp"

namespace mx::bridge {

/// One model, the record that it was asked last, and what went wrong last. Every function that can
/// fail returns false and leaves the reason in error(); one that does not clears it. Serves one
/// thread.
class Handle {
 public:
  /// Never nullptr: a handle whose text is none is not open, and says why.
  [[nodiscard]] static std::unique_ptr<Handle> open(std::string_view text);
  /// The model of a configuration word; `text` as mxgold_model_open_word() has it.
  [[nodiscard]] static std::unique_ptr<Handle> open_word(std::uint32_t tuser,
                                                         std::string_view text);

  /// A handle that is not open, for the reason.
  [[nodiscard]] static std::unique_ptr<Handle> refused(std::string why);

  [[nodiscard]] bool is_open() const { return model_ != nullptr; }
  [[nodiscard]] const std::string& error() const { return error_; }
  /// A text that opens the same handle.
  [[nodiscard]] const std::string& text() const { return text_; }
  /// The model. Requires is_open().
  [[nodiscard]] const Model& model() const { return *model_; }

  bool get_config_word(std::uint32_t& word);
  bool set_lanes(int lanes);
  /// Bits from one word of a field to the next on packed vectors; a new handle has the storage
  /// width of vector files: 8 for codes of up to 8 bits, 16, 32, 64.
  bool set_lane_bits(golden::Field field, int bits);
  [[nodiscard]] int lane_bits(golden::Field field) const {
    return lane_bits_[static_cast<std::size_t>(field)];
  }
  /// Words of a field, and significant bits of each; 0 where the records have no such field.
  [[nodiscard]] std::size_t words(golden::Field field) const;
  [[nodiscard]] int bits(golden::Field field) const;

  // -- one record: start(), the operands, answer(), the results --

  /// Begins a record of so many elements, 0 for all. Fails for a model of another operation; a call
  /// of dot takes models of mma, too.
  bool start(golden::Operation operation, std::uint32_t elements);
  /// The same of whatever operation the model has.
  bool start(std::uint32_t elements);
  /// Refuses the record that was started where the lowest X or Z of an operand, `bit` (below 0:
  /// none), lies in what the record reads of it.
  bool known(golden::Field field, int bit);
  /// A field that the records do not have is left out.
  bool put(golden::Field field, BusIn bus);
  bool put_word(golden::Field field, std::uint64_t word);
  bool answer();
  /// Did the last record get an answer?
  [[nodiscard]] bool has_answer() const { return has_answer_; }
  /// Writes a field of the answer and clears the bits above it.
  bool get(golden::Field field, BusOut bus);
  [[nodiscard]] std::uint64_t word(golden::Field field) const;
  /// Ones where the answer is open, so that it must not be compared. Fails without an answer.
  bool get_open(golden::Field field, BusOut bus);
  /// Is a word of the answer settled but for which NaN, or which zero, it is?
  [[nodiscard]] bool is_alike(golden::Field field, std::size_t word) const;
  /// The bits of a word of the answer that are open: of a zero whose sign no source settles the
  /// sign, of a NaN all but the exponent.
  [[nodiscard]] std::uint64_t open_bits(golden::Field field, std::size_t word) const;

  /// Operands and results of the record as golden::RecordBatch holds them. Requires is_open().
  [[nodiscard]] std::span<const std::uint64_t> of(golden::Field field) const;
  [[nodiscard]] std::span<std::uint64_t> operand(golden::Field field);

  /// A line of operands as `mxgold run` writes it to a device on a pipe, answered with the line of
  /// results: docs/pipe-protocol.md.
  bool answer_line(std::string_view line, std::string& results);
  /// The operands of the last record as such a line. Requires is_open().
  [[nodiscard]] std::string operand_line() const;

  /// What is said of a record elsewhere: keeps a reason, returns false.
  bool refuse(std::string why);
  /// The same of the record itself, which then has no answer.
  bool refuse_record(std::string why);
  bool accept();

 private:
  Handle() = default;
  static std::unique_ptr<Handle> closed();
  static std::unique_ptr<Handle> made(Checked<std::unique_ptr<Model>> model, const Preset& preset);
  bool has_room(golden::Field field, std::size_t words, std::size_t bus_words);
  bool keep_answer();

  std::unique_ptr<Model> model_;
  Preset preset_;
  std::string text_;
  std::string error_;
  std::array<int, golden::kFields> lane_bits_{};
  std::array<int, golden::kFields> bits_{};
  golden::OpenAnswer open_;
  bool has_answer_ = false;
  std::uint64_t open_flags_ = 0;  ///< bits that the preset leaves open
};

/// The field of a name ("code"); false for what is none of operands and results.
[[nodiscard]] bool find_field(std::string_view name, golden::Field& field);

}  // namespace mx::bridge
