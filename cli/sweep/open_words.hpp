// Which words of a sweep its profile leaves open: their codes are not compared, but counted.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cli/sweep/space.hpp"
#include "reference/block/quantizer.hpp"

namespace mx::cli {

/// May be asked by several threads.
class OpenWords {
 public:
  /// The configuration is a conversion; space_problem() == "".
  OpenWords(const golden::Configuration& configuration, const SweepSpace& space);

  /// Can there be one?
  [[nodiscard]] bool any() const { return masks_ != 0; }
  [[nodiscard]] bool has(std::uint64_t word) const;
  [[nodiscard]] std::uint64_t count(const std::vector<WordRange>& ranges) const;

 private:
  Masks masks_;
  ConversionConfig conversion_;
  std::uint8_t scale_;
  /// Under another scale than 1: blocks of the element, whose masks speak of what the scale makes
  /// of a word (spec F23.1).
  std::optional<QuantizerConfig> blocks_;
};

}  // namespace mx::cli
