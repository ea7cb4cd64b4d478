#include "golden/stimulus/named_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

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

/// Of vectors that come from tensors; they are not made again.
constexpr std::string_view kOfTensors = "tensor";

/// Do two names differ in one character, or by one more?
bool is_near(std::string_view a, std::string_view b) {
  if (a.size() > b.size()) std::swap(a, b);
  if (b.size() > a.size() + 1) return false;
  const std::size_t at = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
  const std::size_t rest = at + (a.size() == b.size() ? 1 : 0);
  return a.substr(std::min(rest, a.size())) == b.substr(std::min(at + 1, b.size()));
}

/// The name of a set that mxgold does not make: one word, and none that a damaged name of its own
/// would be.
std::string suite_problem(std::string_view suite) {
  constexpr std::size_t kLongest = 64;
  const auto is_kept = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  const bool is_word = !suite.empty() && suite.size() <= kLongest &&
                       std::ranges::all_of(suite, is_kept) && (suite[0] < '0' || suite[0] > '9');
  if (!is_word) {
    return fmt::format(
        "suite is \"{}\", expected a word: a letter, then letters, digits and underscores", suite);
  }
  std::string lower(suite);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  std::vector<std::string_view> own = {kOfTensors};
  for (const Token<SuiteKind>& each : tokens<SuiteKind>()) own.push_back(each.text);
  for (const std::string_view each : own) {
    if (suite == each || !is_near(lower, each)) continue;
    return fmt::format(
        "suite is \"{}\", which may be a damaged \"{}\"; a set of your own needs a name that "
        "differs in more than one character",
        suite, each);
  }
  return {};
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
  if (!kind) return suite_problem(header.suite);
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
