#include "golden/answers/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "golden/bytes/number_text.hpp"

namespace mx::golden {
namespace {

constexpr std::array kResults{Field::kScale, Field::kCode, Field::kFlags};

}  // namespace

Verdict& Verdict::operator+=(const Verdict& other) {
  vectors += other.vectors;
  mismatches += other.mismatches;
  unjudged += other.unjudged;
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

bool is_compared(const RecordBatch& expected, const OpenAnswer& open, Field field,
                 std::size_t lane) {
  if (!open.observed.has(field)) return false;
  if (field == Field::kScale) return !open.scale;
  if (field == Field::kFlags) return !open.flags;
  const bool exists = !expected.has(Field::kScale) || lane < open.lanes.size();
  return !(exists && open.code(lane));
}

namespace {

bool is_alike(const OpenAnswer& open, std::uint64_t right, std::uint64_t given) {
  if (!open.alike || right == given) return true;
  const ElementFormat& format = *open.alike;
  return (given & ~format.code_mask()) == 0 &&
         decode(format, right).cls == decode(format, given).cls;
}

}  // namespace

bool is_wrong(const RecordBatch& expected, const OpenAnswer& open, Field field, std::size_t lane,
              std::uint64_t right, std::uint64_t given) {
  if (right == given || !open.observed.has(field)) return false;
  if (is_compared(expected, open, field, lane)) return true;
  return field == Field::kCode && !is_alike(open, right, given);
}

bool compare_answer(const RecordBatch& expected, const RecordBatch& actual, std::size_t i,
                    const OpenAnswer& open, Verdict& verdict) {
  bool agrees = true;
  std::uint64_t compared = 0;
  const auto look = [&](Field field, std::size_t lane, bool is_open) {
    if (!open.observed.has(field)) {
      ++verdict.unobserved;
      return;
    }
    if (is_open) {
      ++(field == Field::kCode && open.dont_care ? verdict.dont_care : verdict.open);
      agrees = agrees && (field != Field::kCode ||
                          is_alike(open, expected.of(field, i)[lane], actual.of(field, i)[lane]));
      return;
    }
    ++compared;
    agrees = agrees && expected.of(field, i)[lane] == actual.of(field, i)[lane];
  };
  for (std::size_t scale = 0; scale < expected.lanes(Field::kScale); ++scale) {
    look(Field::kScale, scale, open.scale);
  }
  for (std::size_t lane = 0; lane < expected.lanes(Field::kCode); ++lane) {
    const bool exists = !expected.has(Field::kScale) || lane < open.lanes.size();
    // Codes of lanes that do not take part are 0, whatever the profile leaves open.
    look(Field::kCode, lane, exists && open.code(lane));
  }
  if (expected.has(Field::kFlags)) look(Field::kFlags, 0, open.flags);
  ++verdict.vectors;
  verdict.words += compared;
  if (compared == 0) ++verdict.unjudged;
  if (!agrees) ++verdict.mismatches;
  return agrees;
}

bool all_answers_agree(const RecordBatch& expected, const RecordBatch& actual, Verdict& verdict) {
  if (!same_answers(expected, actual)) return false;
  verdict.vectors += expected.size();
  for (const Field field : kResults) verdict.words += expected.all(field).size();
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
