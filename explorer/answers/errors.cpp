// SPDX-License-Identifier: Apache-2.0
#include "explorer/answers/errors.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "golden/names/names.hpp"
#include "golden/names/profile_choice.hpp"
#include "golden/names/settings.hpp"
#include "golden/text/filled.hpp"
#include "reference/catalog/catalog.hpp"
#include "reference/element/default_policy.hpp"
#include "reference/format/rows.hpp"
#include "reference/tensor/tensor.hpp"

namespace mx::explorer {
namespace {

using golden::filled;
using golden::Refusal;
using golden::Spelling;

/// The number of a pattern of binary64.
double number(std::uint64_t bits) {
  double value = 0;
  static_assert(sizeof value == sizeof bits);
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// Exact for every format that fits into binary64, infinities and NaN included.
double number(const ElementFormat& format, std::uint64_t code) {
  return number(encode(decode(format, code), formats::fp64, default_policy(formats::fp64), 0).code);
}

std::uint64_t word(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  }
  return value;
}

std::uint64_t length_of(const std::string& text) {
  std::uint64_t length = 0;
  (void)std::from_chars(text.data(), text.data() + text.size(), length);
  return length;
}

void refuse_other_blocks(const BlockFormat& format) {
  if (format.extent == BlockExtent::kElements && format.tile_lines == 1) return;
  throw Refusal(
      filled("format {}: the page measures blocks along the last axis alone; use "
             "mxgold quantize or Python for it",
             format.name));
}

}  // namespace

Errors::Errors(const Question& question) : length_(length_of(question.one("length"))) {
  FormatCatalog catalog;
  const golden::FormatChoice format =
      golden::choose_format(catalog, question.one("format"), Spelling::kNames);
  const ElementFormat& source =
      golden::choose_element(catalog, "source", question.one("source"), Spelling::kNames);
  const golden::ProfileChoice profile =
      golden::choose_profile(question.one("profile"), Spelling::kNames);
  const golden::ProfiledFormat under =
      golden::under_profile(profile, format, source, 0, Spelling::kNames);
  if (length_ == 0) throw Refusal("length: give the elements of a row, at least 1");
  config_ = {source, {}, under.policies.element, under.policies.block};
  golden::PolicyReader reader{under.element, under.policies.element, {}};
  if (format.block == nullptr) {
    config_.format.element = under.element;
    conversion_ = golden::made(Conversion::make({source, under.element, under.policies.element}));
  } else {
    refuse_other_blocks(*format.block);
    config_.format = *format.block;
    config_.format.element = under.element;
    quantizer_ = golden::made(Quantizer::make(config_));
    reader.block = under.policies.block;
  }
  if (draws(reader)) {
    throw Refusal(
        filled("profile {}: it rounds by random bits, which the page does not have; "
               "choose another",
               profile.name()));
  }
  config_.format.name = {};  // the catalog, which holds names, ends here
  config_.source.name = {};
}

bool Errors::looks_first() const {
  return quantizer_ && config_.format.tensor_scale != TensorScale::kNone;
}

void Errors::look(std::span<const std::byte> words) {
  const Unpacked found = tensor_amax(config_.source, config_.element, words);
  if (compare_magnitude(found, amax_) > 0) amax_ = found;
}

void Errors::add(std::span<const std::byte> words) {
  if (looks_first() && in_row_ == 0 && sums_.elements + sums_.left_out == 0) {
    config_.tensor = tensor_level(config_, amax_);
    quantizer_ = golden::made(Quantizer::make(config_));
  }
  const std::size_t bytes = storage_bytes(config_.source);
  const std::uint64_t most =
      quantizer_ ? static_cast<std::uint64_t>(config_.format.block_size) : 1024;
  for (std::size_t at = 0; at + bytes <= words.size(); at += bytes) {
    block_.push_back(word(words.subspan(at, bytes)));
    in_row_ = (in_row_ + 1) % length_;
    if (block_.size() == most || in_row_ == 0) add_block();
  }
}

void Errors::add_block() {
  const std::size_t count = block_.size();
  values_.resize(count);
  tops_.resize(count);
  codes_.resize(count);
  const ElementFormat& element = config_.format.element;
  if (conversion_) {
    const double top = number(element, element.max_code);
    for (const std::uint64_t source : block_) {
      const Encoded encoded = (*conversion_)(source, 0);
      add_value(number(config_.source, source), number(element, encoded.code), top);
    }
  } else {
    const BlockResult result = quantizer_->quantize_block(block_, {}, codes_);
    quantizer_->dequantize_block(result.scale_code, codes_, formats::fp64, values_);
    std::fill(codes_.begin(), codes_.end(), element.max_code);
    quantizer_->dequantize_block(result.scale_code, codes_, formats::fp64, tops_);
    for (std::size_t i = 0; i < count; ++i) {
      add_value(number(config_.source, block_[i]), number(values_[i]), number(tops_[i]));
    }
  }
  block_.clear();
}

void Errors::add_value(double x, double y, double top) {
  if (!std::isfinite(x) || !std::isfinite(y) || !std::isfinite(top)) {
    sums_.left_out += 1;
    return;
  }
  const double moved = y - x;
  sums_.elements += 1;
  sums_.exact += moved == 0 ? 1 : 0;
  sums_.saturated += std::abs(y) == std::abs(top) && std::abs(x) > std::abs(y) ? 1 : 0;
  sums_.flushed += y == 0 && x != 0 ? 1 : 0;
  sums_.signal += x * x;
  sums_.noise += moved * moved;
  sums_.largest = std::max(sums_.largest, std::abs(moved));
  sums_.moved += moved;
}

}  // namespace mx::explorer
