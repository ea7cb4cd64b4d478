// The way of a tensor in tiles through kernels that know tiles side by side and columns of tiles.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fast/cpu/lanes.hpp"
#include "fast/cpu/threads.hpp"
#include "fast/tiles/layout.hpp"

namespace mx::fast::tiles {

using cpu::ColumnRun;

/// How many elements a tile has: along the axis, and lines.
struct TileSize {
  std::size_t block;
  std::size_t lines;
};

/// Tiles one after the other: `elements` words of each of `lines` lines, at most one tile high; the
/// lines of source and codes lie `stride` elements apart.
struct TileRun {
  const std::byte* source;
  std::size_t lines;
  std::size_t elements;
  std::size_t stride;
  std::uint8_t* codes;
  std::uint8_t* scales;
  std::uint16_t* status;
};

/// Tiles one after the other, or a tile for each column.
struct Piece {
  std::size_t element;  ///< the place of the first
  std::size_t lines;
  std::size_t length;  ///< elements of a line, or rows
  std::size_t tile;    ///< the place of the first scale
};

/// Calls along(piece) for tiles along lines, or down(piece) for those along another axis, until
/// every tile was given once; `threads` share the calls.
template <typename Along, typename Down>
void walk_pieces(const TileLayout& layout, TileSize size, int threads, const Along& along,
                 const Down& down) {
  if (layout.elements() == 0) return;
  const std::size_t bands = (layout.lines + size.lines - 1) / size.lines;
  const std::size_t of_line = (layout.length + size.block - 1) / size.block;
  const std::size_t tile = size.block * size.lines;
  const auto piece_of = [&](std::size_t band, std::size_t first, std::size_t last) {
    const std::size_t start = band % bands * size.lines;
    const std::size_t line = band / bands * layout.lines + start;
    const std::size_t begin = first * size.block;
    const std::size_t end = std::min(last * size.block, layout.length);
    return Piece{(line * layout.length + begin) * layout.inner,
                 std::min(size.lines, layout.lines - start), end - begin,
                 (band * of_line + first) * layout.inner};
  };
  if (layout.inner == 1) {
    cpu::share_blocks(layout.outer * bands, of_line, tile, threads,
                      [&](std::size_t band, std::size_t first, std::size_t last) {
                        along(piece_of(band, first, last));
                      });
    return;
  }
  cpu::share_blocks(layout.outer * bands * of_line, 1, tile * layout.inner, threads,
                    [&](std::size_t i, std::size_t, std::size_t) {
                      down(piece_of(i / of_line, i % of_line, i % of_line + 1));
                    });
}

/// A tensor and its answers, as the plans take them; `status` may be empty.
struct Tensor {
  const TileLayout& layout;
  std::span<const std::byte> source;
  std::span<std::byte> codes;
  std::span<std::byte> scales;
  std::span<std::uint16_t> status;
};

/// Calls along(run, from) for tiles along lines, or down(run, from) for those along another axis,
/// `from` being the place of the run's first element in the tensor. False, and nothing is called,
/// where a span does not fit the layout.
template <typename Along, typename Down>
[[nodiscard]] bool walk(const Tensor& tensor, cpu::Source source, TileSize size, int threads,
                        const Along& along, const Down& down) {
  const TileLayout& layout = tensor.layout;
  const std::size_t width = cpu::word_bytes(source);
  const std::size_t count = layout.tiles(size.block, size.lines);
  if (tensor.source.size() != layout.elements() * width ||
      tensor.codes.size() != layout.elements() || tensor.scales.size() != count ||
      (!tensor.status.empty() && tensor.status.size() != count)) {
    return false;
  }
  const std::byte* const word = tensor.source.data();
  auto* const code = reinterpret_cast<std::uint8_t*>(tensor.codes.data());
  auto* const scale = reinterpret_cast<std::uint8_t*>(tensor.scales.data());
  const auto status_at = [&](std::size_t at) {
    return tensor.status.empty() ? nullptr : tensor.status.data() + at;
  };
  walk_pieces(
      layout, size, threads,
      [&](const Piece& p) {
        along(TileRun{word + p.element * width, p.lines, p.length, layout.length, code + p.element,
                      scale + p.tile, status_at(p.tile)},
              p.element);
      },
      [&](const Piece& p) {
        down(ColumnRun{word + p.element * width, p.length, layout.inner, layout.inner,
                       code + p.element, scale + p.tile, status_at(p.tile), p.lines,
                       layout.length * layout.inner},
             p.element);
      });
  return true;
}

/// Codes and scales on their way back to words.
struct CodedTensor {
  const TileLayout& layout;
  std::span<const std::byte> codes;
  std::span<const std::byte> scales;
  std::span<std::byte> words;
};

/// Calls along(codes, scales, words, elements) for one line of tiles, or down(codes, scales, words,
/// rows) for one line of columns; each says whether what it read was clean. False where one was
/// not, or, with nothing called, where a span does not fit the layout.
template <typename Along, typename Down>
[[nodiscard]] bool walk_back(const CodedTensor& tensor, std::size_t word_bytes, TileSize size,
                             int threads, const Along& along, const Down& down) {
  const TileLayout& layout = tensor.layout;
  if (tensor.codes.size() != layout.elements() ||
      tensor.scales.size() != layout.tiles(size.block, size.lines) ||
      tensor.words.size() != layout.elements() * word_bytes) {
    return false;
  }
  const auto* const code = reinterpret_cast<const std::uint8_t*>(tensor.codes.data());
  const auto* const scale = reinterpret_cast<const std::uint8_t*>(tensor.scales.data());
  std::byte* const word = tensor.words.data();
  std::atomic<bool> is_clean = true;
  const auto each_line = [&](const auto& call) {
    return [&](const Piece& p) {
      for (std::size_t line = 0; line < p.lines; ++line) {
        const std::size_t at = p.element + line * layout.length * layout.inner;
        if (!call(code + at, scale + p.tile, word + at * word_bytes, p.length)) is_clean = false;
      }
    };
  };
  walk_pieces(layout, size, threads, each_line(along), each_line(down));
  return is_clean;
}

}  // namespace mx::fast::tiles
