// SPDX-License-Identifier: Apache-2.0
// What an implementation gave beside the reference, over the C ABI.
#include <algorithm>
#include <span>
#include <vector>

#include "backend/questions/arrays.hpp"
#include "golden/questions/compared.hpp"
#include "mxgold.h"
#include "reference/number/philox.hpp"
#include "reference/tensor/layout.hpp"

namespace {

using mx::abi::answered;
using mx::abi::Message;
using mx::abi::read_bytes;
using mx::abi::Words;
using mx::golden::ComparedArray;
using mx::golden::ComparedRecord;

/// The caller's marks, or own ones where it wants none.
class MarkBytes {
 public:
  MarkBytes(std::uint8_t* bytes, std::uint64_t count) : own_(bytes == nullptr ? count : 0) {
    all_ = bytes == nullptr ? std::span(own_) : std::span(bytes, count);
  }
  [[nodiscard]] std::span<std::uint8_t> all() const { return all_; }

 private:
  std::vector<std::uint8_t> own_;
  std::span<std::uint8_t> all_;
};

/// What of a word is said to the caller.
enum Mark : std::uint8_t {
  kAgrees = MXGOLD_AGREES,
  kDiffers = MXGOLD_DIFFERS,
  kOpen = MXGOLD_OPEN,
  kDontCare = MXGOLD_DONT_CARE
};

mx::golden::ComparedCounts counts_of(std::span<const std::uint8_t> marks) {
  mx::golden::ComparedCounts counts{.all = marks.size()};
  for (const std::uint8_t mark : marks) {
    counts.differ += mark == kDiffers ? 1U : 0U;
    counts.open += mark == kOpen ? 1U : 0U;
    counts.dont_care += mark == kDontCare ? 1U : 0U;
  }
  return counts;
}

/// Records by which causes are looked for, of those that differ and of those that agree.
constexpr std::size_t kSampled = 200;

/// At most so many of a list, spread over it.
std::vector<std::uint64_t> spread(const std::vector<std::uint64_t>& all, std::size_t most) {
  if (all.size() <= most) return all;
  std::vector<std::uint64_t> chosen;
  for (std::size_t i = 0; i < most; ++i) chosen.push_back(all[i * all.size() / most]);
  return chosen;
}

/// Fills what a comparison shows: `differs` and `agrees` are numbers of records, `record_of` makes
/// one.
template <typename RecordOf>
void take_records(const std::vector<std::uint64_t>& differs,
                  const std::vector<std::uint64_t>& agrees, std::size_t most,
                  const RecordOf& record_of, mx::golden::ComparedArray& array) {
  for (std::size_t i = 0; i < std::min(most, differs.size()); ++i) {
    array.shown.push_back(record_of(differs[i]));
  }
  for (const std::uint64_t each : spread(differs, kSampled)) {
    array.differing.push_back(record_of(each));
  }
  for (const std::uint64_t each : spread(agrees, kSampled)) {
    array.agreeing.push_back(record_of(each));
  }
}

/// Turns "is it open?" into marks: what is not open agrees or differs.
void mark(const Words& expected, const Words& seen, std::span<std::uint8_t> marks) {
  for (std::uint64_t i = 0; i < marks.size(); ++i) {
    marks[i] = marks[i] != 0 ? kOpen : expected[i] == seen[i] ? kAgrees : kDiffers;
  }
}

/// Numbers of words by their marks.
std::vector<std::uint64_t> numbers_of(std::span<const std::uint8_t> marks, std::uint8_t wanted) {
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t i = 0; i < marks.size(); ++i) {
    if (marks[i] == wanted) numbers.push_back(i);
  }
  return numbers;
}

struct ComparedValues {
  const mxgold_conversion& conversion;
  Words source, expected, seen;
  std::span<const std::uint8_t> marks;
  mx::CounterRandom random;

  [[nodiscard]] ComparedRecord record(std::uint64_t i) const {
    const mx::ConversionConfig& config = conversion.conversion.config();
    ComparedRecord record;
    record.number = i;
    record.places = {i};
    record.input.lanes = {source[i]};
    const int bits = mx::abi::drawn_bits(config.policy, false);
    if (bits != 0) {
      record.input.random = {mx::counter_random(random.seed, random.tensor, i, bits)};
    }
    record.expected.codes = {expected[i]};
    record.seen.codes = {seen[i]};
    record.open.elements = {marks[i] == kOpen};
    const std::uint32_t word = record.input.random.empty() ? 0 : record.input.random.front();
    record.flags = conversion.conversion(source[i], word).flags;
    return record;
  }
};

struct ComparedBlocks {
  const mxgold_quantizer& quantizer;
  mx::BlockedShape shape;
  Words source, expected, seen, expected_scales, seen_scales;
  std::span<std::uint8_t> codes, scales;
  mx::CounterRandom random;

  /// Codes under a NaN scale mean nothing where the policy says so.
  void mark_dont_care() const {
    const mx::QuantizerConfig& config = quantizer.quantizer.config();
    if (config.block.nan_scale_codes != mx::NanScaleCodes::kDontCare) return;
    std::vector<std::uint64_t> places;
    for (std::uint64_t block = 0; block < scales.size(); ++block) {
      const std::uint64_t own = expected_scales[block] & config.format.scale.code_mask();
      if (mx::decode(config.format.scale, own).cls != mx::ValueClass::kNan) continue;
      mx::block_indices(shape, block, places);
      for (const std::uint64_t place : places) codes[place] = kDontCare;
    }
  }

  [[nodiscard]] ComparedRecord record(std::uint64_t block) const {
    const mx::QuantizerConfig& config = quantizer.quantizer.config();
    ComparedRecord record;
    record.number = block;
    mx::block_indices(shape, block, record.places);
    const int bits = mx::abi::drawn_bits(config.element, mx::facts_of(config.block.rule).draws);
    std::vector<std::uint32_t> words(record.places.size());
    for (std::size_t i = 0; i < record.places.size(); ++i) {
      const std::uint64_t place = record.places[i];
      record.input.lanes.push_back(source[place]);
      record.expected.codes.push_back(expected[place]);
      record.seen.codes.push_back(seen[place]);
      record.open.elements.push_back(codes[place] == kOpen || codes[place] == kDontCare);
      if (bits != 0) words[i] = mx::counter_random(random.seed, random.tensor, place, bits);
    }
    if (bits != 0) record.input.random = words;
    record.expected.scale = expected_scales[block];
    record.seen.scale = seen_scales[block];
    record.open.scale = scales[block] == kOpen;
    std::vector<std::uint64_t> unused(record.places.size());
    record.flags = quantizer.quantizer.quantize_block(record.input.lanes, words, unused).flags;
    return record;
  }

  /// Numbers of blocks of which any word differs, and of those of which none does.
  void sort_blocks(std::vector<std::uint64_t>& differs, std::vector<std::uint64_t>& agrees) const {
    std::vector<std::uint64_t> places;
    for (std::uint64_t block = 0; block < scales.size(); ++block) {
      mx::block_indices(shape, block, places);
      const bool any = scales[block] == kDiffers ||
                       std::ranges::any_of(
                           places, [&](std::uint64_t place) { return codes[place] == kDiffers; });
      (any ? differs : agrees).push_back(block);
    }
  }
};

}  // namespace

extern "C" {

mxgold_status mxgold_compare_values(const mxgold_conversion* conversion, const void* source,
                                    uint64_t source_bytes, const void* codes, uint64_t code_bytes,
                                    uint64_t seed, uint32_t tensor_index, size_t most,
                                    uint8_t* marks, uint64_t count, mxgold_answer** out,
                                    char* message, size_t message_size) noexcept {
  if (out != nullptr) *out = nullptr;
  mx::abi::ArraySizes sizes;
  const mxgold_status status =
      mx::abi::read_sizes(conversion, {source, source_bytes}, {codes, code_bytes}, sizes);
  if (status != MXGOLD_OK) return status;
  if (marks != nullptr && count != sizes.count) return MXGOLD_BAD_SIZE;
  const mx::ConversionConfig& config = conversion->conversion.config();
  if (mx::abi::is_shared({{marks, count}}, {{source, source_bytes}, {codes, code_bytes}})) {
    return MXGOLD_OVERLAP;
  }
  const std::span<const std::byte> seen = read_bytes(codes, code_bytes);
  return answered(__func__, out, Message(message, message_size), [&] {
    if (mx::abi::has_stray(config.destination, seen)) mx::abi::require(MXGOLD_BAD_CODE);
    std::vector<std::byte> expected(code_bytes);
    mx::abi::require(mxgold_convert_array(conversion, source, source_bytes, seed, tensor_index,
                                          expected.data(), code_bytes, nullptr));
    const MarkBytes all_marks(marks, sizes.count);
    mx::abi::require(mxgold_open_values(conversion, source, source_bytes, all_marks.all().data(),
                                        sizes.count, nullptr));
    const ComparedValues values{*conversion,
                                {read_bytes(source, source_bytes), sizes.source},
                                {expected, sizes.code},
                                {seen, sizes.code},
                                all_marks.all(),
                                {seed, tensor_index}};
    mark(values.expected, values.seen, all_marks.all());
    ComparedArray array;
    array.surface = mx::abi::surface_of(*conversion);
    array.subject.element = {config, conversion->masks};
    array.codes = counts_of(all_marks.all());
    take_records(
        numbers_of(values.marks, kDiffers), numbers_of(values.marks, kAgrees), most,
        [&](std::uint64_t i) { return values.record(i); }, array);
    return mx::golden::compared(array, mx::machine_threads());
  });
}

mxgold_status mxgold_compare_blocks(const mxgold_quantizer* quantizer, const uint64_t* shape,
                                    size_t rank, int64_t axis, const void* source,
                                    uint64_t source_bytes, const void* codes, uint64_t code_bytes,
                                    const void* scales, uint64_t scale_bytes, uint64_t seed,
                                    uint32_t tensor_index, size_t most, uint8_t* code_marks,
                                    uint64_t code_count, uint8_t* scale_marks, uint64_t scale_count,
                                    mxgold_answer** out, char* message,
                                    size_t message_size) noexcept {
  if (out != nullptr) *out = nullptr;
  const std::span<const std::byte> seen = read_bytes(codes, code_bytes);
  const std::span<const std::byte> seen_scales = read_bytes(scales, scale_bytes);
  return answered(__func__, out, Message(message, message_size), [&] {
    mxgold_tensor_sizes sizes;
    mx::abi::require(mxgold_sizes(quantizer, shape, rank, axis, &sizes));
    if ((source == nullptr && source_bytes > 0) || (codes == nullptr && code_bytes > 0) ||
        (scales == nullptr && scale_bytes > 0)) {
      mx::abi::require(MXGOLD_NULL_ARGUMENT);
    }
    if (source_bytes != sizes.source_bytes || code_bytes != sizes.code_bytes ||
        scale_bytes != sizes.scale_bytes ||
        (code_marks != nullptr && code_count != sizes.elements) ||
        (scale_marks != nullptr && scale_count != sizes.scales)) {
      mx::abi::require(MXGOLD_BAD_SIZE);
    }
    if (mx::abi::is_shared({{code_marks, code_count}, {scale_marks, scale_count}},
                           {{source, source_bytes}, {codes, code_bytes}, {scales, scale_bytes}})) {
      mx::abi::require(MXGOLD_OVERLAP);
    }
    const mx::QuantizerConfig& config = quantizer->quantizer.config();
    if (mx::abi::has_stray(config.format.element, seen) ||
        mx::abi::has_stray(config.format.scale, seen_scales)) {
      mx::abi::require(MXGOLD_BAD_CODE);
    }
    std::vector<std::byte> expected(code_bytes), expected_scales(scale_bytes);
    mx::abi::require(mxgold_quantize_tensor(quantizer, shape, rank, axis, source, source_bytes,
                                            seed, tensor_index, expected.data(), code_bytes,
                                            expected_scales.data(), scale_bytes, nullptr));
    const MarkBytes of_codes(code_marks, sizes.elements), of_scales(scale_marks, sizes.scales);
    mx::abi::require(mxgold_open_blocks(quantizer, shape, rank, axis, source, source_bytes, seed,
                                        tensor_index, of_codes.all().data(), sizes.elements,
                                        of_scales.all().data(), sizes.scales, nullptr));
    const std::size_t code_size = mx::storage_bytes(config.format.element);
    const std::size_t scale_size = mx::scale_bytes(config.format);
    const ComparedBlocks blocks{
        *quantizer,
        *mx::BlockedShape::make({shape, rank}, axis, config.format),
        {read_bytes(source, source_bytes), mx::storage_bytes(config.source)},
        {expected, code_size},
        {seen, code_size},
        {expected_scales, scale_size},
        {seen_scales, scale_size},
        of_codes.all(),
        of_scales.all(),
        {seed, tensor_index}};
    mark(blocks.expected, blocks.seen, blocks.codes);
    mark(blocks.expected_scales, blocks.seen_scales, blocks.scales);
    blocks.mark_dont_care();
    ComparedArray array;
    array.surface = mx::abi::surface_of(*quantizer);
    array.subject.block = {config, quantizer->masks};
    array.codes = counts_of(blocks.codes);
    array.scales = counts_of(blocks.scales);
    std::vector<std::uint64_t> differs, agrees;
    blocks.sort_blocks(differs, agrees);
    take_records(
        differs, agrees, most, [&](std::uint64_t i) { return blocks.record(i); }, array);
    return mx::golden::compared(array, mx::machine_threads());
  });
}

}  // extern "C"
