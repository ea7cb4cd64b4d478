#include "sim/judge/tally.hpp"

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

}  // namespace mx::sim
