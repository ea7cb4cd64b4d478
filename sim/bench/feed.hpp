// Transactions as beats on the input ports.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/bench/bits.hpp"
#include "sim/bench/transaction.hpp"
#include "sim/dut/noise.hpp"

namespace mx::bench {

/// What all ports show, by number.
using Pins = std::vector<Bits>;

inline void show_noise(Bits& bits, unsigned width, sim::Noise& noise) {
  for (std::uint32_t& word : bits) word = noise.next();
  if (width % 32 != 0) bits.back() &= static_cast<std::uint32_t>(low_mask(width % 32));
}

class Feed {
 public:
  Feed(const Tables& tables, const Records& records) : tables_(tables), records_(records) {
    for (const Part& part : tables.input.parts) {
      places_.push_back(place_of(records.operands(), part.field).value_or(Place{}));
    }
  }

  /// Starts over at a transaction; nothing of those before it is offered again.
  void restart(std::span<const Transaction> transactions, std::size_t first) {
    transactions_ = transactions;
    entered_ = first;
    beat_ = 0;
    slots_.clear();
    queued_ = first;
  }

  [[nodiscard]] bool has_more() const { return entered_ < transactions_.size(); }
  /// Transactions whose last beat was taken.
  [[nodiscard]] std::size_t entered() const { return entered_; }
  /// Those of which a beat was taken.
  [[nodiscard]] std::size_t started() const { return entered_ + (beat_ != 0 ? 1 : 0); }

  /// Of the transaction that enters; of packed sides its slot.
  [[nodiscard]] unsigned beat() const { return beat_; }

  /// What the beat shows; ports hold noise before.
  void show(Pins& pins) {
    const Packed& packed = tables_.input.packed;
    if (packed.port != kNoPort) {
      fill_slots();
      for (unsigned i = 0; i < packed.slots && i < slots_.size(); ++i) {
        set_bits(pins[packed.port], i * packed.slot, packed.slot, slots_[i]);
      }
    }
    const Transaction& now = transactions_[entered_];
    for (std::size_t i = 0; i < tables_.input.parts.size(); ++i) {
      const Part& part = tables_.input.parts[i];
      if (part.port != packed.port) fill(part, places_[i], now, pins[part.port]);
    }
  }

  /// The device took it.
  void take() {
    const Packed& packed = tables_.input.packed;
    if (packed.port == kNoPort) {
      if (++beat_ == transactions_[entered_].beats) {
        ++entered_;
        beat_ = 0;
      }
      return;
    }
    for (unsigned i = 0; i < packed.slots && !slots_.empty(); ++i) {
      slots_.erase(slots_.begin());
      if (++beat_ == slots_of_one()) {
        ++entered_;
        beat_ = 0;
      }
    }
  }

 private:
  void fill(const Part& part, const Place& place, const Transaction& now, Bits& bits) const {
    const bool is_first = beat_ == 0;
    const bool is_last = beat_ + 1 == now.beats;
    for (unsigned lane = 0; lane < part.lanes; ++lane) {
      const unsigned index = part.has_lanes ? beat_ * part.lanes + lane : lane;
      const unsigned slot = part.has_high_first ? part.lanes - 1 - lane : lane;
      const unsigned at = part.at + slot * part.slot;
      switch (part.what) {
        case What::kTie:
          set_bits(bits, at, part.slot, part.value);
          break;
        case What::kKeep:
          set_bits(bits, at, part.slot, index < now.elements ? low_mask(part.slot) : 0);
          break;
        case What::kLast:
          set_bits(bits, at, part.slot, is_last && now.last ? 1 : 0);
          break;
        case What::kSelect:
          set_bits(bits, at, part.slot, choice(part, now));
          break;
        case What::kWords: {
          const bool stands = part.beats == Beats::kAll ||
                              (part.beats == Beats::kFirst && is_first) ||
                              (part.beats == Beats::kLast && is_last);
          const bool is_kept = !part.has_lanes || index < now.elements;
          const auto word = word_at(part, place, index, now.operands.size());
          if (stands && is_kept && word) {
            set_bits(bits, at, part.slot, shown(part, now, *word));
          }
          break;
        }
      }
    }
  }

  [[nodiscard]] std::uint64_t choice(const Part& part, const Transaction& now) const {
    const std::string_view text = records_.told(now.config, part.field);
    for (const Choice& each : part.choices) {
      if (each.text == text) return each.value;
    }
    throw Complaint("port " + std::string(tables_.names[part.port]) + " has no value for " +
                    std::string(part.field) + " " + std::string(text));
  }

  [[nodiscard]] std::uint64_t shown(const Part& part, const Transaction& now, WordAt word) const {
    const std::uint64_t code = now.operands[word.record][word.at];
    const auto value = static_cast<std::int64_t>(code) + part.offset;
    const std::int64_t half = part.width >= 64 ? 0 : std::int64_t{1} << (part.width - 1);
    const bool fits = part.width >= 64 || (part.is_signed ? value >= -half && value < half
                                                          : value >= 0 && value < 2 * half);
    if (!fits) {
      throw Complaint("record " + std::to_string(now.first + word.record) + ": " +
                      std::string(part.field) + " " + std::to_string(code) +
                      " is no value of port " + std::string(tables_.names[part.port]) +
                      "; leave such records out (mxgold run --vectors)");
    }
    return static_cast<std::uint64_t>(value) & low_mask(part.width);
  }

  [[nodiscard]] std::size_t slots_of_one() const {
    std::size_t count = 0;
    for (const Part& part : tables_.input.parts) {
      if (part.port != tables_.input.packed.port) continue;
      count += std::size_t{part.lanes} * (part.width / tables_.input.packed.slot);
    }
    return count;
  }

  /// Slots of the next transactions, as many as a beat holds.
  void fill_slots() {
    const Packed& packed = tables_.input.packed;
    while (slots_.size() < packed.slots && queued_ < transactions_.size()) {
      const Transaction& next = transactions_[queued_++];
      sim::Noise noise(next.first);
      for (std::size_t i = 0; i < tables_.input.parts.size(); ++i) {
        const Part& part = tables_.input.parts[i];
        if (part.port != packed.port) continue;
        for (unsigned lane = 0; lane < part.lanes; ++lane) {
          const auto word = word_at(part, places_[i], lane, next.operands.size());
          std::uint64_t value =
              word ? shown(part, next, *word) : (noise.next() | std::uint64_t{noise.next()} << 32);
          for (unsigned done = 0; done < part.width; done += packed.slot) {
            slots_.push_back(value & low_mask(packed.slot));
            value = packed.slot >= 64 ? 0 : value >> packed.slot;
          }
        }
      }
    }
  }

  const Tables& tables_;
  const Records& records_;
  std::vector<Place> places_;
  std::span<const Transaction> transactions_;
  std::size_t entered_ = 0;
  unsigned beat_ = 0;  ///< of the transaction that enters; of packed sides its slot
  std::vector<std::uint64_t> slots_;
  std::size_t queued_ = 0;
};

}  // namespace mx::bench
