// SPDX-License-Identifier: Apache-2.0
// Operations of IEEE 754 on arrays over the C ABI.
#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/abi/guard.hpp"
#include "backend/abi/objects.hpp"
#include "mxgold.h"
#include "reference/arithmetic/arithmetic.hpp"
#include "reference/arithmetic/format_of.hpp"
#include "reference/tensor/layout.hpp"
#include "reference/tensor/tensor.hpp"

struct mxgold_operation {
  mx::Operation operation;
};

namespace {

using mx::abi::guarded;
using mx::abi::Message;

mxgold_status find_float(std::string_view name, mx::ElementFormat& format, Message& message) {
  const std::optional<mx::ElementFormat> found = mx::make_format(name);
  if (!found) return mx::abi::unknown_format("format", name, message);
  format = *found;
  return MXGOLD_OK;
}

mxgold_status find_integer(std::string_view name, mx::IntegerType& type, Message& message) {
  const std::optional<mx::IntegerType> found = mx::parse_token<mx::IntegerType>(name);
  if (!found) {
    message.write({"unknown integer '", name, "'; one of mxgold_name(\"integers\") is wanted"});
    return MXGOLD_BAD_VALUE;
  }
  type = *found;
  return MXGOLD_OK;
}

mxgold_status find_operands(std::span<const char* const> names, mx::OperationConfig& config,
                            Message& message) {
  if (names.size() != mx::operands_of(config.operation)) {
    message.write({mx::token_of(config.operation), " takes ",
                   std::to_string(mx::operands_of(config.operation)), " operands, not ",
                   std::to_string(names.size())});
    return MXGOLD_BAD_SIZE;
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == nullptr) return MXGOLD_NULL_ARGUMENT;
    const bool is_whole = mx::kind_of(config.operation) == mx::OperationKind::kFromInteger;
    const mxgold_status status = is_whole ? find_integer(names[i], config.integer.type, message)
                                          : find_float(names[i], config.operands[i], message);
    if (status != MXGOLD_OK) return status;
  }
  return MXGOLD_OK;
}

mxgold_status find_result(const char* name, mx::OperationConfig& config, Message& message) {
  const mx::OperationKind kind = mx::kind_of(config.operation);
  if (kind == mx::OperationKind::kCompared) {
    if (name == nullptr) return MXGOLD_OK;
    message.write({mx::token_of(config.operation), " gives 0 or 1; its result has no format"});
    return MXGOLD_BAD_VALUE;
  }
  if (name == nullptr) return MXGOLD_NULL_ARGUMENT;
  return kind == mx::OperationKind::kToInteger ? find_integer(name, config.integer.type, message)
                                               : find_float(name, config.result, message);
}

mxgold_status set_out_of_range(const char* value, mx::OperationConfig& config, Message& message) {
  if (mx::kind_of(config.operation) != mx::OperationKind::kToInteger) {
    message.write(
        {"option 'out_of_range' goes with to_integer, not '", mx::token_of(config.operation), "'"});
    return MXGOLD_BAD_VALUE;
  }
  const std::optional<mx::OutOfRange> found = mx::parse_token<mx::OutOfRange>(value);
  if (!found) {
    message.write({"option 'out_of_range' does not take the value '", value, "'"});
    return MXGOLD_BAD_VALUE;
  }
  config.integer.out_of_range = *found;
  return MXGOLD_OK;
}

mxgold_status set_options(std::span<const mxgold_option> options, mx::OperationConfig& config,
                          Message& message) {
  mx::Policies policies{mx::Arithmetic::ieee(config.result).policy, {}};
  for (const mxgold_option& option : options) {
    if (option.name == nullptr || option.value == nullptr) return MXGOLD_NULL_ARGUMENT;
    mxgold_status status = MXGOLD_OK;
    if (mx::abi::Start::is_one(option.name)) {
      message.write({"option '", option.name, "' goes with conversions and quantizers"});
      status = MXGOLD_BAD_VALUE;
    } else if (std::string_view(option.name) == "out_of_range") {
      status = set_out_of_range(option.value, config, message);
    } else {
      status = mx::abi::apply(&option, 1, mx::FieldScope::kElement, policies, message);
    }
    if (status != MXGOLD_OK) return status;
  }
  config.policy = policies.element;
  return MXGOLD_OK;
}

/// "add of e4m3fn and int8 to fp32"
std::string described(std::string_view operation, std::span<const char* const> operands,
                      const char* result) {
  std::string text(operation);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    text.append(i == 0 ? " of " : " and ").append(operands[i]);
  }
  return result == nullptr ? text : text.append(" to ").append(result);
}

/// Words of an operand; one stands for as many as are wanted.
struct Operand {
  std::span<const std::byte> words;
  std::size_t size = 1;
  bool is_one = false;

  [[nodiscard]] std::uint64_t code(std::uint64_t i) const {
    return mx::layout::load_word(words, is_one ? 0 : i, size);
  }
};

struct Operands {
  std::array<Operand, 3> all;
  std::size_t count = 0;

  [[nodiscard]] mxgold_status read(const mx::Operation& operation,
                                   std::span<const mxgold_words> given, std::uint64_t elements,
                                   int threads) {
    if (given.size() != operation.operands()) return MXGOLD_BAD_SIZE;
    for (count = 0; count < given.size(); ++count) {
      const mx::ElementFormat& format = operation.config().operand_format(count);
      const std::size_t size = mx::storage_bytes(format);
      const auto& [data, bytes] = given[count];
      const std::uint64_t words = bytes / size;
      if (bytes % size != 0 || (words != elements && words != 1)) return MXGOLD_BAD_SIZE;
      if (data == nullptr && bytes > 0) return MXGOLD_NULL_ARGUMENT;
      all[count] = {mx::abi::read_bytes(data, bytes), size, words == 1};
      if (!mx::stray_word(format, all[count].words, threads).empty()) return MXGOLD_BAD_CODE;
    }
    return MXGOLD_OK;
  }

  [[nodiscard]] mx::Encoded apply(const mx::Operation& operation, std::uint64_t i) const {
    std::array<std::uint64_t, 3> codes;
    for (std::size_t k = 0; k < count; ++k) codes[k] = all[k].code(i);
    return operation({codes.data(), count});
  }
};

/// What is written: words, and flags where they are wanted.
struct Results {
  std::span<std::byte> words;
  std::size_t size = 1;
  std::uint8_t* each = nullptr;

  [[nodiscard]] bool meet(std::span<const mxgold_words> inputs, std::uint64_t count) const {
    const mx::abi::Buffer flags{each, count};
    if (mx::abi::is_shared({{words.data(), words.size()}, flags}, {})) return true;
    for (const auto& [data, bytes] : inputs) {
      if (mx::abi::is_shared({{words.data(), words.size()}, flags}, {{data, bytes}})) return true;
    }
    return false;
  }
};

std::uint32_t operate(const mx::Operation& operation, const Operands& operands,
                      const Results& results, std::uint64_t count, int threads) {
  std::atomic<std::uint32_t> all = 0;
  mx::share_work(count, mx::layout::kSharedWords, threads,
                 [&](std::uint64_t first, std::uint64_t last) {
                   std::uint32_t part = 0;
                   for (std::uint64_t i = first; i < last; ++i) {
                     const mx::Encoded made = operands.apply(operation, i);
                     mx::layout::store_word(results.words, i, results.size, made.code);
                     if (results.each != nullptr) results.each[i] = made.flags;
                     part |= made.flags;
                   }
                   all |= part;
                 });
  return all;
}

}  // namespace

extern "C" {

mxgold_status mxgold_operation_create(const char* operation, const char* const* operands,
                                      size_t operand_count, const char* result,
                                      const mxgold_option* options, size_t option_count,
                                      mxgold_operation** out, char* message,
                                      size_t message_size) noexcept {
  return guarded(__func__, Message(message, message_size), [&]() -> mxgold_status {
    if (out == nullptr) return MXGOLD_NULL_ARGUMENT;
    *out = nullptr;
    if (operation == nullptr || (operands == nullptr && operand_count > 0) ||
        (options == nullptr && option_count > 0)) {
      return MXGOLD_NULL_ARGUMENT;
    }
    Message text(message, message_size);
    const auto found = mx::parse_token<mx::ArithmeticOperation>(operation);
    if (!found) {
      text.write({"unknown operation '", operation, "'"});
      return MXGOLD_BAD_VALUE;
    }
    mx::OperationConfig config{.operation = *found};
    mxgold_status status = find_operands({operands, operand_count}, config, text);
    if (status == MXGOLD_OK) status = find_result(result, config, text);
    if (status == MXGOLD_OK) status = set_options({options, option_count}, config, text);
    if (status != MXGOLD_OK) return status;
    const mx::Checked<mx::Operation> made = mx::Operation::make(config);
    if (!made) {
      text.write({described(operation, {operands, operand_count}, result), ": ", made.problem()});
      return MXGOLD_BAD_VALUE;
    }
    *out = std::make_unique<mxgold_operation>(mxgold_operation{*made}).release();
    return MXGOLD_OK;
  });
}

void mxgold_operation_destroy(mxgold_operation* operation) noexcept { delete operation; }

mxgold_status mxgold_operate(const mxgold_operation* operation, const mxgold_words* operands,
                             size_t operand_count, uint64_t count, void* results,
                             uint64_t result_bytes, uint8_t* each, uint32_t* flags) noexcept {
  return guarded(__func__, [&]() -> mxgold_status {
    if (operation == nullptr || (operands == nullptr && operand_count > 0) ||
        (results == nullptr && result_bytes > 0)) {
      return MXGOLD_NULL_ARGUMENT;
    }
    const mx::Operation& one = operation->operation;
    const std::size_t size = mx::storage_bytes(one.config().result_format());
    if (result_bytes % size != 0 || result_bytes / size != count) return MXGOLD_BAD_SIZE;
    const Results to{mx::abi::write_bytes(results, result_bytes), size, each};
    const std::span<const mxgold_words> given(operands, operand_count);
    // An operation takes many times as long as its words to read.
    const int threads = mx::abi::threads_for(count > UINT64_MAX / 16 ? count : 16 * count);
    Operands from;
    const mxgold_status status = from.read(one, given, count, threads);
    if (status != MXGOLD_OK) return status;
    if (to.meet(given, count)) return MXGOLD_OVERLAP;
    const std::uint32_t all = operate(one, from, to, count, threads);
    if (flags != nullptr) *flags = all;
    return MXGOLD_OK;
  });
}

}  // extern "C"
