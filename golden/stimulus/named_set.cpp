#include "golden/stimulus/named_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "golden/bytes/error.hpp"

namespace mx::golden {

namespace {

/// Have records of the operation a field `random`, and may they be short?
bool has_random_field(Operation op) {
  return op == Operation::kCvt || op == Operation::kBlock || op == Operation::kCast;
}
bool has_lengths(Operation op) {
  return op != Operation::kCvt && op != Operation::kArith && op != Operation::kCast;
}

}  // namespace

std::string header_problem(const VectorHeader& header) {
  const bool has_words = header.random_words == RandomWords::kPresent;
  if (has_words && !has_random_field(header.op)) {
    return fmt::format("random is \"direct\", but records of op {} have no random words",
                       token_of(header.op));
  }
  if (header.lengths == Lengths::kVary && !has_lengths(header.op)) {
    return fmt::format("lengths is \"vary\", but records of op {} are full", token_of(header.op));
  }
  const std::optional<SuiteKind> kind = suite_kind(header);
  if (!kind) return {};
  if (header.level != 1) {
    return fmt::format("level is {}, but suite {} has level 1 alone", header.level, header.suite);
  }
  if (*kind == SuiteKind::kPolicy && header.op != Operation::kBlock) {
    return fmt::format("suite is \"policy\", which is made of blocks, but op is {}",
                       token_of(header.op));
  }
  const bool is_drawn = *kind == SuiteKind::kRandom || *kind == SuiteKind::kPolicy;
  if (is_drawn != (header.drawn != 0)) {
    return fmt::format("drawn is {}, but suite {} {}", header.drawn, header.suite,
                       is_drawn ? "draws vectors" : "draws none");
  }
  if (has_words != std::ranges::any_of(header.configs, takes_random)) {
    return fmt::format("random is \"{}\", but {} takes random words", has_words ? "direct" : "none",
                       has_words ? "no configuration" : "a configuration");
  }
  return {};
}

NamedSet::NamedSet(const VectorHeader& header) : header_(header) {
  if (!suite_kind(header)) return;
  try {
    stimulus_ = std::make_unique<const Stimulus>(header);
  } catch (const std::invalid_argument& error) {
    throw VectorError(fmt::format("suite {}: {}; regenerate the file with mxgold gen", header.suite,
                                  error.what()));
  }
  range_ = shard_range(stimulus_->size(), header.shard, header.shards);
}

NamedSet::~NamedSet() = default;

std::string NamedSet::count_problem() const {
  if (!is_checked() || header_.count == range_.count) return {};
  return fmt::format("{} has {} vectors in shard {}/{}, the file has {}", header_.set_id(),
                     range_.count, header_.shard, header_.shards, header_.count);
}

std::string NamedSet::operand_problem(const RecordBatch& batch, std::uint64_t first) const {
  if (!is_checked()) return {};
  // Beyond its end a set has no vectors to compare with.
  if (first + batch.size() > range_.count) return count_problem();
  RecordBatch made;
  stimulus_->fill(range_.first + first, range_.first + first + batch.size(), made);
  for (const Token<Field>& field : tokens<Field>()) {
    if (is_result(field.value) || field.value == Field::kOpen) continue;
    const auto [a, b] = std::ranges::mismatch(batch.all(field.value), made.all(field.value));
    if (a == batch.all(field.value).end()) continue;
    const auto word = static_cast<std::size_t>(a - batch.all(field.value).begin());
    return fmt::format(
        "vector {}: field {} is not that of {}; the file was cut, repeated, "
        "reordered or made otherwise",
        first + word / batch.lanes(field.value), field.text, header_.set_id());
  }
  return {};
}

}  // namespace mx::golden
