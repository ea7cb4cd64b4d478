// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cli/picture/svg.hpp"
#include "cli/plot/kinds.hpp"
#include "cli/plot/numbers.hpp"

namespace mx::cli {
namespace {

constexpr int kBins = 4;      ///< a binade
constexpr int kSamples = 96;  ///< a bin
constexpr double kLow = -14;  ///< log2 of the least error shown

/// Relative errors by magnitude: of single values, or of an element beside a block's largest one.
class ErrorOf {
 public:
  ErrorOf(const PlotRequest& request, const FormatChoice& format)
      : source_(request.book->require_element("source", request.source)) {
    const golden::ProfileChoice profile = one_profile(request);
    if (format.block == nullptr) {
      const ConversionConfig config = conversion_of(request, format, profile, source_);
      convert_.emplace(Conversion::make(config).value());
      element_ = config.destination;
    } else {
      QuantizerConfig config = block_of(request, format, profile, source_);
      config.tensor = tensor_level(config, unpacked(kLargest));
      quantizer_.emplace(quantizer_of(config));
    }
  }

  /// NaN or infinity counts as an error of 1.
  [[nodiscard]] double operator()(double x) const {
    const std::uint64_t code = encode(unpacked(x), source_, {}, 0).code;
    const double exact = number_of(decode(source_, code));
    const double rounded =
        convert_ ? number_of(decode(element_, (*convert_)(code).code)) : in_block(code);
    const double error = std::abs(rounded - exact) / exact;
    return std::isfinite(error) ? std::min(error, 1.0) : 1;
  }

  static constexpr double kLargest = 1.75;

 private:
  [[nodiscard]] double in_block(std::uint64_t code) const {
    const std::array source = {encode(unpacked(kLargest), source_, {}, 0).code, code};
    std::array<std::uint64_t, 2> codes{};
    std::array<std::uint64_t, 2> values{};
    const BlockResult result = quantizer_->quantize_block(source, {}, codes);
    quantizer_->dequantize_block(result.scale_code, codes, formats::fp32, values);
    return number_of(decode(formats::fp32, values[1]));
  }

  const ElementFormat& source_;
  ElementFormat element_;
  std::optional<Conversion> convert_;
  std::optional<Quantizer> quantizer_;
};

/// log2 of the largest error in each bin of magnitudes.
std::vector<double> largest_errors(const ErrorOf& error_of, const Axis& powers) {
  std::vector<double> largest;
  for (double low = powers.low; low < powers.high; low += 1.0 / kBins) {
    double most = 0;
    for (int sample = 0; sample < kSamples; ++sample) {
      most = std::max(most, error_of(std::exp2(low + (sample + 0.5) / (kBins * kSamples))));
    }
    largest.push_back(std::clamp(std::log2(most), kLow, 0.0));
  }
  return largest;
}

/// Are all formats of blocks? Error kUsage for a mixture.
bool are_blocks(const std::vector<FormatChoice>& formats) {
  const auto is_block = [](const FormatChoice& each) { return each.block != nullptr; };
  const bool all = std::ranges::all_of(formats, is_block);
  if (!all && std::ranges::any_of(formats, is_block))
    fail(Exit::kUsage, "--format: element formats or block formats, not both");
  return all;
}

}  // namespace

std::string plot_errors(const PlotRequest& request) {
  Names names = request.formats;
  if (names.empty()) names = {"e4m3fn", "e5m2", "e3m2fn", "e2m1fn"};
  std::vector<FormatChoice> formats;
  for (const std::string& name : names) formats.push_back(request.book->require(name));
  const bool is_block = are_blocks(formats);
  Svg svg("Largest relative error, by magnitude",
          is_block ? fmt::format("Each element stands in a block whose largest magnitude is {}. "
                                 "The further below it, the fewer bits are left.",
                                 number_text(ErrorOf::kLargest))
                   : "Flat where values are normal. It rises to the left in the subnormals, and to "
                     "the right above the largest value.");
  const Axis x{is_block ? -20.0 : -18.0, is_block ? 0.0 : 18.0, 0, 0};
  std::vector<std::vector<double>> curves;
  double low = -1;
  for (const FormatChoice& format : formats) {
    curves.push_back(largest_errors(ErrorOf(request, format), x));
    low = std::min(low, std::floor(std::ranges::min(curves.back())));
  }
  const PowerPlane plane = power_plane(
      svg, 280, x, {low, 0, 0, 0}, is_block ? "magnitude of the element" : "magnitude of the value",
      "relative error; 2^0 is 100 %");
  for (std::size_t i = 0; i < curves.size(); ++i) {
    std::vector<Point> points;
    for (std::size_t bin = 0; bin < curves[i].size(); ++bin) {
      const double y = plane.y.at(curves[i][bin]) + 2 * static_cast<double>(i) - 3;
      points.push_back({plane.x.at(x.low + static_cast<double>(bin) / kBins), y});
      points.push_back({plane.x.at(x.low + static_cast<double>(bin + 1) / kBins), y});
    }
    svg.curve(points, line_look(i));
  }
  legend(svg, names);
  return svg.str();
}

}  // namespace mx::cli
