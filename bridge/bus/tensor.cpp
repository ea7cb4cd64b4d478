#include "bridge/bus/tensor.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bridge/bus/format_of.hpp"
#include "golden/text/exact.hpp"
#include "reference/number/philox.hpp"

namespace mx::bridge {
namespace {

using golden::Field;

constexpr std::array kOperands = {Field::kSource, Field::kRandom, Field::kAScale, Field::kA,
                                  Field::kBScale, Field::kB,      Field::kC};
constexpr std::array kResults = {Field::kScale, Field::kCode, Field::kFlags};

/// Elements of a block along a line; 0 where blocks are not pieces of lines.
std::size_t block_length(const BlockFormat& format, std::size_t line) {
  if (format.extent == BlockExtent::kAxis) return line;
  if (format.extent != BlockExtent::kElements || format.tile_lines != 1) return 0;
  return static_cast<std::size_t>(format.block_size);
}

/// The configuration with the tensor's level, where that was not given.
QuantizerConfig levelled(QuantizerConfig config, std::span<const std::uint64_t> source) {
  const TensorLevel unknown{};
  if (config.format.tensor_scale == TensorScale::kNone || config.tensor.amax != unknown.amax ||
      config.tensor.scale != unknown.scale) {
    return config;
  }
  Unpacked amax;
  for (const std::uint64_t code : source) {
    const Unpacked x = decode_flushed(config.source, config.element, code);
    if (x.cls == ValueClass::kFinite && compare_magnitude(x, amax) > 0) amax = x;
  }
  amax.negative = false;
  config.tensor = tensor_level(config, amax);
  return config;
}

std::string operand_problem(const QuantizerConfig& config, const TensorShape& shape,
                            std::span<const std::uint64_t> source) {
  if (block_length(config.format, shape.length) == 0) {
    return fmt::format("blocks of {} are not pieces of lines", config.format.name);
  }
  const std::uint64_t elements = std::uint64_t{shape.lines} * shape.length;
  if (elements == 0 || source.size() != elements) {
    return fmt::format("a tensor of {} x {} has {} elements, but the array has {}", shape.lines,
                       shape.length, elements, source.size());
  }
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (config.source.takes(source[i])) continue;
    return fmt::format("field source[{}]: {:x} has bits beyond the {} of {}", i, source[i],
                       config.source.bits, config.source.name);
  }
  return {};
}

}  // namespace

bool answer_array(Handle& handle, std::uint32_t elements, std::span<const std::uint64_t> operands,
                  ArrayAnswer& answer) {
  answer = {};
  if (!handle.start(elements)) return false;
  std::size_t wanted = 0;
  for (const Field field : kOperands) wanted += handle.words(field);
  if (wanted != operands.size()) {
    return handle.refuse(
        fmt::format("operands: {} words, but the records have {}", operands.size(), wanted));
  }
  for (const Field field : kOperands) {
    const std::size_t words = handle.words(field);
    std::ranges::copy(operands.first(words), handle.operand(field).begin());
    operands = operands.subspan(words);
  }
  if (!handle.answer()) return false;
  for (const Field field : kResults) {
    const std::span<const std::uint64_t> words = handle.of(field);
    answer.results.insert(answer.results.end(), words.begin(), words.end());
    for (std::size_t i = 0; i < words.size(); ++i) {
      answer.open.push_back(handle.open_bits(field, i) != 0 ? 1 : 0);
    }
  }
  return true;
}

bool quantize_tensor(Handle& handle, const TensorShape& shape,
                     std::span<const std::uint64_t> source, TensorAnswer& answer) {
  answer = {};
  if (!handle.start(golden::Operation::kBlock, 0)) return false;
  const auto& given = std::get<QuantizerConfig>(handle.model().configuration().what);
  if (std::string why = operand_problem(given, shape, source); !why.empty()) {
    return handle.refuse(std::move(why));
  }
  const Quantizer quantizer = Quantizer::make(levelled(given, source)).value();
  const QuantizerConfig& config = quantizer.config();
  const bool rounds_at_random = is_stochastic(config.element.rounding);
  const bool draws = rounds_at_random || facts_of(config.block.rule).draws;
  const int random_bits = rounds_at_random ? config.element.random_bits : 32;
  const std::size_t block = block_length(config.format, shape.length);
  answer.codes.resize(source.size());
  std::vector<std::uint32_t> random;
  for (std::size_t line = 0; line < source.size(); line += shape.length) {
    for (std::size_t at = 0; at < shape.length; at += block) {
      const std::size_t first = line + at;
      const std::size_t count = std::min<std::size_t>(block, shape.length - at);
      random.clear();
      for (std::size_t i = 0; draws && i < count; ++i) {
        random.push_back(counter_random(shape.seed, 0, first + i, random_bits));
      }
      const BlockResult result = quantizer.quantize_block(
          source.subspan(first, count), random, std::span(answer.codes).subspan(first, count));
      answer.scales.push_back(result.scale_code);
    }
  }
  answer.tensor_scale = config.tensor.scale;
  return handle.accept();
}

bool value_text(Handle& handle, std::string_view name, std::uint64_t code, std::string& text) {
  text.clear();
  if (!handle.is_open()) return false;
  Field field{};
  if (!find_field(name, field)) {
    return handle.refuse(fmt::format("no field is called \"{}\"", name));
  }
  const ElementFormat format = format_of(handle.model().configuration(), field);
  if (format.bits == 0) {
    return handle.refuse(fmt::format("field {}: its words are no numbers", name));
  }
  if (!format.takes(code)) {
    return handle.refuse(fmt::format("field {}: {:x} has bits beyond the {} of {}", name, code,
                                     format.bits, format.name));
  }
  text = golden::short_decimal(decode(format, code));
  return handle.accept();
}

}  // namespace mx::bridge
