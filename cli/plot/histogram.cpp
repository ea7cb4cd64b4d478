// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/picture/svg.hpp"
#include "cli/plot/kinds.hpp"
#include "cli/plot/numbers.hpp"
#include "golden/bytes/number_text.hpp"
#include "golden/text/exact.hpp"

namespace mx::cli {
namespace {

struct PlotCounts {
  ElementFormat element;
  std::map<std::uint64_t, std::uint64_t> by_code;
  std::uint64_t total = 0;

  void add(std::uint64_t code) {
    ++by_code[code];
    ++total;
  }
};

Unpacked largest_of(const PlotTensor& tensor) {
  Unpacked amax;
  for (const auto& row : tensor.rows) {
    for (const std::uint64_t code : row) {
      const Unpacked x = decode(*tensor.source, code);
      if (x.cls == ValueClass::kFinite && compare_magnitude(x, amax) > 0) amax = x;
    }
  }
  amax.negative = false;
  return amax;
}

PlotCounts counts_of(const PlotRequest& request, const FormatChoice& format,
                     const PlotTensor& tensor) {
  PlotCounts counts;
  if (format.block == nullptr) {
    const ConversionConfig config =
        conversion_of(request, format, one_profile(request), *tensor.source);
    const Conversion convert = Conversion::make(config).value();
    counts.element = config.destination;
    for (const auto& row : tensor.rows) {
      for (const std::uint64_t code : row) counts.add(convert(code).code);
    }
    return counts;
  }
  QuantizerConfig config = block_of(request, format, one_profile(request), *tensor.source);
  config.tensor = tensor_level(config, largest_of(tensor));
  counts.element = config.format.element;
  each_block(tensor, quantizer_of(config), [&](auto, const BlockResult&, const auto& codes) {
    for (const std::uint64_t code : codes) counts.add(code);
  });
  return counts;
}

/// Finite codes from the most negative value to the largest; -0 before +0.
std::vector<std::uint64_t> codes_in_order(const ElementFormat& format) {
  std::vector<std::uint64_t> codes;
  for (const FormatValue& each : values_of(format)) codes.push_back(each.code);
  std::vector<std::uint64_t> all;
  for (std::uint64_t code = 0; code <= format.code_mask(); ++code) {
    const Unpacked x = decode(format, code);
    if (x.negative && x.cls <= ValueClass::kFinite) all.push_back(code);
  }
  std::ranges::stable_sort(all, {},
                           [&](std::uint64_t code) { return number_of(decode(format, code)); });
  all.insert(all.end(), codes.begin(), codes.end());
  return all;
}

std::string share_text(std::uint64_t part, std::uint64_t whole) {
  return fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

}  // namespace

std::string plot_histogram(const PlotRequest& request) {
  const FormatChoice format = one_format(request, "mxfp4");
  const PlotTensor tensor = tensor_of(request, 64, 64);
  const PlotCounts counts = counts_of(request, format, tensor);
  if (counts.total == 0) fail(Exit::kBadInput, "{}: it has no values", tensor.name);
  const std::vector<std::uint64_t> codes = codes_in_order(counts.element);
  std::uint64_t most = 1;
  std::uint64_t shown = 0, zeros = 0, subnormals = 0, ends = 0;
  for (const auto& [code, count] : counts.by_code) {
    const Unpacked x = decode(counts.element, code);
    if (x.cls > ValueClass::kFinite) continue;
    most = std::max(most, count);
    shown += count;
    const std::string_view kind = golden::number_class(counts.element, x);
    if (kind == "zero") zeros += count;
    if (kind == "subnormal") subnormals += count;
    if ((code & counts.element.magnitude_mask()) == counts.element.max_code) ends += count;
  }
  Svg svg(
      fmt::format("Codes of {}, counted", format.name),
      fmt::format("{}. Zeros {}, subnormals {}, largest value of either sign {}. {} of {} "
                  "codes occur. Infinities and NaN: {}.",
                  tensor.name, share_text(zeros, counts.total),
                  share_text(subnormals, counts.total), share_text(ends, counts.total),
                  counts.by_code.size(), codes.size(), golden::with_commas(counts.total - shown)));
  const double top = svg.bottom() + 30;
  const Axis y{0, static_cast<double>(most), top + 220, top};
  const double left = Svg::kMargin + 36;
  const double step = (Svg::kWidth - Svg::kMargin - left) / static_cast<double>(codes.size());
  svg.text({Svg::kMargin, top - 8}, "elements", {12, Anchor::kStart, "dim"});
  for (const double part : {0.5, 1.0}) {
    const double at = y.at(part * static_cast<double>(most));
    svg.line({left, at}, {Svg::kWidth - Svg::kMargin, at}, "grid");
    svg.text({left - 6, at + 4},
             golden::with_commas(static_cast<std::uint64_t>(part * static_cast<double>(most))),
             {11, Anchor::kEnd, "dim"});
  }
  Labels labels(svg, y.from + 18, {12, Anchor::kMiddle, "ink"});
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const auto found = counts.by_code.find(codes[i]);
    const std::uint64_t count = found == counts.by_code.end() ? 0 : found->second;
    const double value = number_of(decode(counts.element, codes[i]));
    const double x = left + static_cast<double>(i) * step;
    const std::string_view kind =
        golden::number_class(counts.element, decode(counts.element, codes[i]));
    const double height = y.from - y.at(static_cast<double>(count));
    svg.box({x + step * 0.1, y.from - height}, step * 0.8, height,
            kind == "subnormal" ? "fb"
            : kind == "zero"    ? "fe"
                                : "fa",
            fmt::format("{} = {}: {}", golden::hex_code(counts.element, codes[i]),
                        number_text(value), golden::with_commas(count)));
    if (codes.size() <= 32 || i % (codes.size() / 8) == 0 || i + 1 == codes.size())
      labels.add(x + step / 2, number_text(value));
  }
  svg.line({left, y.from}, {Svg::kWidth - Svg::kMargin, y.from}, "axis");
  svg.text({(left + Svg::kWidth - Svg::kMargin) / 2, y.from + 40},
           fmt::format("value of the {} code, before its scale", counts.element.name),
           {12, Anchor::kMiddle, "dim"});
  return svg.str();
}

}  // namespace mx::cli
