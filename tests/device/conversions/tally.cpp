#include "tests/device/conversions/tally.hpp"

#include <algorithm>

#include "tests/support/report.hpp"

namespace mx::device {

void Tally::add_different(const Rule& rule, const Difference& difference) {
  ++compared_;
  ++different_;
  const Kind kind = rule.kind(difference.input);
  const auto index = static_cast<std::size_t>(kind);
  ++of_kind_[index];
  // Inputs come in rising order, so the first are the least.
  if (examples_[index].size() < kExamples) examples_[index].push_back(difference);
  if (rule.is_same_code(difference.expected, difference.found)) ++below_only_;
  if (kind == Kind::kNan && (nan_words_.size() < kWords || nan_words_.contains(difference.found))) {
    ++nan_words_[difference.found];
  }
}

void Tally::merge(const Tally& other) {
  compared_ += other.compared_;
  different_ += other.different_;
  below_only_ += other.below_only_;
  for (std::size_t i = 0; i < of_kind_.size(); ++i) {
    of_kind_[i] += other.of_kind_[i];
    std::vector<Difference>& mine = examples_[i];
    mine.insert(mine.end(), other.examples_[i].begin(), other.examples_[i].end());
    std::ranges::sort(mine, {}, &Difference::input);
    if (mine.size() > kExamples) mine.resize(kExamples);
  }
  for (const auto& [word, count] : other.nan_words_) nan_words_[word] += count;
}

std::string Tally::text(const Rule& rule) const {
  std::string text;
  for (std::size_t i = 0; i < of_kind_.size(); ++i) {
    if (of_kind_[i] == 0) continue;
    text += "      " + std::to_string(of_kind_[i]) + " of them " + std::string(kKinds[i]) + '\n';
    for (const Difference& one : examples_[i]) {
      text += "        input " + oracle::hex(one.input, rule.source_digits()) + ": mxgold " +
              oracle::hex(one.expected, rule.word_digits()) + ", found " +
              oracle::hex(one.found, rule.word_digits()) + '\n';
    }
  }
  if (below_only_ != 0) {
    text += "      " + std::to_string(below_only_) + " of them in bits below the code alone\n";
  }
  if (!nan_words_.empty()) {
    text += "      found for NaN:";
    for (const auto& [word, count] : nan_words_) {
      text +=
          ' ' + oracle::hex(word, rule.word_digits()) + " (" + std::to_string(count) + " times)";
    }
    text += nan_words_.size() >= kWords ? " and perhaps others\n" : "\n";
  }
  return text;
}

}  // namespace mx::device
