// SPDX-License-Identifier: Apache-2.0
// Values as coordinates, and tensors to draw.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/plot/kinds.hpp"
#include "golden/names/profile_choice.hpp"
#include "reference/block/quantizer.hpp"

namespace mx::cli {

/// The nearest double: NaN and infinities too.
[[nodiscard]] double number_of(const Unpacked& x);
/// Exactly.
[[nodiscard]] Unpacked unpacked(double x);
/// At most six significant digits: "0.015625", "57344", "1.5e-05".
[[nodiscard]] std::string number_text(double x);
/// log2 of a positive number.
[[nodiscard]] double power_of(double x);

/// The finite values of a format of at most 8 bits that are zero or positive, in order.
struct FormatValue {
  std::uint64_t code = 0;
  double value = 0;
  bool is_subnormal = false;
};
[[nodiscard]] std::vector<FormatValue> values_of(const ElementFormat& format);

/// Rows of source codes. Where no file is given: rows of `columns` values of a bell curve, the same
/// on every machine (sums of twelve uniform words).
struct PlotTensor {
  std::string name;
  const ElementFormat* source = nullptr;
  std::vector<std::vector<std::uint64_t>> rows;
};
[[nodiscard]] PlotTensor tensor_of(const PlotRequest& request, std::size_t rows,
                                   std::size_t columns);

/// A configuration of blocks for a source, under a profile and the request's rule and rounding.
/// Error kUsage for what cannot be.
[[nodiscard]] QuantizerConfig block_of(const PlotRequest& request, const FormatChoice& format,
                                       const golden::ProfileChoice& profile,
                                       const ElementFormat& source);
/// The same of single values.
[[nodiscard]] ConversionConfig conversion_of(const PlotRequest& request, const FormatChoice& format,
                                             const golden::ProfileChoice& profile,
                                             const ElementFormat& source);
[[nodiscard]] Quantizer quantizer_of(const QuantizerConfig& config);

/// A profile of the request, or mxgold-default. Error kUsage for several.
[[nodiscard]] golden::ProfileChoice one_profile(const PlotRequest& request);
/// A format of the request, or `otherwise`. Error kUsage for several.
[[nodiscard]] FormatChoice one_format(const PlotRequest& request, std::string_view otherwise);
/// Error kUsage unless blocks lie along one axis.
[[nodiscard]] const BlockFormat& block_format_of(const FormatChoice& format);

/// A tensor in blocks: what becomes of each row, block by block. `take(source, result, codes)`.
template <typename Take>
void each_block(const PlotTensor& tensor, const Quantizer& quantizer, const Take& take);

}  // namespace mx::cli

#include <algorithm>
#include <span>

template <typename Take>
void mx::cli::each_block(const PlotTensor& tensor, const Quantizer& quantizer, const Take& take) {
  const QuantizerConfig& config = quantizer.config();
  const std::vector<std::uint32_t> words;
  for (const std::vector<std::uint64_t>& row : tensor.rows) {
    const bool is_sized = config.format.extent == BlockExtent::kElements;
    const std::size_t size =
        is_sized ? static_cast<std::size_t>(config.format.elements()) : row.size();
    for (std::size_t at = 0; at < row.size(); at += size) {
      const std::span<const std::uint64_t> source(row.data() + at, std::min(size, row.size() - at));
      std::vector<std::uint64_t> codes(source.size());
      const BlockResult result = quantizer.quantize_block(source, words, codes);
      take(source, result, codes);
    }
  }
}
