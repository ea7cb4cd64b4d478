#include "golden/answers/waiver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include "golden/bytes/number_text.hpp"
#include "golden/configuration/text.hpp"

namespace mx::golden {
namespace {

constexpr std::array kResults = {Field::kScale, Field::kCode, Field::kFlags};

/// Calls `word(field)` for every word of record i that is compared and differs.
template <typename Word>
void for_each_difference(const RecordBatch& expected, const RecordBatch& actual, std::size_t i,
                         const OpenAnswer& open, Word word) {
  for (const Field field : kResults) {
    const auto right = expected.of(field, i);
    const auto given = actual.of(field, i);
    for (std::size_t lane = 0; lane < right.size(); ++lane) {
      if (right[lane] == given[lane] || !is_compared(expected, open, field, lane)) continue;
      word(field);
    }
  }
}

/// Does a configuration have every field that the waiver names, with its value?
bool fits(const Waiver& waiver, const ConfigurationFields& fields) {
  return std::ranges::all_of(waiver.configuration, [&](const auto& wanted) {
    return std::ranges::find(fields, wanted) != fields.end();
  });
}

}  // namespace

Waivers::Waivers(std::vector<Waiver> waivers, Operation op,
                 std::span<const Configuration> configurations, std::string_view today) {
  std::vector<ConfigurationFields> fields;
  std::set<std::string, std::less<>> known;
  for (const Configuration& each : configurations) {
    fields.push_back(fields_of(each));
    for (const auto& [name, value] : fields.back()) known.insert(name);
  }
  for (Waiver& waiver : waivers) {
    if (waiver.op != op) continue;
    for (const auto& [name, value] : waiver.configuration) {
      if (known.contains(name) || !problem_.empty()) continue;
      problem_ = fmt::format("waiver {}: configurations of {} have no field '{}'", waiver.id,
                             token_of(op), name);
    }
    std::vector<bool>& row = fits_.emplace_back();
    for (const ConfigurationFields& each : fields) row.push_back(fits(waiver, each));
    const bool is_expired = waiver.expires < today;
    uses_.push_back({.waiver = std::move(waiver), .is_expired = is_expired});
  }
}

Waivers Waivers::of_others(std::span<const Configuration> configurations) const {
  Waivers others;
  for (const WaiverUse& use : uses_) {
    if (!use.waiver.vectors.empty()) continue;
    std::vector<bool>& row = others.fits_.emplace_back();
    for (const Configuration& each : configurations) {
      row.push_back(fits(use.waiver, fields_of(each)));
    }
    others.uses_.push_back({.waiver = use.waiver, .is_expired = use.is_expired});
  }
  return others;
}

std::size_t Waivers::waiver_of(std::size_t config, std::uint64_t number, Field field,
                               const FlagPair& flags) const {
  for (std::size_t w = 0; w < uses_.size(); ++w) {
    const Waiver& waiver = uses_[w].waiver;
    if (uses_[w].is_expired || !fits_[w][config]) continue;
    const bool has_field =
        waiver.fields.empty() || std::ranges::find(waiver.fields, field) != waiver.fields.end();
    const bool has_number =
        waiver.vectors.empty() || std::ranges::any_of(waiver.vectors, [&](const auto& range) {
          return range.first <= number && number <= range.second;
        });
    const bool has_flags = (flags.right & waiver.expected_flags) == waiver.expected_flags;
    const bool is_other_bit = field == Field::kFlags && waiver.flag_bits != 0 &&
                              ((flags.right ^ flags.given) & ~waiver.flag_bits) != 0;
    if (has_field && has_number && has_flags && !is_other_bit) return w;
  }
  return uses_.size();
}

std::size_t Waivers::waiver_of(const RecordBatch& expected, const RecordBatch& actual,
                               std::size_t i, std::uint64_t number, Field field) const {
  FlagPair flags;
  if (expected.has(Field::kFlags)) {
    flags = {expected.word(Field::kFlags, i), actual.word(Field::kFlags, i)};
  }
  return waiver_of(expected.config(i), number, field, flags);
}

void Waivers::add_use(std::size_t waiver, std::uint64_t words, std::uint64_t records) {
  uses_[waiver].words += words;
  uses_[waiver].records += records;
}

bool Waivers::covers(const RecordBatch& expected, const RecordBatch& actual, std::size_t i,
                     const OpenAnswer& open, std::uint64_t number) const {
  bool all = true;
  for_each_difference(expected, actual, i, open, [&](Field field) {
    all = all && waiver_of(expected, actual, i, number, field) != uses_.size();
  });
  return all;
}

bool Waivers::waive(const RecordBatch& expected, const RecordBatch& actual, std::size_t i,
                    const OpenAnswer& open, std::uint64_t number, Verdict& verdict) {
  if (uses_.empty()) return false;
  std::set<std::size_t> used;
  std::uint64_t waived = 0;
  bool all = true;
  for_each_difference(expected, actual, i, open, [&](Field field) {
    const std::size_t w = waiver_of(expected, actual, i, number, field);
    all = all && w != uses_.size();
    if (w == uses_.size()) return;
    add_use(w, 1, used.insert(w).second ? 1 : 0);
    ++waived;
  });
  verdict.words -= waived;
  verdict.waived += waived;
  if (waived != 0 && verdict.words == 0) verdict.unjudged = 1;
  if (all) verdict.mismatches = 0;
  return all;
}

bool Waivers::has_expired() const { return std::ranges::any_of(uses_, &WaiverUse::is_expired); }

std::string Waivers::headline(const Verdict& verdict) const {
  const std::string headline = verdict.headline();
  if (!verdict.passed() || !has_expired()) return headline;
  return "FAIL expired waivers," + headline.substr(headline.find(' '));
}

std::string Waivers::text() const {
  std::string text;
  for (const WaiverUse& use : uses_) {
    const auto out = std::back_inserter(text);
    if (use.is_expired) {
      fmt::format_to(out, "  EXPIRED waiver {} on {}: {}\n", use.waiver.id, use.waiver.expires,
                     use.waiver.reason);
    } else if (use.words == 0) {
      fmt::format_to(out, "  note: waiver {} was never used: {}\n", use.waiver.id,
                     use.waiver.reason);
    } else {
      fmt::format_to(out, "  waiver {}: {} words of {} records: {}\n", use.waiver.id,
                     with_commas(use.words), with_commas(use.records), use.waiver.reason);
    }
  }
  return text;
}

}  // namespace mx::golden
