#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <new>
#include <optional>
#include <string>
#include <string_view>

#include "mx/catalog.hpp"
#include "mx/policy_fields.hpp"
#include "mx/tensor.hpp"
#include "mxgold.h"

struct mxgold_conversion {
  mx::Conversion conversion;
};

struct mxgold_quantizer {
  mx::Quantizer quantizer;
};

namespace {

/// The caller's message buffer, always NUL-terminated, cut where it is too short.
class Message {
 public:
  Message(char* text, std::size_t size) : text_(text), size_(text == nullptr ? 0 : size) {
    write({});
  }
  void write(std::initializer_list<std::string_view> parts) {
    std::size_t used = 0;
    for (const std::string_view part : parts) {
      const std::size_t room = size_ == 0 ? 0 : size_ - 1 - used;
      const std::size_t count = std::min(part.size(), room);
      std::memcpy(text_ + used, part.data(), count);
      used += count;
    }
    if (size_ > 0) text_[used] = '\0';
  }

 private:
  char* text_;
  std::size_t size_;
};

mxgold_status find_source(const char* name, std::optional<mx::ElementFormat>& format,
                          Message& message) {
  format = mx::make_format(name);
  if (format) return MXGOLD_OK;
  message.write({"unknown format '", name, "'"});
  return MXGOLD_UNKNOWN_FORMAT;
}

bool parse_block_size(std::string_view text, int& block_size) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), block_size);
  return error == std::errc{} && end == text.data() + text.size() && block_size >= 1 &&
         block_size <= 1024;
}

/// The pattern, in hexadecimal, of a binary32 number that is finite and not negative.
bool parse_pattern(std::string_view text, std::uint32_t& pattern) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pattern, 16);
  return error == std::errc{} && end == text.data() + text.size() && pattern < 0x7F800000;
}

/// One option of quantizers alone. `known` tells whether it is one.
mxgold_status apply_to_blocks(std::string_view name, std::string_view value,
                              mx::QuantizerConfig& config, bool& known, Message& message) {
  known = true;
  if (name == "block_size") {
    if (parse_block_size(value, config.format.block_size)) return MXGOLD_OK;
    message.write({"block_size '", value, "' is not a number in 1..1024"});
    return MXGOLD_BAD_VALUE;
  }
  if (name == "tensor_amax" || name == "tensor_scale") {
    if (parse_pattern(value, name == "tensor_amax" ? config.tensor.amax : config.tensor.scale)) {
      return MXGOLD_OK;
    }
    message.write(
        {name, " '", value, "' is not the hexadecimal pattern of a non-negative binary32 number"});
    return MXGOLD_BAD_VALUE;
  }
  known = false;
  return MXGOLD_OK;
}

/// Applies options; those of quantizers alone are legal where `config` is not null.
mxgold_status apply(const mxgold_option* options, std::size_t count, mx::Policies& policies,
                    mx::QuantizerConfig* config, Message& message) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [name, value] = options[i];
    if (name == nullptr || value == nullptr) return MXGOLD_NULL_ARGUMENT;
    if (config != nullptr) {
      bool known = false;
      const mxgold_status status = apply_to_blocks(name, value, *config, known, message);
      if (status != MXGOLD_OK) return status;
      if (known) continue;
    }
    switch (mx::set_policy(policies, name, value)) {
      case mx::FieldError::kNone:
        break;
      case mx::FieldError::kUnknownField:
        message.write({"unknown option '", name, "'"});
        return MXGOLD_UNKNOWN_OPTION;
      case mx::FieldError::kUnknownValue:
        message.write({"option '", name, "' does not take the value '", value, "'"});
        return MXGOLD_BAD_VALUE;
    }
  }
  return MXGOLD_OK;
}

bool codes_fit(const std::uint64_t* codes, std::size_t count, const mx::ElementFormat& format) {
  return std::all_of(codes, codes + count,
                     [&](std::uint64_t code) { return (code & ~format.code_mask()) == 0; });
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

mxgold_status measure(const mx::QuantizerConfig& config, const std::uint64_t* shape,
                      std::size_t rank, std::int64_t axis, mx::BlockedShape& blocked) {
  if (shape == nullptr && rank > 0) return MXGOLD_NULL_ARGUMENT;
  const auto made = mx::BlockedShape::make({shape, rank}, axis, config.format);
  if (!made) return MXGOLD_BAD_SIZE;
  blocked = *made;
  return MXGOLD_OK;
}

std::span<const std::byte> read_bytes(const void* data, std::uint64_t size) {
  return {static_cast<const std::byte*>(data), size};
}

std::span<std::byte> write_bytes(void* data, std::uint64_t size) {
  return {static_cast<std::byte*>(data), size};
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
  }
  return "not a status of this library";
}

mxgold_status mxgold_format(const char* name, mxgold_format_info* info) noexcept {
  if (name == nullptr || info == nullptr) return MXGOLD_NULL_ARGUMENT;
  const std::optional<mx::ElementFormat> format = mx::make_format(name);
  if (!format) return MXGOLD_UNKNOWN_FORMAT;
  *info = {static_cast<uint32_t>(format->bits), static_cast<uint32_t>(mx::storage_bytes(*format)),
           format->max_code};
  return MXGOLD_OK;
}

mxgold_status mxgold_conversion_create(const char* source, const char* destination,
                                       const mxgold_option* options, size_t option_count,
                                       mxgold_conversion** out, char* message,
                                       size_t message_size) noexcept {
  if (out == nullptr) return MXGOLD_NULL_ARGUMENT;
  *out = nullptr;
  if (source == nullptr || destination == nullptr || (options == nullptr && option_count > 0)) {
    return MXGOLD_NULL_ARGUMENT;
  }
  Message text(message, message_size);
  std::optional<mx::ElementFormat> from;
  std::optional<mx::ElementFormat> to;
  mx::Policies policies;
  mxgold_status status = find_source(source, from, text);
  if (status == MXGOLD_OK) status = find_source(destination, to, text);
  if (status == MXGOLD_OK) status = apply(options, option_count, policies, nullptr, text);
  if (status != MXGOLD_OK) return status;
  *out = new (std::nothrow) mxgold_conversion{{*from, *to, policies.element}};
  return *out == nullptr ? MXGOLD_NO_MEMORY : MXGOLD_OK;
}

void mxgold_conversion_destroy(mxgold_conversion* conversion) noexcept { delete conversion; }

mxgold_status mxgold_convert(const mxgold_conversion* conversion, const uint64_t* source,
                             const uint32_t* random, size_t count, uint64_t* codes,
                             uint32_t* flags) noexcept {
  if (conversion == nullptr || (count > 0 && (source == nullptr || codes == nullptr))) {
    return MXGOLD_NULL_ARGUMENT;
  }
  const mx::Conversion& convert = conversion->conversion;
  const mxgold_status status = check_input(source, random, count, convert.source, convert.policy);
  if (status != MXGOLD_OK) return status;
  const bool stochastic = mx::is_stochastic(convert.policy.rounding);
  if (flags == nullptr) {
    mx::convert(convert, {source, count}, {random, stochastic ? count : 0}, {codes, count}, {});
    return MXGOLD_OK;
  }
  for (size_t i = 0; i < count; ++i) {
    const mx::Encoded encoded = convert(source[i], stochastic ? random[i] : 0);
    codes[i] = encoded.code;
    flags[i] = encoded.flags;
  }
  return MXGOLD_OK;
}

mxgold_status mxgold_quantizer_create(const char* source, const char* block_format,
                                      const mxgold_option* options, size_t option_count,
                                      mxgold_quantizer** out, char* message,
                                      size_t message_size) noexcept {
  if (out == nullptr) return MXGOLD_NULL_ARGUMENT;
  *out = nullptr;
  if (source == nullptr || block_format == nullptr || (options == nullptr && option_count > 0)) {
    return MXGOLD_NULL_ARGUMENT;
  }
  Message text(message, message_size);
  std::optional<mx::ElementFormat> from;
  mxgold_status status = find_source(source, from, text);
  if (status != MXGOLD_OK) return status;
  const mx::BlockFormat* format = mx::find_block_format(block_format);
  if (format == nullptr) {
    text.write({"unknown block format '", block_format, "'"});
    return MXGOLD_UNKNOWN_FORMAT;
  }
  mx::QuantizerConfig config{*from, *format, {}, {}};
  mx::Policies policies;
  policies.block.rule = format->rule;
  status = apply(options, option_count, policies, &config, text);
  if (status != MXGOLD_OK) return status;
  config.element = policies.element;
  config.block = policies.block;
  if (const std::string_view problem = mx::Quantizer::problem(config); !problem.empty()) {
    text.write({problem});
    return MXGOLD_BAD_VALUE;
  }
  *out = new (std::nothrow) mxgold_quantizer{mx::Quantizer(config)};
  return *out == nullptr ? MXGOLD_NO_MEMORY : MXGOLD_OK;
}

void mxgold_quantizer_destroy(mxgold_quantizer* quantizer) noexcept { delete quantizer; }

size_t mxgold_block_size(const mxgold_quantizer* quantizer) noexcept {
  return quantizer == nullptr
             ? 0
             : static_cast<size_t>(quantizer->quantizer.config().format.elements());
}

mxgold_status mxgold_quantize_block(const mxgold_quantizer* quantizer, const uint64_t* source,
                                    const uint32_t* random, size_t count, uint64_t* scale_code,
                                    uint64_t* codes, uint32_t* flags) noexcept {
  if (quantizer == nullptr || source == nullptr || scale_code == nullptr || codes == nullptr) {
    return MXGOLD_NULL_ARGUMENT;
  }
  const mx::QuantizerConfig& config = quantizer->quantizer.config();
  const bool is_sized = config.format.extent == mx::BlockExtent::kElements;
  if (count == 0 || (is_sized && count > mxgold_block_size(quantizer))) return MXGOLD_BAD_SIZE;
  const mxgold_status status = check_input(source, random, count, config.source, config.element);
  if (status != MXGOLD_OK) return status;
  const bool draws_scale = config.block.rule == mx::ScaleRule::kStochExp;
  if (draws_scale && random == nullptr) return MXGOLD_NULL_ARGUMENT;
  const size_t random_count = draws_scale || mx::is_stochastic(config.element.rounding) ? count : 0;
  const mx::BlockResult result =
      quantizer->quantizer.quantize_block({source, count}, {random, random_count}, {codes, count});
  *scale_code = result.scale_code;
  if (flags != nullptr) *flags = result.flags;
  return MXGOLD_OK;
}

mxgold_status mxgold_dequantize_block(const mxgold_quantizer* quantizer, uint64_t scale_code,
                                      const uint64_t* codes, size_t count, const char* output,
                                      uint64_t* values) noexcept {
  if (quantizer == nullptr || output == nullptr ||
      (count > 0 && (codes == nullptr || values == nullptr))) {
    return MXGOLD_NULL_ARGUMENT;
  }
  const std::optional<mx::ElementFormat> format = mx::make_format(output);
  if (!format) return MXGOLD_UNKNOWN_FORMAT;
  const mx::BlockFormat& block = quantizer->quantizer.config().format;
  const bool scale_fits = block.scale_bits() == 64 || scale_code >> block.scale_bits() == 0;
  if (!scale_fits || !codes_fit(codes, count, block.element)) {
    return MXGOLD_BAD_CODE;
  }
  quantizer->quantizer.dequantize_block(scale_code, {codes, count}, *format, {values, count});
  return MXGOLD_OK;
}

mxgold_status mxgold_sizes(const mxgold_quantizer* quantizer, const uint64_t* shape, size_t rank,
                           int64_t axis, mxgold_tensor_sizes* sizes) noexcept {
  if (quantizer == nullptr || sizes == nullptr) return MXGOLD_NULL_ARGUMENT;
  const mx::QuantizerConfig& config = quantizer->quantizer.config();
  mx::BlockedShape blocked;
  const mxgold_status status = measure(config, shape, rank, axis, blocked);
  if (status != MXGOLD_OK) return status;
  *sizes = {blocked.elements, blocked.scales, blocked.elements * mx::storage_bytes(config.source),
            blocked.elements * mx::storage_bytes(config.format.element),
            blocked.scales * mx::scale_bytes(config.format)};
  return MXGOLD_OK;
}

mxgold_status mxgold_quantize_tensor(const mxgold_quantizer* quantizer, const uint64_t* shape,
                                     size_t rank, int64_t axis, const void* source,
                                     uint64_t source_bytes, uint64_t seed, uint32_t tensor_index,
                                     void* codes, uint64_t code_bytes, void* scales,
                                     uint64_t scale_bytes, uint32_t* flags) noexcept {
  mxgold_tensor_sizes sizes;
  const mxgold_status status = mxgold_sizes(quantizer, shape, rank, axis, &sizes);
  if (status != MXGOLD_OK) return status;
  if (source_bytes != sizes.source_bytes || code_bytes != sizes.code_bytes ||
      scale_bytes != sizes.scale_bytes) {
    return MXGOLD_BAD_SIZE;
  }
  if (sizes.elements > 0 && (source == nullptr || codes == nullptr || scales == nullptr)) {
    return MXGOLD_NULL_ARGUMENT;
  }
  mx::BlockedShape blocked;
  (void)measure(quantizer->quantizer.config(), shape, rank, axis, blocked);
  const mx::TensorSummary summary = mx::quantize_tensor(
      quantizer->quantizer, blocked, mx::Tail::kShort, read_bytes(source, source_bytes),
      {seed, tensor_index}, write_bytes(codes, code_bytes), write_bytes(scales, scale_bytes));
  if (flags != nullptr) *flags = summary.flags;
  return MXGOLD_OK;
}

mxgold_status mxgold_dequantize_tensor(const mxgold_quantizer* quantizer, const uint64_t* shape,
                                       size_t rank, int64_t axis, const void* codes,
                                       uint64_t code_bytes, const void* scales,
                                       uint64_t scale_bytes, const char* output, void* values,
                                       uint64_t value_bytes) noexcept {
  if (output == nullptr) return MXGOLD_NULL_ARGUMENT;
  mxgold_tensor_sizes sizes;
  const mxgold_status status = mxgold_sizes(quantizer, shape, rank, axis, &sizes);
  if (status != MXGOLD_OK) return status;
  const std::optional<mx::ElementFormat> format = mx::make_format(output);
  if (!format) return MXGOLD_UNKNOWN_FORMAT;
  if (code_bytes != sizes.code_bytes || scale_bytes != sizes.scale_bytes ||
      value_bytes != sizes.elements * mx::storage_bytes(*format)) {
    return MXGOLD_BAD_SIZE;
  }
  if (sizes.elements > 0 && (codes == nullptr || scales == nullptr || values == nullptr)) {
    return MXGOLD_NULL_ARGUMENT;
  }
  mx::BlockedShape blocked;
  (void)measure(quantizer->quantizer.config(), shape, rank, axis, blocked);
  mx::dequantize_tensor(quantizer->quantizer, blocked, mx::Tail::kShort,
                        read_bytes(codes, code_bytes), read_bytes(scales, scale_bytes), *format,
                        write_bytes(values, value_bytes));
  return MXGOLD_OK;
}

}  // extern "C"
