// One comparison of whole blocks with the oracle, and the blocks worth comparing.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "oracle/block/block.hpp"
#include "reference/block/quantizer.hpp"
#include "tests/support/report.hpp"
#include "tests/support/stream.hpp"

namespace mx::oracle {

/// What is judged: a block's answer in the oracle's terms.
using BlockImplementation =
    std::function<BlockOutcome(const BlockCase&, std::span<const std::uint64_t> source,
                               std::span<const std::uint32_t> random)>;

/// mx::Quantizer.
[[nodiscard]] BlockImplementation reference_blocks();

[[nodiscard]] QuantizerConfig config_of(const BlockCase& block);

/// The reference's answer in the oracle's terms.
[[nodiscard]] BlockOutcome from_result(const BlockResult& result, std::vector<std::uint64_t> codes);

/// Do all fields and all codes agree?
[[nodiscard]] bool same_block(const BlockOutcome& got, const BlockOutcome& want);

[[nodiscard]] std::string describe_blocks(const BlockCase& block,
                                          std::span<const std::uint64_t> source,
                                          std::span<const std::uint32_t> random,
                                          const BlockOutcome& got, const BlockOutcome& want);

/// Every policy of blocks and elements at random; rule, source and format as given.
[[nodiscard]] BlockCase random_block_case(const ElementFormat& source, const BlockFormat& format,
                                          ScaleRule rule, Stream& stream);

/// The magnitudes at which a scale rule can change its mind, in every binade of the source: powers
/// of two, the largest element, the even rules' thresholds, each with neighbours; subnormals; the
/// largest value.
[[nodiscard]] std::vector<std::uint64_t> amax_patterns(const ElementFormat& source,
                                                       const ElementFormat& element);

/// A block whose largest finite magnitude is `amax`, in a random lane. Other lanes: ties of the
/// element format at this scale, copies of the maximum, tiny values, random bits below it, zeros.
[[nodiscard]] std::vector<std::uint64_t> block_around(std::uint64_t amax,
                                                      const ElementFormat& source,
                                                      const ElementFormat& element,
                                                      std::size_t lanes, Stream& stream);

/// Puts NaN, infinities and zeros of both signs into random lanes.
void strew_specials(std::vector<std::uint64_t>& block, const ElementFormat& source, Stream& stream);

/// Compares one block and classifies it.
template <class Field>
void check_block(const ElementOracle<Field>& judge, const BlockCase& block,
                 std::span<const std::uint64_t> source, std::span<const std::uint32_t> random,
                 const BlockImplementation& implementation, Report& report) {
  const BlockOutcome want = quantize(judge, block, source, random);
  const BlockOutcome got = implementation(block, source, random);
  report.check(same_block(got, want),
               [&] { return describe_blocks(block, source, random, got, want); });
  if (want.clamped) report.classify("clamped");
  if (want.zero_block) report.classify("zero");
  if (want.nan_scale) report.classify("nan_scale");
  if (want.has_inf) report.classify("inf");
  if (want.has_nan) report.classify("nan");
  if ((want.element_flags & kFlagOverflow) != 0) report.classify("overflow");
  if ((want.element_flags & kFlagToZero) != 0) report.classify("to_zero");
  if (source.size() < static_cast<std::size_t>(block.format.block_size)) {
    report.classify("partial");
  }
}

}  // namespace mx::oracle
