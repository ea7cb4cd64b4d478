#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>

#include "backend/abi/guard.hpp"
#include "backend/abi/objects.hpp"
#include "backend/abi/options.hpp"
#include "backend/tensor/amax.hpp"
#include "mxgold.h"
#include "reference/block/back.hpp"
#include "reference/bulk/bulk.hpp"
#include "reference/catalog/catalog.hpp"
#include "reference/element/default_policy.hpp"
#include "reference/tensor/tensor.hpp"

namespace {

using mx::abi::Buffer;
using mx::abi::guarded;
using mx::abi::is_shared;
using mx::abi::Message;
using mx::abi::read_bytes;
using mx::abi::Start;
using mx::abi::threads_for;
using mx::abi::unknown_format;
using mx::abi::write_bytes;

template <typename Word>
Buffer words(const Word* data, std::size_t count) {
  return {data, count * sizeof(Word)};
}

mxgold_status find_source(const char* name, std::optional<mx::ElementFormat>& format,
                          Message& message) {
  format = mx::make_format(name);
  return format ? MXGOLD_OK : unknown_format("format", name, message);
}

bool codes_fit(const std::uint64_t* codes, std::size_t count, const mx::ElementFormat& format) {
  return std::all_of(codes, codes + count, [&](std::uint64_t code) { return format.takes(code); });
}

bool random_fits(const std::uint32_t* random, std::size_t count, int bits) {
  return std::all_of(random, random + count,
                     [&](std::uint32_t word) { return bits == 32 || word >> bits == 0; });
}

/// Checks what single values and blocks have in common.
mxgold_status check_input(const std::uint64_t* source, const std::uint32_t* random,
                          std::size_t count, const mx::ElementFormat& format,
                          const mx::ElementPolicy& policy) {
  if (mx::is_stochastic(policy.rounding)) {
    if (random == nullptr && count > 0) return MXGOLD_NULL_ARGUMENT;
    if (!random_fits(random, count, policy.random_bits)) return MXGOLD_BAD_VALUE;
  }
  return codes_fit(source, count, format) ? MXGOLD_OK : MXGOLD_BAD_CODE;
}

/// A shape in blocks, and the sizes of its buffers.
mxgold_status measure(const mxgold_quantizer* quantizer, const std::uint64_t* shape,
                      std::size_t rank, std::int64_t axis, mx::BlockedShape& blocked,
                      mxgold_tensor_sizes& sizes) {
  if (quantizer == nullptr || (shape == nullptr && rank > 0)) return MXGOLD_NULL_ARGUMENT;
  const mx::QuantizerConfig& config = quantizer->quantizer.config();
  const auto made = mx::BlockedShape::make({shape, rank}, axis, config.format);
  if (!made) return MXGOLD_BAD_SIZE;
  blocked = *made;
  sizes = {blocked.elements, blocked.scales, blocked.elements * mx::storage_bytes(config.source),
           blocked.elements * mx::storage_bytes(config.format.element),
           blocked.scales * mx::scale_bytes(config.format)};
  return MXGOLD_OK;
}

/// The problem: the configuration is none, or the choice insists on a path that it has not.
mx::Checked<mx::Quantizer> quantizer_of(const mx::QuantizerConfig& config,
                                        mx::backend::Choice choice) {
  if (!mx::backend::insists(choice)) return mx::Quantizer::make(config);
  const auto made = mx::backend::TensorQuantizer::make(config, choice);
  if (!made) return mx::Problem{std::string(made.problem())};
  return made->reference();
}

/// A small tensor by the reference, a large one by the path that is proven for it. False where a
/// source word is no code.
bool quantize_all(const mxgold_quantizer& quantizer, const mx::backend::QuantizedTensor& t,
                  mx::backend::Flags* flags) {
  const int threads = threads_for(t.source.size());
  const bool is_small = t.shape.elements < mx::abi::kLarge;
  if (!is_small || mx::backend::insists(quantizer.choice)) {
    return static_cast<bool>(quantizer.tensors.checked().quantize_all(
        t.shape, t.source, t.random, t.codes, t.scales, flags, threads));
  }
  const auto made = mx::quantize_tensor(quantizer.quantizer, t.shape, mx::Tail::kShort, t.source,
                                        t.random, t.codes, t.scales, 0, t.shape.scales, threads);
  if (made && flags != nullptr) *flags |= made->flags;
  return static_cast<bool>(made);
}

}  // namespace

extern "C" {

uint32_t mxgold_abi_version(void) noexcept { return MXGOLD_ABI_VERSION; }
const char* mxgold_version(void) noexcept { return MXGOLD_VERSION; }

const char* mxgold_status_text(mxgold_status status) noexcept {
  switch (status) {
    case MXGOLD_OK:
      return "ok";
    case MXGOLD_NULL_ARGUMENT:
      return "a required pointer is NULL";
    case MXGOLD_UNKNOWN_FORMAT:
      return "a format name is not known";
    case MXGOLD_UNKNOWN_OPTION:
      return "an option name is not known";
    case MXGOLD_BAD_VALUE:
      return "an option value, a random word or a configuration is not legal";
    case MXGOLD_BAD_CODE:
      return "a code has bits above its format's width";
    case MXGOLD_BAD_SIZE:
      return "a count, shape, axis or buffer size does not fit";
    case MXGOLD_NO_MEMORY:
      return "out of memory";
    case MXGOLD_INTERNAL_ERROR:
      return "a defect of the library";
    case MXGOLD_OVERLAP:
      return "an output shares memory with an input or another output; give it memory of its own";
  }
  return "not a status of this library";
}

mxgold_status mxgold_format(const char* name, mxgold_format_info* info) noexcept {
  return guarded(__func__, [&]() -> mxgold_status {
    if (name == nullptr || info == nullptr) return MXGOLD_NULL_ARGUMENT;
    const std::optional<mx::ElementFormat> format = mx::make_format(name);
    if (!format) return MXGOLD_UNKNOWN_FORMAT;
    *info = {static_cast<uint32_t>(format->bits), static_cast<uint32_t>(mx::storage_bytes(*format)),
             format->max_code};
    return MXGOLD_OK;
  });
}

mxgold_status mxgold_conversion_create(const char* source, const char* destination,
                                       const mxgold_option* options, size_t option_count,
                                       mxgold_conversion** out, char* message,
                                       size_t message_size) noexcept {
  return guarded(__func__, Message(message, message_size), [&]() -> mxgold_status {
    if (out == nullptr) return MXGOLD_NULL_ARGUMENT;
    *out = nullptr;
    if (source == nullptr || destination == nullptr || (options == nullptr && option_count > 0)) {
      return MXGOLD_NULL_ARGUMENT;
    }
    Message text(message, message_size);
    std::optional<mx::ElementFormat> from;
    std::optional<mx::ElementFormat> to;
    Start start;
    mxgold_status status = find_source(source, from, text);
    if (status == MXGOLD_OK) status = find_source(destination, to, text);
    if (status == MXGOLD_OK) status = find_start(options, option_count, start, text);
    if (status != MXGOLD_OK) return status;
    mx::ConversionConfig config{*from, *to, mx::default_policy(*to)};
    status = start_conversion(start, source, destination, config, text);
    if (status != MXGOLD_OK) return status;
    mx::Policies policies{config.policy, {}};
    status = apply(options, option_count, mx::FieldScope::kElement, policies, text);
    if (status != MXGOLD_OK) return status;
    config.policy = policies.element;
    const mx::Checked<mx::Conversion> conversion = mx::Conversion::make(config);
    if (!conversion) {
      text.write({conversion.problem()});
      return MXGOLD_BAD_VALUE;
    }
    const auto arrays =
        mx::backend::TensorConverter::make(config, start.backend, mx::backend::Wanted::kCounts);
    if (!arrays) {
      text.write({arrays.problem()});
      return MXGOLD_BAD_VALUE;
    }
    auto made = std::make_unique<mxgold_conversion>(*conversion, *arrays, start.masks);
    made->source = source;
    made->destination = destination;
    *out = made.release();
    return MXGOLD_OK;
  });
}

void mxgold_conversion_destroy(mxgold_conversion* conversion) noexcept { delete conversion; }

mxgold_status mxgold_convert(const mxgold_conversion* conversion, const uint64_t* source,
                             const uint32_t* random, size_t count, uint64_t* codes,
                             uint32_t* flags) noexcept {
  return guarded(__func__, [&]() -> mxgold_status {
    if (conversion == nullptr || (count > 0 && (source == nullptr || codes == nullptr))) {
      return MXGOLD_NULL_ARGUMENT;
    }
    const mx::Conversion& convert = conversion->conversion;
    const mx::ElementPolicy& policy = convert.config().policy;
    const mxgold_status status =
        check_input(source, random, count, convert.config().source, policy);
    if (status != MXGOLD_OK) return status;
    const bool stochastic = mx::is_stochastic(policy.rounding);
    if (is_shared({words(codes, count), words(flags, count)},
                  {words(source, count), words(random, stochastic ? count : 0)})) {
      return MXGOLD_OVERLAP;
    }
    if (flags == nullptr) {
      mx::bulk::convert(convert, {source, count}, {random, stochastic ? count : 0}, {codes, count},
                        {});
      return MXGOLD_OK;
    }
    for (size_t i = 0; i < count; ++i) {
      const mx::Encoded encoded = convert(source[i], stochastic ? random[i] : 0);
      codes[i] = encoded.code;
      flags[i] = encoded.flags;
    }
    return MXGOLD_OK;
  });
}

mxgold_status mxgold_quantizer_create(const char* source, const char* block_format,
                                      const mxgold_option* options, size_t option_count,
                                      mxgold_quantizer** out, char* message,
                                      size_t message_size) noexcept {
  return guarded(__func__, Message(message, message_size), [&]() -> mxgold_status {
    if (out == nullptr) return MXGOLD_NULL_ARGUMENT;
    *out = nullptr;
    if (source == nullptr || block_format == nullptr || (options == nullptr && option_count > 0)) {
      return MXGOLD_NULL_ARGUMENT;
    }
    Message text(message, message_size);
    std::optional<mx::ElementFormat> from;
    mxgold_status status = find_source(source, from, text);
    if (status != MXGOLD_OK) return status;
    const auto book = std::make_shared<mx::FormatCatalog>();
    const mx::BlockFormat* format = book->find_block(block_format);
    if (format == nullptr) return unknown_format("block format", block_format, text);
    mx::QuantizerConfig config{*from, *format, {}, {.rule = format->rule}};
    Start start;
    status = find_start(options, option_count, start, text);
    if (status == MXGOLD_OK) status = set_block_size(options, option_count, config.format, text);
    if (status == MXGOLD_OK) status = start_quantizer(start, source, config, text);
    if (status != MXGOLD_OK) return status;
    mx::Policies policies{config.element, config.block};
    status = apply(options, option_count, mx::FieldScope::kBlock, policies, text);
    if (status != MXGOLD_OK) return status;
    config.element = policies.element;
    config.block = policies.block;
    const mx::Checked<mx::Quantizer> made = quantizer_of(config, start.backend);
    if (!made) {
      text.write({made.problem()});
      return MXGOLD_BAD_VALUE;
    }
    auto handle =
        std::make_unique<mxgold_quantizer>(*made, start.backend, start.masks, start.profile, book);
    handle->source = source;
    *out = handle.release();
    return MXGOLD_OK;
  });
}

void mxgold_quantizer_destroy(mxgold_quantizer* quantizer) noexcept { delete quantizer; }

mxgold_status mxgold_find_tensor_level(const mxgold_quantizer* quantizer, const void* source,
                                       uint64_t source_bytes, mxgold_tensor_level* level) noexcept {
  return guarded(__func__, [&]() -> mxgold_status {
    if (quantizer == nullptr || level == nullptr || (source == nullptr && source_bytes > 0)) {
      return MXGOLD_NULL_ARGUMENT;
    }
    const mx::QuantizerConfig& config = quantizer->quantizer.config();
    if (source_bytes % mx::storage_bytes(config.source) != 0) return MXGOLD_BAD_SIZE;
    const std::span<const std::byte> words = read_bytes(source, source_bytes);
    const int threads = threads_for(words.size());
    if (!mx::stray_word(config.source, words, threads).empty()) return MXGOLD_BAD_CODE;
    const bool is_anybodys =
        quantizer->profile != nullptr && quantizer->profile->name != "mxgold-default";
    if (is_anybodys && config.format.tensor_scale != mx::TensorScale::kNone &&
        mx::backend::has_specials(config.source, words)) {
      return MXGOLD_BAD_VALUE;
    }
    const mx::Unpacked amax =
        mx::backend::find_amax(config.source, config.element, words, quantizer->choice, threads);
    const mx::TensorLevel found = config.format.tensor_scale == mx::TensorScale::kNone
                                      ? mx::TensorLevel{}
                                      : mx::tensor_level(config, amax);
    *level = {found.amax, found.scale};
    return MXGOLD_OK;
  });
}

mxgold_status mxgold_quantizer_at_level(const mxgold_quantizer* quantizer,
                                        const mxgold_tensor_level* level,
                                        mxgold_quantizer** out) noexcept {
  return guarded(__func__, [&]() -> mxgold_status {
    if (out == nullptr) return MXGOLD_NULL_ARGUMENT;
    *out = nullptr;
    if (quantizer == nullptr || level == nullptr) return MXGOLD_NULL_ARGUMENT;
    mx::QuantizerConfig config = quantizer->quantizer.config();
    config.tensor = {level->amax, level->scale};
    const mx::Checked<mx::Quantizer> made = quantizer_of(config, quantizer->choice);
    if (!made) return MXGOLD_BAD_VALUE;
    auto handle = std::make_unique<mxgold_quantizer>(*made, quantizer->choice, quantizer->masks,
                                                     quantizer->profile, quantizer->book);
    handle->source = quantizer->source;
    *out = handle.release();
    return MXGOLD_OK;
  });
}

size_t mxgold_block_size(const mxgold_quantizer* quantizer) noexcept {
  return quantizer == nullptr
             ? 0
             : static_cast<size_t>(quantizer->quantizer.config().format.elements());
}

mxgold_status mxgold_quantize_block(const mxgold_quantizer* quantizer, const uint64_t* source,
                                    const uint32_t* random, size_t count, uint64_t* scale_code,
                                    uint64_t* codes, uint32_t* flags) noexcept {
  return guarded(__func__, [&]() -> mxgold_status {
    if (quantizer == nullptr || source == nullptr || scale_code == nullptr || codes == nullptr) {
      return MXGOLD_NULL_ARGUMENT;
    }
    const mx::QuantizerConfig& config = quantizer->quantizer.config();
    const bool is_sized = config.format.extent == mx::BlockExtent::kElements;
    if (count == 0 || (is_sized && count > mxgold_block_size(quantizer))) return MXGOLD_BAD_SIZE;
    const mxgold_status status = check_input(source, random, count, config.source, config.element);
    if (status != MXGOLD_OK) return status;
    const bool draws_scale = mx::facts_of(config.block.rule).draws;
    if (draws_scale && random == nullptr) return MXGOLD_NULL_ARGUMENT;
    const size_t random_count =
        draws_scale || mx::is_stochastic(config.element.rounding) ? count : 0;
    if (is_shared({words(codes, count), words(scale_code, 1), words(flags, 1)},
                  {words(source, count), words(random, random_count)})) {
      return MXGOLD_OVERLAP;
    }
    const mx::BlockResult result = quantizer->quantizer.quantize_block(
        {source, count}, {random, random_count}, {codes, count});
    *scale_code = result.scale_code;
    if (flags != nullptr) *flags = result.flags;
    return MXGOLD_OK;
  });
}

mxgold_status mxgold_dequantize_block(const mxgold_quantizer* quantizer, uint64_t scale_code,
                                      const uint64_t* codes, size_t count, const char* output,
                                      uint64_t* values) noexcept {
  return guarded(__func__, [&]() -> mxgold_status {
    if (quantizer == nullptr || output == nullptr ||
        (count > 0 && (codes == nullptr || values == nullptr))) {
      return MXGOLD_NULL_ARGUMENT;
    }
    const std::optional<mx::ElementFormat> format = mx::make_format(output);
    if (!format) return MXGOLD_UNKNOWN_FORMAT;
    const mx::DequantOverflow overflow = quantizer->quantizer.config().block.dequant_overflow;
    if (!mx::back_problem(overflow, *format).empty()) return MXGOLD_BAD_VALUE;
    const mx::BlockFormat& block = quantizer->quantizer.config().format;
    if (!block.takes_scale(scale_code) || !codes_fit(codes, count, block.element)) {
      return MXGOLD_BAD_CODE;
    }
    if (is_shared({words(values, count)}, {words(codes, count)})) return MXGOLD_OVERLAP;
    quantizer->quantizer.dequantize_block(scale_code, {codes, count}, *format, {values, count});
    return MXGOLD_OK;
  });
}

mxgold_status mxgold_sizes(const mxgold_quantizer* quantizer, const uint64_t* shape, size_t rank,
                           int64_t axis, mxgold_tensor_sizes* sizes) noexcept {
  return guarded(__func__, [&]() -> mxgold_status {
    if (sizes == nullptr) return MXGOLD_NULL_ARGUMENT;
    mx::BlockedShape blocked;
    return measure(quantizer, shape, rank, axis, blocked, *sizes);
  });
}

mxgold_status mxgold_quantize_tensor(const mxgold_quantizer* quantizer, const uint64_t* shape,
                                     size_t rank, int64_t axis, const void* source,
                                     uint64_t source_bytes, uint64_t seed, uint32_t tensor_index,
                                     void* codes, uint64_t code_bytes, void* scales,
                                     uint64_t scale_bytes, uint32_t* flags) noexcept {
  return guarded(__func__, [&]() -> mxgold_status {
    mx::BlockedShape blocked;
    mxgold_tensor_sizes sizes;
    const mxgold_status status = measure(quantizer, shape, rank, axis, blocked, sizes);
    if (status != MXGOLD_OK) return status;
    if (source_bytes != sizes.source_bytes || code_bytes != sizes.code_bytes ||
        scale_bytes != sizes.scale_bytes) {
      return MXGOLD_BAD_SIZE;
    }
    if (sizes.elements > 0 && (source == nullptr || codes == nullptr || scales == nullptr)) {
      return MXGOLD_NULL_ARGUMENT;
    }
    if (is_shared({{codes, code_bytes}, {scales, scale_bytes}}, {{source, source_bytes}})) {
      return MXGOLD_OVERLAP;
    }
    mx::backend::Flags seen = 0;
    const bool fits = quantize_all(*quantizer,
                                   {blocked,
                                    read_bytes(source, source_bytes),
                                    {seed, tensor_index},
                                    write_bytes(codes, code_bytes),
                                    write_bytes(scales, scale_bytes)},
                                   flags == nullptr ? nullptr : &seen);
    if (!fits) return MXGOLD_BAD_CODE;
    if (flags != nullptr) *flags = seen;
    return MXGOLD_OK;
  });
}

mxgold_status mxgold_dequantize_tensor(const mxgold_quantizer* quantizer, const uint64_t* shape,
                                       size_t rank, int64_t axis, const void* codes,
                                       uint64_t code_bytes, const void* scales,
                                       uint64_t scale_bytes, const char* output, void* values,
                                       uint64_t value_bytes) noexcept {
  return guarded(__func__, [&]() -> mxgold_status {
    if (output == nullptr) return MXGOLD_NULL_ARGUMENT;
    mx::BlockedShape blocked;
    mxgold_tensor_sizes sizes;
    const mxgold_status status = measure(quantizer, shape, rank, axis, blocked, sizes);
    if (status != MXGOLD_OK) return status;
    const std::optional<mx::ElementFormat> format = mx::make_format(output);
    if (!format) return MXGOLD_UNKNOWN_FORMAT;
    const mx::DequantOverflow overflow = quantizer->quantizer.config().block.dequant_overflow;
    if (!mx::back_problem(overflow, *format).empty()) return MXGOLD_BAD_VALUE;
    if (code_bytes != sizes.code_bytes || scale_bytes != sizes.scale_bytes ||
        value_bytes != sizes.elements * mx::storage_bytes(*format)) {
      return MXGOLD_BAD_SIZE;
    }
    if (sizes.elements > 0 && (codes == nullptr || scales == nullptr || values == nullptr)) {
      return MXGOLD_NULL_ARGUMENT;
    }
    if (is_shared({{values, value_bytes}}, {{codes, code_bytes}, {scales, scale_bytes}})) {
      return MXGOLD_OVERLAP;
    }
    const int threads = threads_for(value_bytes);
    const auto from = read_bytes(codes, code_bytes);
    const auto under = read_bytes(scales, scale_bytes);
    const auto to = write_bytes(values, value_bytes);
    if (blocked.elements < mx::abi::kLarge && !mx::backend::insists(quantizer->choice)) {
      return mx::dequantize_tensor(quantizer->quantizer, blocked, mx::Tail::kShort, from, under,
                                   *format, to, 0, blocked.scales, threads)
                 ? MXGOLD_OK
                 : MXGOLD_BAD_CODE;
    }
    const mx::backend::TensorDequantizer* const back =
        quantizer->back.to(*format, quantizer->quantizer.config(), quantizer->choice);
    if (back == nullptr) return MXGOLD_BAD_VALUE;
    return back->dequantize_all(blocked, from, under, to, threads) ? MXGOLD_OK : MXGOLD_BAD_CODE;
  });
}

}  // extern "C"
