// SPDX-License-Identifier: Apache-2.0
#include "sim/score/scoreboard.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace mx::sim {
namespace {

using golden::Field;
using golden::OpenAnswer;
using golden::RecordBatch;

constexpr std::array kResults = {Field::kScale, Field::kCode, Field::kFlags};

/// How far a record may have travelled for its answer to count as reordered.
constexpr std::size_t kReach = 16;

/// Is the answer in record i the one expected in record j, in every word compared there?
bool is_answer_to(const RecordBatch& expected, std::size_t j, const OpenAnswer& open,
                  const RecordBatch& actual, std::size_t i) {
  for (const Field field : kResults) {
    const auto right = expected.of(field, j);
    const auto given = actual.of(field, i);
    for (std::size_t lane = 0; lane < right.size(); ++lane) {
      if (golden::is_wrong(open, field, lane, right[lane], given[lane])) return false;
    }
  }
  return true;
}

/// Lanes that are not kept leave as code 0, whoever answers.
void clear_codes_not_kept(RecordBatch& batch) {
  if (!batch.has(Field::kKeep)) return;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    golden::clear_lanes_not_kept(batch.of(Field::kCode, i), batch.word(Field::kKeep, i));
  }
}

/// What a waiver covers whole is not compared.
OpenAnswer all_open(OpenAnswer open) {
  open.scale = open.flags = open.codes = true;
  return open;
}

}  // namespace

void settle_operands(const golden::VectorHeader& header, RecordBatch& batch) {
  if (header.sideband == golden::Sideband::kAbsent) return;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const auto& config = std::get<QuantizerConfig>(header.configs[batch.config(i)].what);
    const std::uint64_t mask = config.source.code_mask();
    const auto source = batch.of(Field::kSource, i);
    for (std::uint64_t& word : source) word &= mask;
    golden::clear_lanes_not_kept(source, batch.word(Field::kKeep, i));
  }
}

void clear_results(RecordBatch& batch) {
  for (const Field field : kResults) std::ranges::fill(batch.all(field), 0);
}

Scoreboard::Scoreboard(const golden::VectorHeader& header, const RecordInput& input,
                       const ScoreOptions& options)
    : header_(header),
      input_(input),
      options_(options),
      shape_(header.shape()),
      reference_(header),
      rights_(header.configs.size(), static_cast<std::size_t>(header.lanes)) {
  score_.by_config.resize(header.configs.size());
  score_.waivers = options.waivers;
  if (options.judge == Judge::kReference) return;
  certificates_.emplace(header, options.make_certificate);
  score_.certified.resize(header.configs.size());
}

void Scoreboard::answer(RecordBatch& batch, const golden::AnswererFactory& make) const {
  clear_results(batch);
  const auto answer_piece = [&](std::size_t first, std::size_t last) {
    make(header_)->answer(batch, first, last);
  };
  if (options_.for_each_piece) {
    options_.for_each_piece(batch.size(), answer_piece);
  } else {
    answer_piece(0, batch.size());
  }
}

OpenAnswer Scoreboard::open_of(const RecordBatch& own, std::size_t i) const {
  OpenAnswer open = reference_.open(own, i);
  open.observed = options_.observed;
  if (options_.compare == Compare::kStrict) open.dont_care = false;
  return open;
}

void Scoreboard::take(std::uint64_t first, const RecordBatch& actual, RecordBatch* operands) {
  if (actual.empty()) return;
  if (operands != nullptr) {
    std::swap(expected_, *operands);
  } else {
    input_.fill(first, first + actual.size(), expected_);
  }
  settle_operands(header_, expected_);
  // The reference's own answers stand apart where something else is expected.
  const bool stands_apart = input_.has_answers || options_.judge == Judge::kCertificate;
  if (stands_apart) own_ = expected_;
  RecordBatch& own = stands_apart ? own_ : expected_;
  now_ = {&expected_, &own, &actual};
  if (options_.for_each_piece) {
    answer(own, golden::reference_answerer());
  } else {
    reference_.answer(own, 0, own.size());
  }
  if (stands_apart && !input_.has_answers) expected_ = own;
  others_.clear();
  for (const golden::AnswererFactory& judge : options_.judges) {
    others_.push_back(expected_);
    answer(others_.back(), judge);
    clear_codes_not_kept(others_.back());
  }
  const std::uint64_t wrong_before = wrong_;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    // What is open follows from the reference's own answer, whoever says what is expected.
    OpenAnswer open = open_of(own, i);
    if (options_.judge == Judge::kCertificate) take_certified(i, open);
    see_shift(i, first + i, open, check(i, first + i, open));
  }
  seen_ += actual.size();
  const bool may_be_reordered =
      wrong_ != wrong_before && header_.sideband == golden::Sideband::kPresent;
  is_reordered_ = may_be_reordered && sim::looks_reordered(expected_, actual, options_.observed);
  keep_last();
}

void Scoreboard::take_certified(std::size_t i, OpenAnswer& open) {
  const CertifiedAnswer& certified = certificates_->of(*now_.own, i);
  RecordBatch& expected = expected_;
  for (std::size_t lane = 0; lane < expected.lanes(Field::kCode); ++lane) {
    const bool has_code = lane < certified.codes.size() && certified.codes[lane];
    if (has_code) expected.of(Field::kCode, i)[lane] = *certified.codes[lane];
    if (has_code || !open.takes_part(lane)) continue;
    open.lanes.resize(expected.lanes(Field::kCode));
    open.lanes[lane] = true;
  }
  if (certified.scale) expected.word(Field::kScale, i) = *certified.scale;
  open.scale = open.scale || !certified.scale;
  open.flags = true;
}

bool Scoreboard::check(std::size_t i, std::uint64_t number, const OpenAnswer& open) {
  golden::Verdict verdict;
  OpenAnswer rest = open;
  golden::Waivers& waivers = score_.waivers;
  const RecordBatch& actual = *now_.actual;
  const golden::AnswerAt at{expected_, actual, i, open, number};
  const RecordBatch* wrong_by =
      golden::compare_answer(expected_, actual, i, open, verdict) ? nullptr : &expected_;
  if (!waivers.uses().empty()) {
    if (wrong_by == nullptr) waivers.see_right(at);
    if (wrong_by != nullptr && waivers.waive(at, verdict, rest)) wrong_by = nullptr;
    if (waivers.take_unjudged(at, verdict)) rest = all_open(rest);
  }
  if (certificates_) ask_certificates(i, number, open, rest);
  if (wrong_by == nullptr && !others_.empty()) {
    wrong_by = wrong_by_others(i, number, open);
    if (wrong_by != nullptr) verdict.mismatches = 1;
  }
  score_.by_config[actual.config(i)] += verdict;
  if (wrong_by != nullptr) {
    ++wrong_;
    keep_wrong(*wrong_by, i, number, rest);
  } else {
    keep_right(verdict, i, number, rest);
  }
  return wrong_by == nullptr;
}

const RecordBatch* Scoreboard::wrong_by_others(std::size_t i, std::uint64_t number,
                                               OpenAnswer open) {
  // Codes that the policy declares don't-care are each judge's own choice.
  open.dont_care = reference_.open(*now_.own, i).dont_care;
  const RecordBatch& actual = *now_.actual;
  for (const RecordBatch& other : others_) {
    golden::Verdict ignored;
    if (golden::compare_answer(other, actual, i, open, ignored)) continue;
    if (!score_.waivers.covers({other, actual, i, open, number})) return &other;
  }
  return nullptr;
}

void Scoreboard::ask_certificates(std::size_t i, std::uint64_t number, const OpenAnswer& open,
                                  const OpenAnswer& rest) {
  std::vector<RecordDisagreement> found;
  certificates_->check({*now_.own, expected_, i, open, rest, number},
                       score_.certified[now_.own->config(i)], found);
  if (options_.judge != Judge::kBoth) return;
  score_.disagreed += found.size();
  for (RecordDisagreement& each : found) {
    if (score_.disagreements.size() == options_.keep_mismatches) break;
    score_.disagreements.push_back(std::move(each));
  }
}

RecordMismatch Scoreboard::noted(const RecordBatch& expected, std::size_t i, std::uint64_t number,
                                 const OpenAnswer& open) const {
  RecordMismatch note{number, RecordBatch(shape_), RecordBatch(shape_), open};
  note.expected.append(expected, i, i + 1);
  note.actual.append(*now_.actual, i, i + 1);
  const bool has_previous = i != 0 || !last_.actual.empty();
  if (header_.op != golden::Operation::kBlock || !has_previous) return note;
  note.previous.emplace(shape_);
  note.previous->append(i == 0 ? last_.actual : *now_.actual, i == 0 ? 0 : i - 1, i == 0 ? 1 : i);
  return note;
}

void Scoreboard::keep_wrong(const RecordBatch& expected, std::size_t i, std::uint64_t number,
                            const OpenAnswer& open) {
  const bool is_first = score_.by_config[now_.actual->config(i)].mismatches == 1;
  const bool is_kept = score_.mismatches.size() < options_.keep_mismatches;
  if (!is_first && !is_kept) return;
  RecordMismatch mismatch = noted(expected, i, number, open);
  if (is_first) score_.first_of_each.push_back(mismatch);
  if (is_kept) score_.mismatches.push_back(std::move(mismatch));
}

void Scoreboard::keep_right(const golden::Verdict& verdict, std::size_t i, std::uint64_t number,
                            const OpenAnswer& open) {
  // What a waiver covers is not right, and would speak against the causes of the rest.
  if (verdict.judged() == 0 || verdict.waived != 0) return;
  const std::size_t config = now_.actual->config(i);
  if (rights_.wants(config, number)) rights_.keep(config, noted(expected_, i, number, open));
}

void Scoreboard::see_shift(std::size_t i, std::uint64_t number, const OpenAnswer& open,
                           bool is_right) {
  const bool is_first = i == 0;
  const bool is_quiet = is_right && shift_.is_quiet();
  if (is_quiet || (is_first && last_.actual.empty())) {
    return shift_.see(number, is_right, false, false);
  }
  const Answers before = is_first ? Answers{&last_.expected, &last_.own, &last_.actual} : now_;
  const std::size_t k = is_first ? 0 : i - 1;
  const bool is_previous =
      is_answer_to(*before.expected, k, open_of(*before.own, k), *now_.actual, i);
  shift_.see(number, is_right, is_previous, is_answer_to(expected_, i, open, *before.actual, k));
}

void Scoreboard::keep_last() {
  const std::size_t end = now_.actual->size();
  const auto keep = [&](RecordBatch& last, const RecordBatch& batch) {
    last.reset(shape_, 0);
    last.append(batch, end - 1, end);
  };
  keep(last_.expected, expected_);
  keep(last_.own, *now_.own);
  keep(last_.actual, *now_.actual);
}

bool looks_reordered(const RecordBatch& expected, const RecordBatch& actual,
                     const golden::Observed& observed) {
  // Is the answer of record i the one expected of record j, as far as the device gives it?
  const auto fits = [&](std::size_t i, std::size_t j) {
    const auto is_same = [&](Field field) {
      return !observed.has(field) || std::ranges::equal(actual.of(field, i), expected.of(field, j));
    };
    return is_same(Field::kScale) && is_same(Field::kCode) && is_same(Field::kFlags) &&
           is_same(Field::kKeep) && is_same(Field::kLast);
  };
  std::vector<std::size_t> wrong;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (!fits(i, i)) wrong.push_back(i);
  }
  if (wrong.size() < 2) return false;
  // Among the wrong places near `at`, does one satisfy the predicate?
  const auto near = [&](std::size_t at, auto predicate) {
    const auto first = std::ranges::lower_bound(wrong, at < kReach ? 0 : at - kReach);
    const auto last = std::ranges::upper_bound(wrong, at + kReach);
    return std::any_of(first, last, predicate);
  };
  return std::ranges::all_of(wrong, [&](std::size_t i) {
    return near(i, [&](std::size_t j) { return fits(i, j); }) &&
           near(i, [&](std::size_t j) { return fits(j, i); });
  });
}

}  // namespace mx::sim
