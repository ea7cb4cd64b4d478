// What a profile leaves open of arrays and tensors, over the C ABI.
#include <algorithm>
#include <mutex>

#include "backend/abi/guard.hpp"
#include "backend/abi/objects.hpp"
#include "backend/open/open_blocks.hpp"
#include "mxgold.h"
#include "reference/tensor/layout.hpp"

namespace {

using mx::abi::guarded;
using mx::abi::read_bytes;

/// Bytes that say of each answer whether it is open, 1 or 0.
struct Marks {
  uint8_t* bytes;
  std::uint64_t count;
  [[nodiscard]] bool is_missing() const { return bytes == nullptr && count > 0; }
  void clear() const { std::fill_n(bytes, count, uint8_t{0}); }
};

/// The masks that left something open, of pieces of [0, count) on all threads; each piece writes
/// its own marks.
template <typename Piece>
mx::Masks all_open(std::uint64_t count, std::uint64_t step, int threads, const Piece& piece) {
  mx::Masks all = 0;
  std::mutex mutex;
  mx::share_work(count, step, threads, [&](std::uint64_t first, std::uint64_t last) {
    const mx::Masks part = piece(first, last);
    const std::lock_guard lock(mutex);
    all |= part;
  });
  return all;
}

mx::Masks mark_blocks(mx::backend::OpenBlocks blocks, std::uint64_t first, std::uint64_t last,
                      const Marks& codes, const Marks& scales) {
  mx::Masks all = 0;
  for (std::uint64_t block = first; block < last; ++block) {
    const mx::OpenFields open = blocks.of(block);
    scales.bytes[block] = open.scale != 0 ? 1 : 0;
    all |= open.scale;
    for (std::size_t i = 0; i < open.elements.size(); ++i) {
      codes.bytes[blocks.indices()[i]] = open.elements[i] != 0 ? 1 : 0;
      all |= open.elements[i];
    }
  }
  return all;
}

}  // namespace

extern "C" mxgold_status mxgold_open_values(const mxgold_conversion* conversion, const void* source,
                                            uint64_t source_bytes, uint8_t* open, uint64_t count,
                                            uint32_t* masks) noexcept {
  return guarded(__func__, [&]() -> mxgold_status {
    const Marks marks{open, count};
    if (conversion == nullptr || (source == nullptr && source_bytes > 0) || marks.is_missing()) {
      return MXGOLD_NULL_ARGUMENT;
    }
    const mx::ConversionConfig& config = conversion->conversion.config();
    const std::size_t size = mx::storage_bytes(config.source);
    if (source_bytes % size != 0 || source_bytes / size != count) return MXGOLD_BAD_SIZE;
    if (mx::abi::is_shared({{open, count}}, {{source, source_bytes}})) return MXGOLD_OVERLAP;
    const std::span<const std::byte> words = read_bytes(source, source_bytes);
    const int threads = mx::abi::threads_for(source_bytes);
    if (!mx::stray_word(config.source, words, threads).empty()) return MXGOLD_BAD_CODE;
    marks.clear();
    const auto piece = [&](std::uint64_t first, std::uint64_t last) {
      mx::Masks all = 0;
      for (std::uint64_t i = first; i < last; ++i) {
        const std::uint64_t word = mx::layout::load_word(words, i, size);
        const mx::Masks found = mx::backend::open_masks(conversion->masks, config, word);
        marks.bytes[i] = found != 0 ? 1 : 0;
        all |= found;
      }
      return all;
    };
    const mx::Masks all =
        conversion->masks == 0 ? 0 : all_open(count, mx::layout::kSharedWords, threads, piece);
    if (masks != nullptr) *masks = all;
    return MXGOLD_OK;
  });
}

extern "C" mxgold_status mxgold_open_blocks(const mxgold_quantizer* quantizer,
                                            const uint64_t* shape, size_t rank, int64_t axis,
                                            const void* source, uint64_t source_bytes,
                                            uint64_t seed, uint32_t tensor_index, uint8_t* codes,
                                            uint64_t code_count, uint8_t* scales,
                                            uint64_t scale_count, uint32_t* masks) noexcept {
  return guarded(__func__, [&]() -> mxgold_status {
    const Marks of_codes{codes, code_count}, of_scales{scales, scale_count};
    if (quantizer == nullptr || (shape == nullptr && rank > 0) ||
        (source == nullptr && source_bytes > 0) || of_codes.is_missing() ||
        of_scales.is_missing()) {
      return MXGOLD_NULL_ARGUMENT;
    }
    const mx::QuantizerConfig& config = quantizer->quantizer.config();
    const auto blocked = mx::BlockedShape::make({shape, rank}, axis, config.format);
    if (!blocked || source_bytes != blocked->elements * mx::storage_bytes(config.source) ||
        code_count != blocked->elements || scale_count != blocked->scales) {
      return MXGOLD_BAD_SIZE;
    }
    if (mx::abi::is_shared({{codes, code_count}, {scales, scale_count}},
                           {{source, source_bytes}})) {
      return MXGOLD_OVERLAP;
    }
    const std::span<const std::byte> words = read_bytes(source, source_bytes);
    const int threads = mx::abi::threads_for(source_bytes);
    if (!mx::stray_word(config.source, words, threads).empty()) return MXGOLD_BAD_CODE;
    of_codes.clear();
    of_scales.clear();
    const mx::backend::OpenBlocks blocks(quantizer->masks, quantizer->quantizer, *blocked, words,
                                         {seed, tensor_index});
    const auto piece = [&](std::uint64_t first, std::uint64_t last) {
      return mark_blocks(blocks, first, last, of_codes, of_scales);
    };
    const std::uint64_t step = mx::layout::blocks_at_a_time(*blocked);
    const mx::Masks all =
        quantizer->masks == 0 ? 0 : all_open(blocked->scales, step, threads, piece);
    if (masks != nullptr) *masks = all;
    return MXGOLD_OK;
  });
}
