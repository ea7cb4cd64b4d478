// Beats of the output ports as answers.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/bench/feed.hpp"

namespace mx::bench {

class Collect {
 public:
  Collect(const Tables& tables, const Records& records) : tables_(tables) {
    for (const Part& part : tables.output.parts) {
      places_.push_back(place_of(records.results(), part.field).value_or(Place{}));
    }
  }

  /// Starts over at the first transaction that is not answered.
  void restart(std::span<Transaction> transactions) {
    transactions_ = transactions;
    beat_ = 0;
    value_ = 0;
    bits_ = 0;
    lane_ = 0;
    part_ = 0;
    if (done_ < transactions.size()) clear(transactions[done_]);
  }
  void begin(std::span<Transaction> transactions) {
    done_ = 0;
    restart(transactions);
  }

  /// Transactions answered.
  [[nodiscard]] std::size_t done() const { return done_; }
  /// Of the transaction that comes out; of packed sides its slot.
  [[nodiscard]] unsigned beat() const { return beat_; }
  [[nodiscard]] bool is_inside() const { return beat_ != 0; }
  [[nodiscard]] unsigned beats() const { return beats_of(transactions_[done_]); }

  /// A beat came out.
  void take(const Pins& pins) {
    Transaction& now = transactions_[done_];
    for (std::size_t i = 0; i < tables_.output.parts.size(); ++i) {
      take_part(tables_.output.parts[i], places_[i], now, pins[tables_.output.parts[i].port]);
    }
    if (++beat_ == beats_of(now)) end();
  }

  /// A slot of a packed side came out.
  void take_slot(std::uint64_t slot) {
    const Packed& packed = tables_.output.packed;
    Transaction& now = transactions_[done_];
    while (tables_.output.parts[part_].port != packed.port) ++part_;
    const Part& part = tables_.output.parts[part_];
    value_ |= slot << bits_;
    bits_ += packed.slot;
    ++beat_;
    if (bits_ < part.width) return;
    const auto word = word_at(part, places_[part_], lane_, now.answers.size());
    if (word) now.answers[word->record][word->at] = code_of(part, value_);
    value_ = 0;
    bits_ = 0;
    if (++lane_ < part.lanes) return;
    lane_ = 0;
    ++part_;
    while (part_ < tables_.output.parts.size() && tables_.output.parts[part_].port != packed.port) {
      ++part_;
    }
    if (part_ == tables_.output.parts.size()) end();
  }

 private:
  static void clear(Transaction& transaction) {
    for (Words& words : transaction.answers) words.assign(words.size(), 0);
  }

  void end() {
    ++done_;
    beat_ = 0;
    part_ = 0;
  }

  [[nodiscard]] unsigned beats_of(const Transaction& now) const {
    if (!tables_.ends_early) return tables_.output.beats;
    // Short blocks end early on this side as well.
    const unsigned lanes = (tables_.elements + tables_.output.beats - 1) / tables_.output.beats;
    return (now.elements + lanes - 1) / lanes;
  }

  static std::uint64_t code_of(const Part& part, std::uint64_t raw) {
    std::int64_t value = static_cast<std::int64_t>(raw);
    if (part.is_signed && part.width < 64 && (raw >> (part.width - 1) & 1) != 0) {
      value -= std::int64_t{1} << part.width;
    }
    if (part.offset == 0 && !part.is_signed) return raw;
    const std::int64_t code = value - part.offset;
    return code < 0 ? kNoCode : static_cast<std::uint64_t>(code);
  }

  void take_part(const Part& part, const Place& place, Transaction& now, const Bits& bits) {
    const bool is_last = beat_ + 1 == beats_of(now);
    for (unsigned lane = 0; lane < part.lanes; ++lane) {
      const unsigned index = part.has_lanes ? beat_ * part.lanes + lane : lane;
      const unsigned slot = part.has_high_first ? part.lanes - 1 - lane : lane;
      const std::uint64_t raw = get_bits(bits, part.at + slot * part.slot, part.width);
      switch (part.what) {
        case What::kKeep:
          if (raw != (index < now.elements ? low_mask(part.width) : 0)) {
            throw Complaint(port(part) + " marks lane " + std::to_string(index) +
                            " of a block of " + std::to_string(now.elements) + " wrongly");
          }
          break;
        case What::kLast:
          if ((raw != 0) != (is_last && now.last)) {
            throw Complaint(port(part) + " is " + std::to_string(raw) + " in beat " +
                            std::to_string(beat_) + " of " + std::to_string(beats_of(now)));
          }
          break;
        case What::kWords:
          take_word(part, place, now, index, raw, is_last);
          break;
        case What::kSelect:
        case What::kTie:
          break;
      }
    }
  }

  void take_word(const Part& part, const Place& place, Transaction& now, unsigned index,
                 std::uint64_t raw, bool is_last) const {
    const auto word = word_at(part, place, index, now.answers.size());
    if (!word) return;
    std::uint64_t& answer = now.answers[word->record][word->at];
    const std::uint64_t code = code_of(part, raw);
    if (part.has_lanes || part.beats == Beats::kLast) {
      if (part.has_lanes || is_last) answer = code;
    } else if (beat_ == 0) {
      answer = code;
    } else if (part.beats == Beats::kAll && answer != code) {
      // What should be the same in every beat and is not stands for nothing.
      answer = kNoCode;
    }
  }

  [[nodiscard]] std::string port(const Part& part) const {
    return std::string(tables_.names[part.port]);
  }

  const Tables& tables_;
  std::vector<Place> places_;
  std::span<Transaction> transactions_;
  std::size_t done_ = 0;
  unsigned beat_ = 0;
  std::uint64_t value_ = 0;  ///< of a packed word, so far
  unsigned bits_ = 0, lane_ = 0;
  std::size_t part_ = 0;
};

}  // namespace mx::bench
