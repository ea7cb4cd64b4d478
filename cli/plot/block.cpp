// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/base/asked.hpp"
#include "cli/picture/svg.hpp"
#include "cli/plot/kinds.hpp"
#include "cli/plot/numbers.hpp"
#include "golden/explain/input.hpp"
#include "golden/text/exact.hpp"

namespace mx::cli {
namespace {

constexpr std::size_t kMostColumns = 8;  ///< so many elements have a column of numbers each

/// A block's way there and back.
struct ShownBlock {
  QuantizerConfig config;
  std::uint64_t scale_code = 0;
  double scale = 0;
  std::vector<double> inputs;
  std::vector<double> scaled;  ///< inputs over the scale
  std::vector<std::uint64_t> codes;
  std::vector<double> values;
};

ShownBlock block_of_inputs(const PlotRequest& request, const PlotTensor& tensor) {
  const FormatChoice format = one_format(request, "mxfp8_e4m3");
  ShownBlock shown{
      block_of(request, format, one_profile(request), *tensor.source), 0, 0, {}, {}, {}, {}};
  Unpacked amax;
  for (const std::uint64_t code : tensor.rows[0]) {
    const Unpacked x = decode(*tensor.source, code);
    if (x.cls == ValueClass::kNan || x.cls == ValueClass::kInf)
      fail(Exit::kUsage, "block: a picture takes finite numbers");
    if (compare_magnitude(x, amax) > 0) amax = x;
    shown.inputs.push_back(number_of(x));
  }
  if (shown.config.format.extent == BlockExtent::kElements &&
      tensor.rows[0].size() > static_cast<std::size_t>(shown.config.format.elements())) {
    fail(Exit::kUsage, "block: {} inputs for a block of {}", tensor.rows[0].size(),
         shown.config.format.elements());
  }
  amax.negative = false;
  shown.config.tensor = tensor_level(shown.config, amax);
  const Quantizer quantizer = quantizer_of(shown.config);
  shown.codes.resize(tensor.rows[0].size());
  shown.scale_code = quantizer.quantize_block(tensor.rows[0], {}, shown.codes).scale_code;
  std::vector<std::uint64_t> back(shown.codes.size());
  quantizer.dequantize_block(shown.scale_code, shown.codes, formats::fp32, back);
  shown.scale = number_of(quantizer.scale_value(shown.scale_code));
  for (std::size_t i = 0; i < back.size(); ++i) {
    shown.values.push_back(number_of(decode(formats::fp32, back[i])));
    shown.scaled.push_back(
        number_of(quantizer.scaled_element(tensor.rows[0][i], shown.scale_code, i, amax)));
  }
  return shown;
}

PlotTensor typed_inputs(const PlotRequest& request) {
  PlotTensor tensor{"", &request.book->require_element("source", request.source), {{}}};
  for (const std::string& text : request.inputs) {
    tensor.rows[0].push_back(asked([&] {
      return golden::parse_input(*tensor.source, text, golden::BitsFirst::kNo,
                                 golden::Spelling::kOptions)
          .code;
    }));
  }
  return tensor;
}

std::string scale_text(const ShownBlock& block) {
  const double power = power_of(block.scale);
  const std::string value = power == std::floor(power)
                                ? fmt::format("2^{} = {}", power, number_text(block.scale))
                                : number_text(block.scale);
  return fmt::format("shared scale {}, code {}", value,
                     golden::hex_code(block.config.format.scale, block.scale_code));
}

/// The shared scale as a bracket over all elements.
void draw_scale(Svg& svg, const ShownBlock& block, double left, double right) {
  const double y = svg.bottom() + 20;
  svg.box({left, y}, right - left, 30, "soft");
  svg.text({(left + right) / 2, y + 20}, scale_text(block), {13, Anchor::kMiddle, "fb bold"});
}

/// Inputs as rings, results as bars, errors between them.
void draw_values(Svg& svg, const ShownBlock& block, double left, double right) {
  double high = 0;
  double low = 0;
  for (const double x : block.inputs) {
    high = std::max(high, x);
    low = std::min(low, x);
  }
  for (const double x : block.values) {
    high = std::max(high, x);
    low = std::min(low, x);
  }
  if (high == low) high = 1;
  const double top = svg.bottom() + 22;
  const Axis y{low, high, top + 170, top + 10};
  const double step = (right - left) / static_cast<double>(block.inputs.size());
  svg.line({left, y.at(0)}, {right, y.at(0)}, "axis");
  for (std::size_t i = 0; i < block.inputs.size(); ++i) {
    const double x = left + (static_cast<double>(i) + 0.5) * step;
    const double half = std::min(14.0, 0.36 * step);
    const double from = std::min(y.at(block.values[i]), y.at(0));
    svg.box({x - half, from}, 2 * half, std::abs(y.at(block.values[i]) - y.at(0)), "soft");
    svg.line({x - half, y.at(block.values[i])}, {x + half, y.at(block.values[i])}, "la");
    if (block.inputs[i] != block.values[i]) {
      svg.line({x, y.at(block.inputs[i])}, {x, y.at(block.values[i])}, "ld");
    }
    svg.dot({x, y.at(block.inputs[i])}, 3.5, "fb");
  }
}

void draw_key(Svg& svg) {
  const double y = svg.bottom() + 24;
  double x = Svg::kMargin;
  svg.dot({x + 6, y - 4}, 3.5, "fb");
  svg.text({x + 16, y}, "input");
  x += 80;
  svg.line({x, y - 4}, {x + 18, y - 4}, "la");
  svg.text({x + 26, y}, "what the code means");
  x += 210;
  svg.line({x, y - 12}, {x, y + 2}, "ld");
  svg.text({x + 10, y}, "error");
}

/// A row of numbers, one a column, its name on the left.
void draw_row(Svg& svg, std::string_view name, const std::vector<std::string>& cells, double left,
              double right, const TextStyle& style) {
  const double y = svg.bottom() + 20;
  svg.text({Svg::kMargin, y}, name, {12, Anchor::kStart, "dim"});
  const double step = (right - left) / static_cast<double>(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    svg.text({left + (static_cast<double>(i) + 0.5) * step, y}, cells[i], style);
  }
}

std::vector<std::string> short_texts(const std::vector<double>& numbers) {
  std::vector<std::string> texts;
  for (const double x : numbers) texts.push_back(fmt::format("{:.4g}", x));
  return texts;
}

std::vector<std::string> element_code_texts(const ShownBlock& block) {
  std::vector<std::string> texts;
  for (const std::uint64_t code : block.codes)
    texts.push_back(golden::hex_code(block.config.format.element, code));
  return texts;
}

std::vector<double> block_errors(const ShownBlock& block) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < block.inputs.size(); ++i)
    errors.push_back(block.values[i] - block.inputs[i]);
  return errors;
}

}  // namespace

std::string plot_block(const PlotRequest& request) {
  const PlotTensor tensor =
      request.inputs.empty() ? tensor_of(request, 1, 32) : typed_inputs(request);
  const ShownBlock block = block_of_inputs(request, tensor);
  const BlockFormat& format = block.config.format;
  const std::size_t count = block.inputs.size();
  Svg svg(
      fmt::format("A block of {}: {} elements and one shared scale", format.name, count),
      fmt::format("Scale: {}, rule {}. Each element is divided by the scale and rounded to {}, {}.",
                  format.scale.name, token_of(block.config.block.rule), format.element.name,
                  token_of(block.config.element.rounding)));
  if (format.tensor_scale != TensorScale::kNone) {
    const double tensor_scale = number_of(decode(formats::fp32, block.config.tensor.scale));
    svg.text({Svg::kMargin, svg.bottom() + 16},
             fmt::format("The tensor scale {} multiplies every value.", number_text(tensor_scale)),
             {13, Anchor::kStart, "dim"});
  }
  const bool is_few = count <= kMostColumns;
  const double left = is_few ? 112 : Svg::kMargin;
  const double right = Svg::kWidth - Svg::kMargin;
  draw_values(svg, block, left, right);
  draw_key(svg);
  draw_scale(svg, block, left, right);
  const double step = (right - left) / static_cast<double>(count);
  const int size = std::clamp(static_cast<int>(step / 1.9), 8, 12);
  const TextStyle mono{is_few ? 13 : size, Anchor::kMiddle, "fa mono"};
  if (is_few) {
    const TextStyle number{12, Anchor::kMiddle, "ink"};
    draw_row(svg, "input", short_texts(block.inputs), left, right, number);
    draw_row(svg, "input / scale", short_texts(block.scaled), left, right, number);
    draw_row(svg, "code", element_code_texts(block), left, right, mono);
    draw_row(svg, "value", short_texts(block.values), left, right, number);
    draw_row(svg, "error", short_texts(block_errors(block)), left, right,
             {12, Anchor::kMiddle, "fd"});
  } else {
    draw_row(svg, "", element_code_texts(block), left, right, mono);
    svg.text({Svg::kMargin, svg.bottom() + 22},
             fmt::format("element codes, {} bits each, in hexadecimal", format.element.bits),
             {12, Anchor::kStart, "dim"});
  }
  return svg.str();
}

}  // namespace mx::cli
