// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "cli/picture/svg.hpp"
#include "cli/plot/kinds.hpp"
#include "cli/plot/numbers.hpp"
#include "golden/text/exact.hpp"
#include "reference/element/default_policy.hpp"
#include "reference/element/encode.hpp"

namespace mx::cli {
namespace {

using LineValues = std::span<const FormatValue>;

constexpr TextStyle kLabel{12, Anchor::kMiddle, "ink"};
constexpr TextStyle kCode{11, Anchor::kMiddle, "dim mono"};
constexpr std::size_t kMostLabels = 16;  ///< so many values have labels, codes and ties each

/// A line for one format, drawn from the top down.
class FormatLine {
 public:
  FormatLine(Svg& svg, const ElementFormat& format, ElementPolicy policy)
      : svg_(svg), format_(format), policy_(policy) {}

  /// All values, labels where there is room.
  void whole(LineValues values, std::string_view name);
  /// A few neighbors with codes and ties; labels are multiples of `unit`.
  void detail(LineValues values, std::string_view name, double unit);

 private:
  void start(std::string_view name, double low, double high);
  void tick(const FormatValue& value, bool is_largest, double height);
  void tie(const FormatValue& below, const FormatValue& above);

  Svg& svg_;
  const ElementFormat& format_;
  ElementPolicy policy_;
  Axis axis_;
  double y_ = 0;
};

void FormatLine::start(std::string_view name, double low, double high) {
  const double y = svg_.bottom();
  svg_.text({Svg::kMargin, y + 26}, name, {13, Anchor::kStart, "ink bold"});
  y_ = y + 74;
  axis_ = {low, high, Svg::kMargin + 12, Svg::kWidth - Svg::kMargin - 16};
  svg_.line({axis_.from, y_}, {axis_.to, y_}, "axis");
}

void FormatLine::tick(const FormatValue& value, bool is_largest, double height) {
  const std::string_view look = is_largest           ? "ld"
                                : value.value == 0   ? "le"
                                : value.is_subnormal ? "lb"
                                                     : "la";
  const double x = axis_.at(value.value);
  svg_.line({x, y_ - height}, {x, y_ + height}, look);
}

/// The middle of two values, and where it is rounded.
void FormatLine::tie(const FormatValue& below, const FormatValue& above) {
  const double middle = (below.value + above.value) / 2;
  const std::uint64_t code = encode(unpacked(middle), format_, policy_, 0).code;
  const double x = axis_.at(middle);
  svg_.dot({x, y_}, 3, "fc");
  const double to = axis_.at(code == below.code ? below.value : above.value);
  const double step = to < x ? -1 : 1;
  const double end = std::abs(to - x) - 4;
  if (end > 8) svg_.arrow({x + step * 3, y_ + 9}, {x + step * end, y_ + 9}, "c");
}

void FormatLine::whole(LineValues values, std::string_view name) {
  start(name, 0, values.back().value);
  Labels labels(svg_, y_ - 22, kLabel);
  const double largest = values.back().value;
  // The largest value always has its label: others keep away from it.
  const double last = axis_.at(largest) - text_width(number_text(largest), kLabel) - 8;
  for (const FormatValue& each : values) {
    const bool is_largest = each.code == values.back().code;
    tick(each, is_largest, is_largest ? 16 : values.size() > 2 * kMostLabels ? 8 : 12);
    const bool is_round = each.value == 0 || std::abs(std::remainder(power_of(each.value), 1)) == 0;
    if (!is_largest && is_round && axis_.at(each.value) < last)
      labels.add(axis_.at(each.value), number_text(each.value));
  }
  labels.add(axis_.at(largest), number_text(largest));
}

void FormatLine::detail(LineValues values, std::string_view name, double unit) {
  const double low = values.front().value;
  const double high = values.back().value;
  start(name, low, high);
  Labels labels(svg_, y_ - 22, kLabel);
  Labels codes(svg_, y_ + 36, kCode);
  for (std::size_t i = 0; i < values.size(); ++i) {
    tick(values[i], values[i].code == (format_.max_code), 12);
    if (i + 1 < values.size()) tie(values[i], values[i + 1]);
    const double x = axis_.at(values[i].value);
    labels.add(x, number_text(values[i].value / unit));
    codes.add(x, golden::hex_code(format_, values[i].code));
  }
}

void add_key(Svg& svg) {
  double x = Svg::kMargin;
  const double y = svg.bottom() + 24;
  const TextStyle style{13, Anchor::kStart, "ink"};
  const auto add = [&](std::string_view look, std::string_view name) {
    if (look == "fc") {
      svg.dot({x + 8, y - 4}, 3, look);
      svg.arrow({x + 12, y - 4}, {x + 28, y - 4}, "c");
    } else {
      svg.line({x + 8, y - 12}, {x + 8, y + 3}, look);
    }
    x += look == "fc" ? 36 : 18;
    svg.text({x, y}, name, style);
    x += text_width(name, style) + 10;
  };
  add("le", "zero");
  add("lb", "subnormal");
  add("la", "normal");
  add("ld", "largest");
  add("fc", "a tie, and where it goes");
}

std::string kind_text(const ElementFormat& format) {
  if (format.is_fixed()) return fmt::format("{} bits, fixed point", format.bits);
  if (format.kind == FormatKind::kTapered) return fmt::format("{} bits, tapered", format.bits);
  return fmt::format("{} bits: {}{} exponent, {} significand", format.bits,
                     format.is_signed ? "1 sign, " : "", format.exp_bits, format.man_bits);
}

std::string rest_text(const ElementFormat& format) {
  return fmt::format("{}{}; {}.", format.is_signed ? "Negative values mirror these. " : "",
                     format.has_inf() ? "It has infinities" : "No infinities",
                     format.has_nan() ? "it has NaN" : "no NaN");
}

/// Only powers of two, so far apart that only their exponents fit.
std::string powers_picture(const ElementFormat& format, LineValues values) {
  Svg svg(fmt::format("{}: {} powers of two", format.name, values.size()),
          fmt::format("{} bits, all of them exponent. From 2^{} to 2^{}, one code each. {}.",
                      format.bits, power_of(values.front().value), power_of(values.back().value),
                      format.has_nan() ? "One more code is NaN" : "There is no NaN"));
  const double y = svg.bottom() + 60;
  const Axis axis{power_of(values.front().value), power_of(values.back().value), Svg::kMargin + 24,
                  Svg::kWidth - Svg::kMargin - 24};
  svg.line({axis.from, y}, {axis.to, y}, "axis");
  Labels labels(svg, y - 22, kLabel);
  Labels codes(svg, y + 36, kCode);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = axis.at(power_of(values[i].value));
    const bool is_end = i == 0 || i + 1 == values.size();
    const bool is_round = static_cast<int>(power_of(values[i].value)) % 32 == 0;
    svg.line({x, y - (is_end || is_round ? 14 : 6)}, {x, y + (is_end || is_round ? 14 : 6)},
             is_end ? "ld" : "la");
    if (!is_end && !is_round) continue;
    labels.add(x, fmt::format("2^{}", power_of(values[i].value)));
    codes.add(x, golden::hex_code(format, values[i].code));
  }
  return svg.str();
}

std::string format_picture(const ElementFormat& format, const ElementPolicy& policy) {
  const std::vector<FormatValue> values = values_of(format);
  if (format.man_bits == 0 && format.kind == FormatKind::kFloat && values.size() > kMostLabels)
    return powers_picture(format, values);
  const std::string_view token = token_of(policy.rounding);
  Svg svg(fmt::format("{}: {} values from 0 to {}", format.name, values.size(),
                      number_text(values.back().value)),
          fmt::format("{}. {} Ties here: {}.", kind_text(format), rest_text(format), token));
  FormatLine line(svg, format, policy);
  if (values.size() <= kMostLabels) {
    line.detail(values, "all values, and their codes", 1);
  } else {
    const double unit = values.front().value == 0 ? values[1].value : values.front().value;
    line.whole(values, "all values");
    line.detail(LineValues(values).first(std::min<std::size_t>(13, values.size())),
                fmt::format("near zero, in units of 2^{} = {:.9g}", power_of(unit), unit), unit);
    line.detail(LineValues(values).last(9), "near the largest value", 1);
  }
  add_key(svg);
  return svg.str();
}

std::string several_pictures(const PlotRequest& request) {
  std::vector<ElementFormat> formats;
  double limit = 0;
  for (const std::string& name : request.inputs) {
    formats.push_back(*request.book->require(name).element);
    limit = std::max(limit, values_of(formats.back()).back().value);
  }
  Svg svg(
      "Values of formats, side by side",
      fmt::format("Each mark is a value from 0 to the largest of the format; all lines end at {}.",
                  number_text(limit)));
  for (std::size_t i = 0; i < formats.size(); ++i) {
    const std::vector<FormatValue> values = values_of(formats[i]);
    const double y = svg.bottom() + 26;
    svg.text({Svg::kMargin, y},
             fmt::format("{}, largest {}", formats[i].name, number_text(values.back().value)),
             {13, Anchor::kStart, "ink"});
    const Axis axis{0, limit, Svg::kMargin + 8, Svg::kWidth - Svg::kMargin - 8};
    svg.line({axis.from, y + 22}, {axis.to, y + 22}, "grid");
    for (const FormatValue& each : values) {
      svg.line({axis.at(each.value), y + 12}, {axis.at(each.value), y + 32}, line_look(i));
    }
  }
  return svg.str();
}

}  // namespace

std::string plot_numberline(const PlotRequest& request) {
  if (request.inputs.empty())
    fail(Exit::kUsage, "numberline: name a format, as e2m1fn; see `mxgold list`");
  if (request.inputs.size() > 1) return several_pictures(request);
  const ElementFormat& format = *request.book->require(request.inputs.front()).element;
  ElementPolicy policy;
  if (request.rounding) policy.rounding = *request.rounding;
  if (is_stochastic(policy.rounding))
    fail(Exit::kUsage, "--rounding {}: its ties go either way", token_of(policy.rounding));
  return format_picture(format, policy);
}

}  // namespace mx::cli
