#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "golden/bytes/number_text.hpp"
#include "sim/causes/causes.hpp"

namespace mx::sim {
namespace {

std::size_t count_both(const std::vector<bool>& a, const std::vector<bool>& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += a[i] && b[i] ? 1U : 0U;
  return count;
}

/// The clause that a fault of the list breaks, where one explains just the same.
std::string defect_like(const Hypothesis& deviation, const std::vector<Hypothesis>& list) {
  const auto is_same = [&](const Hypothesis& other) {
    return other.kind == Hypothesis::Kind::kDefect && other.explained == deviation.explained;
  };
  const auto found = std::ranges::find_if(list, is_same);
  return found == list.end() ? std::string() : "; " + found->text;
}

/// Of differences that the same answers have in common, all.
std::string differences_like(const Hypothesis& first, const std::vector<Hypothesis>& list) {
  std::string text;
  for (const Hypothesis& other : list) {
    const bool is_same = other.kind == Hypothesis::Kind::kDifference &&
                         other.explained == first.explained && &other != &first;
    if (is_same) text += "; " + other.text;
  }
  return text;
}

}  // namespace

std::vector<std::string> code_differences(std::span<const WrongCode> codes, int digits) {
  std::vector<std::string> words;
  if (codes.empty()) return words;
  const WrongCode& first = codes.front();
  const auto all = [&](auto is_same) { return std::ranges::all_of(codes, is_same); };
  if (all([&](const WrongCode& c) { return c.right == first.right && c.given == first.given; })) {
    words.push_back(
        fmt::format("only codes {:0{}X} for {:0{}X}", first.given, digits, first.right, digits));
  }
  if (all([&](const WrongCode& c) { return c.given - c.right == first.given - first.right; })) {
    words.push_back(fmt::format("only codes off by {:+}",
                                static_cast<std::int64_t>(first.given - first.right)));
  }
  if (codes.size() == 1) words.push_back(fmt::format("only the code of lane {}", first.lane));
  return words;
}

void add_differences(const std::vector<std::vector<std::string>>& words,
                     std::vector<Hypothesis>& list) {
  std::set<std::string> present;
  for (const auto& each : words) present.insert(each.begin(), each.end());
  for (const std::string& text : present) {
    Hypothesis hypothesis{Hypothesis::Kind::kDifference, text, {}};
    for (const auto& each : words) {
      hypothesis.explained.push_back(std::ranges::find(each, text) != each.end());
    }
    list.push_back(std::move(hypothesis));
  }
}

std::vector<Cause> fewest_causes(const std::vector<Hypothesis>& list,
                                 std::span<const std::uint64_t> numbers, std::uint64_t right) {
  std::vector<bool> left(numbers.size(), true);
  std::vector<Cause> causes;
  const auto take = [&](std::string text, const std::vector<bool>& explained,
                        std::vector<golden::Deviation> as, std::uint64_t tried) {
    Cause cause{.text = std::move(text), .as = std::move(as), .right = tried};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (!left[i] || !explained[i]) continue;
      cause.which.push_back(i);
      if (cause.count++ == 0) cause.first = numbers[i];
      left[i] = false;
    }
    if (cause.count != 0) causes.push_back(std::move(cause));
  };
  while (true) {
    const Hypothesis* best = nullptr;
    std::size_t most = 0;
    for (const Hypothesis& each : list) {
      const std::size_t count = count_both(each.explained, left);
      if (count > most) best = &each;
      most = std::max(most, count);
    }
    if (best == nullptr) break;
    std::string text = best->text;
    if (best->kind == Hypothesis::Kind::kDeviation) text += defect_like(*best, list);
    if (best->kind == Hypothesis::Kind::kDifference) text += differences_like(*best, list);
    take(std::move(text), best->explained, best->as,
         best->kind == Hypothesis::Kind::kDifference ? 0 : right);
  }
  take("no cause known", std::vector<bool>(numbers.size(), true), {}, 0);
  return causes;
}

std::string causes_text(std::span<const Cause> causes, std::uint64_t wrong,
                        std::string_view thing) {
  if (causes.empty()) return {};
  std::uint64_t seen = 0;
  for (const Cause& cause : causes) seen += cause.count;
  const std::string part = seen == wrong ? "" : golden::with_commas(seen) + " of ";
  std::string text =
      fmt::format("causes of {}the {} wrong {}s:\n", part, golden::with_commas(wrong), thing);
  constexpr std::size_t kShown = 12;
  for (const Cause& cause : causes.first(std::min(kShown, causes.size()))) {
    text += fmt::format("  {:>7} from {} {} on: {}\n", golden::with_commas(cause.count), thing,
                        cause.first, cause.text);
    if (cause.right != 0) {
      text += fmt::format("          contradicts none of {} right answers\n",
                          golden::with_commas(cause.right));
    }
    if (!cause.waiver.empty()) text += fmt::format("          to waive it: {}\n", cause.waiver);
  }
  if (causes.size() > kShown) text += fmt::format("  and {} more\n", causes.size() - kShown);
  return text;
}

}  // namespace mx::sim
