// SPDX-License-Identifier: Apache-2.0
// Products of matrix units over the C ABI.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "backend/abi/guard.hpp"
#include "backend/abi/objects.hpp"
#include "backend/abi/rows.hpp"
#include "mxgold.h"
#include "reference/catalog/catalog.hpp"
#include "reference/tensor/tensor.hpp"
#include "reference/unit/chunks.hpp"

struct mxgold_unit {
  mx::UnitDot whole;
  std::optional<mx::ChunkedDot> chunked;
};

namespace {

using mx::abi::guarded;
using mx::abi::Message;
using mx::abi::Side;
using mx::abi::words_of;

mxgold_status find_format(const char* name, mx::ElementFormat& format, Message& message) {
  if (name == nullptr) return MXGOLD_NULL_ARGUMENT;
  const std::optional<mx::ElementFormat> found = mx::make_format(name);
  if (!found) return mx::abi::unknown_format("format", name, message);
  format = *found;
  return MXGOLD_OK;
}

/// Scales of the two formats that units take; others are no scales of theirs.
mxgold_status find_scale(const mxgold_unit_operands& given, std::optional<mx::UnitScale>& scale,
                         Message& message) {
  if (given.scale == nullptr && given.block_size == 0) return MXGOLD_OK;
  const std::string_view name = given.scale == nullptr ? "" : given.scale;
  for (const mx::MatrixUnit& unit : mx::matrix_units()) {
    for (const mx::UnitScale& each : unit.scales) {
      if (each.format.name != name ||
          each.block_size != static_cast<std::int64_t>(given.block_size)) {
        continue;
      }
      scale = each;
      return MXGOLD_OK;
    }
  }
  message.write(
      {"no unit takes scales of '", name, "' for blocks of ", std::to_string(given.block_size)});
  return MXGOLD_BAD_VALUE;
}

mxgold_status find_operands(const mxgold_unit_operands& given, mx::UnitConfig& config,
                            Message& message) {
  mxgold_status status = find_format(given.a, config.a.element, message);
  if (status == MXGOLD_OK) status = find_format(given.b, config.b.element, message);
  if (status == MXGOLD_OK) status = find_format(given.result, config.result, message);
  if (status == MXGOLD_OK) status = find_scale(given, config.a.scale, message);
  config.b.scale = config.a.scale;
  return status;
}

mxgold_status read_side(const mx::UnitSide& format, const mxgold_rows& given, std::uint64_t length,
                        Side& side) {
  const std::uint64_t size = mx::storage_bytes(format.element);
  const auto block = static_cast<std::uint64_t>(format.scale ? format.scale->block_size : 0);
  const std::uint64_t scales = block == 0 ? 0 : (length - 1) / block + 1;
  // No product that does not fit 64 bits.
  const bool fits = given.code_bytes % size == 0 && given.code_bytes / size % length == 0 &&
                    given.code_bytes / size / length == given.rows &&
                    given.scale_bytes == given.rows * scales;
  if (!fits) return MXGOLD_BAD_SIZE;
  if ((given.code_bytes > 0 && given.codes == nullptr) ||
      (given.scale_bytes > 0 && given.scales == nullptr)) {
    return MXGOLD_NULL_ARGUMENT;
  }
  side = {words_of(given.codes, given.code_bytes, size),
          words_of(given.scales, given.scale_bytes, 1), length, scales};
  const bool are_codes =
      std::ranges::all_of(side.codes, [&](auto code) { return format.element.takes(code); }) &&
      std::ranges::all_of(side.scales, [&](auto code) { return format.scale->format.takes(code); });
  return are_codes ? MXGOLD_OK : MXGOLD_BAD_CODE;
}

/// The sides of a product, and its addends and results in the result's format.
struct Product {
  Side a, b;
  bool is_paired = false;
  std::uint64_t columns = 0;
  std::span<const std::byte> addends;  ///< of no address where there are none
  std::span<std::byte> results;

  [[nodiscard]] std::uint64_t of(const mxgold_unit& unit, std::uint64_t i, std::size_t size) const {
    const mx::DotOperand row = a.row(i / columns);
    const mx::DotOperand column = b.row(is_paired ? i : i % columns);
    if (unit.chunked) return (*unit.chunked)(row, column);
    const bool has_addend = addends.data() != nullptr;
    return unit.whole(row, column, has_addend ? mx::layout::load_word(addends, i, size) : 0);
  }
};

mxgold_status read_sums(const mx::ElementFormat& result, std::uint64_t rows,
                        const Product& product) {
  const std::size_t size = mx::storage_bytes(result);
  const std::uint64_t count = product.results.size() / size;
  const std::uint64_t columns = product.columns;
  // No product that does not fit 64 bits.
  if (columns != 0 && rows > count / columns) return MXGOLD_BAD_SIZE;
  if (product.results.size() != rows * columns * size) return MXGOLD_BAD_SIZE;
  if (product.addends.data() == nullptr) return MXGOLD_OK;
  return product.addends.size() == product.results.size() ? MXGOLD_OK : MXGOLD_BAD_SIZE;
}

void multiply(const mxgold_unit& unit, const Product& product, std::uint64_t length) {
  const std::size_t size = mx::storage_bytes(unit.whole.config().result);
  const std::uint64_t count = product.results.size() / size;
  const std::uint64_t piece = std::max<std::uint64_t>(mx::layout::kPiece / length, 1);
  const int threads = mx::abi::threads_for(count * std::min<std::uint64_t>(length, 1 << 20) * 64);
  mx::share_work(count, piece, threads, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; ++i) {
      mx::layout::store_word(product.results, i, size, product.of(unit, i, size));
    }
  });
}

}  // namespace

extern "C" {

mxgold_status mxgold_unit_create(const char* unit, const mxgold_unit_operands* operands,
                                 uint64_t chunk, mxgold_unit** out, char* message,
                                 size_t message_size) noexcept {
  return guarded(__func__, Message(message, message_size), [&]() -> mxgold_status {
    if (out == nullptr) return MXGOLD_NULL_ARGUMENT;
    *out = nullptr;
    if (unit == nullptr || operands == nullptr) return MXGOLD_NULL_ARGUMENT;
    Message text(message, message_size);
    const mx::MatrixUnit* const found = mx::find_unit(unit);
    if (found == nullptr) {
      text.write({"unknown unit '", unit, "'"});
      return MXGOLD_BAD_VALUE;
    }
    mx::UnitConfig config{.unit = *found, .a = {}, .b = {}};
    const mxgold_status status = find_operands(*operands, config, text);
    if (status != MXGOLD_OK) return status;
    const mx::Checked<mx::UnitDot> whole = mx::UnitDot::make(config);
    if (!whole) {
      text.write({unit, ": ", whole.problem()});
      return MXGOLD_BAD_VALUE;
    }
    mxgold_unit made{*whole, std::nullopt};
    if (chunk != 0) {
      const mx::Checked<mx::ChunkedDot> chunked = mx::ChunkedDot::make(config, chunk);
      if (!chunked) {
        text.write({unit, " in chunks of ", std::to_string(chunk), ": ", chunked.problem()});
        return MXGOLD_BAD_VALUE;
      }
      made.chunked = *chunked;
    }
    *out = std::make_unique<mxgold_unit>(made).release();
    return MXGOLD_OK;
  });
}

void mxgold_unit_destroy(mxgold_unit* unit) noexcept { delete unit; }

mxgold_status mxgold_unit_multiply(const mxgold_unit* unit, uint64_t length, const mxgold_rows* a,
                                   const mxgold_rows* b, int is_paired, const void* addends,
                                   uint64_t addend_bytes, void* results,
                                   uint64_t result_bytes) noexcept {
  return guarded(__func__, [&]() -> mxgold_status {
    if (unit == nullptr || a == nullptr || b == nullptr ||
        (results == nullptr && result_bytes > 0)) {
      return MXGOLD_NULL_ARGUMENT;
    }
    const mx::UnitConfig& config = unit->whole.config();
    if (!mx::UnitDot::size_problem(config, length).empty() ||
        (is_paired != 0 && a->rows != b->rows)) {
      return MXGOLD_BAD_SIZE;
    }
    if (unit->chunked && addends != nullptr) return MXGOLD_BAD_VALUE;
    Product product;
    mxgold_status status = read_side(config.a, *a, length, product.a);
    if (status == MXGOLD_OK) status = read_side(config.b, *b, length, product.b);
    if (status != MXGOLD_OK) return status;
    product.is_paired = is_paired != 0;
    product.columns = product.is_paired ? 1 : b->rows;
    product.addends = mx::abi::read_bytes(addends, addend_bytes);
    product.results = mx::abi::write_bytes(results, result_bytes);
    status = read_sums(config.result, a->rows, product);
    if (status != MXGOLD_OK) return status;
    if (mx::abi::is_shared({results, result_bytes}, *a, *b, {addends, addend_bytes})) {
      return MXGOLD_OVERLAP;
    }
    multiply(*unit, product, length);
    return MXGOLD_OK;
  });
}

}  // extern "C"
