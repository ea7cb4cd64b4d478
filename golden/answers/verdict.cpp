#include "golden/answers/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "golden/bytes/number_text.hpp"

namespace mx::golden {
namespace {

constexpr std::array kResults{Field::kScale, Field::kCode, Field::kFlags};
constexpr std::array kPassed{Field::kKeep, Field::kLast};

}  // namespace

ElementCounts& ElementCounts::operator+=(const ElementCounts& other) {
  compared += other.compared;
  dont_care += other.dont_care;
  open += other.open;
  unobserved += other.unobserved;
  waived += other.waived;
  return *this;
}

Verdict& Verdict::operator+=(const Verdict& other) {
  vectors += other.vectors;
  mismatches += other.mismatches;
  unjudged += other.unjudged;
  codes += other.codes;
  bad_elements += other.bad_elements;
  words += other.words;
  dont_care += other.dont_care;
  open += other.open;
  unobserved += other.unobserved;
  waived += other.waived;
  return *this;
}

std::string Verdict::headline() const {
  if (judged() == 0) return fmt::format("NOTHING COMPARED in {}", with_commas(vectors));
  return fmt::format("{} {}/{}", mismatches == 0 ? "PASS" : "FAIL",
                     with_commas(judged() - mismatches), with_commas(judged()));
}

std::string Verdict::coverage() const {
  return fmt::format(
      "{} words compared, {} don't-care, {} open, {} unobserved, {} waived; {} of {} vectors "
      "without "
      "a compared word",
      with_commas(words), with_commas(dont_care), with_commas(open), with_commas(unobserved),
      with_commas(waived), with_commas(unjudged), with_commas(vectors));
}

bool passes_through(const RecordBatch& expected, const RecordBatch& actual, std::size_t i,
                    const Observed& observed) {
  return std::ranges::all_of(kPassed, [&](Field field) {
    return !expected.has(field) || !observed.has(field) ||
           expected.word(field, i) == actual.word(field, i);
  });
}

bool is_compared(const OpenAnswer& open, Field field, std::size_t lane) {
  if (!open.observed.has(field)) return false;
  if (field == Field::kScale) return !open.scale;
  if (field == Field::kFlags) return !open.flags;
  return !(open.takes_part(lane) && open.code(lane));
}

namespace {

bool is_alike(const OpenAnswer& open, std::uint64_t right, std::uint64_t given) {
  if (!open.alike || right == given) return true;
  const ElementFormat& format = *open.alike;
  return (given & ~format.code_mask()) == 0 &&
         decode(format, right).cls == decode(format, given).cls;
}

}  // namespace

bool is_wrong(const OpenAnswer& open, Field field, std::size_t lane, std::uint64_t right,
              std::uint64_t given) {
  if (right == given || !open.observed.has(field)) return false;
  if (is_compared(open, field, lane)) return true;
  return field == Field::kCode && !is_alike(open, right, given);
}

namespace {

/// One comparison of one answer with another, word by word.
class Comparison {
 public:
  Comparison(const RecordBatch& expected, const RecordBatch& actual, std::size_t i,
             const OpenAnswer& open, Verdict& verdict)
      : expected_(expected), actual_(actual), i_(i), open_(open), verdict_(verdict) {}

  bool agrees() {
    for (std::size_t scale = 0; scale < expected_.lanes(Field::kScale); ++scale) {
      look(Field::kScale, scale, open_.scale);
    }
    if (!all_codes_agree()) {
      for (std::size_t lane = 0; lane < expected_.lanes(Field::kCode); ++lane) look_at_code(lane);
    }
    if (expected_.has(Field::kFlags)) look(Field::kFlags, 0, open_.flags);
    agrees_ = agrees_ && passes_through(expected_, actual_, i_, open_.observed);
    ++verdict_.vectors;
    verdict_.words += compared_;
    if (compared_ == 0) ++verdict_.unjudged;
    if (!agrees_) ++verdict_.mismatches;
    return agrees_;
  }

 private:
  [[nodiscard]] bool is_equal(Field field, std::size_t lane) const {
    return expected_.of(field, i_)[lane] == actual_.of(field, i_)[lane];
  }

  /// Most answers: every code is compared, and right. False, and nothing is counted, for others.
  bool all_codes_agree() {
    const auto right = expected_.of(Field::kCode, i_);
    const std::size_t lanes = right.size();
    const std::uint64_t all = lanes < 64 ? (std::uint64_t{1} << lanes) - 1 : ~std::uint64_t{0};
    const bool is_plain = open_.observed.has(Field::kCode) && !open_.dont_care && !open_.codes &&
                          open_.lanes.empty() && open_.elements >= lanes &&
                          (open_.keep & all) == all;
    if (!is_plain || !std::ranges::equal(right, actual_.of(Field::kCode, i_))) return false;
    verdict_.codes.compared += lanes;
    compared_ += lanes;
    return true;
  }

  void look(Field field, std::size_t lane, bool is_open) {
    if (!open_.observed.has(field)) {
      ++verdict_.unobserved;
    } else if (is_open) {
      ++verdict_.open;
    } else {
      ++compared_;
      agrees_ = agrees_ && is_equal(field, lane);
    }
  }

  void look_at_code(std::size_t lane) {
    const bool takes_part = open_.takes_part(lane);
    // A lane that is not kept is no word, but has to be 0.
    const bool is_kept = open_.keeps(lane);
    ElementCounts ignored;
    ElementCounts& codes = takes_part ? verdict_.codes : ignored;
    if (!open_.observed.has(Field::kCode)) {
      ++codes.unobserved;
      verdict_.unobserved += is_kept ? 1 : 0;
      return;
    }
    const bool is_open = takes_part && open_.code(lane);
    if (is_open) {
      ++(open_.dont_care ? codes.dont_care : codes.open);
      ++(open_.dont_care ? verdict_.dont_care : verdict_.open);
      agrees_ = agrees_ && is_alike(open_, expected_.of(Field::kCode, i_)[lane],
                                    actual_.of(Field::kCode, i_)[lane]);
      return;
    }
    ++codes.compared;
    compared_ += is_kept ? 1 : 0;
    if (is_equal(Field::kCode, lane)) return;
    ++verdict_.bad_elements;
    agrees_ = false;
  }

  const RecordBatch& expected_;
  const RecordBatch& actual_;
  std::size_t i_;
  const OpenAnswer& open_;
  Verdict& verdict_;
  bool agrees_ = true;
  std::uint64_t compared_ = 0;
};

}  // namespace

bool compare_answer(const RecordBatch& expected, const RecordBatch& actual, std::size_t i,
                    const OpenAnswer& open, Verdict& verdict) {
  return Comparison(expected, actual, i, open, verdict).agrees();
}

namespace {

/// The codes of lanes that take part, in all records.
std::uint64_t codes_of_elements(const RecordBatch& batch) {
  const std::size_t codes = batch.all(Field::kCode).size();
  if (!batch.has(Field::kScale) || !batch.has(Field::kElements)) return codes;
  std::uint64_t sum = 0;
  for (const std::uint64_t elements : batch.all(Field::kElements)) sum += elements;
  return sum;
}

}  // namespace

bool all_answers_agree(const RecordBatch& expected, const RecordBatch& actual, Verdict& verdict) {
  if (!same_answers(expected, actual)) return false;
  verdict.vectors += expected.size();
  for (const Field field : kResults) verdict.words += expected.all(field).size();
  verdict.codes.compared += codes_of_elements(expected);
  return true;
}

bool same_answers(const RecordBatch& a, const RecordBatch& b) {
  return std::ranges::all_of(
      kResults, [&](Field field) { return std::ranges::equal(a.all(field), b.all(field)); });
}

bool same_answer(const RecordBatch& a, const RecordBatch& b, std::size_t i) {
  for (const Field field : kResults) {
    if (!std::ranges::equal(a.of(field, i), b.of(field, i))) return false;
  }
  return true;
}

}  // namespace mx::golden
