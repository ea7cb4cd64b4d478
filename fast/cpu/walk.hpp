// The way of a tensor through kernels that know lines of blocks and columns of blocks.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fast/cpu/block_kernels.hpp"
#include "fast/cpu/block_plan.hpp"
#include "fast/cpu/threads.hpp"

namespace mx::fast::cpu {

/// Blocks one after the other in memory: the place of the first element and of the first block.
struct LinePiece {
  std::size_t element;
  std::size_t elements;
  std::size_t block;
};

/// Blocks side by side down `rows` rows of all columns of a layout, at most one block high.
struct ColumnPiece {
  std::size_t element;
  std::size_t rows;
  std::size_t block;
};

/// Calls lines(piece) for blocks along lines, or columns(piece) for blocks along another axis,
/// until every block was given once; `threads` share the calls.
template <typename Lines, typename Columns>
void walk_layout(const BlockLayout& layout, std::size_t block, int threads, const Lines& lines,
                 const Columns& columns) {
  if (layout.elements() == 0) return;
  const std::size_t line_blocks = (layout.length + block - 1) / block;
  if (layout.inner == 1) {
    // Lines without a short block follow each other as one.
    const bool is_flat = layout.outer == 1 || layout.length % block == 0;
    const std::size_t count = is_flat ? 1 : layout.outer;
    const std::size_t length = is_flat ? layout.elements() : layout.length;
    const std::size_t of_line = is_flat ? layout.blocks(block) : line_blocks;
    share_blocks(count, of_line, block, threads,
                 [&](std::size_t line, std::size_t first, std::size_t last) {
                   const std::size_t from = line * length + first * block;
                   const std::size_t to = line * length + std::min(last * block, length);
                   lines(LinePiece{from, to - from, line * of_line + first});
                 });
    return;
  }
  share_blocks(layout.outer * line_blocks, 1, block * layout.inner, threads,
               [&](std::size_t row, std::size_t, std::size_t) {
                 const std::size_t start = row % line_blocks * block;
                 const std::size_t line = row / line_blocks * layout.length + start;
                 columns(ColumnPiece{line * layout.inner, std::min(block, layout.length - start),
                                     row * layout.inner});
               });
}

/// Codes and scales on their way back to words, in blocks of lines or of tiles.
template <class Layout>
struct CodedTensorOf {
  const Layout& layout;
  std::span<const std::byte> codes;
  std::span<const std::byte> scales;
  std::span<std::byte> words;

  [[nodiscard]] bool fits(std::size_t word_bytes, std::size_t blocks) const {
    return codes.size() == layout.elements() && scales.size() == blocks &&
           words.size() == layout.elements() * word_bytes;
  }
  [[nodiscard]] const std::uint8_t* code(std::size_t element) const {
    return reinterpret_cast<const std::uint8_t*>(codes.data()) + element;
  }
  [[nodiscard]] const std::uint8_t* scale(std::size_t block) const {
    return reinterpret_cast<const std::uint8_t*>(scales.data()) + block;
  }
};
using CodedTensor = CodedTensorOf<BlockLayout>;

/// Calls lines(codes, scales, words, elements) for blocks along lines, or columns(codes, scales,
/// words, rows) for blocks along another axis; each says whether what it read was clean. False
/// where one was not, or, with nothing called, where a span does not fit the layout.
template <typename Lines, typename Columns>
[[nodiscard]] bool walk_back(const CodedTensor& tensor, std::size_t word_bytes, int block_size,
                             int threads, const Lines& lines, const Columns& columns) {
  const auto block = static_cast<std::size_t>(block_size);
  if (!tensor.fits(word_bytes, tensor.layout.blocks(block))) return false;
  std::byte* const word = tensor.words.data();
  std::atomic<bool> is_clean = true;
  walk_layout(
      tensor.layout, block, threads,
      [&](const LinePiece& p) {
        if (!lines(tensor.code(p.element), tensor.scale(p.block), word + p.element * word_bytes,
                   p.elements)) {
          is_clean = false;
        }
      },
      [&](const ColumnPiece& p) {
        if (!columns(tensor.code(p.element), tensor.scale(p.block), word + p.element * word_bytes,
                     p.rows)) {
          is_clean = false;
        }
      });
  return is_clean;
}

/// A tensor and its answers, as the plans take them, in blocks of lines or of tiles; `status` may
/// be empty.
template <class Layout>
struct TensorOf {
  const Layout& layout;
  std::span<const std::byte> source;
  std::span<std::byte> codes;
  std::span<std::byte> scales;
  std::span<std::uint16_t> status;

  [[nodiscard]] bool fits(std::size_t word_bytes, std::size_t blocks) const {
    return source.size() == layout.elements() * word_bytes && codes.size() == layout.elements() &&
           scales.size() == blocks && (status.empty() || status.size() == blocks);
  }
  [[nodiscard]] std::uint8_t* code(std::size_t element) const {
    return reinterpret_cast<std::uint8_t*>(codes.data()) + element;
  }
  [[nodiscard]] std::uint8_t* scale(std::size_t block) const {
    return reinterpret_cast<std::uint8_t*>(scales.data()) + block;
  }
  [[nodiscard]] std::uint16_t* status_at(std::size_t block) const {
    return status.empty() ? nullptr : status.data() + block;
  }
};
using Tensor = TensorOf<BlockLayout>;

/// Calls lines(run, from) for blocks along lines, or columns(run, from) for blocks along another
/// axis, `from` being the place of the run's first element in the tensor. False, and nothing is
/// called, where a span does not fit the layout.
template <typename Lines, typename Columns>
[[nodiscard]] bool walk(const Tensor& tensor, Source source, int block_size, int threads,
                        const Lines& lines, const Columns& columns) {
  const BlockLayout& layout = tensor.layout;
  const auto block = static_cast<std::size_t>(block_size);
  const std::size_t width = word_bytes(source);
  if (!tensor.fits(width, layout.blocks(block))) return false;
  const std::byte* const word = tensor.source.data();
  walk_layout(
      layout, block, threads,
      [&](const LinePiece& p) {
        lines(BlockRun{word + p.element * width, p.elements, tensor.code(p.element),
                       tensor.scale(p.block), tensor.status_at(p.block)},
              p.element);
      },
      [&](const ColumnPiece& p) {
        columns(ColumnRun{word + p.element * width, p.rows, layout.inner, layout.inner,
                          tensor.code(p.element), tensor.scale(p.block), tensor.status_at(p.block)},
                p.element);
      });
  return true;
}

}  // namespace mx::fast::cpu
