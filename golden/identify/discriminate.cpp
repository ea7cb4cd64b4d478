// A set of inputs small enough to run through any implementation, and telling.
#include <algorithm>
#include <utility>

#include "golden/compare/block_inputs.hpp"
#include "golden/identify/deviation.hpp"
#include "golden/identify/surface.hpp"

namespace mx::golden {
namespace {

/// Comparisons that deviations may cost: those of blocks are dear.
constexpr int kElementComparisons = 2000;
constexpr int kBlockComparisons = 60;

/// Whole blocks: an implementation may not take shorter ones.
BlockInput whole(const Surface& surface, BlockInput input) {
  if (surface.is_block && surface.block.extent == BlockExtent::kElements) {
    input.lanes.resize(std::max(input.lanes.size(), tried_elements(surface.block)), 0);
  }
  return input;
}

class Collection {
 public:
  Collection(const Surface& surface, std::size_t limit) : surface_(surface), limit_(limit) {}

  void add(const BlockInput& input) {
    BlockInput padded = whole(surface_, input);
    const bool is_zero = std::ranges::all_of(padded.random, [](std::uint32_t r) { return r == 0; });
    if (is_zero) padded.random.clear();
    const bool is_known = std::ranges::find(inputs_, padded) != inputs_.end();
    if (!is_known && inputs_.size() < limit_) inputs_.push_back(std::move(padded));
  }

  /// Is there an input that tells two subjects apart?
  [[nodiscard]] bool separates(const Subject& a, const Subject& b) const {
    return std::ranges::any_of(inputs_, [&](const BlockInput& input) {
      if (surface_.is_block) return agreement(a.block, b.block, input) == Agreement::kDiffer;
      return !open_parts(surface_, a, input).any() && !open_parts(surface_, b, input).any() &&
             !(answer_of(surface_, a, input) == answer_of(surface_, b, input));
    });
  }

  [[nodiscard]] std::size_t room() const { return limit_ - inputs_.size(); }

  std::vector<BlockInput> take() {
    std::ranges::sort(inputs_, [&](const BlockInput& x, const BlockInput& y) {
      return is_smaller(surface_.source, x, y);
    });
    return std::move(inputs_);
  }

 private:
  const Surface& surface_;
  std::size_t limit_;
  std::vector<BlockInput> inputs_;
};

std::vector<Subject> distinct_subjects(const Surface& surface,
                                       std::span<const Candidate> candidates) {
  std::vector<Subject> found;
  for (const Candidate& candidate : candidates) {
    const std::optional<Subject> subject = subject_of(candidate, surface);
    const bool is_new = subject && std::ranges::none_of(found, [&](const Subject& known) {
                          return same_by_definition(surface, known, *subject);
                        });
    if (is_new) found.push_back(*subject);
  }
  return found;
}

void add_deviations(const Surface& surface, const std::vector<Subject>& subjects,
                    SurfaceComparer& comparer, Collection& collection) {
  int comparisons = surface.is_block ? kBlockComparisons : kElementComparisons;
  for (const Subject& subject : subjects) {
    for (const DeviatingSubject& each : deviations(surface, subject)) {
      if (draws_random(surface, each.subject) && !draws_random(surface, subject)) continue;
      if (comparisons == 0 || collection.room() == 0) return;
      if (collection.separates(subject, each.subject)) continue;
      --comparisons;
      const SurfaceComparison found = comparer.compare(subject, each.subject, Detail::kFirst);
      if (!found.agree()) collection.add(found.differences.front().input);
    }
  }
}

void add_directed(const Surface& surface, Collection& collection) {
  const std::size_t room = collection.room();
  if (surface.is_block) {
    for (const BlockInput& each : directed_blocks(surface.source, surface.block, room)) {
      collection.add(each);
    }
    return;
  }
  std::vector<std::uint64_t> inputs =
      directed_inputs(surface.source, surface.destination, room * 2 / 3);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    // Every other one first: what has no room left is spread evenly.
    const std::size_t at = 2 * i < inputs.size() ? 2 * i : 2 * (i - (inputs.size() + 1) / 2) + 1;
    if (at < inputs.size()) collection.add({.lanes = {inputs[at]}});
  }
}

}  // namespace

std::vector<BlockInput> discriminating_inputs(const Surface& surface,
                                              std::span<const Candidate> candidates,
                                              std::size_t limit, Telling telling) {
  const std::vector<Subject> subjects = distinct_subjects(surface, candidates);
  SurfaceComparer comparer(surface);
  Collection collection(surface, limit);
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    for (std::size_t j = i + 1; j < subjects.size(); ++j) {
      const SurfaceComparison found = comparer.compare(subjects[i], subjects[j], Detail::kFirst);
      if (!found.agree()) collection.add(found.differences.front().input);
    }
  }
  if (telling == Telling::kDeviations) add_deviations(surface, subjects, comparer, collection);
  add_directed(surface, collection);
  return collection.take();
}

}  // namespace mx::golden
