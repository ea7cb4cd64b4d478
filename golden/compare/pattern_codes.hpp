// Answers of conversions to every input of a narrow source.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "reference/element/encode.hpp"

namespace mx::golden {

/// The codes that conversions give for every pattern of their source. The last ones are kept: each
/// of several subjects is compared with all the others.
class PatternCodes {
 public:
  using Codes = std::shared_ptr<const std::vector<std::uint64_t>>;

  /// The conversion must have no problem, and a source of at most 16 bits.
  [[nodiscard]] Codes of(const ConversionConfig& config) {
    const auto found = std::ranges::find_if(kept_, [&](const Kept& each) {
      return each.config.source == config.source && each.config.destination == config.destination &&
             each.config.policy == config.policy;
    });
    if (found != kept_.end()) return found->codes;
    const Conversion convert = Conversion::make(config).value();
    std::vector<std::uint64_t> codes(std::uint64_t{1} << config.source.bits);
    for (std::uint64_t input = 0; input < codes.size(); ++input) {
      codes[input] = convert(input).code;
    }
    if (kept_.size() == kMost) kept_.erase(kept_.begin());
    kept_.push_back({config, std::make_shared<const std::vector<std::uint64_t>>(std::move(codes))});
    return kept_.back().codes;
  }

 private:
  struct Kept {
    ConversionConfig config;
    Codes codes;
  };
  static constexpr std::size_t kMost = 64;  // 32 MiB of 16-bit sources

  std::vector<Kept> kept_;
};

}  // namespace mx::golden
