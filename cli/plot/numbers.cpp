// SPDX-License-Identifier: Apache-2.0
#include "cli/plot/numbers.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "cli/files/tensor_file.hpp"
#include "cli/options/policies.hpp"
#include "golden/text/exact.hpp"
#include "reference/number/philox.hpp"

namespace mx::cli {

double number_of(const Unpacked& x) {
  double magnitude = 0;
  if (x.cls == ValueClass::kNan) return std::numeric_limits<double>::quiet_NaN();
  if (x.cls == ValueClass::kInf) magnitude = std::numeric_limits<double>::infinity();
  if (x.cls == ValueClass::kFinite) {
    magnitude = std::ldexp(static_cast<double>(x.significand), x.exponent - 63);
  }
  return x.negative ? -magnitude : magnitude;
}

Unpacked unpacked(double x) {
  int exponent = 0;
  const double fraction = std::frexp(std::abs(x), &exponent);
  return unpack_integer(std::signbit(x), static_cast<std::uint64_t>(std::ldexp(fraction, 53)),
                        exponent - 53);
}

std::string number_text(double x) { return fmt::format("{:.6g}", x); }

double power_of(double x) { return std::log2(x); }

std::vector<FormatValue> values_of(const ElementFormat& format) {
  if (format.bits > 8) {
    fail(Exit::kUsage, "{}: {} bits have more values than a picture has room for; at most 8",
         format.name, format.bits);
  }
  std::vector<FormatValue> values;
  for (std::uint64_t code = 0; code <= format.code_mask(); ++code) {
    const Unpacked x = decode(format, code);
    if (x.negative || (x.cls != ValueClass::kFinite && x.cls != ValueClass::kZero)) continue;
    values.push_back({code, number_of(x), golden::number_class(format, x) == "subnormal"});
  }
  std::ranges::stable_sort(values, {}, &FormatValue::value);
  return values;
}

namespace {

/// A value of a bell curve of variance 1: the sum of twelve uniform words of 16 bits, centered.
double bell(std::uint64_t index) {
  std::int64_t sum = 0;
  for (std::uint64_t i = 0; i < 12; ++i) sum += counter_random(0, 0, 12 * index + i, 16);
  return static_cast<double>(sum - std::int64_t{6} * 65535) / 65536;
}

PlotTensor bell_tensor(const PlotRequest& request, std::size_t rows, std::size_t columns) {
  PlotTensor tensor{fmt::format("{} values of a normal distribution", rows * columns),
                    &request.book->require_element("source", request.source),
                    {}};
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<std::uint64_t>& words = tensor.rows.emplace_back();
    for (std::size_t i = 0; i < columns; ++i) {
      words.push_back(encode(unpacked(bell(row * columns + i)), *tensor.source, {}, 0).code);
    }
  }
  return tensor;
}

PlotTensor file_tensor(const std::string& path) {
  const TensorFile file = TensorFile::open(path);
  const Tensor& found = *select_tensors(file, "all").front();
  PlotTensor tensor{
      fmt::format("tensor {} of {}", found.name, std::filesystem::path(path).filename().string()),
      found.format,
      {}};
  const std::size_t bytes = static_cast<std::size_t>(found.format->storage_bits) / 8;
  const std::size_t columns = found.shape.empty() ? 1 : found.shape.back();
  for (std::size_t at = 0; at < found.elements; ++at) {
    if (at % columns == 0) tensor.rows.emplace_back();
    std::uint64_t word = 0;
    std::memcpy(&word, found.data.data() + at * bytes, bytes);
    tensor.rows.back().push_back(word);
  }
  return tensor;
}

template <typename T>
T usable(Checked<T> made) {
  if (!made) throw Error(Exit::kUsage, std::string(made.problem()));
  return std::move(made).value();
}

}  // namespace

PlotTensor tensor_of(const PlotRequest& request, std::size_t rows, std::size_t columns) {
  if (request.inputs.empty()) return bell_tensor(request, rows, columns);
  if (request.inputs.size() > 1)
    fail(Exit::kUsage, "one tensor file, not {}", request.inputs.size());
  return file_tensor(request.inputs.front());
}

QuantizerConfig block_of(const PlotRequest& request, const FormatChoice& format,
                         const golden::ProfileChoice& profile, const ElementFormat& source) {
  const ProfiledFormat chosen = profiled(profile, format, source);
  QuantizerConfig config{source, block_format_of(format), chosen.policies.element,
                         chosen.policies.block};
  config.format.element = chosen.element;
  if (request.rule) config.block.rule = *request.rule;
  if (request.rounding) config.element.rounding = *request.rounding;
  if (is_stochastic(config.element.rounding)) {
    fail(Exit::kUsage,
         "a picture of stochastic rounding would show chance; choose another --rounding");
  }
  return config;
}

ConversionConfig conversion_of(const PlotRequest& request, const FormatChoice& format,
                               const golden::ProfileChoice& profile, const ElementFormat& source) {
  const ProfiledFormat chosen = profiled(profile, format, source);
  ConversionConfig config{source, chosen.element, chosen.policies.element};
  if (request.rounding) config.policy.rounding = *request.rounding;
  if (is_stochastic(config.policy.rounding)) {
    fail(Exit::kUsage,
         "a picture of stochastic rounding would show chance; choose another --rounding");
  }
  return config;
}

Quantizer quantizer_of(const QuantizerConfig& config) { return usable(Quantizer::make(config)); }

golden::ProfileChoice one_profile(const PlotRequest& request) {
  if (request.profiles.size() > 1) fail(Exit::kUsage, "--profile: this picture shows one profile");
  return require_profile(request.profiles.empty() ? "mxgold-default" : request.profiles.front());
}

FormatChoice one_format(const PlotRequest& request, std::string_view otherwise) {
  if (request.formats.size() > 1) fail(Exit::kUsage, "--format: this picture shows one format");
  return request.book->require(request.formats.empty() ? otherwise
                                                       : std::string_view(request.formats.front()));
}

const BlockFormat& block_format_of(const FormatChoice& format) {
  if (format.block == nullptr) {
    fail(Exit::kUsage, "--format {}: this picture is of blocks; take a block format, as mxfp8_e4m3",
         format.name);
  }
  if (format.block->tile_lines != 1) {
    fail(Exit::kUsage, "--format {}: its blocks are tiles; a picture has blocks along one axis",
         format.name);
  }
  return *format.block;
}

}  // namespace mx::cli
