#include "sim/judge/tally.hpp"

#include <algorithm>

namespace mx::sim {

Tally& Tally::operator+=(const Tally& other) {
  blocks += other.blocks;
  elements += other.elements;
  codes += other.codes;
  bad_blocks += other.bad_blocks;
  bad_elements += other.bad_elements;
  words += other.words;
  dont_care += other.dont_care;
  open += other.open;
  unobserved += other.unobserved;
  waived += other.waived;
  unjudged += other.unjudged;
  certified += other.certified;
  uncertified += other.uncertified;
  certified_scales += other.certified_scales;
  return *this;
}

Tally TallyTable::total() const {
  Tally sum;
  for (const Tally& cell : cells_) sum += cell;
  return sum;
}

TallyTable& TallyTable::operator+=(const TallyTable& other) {
  cells_.resize(std::max(cells_.size(), other.cells_.size()));
  for (std::size_t i = 0; i < other.cells_.size(); ++i) cells_[i] += other.cells_[i];
  return *this;
}

}  // namespace mx::sim
