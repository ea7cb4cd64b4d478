// The way of a tensor through kernels that know lines of blocks and columns of blocks.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fast/cpu/lanes.hpp"
#include "fast/cpu/quantizer.hpp"
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

/// Codes and scales on their way back to words.
struct CodedTensor {
  const BlockLayout& layout;
  std::span<const std::byte> codes;
  std::span<const std::byte> scales;
  std::span<std::byte> words;
};

/// Calls lines(codes, scales, words, elements) for blocks along lines, or columns(codes, scales,
/// words, rows) for blocks along another axis; each says whether what it read was clean. False
/// where one was not, or, with nothing called, where a span does not fit the layout.
template <typename Lines, typename Columns>
[[nodiscard]] bool walk_back(const CodedTensor& tensor, std::size_t word_bytes, int block_size,
                             int threads, const Lines& lines, const Columns& columns) {
  const BlockLayout& layout = tensor.layout;
  const auto block = static_cast<std::size_t>(block_size);
  if (tensor.codes.size() != layout.elements() || tensor.scales.size() != layout.blocks(block) ||
      tensor.words.size() != layout.elements() * word_bytes) {
    return false;
  }
  const auto* const code = reinterpret_cast<const std::uint8_t*>(tensor.codes.data());
  const auto* const scale = reinterpret_cast<const std::uint8_t*>(tensor.scales.data());
  std::byte* const word = tensor.words.data();
  std::atomic<bool> is_clean = true;
  walk_layout(
      layout, block, threads,
      [&](const LinePiece& p) {
        if (!lines(code + p.element, scale + p.block, word + p.element * word_bytes, p.elements)) {
          is_clean = false;
        }
      },
      [&](const ColumnPiece& p) {
        if (!columns(code + p.element, scale + p.block, word + p.element * word_bytes, p.rows)) {
          is_clean = false;
        }
      });
  return is_clean;
}

/// A tensor and its answers, as the plans take them; `status` may be empty.
struct Tensor {
  const BlockLayout& layout;
  std::span<const std::byte> source;
  std::span<std::byte> codes;
  std::span<std::byte> scales;
  std::span<std::uint16_t> status;
};

/// Calls lines(run, from) for blocks along lines, or columns(run, from) for blocks along another
/// axis, `from` being the place of the run's first element in the tensor. False, and nothing is
/// called, where a span does not fit the layout.
template <typename Lines, typename Columns>
[[nodiscard]] bool walk(const Tensor& tensor, Source source, int block_size, int threads,
                        const Lines& lines, const Columns& columns) {
  const BlockLayout& layout = tensor.layout;
  const auto block = static_cast<std::size_t>(block_size);
  const std::size_t width = word_bytes(source);
  const std::size_t blocks = layout.blocks(block);
  if (tensor.source.size() != layout.elements() * width ||
      tensor.codes.size() != layout.elements() || tensor.scales.size() != blocks ||
      (!tensor.status.empty() && tensor.status.size() != blocks)) {
    return false;
  }
  const std::byte* const word = tensor.source.data();
  auto* const code = reinterpret_cast<std::uint8_t*>(tensor.codes.data());
  auto* const scale = reinterpret_cast<std::uint8_t*>(tensor.scales.data());
  const auto status_at = [&](std::size_t at) {
    return tensor.status.empty() ? nullptr : tensor.status.data() + at;
  };
  walk_layout(
      layout, block, threads,
      [&](const LinePiece& p) {
        lines(BlockRun{word + p.element * width, p.elements, code + p.element, scale + p.block,
                       status_at(p.block)},
              p.element);
      },
      [&](const ColumnPiece& p) {
        columns(ColumnRun{word + p.element * width, p.rows, layout.inner, layout.inner,
                          code + p.element, scale + p.block, status_at(p.block)},
                p.element);
      });
  return true;
}

}  // namespace mx::fast::cpu
