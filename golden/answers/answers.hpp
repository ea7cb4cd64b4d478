// Answers: what the reference, one rounding at a time, says a batch of operands becomes, and which
// of its words a comparison may look at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "golden/answers/observed.hpp"
#include "golden/vectors/header.hpp"
#include "golden/vectors/record.hpp"

namespace mx::golden {

/// What of one record's answer is not compared.
struct OpenAnswer {
  /// Codes under a NaN scale that the policy declares don't-care.
  bool dont_care = false;
  // What the profile leaves open:
  bool scale = false;
  bool flags = false;
  bool codes = false;       ///< every code
  std::vector<bool> lanes;  ///< single codes; empty for none
  // Lanes that take no part have code 0, which is compared whatever else is left open:
  std::size_t elements = ~std::size_t{0};  ///< the first lane that takes no part
  std::uint64_t keep = ~std::uint64_t{0};  ///< bit i: lane i takes part
  /// Where open codes are settled but for which NaN, or which zero, they are: the format in which
  /// a code has to be of the class that is expected. Nothing where they may be anything.
  std::optional<ElementFormat> alike{};
  /// What the device gives at all.
  Observed observed{};

  [[nodiscard]] bool code(std::size_t lane) const {
    return dont_care || codes || (lane < lanes.size() && lanes[lane]);
  }
  [[nodiscard]] bool keeps(std::size_t lane) const { return lane >= 64 || (keep >> lane & 1) != 0; }
  [[nodiscard]] bool takes_part(std::size_t lane) const { return lane < elements && keeps(lane); }
  /// Does the profile leave anything open?
  [[nodiscard]] bool by_profile() const;
  bool operator==(const OpenAnswer&) const = default;
};

/// The field `open` of a record: bit 0 flags, bit 1 scale, bit 2 + i code i, eight to a word.
void store_open(const OpenAnswer& open, std::span<std::uint64_t> words);

/// Answers the operands of one file. Whoever computes is one; an oracle that shares no code with
/// the reference is another. One Answerer serves one thread.
class Answerer {
 public:
  Answerer() = default;
  Answerer(const Answerer&) = delete;
  Answerer& operator=(const Answerer&) = delete;
  virtual ~Answerer() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  /// Replaces the results of records [first, last). Lanes beyond a record's elements become 0. May
  /// throw std::invalid_argument where it cannot compute a configuration.
  virtual void answer(RecordBatch& batch, std::size_t first, std::size_t last) = 0;
};

/// The reference: Conversion, Quantizer, DotProduct, Arithmetic, UnitDot, an element at a time.
class ReferenceAnswerer : public Answerer {
 public:
  /// The header must have no problem().
  explicit ReferenceAnswerer(const VectorHeader& header);
  ~ReferenceAnswerer() override;

  [[nodiscard]] std::string_view name() const override { return "mx::reference"; }
  void answer(RecordBatch& batch, std::size_t first, std::size_t last) override;
  /// Can there be a record of which open() says anything but that every word is compared?
  [[nodiscard]] bool may_be_open() const;
  /// What of the answer to record i, which answer() filled, is not compared.
  [[nodiscard]] OpenAnswer open(const RecordBatch& batch, std::size_t i) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Makes an answerer for a file; called once for each thread.
using AnswererFactory = std::function<std::unique_ptr<Answerer>(const VectorHeader&)>;

[[nodiscard]] AnswererFactory reference_answerer();

/// Calls `work` for pieces [first, last) of [0, count), from as many threads as it likes.
using ForEachPiece = std::function<void(
    std::size_t count, const std::function<void(std::size_t first, std::size_t last)>& work)>;

/// Puts 0 in place of the words of lanes that are not kept. Bit i of `keep`: lane i is; of at most
/// 64 lanes.
void clear_lanes_not_kept(std::span<std::uint64_t> words, std::uint64_t keep);

/// Fills the field tuser where the records have one.
void fill_config_words(const VectorHeader& header, RecordBatch& batch);

/// Fills the field `open` where the records have one: what a comparison with the answers that
/// stand in the batch skips.
void fill_open(const ReferenceAnswerer& reference, RecordBatch& batch);

}  // namespace mx::golden
