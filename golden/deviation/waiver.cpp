#include "golden/deviation/waiver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>

#include "golden/bytes/number_text.hpp"
#include "golden/configuration/result_format.hpp"
#include "golden/configuration/text.hpp"

namespace mx::golden {
namespace {

constexpr std::array kResults = {Field::kScale, Field::kCode, Field::kFlags};

/// Calls `word(field, lane)` for every word of an answer that is compared and differs.
template <typename Word>
void for_each_difference(const AnswerAt& at, Word word) {
  for (const Field field : kResults) {
    const auto right = at.expected.of(field, at.i);
    const auto given = at.actual.of(field, at.i);
    for (std::size_t lane = 0; lane < right.size(); ++lane) {
      if (is_wrong(at.open, field, lane, right[lane], given[lane])) word(field, lane);
    }
  }
}

void mark_open(OpenAnswer& open, Field field, std::size_t lane) {
  open.scale = open.scale || field == Field::kScale;
  open.flags = open.flags || field == Field::kFlags;
  if (field != Field::kCode) return;
  open.lanes.resize(std::max(open.lanes.size(), lane + 1));
  open.lanes[lane] = true;
}

/// May a waiver take the word? The code of a lane that is not kept is none: it has to be 0.
bool is_waivable(const AnswerAt& at, Field field, std::size_t lane) {
  return field != Field::kCode || at.open.keeps(lane);
}

/// Does a waiver take words whatever they are?
bool covers_without_cause(const Waiver& waiver) { return waiver.as.empty(); }

/// Does a configuration have every field that the waiver names, with its value?
bool fits(const Waiver& waiver, const ConfigurationFields& fields) {
  return std::ranges::all_of(waiver.configuration, [&](const auto& wanted) {
    return std::ranges::find(fields, wanted) != fields.end();
  });
}

/// The bits that codes of a result field can have under some configuration of the run.
std::uint64_t bits_of(const VectorHeader& header, Field field) {
  constexpr std::uint64_t kOfBlocks = 0x3F;  // docs/vector-fields.md
  constexpr std::uint64_t kOfValues = 0x7F;
  if (field == Field::kFlags) return header.op == Operation::kBlock ? kOfBlocks : kOfValues;
  const RecordShape shape = header.shape();
  const FieldShape* const stored = shape.find(field);
  int bits = stored == nullptr ? 64 : 8 * stored->bytes;
  if (header.op != Operation::kCast) {
    int widest = 0;
    for (const Configuration& each : header.configs) {
      const auto* const blocks = std::get_if<QuantizerConfig>(&each.what);
      const ElementFormat* const code = result_format(each);
      if (field == Field::kScale && blocks != nullptr) {
        widest = std::max(widest, blocks->format.scale_bits());
      } else if (field == Field::kCode && code != nullptr) {
        widest = std::max(widest, code->bits);
      }
    }
    if (widest != 0) bits = widest;
  }
  return ~std::uint64_t{0} >> (64 - bits);
}

/// "" or which of a waiver's codes and bits no answer of the run can have.
std::string width_problem(const Waiver& waiver, const VectorHeader& header) {
  const auto refuse = [&](std::string_view member, std::uint64_t code, Field field) {
    const std::uint64_t most = bits_of(header, field);
    return (code & ~most) == 0
               ? std::string()
               : fmt::format("waiver {}: {} {:x}: beyond the bits of {}, which are {:x} at most",
                             waiver.id, member, code, token_of(field), most);
  };
  std::vector<std::string> problems = {
      refuse("expected_flags", waiver.expected_flags, Field::kFlags),
      refuse("flag_bits", waiver.flag_bits, Field::kFlags)};
  if (waiver.where.expected_scale) {
    problems.push_back(
        refuse("where.expected_scale", waiver.where.expected_scale->second, Field::kScale));
  }
  for (const Deviation& deviation : waiver.as) {
    const bool is_scale = deviation.field == "scale_codes";
    const bool is_flags = deviation.field == "flags_missing" || deviation.field == "flags_set";
    if (!is_scale && !is_flags && deviation.field != "codes") continue;
    for (const std::string& digits : {deviation.from, deviation.to}) {
      problems.push_back(refuse("as." + deviation.field, parse_hex(digits).value_or(0),
                                is_scale   ? Field::kScale
                                : is_flags ? Field::kFlags
                                           : Field::kCode));
    }
  }
  const auto found = std::ranges::find_if(problems, [](const auto& each) { return !each.empty(); });
  return found == problems.end() ? std::string() : *found;
}

}  // namespace

Waivers::Waivers(std::vector<Waiver> waivers, const VectorHeader& header, std::string_view today,
                 WaiverJudgeMaker make_judge)
    : header_(std::make_shared<VectorHeader>(header)), make_judge_(std::move(make_judge)) {
  std::vector<ConfigurationFields> fields;
  std::set<std::string, std::less<>> known;
  for (const Configuration& each : header.configs) {
    fields.push_back(fields_of(each));
    for (const auto& [name, value] : fields.back()) known.insert(name);
  }
  for (Waiver& waiver : waivers) {
    if (waiver.op != header.op) continue;
    for (const auto& [name, value] : waiver.configuration) {
      if (known.contains(name) || !problem_.empty()) continue;
      problem_ = fmt::format("waiver {}: configurations of {} have no field '{}'", waiver.id,
                             token_of(header.op), name);
    }
    if (problem_.empty()) problem_ = width_problem(waiver, header);
    std::vector<bool>& row = fits_.emplace_back();
    for (const ConfigurationFields& each : fields) row.push_back(fits(waiver, each));
    const bool is_expired = waiver.expires < today;
    has_causes_ = has_causes_ || (!waiver.as.empty() && !is_expired);
    uses_.push_back({.waiver = std::move(waiver), .is_expired = is_expired});
  }
}

Waivers::Waivers(const Waivers& other)
    : uses_(other.uses_),
      fits_(other.fits_),
      has_causes_(other.has_causes_),
      problem_(other.problem_),
      header_(other.header_),
      make_judge_(other.make_judge_) {}

Waivers& Waivers::operator=(const Waivers& other) { return *this = Waivers(other); }

Waivers Waivers::of_others(const VectorHeader& header) const {
  Waivers others;
  others.header_ = std::make_shared<VectorHeader>(header);
  others.make_judge_ = make_judge_;
  for (const WaiverUse& use : uses_) {
    if (!use.waiver.vectors.empty()) continue;
    std::vector<bool>& row = others.fits_.emplace_back();
    for (const Configuration& each : header.configs) {
      row.push_back(fits(use.waiver, fields_of(each)));
    }
    others.has_causes_ = others.has_causes_ || (!use.waiver.as.empty() && !use.is_expired);
    others.uses_.push_back({.waiver = use.waiver, .is_expired = use.is_expired});
  }
  return others;
}

WaiverJudge& Waivers::judge() {
  if (!judge_) {
    std::vector<Waiver> waivers;
    for (const WaiverUse& use : uses_) waivers.push_back(use.waiver);
    judge_ = make_judge_(*header_, waivers);
  }
  return *judge_;
}

bool Waivers::names_record(std::size_t w, std::size_t config, std::uint64_t number) const {
  if (uses_[w].is_expired || !fits_[w][config]) return false;
  const auto& vectors = uses_[w].waiver.vectors;
  return vectors.empty() || std::ranges::any_of(vectors, [&](const auto& range) {
           return range.first <= number && number <= range.second;
         });
}

// Everything but the cause.
bool Waivers::concerns(std::size_t w, const AnswerAt& at) {
  const Waiver& waiver = uses_[w].waiver;
  if (!names_record(w, at.expected.config(at.i), at.number)) return false;
  const std::uint64_t flags =
      at.expected.has(Field::kFlags) ? at.expected.word(Field::kFlags, at.i) : 0;
  if ((flags & waiver.expected_flags) != waiver.expected_flags) return false;
  return waiver.where.is_empty() || judge().has_input(w, at);
}

std::vector<std::size_t> Waivers::fitting(const AnswerAt& at) {
  std::vector<std::size_t> list;
  for (std::size_t w = 0; w < uses_.size(); ++w) {
    if (!concerns(w, at)) continue;
    if (uses_[w].waiver.as.empty() || judge().is_cause(w, at)) list.push_back(w);
  }
  return list;
}

std::size_t Waivers::waiver_of(std::span<const std::size_t> fitting, const AnswerAt& at,
                               Field field) const {
  const auto covers_word = [&](std::size_t w) {
    const Waiver& waiver = uses_[w].waiver;
    const bool has_field =
        waiver.fields.empty() || std::ranges::find(waiver.fields, field) != waiver.fields.end();
    if (field != Field::kFlags || waiver.flag_bits == 0) return has_field;
    const std::uint64_t differ = at.expected.word(field, at.i) ^ at.actual.word(field, at.i);
    return has_field && (differ & ~waiver.flag_bits) == 0;
  };
  const auto found = std::ranges::find_if(fitting, covers_word);
  return found == fitting.end() ? uses_.size() : *found;
}

void Waivers::add_use(const WaiverUse& use, std::size_t waiver) {
  WaiverUse& own = uses_[waiver];
  const bool is_earlier = own.against == 0 || use.first_against < own.first_against;
  if (use.against != 0 && is_earlier) own.first_against = use.first_against;
  own.words += use.words;
  own.records += use.records;
  own.right += use.right;
  own.against += use.against;
}

bool Waivers::covers(const AnswerAt& at) {
  if (uses_.empty()) return false;
  const std::vector<std::size_t> list = fitting(at);
  bool all = passes_through(at.expected, at.actual, at.i, at.open.observed);
  for_each_difference(at, [&](Field field, std::size_t lane) {
    all = all && is_waivable(at, field, lane) && waiver_of(list, at, field) != uses_.size();
  });
  return all;
}

bool Waivers::waive(const AnswerAt& at, Verdict& verdict, OpenAnswer& rest) {
  if (uses_.empty()) return false;
  const std::vector<std::size_t> list = fitting(at);
  std::set<std::size_t> used;
  std::uint64_t waived = 0, codes = 0;
  bool all = passes_through(at.expected, at.actual, at.i, at.open.observed);
  for_each_difference(at, [&](Field field, std::size_t lane) {
    const std::size_t w = is_waivable(at, field, lane) ? waiver_of(list, at, field) : uses_.size();
    all = all && w != uses_.size();
    if (w == uses_.size()) return;
    ++uses_[w].words;
    if (used.insert(w).second) ++uses_[w].records;
    ++waived;
    codes += field == Field::kCode ? 1 : 0;
    mark_open(rest, field, lane);
  });
  verdict.words -= waived;
  verdict.waived += waived;
  verdict.codes.compared -= codes;
  verdict.codes.waived += codes;
  verdict.bad_elements -= codes;
  if (waived != 0 && verdict.words == 0) verdict.unjudged = 1;
  if (all) verdict.mismatches = 0;
  return all;
}

bool Waivers::may_cover_whole(std::size_t config, std::uint64_t number) const {
  for (std::size_t w = 0; w < uses_.size(); ++w) {
    if (covers_without_cause(uses_[w].waiver) && names_record(w, config, number)) return true;
  }
  return false;
}

bool Waivers::covers_whole(const AnswerAt& at) {
  if (!may_cover_whole(at.expected.config(at.i), at.number)) return false;
  std::vector<const Waiver*> list;
  for (std::size_t w = 0; w < uses_.size(); ++w) {
    const Waiver& waiver = uses_[w].waiver;
    if (covers_without_cause(waiver) && concerns(w, at)) list.push_back(&waiver);
  }
  const auto covers = [&](Field field) {
    return std::ranges::any_of(list, [&](const Waiver* waiver) {
      const auto& fields = waiver->fields;
      const bool has_field = fields.empty() || std::ranges::find(fields, field) != fields.end();
      return has_field && (field != Field::kFlags || waiver->flag_bits == 0);
    });
  };
  return std::ranges::all_of(kResults, [&](Field field) {
    if (covers(field)) return true;
    for (std::size_t lane = 0; lane < at.expected.lanes(field); ++lane) {
      if (!is_waivable(at, field, lane)) continue;
      if (is_compared(at.open, field, lane)) return false;
    }
    return true;
  });
}

bool Waivers::take_unjudged(const AnswerAt& at, Verdict& verdict) {
  if (verdict.mismatches != 0 || !covers_whole(at)) return false;
  verdict.waived += std::exchange(verdict.words, 0);
  verdict.codes.waived += std::exchange(verdict.codes.compared, 0);
  verdict.unjudged = 1;
  return true;
}

void Waivers::see_right(const AnswerAt& at) {
  if (!has_causes_) return;
  for (std::size_t w = 0; w < uses_.size(); ++w) {
    if (uses_[w].waiver.as.empty() || !concerns(w, at)) continue;
    WaiverUse& use = uses_[w];
    ++use.right;
    if (judge().is_cause(w, at)) continue;
    if (use.against++ == 0) use.first_against = at.number;
  }
}

std::string_view Waivers::failure() const {
  if (std::ranges::any_of(uses_, &WaiverUse::is_expired)) return "expired waivers";
  const bool is_wrong = std::ranges::any_of(uses_, &WaiverUse::is_contradicted);
  return is_wrong ? "contradicted waivers" : "";
}

bool Waivers::has_failed() const { return !failure().empty(); }

std::string Waivers::headline(const Verdict& verdict) const {
  const std::string headline = verdict.headline();
  if (!verdict.passed() || !has_failed()) return headline;
  return fmt::format("FAIL {},{}", failure(), headline.substr(headline.find(' ')));
}

std::string Waivers::text() const {
  std::string text;
  for (const WaiverUse& use : uses_) {
    const auto out = std::back_inserter(text);
    const Waiver& waiver = use.waiver;
    if (use.is_expired) {
      fmt::format_to(out, "  EXPIRED waiver {} on {}: {}\n", waiver.id, waiver.expires,
                     waiver.reason);
      continue;
    }
    if (use.words == 0) {
      fmt::format_to(out, "  note: waiver {} was never used: {}\n", waiver.id, waiver.reason);
      continue;
    }
    fmt::format_to(out, "  {}waiver {}: {} words of {} records: {}\n",
                   use.is_contradicted() ? "CONTRADICTED " : "", waiver.id, with_commas(use.words),
                   with_commas(use.records), waiver.reason);
    if (!use.is_contradicted()) continue;
    fmt::format_to(out,
                   "    {} of {} right answers that it concerns would be wrong by its cause, the "
                   "first is {}: the device does not always do so; say when by where, "
                   "configuration or vectors\n",
                   with_commas(use.against), with_commas(use.right), use.first_against);
  }
  return text;
}

}  // namespace mx::golden
