// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cli/options/policies.hpp"
#include "cli/picture/svg.hpp"
#include "cli/plot/kinds.hpp"
#include "cli/plot/numbers.hpp"

namespace mx::cli {
namespace {

constexpr int kPerBinade = 128;
constexpr int kBinades = 4;

/// What a rule or a profile makes of blocks with this largest magnitude.
struct ScaleCurve {
  std::string name;
  std::vector<double> scales;
};

/// Largest magnitudes from 2^(emax - 1) on: there a scale is near 1.
std::vector<double> maxima(const ElementFormat& element) {
  std::vector<double> values;
  for (int i = 0; i < kBinades * kPerBinade; ++i) {
    const double fraction = 1 + static_cast<double>(i % kPerBinade) / kPerBinade;
    values.push_back(std::ldexp(fraction, element.emax() - 1 + i / kPerBinade));
  }
  return values;
}

ScaleCurve curve_of(const PlotRequest& request, const FormatChoice& format, const std::string& name,
                    const ElementFormat& source) {
  PlotRequest asked = request;
  asked.rule = parse_token<ScaleRule>(name);
  const QuantizerConfig config =
      block_of(asked, format, require_profile(asked.rule ? "mxgold-default" : name), source);
  const Quantizer quantizer = quantizer_of(config);
  ScaleCurve curve{name, {}};
  for (const double largest : maxima(config.format.element)) {
    const std::array source_code = {encode(unpacked(largest), source, {}, 0).code};
    std::array<std::uint64_t, 1> code{};
    curve.scales.push_back(number_of(
        quantizer.scale_value(quantizer.quantize_block(source_code, {}, code).scale_code)));
  }
  return curve;
}

std::vector<std::string> rules_shown(const BlockFormat& format) {
  if (format.scale.man_bits == 0) return {"floor", "ceil", "rceil", "even_up"};
  return {std::string(token_of(format.rule))};
}

}  // namespace

std::string plot_scales(const PlotRequest& request) {
  const FormatChoice format = one_format(request, "mxfp8_e4m3");
  const BlockFormat& block = block_format_of(format);
  const ElementFormat& source = request.book->require_element("source", request.source);
  std::vector<ScaleCurve> curves;
  for (const std::string& name : request.inputs.empty() ? rules_shown(block) : request.inputs) {
    curves.push_back(curve_of(request, format, name, source));
  }
  const double most = number_of(decode(block.element, block.element.max_code));
  Svg svg(
      fmt::format("The shared scale of {} over a block's maximum", block.name),
      fmt::format("A rule is a step function. Below the dashed line the largest element is above "
                  "{} x scale, so it saturates. "
                  "Far above the line, bits of precision are given away.",
                  number_text(most)));
  const std::vector<double> x = maxima(block.element);
  double low = 1e300;
  double high = 0;
  for (const ScaleCurve& curve : curves) {
    low = std::min(low, *std::ranges::min_element(curve.scales));
    high = std::max(high, *std::ranges::max_element(curve.scales));
  }
  const PowerPlane plane =
      power_plane(svg, 280, {power_of(x.front()), power_of(x.front()) + kBinades, 0, 0},
                  {std::floor(power_of(low)) - 0.5, std::ceil(power_of(high)) + 0.5, 0, 0},
                  "largest magnitude of the block", "scale");
  std::vector<Point> limit;
  for (const double largest : x) {
    const double power = power_of(largest / most);
    if (power >= plane.y.low && power <= plane.y.high)
      limit.push_back({plane.x.at(power_of(largest)), plane.y.at(power)});
  }
  const std::array ends = {limit.front(), limit.back()};
  svg.line(ends[0], ends[1], "dash");
  std::vector<std::string> names;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    // ConversionThresholds that lie on one another would hide all but the last.
    const double shift = 3 * (static_cast<double>(i) - static_cast<double>(curves.size() - 1) / 2);
    std::vector<Point> points;
    for (std::size_t at = 0; at < x.size(); ++at) {
      const double right = plane.x.at(power_of(x[at]));
      const double y = plane.y.at(power_of(curves[i].scales[at])) + shift;
      if (at != 0 && curves[i].scales[at] == curves[i].scales[at - 1]) continue;
      if (at != 0) points.push_back({right, points.back().y});
      points.push_back({right, y});
    }
    points.push_back({plane.x.to, points.back().y});
    svg.curve(points, line_look(i));
    names.push_back(curves[i].name);
  }
  legend(svg, names);
  return svg.str();
}

}  // namespace mx::cli
