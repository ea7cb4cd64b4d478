// Records as a device takes them: one or several in a transaction, whose words stand in lanes and
// beats.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/bench/records.hpp"
#include "sim/bench/tables.hpp"

namespace mx::bench {

struct Transaction {
  std::uint64_t first = 0;      ///< number of the first record
  std::vector<Words> operands;  ///< by record
  std::vector<Words> answers;   ///< by record
  std::size_t config = 0;
  unsigned elements = 0;  ///< lanes that take part
  unsigned beats = 1;     ///< of the input
  bool last = true;       ///< `last` in the last beat
};

/// Where the words of a field stand among those of a record.
struct Place {
  std::size_t at = 0, words = 0;
};

inline std::optional<Place> place_of(const std::vector<Field>& fields, std::string_view name) {
  std::size_t at = 0;
  for (const Field& field : fields) {
    if (field.name == name) return Place{at, field.words};
    at += field.words;
  }
  return std::nullopt;
}

/// A word of a transaction: its record, and where it stands in it.
struct WordAt {
  std::size_t record = 0, at = 0;
};

/// Word `i` of a field over all records that share a transaction; nothing beyond them.
inline std::optional<WordAt> word_at(const Part& part, const Place& place, std::size_t i,
                                     std::size_t records) {
  if (place.words == 0) return std::nullopt;  // these records have no such field
  if (part.is_shared) return WordAt{0, place.at};
  const std::size_t record = i / place.words;
  if (record >= records) return std::nullopt;
  return WordAt{record, place.at + i % place.words};
}

/// Makes transactions of the records of a run.
class Grouping {
 public:
  Grouping(const Tables& tables, Records& records) : tables_(tables), records_(records) {
    const std::optional<Place> elements = place_of(records.operands(), "elements");
    if (elements) elements_ = elements->at;
    const std::optional<Place> config = place_of(records.operands(), "config");
    if (config) config_ = config->at;
    for (const Side* side : {&tables.input, &tables.output}) {
      for (const Part& part : side->parts) {
        const std::optional<Place> place = place_of(records.operands(), part.field);
        if (part.is_shared && place) shared_.push_back(place->at);
      }
    }
    for (const Field& field : records.results()) result_words_ += field.words;
  }

  /// The next one; nothing after the last record.
  std::optional<Transaction> next() {
    Transaction made;
    made.first = taken_;
    while (made.operands.size() < tables_.records && look()) {
      if (!made.operands.empty() && !is_alike(made.operands.front())) break;
      made.operands.push_back(std::move(*ahead_));
      ahead_.reset();
      ++taken_;
    }
    if (made.operands.empty()) return std::nullopt;
    made.answers.assign(made.operands.size(), Words(result_words_, 0));
    if (config_) made.config = static_cast<std::size_t>(made.operands.front()[*config_]);
    made.elements =
        elements_ ? static_cast<unsigned>(made.operands.front()[*elements_]) : tables_.elements;
    made.beats = tables_.ends_early ? (made.elements + tables_.lanes - 1) / tables_.lanes
                                    : tables_.input.beats;
    return made;
  }

 private:
  bool look() {
    if (!ahead_ && read_ < records_.count()) {
      ahead_ = records_.next();
      ++read_;
    }
    return ahead_.has_value();
  }

  [[nodiscard]] bool is_alike(const Words& first) const {
    if (config_ && first[*config_] != (*ahead_)[*config_]) return false;
    for (const std::size_t at : shared_) {
      if (first[at] != (*ahead_)[at]) return false;
    }
    return true;
  }

  const Tables& tables_;
  Records& records_;
  std::optional<std::size_t> elements_, config_;
  std::vector<std::size_t> shared_;
  std::size_t result_words_ = 0;
  std::uint64_t read_ = 0, taken_ = 0;
  std::optional<Words> ahead_;
};

}  // namespace mx::bench
