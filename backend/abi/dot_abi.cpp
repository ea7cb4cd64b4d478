// Dot products of blocks over the C ABI.
#include <algorithm>
#include <charconv>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "backend/abi/guard.hpp"
#include "backend/abi/objects.hpp"
#include "backend/abi/rows.hpp"
#include "mxgold.h"
#include "reference/catalog/catalog.hpp"
#include "reference/dot/dot.hpp"
#include "reference/dot/fields.hpp"
#include "reference/tensor/layout.hpp"
#include "reference/tensor/tensor.hpp"

struct mxgold_dot {
  mx::DotConfig config;
  std::uint64_t a_level = 0;  ///< binary32
  std::uint64_t b_level = 0;
  std::shared_ptr<const mx::FormatCatalog> a_book;  ///< keep the names of formats
  std::shared_ptr<const mx::FormatCatalog> b_book;
};

namespace {

using mx::abi::guarded;
using mx::abi::Message;
using mx::abi::Side;
using mx::abi::words_of;

/// Sets a token, number or format from its text; false where the text is none.
template <typename E>
bool set(E& value, std::string_view text) {
  const std::optional<E> found = mx::parse_token<E>(text);
  if (found) value = *found;
  return found.has_value();
}

bool set(int& value, std::string_view text) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

bool set(mx::ElementFormat& value, std::string_view text) {
  const std::optional<mx::ElementFormat> found = mx::make_format(text);
  if (found) value = *found;
  return found.has_value();
}

/// Nothing where it has no option of that name.
std::optional<bool> set_option(mx::AccumulatorModel& m, std::string_view name,
                               std::string_view text) {
  std::optional<bool> is_set;
  mx::visit_fields(m, [&](const mx::AccumulatorField& field, auto& member) {
    if (field.name == name) is_set = set(member, text);
  });
  return is_set;
}

/// The options that every mode reads, and those of an accumulator.
std::optional<bool> set_option(mx::DotConfig& c, std::string_view name, std::string_view text) {
  if (name == "mode") return set(c.mode, text);
  if (name == "result") return set(c.result, text);
  if (name == "rounding") return set(c.rounding, text);
  if (name == "overflow") return set(c.overflow, text);
  if (name == "addend") return set(c.addend, text);
  return set_option(c.accumulator, name, text);
}

/// Options of an accumulator say nothing in another mode, whichever of them comes first.
mxgold_status refuse_unused_accumulator(std::span<const mxgold_option> options,
                                        const mx::DotConfig& config, Message& message) {
  if (config.mode == mx::DotMode::kAccumulator) return MXGOLD_OK;
  for (const auto& [name, value] : options) {
    mx::AccumulatorModel unused;
    if (!set_option(unused, name, value)) continue;
    message.write(
        {"option '", name, "' goes with mode accumulator, not '", mx::token_of(config.mode), "'"});
    return MXGOLD_BAD_VALUE;
  }
  return MXGOLD_OK;
}

mxgold_status apply_options(const mxgold_option* options, std::size_t count, mx::DotConfig& config,
                            Message& message) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [name, value] = options[i];
    if (name == nullptr || value == nullptr) return MXGOLD_NULL_ARGUMENT;
    const std::optional<bool> known = set_option(config, name, value);
    if (!known) {
      message.write({"unknown option '", name, "'"});
      return MXGOLD_UNKNOWN_OPTION;
    }
    if (!*known) {
      message.write({"option '", name, "' does not take the value '", value, "'"});
      return MXGOLD_BAD_VALUE;
    }
  }
  return refuse_unused_accumulator({options, count}, config, message);
}

mxgold_status read_side(const mx::BlockFormat& format, const mxgold_rows& given,
                        std::uint64_t length, std::uint64_t level, Side& side) {
  const std::uint64_t shape[] = {given.rows, length};
  const auto blocked = mx::BlockedShape::make(shape, 1, format);
  if (!blocked || given.code_bytes != blocked->elements * mx::storage_bytes(format.element) ||
      given.scale_bytes != blocked->scales * mx::scale_bytes(format)) {
    return MXGOLD_BAD_SIZE;
  }
  // A scale for the whole tensor is one for its only row.
  if (given.rows > 1 && blocked->scales != given.rows * blocked->blocks) return MXGOLD_BAD_SIZE;
  if (given.rows > 0 && (given.codes == nullptr || given.scales == nullptr)) {
    return MXGOLD_NULL_ARGUMENT;
  }
  side = {words_of(given.codes, given.code_bytes, mx::storage_bytes(format.element)),
          words_of(given.scales, given.scale_bytes, mx::scale_bytes(format)), length,
          blocked->blocks, level};
  const bool fits =
      std::ranges::all_of(side.codes, [&](auto code) { return format.element.takes(code); }) &&
      std::ranges::all_of(side.scales, [&](auto code) { return format.takes_scale(code); });
  return fits ? MXGOLD_OK : MXGOLD_BAD_CODE;
}

/// Addends and results, each rows(a) * rows(b) words.
struct Sums {
  std::span<const std::byte> addends;
  std::span<std::byte> results;
};

mxgold_status check_sums(const mx::DotConfig& config, std::uint64_t count, const Sums& sums) {
  if (sums.results.size() != count * mx::storage_bytes(config.result)) return MXGOLD_BAD_SIZE;
  if (sums.addends.data() == nullptr) return MXGOLD_OK;
  if (sums.addends.size() != count * mx::storage_bytes(config.addend)) return MXGOLD_BAD_SIZE;
  return mx::stray_word(config.addend, sums.addends, 1).empty() ? MXGOLD_OK : MXGOLD_BAD_CODE;
}

std::uint32_t multiply(const mx::DotConfig& config, const Side& a, const Side& b,
                       std::uint64_t columns, const Sums& sums, int threads) {
  std::uint32_t all = 0;
  std::mutex mutex;
  const std::uint64_t count = sums.results.size() / mx::storage_bytes(config.result);
  const std::uint64_t piece = std::max<std::uint64_t>(mx::layout::kPiece / a.length, 1);
  mx::share_work(count, piece, threads, [&](std::uint64_t first, std::uint64_t last) {
    mx::DotProduct dot = *mx::DotProduct::make(config);  // it was made before: it has no problem
    std::uint32_t part = 0;
    for (std::uint64_t i = first; i < last; ++i) {
      std::optional<std::uint64_t> addend;
      if (sums.addends.data() != nullptr) {
        addend = mx::layout::load_word(sums.addends, i, mx::storage_bytes(config.addend));
      }
      const mx::Encoded result = dot(a.row(i / columns), b.row(i % columns), addend);
      mx::layout::store_word(sums.results, i, mx::storage_bytes(config.result), result.code);
      part |= result.flags;
    }
    const std::lock_guard lock(mutex);
    all |= part;
  });
  return all;
}

}  // namespace

extern "C" {

mxgold_status mxgold_dot_create(const mxgold_quantizer* a, const mxgold_quantizer* b,
                                const mxgold_option* options, size_t option_count, mxgold_dot** out,
                                char* message, size_t message_size) noexcept {
  return guarded(__func__, Message(message, message_size), [&]() -> mxgold_status {
    if (out == nullptr) return MXGOLD_NULL_ARGUMENT;
    *out = nullptr;
    if (a == nullptr || b == nullptr || (options == nullptr && option_count > 0)) {
      return MXGOLD_NULL_ARGUMENT;
    }
    Message text(message, message_size);
    const mx::QuantizerConfig& left = a->quantizer.config();
    const mx::QuantizerConfig& right = b->quantizer.config();
    mx::DotConfig config{.a = left.format, .b = right.format};
    const mxgold_status status = apply_options(options, option_count, config, text);
    if (status != MXGOLD_OK) return status;
    if (const std::string_view problem = mx::DotProduct::problem(config); !problem.empty()) {
      text.write({problem});
      return MXGOLD_BAD_VALUE;
    }
    const mxgold_dot whole{config, left.tensor.scale, right.tensor.scale, a->book, b->book};
    *out = std::make_unique<mxgold_dot>(whole).release();
    return MXGOLD_OK;
  });
}

void mxgold_dot_destroy(mxgold_dot* dot) noexcept { delete dot; }

mxgold_status mxgold_dot_rows(const mxgold_dot* dot, uint64_t length, const mxgold_rows* a,
                              const mxgold_rows* b, const void* addends, uint64_t addend_bytes,
                              void* results, uint64_t result_bytes, uint32_t* flags) noexcept {
  return guarded(__func__, [&]() -> mxgold_status {
    if (dot == nullptr || a == nullptr || b == nullptr ||
        (results == nullptr && result_bytes > 0)) {
      return MXGOLD_NULL_ARGUMENT;
    }
    if (length == 0) return MXGOLD_BAD_SIZE;
    Side left, right;
    mxgold_status status = read_side(dot->config.a, *a, length, dot->a_level, left);
    if (status == MXGOLD_OK) status = read_side(dot->config.b, *b, length, dot->b_level, right);
    const Sums sums{mx::abi::read_bytes(addends, addend_bytes),
                    mx::abi::write_bytes(results, result_bytes)};
    // No product that does not fit 64 bits.
    if (status == MXGOLD_OK && b->rows != 0 && a->rows > result_bytes / b->rows) {
      return MXGOLD_BAD_SIZE;
    }
    if (status == MXGOLD_OK) status = check_sums(dot->config, a->rows * b->rows, sums);
    if (status != MXGOLD_OK) return status;
    if (mx::abi::is_shared({results, result_bytes}, *a, *b, {addends, addend_bytes})) {
      return MXGOLD_OVERLAP;
    }
    const std::uint64_t work = a->rows * b->rows * length;
    const std::uint32_t all = multiply(dot->config, left, right, b->rows, sums,
                                       mx::abi::threads_for(work * sizeof(std::uint64_t)));
    if (flags != nullptr) *flags = all;
    return MXGOLD_OK;
  });
}

}  // extern "C"
