#include "golden/stimulus/named_set.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mx::golden {

NamedSet::NamedSet(const VectorHeader& header) : header_(header) {
  if (!suite_kind(header)) return;
  stimulus_ = std::make_unique<const Stimulus>(header);
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
