// SPDX-License-Identifier: Apache-2.0
#include "cli/page/failing_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cli/picture/svg.hpp"
#include "cli/plot/numbers.hpp"
#include "golden/text/exact.hpp"

namespace mx::cli {
namespace {

constexpr double kNarrow = 420;
constexpr std::size_t kMostTicks = 24;

bool is_on_line(const ElementFormat& format, std::uint64_t code) {
  return (code & ~format.code_mask()) == 0 && decode(format, code).cls <= ValueClass::kFinite;
}

/// The distinct finite values of a format from two before the lower to two behind the higher.
std::vector<double> neighbors(const ElementFormat& format, double low, double high) {
  std::vector<double> values;
  for (std::uint64_t code = 0; code <= format.code_mask(); ++code) {
    const Unpacked x = decode(format, code);
    if (x.cls <= ValueClass::kFinite) values.push_back(number_of(x) + 0.0);
  }
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  const auto first = std::ranges::lower_bound(values, low);
  const auto last = std::ranges::upper_bound(values, high);
  const auto before = std::min<std::ptrdiff_t>(2, first - values.begin());
  const auto behind = std::min<std::ptrdiff_t>(2, values.end() - last);
  return {first - before, last + behind};
}

}  // namespace

std::string failing_line(std::string_view name, const ElementFormat& format, std::uint64_t expected,
                         std::uint64_t given, const std::optional<Unpacked>& exact) {
  if (format.bits > 16 || !is_on_line(format, expected) || !is_on_line(format, given)) return "";
  const double right = number_of(decode(format, expected));
  const double wrong = number_of(decode(format, given));
  const std::vector<double> values =
      neighbors(format, std::min(right, wrong), std::max(right, wrong));
  if (values.size() < 2) return "";
  const std::string before =
      exact ? fmt::format("; before rounding {}", number_text(number_of(*exact))) : "";
  Svg svg(fmt::format("{}: expected {}, device {}", name, number_text(right), number_text(wrong)),
          fmt::format("values of {}{}", format.name, before), kNarrow);
  const double y = svg.bottom() + 44;
  const Axis axis{values.front(), values.back(), Svg::kMargin + 14, kNarrow - Svg::kMargin - 14};
  svg.line({axis.from, y}, {axis.to, y}, "axis");
  Labels labels(svg, y + 28, {12, Anchor::kMiddle, "dim"});
  const std::size_t step = 1 + values.size() / kMostTicks;
  for (std::size_t i = 0; i < values.size(); i += step) {
    svg.line({axis.at(values[i]), y - 8}, {axis.at(values[i]), y + 8}, "axis");
    labels.add(axis.at(values[i]), number_text(values[i]));
  }
  const auto mark = [&](double value, std::string_view color, double end, const std::string& text) {
    const double x = axis.at(value);
    svg.arrow({x, end}, {x, y + (end < y ? -10 : 34)}, color);
    const double half = text_width(text, {13, Anchor::kMiddle, "bold"}) / 2;
    const double middle = std::clamp(x, Svg::kMargin + half - 8, kNarrow - Svg::kMargin - half + 8);
    svg.text({middle, end + (end < y ? -6 : 14)}, text,
             {13, Anchor::kMiddle, fmt::format("f{} bold", color)});
  };
  mark(right, "c", y - 28, fmt::format("expected {}", golden::hex_code(format, expected)));
  mark(wrong, "d", y + 52, fmt::format("device {}", golden::hex_code(format, given)));
  if (exact && exact->cls <= ValueClass::kFinite) {
    const double value = number_of(*exact);
    if (value >= values.front() && value <= values.back()) svg.dot({axis.at(value), y}, 4, "fa");
  }
  return svg.str();
}

}  // namespace mx::cli
