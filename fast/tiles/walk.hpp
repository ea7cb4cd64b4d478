// The way of a tensor in tiles through kernels that know tiles side by side and columns of tiles.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "fast/cpu/block_kernels.hpp"
#include "fast/cpu/threads.hpp"
#include "fast/cpu/walk.hpp"
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

using Tensor = cpu::TensorOf<TileLayout>;
using CodedTensor = cpu::CodedTensorOf<TileLayout>;

/// Calls along(run, from) for tiles along lines, or down(run, from) for those along another axis,
/// `from` being the place of the run's first element in the tensor. False, and nothing is called,
/// where a span does not fit the layout.
template <typename Along, typename Down>
[[nodiscard]] bool walk(const Tensor& tensor, cpu::Source source, TileSize size, int threads,
                        const Along& along, const Down& down) {
  const TileLayout& layout = tensor.layout;
  const std::size_t width = cpu::word_bytes(source);
  if (!tensor.fits(width, layout.tiles(size.block, size.lines))) return false;
  const std::byte* const word = tensor.source.data();
  walk_pieces(
      layout, size, threads,
      [&](const Piece& p) {
        along(TileRun{word + p.element * width, p.lines, p.length, layout.length,
                      tensor.code(p.element), tensor.scale(p.tile), tensor.status_at(p.tile)},
              p.element);
      },
      [&](const Piece& p) {
        down(ColumnRun{word + p.element * width, p.length, layout.inner, layout.inner,
                       tensor.code(p.element), tensor.scale(p.tile), tensor.status_at(p.tile),
                       p.lines, layout.length * layout.inner},
             p.element);
      });
  return true;
}

/// Calls along(codes, scales, words, elements) for one line of tiles, or down(codes, scales, words,
/// rows) for one line of columns; each says whether what it read was clean. False where one was
/// not, or, with nothing called, where a span does not fit the layout.
template <typename Along, typename Down>
[[nodiscard]] bool walk_back(const CodedTensor& tensor, std::size_t word_bytes, TileSize size,
                             int threads, const Along& along, const Down& down) {
  const TileLayout& layout = tensor.layout;
  if (!tensor.fits(word_bytes, layout.tiles(size.block, size.lines))) return false;
  std::byte* const word = tensor.words.data();
  std::atomic<bool> is_clean = true;
  const auto each_line = [&](const auto& call) {
    return [&](const Piece& p) {
      for (std::size_t line = 0; line < p.lines; ++line) {
        const std::size_t at = p.element + line * layout.length * layout.inner;
        if (!call(tensor.code(at), tensor.scale(p.tile), word + at * word_bytes, p.length)) {
          is_clean = false;
        }
      }
    };
  };
  walk_pieces(layout, size, threads, each_line(along), each_line(down));
  return is_clean;
}

}  // namespace mx::fast::tiles
